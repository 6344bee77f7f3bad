package fastjson_test

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/internal/corpus"
	"github.com/cdcodec/cdcodec/wire"
	"github.com/cdcodec/cdcodec/wire/canal"
)

// limited are Events that reach MaxOutput in different places.
func limited() map[string]*change.Event {
	many := make(columns, 300)
	for i := range many {
		many[i] = col(fmt.Sprintf("column_%d", i), "v", typed(int32(i), "varchar(10)"))
	}
	ddl := &change.Event{Type: change.Create, IsDDL: true, SQL: []byte("create table t (\n\tx int)"), Database: []byte("d\x01"), Table: []byte("t\xff")}
	return map[string]*change.Event{
		"nothing":    {Type: change.Update},
		"ddl":        ddl,
		"many":       rowsOf(change.Insert, change.Row{After: many}),
		"long value": rowsOf(change.Insert, change.Row{After: columns{col("a", strings.Repeat("x", 5000))}}),
		"long CJK":   rowsOf(change.Insert, change.Row{After: columns{col("a", strings.Repeat("长", 1000)+"\n")}}),
		"escapes":    rowsOf(change.Insert, change.Row{After: columns{col("a", strings.Repeat("\x01", 300)), col("b", strings.Repeat("\n\"", 200))}}),
		"invalid":    rowsOf(change.Delete, change.Row{Before: columns{col("\xff", strings.Repeat("\xff", 300))}}),
		"twice": rowsOf(change.Update, change.Row{
			Before: columns{col("a", "1"), col("a", strings.Repeat("long", 20)), col("a", "2")},
			After:  columns{col("a", strings.Repeat("long", 20), updated), col("a", "3")},
		}),
		"rows": rowsOf(change.Update,
			change.Row{Before: columns{col("a", "1", null)}, After: columns{col("a", "2", updated, key)}},
			change.Row{}, change.Row{Before: columns{col("a", "3")}, After: columns{col("a", "4", null)}}),
	}
}

// TestMaxOutput has exactly the length of a message pass, and anything less fail
// and give dst back.
func TestMaxOutput(t *testing.T) {
	for name, ev := range limited() {
		full := write(t, fastjson.Options{}, ev)
		check := func(w *fastjson.Writer, limit int) {
			t.Helper()
			dst := append(make([]byte, 0, 100), "what was there"...)
			out, err := w.AppendEvent(dst, ev, meta)
			if limit >= len(full) {
				if err != nil || string(out) != "what was there"+full {
					t.Fatalf("%s: %d bytes allowed for %d: %v, %.200s", name, limit, len(full), err, out)
				}
				return
			}
			if err != fastjson.ErrMaxOutput || len(out) != len(dst) || cap(out) != cap(dst) || &out[0] != &dst[0] || string(out) != "what was there" {
				t.Fatalf("%s: %d bytes allowed for %d: %v, %.200s", name, limit, len(full), err, out)
			}
		}
		w := newWriter(t, fastjson.Options{MaxOutput: len(full)})
		check(w, len(full))
		for limit := 1; limit < len(full)+3; limit++ {
			if limit > 300 && limit < len(full)-300 && limit%97 > 0 {
				continue
			}
			w.SetMaxOutput(limit)
			check(w, limit)
		}
		w.SetMaxOutput(0) // the default
		check(w, fastjson.DefaultMaxOutput)
		check(newWriter(t, fastjson.Options{MaxOutput: len(full) - 1}), len(full)-1)
	}
}

// TestMaxOutputSavesMemory gives a text that cannot fit: room for it must not be
// made.
func TestMaxOutputSavesMemory(t *testing.T) {
	w := newWriter(t, fastjson.Options{MaxOutput: 10_000})
	for _, ev := range []*change.Event{
		{Type: change.Query, SQL: bytes.Repeat([]byte("x"), 8<<20)},
		rowsOf(change.Insert, change.Row{After: columns{col("a", strings.Repeat("\n", 8<<20))}}),
	} {
		if n := allocated(func() {
			if _, err := w.AppendEvent(nil, ev, meta); err != fastjson.ErrMaxOutput {
				t.Error(err)
			}
		}); n > 200_000 {
			t.Errorf("%d bytes allocated for an output of 10,000 at most", n)
		}
	}
}

