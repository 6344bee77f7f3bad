package fastjson_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/internal/corpus"
	"github.com/cdcodec/cdcodec/wire/canal"
)

// bulky returns the Entries of corpus bulk, of many rows each.
func bulky(t testing.TB) [][]byte {
	t.Helper()
	c, err := corpus.Make("bulk", 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	return c.Entries
}

// decoded returns an Entry's Event.
func decoded(t testing.TB, entry []byte) *change.Event {
	t.Helper()
	e, err := canal.ParseEntry(entry)
	if err != nil {
		t.Fatal(err)
	}
	var d canal.Decoder
	ev := new(change.Event)
	if err := d.Decode(ev, &e); err != nil {
		t.Fatal(err)
	}
	return ev
}

// turns are partitions of rows in turn.
func turns(rows, partitions int) (part []int32) {
	for i := range rows {
		part = append(part, int32(i*i%partitions))
	}
	return part
}

// TestPartsFused has Entries of many rows cut on the fused path as on the general one.
func TestPartsFused(t *testing.T) {
	entries := bulky(t)[:2]
	for _, base := range allOptions {
		for _, split := range []int{0, 20_000} {
			for _, n := range []int{0, 5, 300} {
				if base != (fastjson.Options{}) && (split == 0 || n != 5) {
					continue
				}
				o := base
				o.MaxMessage, o.Split, o.Separator = split, split > 0, "\n"
				fused, plain := writers(t, o)
				part := turns(600, max(n, 1))
				taken, several := 0, 0
				for _, entry := range append(slices.Clone(entries), entries...) {
					var got change.Event
					var out, want []byte
					var ok bool
					var err error
					ev := decoded(t, entry)
					if n == 0 {
						out, ok = fused.AppendFromEntry([]byte("abc"), entry, fusedMeta, &got)
						want, err = plain.AppendEvent([]byte("abc"), ev, fusedMeta)
					} else {
						out, ok = fused.AppendPartsFromEntry([]byte("abc"), entry, fusedMeta, &got, part)
						want, err = plain.AppendParts([]byte("abc"), ev, fusedMeta, part)
					}
					if err != nil {
						t.Fatal(err)
					}
					if !ok {
						if string(out) != "abc" || len(fused.Ends())+len(fused.Parts()) > 0 {
							t.Fatalf("dst grew to %d bytes for an Entry that was not taken", len(out))
						}
						continue
					}
					if !bytes.Equal(out, want) || !slices.Equal(fused.Ends(), plain.Ends()) || !slices.Equal(fused.Parts(), plain.Parts()) {
						t.Fatalf("%+v, %d partitions: %v %v\nfused   %s\ngeneral %s", o, n, fused.Parts(), plain.Parts(), out, want)
					}
					if taken++; len(fused.Ends()) > 1 {
						several++
					}
				}
				if several == 0 && (n > 1 || split > 0) && !o.OldPerRow || taken < len(entries) && !o.OldPerRow {
					t.Errorf("%+v, %d partitions: %d taken, %d of several parts: this tested little", o, n, taken, several)
				}
			}
		}
	}
	// What is too large, or no partition, is not for it.
	entry := entries[0]
	var ev change.Event
	for _, o := range []fastjson.Options{{MaxMessage: 2000}, {MaxMessage: 2000, Split: true}, {MaxMessage: 600, Split: true}} {
		w := newWriter(t, o)
		for range 3 {
			out, ok := w.AppendFromEntry([]byte("abc"), entry, fusedMeta, &ev)
			if fits := o.Split && o.MaxMessage == 2000; ok != fits || !ok && (string(out) != "abc" || len(w.Ends())+len(w.Parts()) > 0 || w.Wasted() == 0) {
				t.Errorf("%+v: %d bytes, %v", o, len(out), w.Ends())
			}
		}
	}
	if out, ok := newWriter(t, fastjson.Options{}).AppendPartsFromEntry([]byte("abc"), entry, fusedMeta, &ev, []int32{-1}); ok || string(out) != "abc" {
		t.Errorf("partition -1: %s", out)
	}
}

// TestPartsAllocs: to cut messages allocates nothing, once there is room.
func TestPartsAllocs(t *testing.T) {
	entries := bulky(t)[:2]
	var events []*change.Event
	for _, e := range entries {
		events = append(events, decoded(t, e))
	}
	part := turns(600, 16)
	for _, split := range []int{0, 30_000} {
		o := fastjson.Options{MaxMessage: split, Split: split > 0, Separator: "\n"}
		w := newWriter(t, o)
		var dst []byte
		var ev change.Event
		for name, convert := range map[string]func(i int) error{
			"event": func(i int) (err error) {
				dst, err = w.AppendEvent(dst[:0], events[i], fusedMeta)
				return err
			},
			"parts": func(i int) (err error) {
				dst, err = w.AppendParts(dst[:0], events[i], fusedMeta, part)
				return err
			},
			"fused event": func(i int) error {
				var ok bool
				if dst, ok = w.AppendFromEntry(dst[:0], entries[i], fusedMeta, &ev); !ok {
					return fmt.Errorf("Entry %d was not taken", i)
				}
				return nil
			},
			"fused parts": func(i int) error {
				var ok bool
				if dst, ok = w.AppendPartsFromEntry(dst[:0], entries[i], fusedMeta, &ev, part); !ok {
					return fmt.Errorf("Entry %d was not taken", i)
				}
				return nil
			},
		} {
			var err error
			all := func() {
				for i := range entries {
					if e := convert(i); e != nil {
						err = e
					}
				}
			}
			for range 3 {
				all()
			}
			err = nil
			if n := testing.AllocsPerRun(3, all); n != 0 || err != nil {
				t.Errorf("%s, %d: %v allocations, %v", name, split, n, err)
			}
		}
	}
}

// BenchmarkParts cuts Entries of 500 rows on the fused path.
func BenchmarkParts(b *testing.B) {
	entries := bulky(b)
	for _, c := range []struct {
		partitions, split int
	}{{0, 0}, {1, 0}, {16, 0}, {0, 64 << 10}, {16, 8 << 10}} {
		b.Run(fmt.Sprintf("partitions=%d/split=%d", c.partitions, c.split), func(b *testing.B) {
			w := newWriter(b, fastjson.Options{MaxMessage: c.split, Split: c.split > 0})
			part := turns(600, max(c.partitions, 1))
			var dst []byte
			var ev change.Event
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				var ok bool
				entry := entries[i%len(entries)]
				if c.partitions == 0 {
					dst, ok = w.AppendFromEntry(dst[:0], entry, fusedMeta, &ev)
				} else {
					dst, ok = w.AppendPartsFromEntry(dst[:0], entry, fusedMeta, &ev, part)
				}
				if !ok && i > 100 {
					b.Fatal("not taken")
				}
			}
		})
	}
}
