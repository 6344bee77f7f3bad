package fastjson

import (
	"encoding/binary"
	"slices"
)

// Which part of a message each row goes into is decided here, from the marks; parts.go
// copies them there.

// cutter is what a Writer knows of the whole message, and of its parts.
type cutter struct {
	marking bool
	telling bool    // in AppendParts: Parts is wanted for whatever is written
	of      []int32 // what AppendParts was told

	data, old               []byte // lengths of the elements, row by row, as uvarints; 0 is no element
	middleAt, oldAt, tailAt int    // where what stands between data and old begins in dst, old, and what is behind

	pieces []piece
	tracks []track // in the order in which partitions first appear

	top      int32   // the largest partition in of
	runs     int     // how many runs of one partition there are in of
	distinct []int32 // the partitions there are, in order, where they are few; else none
	trackOf  []int32 // by partition, or its place in distinct: its number in tracks + 1; 0 is none
}

// piece is a part to be. An element counts with the comma or bracket behind it.
type piece struct {
	Part
	rows      int   // how many rows it has; then, how many are still to be copied
	data, old int   // bytes of all elements; then, where the next one goes
	next      int32 // piece of the same track; 0 if there is none
}

// track is the pieces of one partition.
type track struct {
	partition        int32
	place            int32 // in trackOf
	head, last, here int32 // pieces; here is the one that rows are copied to
}

// What a cutter has memory for from call to call.
const (
	keepMarks      = 64 << 10
	keepParts      = 1 << 10 // 48 KiB
	keepTracks     = 4 << 10 // 80 KiB
	keepPartitions = 16 << 10
)

// smallTable is how many partitions always have a place by their number: 16 KiB.
const smallTable = 4 << 10

// begin gets ready for a message of that many rows.
func (c *cutter) begin(marking bool, rows int) {
	c.data, c.old = c.data[:0], c.old[:0]
	if c.marking = marking; marking {
		// Two bytes are enough up to 16 KiB. A slice that grows takes several times that.
		c.data, c.old = slices.Grow(c.data, 2*rows), slices.Grow(c.old, 2*rows)
	}
}

// release gives back memory that has become large.
func (c *cutter) release() {
	if cap(c.data) > keepMarks {
		c.data = nil
	}
	if cap(c.old) > keepMarks {
		c.old = nil
	}
	if cap(c.pieces) > keepParts {
		c.pieces = nil
	}
	if cap(c.tracks) > keepTracks {
		c.tracks = nil
	}
	if cap(c.trackOf) > keepPartitions {
		c.trackOf = nil
	}
	if cap(c.distinct) > keepPartitions {
		c.distinct = nil
	}
}

// appendMark appends the length of an element.
func appendMark(marks []byte, n int) []byte { return binary.AppendUvarint(marks, uint64(n)) }

// partition returns that of a row.
func (c *cutter) partition(row int) int32 {
	if row < len(c.of) {
		return c.of[row]
	}
	return 0
}

// divide has the rows of what is written next divided. It refuses partitions that are
// none.
func (c *cutter) divide(of []int32) error {
	top, runs, before := int32(0), 0, int32(-1)
	for _, p := range of {
		if p < 0 || p > MaxPartition {
			return ErrPartition
		}
		if p != before {
			runs++
		}
		top, before = max(top, p), p
	}
	c.of, c.telling, c.top, c.runs = of, true, top, runs
	return nil
}

// places gives each partition a place in trackOf: its number, or, if that would take much
// more memory than there are rows to divide, its place among those there are.
func (c *cutter) places() {
	n := int(c.top) + 1
	if c.distinct = c.distinct[:0]; n > max(smallTable, 2*c.runs) {
		c.distinct = append(slices.Grow(c.distinct, c.runs+1), 0) // of rows beyond of
		before := int32(0)
		for _, p := range c.of {
			if p != before {
				c.distinct = append(c.distinct, p)
			}
			before = p
		}
		slices.Sort(c.distinct)
		c.distinct = slices.Compact(c.distinct)
		n = len(c.distinct)
	}
	c.trackOf = slices.Grow(c.trackOf[:0], n)[:n] // all 0, see forget
}

