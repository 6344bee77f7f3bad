package cdcodec_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/fastjson"
	. "github.com/cdcodec/cdcodec/internal/canaltest"
	"github.com/cdcodec/cdcodec/internal/reference"
	"github.com/cdcodec/cdcodec/wire"
	"github.com/cdcodec/cdcodec/wire/canal"
)

func TestNew(t *testing.T) {
	for _, c := range []struct {
		options cdcodec.Options
		want    string // a word of the error
	}{
		{cdcodec.Options{}, ""},
		{cdcodec.Options{From: cdcodec.FromPacket, IgnoreBatchID: true, MaxRecord: 1, JSON: fastjson.Options{MaxOutput: 1}}, ""},
		{cdcodec.Options{From: cdcodec.FromCanalJSON + 1}, "Source"},
		{cdcodec.Options{To: cdcodec.ToPacket + 1}, "Target"},
		{cdcodec.Options{MaxRecord: -1}, "MaxRecord"},
		{cdcodec.Options{JSON: fastjson.Options{MaxOutput: -1}}, "MaxOutput"},
		{cdcodec.Options{JSON: fastjson.Options{Dialect: 99}}, "Dialect"},
	} {
		tr, err := cdcodec.New(c.options)
		if (err == nil) != (c.want == "") || (tr == nil) != (err != nil) || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, %v", c.options, tr, err)
		}
	}
	var zero cdcodec.Transcoder
	out, _, err := zero.Append(nil, nil, nil, goldenMeta)
	if err != nil || string(out) != (text{}.String()) {
		t.Errorf("the zero Transcoder: %v, %s", err, out)
	}
}

// gaveBack checks that a call with an error changed nothing of what it got.
func gaveBack(t *testing.T, name string, dst, out []byte, msgs []cdcodec.Message) {
	t.Helper()
	if !bytes.Equal(dst, out) || cap(dst) != cap(out) || len(dst) > 0 && &dst[0] != &out[0] || len(msgs) != 0 {
		t.Errorf("%s: dst and msgs came back as %s, %v", name, out, msgs)
	}
}

func TestMaxRecord(t *testing.T) {
	small := EntryOf(nil, Change(Insert))
	large := EntryOf(nil, Change(Insert, Row(nil, Columns{Col("a", strings.Repeat("x", 100))})))
	list := [][]byte{small, large, small}
	packet := PacketOf(MessagesPacket, BatchOf(1, list...))
	dst := []byte("there")
	for _, c := range []struct {
		name string
		size int
		from cdcodec.Source
		run  func(tr *cdcodec.Transcoder) ([]byte, []cdcodec.Message, error)
	}{
		{"entry", len(large), cdcodec.FromEntry, func(tr *cdcodec.Transcoder) ([]byte, []cdcodec.Message, error) {
			return tr.Append(dst, nil, large, goldenMeta)
		}},
		{"packet", len(packet), cdcodec.FromPacket, func(tr *cdcodec.Transcoder) ([]byte, []cdcodec.Message, error) {
			return tr.Append(dst, nil, packet, goldenMeta)
		}},
		{"list", len(large) + 2*len(small), cdcodec.FromEntry, func(tr *cdcodec.Transcoder) ([]byte, []cdcodec.Message, error) {
			return tr.AppendEntries(dst, nil, list, goldenMeta)
		}},
	} {
		for _, limit := range []int{1, c.size - 1, c.size, c.size + 1, 0} {
			name := fmt.Sprintf("%s of %d, limit %d", c.name, c.size, limit)
			called := 0
			tr := newTranscoder(t, cdcodec.Options{From: c.from, MaxRecord: limit, BadEntry: func(int, error) { called++ }})
			out, msgs, err := c.run(tr)
			if limit == 0 || limit >= c.size {
				if err != nil || len(out) <= len(dst) || len(msgs) == 0 {
					t.Errorf("%s: %v", name, err)
				}
				continue
			}
			var at *wire.ParseError
			if !errors.Is(err, cdcodec.ErrMaxRecord) || !errors.As(err, &at) || at.Offset != 0 || at.Path != "" || called != 0 {
				t.Errorf("%s: %v", name, err)
			}
			gaveBack(t, name, dst, out, msgs)
			if limit > len(small) && c.from == cdcodec.FromEntry {
				if _, msgs, err := tr.Append(nil, nil, small, goldenMeta); err != nil || len(msgs) != 1 {
					t.Errorf("%s: the next one: %v", name, err)
				}
			}
		}
	}
	// The default, without having so much memory.
	part := make([]byte, 1<<20)
	_, _, err := newTranscoder(t, cdcodec.Options{}).AppendEntries(nil, nil, slices.Repeat([][]byte{part}, cdcodec.DefaultMaxRecord>>20+1), goldenMeta)
	if !errors.Is(err, cdcodec.ErrMaxRecord) {
		t.Errorf("more than DefaultMaxRecord: %v", err)
	}
}

