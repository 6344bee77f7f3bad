package batch

import (
	"sync/atomic"
	"time"

	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/pool"
)

// Record is one record for a [Pipeline], which has Value until the record is
// acknowledged: it may not be written to before.
type Record struct {
	Value  []byte        // what Convert.From says
	Meta   fastjson.Meta // id and ts of its messages
	Offset int64         // the caller's own, as Tag: handed back, to commit the place or to tell it
	Tag    any
}

// group is records that a worker takes at once, and what becomes of them. It lives
// from the first Submit to the last acknowledgement:
//
//	Submit ─► work ─► a worker ─► done ─► assembler ─► sender ─► Acknowledge
//	      ╰─► order, for the assembler ─╯
type group struct {
	first   int64 // number of records[0]
	records []Record
	born    time.Time
	in      int           // bytes of records
	cost    int           // of MaxInFlight
	flush   chan struct{} // nil, or closed when all up to here is delivered
	done    atomic.Bool   // the worker is ready with it
	chunks  []*chunk
	bad     []badRecord
	acked   int            // so many of records are acknowledged
	slabs   []*pool.Buffer // copies of Values
}

// badRecord is a record, or an entry of one, that could not be converted.
type badRecord struct {
	at    int   // in records
	entry int   // number of the entry that was left out; -1 for the whole record
	err   error // nil: this one and all behind it, which are too many to be kept
}

// maxBad is how many bad entries of a record are kept. What is noted of one takes some 40
// times the smallest.
const maxBad = 1 << 10

// reset makes g ready to be used again.
func (g *group) reset() {
	clear(g.records)
	clear(g.chunks)
	clear(g.bad)
	if cap(g.bad) > keepBad { // entries of packets that were all bad
		g.bad = nil
	}
	if cap(g.records) > keepRecords {
		g.records = nil
	}
	g.first, g.records, g.born, g.in, g.cost, g.flush = 0, g.records[:0], time.Time{}, 0, 0, nil
	g.chunks, g.bad, g.acked, g.slabs = g.chunks[:0], g.bad[:0], 0, g.slabs[:0]
	g.done.Store(false)
}

// What a group keeps for the next time, with maxFree of them 5 MiB in all.
const (
	keepBad     = 256
	keepRecords = 2 << 10
)

// copy returns a copy of value that lasts as long as g, and how many bytes of new memory
// that took. Each slab is about as long as all before it, so that a few records, which is
// what comes slowly, do not take one of most bytes.
func (g *group) copy(value []byte, p *pool.Pool, most int) (copied []byte, took int) {
	n := len(g.slabs)
	if n == 0 || cap(g.slabs[n-1].B)-len(g.slabs[n-1].B) < len(value) {
		b := p.GetSize(max(len(value), min(most, max(g.in, smallestSlab))))
		took = cap(b.B)
		g.slabs = append(g.slabs, b)
		n++
	}
	b := g.slabs[n-1]
	from := len(b.B)
	b.B = append(b.B, value...)
	return b.B[from:len(b.B):len(b.B)], took
}

const smallestSlab = 4 << 10

// free gives the copies back.
func (g *group) free(p *pool.Pool) {
	for i, b := range g.slabs {
		p.Put(b)
		g.slabs[i] = nil
	}
	g.slabs = g.slabs[:0]
}

// work converts the records of g.
func (w *worker) work(g *group) {
	var k *chunk
	w.group = g
	for i := range g.records {
		r := &g.records[i]
		n := room(len(r.Value))
		if k != nil && cap(k.buf.B)-len(k.buf.B) < n {
			g.shut(k)
			k = nil
		}
		if k == nil {
			k = w.p.chunks.get(max(n, min(room(g.in), chunkSize)))
			k.first = g.first + int64(i)
		}
		w.at, w.left = i, 0
		if err := w.convert.append(k, r.Value, r.Meta); err != nil {
			g.bad = append(g.bad, badRecord{i, -1, err})
		}
	}
	if k != nil {
		g.shut(k)
	}
	w.group = nil
}

// shut takes a chunk that is done.
func (g *group) shut(k *chunk) {
	k.open = false
	g.chunks = append(g.chunks, k)
}

// badEntry notes an entry of a record that was left out.
func (w *worker) badEntry(entry int, err error) {
	if w.left++; w.left > maxBad {
		return
	}
	if w.left == maxBad {
		err = nil
	}
	w.group.bad = append(w.group.bad, badRecord{w.at, entry, err})
}
