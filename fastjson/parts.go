package fastjson

import (
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
//	row of an UPDATE            is in a part; without columns it adds to old alone
//	no row is in a part         the one message that the Event would be
//
// Options.OneRow has the same rows.

// MaxPartition is the largest number of a partition that AppendParts takes.
const MaxPartition = 1<<20 - 1

// ErrPartition is returned where AppendParts is given a partition that is negative or
// above MaxPartition.
var ErrPartition = errors.New("partition is out of range")

// Part tells which rows of an Event a message shows.
type Part struct {
	Partition int32 // of its rows, as AppendParts was told; 0 if it has none
	Row       int   // number of the first of them among all rows of the Event, from 0
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
// together are the whole. A row without columns is in no part, but one of an UPDATE is,
// with its element of old alone: data may be shorter than old, or null. If no row is in a
// part, as in a DDL, there is the one message that AppendEvent has, of partition 0.
//
// The room behind len(dst) is used for the whole message too, which is no longer than its
// parts together. Memory is in proportion to the rows and the parts, however many
// partitions there are. Errors are those of AppendEvent, and ErrPartition.
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

// cutFused puts the parts of the message that has been written behind dst in its place.
func (w *Writer) cutFused(dst []byte, limit int, ev *change.Event) (out []byte, ok bool) {
	if !w.fused.marking {
		return dst, false
	}
	end := math.MaxInt
	if limit < end-len(dst) {
		end = len(dst) + limit
	}
	out, over := w.cutMessage(w.fused.out[:w.fused.n], len(dst), end, ev.Type == change.Update)
	if over != 0 {
		w.ends, w.parts = w.ends[:0], w.parts[:0]
		return dst, false
	}
	return out, true
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