// TestMaxOutput gives every good golden record just what it needs, and less.
func TestMaxOutput(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	dst := []byte("there")
	for _, f := range feeds() {
		if f.IsError() || len(f.Want) > 100_000 {
			continue
		}
		for _, noFused := range []bool{false, true} {
			limited := func(limit int) *cdcodec.Transcoder {
				return newTranscoder(t, cdcodec.Options{From: f.from, JSON: fastjson.Options{MaxOutput: limit, NoFused: noFused}})
			}
			want, _, err := f.run(limited(0), dst, nil)
			size := len(want) - len(dst)
			if err != nil || size == 0 {
				continue
			}
			for _, limit := range []int{size, size + 1, 8 * size, 1, size - 1, size / 2, 1 + rnd.IntN(size), 1 + rnd.IntN(size)} {
				name := fmt.Sprintf("%s of %d, limit %d", f.Name, size, limit)
				tr := limited(limit)
				for range 2 { // the second time the table may be known
					out, msgs, err := f.run(tr, dst, nil)
					if limit >= size {
						if err != nil || !bytes.Equal(out, want) {
							t.Errorf("%s: %v\n got %s\nwant %s", name, err, out, want)
						}
						continue
					}
					if !errors.Is(err, fastjson.ErrMaxOutput) {
						t.Errorf("%s: %v", name, err)
					}
					gaveBack(t, name, dst, out, msgs)
				}
			}
		}
	}
}

// TestMaxOutputNext looks at what comes after a record that was too long, and
// at the place of the error.
func TestMaxOutputNext(t *testing.T) {
	entry := func(n int) []byte {
		return Sub(Sub(nil, 1, Text(Text(nil, 8, "d"), 9, "t")), 3, Encode(Change(Insert, Row(nil, Columns{Col("a", strings.Repeat("x", n))}))))
	}
	tr := newTranscoder(t, cdcodec.Options{JSON: fastjson.Options{MaxOutput: 1000}})
	packets := newTranscoder(t, cdcodec.Options{From: cdcodec.FromPacket, JSON: fastjson.Options{MaxOutput: 1000}})
	want, _, err := tr.Append(nil, nil, entry(10), goldenMeta)
	if err != nil {
		t.Fatal(err)
	}
	for n := range 2000 {
		var at *wire.ParseError
		dst := make([]byte, n, n+n%3*700)
		out, msgs, err := tr.Append(dst, nil, entry(n), goldenMeta)
		if len(out)-n > 1000 {
			t.Errorf("%d bytes", len(out)-n)
		}
		if err != nil {
			gaveBack(t, fmt.Sprint(n), dst, out, msgs)
			if !errors.Is(err, fastjson.ErrMaxOutput) || !errors.As(err, &at) || at.Path != "" || at.Table != "d.t" {
				t.Fatal(err)
			}
		}
		if out, _, err := tr.Append(nil, nil, entry(10), goldenMeta); err != nil || !bytes.Equal(out, want) {
			t.Fatalf("after %d: %v, %s", n, err, out)
		}
	}
	// All messages of a record count together.
	list := [][]byte{entry(10), entry(10), entry(600), entry(10)}
	var at *wire.ParseError
	if _, _, err := tr.AppendEntries(nil, nil, list, goldenMeta); !errors.As(err, &at) || at.Err != fastjson.ErrMaxOutput || at.Path != "entries[2]" {
		t.Errorf("list: %v", err)
	}
	packet := PacketOf(MessagesPacket, BatchOf(1, list...))
	if _, _, err := packets.Append(nil, nil, packet, goldenMeta); !errors.As(err, &at) || at.Err != fastjson.ErrMaxOutput || at.Path != "body.messages[2]" {
		t.Errorf("packet: %v", err)
	}
}

