package partition

import (
	"encoding/binary"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/wire"
)

// The way over the bytes of an Entry, for those that Canal writes all day: fields in
// the order of their numbers, each once. Nothing is decoded: what does not matter is
// stepped over by its length. It finds no error and makes none; all that is unusual is
// not for it. A position behind a field is 0 where the field is not as it should be.

// The tags that matter, each one byte on the wire, as in wire/canal. Part of the format.
const (
	varint = wire.Tag(wire.Varint)
	length = wire.Tag(wire.Bytes)

	entryHeader = 1<<3 | length
	entryType   = 2<<3 | varint
	entryStore  = 3<<3 | length

	headerSchema = 8<<3 | length
	headerTable  = 9<<3 | length
	headerProps  = 12<<3 | length

	changeType  = 2<<3 | varint
	changeIsDDL = 10<<3 | varint
	changeRow   = 12<<3 | length

	rowBefore = 1<<3 | length
	rowAfter  = 2<<3 | length

	columnIndex     = 1<<3 | varint
	columnSQLType   = 2<<3 | varint
	columnName      = 3<<3 | length
	columnIsKey     = 4<<3 | varint
	columnUpdated   = 5<<3 | varint
	columnIsNull    = 6<<3 | varint
	columnValue     = 8<<3 | length
	columnMySQLType = 10<<3 | length

	rowDataEntry = 2 // EntryType ROWDATA
)

// OfEntry returns the partition of all rows of an encoded Canal Entry, as AppendRows
// gives it for the Event that wire/canal makes of that, in a tenth of the time. ok is
// false where the rows go to several partitions, where the Entry is a mark of a
// transaction, and for what is rare or damaged; then the Event decides. It reads no more
// than it must: ok says nothing about the rest of the Entry.
//
// With RoundRobin it is false always: a turn is taken where an Event is at hand.
func (p *Partitioner) OfEntry(entry []byte) (partition int32, ok bool) {
	var e entryView
	if p.opts.By == RoundRobin || !e.read(entry) {
		return 0, false
	}
	if e.isDDL || !e.typ.HasRows() || p.n <= 1 {
		return 0, true
	}
	by, rule := p.decides(e.database, e.table)
	switch {
	case by == ByTable:
		return e.fixed(index(Hash(e.table), p.n))
	case by == ByKey:
		p.keys.few, p.keys.many, p.keys.plain = p.keys.few[:0], p.keys.many[:0], true
	case by == ByRules && rule != nil:
		if p.keys.ofRule(rule); !p.keys.plain {
			return 0, false
		}
	default: // no rule; by commit timestamp, which an Entry has not
		return 0, true
	}
	partition, ok = e.byKeys(&p.keys, by == ByKey, p.base(e.database), p.n)
	p.keys.release()
	return partition, ok
}

// entryView is what there is of an Entry.
type entryView struct {
	database, table []byte
	typ             change.Type
	isDDL           bool
	rows            []byte // the RowChange from its first row on
}

// read reads all of the Entry but its rows.
func (e *entryView) read(b []byte) bool {
	if len(b) < 2 || b[0] != byte(entryHeader) {
		return false
	}
	start, p := lengthAt(b, 1)
	if p == 0 || !e.header(b[start:p]) {
		return false
	}
	if p+1 < len(b) && b[p] == byte(entryType) {
		if b[p+1] != rowDataEntry {
			return false
		}
		p += 2
	}
	if p >= len(b) || b[p] != byte(entryStore) {
		return false
	}
	start, p = lengthAt(b, p+1)
	return p == len(b) && e.change(b[start:])
}

func (e *entryView) header(b []byte) bool {
	for p, last := 0, byte(7); p < len(b); {
		tag := b[p]
		if tag <= last && tag != byte(headerProps) || tag >= 0x80 {
			return false
		}
		last = tag
		switch wire.Tag(tag).Type() {
		case wire.Varint:
			p = varintAt(b, p+1)
		case wire.Bytes:
			var start int
			start, p = lengthAt(b, p+1)
			switch wire.Tag(tag) {
			case headerSchema:
				e.database = b[start:p]
			case headerTable:
				e.table = b[start:p]
			}
		default:
			return false
		}
		if p == 0 {
			return false
		}
	}
	return true
}

// change reads a RowChange up to its first row.
func (e *entryView) change(b []byte) bool {
	e.typ = change.Update
	for p, last := 0, byte(7); p < len(b); {
		tag := b[p]
		if tag <= last || tag >= 0x80 {
			return false
		}
		last = tag
		switch wire.Tag(tag) {
		case changeRow:
			e.rows = b[p:]
			return true
		case changeType:
			if p+1 >= len(b) || !change.Type(b[p+1]).Valid() {
				return false
			}
			e.typ = change.Type(b[p+1])
		case changeIsDDL:
			if p+1 >= len(b) || b[p+1] > 1 {
				return false
			}
			e.isDDL = b[p+1] == 1
		}
		switch wire.Tag(tag).Type() {
		case wire.Varint:
			p = varintAt(b, p+1)
		case wire.Bytes:
			_, p = lengthAt(b, p+1)
		default:
			return false
		}
		if p == 0 {
			return false
		}
	}
	return true
}

