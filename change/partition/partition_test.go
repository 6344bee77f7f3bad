package partition_test

import (
	"fmt"
	"runtime"
	"slices"
	"testing"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/change/partition"
	. "github.com/cdcodec/cdcodec/internal/canaltest"
	"github.com/cdcodec/cdcodec/internal/pb/canalpb"
	"google.golang.org/protobuf/proto"
)

// column and row are short for rows in memory.
func column(name, value string, key bool) change.Column {
	return change.Column{Name: []byte(name), Value: []byte(value), Key: key}
}

func inserted(rows ...[]change.Column) *change.Event {
	ev := &change.Event{Type: change.Insert, Database: []byte("test"), Table: []byte("t")}
	var all []change.Row
	for _, r := range rows {
		all = append(all, change.Row{After: r})
	}
	ev.Rows = change.NewList(all...)
	return ev
}

func TestOthersThanRules(t *testing.T) {
	ev := inserted([]change.Column{column("id", "1", true)}, []change.Column{column("id", "2", true)})
	ev.CommitTS = 1<<63 + 5
	ddl := &change.Event{Kind: change.KindDDL, IsDDL: true, Type: change.Alter, CommitTS: 7}
	p := newPartitioner(t, partition.Options{Partitions: 10, By: partition.ByCommitTS})
	if got := p.AppendRows(nil, ev); !slices.Equal(got, []int32{3, 3}) { // 2^63+5 = …813
		t.Errorf("by commit timestamp: %v", got)
	}
	if got := p.AppendRows(nil, ddl); len(got) != 0 {
		t.Errorf("a DDL: %v", got)
	}
	p = newPartitioner(t, partition.Options{Partitions: 3, By: partition.RoundRobin})
	var got []int32
	for range 4 {
		got = p.AppendRows(got, ev)
		got = p.AppendRows(got, ddl)
		got = p.AppendRows(got, inserted())    // these take no turn
		got = p.AppendRows(got, inserted(nil)) // nor does a row without columns
	}
	if want := []int32{0, 0, 0, 1, 1, 0, 2, 2, 0, 0, 0, 0}; !slices.Equal(got, want) {
		t.Errorf("one after the other: %v, want %v", got, want)
	}
	var zero partition.Partitioner
	if got := zero.AppendRows(nil, ev); !slices.Equal(got, []int32{0, 0}) {
		t.Errorf("zero Partitioner: %v", got)
	}
}

// TestRowsWithoutColumns go with the row before them.
func TestRowsWithoutColumns(t *testing.T) {
	one, two := []change.Column{column("id", "1", true)}, []change.Column{column("id", "2", false)}
	p := newPartitioner(t, partition.Options{Partitions: 16, Rules: "test.t:id"})
	if got := p.AppendRows(nil, inserted(nil, nil, one, nil, two, nil)); !slices.Equal(got, []int32{1, 1, 1, 1, 2, 2}) {
		t.Errorf("%v", got)
	}
	// The keys are those of the first row, which has none.
	p = newPartitioner(t, partition.Options{Partitions: 16, By: partition.ByKey})
	if got := p.AppendRows(nil, inserted(nil, one, two)); !slices.Equal(got, []int32{0, 0, 0}) {
		t.Errorf("%v", got)
	}
}

// TestManyKeys has more key columns than any table, with names that repeat, and holds
// them to the slow way; and it bounds what that takes in memory, and in looks at columns.
func TestManyKeys(t *testing.T) {
	o := partition.Options{Partitions: 1 << 30, By: partition.ByKey}
	p := newPartitioner(t, o)
	for _, n := range []int{16, 17, 40, 3000} {
		var first, second Columns
		for i := range n {
			first = append(first, Col(fmt.Sprint("c", i*i%(n+n/8)), fmt.Sprint("value", i), Key))
			second = append(second, Col(fmt.Sprint("c", i), fmt.Sprint("other", i)))
		}
		second = append(second, Col("c\xff", "x", Key))
		first = append(first, Col("c\xfe", "y", Key))
		h := &canalpb.Header{SchemaName: proto.String("s"), TableName: proto.String("t")}
		checkEntry(t, p, o, EntryOf(h, Change(Insert, Row(nil, first), Row(nil, second), Row(nil, first))))
	}

	const n = 100_000
	row := make([]change.Column, n)
	for i := range row {
		row[i] = column(fmt.Sprint(i), "v", true)
	}
	ev := inserted(row)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	parts := p.AppendRows(nil, ev)
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; len(parts) != 1 || took > 40*n {
		t.Errorf("%d bytes for %d key columns", took, n)
	}
}

// TestAllocations are none, however many tables there are.
func TestAllocations(t *testing.T) {
	entries := makeCorpus(t, "stream", 1000)
	for _, o := range []partition.Options{
		{Partitions: 16, Rules: `nobody.t;shop_1.*:id;.*\..*:$pk$`, DatabaseHash: true},
		{Partitions: 16, By: partition.ByKey},
		{Partitions: 16, By: partition.ByTable},
	} {
		p := newPartitioner(t, o)
		parts := make([]int32, 0, 64)
		all := func() {
			for _, entry := range entries {
				parts, _ = p.AppendEntry(parts[:0], entry)
			}
		}
		all() // the tables become known
		if n := testing.AllocsPerRun(3, all); n != 0 {
			t.Errorf("%+v: %v allocations", o, n)
		}
		ev := inserted([]change.Column{column("id", "1", true), column("b", "2", true)})
		if n := testing.AllocsPerRun(100, func() { parts = p.AppendRows(parts[:0], ev) }); n != 0 {
			t.Errorf("%+v: %v allocations of an Event", o, n)
		}
	}
}
