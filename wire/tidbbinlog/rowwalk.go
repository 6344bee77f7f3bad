package tidbbinlog

import (
	"sort"

	"github.com/cdcodec/cdcodec/wire"
)

// rowWalk steps through the Columns of one row of a mutation, where the row may be
// given in parts. What it walks has been checked: a byte that makes no sense is
// one that was written since, and ends it.
//
//	mutation  type … row{columns columns columns} … row{columns}
//	                         p                 end
type rowWalk struct {
	buf []byte // the mutation
	row wire.Tag
	p   int // the next field, of a part where p < end, else of the mutation
	end int // of the part

	at    int // the tag of the Column that next returned
	steps int // taken so far
}

// start makes w the walk through the parts with that tag, 0 for none.
func (w *rowWalk) start(mutation []byte, row wire.Tag) {
	*w = rowWalk{buf: mutation, row: row}
	if row == 0 {
		w.buf = nil
	}
}

// next returns the next encoded Column.
func (w *rowWalk) next() (column []byte, ok bool) {
	for {
		b, p := w.buf, w.p
		if p >= w.end {
			if !w.nextPart() {
				return nil, false
			}
			continue
		}
		if wire.Tag(b[p]) == rowColumns && p+1 < w.end && b[p+1] < 0x80 {
			start := p + 2
			if stop := start + int(b[p+1]); stop <= w.end {
				w.at, w.p = p, stop
				w.steps++
				return b[start:stop:stop], true
			}
		}
		r := wire.NewReader(b[p:w.end])
		if !r.Next() {
			w.stop()
			return nil, false
		}
		w.at, w.p = p, w.end-len(r.Rest())
		w.steps += stepsOf(r.Tag, w.p-p)
		if r.Tag == rowColumns {
			return r.Bytes, true
		}
	}
}

// nextPart goes into the next part of the row.
func (w *rowWalk) nextPart() bool {
	if w.p >= len(w.buf) {
		w.stop()
		return false
	}
	for r := wire.NewReader(w.buf[w.p:]); r.Next(); {
		p := w.end
		w.end = len(w.buf) - len(r.Rest())
		w.steps += stepsOf(r.Tag, w.end-p)
		if r.Tag == w.row {
			w.p = w.end - len(r.Bytes)
			return true
		}
	}
	w.stop()
	return false
}

func (w *rowWalk) stop() { w.buf, w.p, w.end = nil, 0, 0 }

// find returns the encoded Column of that number, by the marks of w's row.
func (w *rowWalk) find(m marks, number uint32) (column []byte, ok bool) {
	from := m.before(number)
	w.p, w.end = int(from.p), int(from.end)
	for n := from.number; ; n++ {
		if column, ok = w.next(); !ok || n == number {
			return column, ok
		}
	}
}

// mark appends the marks of the row that w is before.
func (w rowWalk) mark(m marks) marks {
	for number, last := uint32(0), -markSteps; ; number++ {
		if _, ok := w.next(); !ok {
			return m
		}
		if w.steps-last >= markSteps {
			m, last = append(m, mark{number, uint32(w.at), uint32(w.end)}), w.steps
		}
	}
}

// A mark is a place from which a walk can go on: before the column of that
// number. Between a mark and the next one are less than markSteps steps, so that any
// column is near one, and marks take less memory than what they mark.
type mark struct {
	number uint32
	p, end uint32
}

const markSteps = 16

// keepMarks is how many marks stay from one record to the next.
const keepMarks = 4 << 10

// marks are the marks of one walk, in order.
type marks []mark

// before returns the last mark at or before the column of that number; the zero
// mark, which is the beginning, where there is none.
func (m marks) before(number uint32) mark {
	i := sort.Search(len(m), func(i int) bool { return m[i].number > number })
	if i == 0 {
		return mark{}
	}
	return m[i-1]
}

// stepsOf returns what a field of that size counts: one, and a group for each
// field that may be in it.
func stepsOf(tag wire.Tag, size int) int {
	if tag.Type() == wire.StartGroup {
		return 1 + size/2
	}
	return 1
}
