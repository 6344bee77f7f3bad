package fastjson

import (
	"bytes"
	"math"

	"github.com/cdcodec/cdcodec/change"
)

// Messages that are not even: rows with columns of their own, hundreds of columns,
// a column twice in a row, keys that stand in another order than the columns. All
// is found by name here. A row's names are put into a set when it is selected;
// that makes a walk some times slower, and still linear.

// uneven is the sets of such a message.
type uneven struct {
	on bool

	types, numbers, keys nameSet // the names of mysqlType, sqlType, pkNames
	row                  nameSet // of the selected image of the current row
	old                  nameSet // of old of the current row, while data is selected

	shown []uint64 // by slot of row: the column has been given
	also  []uint64 // by position: the column there is updated, though old of its row lacks it
	keyAt int      // the string of pkNames that the first row must come to next; 0: none
}

func (u *uneven) release() {
	for _, s := range [...]*nameSet{&u.types, &u.numbers, &u.keys, &u.row, &u.old} {
		s.release()
	}
	u.on, u.keyAt = false, 0
	u.shown, u.also = keepWords(u.shown), keepWords(u.also)
}

// keepWords returns b without its words, if it is not to be given back.
func keepWords(b []uint64) []uint64 {
	if cap(b) > keepSlots/8 {
		return nil
	}
	return b[:0]
}

// zeroWords returns n zero words, in b if it has room.
func zeroWords(b []uint64, n int) []uint64 {
	if cap(b) < n {
		return make([]uint64, n)
	}
	b = b[:n]
	clear(b)
	return b
}

// openUneven fills the sets of the message, and returns whether each element of old has
// all columns of its row.
func (r *Reader) openUneven() (full bool) {
	h, u := &r.head, &r.uneven
	u.types.fill(r, &h.mysqlType)
	u.numbers.fill(r, &h.sqlType)
	u.keys.fill(r, &h.pkNames)
	if !r.cursor.isUpdate || h.old.count == 0 {
		return true
	}
	if !h.isCanals() {
		return r.oldIsFull()
	}
	if h.old.count > h.data.count {
		r.align()
	}
	r.relate()
	return false
}

// room is how many names the sets for rows are made for at once.
func (u *uneven) room(r *Reader) int {
	return max(r.head.data.most, r.head.old.most)
}

// fillRow makes s the set of the names of the object whose first member is at p.
func (s *nameSet) fillRow(r *Reader, p, room int) {
	n := 0
	for q, more := p, p >= 0; more; n++ {
		q, more = r.behindMember(q)
	}
	s.reset(n, room, len(r.b))
	for more := p >= 0; more; {
		name, next := r.nameAt(p)
		s.put(r, name, p)
		p, more = follow(r.b, r.behind(behindColon(r.b, next)))
	}
}

// behindMember returns the position of the member behind the one at p.
func (r *Reader) behindMember(p int) (next int, more bool) {
	end := min(stringEnd(r.b, min(p+1, len(r.b)))+1, len(r.b))
	return follow(r.b, r.behind(behindColon(r.b, end)))
}

// oldIsFull reports whether each element of old has all columns of its row.
func (r *Reader) oldIsFull() bool {
	u, rr := &r.uneven, (*readerRows)(r)
	for rr.Rewind(); rr.Next(); {
		c := &r.cursor
		if c.data < 0 || c.row >= r.head.old.count {
			continue
		}
		u.old.fillRow(r, r.firstMember(r.seek(laneOld, c.row)), r.head.old.most)
		if !r.hasAll(&u.old, r.firstMember(r.seek(laneData, c.data))) {
			return false
		}
	}
	return true
}

// hasAll reports whether all names of the object whose first member is at p are in s.
func (r *Reader) hasAll(s *nameSet, p int) bool {
	for more := p >= 0; more; {
		name, next := r.nameAt(p)
		if s.find(r, name) == 0 {
			return false
		}
		p, more = follow(r.b, r.behind(behindColon(r.b, next)))
	}
	return true
}

// relate looks for names in old that their row in data lacks. A Writer shows them
// because a row before had them and was updated there: that is where they are marked.
func (r *Reader) relate() {
	u, h, rr := &r.uneven, &r.head, (*readerRows)(r)
	u.also = u.also[:0]
	most := h.data.names.most()
	u.row.reset(most, max(most, u.room(r)), len(r.b))
	for rr.Rewind(); rr.Next(); {
		c := &r.cursor
		row := math.MaxInt // where the current row's names begin
		if c.data >= 0 {
			p := r.firstMember(r.seek(laneData, c.data))
			row = p
			for more := p >= 0; more; {
				name, next := r.nameAt(p)
				u.row.put(r, name, p)
				p, more = follow(r.b, r.behind(behindColon(r.b, next)))
			}
		}
		if c.row >= h.old.count {
			continue
		}
		p := r.firstMember(r.seek(laneOld, c.row))
		for more := p >= 0; more; {
			name, next := r.nameAt(p)
			if at := u.row.find(r, name); at > 0 && (row < 0 || at < row) {
				if len(u.also) == 0 {
					u.also = zeroWords(u.also, len(r.b)/64+1)
				}
				u.also[at/64] |= 1 << (at % 64)
			}
			p, more = follow(r.b, r.behind(behindColon(r.b, next)))
		}
	}
}

