package fastjson

import (
	"bytes"
	"encoding/binary"
)

// maxLayout is how many columns a rowLayout can have, maxKeys how many keys.
const (
	maxLayout = 256
	maxKeys   = 64
)

// rowLayout is what all rows of an even message have in common, by the number of
// the column. It is found by comparing what stands at the same place in
// different sections, where writers put what belongs together.
type rowLayout struct {
	names    []textRef   // of the first element of data
	lengths  nameLengths // of names
	isUneven bool        // some element has others, or they are too many, or one has an escape

	types   []typeMember   // the first members of mysqlType
	numbers []numberMember // the first members of sqlType
	keys    []textRef      // the first elements of pkNames

	// So many of the first types and numbers have the names of the columns; the
	// others have not been compared.
	sameTypes, sameNumbers int

	columns []layoutColumn // by number, after resolve
	oldAt   []uint32       // by number: where old of the current row has its value; 0: nowhere
}

type typeMember struct{ name, text textRef }

type numberMember struct {
	name   textRef
	number int32
}

// layoutColumn is what is told of a name.
type layoutColumn struct {
	mysqlType textRef
	sqlType   int32
	isKey     bool
}

func (l *rowLayout) reset() {
	l.names, l.types, l.numbers, l.keys = l.names[:0], l.types[:0], l.numbers[:0], l.keys[:0]
	l.lengths, l.isUneven = nameLengths{}, false
	l.sameTypes, l.sameNumbers = 0, 0
	l.columns = l.columns[:0]
}

// isNext reports whether column n's name begins at p, and a quote ends it.
func (l *rowLayout) isNext(b []byte, n, p int) bool { return isTextAt(b, p, l.names[n]) }

// name returns the name of column n.
func (l *rowLayout) name(b []byte, n int) []byte {
	t := l.names[n]
	return b[t.at:t.end():t.end()]
}

// resolve finds the types and keys of the layout's columns. It returns false where
// the message is not even.
func (r *Reader) resolve() bool {
	h, l := &r.head, &r.layout
	if l.isUneven || h.pkNames.count > maxKeys || !r.namesDiffer() {
		return false
	}
	if cap(l.columns) < len(l.names) {
		l.columns, l.oldAt = make([]layoutColumn, maxLayout), make([]uint32, maxLayout)
	}
	l.columns = l.columns[:len(l.names)]
	clear(l.columns)
	if h.mysqlType.count > 0 && !r.resolveTypes() {
		r.uneven.types.fill(r, &h.mysqlType)
		for n := range l.columns {
			l.columns[n].mysqlType = r.mysqlTypeAt(r.uneven.types.find(r, l.name(r.b, n)))
		}
	}
	if h.sqlType.count > 0 && !r.resolveNumbers() {
		r.uneven.numbers.fill(r, &h.sqlType)
		for n := range l.columns {
			l.columns[n].sqlType = r.sqlTypeAt(r.uneven.numbers.find(r, l.name(r.b, n)))
		}
	}
	return r.resolveKeys()
}

// resolveTypes takes the types of mysqlType by number. It returns false where its
// names are not those of the columns.
func (r *Reader) resolveTypes() bool {
	l := &r.layout
	if r.head.mysqlType.count != len(l.names) {
		return false
	}
	for n, m := range l.types {
		if n >= l.sameTypes && !l.isNext(r.b, n, int(m.name.at)) {
			return false
		}
		l.columns[n].mysqlType = m.text
	}
	return true
}

// resolveNumbers is the same for sqlType.
func (r *Reader) resolveNumbers() bool {
	l := &r.layout
	if r.head.sqlType.count != len(l.names) {
		return false
	}
	for n, m := range l.numbers {
		if n >= l.sameNumbers && !l.isNext(r.b, n, int(m.name.at)) {
			return false
		}
		l.columns[n].sqlType = m.number
	}
	return true
}

// resolveKeys marks the columns that are in pkNames. It returns false where a
// Writer would make other pkNames of them: the first row must then be given with
// care.
func (r *Reader) resolveKeys() bool {
	l := &r.layout
	met := 0
	for n := 0; met < len(l.keys) && n < len(l.names); n++ {
		if l.isNext(r.b, n, int(l.keys[met].at)) {
			l.columns[n].isKey = true
			met++
		}
	}
	for _, k := range l.keys[met:] {
		key := r.text(k)
		for n := range l.names {
			if bytes.Equal(l.name(r.b, n), key) {
				if r.head.isCanals() {
					return false
				}
				l.columns[n].isKey = true
			}
		}
	}
	return true
}

// isCanals reports whether old holds what changed, and no more.
func (h *messageHead) isCanals() bool { return h.isCanal && !h.hasTiDB }

// fewNames is how many names are compared each with each, which is faster than
// a table: by 10 ns a name for 10 of them.
const fewNames = 24

// namesDiffer reports whether no name is twice in the layout.
func (r *Reader) namesDiffer() bool {
	l := &r.layout
	if len(l.names) > fewNames {
		return r.manyNamesDiffer()
	}
	var marks [fewNames]uint64
	for i, t := range l.names {
		m := mark(r.b, t)
		for j := range i {
			if marks[j] == m && bytes.Equal(l.name(r.b, j), l.name(r.b, i)) {
				return false
			}
		}
		marks[i] = m
	}
	return true
}

// mark is 64 bits of a name: its length, beginning and end.
func mark(b []byte, t textRef) uint64 {
	p, n := int(t.at), int(t.n)
	if p+8 > len(b) {
		return uint64(n)
	}
	w := binary.LittleEndian.Uint64(b[p:])
	if n < 8 {
		return w&(1<<(8*n)-1) ^ uint64(n)<<56
	}
	return w*0x9e3779b97f4a7c15 ^ binary.LittleEndian.Uint64(b[p+n-8:]) ^ uint64(n)
}

// manyNamesDiffer is namesDiffer with a table.
func (r *Reader) manyNamesDiffer() bool {
	l := &r.layout
	var slots [2 * maxLayout]uint16
	for n := range l.names {
		name := l.name(r.b, n)
		slot := r.hash(name) % uint64(len(slots))
		for ; slots[slot] != 0; slot = (slot + 1) % uint64(len(slots)) {
			if bytes.Equal(l.name(r.b, int(slots[slot]-1)), name) {
				return false
			}
		}
		slots[slot] = uint16(n + 1)
	}
	return true
}

// oldIsEven reports whether the names of each element of old are names of the
// layout, in its order, and full whether they are all of them, in the rows that
// have an element.
func (r *Reader) oldIsEven() (even, full bool) {
	l, s := &r.layout, &r.head.old
	full = true
	late := false // there are columns in a row that has no element of data
	p := s.at
	for i := range s.count {
		n := 0
		member := r.firstMember(p)
		if member < 0 {
			p = r.behind(p)
		}
		late = late || member >= 0 && i >= r.head.data.count
		for more := true; member >= 0 && more; n++ {
			for n < len(l.names) && !l.isNext(r.b, n, member+1) {
				n++
				full = false
			}
			if n == len(l.names) {
				return false, false
			}
			p = behindColon(r.b, member+int(l.names[n].n)+2)
			p, more = follow(r.b, r.behind(p))
			member = p
		}
		full = full && n == len(l.names)
		p, _ = follow(r.b, p)
	}
	return !late || !r.head.isCanals() || r.alignEven(), full
}
