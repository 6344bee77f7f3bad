package cdcodec_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/fastjson"
	. "github.com/cdcodec/cdcodec/internal/canaltest"
	"github.com/cdcodec/cdcodec/internal/reference"
	"github.com/cdcodec/cdcodec/wire"
)

// TestRule14Message has lists of Entries, each as a Message of Canal's client
// and as a Packet: one message per Entry, never merged, in order.
func TestRule14Message(t *testing.T) {
	insert := func(v string) []byte { return EntryOf(nil, Change(Insert, Row(nil, Columns{Col("a", v)}))) }
	one := func(v string) string {
		return text{data: `[{"a":"` + v + `"}]`, mysqlType: `{"a":""}`, sqlType: `{"a":0}`, typ: `"INSERT"`}.String()
	}
	begin, end, heartbeat := Num(nil, 2, 1), Num(nil, 2, 3), Num(nil, 2, 4)
	badHeader := []byte{0x0a, 2, 0x42, 5} // header: schemaName past the end
	badStore := []byte{0x1a, 2, 0x5a, 5}  // storeValue: sql past the end
	skippedBad := Num(badStore, 2, 3)
	nothing := text{}.String()

	lists := newTranscoder(t, cdcodec.Options{})
	packets := newTranscoder(t, cdcodec.Options{From: cdcodec.FromPacket})
	for _, c := range []struct {
		name    string
		entries [][]byte
		want    []string
		from    []int  // the Entry of each message
		bad     int    // the first Entry that is bad
		path    string // in it, of what is bad, which is at byte 2 there
	}{
		{name: "none"},
		{name: "one", entries: [][]byte{insert("1")}, want: []string{one("1")}, from: []int{0}},
		{name: "the same twice", entries: [][]byte{insert("1"), insert("1")}, want: []string{one("1"), one("1")}, from: []int{0, 1}},
		{name: "a transaction", entries: [][]byte{begin, insert("1"), insert("2"), end}, want: []string{one("1"), one("2")}, from: []int{1, 2}},
		{name: "marks only", entries: [][]byte{begin, end, begin, end}},
		{name: "an Entry of no bytes", entries: [][]byte{nil, insert("1"), nil}, want: []string{nothing, one("1"), nothing}, from: []int{0, 1, 2}},
		{name: "a heartbeat between", entries: [][]byte{insert("1"), heartbeat, insert("2")}, want: []string{one("1"), nothing, one("2")}, from: []int{0, 1, 2}},
		{name: "a bad one that is skipped", entries: [][]byte{insert("1"), skippedBad, insert("2")}, want: []string{one("1"), one("2")}, from: []int{0, 2}},

		{name: "the first is bad", entries: [][]byte{badHeader, insert("1")}, bad: 0, path: "header.schemaName"},
		{name: "the last is bad", entries: [][]byte{begin, insert("1"), badStore}, bad: 2, path: "storeValue.sql"},
		{name: "one between is bad", entries: [][]byte{insert("1"), badStore, insert("2")}, bad: 1, path: "storeValue.sql"},
		{name: "two are bad", entries: [][]byte{insert("1"), badStore, badHeader}, bad: 1, path: "storeValue.sql"},
	} {
		meta := fastjson.Meta{ID: 1, TS: 1700000000000}
		packet := PacketOf(MessagesPacket, BatchOf(1, c.entries...))
		inPacket := wire.Element("body.messages", c.bad)
		for _, run := range []struct {
			name, element string
			base          int // where the bad Entry begins
			append        func() ([]byte, []cdcodec.Message, error)
			reference     func() ([][]byte, error)
		}{
			{"list", wire.Element("entries", c.bad), 0,
				func() ([]byte, []cdcodec.Message, error) { return lists.AppendEntries(nil, nil, c.entries, meta) },
				func() ([][]byte, error) { return reference.Entries(c.entries, fastjson.Options{}, meta) }},
			{"packet", inPacket, offsetOf(packet, packetDesc, inPacket) + 2,
				func() ([]byte, []cdcodec.Message, error) { return packets.Append(nil, nil, packet, meta) },
				func() ([][]byte, error) { return reference.Packet(packet, fastjson.Options{}, meta, false) }},
		} {
			name := c.name + ", " + run.name
			out, msgs, err := run.append()
			ref, refErr := run.reference()
			if c.path != "" {
				var at *wire.ParseError
				if path := run.element + "." + c.path; !errors.As(err, &at) || at.Err != wire.ErrTruncated || at.Path != path || at.Offset != run.base+2 {
					t.Errorf("%s: error is %v, want one in %s at %d", name, err, path, run.base+2)
				}
				if refErr == nil || out != nil || msgs != nil {
					t.Errorf("%s: the reference says %v, and there are %d messages", name, refErr, len(msgs))
				}
				continue
			}
			if err != nil || refErr != nil {
				t.Errorf("%s: %v, and the reference says %v", name, err, refErr)
			}
			if got, want := string(out), strings.Join(c.want, ""); got != want {
				t.Errorf("%s\n got %s\nwant %s", name, got, want)
			}
			if len(msgs) != len(c.want) || len(ref) != len(c.want) {
				t.Errorf("%s: %d messages, of the reference %d, want %d", name, len(msgs), len(ref), len(c.want))
				continue
			}
			for i, m := range msgs {
				if string(out[m.Start:m.End]) != c.want[i] || string(ref[i]) != c.want[i] || m.Entry != c.from[i] {
					t.Errorf("%s: message %d is of Entry %d\n     got %s\nreference %s\n    want %s of %d",
						name, i, m.Entry, out[m.Start:m.End], ref[i], c.want[i], c.from[i])
				}
			}
		}
	}
}