// row returns what the row at p holds, and the position behind it. Behind the rows
// there may be what says nothing of them; next is 0 where something else is.
func (e *entryView) row(p int) (row []byte, next int) {
	tag := e.rows[p]
	if tag < byte(changeRow) || tag >= 0x80 || wire.Tag(tag).Type() != wire.Bytes {
		return nil, 0
	}
	start, next := lengthAt(e.rows, p+1)
	if tag != byte(changeRow) {
		return nil, next
	}
	return e.rows[start:next], next
}

// shown returns the tag of the columns that are shown.
func (e *entryView) shown() byte {
	if change.ImageOf(e.typ) == change.Before {
		return byte(rowBefore)
	}
	return byte(rowAfter)
}

// fixed returns the partition that all rows go to, or 0 if no row shows anything.
func (e *entryView) fixed(partition int32) (_ int32, ok bool) {
	shows, tag := false, e.shown()
	for p := 0; p < len(e.rows); {
		row, next := e.row(p)
		if next == 0 {
			return 0, false
		}
		for q := 0; q < len(row) && !shows; {
			if shows = row[q] == tag; shows {
				break
			}
			if q = skipColumn(row, q); q == 0 {
				return 0, false
			}
		}
		p = next
	}
	if !shows {
		return 0, true
	}
	return partition, true
}

// skipColumn returns the position behind the column or the props at p in a row.
func skipColumn(row []byte, p int) int {
	if tag := row[p]; tag != byte(rowBefore) && tag != byte(rowAfter) {
		return 0
	}
	_, p = lengthAt(row, p+1)
	return p
}

// byKeys returns the partition that all rows go to by the values of their keys, which
// are those of the first row if pk is set.
func (e *entryView) byKeys(k *keys, pk bool, base, n int32) (partition int32, ok bool) {
	shows, tag := false, e.shown()
	for p := 0; p < len(e.rows); {
		row, next := e.row(p)
		if next == 0 {
			return 0, false
		}
		any := false
		for q := 0; q < len(row); {
			if row[q] != tag {
				if q = skipColumn(row, q); q == 0 {
					return 0, false
				}
				continue
			}
			start, end := lengthAt(row, q+1)
			if end == 0 || !k.column(row[start:end], pk) {
				return 0, false
			}
			q, any = end, true
		}
		p = next
		pk = pk && row == nil // props are no row
		if !any {
			continue // it goes with the others
		}
		part := index(base^k.sum(), n)
		if shows && part != partition {
			return 0, false
		}
		partition, shows = part, true
	}
	return partition, true
}

// column takes the value of an encoded column if it is one of the keys. With pk a
// column that isKey becomes one.
func (k *keys) column(c []byte, pk bool) (ok bool) {
	p := 0
	if len(c) < 4 {
		return false
	}
	if c[p] == byte(columnIndex) {
		if p = varintAt(c, p+1); p == 0 || p >= len(c) {
			return false
		}
	}
	if c[p] == byte(columnSQLType) {
		if p = varintAt(c, p+1); p == 0 || p >= len(c) {
			return false
		}
	}
	if c[p] != byte(columnName) {
		return false
	}
	start, p := lengthAt(c, p+1)
	if p == 0 || len(c)-p < 6 {
		return false
	}
	name := c[start:p]
	// isKey, updated, isNull, as Canal always has them.
	const (
		flags  = uint64(columnIsKey) | uint64(columnUpdated)<<16 | uint64(columnIsNull)<<32
		values = uint64(1<<8 | 1<<24 | 1<<40)
	)
	w := uint64(binary.LittleEndian.Uint32(c[p:])) | uint64(binary.LittleEndian.Uint16(c[p+4:]))<<32
	if w&^values != flags {
		return false
	}
	isKey, isNull := w>>8&1 != 0, w>>40&1 != 0
	p += 6
	var value []byte
	if p < len(c) && c[p] == byte(columnValue) {
		if start, p = lengthAt(c, p+1); p == 0 {
			return false
		}
		value = c[start:p]
	}
	if p < len(c) && c[p] == byte(columnMySQLType) {
		_, p = lengthAt(c, p+1)
	}
	if p != len(c) {
		return false
	}
	i := -1
	for j := range k.few {
		if string(k.few[j].name) == string(name) {
			i = j
		}
	}
	switch {
	case pk && isKey:
		if i >= 0 || len(k.few) == maxFew || !isPlain(name) {
			return false
		}
		i = len(k.few)
		k.few = append(k.few, key{name: name})
	case i < 0:
		return true
	}
	if k.few[i].hash = 0; !isNull {
		k.few[i].hash = Hash(value)
	}
	return true
}

// lengthAt reads a length of up to four bytes at p and returns where what it speaks of
// begins and ends; an end of 0 if that is not in b.
func lengthAt(b []byte, p int) (start, end int) {
	if p < len(b) {
		n := int(b[p])
		if n < 0x80 {
			if p++; n <= len(b)-p {
				return p, p + n
			}
			return 0, 0
		}
	}
	return longLengthAt(b, p)
}

func longLengthAt(b []byte, p int) (start, end int) {
	n := 0
	for shift := 0; shift <= 21 && p < len(b); shift += 7 {
		c := b[p]
		p++
		if n |= int(c&0x7f) << shift; c < 0x80 {
			if n > len(b)-p {
				return 0, 0
			}
			return p, p + n
		}
	}
	return 0, 0
}

// varintAt returns the position behind the varint at p, 0 if there is none.
func varintAt(b []byte, p int) int {
	for i := p; i < len(b) && i < p+10; i++ {
		if b[i] < 0x80 {
			return i + 1
		}
	}
	return 0
}
