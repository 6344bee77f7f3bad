package partition

import (
	"encoding/binary"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/internal/mem"
	"github.com/cdcodec/cdcodec/wire"
)

// The way over the bytes of an Entry, for those that Canal writes all day: fields in
// the order of their numbers, each once, and no row without columns. Nothing is decoded:
// what does not matter is stepped over by its length. It finds no error and makes none;
// all that is unusual is "not me". A position behind something is 0 where that is not
// as it should be.

// The tags that matter, each one byte on the wire, as in wire/canal. Part of the format.
const (
	varint = byte(wire.Varint)
	length = byte(wire.Bytes)
	// typeOf is the bits of a tag that are its type, and the one that makes it longer.
	typeOf = 0x87

	entryHeader = 1<<3 | length
	entryType   = 2<<3 | varint
	entryStore  = 3<<3 | length

	headerVersion       = 1<<3 | varint
	headerLogfileName   = 2<<3 | length
	headerLogfileOffset = 3<<3 | varint
	headerServerID      = 4<<3 | varint
	headerServerenCode  = 5<<3 | length
	headerExecuteTime   = 6<<3 | varint
	headerSourceType    = 7<<3 | varint
	headerSchema        = 8<<3 | length
	headerTable         = 9<<3 | length
	headerEventLength   = 10<<3 | varint
	headerEventType     = 11<<3 | varint
	headerProps         = 12<<3 | length
	headerGTID          = 13<<3 | length

	changeTableID = 1<<3 | varint
	changeType    = 2<<3 | varint
	changeIsDDL   = 10<<3 | varint
	changeRow     = 12<<3 | length

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

// AppendEntry is AppendRows for the Event that package wire/canal makes of an encoded
// Entry, without making it. ok is false, and dst as it was, where the Entry has no rows,
// and for what is rare or damaged; then the Event decides. It reads no more than it must:
// that ok is true says nothing about the rest of the Entry.
//
// With RoundRobin it is false always: a turn is taken where there is an Event.
func (p *Partitioner) AppendEntry(dst []int32, entry []byte) (out []int32, ok bool) {
	var e entryView
	if p.opts.By == RoundRobin || !e.read(entry) {
		return dst, false
	}
	partition, rule := p.plan(e.database, e.table, 0)
	if rule == nil {
		out, ok = e.appendTo(dst, partition)
	} else if p.keys.ofRule(rule); p.keys.plain {
		out, ok = e.appendByKeys(dst, &p.keys, rule.By == ByKey, p.base(e.database), p.n)
		p.keys.release()
	}
	if !ok {
		return dst, false
	}
	return out, true
}

// entryView is what there is of an Entry.
type entryView struct {
	b []byte
	v mem.View // of b

	database, table []byte
	shown           byte // the tag of the columns that are shown
	rows            int  // where the first row of the RowChange is; the last one ends with the Entry
}

// margin is how many bytes are behind a header, and in a RowChange, at least, so that
// words can be read without a look at where they end.
const margin = 16

// read reads all of the Entry but its rows.
func (e *entryView) read(b []byte) bool {
	if len(b) < 2 || b[0] != entryHeader {
		return false
	}
	e.b, e.v = b, mem.Of(b)
	p, end := lengthAt(b, 1)
	if p == 0 || end > len(b)-margin || !e.header(p, end) {
		return false
	}
	if p = end; b[p] == entryType {
		if b[p+1] != rowDataEntry {
			return false
		}
		p += 2
	}
	if b[p] != entryStore {
		return false
	}
	p, end = lengthAt(b, p+1)
	return end == len(b) && e.change(p)
}

// header reads the names of the header from p to end. A position of 0, where something
// is wrong, is one where no field is expected.
func (e *entryView) header(p, end int) bool {
	v := e.v
	if v.U8(p) == headerVersion {
		p = skipVarint(v, p, end)
	}
	if v.U8(p) == headerLogfileName {
		p = skipText(v, p, end)
	}
	if v.U8(p) == headerLogfileOffset {
		p = skipVarint(v, p, end)
	}
	if v.U8(p) == headerServerID {
		p = skipVarint(v, p, end)
	}
	if v.U8(p) == headerServerenCode {
		p = skipText(v, p, end)
	}
	if v.U8(p) == headerExecuteTime {
		p = skipVarint(v, p, end)
	}
	if v.U8(p) == headerSourceType {
		p = skipVarint(v, p, end)
	}
	if v.U8(p) == headerSchema {
		start := p + 2
		if p = skipText(v, p, end); p > 0 {
			e.database = v.Slice(start, p)
		}
	}
	if v.U8(p) == headerTable {
		start := p + 2
		if p = skipText(v, p, end); p > 0 {
			e.table = v.Slice(start, p)
		}
	}
	if v.U8(p) == headerEventLength {
		p = skipVarint(v, p, end)
	}
	if v.U8(p) == headerEventType {
		p = skipVarint(v, p, end)
	}
	for v.U8(p) == headerProps {
		p = skipText(v, p, end)
	}
	if v.U8(p) == headerGTID {
		p = skipText(v, p, end)
	}
	return p == end
}

// change reads the RowChange at p up to its first row.
func (e *entryView) change(p int) bool {
	v := e.v
	if len(e.b)-p < margin {
		return false
	}
	if v.U8(p) == changeTableID {
		if p = skipVarint(v, p, len(e.b)); p == 0 {
			return false
		}
	}
	typ := change.Update
	if v.U8(p) == changeType {
		typ = change.Type(v.U8(p + 1))
		p += 2
	}
	if v.U8(p) == changeIsDDL && v.U8(p+1) == 0 {
		p += 2
	}
	e.rows, e.shown = p, rowAfter
	if typ == change.Delete {
		e.shown = rowBefore
	}
	return typ.HasRows() && v.U8(p) == changeRow
}

// row returns where the row at p begins and ends. Behind the last one there may be what
// says nothing of rows, which is none; end is 0 where something else is.
func (e *entryView) row(p int) (start, end int, isRow bool) {
	tag := e.b[p]
	if tag < changeRow || tag&typeOf != length {
		return 0, 0, false
	}
	start, end = lengthAt(e.b, p+1)
	return start, end, tag == changeRow
}

// appendTo appends that partition for each row.
func (e *entryView) appendTo(dst []int32, partition int32) (_ []int32, ok bool) {
	shown := e.shown
	for p := e.rows; p < len(e.b); {
		start, end, isRow := e.row(p)
		if end == 0 {
			return dst, false
		}
		p = end
		if !isRow {
			continue
		}
		for start < end && e.b[start] != shown {
			var next int
			if _, next = lengthAt(e.b, start+1); e.b[start] != rowBefore || next == 0 {
				return dst, false
			}
			start = next
		}
		if start >= end {
			return dst, false
		}
		dst = append(dst, partition)
	}
	return dst, true
}

// appendByKeys appends the partition of each row by the values of its keys, which are
// those of the first row if pk is set.
func (e *entryView) appendByKeys(dst []int32, k *keys, pk bool, base, n int32) (_ []int32, ok bool) {
	shown := e.shown
	for p := e.rows; p < len(e.b); {
		start, end, isRow := e.row(p)
		if end == 0 {
			return dst, false
		}
		p = end
		if !isRow {
			continue
		}
		if !e.columns(k, start, end, shown, pk) {
			return dst, false
		}
		pk = false
		dst = append(dst, index(base^k.sum(), n))
	}
	return dst, true
}

// isKey, updated and isNull as Canal always has them, one behind the other, as a
// little-endian word, and the bits of it that do not depend on their values; index and
// sqlType likewise.
const (
	threeBools   = uint64(columnIsKey) | uint64(columnUpdated)<<16 | uint64(columnIsNull)<<32
	exceptValues = 0xfefffefffeff
	isKeyBit     = 1 << 8
	isNullBit    = 1 << 40
	indexSQLType = uint64(columnIndex) | uint64(columnSQLType)<<16
	exceptIndex  = 0xff80ff
	highs        = 0x8080808080808080
)

// columns gives k the columns that are shown of the row from p to end, of which there
// must be one. It goes straight through a column that has all its fields, and short
// ones, as nearly all have; anyColumn is for the others. (In one function, as the way
// from column to column is a third of what there is to do: BenchmarkPartition.)
func (e *entryView) columns(k *keys, p, end int, shown byte, pk bool) bool {
	v, any := e.v, false
	for end-p >= 2 {
		tag, size := v.U8(p), int(v.U8(p+1))
		start := p + 2
		if size >= 0x80 {
			if start, p = lengthAt(e.b, p+1); p == 0 {
				return false
			}
		} else {
			p = start + size
		}
		if p > end {
			return false
		}
		if tag != shown {
			if tag != rowBefore && tag != rowAfter {
				return false
			}
			continue
		}
		any = true

		var name, nameEnd, value, valueEnd, n int
		var w uint64
		if p-start < 20 || v.U64(start)&exceptIndex != indexSQLType {
			goto unusual
		}
		name = start + 6
		if w = v.U64(start + 3); w&0x80 != 0 { // sqlType has one byte, two, or the ten of a negative number
			if w&0x8000 == 0 {
				name++
			} else if w&highs == highs && v.U8(start+11) == 0xff && v.U8(start+12) == 1 {
				name += 9
			} else {
				goto unusual
			}
		}
		n = int(v.U8(name - 1))
		nameEnd = name + n
		if v.U8(name-2) != columnName || n >= 0x80 || p-nameEnd < 9 {
			goto unusual
		}
		if w = v.U64(nameEnd); w&exceptValues != threeBools {
			goto unusual
		}
		value, valueEnd = nameEnd+6, nameEnd+6
		if byte(w>>48) == columnValue {
			value = nameEnd + 8
			if n = int(w >> 56); n >= 0x80 {
				n += int(v.U8(value))<<7 - 0x80
				value++
			}
			valueEnd = value + n
		}
		if n = p - valueEnd - 2; uint(n) >= 0x80 || v.U8(valueEnd) != columnMySQLType || int(v.U8(valueEnd+1)) != n ||
			valueEnd-value >= 0x80<<7 { // whose length would be one of three bytes
			goto unusual
		}
		if n = nameEnd - name; n == k.length || k.length < 0 || pk && w&isKeyBit != 0 {
			if !k.take(e.b[name:nameEnd], e.b[value:valueEnd], pk && w&isKeyBit != 0, w&isNullBit != 0) {
				return false
			}
		}
		continue
	unusual:
		if !e.anyColumn(k, start, p, pk) {
			return false
		}
	}
	return any && p == end
}

// anyColumn gives k a column that has other numbers and lengths, or not all fields.
func (e *entryView) anyColumn(k *keys, p, end int, pk bool) bool {
	b := e.b[:end]
	for _, tag := range [...]byte{columnIndex, columnSQLType} {
		if p < end && b[p] == tag {
			if p = varintAt(b, p+1); p == 0 {
				return false
			}
		}
	}
	var name, value []byte
	start := 0
	if p < end && b[p] == columnName {
		if start, p = lengthAt(b, p+1); p == 0 {
			return false
		}
		name = b[start:p]
	}
	if end-p < 6 {
		return false
	}
	w := uint64(binary.LittleEndian.Uint32(b[p:])) | uint64(binary.LittleEndian.Uint16(b[p+4:]))<<32
	if w&exceptValues != threeBools {
		return false
	}
	p += 6
	if p < end && b[p] == columnValue {
		if start, p = lengthAt(b, p+1); p == 0 {
			return false
		}
		value = b[start:p]
	}
	if p < end && b[p] == columnMySQLType {
		_, p = lengthAt(b, p+1)
	}
	return p == end && k.take(name, value, pk && w&isKeyBit != 0, w&isNullBit != 0)
}

// take gives k the value of a column if it is one of the keys; with isKey it becomes
// one. It is false if that could then be taken for another.
func (k *keys) take(name, value []byte, isKey, isNull bool) bool {
	i := 0
	for i < len(k.few) && string(k.few[i].name) != string(name) {
		i++
	}
	switch {
	case isKey:
		if i < len(k.few) || i == maxFew || !isPlain(name) {
			return false
		}
		k.few = append(k.few, key{name: name})
		k.noteLength(len(name))
	case i == len(k.few):
		return true
	}
	if k.few[i].hash = 0; !isNull {
		k.few[i].hash = Hash(value)
	}
	return true
}