// TestMaxOutputMemory has records that would become far more than is allowed,
// and looks at what is allocated until that is seen.
func TestMaxOutputMemory(t *testing.T) {
	for name, entry := range map[string][]byte{
		"value":       EntryOf(nil, Change(Insert, Row(nil, Columns{Col("a", strings.Repeat("\x01", 4<<20))}))),
		"plain value": EntryOf(nil, Change(Insert, Row(nil, Columns{Col("a", strings.Repeat("x", 4<<20))}))),
		"sql":         EntryOf(nil, Statement(Query, false, strings.Repeat("x", 4<<20))),
		"rows":        EntryHolding(Num(bytes.Repeat(Sub(nil, 12, Sub(nil, 2, Text(nil, 8, "x"))), 1<<19), 2, 1)),
		"empty rows":  EntryHolding(bytes.Repeat([]byte{0x62, 0x00}, 1<<20)),
	} {
		tr := newTranscoder(t, cdcodec.Options{JSON: fastjson.Options{MaxOutput: 10_000}})
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _, err := tr.Append(nil, nil, entry, goldenMeta)
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; !errors.Is(err, fastjson.ErrMaxOutput) || got > 1<<20 {
			t.Errorf("%s: %v, and %d bytes allocated", name, err, got)
		}
	}
}

// A badEntry is one call of Options.BadEntry.
type badEntry struct {
	index  int
	path   string
	offset int
	kind   error
}

