package fuzz

import (
	"slices"
	"testing"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/change/partition"
	"github.com/cdcodec/cdcodec/wire/canal"
)

// partitioners divide by key, by named columns with patterns, and by table.
func partitioners(t *testing.T) []*partition.Partitioner {
	t.Helper()
	var all []*partition.Partitioner
	for _, o := range []partition.Options{
		{Partitions: 7, By: partition.ByKey},
		{Partitions: 16, Rules: `shop.orders;.*\..*:id^name;.*`, DatabaseHash: true},
		{Partitions: 3, By: partition.ByTable},
	} {
		p, err := partition.New(o)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

// partition holds the partitions from an Entry's bytes, which end at the end of mapped
// memory, to those of the Event that it is.
func (l *laws) partition(t *testing.T, record []byte) {
	t.Helper()
	if l.divide == nil {
		l.divide = partitioners(t)
	}
	for i, p := range l.divide {
		got, ok := p.AppendEntry(nil, l.edge.put(t, record))
		e, err := canal.ParseEntry(record)
		if err != nil || e.IsTransactionMark() {
			continue // whatever it says of these, it has not read outside
		}
		var ev change.Event
		var d canal.Decoder
		if err := d.Decode(&ev, &e); err != nil || !ok {
			continue
		}
		if want := p.AppendRows(nil, &ev); !slices.Equal(got, want) {
			t.Fatalf("partitioner %d: rows to %v from bytes, to %v from the Event", i, got, want)
		}
	}
}
