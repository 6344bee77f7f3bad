package partition_test

import (
	"slices"
	"testing"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/change/partition"
	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/internal/corpus"
	"github.com/cdcodec/cdcodec/internal/reference"
	"github.com/cdcodec/cdcodec/wire/canal"
)

// slowPartitions is reference.Partitions, which goes from the finished message and shares
// nothing with this package.
func slowPartitions(t testing.TB, o partition.Options, message []byte) []int32 {
	t.Helper()
	rules := map[partition.By]string{partition.ByRules: o.Rules, partition.ByTable: `.*\..*`, partition.ByKey: `.*\..*:$pk$`}[o.By]
	all, err := reference.Partitions(message, rules, max(o.Partitions, 1), o.DatabaseHash)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// decoded calls f with the Event of an Entry and its message in Canal-JSON, if it has
// one.
func decoded(t testing.TB, entry []byte, f func(ev *change.Event, message []byte)) {
	t.Helper()
	e, err := canal.ParseEntry(entry)
	if err != nil || e.IsTransactionMark() {
		return
	}
	var d canal.Decoder
	var ev change.Event
	if d.Decode(&ev, &e) != nil {
		return
	}
	var w fastjson.Writer
	message, err := w.AppendEvent(nil, &ev, fastjson.Meta{})
	if err != nil {
		t.Fatal(err)
	}
	f(&ev, message)
}

// checkEntry holds what p says of an Entry, on both ways, to the slow way. It reports
// whether the Entry has an Event, and whether AppendEntry took it.
func checkEntry(t testing.TB, p *partition.Partitioner, o partition.Options, entry []byte) (known, fast bool) {
	t.Helper()
	decoded(t, entry, func(ev *change.Event, message []byte) {
		known = true
		want := slowPartitions(t, o, message)
		got := p.AppendRows([]int32{-1}, ev)[1:]
		if ev.Rows == nil && len(got) > 0 {
			t.Fatalf("partitions of no rows: %v", got)
		}
		next, before := 0, int32(-1)
		if ev.Rows != nil {
			row := 0
			for ev.Rows.Rewind(); ev.Rows.Next(); row++ {
				ev.Rows.Select(change.ImageOf(ev.Type))
				switch {
				case row >= len(got):
					t.Fatalf("more than %d rows", len(got))
				case ev.Rows.Column() != nil:
					if before = got[row]; before != want[next] {
						t.Fatalf("rules %q, %+v: row %d goes to %d, want %d\n%s", o.Rules, o, row, before, want[next], message)
					}
					next++
				case before >= 0 && got[row] != before:
					t.Fatalf("row %d, which shows nothing, leaves the one before it", row)
				}
			}
			if row != len(got) {
				t.Fatalf("%d partitions of %d rows", len(got), row)
			}
		}
		if next == 0 {
			for _, part := range got {
				if part != 0 {
					t.Fatalf("rows that show nothing go to %d", part)
				}
			}
		} else if next != len(want) {
			t.Fatalf("%d rows show something, the message has %d", next, len(want))
		}
		parts, ok := p.AppendEntry([]int32{-1}, entry)
		if fast = ok; ok && !slices.Equal(parts[1:], got) || !ok && len(parts) != 1 {
			t.Fatalf("rules %q, %+v: from the bytes rows go to %v, %v, want %v\n%s", o.Rules, o, parts, ok, got, message)
		}
	})
	return known, fast
}

// makeCorpus returns a corpus of so many Entries.
func makeCorpus(t testing.TB, name string, entries int) [][]byte {
	t.Helper()
	c, err := corpus.Make(name, entries, 1)
	if err != nil {
		t.Fatal(err)
	}
	return c.Entries
}

func newPartitioner(t testing.TB, o partition.Options) *partition.Partitioner {
	t.Helper()
	p, err := partition.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