// allocated returns how many bytes f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// liar is Rows whose MaxNames is not true.
type liar struct {
	change.Rows
	names int
}

func (l liar) MaxNames(change.Image) int { return l.names }

// TestLyingRows has a MaxNames that is wrong cost time or memory and nothing else.
func TestLyingRows(t *testing.T) {
	for name, ev := range limited() {
		if ev.Rows == nil {
			continue
		}
		for _, o := range []fastjson.Options{{}, {OneRow: true}, ticdc(tiOptions{}), ticdc(tiOptions{OnlyUpdated: true})} {
			lyingRows(t, name, o, ev)
		}
	}
}

func lyingRows(t *testing.T, name string, o fastjson.Options, ev *change.Event) {
	want := write(t, o, ev)
	for _, names := range []int{0, 1, 2, 13, 14, 15, 299, 1 << 16, -1, -1 << 31} {
		func() {
			defer func() {
				if r := recover(); r != nil {
					t.Errorf("%s: MaxNames %d: panics: %v", name, names, r)
				}
			}()
			lying := *ev
			lying.Rows = liar{ev.Rows, names}
			if got := write(t, o, &lying); got != want {
				t.Errorf("%s: MaxNames %d\n got %s\nwant %s", name, names, got, want)
			}
		}()
	}
}

// TestWriterDoesNotAllocate writes Events of all shapes into a buffer with room,
// with a Writer that has seen them.
func TestWriterDoesNotAllocate(t *testing.T) {
	reject := ticdc(tiOptions{OnlyUpdated: true})
	reject.RejectInvalidUTF8 = true
	for _, o := range []fastjson.Options{{}, {OldPerRow: true}, {RejectInvalidUTF8: true}, {OneRow: true}, {OneRow: true, OldPerRow: true},
		ticdc(tiOptions{Extension: true}), ticdc(tiOptions{ContentCompatible: true}), reject} {
		w := newWriter(t, o)
		var dst []byte
		for name, ev := range limited() {
			if strings.HasPrefix(name, "long") || o.RejectInvalidUTF8 && (name == "ddl" || name == "invalid") {
				continue // sonic's 16 bytes; an error
			}
			run := func() {
				var err error
				if dst, err = w.AppendEvent(dst[:0], ev, meta); err != nil {
					t.Fatal(err)
				}
			}
			run()
			if n := testing.AllocsPerRun(50, run); n != 0 {
				t.Errorf("%s, %+v: %v allocations", name, o, n)
			}
		}
	}
}

// TestDecodedDoesNotAllocate is the same from bytes to bytes.
func TestDecodedDoesNotAllocate(t *testing.T) {
	doesNotAllocate(t, fastjson.Options{})
	doesNotAllocate(t, fastjson.Options{OneRow: true})
	doesNotAllocate(t, ticdc(tiOptions{Extension: true}))
	doesNotAllocate(t, ticdc(tiOptions{Extension: true, OnlyUpdated: true, MaxMessage: 400, Large: fastjson.HandleKeyOnly}))
}