func TestBadEntry(t *testing.T) {
	good := func(v string) []byte { return EntryOf(nil, Change(Insert, Row(nil, Columns{Col("a", v)}))) }
	badStore := []byte{0x1a, 2, 0x5a, 5}  // sql past the end
	badHeader := []byte{0x0a, 2, 0x42, 5} // schemaName past the end
	badText := good("\xff")
	valueAt := offsetOf(badText, entryDesc, "storeValue.rowDatas[0].afterColumns[0].value")
	entries := [][]byte{good("0"), badHeader, Num(nil, 2, 1), good("3"), badStore, badText, good("6"), good(strings.Repeat("x", 1000))}
	packet := PacketOf(MessagesPacket, BatchOf(1, entries...))
	base := func(i int) int { // of an Entry in packet; all of those are shorter than 128 bytes
		return offsetOf(packet, packetDesc, wire.Element("body.messages", i)) + 2
	}
	var want string
	for _, v := range []string{"0", "3", "6"} {
		want += text{data: `[{"a":"` + v + `"}]`, mysqlType: `{"a":""}`, sqlType: `{"a":0}`, typ: `"INSERT"`}.String()
	}

	var calls []badEntry
	o := cdcodec.Options{
		JSON: fastjson.Options{RejectInvalidUTF8: true, MaxOutput: len(want)},
		BadEntry: func(i int, err error) {
			var at *wire.ParseError
			if !errors.As(err, &at) {
				t.Fatal(err)
			}
			calls = append(calls, badEntry{i, at.Path, at.Offset, at.Err})
		},
	}
	lists := newTranscoder(t, o)
	o.From = cdcodec.FromPacket
	packets := newTranscoder(t, o)
	for name, run := range map[string]func() ([]byte, []cdcodec.Message, error){
		"entries": func() ([]byte, []cdcodec.Message, error) {
			return lists.AppendEntries([]byte("there"), nil, entries, goldenMeta)
		},
		"body.messages": func() ([]byte, []cdcodec.Message, error) {
			return packets.Append([]byte("there"), nil, packet, goldenMeta)
		},
	} {
		calls = nil
		out, msgs, err := run()
		if err != nil || string(out) != "there"+want {
			t.Errorf("%s: %v\n got %s\nwant there%s", name, err, out, want)
		}
		checkMessages(t, name, len("there"), out, msgs, err)
		if len(msgs) != 3 || msgs[0].Entry != 0 || msgs[1].Entry != 3 || msgs[2].Entry != 6 {
			t.Errorf("%s: messages %+v", name, msgs)
		}
		wantCalls := []badEntry{
			{1, name + "[1].header.schemaName", 2, wire.ErrTruncated},
			{4, name + "[4].storeValue.sql", 2, wire.ErrTruncated},
			{5, name + "[5].storeValue.rowDatas[0].afterColumns[0].value", valueAt, fastjson.ErrInvalidUTF8},
			{7, name + "[7]", 0, fastjson.ErrMaxOutput},
		}
		for i := range calls {
			if i < 3 && name == "body.messages" {
				wantCalls[i].offset += base(wantCalls[i].index)
			}
			if i == 3 { // where a record is too long is not said to the byte
				wantCalls[i].offset = calls[i].offset
			}
		}
		if !slices.Equal(calls, wantCalls) {
			t.Errorf("%s: calls are\n%v, want\n%v", name, calls, wantCalls)
		}
	}

	// What is bad around the Entries fails the record, and nobody is called.
	calls = nil
	for name, c := range map[string]struct {
		packet []byte
		kind   error
	}{
		"packet cut":      {packet[:len(packet)-1], wire.ErrTruncated},
		"wrong type":      {Num(slices.Clone(packet), 3, 6), canal.ErrPacketType},
		"compressed":      {Num(slices.Clone(packet), 4, 3), canal.ErrCompression},
		"list cut":        {PacketOf(MessagesPacket, append(BatchOf(1, good("1")), 0x12)), wire.ErrTruncated},
		"unknown garbage": {PacketOf(MessagesPacket, append(BatchOf(1, good("1"), badStore), 0x0f)), wire.ErrType},
	} {
		out, msgs, err := packets.Append([]byte("there"), nil, c.packet, goldenMeta)
		if !errors.Is(err, c.kind) || string(out) != "there" || msgs != nil || calls != nil {
			t.Errorf("%s: %v, %s, %v", name, err, out, calls)
		}
	}
	// So does an Entry that is a record of its own.
	if out, _, err := lists.Append(nil, nil, badStore, goldenMeta); err == nil || out != nil || calls != nil {
		t.Errorf("one Entry: %v, %s, %v", err, out, calls)
	}
	// Nobody is called where all are good, and where all are bad nothing is left.
	if _, msgs, err := lists.AppendEntries(nil, nil, [][]byte{good("1"), nil}, goldenMeta); err != nil || len(msgs) != 2 || calls != nil {
		t.Errorf("all good: %v, %v, %v", err, msgs, calls)
	}
	if out, msgs, err := lists.AppendEntries(nil, nil, [][]byte{badStore, badHeader}, goldenMeta); err != nil || len(out) > 0 || len(msgs) > 0 || len(calls) != 2 {
		t.Errorf("all bad: %v, %s, %v", err, out, calls)
	}
}

// TestBadEntryGolden spoils the Entries of golden packets, and holds what is
// kept to the reference.
func TestBadEntryGolden(t *testing.T) {
	rnd := rand.New(rand.NewPCG(9, 10))
	var all [][]byte
	for _, f := range feeds() {
		if f.from == cdcodec.FromEntry && !f.list && len(f.Records[0]) < 2000 {
			all = append(all, f.Records[0])
		}
	}
	var bad []int
	tr := newTranscoder(t, cdcodec.Options{From: cdcodec.FromPacket, BadEntry: func(i int, err error) { bad = append(bad, i) }})
	for range 500 {
		entries := make([][]byte, rnd.IntN(10))
		for i := range entries {
			entries[i] = all[rnd.IntN(len(all))]
		}
		packet := PacketOf(MessagesPacket, BatchOf(3, entries...))
		want, wantBad, wantErr := reference.PacketLenient(packet, fastjson.Options{}, goldenMeta, false)
		bad = nil
		out, msgs, err := tr.Append(nil, nil, packet, goldenMeta)
		if (err == nil) != (wantErr == nil) || !slices.Equal(bad, wantBad) || !bytes.Equal(out, bytes.Join(want, nil)) || len(msgs) != len(want) {
			t.Errorf("%v, bad are %v; the reference: %v, %v\n got %s\nwant %s\nin %x", err, bad, wantErr, wantBad, out, bytes.Join(want, nil), packet)
		}
	}
}

