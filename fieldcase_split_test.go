package cdcodec_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/fastjson"
	. "github.com/cdcodec/cdcodec/internal/canaltest"
	"github.com/cdcodec/cdcodec/wire"
)

// updateOf returns an Entry: an UPDATE of so many rows, each with a text of some
// length that changes.
func updateOf(rows int, length func(i int) int) []byte {
	c := Change(Update)
	for i := range rows {
		id := Col("id", fmt.Sprint(i), Key, Typed(-5, "bigint(20)"))
		c.RowDatas = append(c.RowDatas, Row(
			Columns{id, Col("note", strings.Repeat("b", length(i)), Typed(2005, "text"))},
			Columns{id, Col("note", strings.Repeat("a", length(i)+1), Changed, Typed(2005, "text"))}))
	}
	return fieldEntry(c)
}

func TestFieldCasesT37Split(t *testing.T) {
	const limit = 1_000_000
	entry := updateOf(311, func(i int) int { return 2000 + i*37%3000 })
	whole, _ := appended(t, newTranscoder(t, cdcodec.Options{}), entry)
	var want, got fastjson.Message
	if err := want.Unmarshal(whole); err != nil || len(want.Data) != 311 || len(want.Old) != 311 {
		t.Fatal(err, len(want.Data))
	}
	for _, c := range []struct {
		name   string
		o      cdcodec.Options
		record []byte
	}{
		{"Entry", cdcodec.Options{}, entry},
		{"Entry, the general way", cdcodec.Options{JSON: fastjson.Options{NoFused: true}}, entry},
		{"Packet", cdcodec.Options{From: cdcodec.FromPacket, IgnoreBatchID: true}, PacketOf(MessagesPacket, BatchOf(5, entry))},
		{"Canal-JSON", cdcodec.Options{From: cdcodec.FromCanalJSON}, whole},
	} {
		c.o.JSON.MaxMessage, c.o.JSON.Split, c.o.JSON.Separator = limit, true, "\n"
		tr := newTranscoder(t, c.o)
		var first []byte
		for range 3 { // the table is known then
			out, msgs := appended(t, tr, c.record)
			if len(msgs) < 3 {
				t.Fatalf("%s: %d messages", c.name, len(msgs))
			}
			if first != nil {
				if !bytes.Equal(out, first) {
					t.Fatalf("%s: not the same again", c.name)
				}
				continue
			}
			first = out
			got = fastjson.Message{}
			rows := 0
			for i, m := range msgs {
				text := out[m.Start:m.End]
				if len(text) > limit || m.Part != i || m.Row != rows || m.Entry != 0 || m.Type != change.Update || string(m.Table) != "t" {
					t.Fatalf("%s: message %d of %d bytes is %+v", c.name, i, len(text), m)
				}
				var part fastjson.Message
				if err := part.Unmarshal(text); err != nil {
					t.Fatal(err)
				}
				if i < len(msgs)-1 { // as many as fit
					next, _ := json.Marshal([]any{want.Data[rows+len(part.Data)], want.Old[rows+len(part.Data)]})
					if len(text)+len(next)-2 < limit {
						t.Errorf("%s: message %d has %d bytes, %d more would have had room", c.name, i, len(text), len(next))
					}
				}
				rows += len(part.Data)
				data, old := part.Data, part.Old
				part.Data, part.Old = append(got.Data, data...), append(got.Old, old...)
				got = part
			}
			back, err := got.Marshal()
			again, err2 := want.Marshal()
			if err != nil || err2 != nil || !bytes.Equal(back, again) {
				t.Fatalf("%s: the parts together are not the whole", c.name)
			}
		}
		if s := tr.Stats(); s.Fused > s.Messages || (c.name == "Entry" || c.name == "Packet") != (s.Fused > 0) {
			t.Errorf("%s: %+v", c.name, s)
		}
	}

	// One row is too large: nothing is written.
	large := updateOf(311, func(i int) int { return 4000 + i/310*limit })
	alone, _ := appended(t, newTranscoder(t, cdcodec.Options{}), updateOf(1, func(int) int { return 4000 + limit }))
	size := len(alone) + len("310") - len("0") // its id, in data
	for _, c := range []struct {
		name  string
		split bool
		size  int
	}{{"split", true, size}, {"not split", false, 0}} {
		for _, list := range [][][]byte{{large}, {entry[:0], large}} {
			tr := newTranscoder(t, cdcodec.Options{JSON: fastjson.Options{MaxMessage: limit, Split: c.split}})
			dst := []byte("there")
			out, msgs, err := tr.AppendEntries(dst, nil, list, matrixMeta)
			gaveBack(t, c.name, dst, out, msgs)
			var tooLarge *fastjson.TooLargeError
			var where *wire.ParseError
			if !errors.As(err, &tooLarge) || tooLarge.Table != "test.t" || tooLarge.Limit != limit || c.size > 0 && tooLarge.Size != c.size || tooLarge.Size <= limit || !errors.As(err, &where) || where.Table != "test.t" {
				t.Errorf("%s: %v, want size %d", c.name, err, c.size)
			}
			if !strings.Contains(err.Error(), fmt.Sprintf("message of test.t takes %d bytes, 1000000 are allowed", tooLarge.Size)) {
				t.Errorf("%s: %v", c.name, err)
			}
		}
	}

	// With BadEntry the others stay.
	var bad []int
	o := cdcodec.Options{JSON: fastjson.Options{MaxMessage: limit, Split: true, Separator: "\n"}, BadEntry: func(i int, err error) { bad = append(bad, i) }}
	out, msgs, err := newTranscoder(t, o).AppendEntries(nil, nil, [][]byte{large, entry, large, entry}, matrixMeta)
	if err != nil || fmt.Sprint(bad) != "[0 2]" || bytes.Count(out, []byte("\n")) != len(msgs)-1 || msgs[0].Entry != 1 || msgs[len(msgs)-1].Entry != 3 {
		t.Errorf("with BadEntry: %v, %v", bad, err)
	}
	for i, m := range msgs {
		if m.Part != i%(len(msgs)/2) || m.Part == 0 != (m.Row == 0) {
			t.Errorf("message %d is %+v", i, m)
		}
	}
}