func doesNotAllocate(t *testing.T, o fastjson.Options) {
	t.Helper()
	for name, entries := range map[string]int{"oltp": 300, "bulk": 3, "wide": 3} {
		c, err := corpus.Make(name, entries, 1)
		if err != nil {
			t.Fatal(err)
		}
		w := newWriter(t, o)
		if o.TiCDC.MaxMessage > 0 && name == "wide" {
			continue // its stub is too large
		}
		var d canal.Decoder
		var ev change.Event
		var dst []byte
		run := func() {
			for _, entry := range c.Entries {
				e, err := canal.ParseEntry(entry)
				if err == nil {
					err = d.Decode(&ev, &e)
				}
				if err == nil {
					dst, err = w.AppendEvent(dst[:0], &ev, meta)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
		}
		run()
		if n := testing.AllocsPerRun(3, run); n != 0 {
			t.Errorf("%s, %+v: %v allocations for %d Entries", name, o, n, len(c.Entries))
		}
	}
}

// TestWorkingMemory holds the conversion of one record, by a Decoder and a Writer
// that have seen nothing, to 4 times its size and 64 KiB. The records are as
// many names as bytes can say.
func TestWorkingMemory(t *testing.T) {
	sub := func(n wire.Number, b []byte) []byte { return wire.AppendBytes(wire.AppendTag(nil, n, wire.Bytes), b) }
	// columns are some of an image, with names of so many bytes, the same one or
	// different ones; rows are so many of them after, so many to a row.
	columns := func(image wire.Number, from, to, size int, same bool) (out []byte) {
		for i := from; i < to; i++ {
			name := make([]byte, size)
			for j := range name {
				name[j] = 'a'
				if !same {
					name[j] += byte(i>>(6*j)) & 63
				}
			}
			out = append(out, sub(image, sub(3, name))...)
		}
		return out
	}
	rows := func(count, perRow, size int, same bool) (out []byte) {
		for from := 0; from < count; from += perRow {
			out = append(out, sub(12, columns(2, from, min(from+perRow, count), size, same))...)
		}
		return out
	}
	updatedA := sub(2, append(sub(3, []byte("a")), 5<<3, 1))
	roomy := make([]byte, 0, 72<<20)
	for _, c := range []struct {
		name  string
		store []byte
	}{
		{"no columns", bytes.Repeat(sub(12, nil), 100_000)},
		{"100,000 without a name", rows(100_000, 1000, 0, true)},
		{"57,400 of one name of 1 byte", rows(57_400, 1000, 1, true)},
		{"57,400 of one name of 2 bytes", rows(57_400, 57_400, 2, true)},
		{"57,400 of 4,096 names of 2 bytes", rows(57_400, 57_400, 2, false)},
		{"57,400 names of 3 bytes", rows(57_400, 57_400, 3, false)},
		{"57,400 names of 3 bytes, a row each", rows(57_400, 1, 3, false)},
		{"114,700 names of 4 bytes", rows(114_700, 1000, 4, false)},
		{"57,400 rows of a name of 2 bytes", rows(57_400, 1, 2, false)},
		{"100,000 rows of a column without a name", rows(100_000, 1, 0, true)},
		{"57,400 names of 3 bytes in both images", sub(12, append(columns(1, 0, 57_400, 3, false), columns(2, 0, 57_400, 3, false)...))},
		{"57,400 names of 3 bytes before, others after", sub(12, append(columns(1, 0, 57_400, 3, false), columns(2, 57_400, 114_800, 3, false)...))},
		{"57,400 names of 3 bytes twice in both images", sub(12, bytes.Repeat(append(columns(1, 0, 57_400, 3, false), columns(2, 0, 57_400, 3, false)...), 2))},
		{"57,400 of one name of 1 byte before", sub(12, append(columns(1, 0, 57_400, 1, true), updatedA...))},
		{"one column with 100,000 names", sub(12, sub(2, bytes.Repeat(sub(3, []byte("a")), 100_000)))},
	} {
		for _, update := range []bool{false, true} {
			store := wire.AppendVarint(wire.AppendTag(nil, 2, wire.Varint), 1)
			if update {
				store[len(store)-1] = 2
			}
			record := sub(3, append(store, c.store...))
			for _, o := range []fastjson.Options{{}, {OneRow: true}, ticdc(tiOptions{}), ticdc(tiOptions{OnlyUpdated: true})} {
				o.MaxOutput = 64 << 20 // each of the rows repeats all types, with OneRow
				w := newWriter(t, o)
				n := allocated(func() {
					var d canal.Decoder
					var ev change.Event
					e, err := canal.ParseEntry(record)
					if err == nil {
						err = d.Decode(&ev, &e)
					}
					if err == nil {
						_, err = w.AppendEvent(roomy, &ev, meta)
					}
					if err != nil && !(o.OneRow && err == fastjson.ErrMaxOutput) {
						t.Error(err)
					}
				})
				if limit := uint64(4*len(record) + 64<<10); n > limit {
					t.Errorf("%s, UPDATE %v, %+v: %d bytes of memory for a record of %d, %.2f times; %d are allowed",
						c.name, update, o, n, len(record), float64(n)/float64(len(record)), limit)
				}
			}
		}
	}
}
