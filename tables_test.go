package cdcodec_test

import (
	"fmt"
	"testing"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/internal/canaltest"
	"github.com/cdcodec/cdcodec/internal/corpus"
	"github.com/cdcodec/cdcodec/internal/pb/canalpb"
)

// allocations counts what a Transcoder that has seen all of the Entries several
// times allocates when it sees them once more.
func allocations(t *testing.T, entries [][]byte) float64 {
	t.Helper()
	tr := newTranscoder(t, cdcodec.Options{})
	var dst []byte
	var msgs []cdcodec.Message
	pass := func() {
		for _, e := range entries {
			var err error
			if dst, msgs, err = tr.Append(dst[:0], msgs[:0], e, goldenMeta); err != nil {
				t.Fatal(err)
			}
		}
	}
	for range 3 {
		pass()
	}
	return testing.AllocsPerRun(1, pass)
}

// TestCorporaDoNotAllocate holds for the whole of each corpus, the 2,000 tables
// and the DDL of stream among them.
func TestCorporaDoNotAllocate(t *testing.T) {
	for _, name := range corpus.Names() {
		made, err := corpus.Make(name, 0, 1)
		if err != nil {
			t.Fatal(err)
		}
		if n := allocations(t, made.Entries); n != 0 {
			t.Errorf("%s: %v allocations in %d Entries", name, n, len(made.Entries))
		}
	}
}

// TestManyTables has more tables than are remembered: the Writer learns and
// forgets all the time, in memory that it has.
func TestManyTables(t *testing.T) {
	const tables = 50_000
	entries := make([][]byte, tables)
	for i := range entries {
		header := &canalpb.Header{SchemaName: new("shop"), TableName: new(fmt.Sprintf("orders_%05d", i))}
		id, note := canaltest.Col("id", "7", canaltest.Key, canaltest.Typed(-5, "bigint(20)")), canaltest.Col(fmt.Sprintf("note_%d", i%977), "a", canaltest.Typed(12, "varchar(255)"))
		entries[i] = canaltest.EntryOf(header, canaltest.Change(canaltest.Insert, canaltest.Row(nil, canaltest.Columns{id, note})))
	}
	if n := allocations(t, entries); n != 0 {
		t.Errorf("%v allocations in %d Entries of as many tables", n, tables)
	}
}
