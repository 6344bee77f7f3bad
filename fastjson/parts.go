package fastjson

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"

	"github.com/cdcodec/cdcodec/change"
)

// Messages of dialect canal cut into parts (spec: canal.md 3), by size, by partition,
// or both. The whole message is written first, the fused way or the general one, and on
// the way the length of each row's element of data and of old is marked. From the marks
// follows which row goes into which part, and so how long each part is and where it
// will be; then the elements are copied there, run by run, and the frames around them:
//
//	dst │ {"data":[a,b,c] middle [A,B,C] tail │ {"data":[a,c] middle [A,C] tail │ …
//	     ─────────── the whole ──────────────
//
// In the end the whole is taken out of dst. What a part says beside data and old is what
// the whole says, and old is that of the whole: to put the parts together gives it again.
//
//	row of an INSERT or DELETE  is in a part if it has columns to show
//	row of an UPDATE            is in a part; what has no columns adds to old alone
//	no row is in a part         the one message that the Event would be

// MaxPartition is the largest number of a partition that AppendParts takes.
const MaxPartition = 1<<20 - 1

// ErrPartition is returned where AppendParts is given a partition that is negative or
// above MaxPartition.
var ErrPartition = errors.New("no number of a partition")

// Part tells which rows of an Event a message shows.
type Part struct {
	Partition int32 // of its rows, as AppendParts was told; 0 if it has none
	Row       int   // number of the first of them among all rows of the Event, from 0
}

// cutter is what a Writer knows of the whole message, and of its parts.
type cutter struct {
	marking bool
	telling bool    // in AppendParts: Parts is wanted for whatever is written
	of      []int32 // what AppendParts was told

	data, old               []byte // lengths of the elements, row by row, as uvarints; 0 is no element
	middleAt, oldAt, tailAt int    // where what stands between data and old begins in dst, old, and what is behind

	pieces  []piece
	tracks  []track // in the order in which partitions first appear
	trackOf []int32 // by partition: its number in tracks + 1; 0 is none
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
	head, last, here int32 // pieces; here is the one that rows are copied to
}

// What a cutter has memory for from call to call.
const (
	keepMarks      = 64 << 10
	keepParts      = 1 << 10 // 56 KiB
	keepTracks     = 4 << 10 // 64 KiB
	keepPartitions = 64 << 10
)

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
}

func (c *cutter) markData(n int) {
	if c.marking {
		c.data = binary.AppendUvarint(c.data, uint64(n))
	}
}

func (c *cutter) markOld(n int) {
	if c.marking {
		c.old = binary.AppendUvarint(c.old, uint64(n))
	}
}

// partition returns that of a row.
func (c *cutter) partition(row int) int32 {
	if row < len(c.of) {
		return c.of[row]
	}
	return 0
}

// divide has the rows of what is written next divided. It refuses partitions that are
// none, and makes room for the others.
func (c *cutter) divide(of []int32) error {
	top := int32(0)
	for _, p := range of {
		if p < 0 || p > MaxPartition {
			return ErrPartition
		}
		top = max(top, p)
	}
	if n := int(top) + 1; cap(c.trackOf) < n {
		c.trackOf = make([]int32, n)
	} else {
		c.trackOf = c.trackOf[:n] // all 0, see forget
	}
	c.of, c.telling = of, true
	return nil
}

// undivided ends what divide began.
func (c *cutter) undivided() {
	c.of, c.telling = nil, false
	c.release()
}

// track returns the track of a row, and whether it is new.
func (c *cutter) track(row int) (l *track, first bool) {
	partition := c.partition(row)
	if len(c.trackOf) == 0 {
		c.trackOf = append(c.trackOf, 0)
	}
	n := &c.trackOf[partition]
	if *n == 0 {
		c.tracks = append(c.tracks, track{partition: partition})
		*n = int32(len(c.tracks))
		first = true
	}
	return &c.tracks[*n-1], first
}

