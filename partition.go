package cdcodec

import (
	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/change/partition"
	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/wire/canal"
)

// Options.Partition and Keys: where the rows of the Event at hand go, before its
// messages are written, and the keys of these, afterwards.

// division says where the rows of an Event go.
type division struct {
	known   bool
	several bool  // to several partitions: those of Transcoder.parts
	all     int32 // else to this one
}

const (
	keepPartitions = 16 << 10 // 64 KiB
	keepKey        = 4 << 10
)

// byRows reports whether it is the rows that say where they go.
func (t *Transcoder) byRows() bool {
	return t.partitioner != nil && t.opts.Partition.By != partition.RoundRobin
}

// divideEntry learns from an Entry's bytes where its rows go, if that can be had.
func (r *record) divideEntry(b []byte) {
	r.division = division{}
	if t := r.t; t.byRows() {
		var ok bool
		if t.parts, ok = t.partitioner.AppendEntry(t.parts[:0], b); ok {
			r.divided()
		}
	}
}

// divide learns where the rows of ev go, if that is not known.
func (r *record) divide(ev *change.Event) {
	if t := r.t; t.byRows() && !r.division.known {
		t.parts = t.partitioner.AppendRows(t.parts[:0], ev)
		r.divided()
	}
}

// divided notes what is in parts.
func (r *record) divided() {
	d := division{known: true}
	for i, part := range r.t.parts {
		if i == 0 {
			d.all = part
		}
		d.several = d.several || part != d.all
	}
	r.division = d
}

// partitionOf returns the partition of the message that was listed last, the i-th one
// of ev.
func (r *record) partitionOf(i int, ev *change.Event) int32 {
	switch o := r.t.opts.Partition; {
	case o == nil:
		return 0
	case o.By == partition.RoundRobin && ev.HasRows():
		return int32((r.t.stats.Messages - 1) % uint64(max(o.Partitions, 1)))
	case r.division.several:
		return r.t.writer.Parts()[i].Partition
	}
	return r.division.all
}

// keyedEntry is keyed for an Entry that has been found to be good on the way.
func (r *record) keyedEntry(first int, b []byte, ev *change.Event) {
	if !r.t.opts.Keys {
		return
	}
	e := &r.t.entry
	if e.Parse(b) == nil {
		ev.Rows = r.t.canal.Rows(e)
		r.keyed(first, ev)
	}
	*e = canal.Entry{}
}

// keyed gives the messages from the first on, all of ev, the keys of their rows.
func (r *record) keyed(first int, ev *change.Event) {
	if !r.t.opts.Keys || !ev.HasRows() || ev.Rows == nil {
		return
	}
	t, rows, image := r.t, ev.Rows, change.ImageOf(ev.Type)
	row := -1
	rows.Rewind()
	for i, part := range t.writer.Parts() {
		for row < part.Row && rows.Next() {
			row++
		}
		if row < part.Row {
			return
		}
		var ok bool
		if t.key, ok = fastjson.AppendKey(t.key[:0], rows, image); ok {
			r.msgs[first+i].Key = t.kept(t.key)
		}
	}
}