func TestClock(t *testing.T) {
	entries := slices.Repeat([][]byte{nil}, 2000)
	packet := PacketOf(MessagesPacket, BatchOf(1, entries...))
	tr := newTranscoder(t, cdcodec.Options{})
	packets := newTranscoder(t, cdcodec.Options{From: cdcodec.FromPacket})
	for name, run := range map[string]func(m fastjson.Meta) ([]byte, []cdcodec.Message, error){
		"entry": func(m fastjson.Meta) ([]byte, []cdcodec.Message, error) { return tr.Append(nil, nil, nil, m) },
		"list": func(m fastjson.Meta) ([]byte, []cdcodec.Message, error) {
			return tr.AppendEntries(nil, nil, entries, m)
		},
		"packet": func(m fastjson.Meta) ([]byte, []cdcodec.Message, error) { return packets.Append(nil, nil, packet, m) },
	} {
		before := time.Now().UnixMilli()
		out, msgs, err := run(fastjson.Meta{ID: 1})
		after := time.Now().UnixMilli()
		if err != nil {
			t.Fatal(name, err)
		}
		ts, _, _ := strings.Cut(string(out[bytes.Index(out, []byte(`"ts":`))+5:]), ",")
		var is int64
		if _, err := fmt.Sscan(ts, &is); err != nil || is < before || is > after {
			t.Errorf("%s: ts is %s, and the time %d to %d", name, ts, before, after)
		}
		want := text{ts: ts}.String()
		if string(out) != strings.Repeat(want, len(msgs)) {
			t.Errorf("%s: not all messages are %s", name, want)
		}
		if out, msgs, err := run(fastjson.Meta{ID: 1, TS: 5}); err != nil || string(out) != strings.Repeat(text{ts: "5"}.String(), len(msgs)) {
			t.Errorf("%s: ts 5: %v", name, err)
		}
	}
}

func TestIgnoreBatchID(t *testing.T) {
	for _, c := range []struct {
		batch  []byte // the field batch_id
		ignore bool
		want   string
	}{
		{Num(nil, 1, 5), false, "5"}, {Num(nil, 1, 5), true, "9"},
		{Num(nil, 1, minus1), false, "-1"}, {Num(nil, 1, minus1), true, "9"},
		{nil, false, "0"}, {nil, true, "9"},
		{Num(Num(nil, 1, 5), 1, 6), false, "6"},
	} {
		packet := PacketOf(MessagesPacket, Sub(slices.Clone(c.batch), 2, nil))
		tr := newTranscoder(t, cdcodec.Options{From: cdcodec.FromPacket, IgnoreBatchID: c.ignore})
		meta := fastjson.Meta{ID: 9, TS: 5}
		out, _, err := tr.Append(nil, nil, packet, meta)
		if want := (text{id: c.want, ts: "5"}).String(); err != nil || string(out) != want {
			t.Errorf("batch %x, ignored %v: %v\n got %s\nwant %s", c.batch, c.ignore, err, out, want)
		}
		if ref, err := reference.Packet(packet, fastjson.Options{}, meta, c.ignore); err != nil || string(bytes.Join(ref, nil)) != string(out) {
			t.Errorf("batch %x, ignored %v: the reference has %v, %s", c.batch, c.ignore, err, ref)
		}
	}
	// It is for packets: an Entry and a list have the ID of Meta anyway.
	out, _, err := newTranscoder(t, cdcodec.Options{}).AppendEntries(nil, nil, [][]byte{nil}, fastjson.Meta{ID: 9, TS: 5})
	if want := (text{id: "9", ts: "5"}).String(); err != nil || string(out) != want {
		t.Errorf("list: %v, %s", err, out)
	}
}
