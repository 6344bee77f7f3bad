package cdcodec_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/wire/canal"
)

// splitRecords are Entries of so many rows that are small to make.
func splitRecords(n int) []shape {
	rows := func(row []byte) [][]byte {
		all := make([][]byte, n)
		for i := range all {
			all[i] = row
		}
		return all
	}
	bare := lenField(nil, 2, nil) // a column with no name and no value
	var all []shape
	one := func(name string, entry []byte) {
		all = append(all, shape{name: name, entry: func(int) []byte { return entry }})
	}
	one("UPDATE, nothing", hostileEntry(change.Update, rows(nil)...))
	one("INSERT, nothing", hostileEntry(change.Insert, rows(nil)...))
	one("INSERT, bare", hostileEntry(change.Insert, rows(bare)...))
	one("UPDATE, bare", hostileEntry(change.Update, rows(append(bare, lenField(nil, 1, nil)...))...))
	named := lenField(lenField(nil, 3, []byte("column")), 8, []byte("some value"))
	one("INSERT", hostileEntry(change.Insert, rows(lenField(nil, 2, named))...))
	return all
}

// TestHostileSplit has 100,000 rows with a limit that lets one into a message: time is
// that of what comes out, and so is memory: 256 bytes for each message beside what is
// promised of any record.
func TestHostileSplit(t *testing.T) {
	n := 100_000
	if !giant() {
		n = 5000
	}
	for _, s := range splitRecords(n) {
		record := s.entry(0)
		whole, _ := appended(t, newTranscoder(t, cdcodec.Options{}), record)
		one, _ := appended(t, newTranscoder(t, cdcodec.Options{JSON: fastjson.Options{OneRow: true}}), record)
		_, msgs := appended(t, newTranscoder(t, cdcodec.Options{JSON: fastjson.Options{OneRow: true}}), record)
		each := len(one) / len(msgs)
		for _, limit := range []int{each, each + 3, 64 << 10} {
			tr := newTranscoder(t, cdcodec.Options{JSON: fastjson.Options{MaxMessage: limit, Split: true}})
			out, parts := appended(t, tr, record)
			if want := (len(whole) + limit - 1) / limit; len(parts) < want || limit == each && len(parts) != len(msgs) {
				t.Errorf("%s, %d: %d messages, want %d", s.name, limit, len(parts), want)
			}
			for i, m := range parts {
				if m.End-m.Start > limit || m.Part != i {
					t.Fatalf("%s, %d: message %d is %+v", s.name, limit, i, m)
				}
			}
			if !giant() {
				continue
			}
			room, messages := 2*len(out)+1<<16, len(parts)
			out, parts = nil, nil
			before := live()
			tr = newTranscoder(t, cdcodec.Options{JSON: fastjson.Options{MaxMessage: limit, Split: true}})
			for _, when := range []string{"at first", "again"} {
				used, err := scratch(tr, record, room, messages)
				if err != nil {
					t.Fatal(err)
				}
				within(t, fmt.Sprintf("%s, %d, %s", s.name, limit, when), used-256*messages, len(record))
			}
			small, _, _ := tr.Append(nil, nil, nil, matrixMeta)
			if kept := live() - before; kept > 1<<20 {
				t.Errorf("%s, %d: %d bytes are kept", s.name, limit, kept)
			}
			runtime.KeepAlive(tr)
			runtime.KeepAlive(small)
		}
	}
}

// TestHostileParts is the same for partitions.
func TestHostileParts(t *testing.T) {
	if !giant() {
		t.Skip("seconds")
	}
	const n = 100_000
	for _, s := range splitRecords(n) {
		record := s.entry(0)
		for _, partitions := range []int{1, 16, 5000} {
			part := make([]int32, n)
			for i := range part {
				part[i] = int32(i % partitions)
			}
			w, err := fastjson.NewWriter(fastjson.Options{})
			if err != nil {
				t.Fatal(err)
			}
			convert := func(dst []byte) []byte {
				e, err := canal.ParseEntry(record)
				if err != nil {
					t.Fatal(err)
				}
				var d canal.Decoder
				var ev change.Event
				if err := d.Decode(&ev, &e); err != nil {
					t.Fatal(err)
				}
				out, err := w.AppendParts(dst, &ev, matrixMeta, part)
				if err != nil {
					t.Fatal(err)
				}
				return out
			}
			out := convert(nil)
			want := partitions
			if s.name == "INSERT, nothing" {
				want = 1
			}
			if len(w.Ends()) != want || len(w.Parts()) != want {
				t.Errorf("%s: %d messages of %d partitions", s.name, len(w.Ends()), partitions)
			}
			dst := make([]byte, 0, 2*len(out)+1<<16)
			used := allocated(func() { convert(dst) })
			within(t, fmt.Sprintf("%s, %d partitions", s.name, partitions), used-256*want, len(record))
		}
	}
}