// selectUneven makes the sets for the image of the current row that has been
// selected.
func (r *Reader) selectUneven() {
	u, c := &r.uneven, &r.cursor
	room := u.room(r)
	u.row.fillRow(r, c.p, room)
	if words := len(u.row.slots)/64 + 1; cap(u.shown) < words {
		u.shown = make([]uint64, words, max(words, (room+room/7+2)/64+1))
	} else {
		u.shown = zeroWords(u.shown, words)
	}
	if c.lane == laneOld {
		return
	}
	if c.row == 0 && r.head.isCanals() && r.head.pkNames.count > 0 {
		u.keyAt = r.head.pkNames.at
	}
	if c.isUpdate {
		old := -1
		if c.row < r.head.old.count {
			old = r.firstMember(r.seek(laneOld, c.row))
		}
		u.old.fillRow(r, old, r.head.old.most)
	}
}

// unevenColumn returns the next column of the selected image. One that is there
// twice is given where it is first, as it is last.
//
// The first row of a message of Canal's own is given so that the keys in it make
// the pkNames of the message: the columns up to the next key, then that key, which
// may have been given before.
func (r *Reader) unevenColumn() *change.Column {
	u, c := &r.uneven, &r.cursor
	for u.keyAt > 0 {
		key, _ := r.nameAt(u.keyAt)
		slot, found := u.row.slot(r, key, r.hash(key))
		if !found {
			r.nextKey()
			continue
		}
		if !u.isShown(slot) {
			break
		}
		r.nextKey()
		return r.unevenAt(u.row.at(slot), true)
	}
	for c.p >= 0 {
		name, next := r.nameAt(c.p)
		slot, found := u.row.slot(r, name, r.hash(name))
		r.step(r.behind(behindColon(r.b, next)))
		if !found || u.isShown(slot) {
			continue
		}
		u.shown[slot/64] |= 1 << (slot % 64)
		if c.lane == laneData && c.row == 0 && r.head.isCanals() {
			isKey := false
			if u.keyAt > 0 {
				key, _ := r.nameAt(u.keyAt)
				if isKey = bytes.Equal(key, name); isKey {
					r.nextKey()
				}
			}
			return r.unevenAt(u.row.at(slot), isKey)
		}
		return r.unevenAt(u.row.at(slot), u.keys.find(r, name) > 0)
	}
	return nil
}

func (u *uneven) isShown(slot int) bool { return u.shown[slot/64]>>(slot%64)&1 > 0 }

// nextKey goes to the next string of pkNames.
func (r *Reader) nextKey() {
	u := &r.uneven
	_, next := r.nameAt(u.keyAt)
	next, more := follow(r.b, next)
	if u.keyAt = next; !more {
		u.keyAt = 0
	}
}

// unevenAt makes the column of the selected image whose name is at p.
func (r *Reader) unevenAt(p int, isKey bool) *change.Column {
	u, c := &r.uneven, &r.cursor
	name, next := r.nameAt(p)
	value, null, _ := r.valueBehind(next)
	info := r.unevenInfo(name)
	flags := 0
	if isKey {
		flags |= refKey
	}
	if c.isUpdate && c.lane == laneData {
		old := u.old.find(r, name)
		switch {
		case old == 0:
			if len(u.also) > 0 && u.also[p/64]>>(p%64)&1 > 0 {
				flags |= refUpdated
			}
		case r.head.isCanals():
			flags |= refUpdated
		default:
			_, next := r.nameAt(old)
			if r.differs(behindColon(r.b, next), value, null) {
				flags |= refUpdated
			}
		}
	}
	r.fill(&c.col, p, name, value, null, &info, flags)
	return &c.col
}

// unevenInfo returns what is told of a name; isKey is left out.
func (r *Reader) unevenInfo(name []byte) layoutColumn {
	return layoutColumn{
		mysqlType: r.mysqlTypeAt(r.uneven.types.find(r, name)),
		sqlType:   r.sqlTypeAt(r.uneven.numbers.find(r, name)),
	}
}

// mysqlTypeAt returns the value of the member of mysqlType at p, which may be 0.
func (r *Reader) mysqlTypeAt(p int) textRef {
	if p == 0 {
		return textRef{}
	}
	_, next := r.nameAt(p)
	if p = behindColon(r.b, next); r.peek(p) != '"' {
		return textRef{}
	}
	return r.refAt(p + 1)
}

// sqlTypeAt returns the value of the member of sqlType at p, which may be 0.
func (r *Reader) sqlTypeAt(p int) int32 {
	if p == 0 {
		return 0
	}
	_, next := r.nameAt(p)
	text, _, _ := r.valueBehind(next)
	v, _ := parseInteger(text, math.MinInt32, math.MaxInt32)
	return int32(v)
}

// typeOf returns where the value of mysqlType for a name begins, 0 if there is
// none.
func (r *Reader) typeOf(name []byte) int { return max(int(r.infoOf(name).mysqlType.at)-1, 0) }