// undivided ends what divide began.
func (c *cutter) undivided() {
	c.of, c.telling, c.top, c.runs = nil, false, 0, 0
	c.release()
}

// track returns the track of a row, and whether it is new.
func (c *cutter) track(row int) (l *track, first bool) {
	partition := c.partition(row)
	place := int(partition)
	if len(c.distinct) > 0 {
		place, _ = slices.BinarySearch(c.distinct, partition)
	}
	n := &c.trackOf[place]
	if *n == 0 {
		c.tracks = append(c.tracks, track{partition: partition, place: int32(place)})
		*n = int32(len(c.tracks))
		first = true
	}
	return &c.tracks[*n-1], first
}

// forget makes all tracks new.
func (c *cutter) forget() {
	for i := range c.tracks {
		c.trackOf[c.tracks[i].place] = 0
	}
	c.tracks = c.tracks[:0]
}

// frame is what all parts have: how long it is without data and old, and whether it
// is that of an UPDATE.
type frame struct {
	size   int
	update bool
}

// of returns how long a message is.
func (f frame) of(data, old int) int {
	n := f.size + 4 + 4 // null and null
	if data > 0 {
		n += data + 1 - 4
	}
	if f.update {
		n += old + 1 - 4
	}
	return n
}

// marks are those of a cutter, to be read one after the other.
type marks struct {
	data, old []byte
	row       int // the one that next has given
}

// next returns the next row's elements, each with what is behind it.
func (m *marks) next() (data, old int, ok bool) {
	if len(m.data) == 0 {
		return 0, 0, false
	}
	m.row++
	n, size := binary.Uvarint(m.data)
	m.data = m.data[size:]
	if data = int(n); data > 0 {
		data++
	}
	if len(m.old) > 0 {
		n, size = binary.Uvarint(m.old)
		m.old = m.old[size:]
		old = int(n) + 1
	}
	return data, old, true
}

// marks returns the marks from the first row on.
func (c *cutter) marks() marks { return marks{c.data, c.old, -1} }

// plan finds the pieces: of each track consecutive rows, as many as fit into limit
// bytes, 0 for no limit. It returns how long they are together, with between bytes
// between two of them. over is not 0 if there can be no such pieces: how long the
// message of a row is that does not fit even by itself, or -1 if they take more than
// room bytes.
func (c *cutter) plan(f frame, limit, between, room int) (total, over int) {
	c.places()
	c.pieces, total = c.pieces[:0], -between
	m := c.marks()
	for data, old, ok := m.next(); ok; data, old, ok = m.next() {
		if data+old == 0 {
			continue
		}
		l, first := c.track(m.row)
		var p *piece
		before, after := 0, 0
		if !first {
			p = &c.pieces[l.last]
			before, after = f.of(p.data, p.old), f.of(p.data+data, p.old+old)
		}
		if p == nil || limit > 0 && after > limit {
			if before, after = -between, f.of(data, old); limit > 0 && after > limit {
				return 0, after
			}
			n := int32(len(c.pieces))
			if first {
				l.head, l.here = n, n
			} else {
				p.next = n
			}
			l.last = n
			if len(c.pieces) == cap(c.pieces) { // twice as many: append is less generous
				c.pieces = slices.Grow(c.pieces, max(len(c.pieces), 16))
			}
			c.pieces = append(c.pieces, piece{Part: Part{l.partition, m.row}})
			p = &c.pieces[n]
		}
		if total += after - before; total < 0 || total > room {
			return 0, -1
		}
		p.data, p.old, p.rows = p.data+data, p.old+old, p.rows+1
	}
	return total, 0
}
