package fastjson

import (
	"bytes"

	"github.com/cdcodec/cdcodec/change"
)

// readerRows is a Reader as the [change.Rows] of the message it has read. It holds
// positions in the message and no column. The Ref of a column is the position of
// its name there, which a Reader finds all of it by but two flags; these are in it.
type readerRows Reader

// The flags of a Ref.
const (
	refKey     = 1 << iota
	refUpdated // see change.Column
	refFlags   = iota
)

// cursor is where a walk over the rows of a message is.
type cursor struct {
	image    change.Image // the one that data is
	isUpdate bool
	rows     int      // elements of data or old, whichever are more
	moved    []uint64 // bit i: row i has no element of data, the ones behind it have; empty: only the last rows have none

	row     int // -1: before the first
	data    int // its element of data, -1: none
	taken   int // elements of data that rows up to this one have
	lanes   [2]lane
	lane    int // the one selected
	p       int // of the next member, -1: none
	n       int // number of the next column
	col, at change.Column
}

// The lanes of a cursor.
const (
	laneData = iota
	laneOld
)

// lane is where a cursor is among the elements of data or old.
type lane struct {
	element int // number of the one at p
	p       int
	next    int // where the next one is, if that is known; else 0
}

// heavyFrom is the number of bytes in a column from which it is Heavy.
const heavyFrom = 256

// openRows makes the cursor ready for rows of a change of type t, and returns
// whether they are partial.
func (r *Reader) openRows(t change.Type) (partial bool) {
	h, c := &r.head, &r.cursor
	*c = cursor{image: change.ImageOf(t), isUpdate: t == change.Update, rows: h.data.count, moved: c.moved[:0]}
	even, full := r.resolve(), true
	if c.isUpdate {
		c.rows = max(h.data.count, h.old.count)
		if even {
			even, full = r.oldIsEven()
		}
	}
	if r.uneven.on = !even; !even {
		full = r.openUneven()
	}
	(*readerRows)(r).Rewind()
	return c.isUpdate && (h.isCanals() || !full)
}

// Rewind implements [change.Rows].
func (rr *readerRows) Rewind() {
	c := &rr.cursor
	c.row, c.data, c.taken, c.p, rr.uneven.keyAt = -1, -1, 0, -1, 0
	c.lanes[laneData] = lane{p: rr.head.data.at}
	c.lanes[laneOld] = lane{p: rr.head.old.at}
}

// Next implements [change.Rows].
func (rr *readerRows) Next() bool {
	c := &rr.cursor
	if c.row+1 >= c.rows {
		return false
	}
	c.row++
	c.p, rr.uneven.keyAt = -1, 0
	if c.data = -1; c.taken < rr.head.data.count && !c.isMoved(c.row) {
		c.data = c.taken
		c.taken++
	}
	return true
}

func (c *cursor) isMoved(row int) bool {
	return row/64 < len(c.moved) && c.moved[row/64]>>(row%64)&1 > 0
}

// Select implements [change.Rows].
func (rr *readerRows) Select(im change.Image) {
	r, c := (*Reader)(rr), &rr.cursor
	c.p, c.n, r.uneven.keyAt = -1, 0, 0
	switch {
	case im == c.image:
		c.lane = laneData
		if c.data < 0 {
			return
		}
		c.p = r.firstMember(r.seek(laneData, c.data))
		if r.uneven.on {
			r.selectUneven()
		} else if c.isUpdate {
			r.findOld()
		}
	case c.isUpdate && im == change.Before && c.row < r.head.old.count:
		c.lane = laneOld
		c.p = r.firstMember(r.seek(laneOld, c.row))
		if r.uneven.on {
			r.selectUneven()
		}
	}
}

// seek returns where an element of a lane is, which is the one last asked for or
// one behind it.
func (r *Reader) seek(which, element int) int {
	l := &r.cursor.lanes[which]
	for l.element < element {
		if l.next == 0 {
			l.next = r.behindElement(l.p)
		}
		l.p, l.next = l.next, 0
		l.element++
	}
	return l.p
}