// forget makes all tracks new.
func (c *cutter) forget() {
	for i := range c.tracks {
		c.trackOf[c.tracks[i].partition] = 0
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

// AppendParts is AppendEvent with the rows of ev divided among partitions: part[i] is
// that of row i, counting all rows from 0; rows beyond part are of partition 0. In
// dialect canal there is a message for each partition that has rows to show, in the
// order in which they first appear, with its rows in their order; where Options.Split
// cuts such a message, its parts stand one behind the other. With Options.OneRow and in
// dialect ticdc the messages are those of AppendEvent. Parts tells what each one is.
//
// Each part repeats what the whole message says beside data and old: pkNames are those
// of the first row of all, and a column that some row has changed is in the old of all
// rows behind it, in whichever part (but see Options.OldPerRow). So the parts put
// together are the whole. A row without columns is in no part, but one of an UPDATE adds
// its element to old. If no row is in a part, as in a DDL, there is the one message
// that AppendEvent has, of partition 0.
//
// It takes memory for as many partitions as there are up to the largest number, 4 bytes
// each. Errors are those of AppendEvent and ErrPartition.
func (w *Writer) AppendParts(dst []byte, ev *change.Event, m Meta, part []int32) ([]byte, error) {
	if err := w.cut.divide(part); err != nil {
		w.begin()
		return dst, err
	}
	defer w.cut.undivided()
	return w.AppendEvent(dst, ev, m)
}

// AppendPartsFromEntry is to AppendParts what AppendFromEntry is to AppendEvent. ok is
// false for a partition that is none, too.
func (w *Writer) AppendPartsFromEntry(dst, entry []byte, m Meta, ev *change.Event, part []int32) (out []byte, ok bool) {
	if w.cut.divide(part) != nil {
		w.begin()
		return dst, false
	}
	defer w.cut.undivided()
	return w.AppendFromEntry(dst, entry, m, ev)
}

// Parts tells of each message of Ends which rows it shows, after AppendParts and
// AppendPartsFromEntry, and where Options.Split has cut a message; else it is empty.
// The slice is the Writer's own, good until the next call.
func (w *Writer) Parts() []Part { return w.parts }

// tell notes that the message that has been written last shows that row, if that is to
// be told.
func (w *Writer) tell(row int) {
	if w.cut.telling {
		w.parts = append(w.parts, Part{w.cut.partition(row), row})
	}
}

// canalMessages appends the message of an Event in dialect canal, or its parts.
func (w *Writer) canalMessages(dst []byte, ev *change.Event, m Meta) []byte {
	start, limit, c := len(dst), w.opts.MaxMessage, &w.cut
	rows := 0
	marking := c.telling || w.opts.Split
	if marking && ev.Rows != nil && ev.HasRows() {
		rows = countRows(ev.Rows)
	}
	c.begin(marking, rows)
	dst = w.message(dst, ev, m)
	switch {
	case w.err != nil:
	case !c.telling && (limit == 0 || len(dst)-start <= limit):
		w.ends = append(w.ends, len(dst))
	case !marking:
		w.err = w.tooLarge(ev, len(dst)-start)
	default:
		var over int
		if dst, over = w.cutMessage(dst, start, w.end, ev.Type == change.Update); over > 0 {
			w.err = w.tooLarge(ev, over)
		} else if over < 0 {
			w.err = ErrMaxOutput
		}
	}
	c.release()
	return dst
}

// tooLarge returns the error for a message of that size.
func (w *Writer) tooLarge(ev *change.Event, size int) error {
	return &TooLargeError{Table: ev.Name(), Size: size, Limit: w.opts.MaxMessage}
}

// cutMessage puts the parts in the place of the message dst[start:], which has been
// marked. There may be one part or none, which leave it as it is. The parts may end at
// end. over is not 0 if that cannot be: how long a message is that is too large, or -1
// for all of them together.
func (w *Writer) cutMessage(dst []byte, start, end int, update bool) (out []byte, over int) {
	c, limit := &w.cut, w.opts.MaxMessage
	whole, middle := len(dst)-start, c.oldAt-c.middleAt
	f := frame{len(`{"data":`) + middle + len(dst) - c.tailAt, update}
	fits := limit
	if !w.opts.Split {
		fits = 0
	}
	defer c.forget()
	total, over := c.plan(f, fits, len(w.opts.Separator), min(end-start, math.MaxInt-len(dst)))
	if over != 0 {
		return dst, over
	}
	if len(c.pieces) < 2 {
		if limit > 0 && whole > limit {
			return dst, whole
		}
		var p Part
		if len(c.pieces) == 1 {
			p = c.pieces[0].Part
		}
		w.ends, w.parts = append(w.ends, len(dst)), append(w.parts, p)
		return dst, 0
	}
	for i := range c.pieces {
		if size := f.of(c.pieces[i].data, c.pieces[i].old); limit > 0 && size > limit {
			return dst, size
		}
	}

	at := len(dst)
	dst = slices.Grow(dst, total)[:at+total]
	w.expectEnds(len(c.pieces))
	w.expectParts(len(c.pieces))
	for l := range c.tracks {
		for i := c.tracks[l].head; ; i = c.pieces[i].next {
			p := &c.pieces[i]
			size := f.of(p.data, p.old)
			data := at + len(`{"data":[`)
			if p.old = at + len(`{"data":null`) + middle + len(`[`); p.data > 0 {
				p.old = data + p.data + middle + len(`[`)
			}
			p.data = data
			at += size
			w.ends, w.parts = append(w.ends, at-whole), append(w.parts, p.Part)
			at += len(w.opts.Separator)
			if p.next == 0 {
				break
			}
		}
	}
	w.copyRows(dst, start)
	w.copyFrames(dst, start+whole, start+whole, update)
	copy(dst[start:], dst[start+whole:])
	return dst[:start+total], 0
}

// copyFrames writes what is around the rows of each part, the first of which is at at.
// Behind the last row of each there is a comma.
func (w *Writer) copyFrames(dst []byte, at, end int, update bool) {
	c := &w.cut
	middle, tail := dst[c.middleAt:c.oldAt], dst[c.tailAt:end]
	for l := range c.tracks {
		for i := c.tracks[l].head; ; i = c.pieces[i].next {
			p := &c.pieces[i]
			at += copy(dst[at:], `{"data":`)
			if p.data > at+1 {
				dst[at], dst[p.data-1] = '[', ']'
				at = p.data
			} else {
				at += copy(dst[at:], "null")
			}
			at += copy(dst[at:], middle)
			if update {
				dst[at], dst[p.old-1] = '[', ']'
				at = p.old
			} else {
				at += copy(dst[at:], "null")
			}
			at += copy(dst[at:], tail)
			at += copy(dst[at:], w.opts.Separator)
			if p.next == 0 {
				break
			}
		}
	}
}

// copyRows copies the elements of the whole, which is at start, to where they go.
func (w *Writer) copyRows(dst []byte, start int) {
	c := &w.cut
	m := c.marks()
	dataAt, oldAt := start+len(`{"data":[`), c.oldAt+1 // of the row at hand
	from, oldFrom := dataAt, oldAt                     // of the run
	var run *piece
	flush := func() {
		run.data += copy(dst[run.data:], dst[from:dataAt])
		run.old += copy(dst[run.old:], dst[oldFrom:oldAt])
		from, oldFrom = dataAt, oldAt
	}
	for data, old, ok := m.next(); ok; data, old, ok = m.next() {
		if data+old == 0 {
			continue
		}
		l, _ := c.track(m.row)
		p := &c.pieces[l.here]
		if p.rows == 0 {
			l.here = p.next
			p = &c.pieces[l.here]
		}
		if p != run {
			if run != nil {
				flush()
			}
			run = p
		}
		p.rows--
		dataAt, oldAt = dataAt+data, oldAt+old
	}
	flush()
}