// findOld notes for each column of the layout where old of the current row has
// its value.
func (r *Reader) findOld() {
	l, c := &r.layout, &r.cursor
	at := l.oldAt[:len(l.names)]
	clear(at)
	if c.row >= r.head.old.count {
		return
	}
	p := r.firstMember(r.seek(laneOld, c.row))
	more := p >= 0
	for n := 0; more && n < len(at); n++ {
		if l.isNext(r.b, n, p+1) {
			value := behindColon(r.b, p+int(l.names[n].n)+2)
			at[n] = uint32(value)
			p, more = follow(r.b, r.behind(value))
		}
	}
	if !more && p > 0 {
		c.lanes[laneOld].next, _ = follow(r.b, p)
	}
}

// Column implements [change.Rows].
func (rr *readerRows) Column() *change.Column {
	r, c := (*Reader)(rr), &rr.cursor
	if r.uneven.on {
		return r.unevenColumn()
	}
	l := &r.layout
	if c.p < 0 {
		return nil
	}
	p := c.p
	if c.lane == laneOld {
		for c.n < len(l.names) && !l.isNext(r.b, c.n, p+1) {
			c.n++
		}
	}
	if c.n >= len(l.names) {
		c.p = -1
		return nil
	}
	n := c.n
	c.n++
	flags := 0
	text, null, next := r.valueBehind(min(p+int(l.names[n].n)+2, len(r.b)))
	info := &l.columns[n]
	if info.isKey {
		flags |= refKey
	}
	if c.isUpdate && c.lane == laneData && l.oldAt[n] > 0 && (r.head.isCanals() || r.differs(int(l.oldAt[n]), text, null)) {
		flags |= refUpdated
	}
	r.fill(&c.col, p, l.name(r.b, n), text, null, info, flags)
	r.step(next)
	return &c.col
}

// step goes on behind a value.
func (r *Reader) step(p int) {
	c := &r.cursor
	if p+1 < len(r.b) && r.b[p] == ',' && r.b[p+1] == '"' {
		c.p = p + 1
		return
	}
	next, more := follow(r.b, p)
	if c.p = next; !more {
		c.p = -1
		c.lanes[c.lane].next, _ = follow(r.b, next)
	}
}

// fill makes c the column whose name is at p.
func (r *Reader) fill(c *change.Column, p int, name, value []byte, null bool, info *layoutColumn, flags int) {
	c.Name, c.Value, c.Null = name, value, null
	c.MySQLType, c.SQLType = r.text(info.mysqlType), info.sqlType
	c.Key, c.Updated = flags&refKey > 0, flags&refUpdated > 0
	c.Ref = uint32(p<<refFlags | flags)
	c.Heavy = len(name)+len(value)+len(c.MySQLType) >= heavyFrom
}

// differs reports whether the value at p is another one than that.
func (r *Reader) differs(p int, value []byte, null bool) bool {
	old, wasNull, _ := r.valueAt(p)
	return null != wasNull || !bytes.Equal(old, value)
}

// At implements [change.Rows].
func (rr *readerRows) At(ref uint32) *change.Column {
	r := (*Reader)(rr)
	p, flags := int(ref>>refFlags), int(ref&(1<<refFlags-1))
	name, next := r.nameAt(p)
	value, null, _ := r.valueBehind(next)
	info := r.infoOf(name)
	r.fill(&r.cursor.at, p, name, value, null, &info, flags)
	return &r.cursor.at
}

// infoOf returns what is told of a name.
func (r *Reader) infoOf(name []byte) layoutColumn {
	if r.uneven.on {
		return r.unevenInfo(name)
	}
	for n := range r.layout.names {
		if bytes.Equal(r.layout.name(r.b, n), name) {
			return r.layout.columns[n]
		}
	}
	return layoutColumn{}
}

// MaxNames implements [change.Rows].
func (rr *readerRows) MaxNames(im change.Image) int {
	switch {
	case im == rr.cursor.image && !rr.uneven.on:
		return rr.layout.lengths.most()
	case im == rr.cursor.image:
		return rr.head.data.names.most()
	case rr.cursor.isUpdate:
		return rr.head.old.names.most()
	}
	return 1
}
