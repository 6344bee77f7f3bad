package canal

import (
	"encoding/binary"

	"github.com/cdcodec/cdcodec/internal/fields"
	"github.com/cdcodec/cdcodec/internal/mem"
	"github.com/cdcodec/cdcodec/wire"
)

// The straight lines through an Entry, a Header and a Column: one test after the other for
// the field that comes next when fields are in the order of their numbers, as
// Canal writes them, each in its usual form. What is not so is left to the loops
// of parse and merge, which begin anew; these here judge nothing. BenchmarkScan says what they buy:
// a Column takes a third of the time, a Header half.

// scan reads the Entry m: header, entryType and storeValue in this order.
func (e *Entry) scan(m wire.Message) bool {
	b := m.Bytes()
	if len(b) < 2 || b[0] != byte(entryHeader) {
		return false
	}
	start, p := fields.Length(b, 1)
	if start == 0 || p > len(b) || e.Header.merge(m.Part(start, p, 1)) != nil {
		return false
	}
	if p+1 < len(b) && b[p] == byte(entryEntryType) && b[p+1] < 0x80 {
		e.Type.set(int32(b[p+1]))
		p += 2
	}
	if p+1 < len(b) && b[p] == byte(entryStoreValue) {
		start, stop := fields.Length(b, p+1)
		if start == 0 {
			start, stop = fields.LongLength(b, p+1)
		}
		if start == 0 || stop > len(b) {
			return false
		}
		e.store, e.storeTag = m.Part(start, stop, 0), m.Offset()+p
		e.StoreValue, p = e.store.Bytes(), stop
	}
	return p == len(b)
}

// scan reads the header b, up to gtid.
func (h *Header) scan(b []byte) bool {
	v, end := mem.Of(b), len(b)
	var x uint64
	p := 0
	if p+1 < end && v.U8(p) == byte(headerVersion) {
		if x = uint64(v.U8(p + 1)); x < 0x80 {
			p += 2
		} else if x, p = varintAt(v, p+1, end); p == 0 {
			return false
		}
		h.Version = int32(x)
	}
	if p+1 < end && v.U8(p) == byte(headerLogfileName) {
		if p = setText(&h.LogfileName, b, p+1); p == 0 {
			return false
		}
	}
	if p+1 < end && v.U8(p) == byte(headerLogfileOffset) {
		if x, p = varintAt(v, p+1, end); p == 0 {
			return false
		}
		h.LogfileOffset = int64(x)
	}
	if p+1 < end && v.U8(p) == byte(headerServerID) {
		if x = uint64(v.U8(p + 1)); x < 0x80 {
			p += 2
		} else if x, p = varintAt(v, p+1, end); p == 0 {
			return false
		}
		h.ServerID = int64(x)
	}
	if p+1 < end && v.U8(p) == byte(headerServerenCode) {
		if p = setText(&h.ServerenCode, b, p+1); p == 0 {
			return false
		}
	}
	if p+1 < end && v.U8(p) == byte(headerExecuteTime) {
		if x, p = varintAt(v, p+1, end); p == 0 {
			return false
		}
		h.ExecuteTime = int64(x)
	}
	if p+1 < end && v.U8(p) == byte(headerSourceType) && v.U8(p+1) < 0x80 {
		h.SourceType.set(int32(v.U8(p + 1)))
		p += 2
	}
	if p+1 < end && v.U8(p) == byte(headerSchemaName) {
		if p = setText(&h.SchemaName, b, p+1); p == 0 {
			return false
		}
	}
	if p+1 < end && v.U8(p) == byte(headerTableName) {
		if p = setText(&h.TableName, b, p+1); p == 0 {
			return false
		}
	}
	if p+1 < end && v.U8(p) == byte(headerEventLength) {
		if x, p = varintAt(v, p+1, end); p == 0 {
			return false
		}
		h.EventLength = int64(x)
	}
	if p+1 < end && v.U8(p) == byte(headerEventType) && v.U8(p+1) < 0x80 {
		setEventType(&h.EventType, int32(v.U8(p+1)))
		p += 2
	}
	for p+1 < end && v.U8(p) == byte(headerProps) {
		start, stop := fields.Length(b, p+1)
		if start == 0 || stop > end || !isPlainPair(b[start:stop]) {
			return false
		}
		p = stop
	}
	if p+1 < end && v.U8(p) == byte(headerGTID) {
		if p = setText(&h.GTID, b, p+1); p == 0 {
			return false
		}
	}
	return p == end
}

// setText makes dst the text whose length is at p in b, and returns where it ends; 0 for
// one that leaves b, has a longer length, or has no byte and none behind it.
func setText(dst *[]byte, b []byte, p int) int {
	v := mem.Of(b)
	start, stop := p+1, p+1+int(v.U8(p))
	if stop-start >= 0x80 {
		start, stop = fields.Length(b, p)
	}
	if stop > len(b) || start == 0 || start >= len(b) {
		return 0
	}
	v.Set(dst, start, stop)
	return stop
}

// varintAt reads a varint at p, up to end, of up to eight bytes where eight bytes are there,
// else of one. It returns the position behind it, 0 for any other.
func varintAt(v mem.View, p, end int) (x uint64, next int) {
	if end-p < 8 {
		if c := v.U8(p); c < 0x80 {
			return uint64(c), p + 1
		}
		return 0, 0
	}
	return v.Uvarint(p)
}

// isPlainPair reports whether b is a Pair: a key and a value.
func isPlainPair(b []byte) bool {
	if len(b) < 2 || b[0] != byte(pairKey) {
		return false
	}
	_, p := fields.Length(b, 1)
	if p == 0 || p+1 >= len(b) || b[p] != byte(pairValue) {
		return false
	}
	_, p = fields.Length(b, p+1)
	return p == len(b)
}

// isKey, updated and isNull one behind the other, as a little-endian word, and
// the bits of it that do not depend on their values.
const (
	isKeyUpdatedIsNull = uint64(columnIsKey) | uint64(columnUpdated)<<16 | uint64(columnIsNull)<<32
	threeBools         = 0xfefffefffeff
)

// scan reads the column b[p:] when its fields are in the order of their
// numbers, in their usual form, and without props: the straight line that
// parse makes a loop of. When it returns false c is half read.
func (c *Column) scan(b []byte, p int) bool {
	v, end := mem.Of(b), len(b)
	var index, sqlType, length int32
	var name, value, mysqlType []byte
	if p+1 < end && v.U8(p) == byte(columnIndex) {
		if x := v.U8(p + 1); x < 0x80 {
			index, p = int32(x), p+2
		} else if index, p = plainInt32(b, p+1); p == 0 {
			return false
		}
	}
	if p+1 < end && v.U8(p) == byte(columnSQLType) {
		if x := v.U8(p + 1); x < 0x80 {
			sqlType, p = int32(x), p+2
		} else if sqlType, p = plainInt32(b, p+1); p == 0 {
			return false
		}
	}
	if p+1 < end && v.U8(p) == byte(columnName) {
		start, stop := p+2, p+2+int(v.U8(p+1))
		if stop-start >= 0x80 {
			start, stop = fields.Length(b, p+1)
		}
		if stop > end || start == 0 {
			return false
		}
		name, p = v.Slice(start, stop), stop
	}
	var isKey, updated, isNull bool
	if end-p >= 8 {
		if w := v.U64(p); w&threeBools == isKeyUpdatedIsNull { // as Canal has it
			isKey, updated, isNull, p = w>>8&1 != 0, w>>24&1 != 0, w>>40&1 != 0, p+6
			goto value
		}
	}
	if p+1 < end && v.U8(p) == byte(columnIsKey) && v.U8(p+1) <= 1 {
		isKey, p = v.U8(p+1) == 1, p+2
	}
	if p+1 < end && v.U8(p) == byte(columnUpdated) && v.U8(p+1) <= 1 {
		updated, p = v.U8(p+1) == 1, p+2
	}
	if p+1 < end && v.U8(p) == byte(columnIsNull) && v.U8(p+1) <= 1 {
		isNull, p = v.U8(p+1) == 1, p+2
	}
value:
	if p+1 < end && v.U8(p) == byte(columnValue) {
		start, stop := p+2, p+2+int(v.U8(p+1))
		if stop-start >= 0x80 {
			if start, stop = fields.Length(b, p+1); start == 0 {
				start, stop = fields.LongLength(b, p+1)
			}
		}
		if stop > end || start == 0 {
			return false
		}
		value, p = v.Slice(start, stop), stop
	}
	if p+1 < end && v.U8(p) == byte(columnLength) {
		if length, p = plainInt32(b, p+1); p == 0 {
			return false
		}
	}
	if p+1 < end && v.U8(p) == byte(columnMySQLType) {
		start, stop := p+2, p+2+int(v.U8(p+1))
		if stop-start >= 0x80 {
			start, stop = fields.Length(b, p+1)
		}
		if stop > end || start == 0 {
			return false
		}
		mysqlType, p = v.Slice(start, stop), stop
	}
	if p != end {
		return false
	}
	c.Index, c.SQLType, c.Name, c.IsKey, c.Updated, c.IsNull = index, sqlType, name, isKey, updated, isNull
	c.Value, c.Length, c.MySQLType, c.props, c.heavy = value, length, mysqlType, false, false
	return true
}

// plainInt32 reads a varint at p as java.sql.Types need it: of one or two bytes, or
// the ten of a number from -2^28 to -1. It returns the position behind it, 0 for
// any other.
func plainInt32(b []byte, p int) (v int32, next int) {
	c := b[p]
	if c < 0x80 {
		return int32(c), p + 1
	}
	if len(b)-p < 10 {
		return 0, 0
	}
	if b[p+1] < 0x80 {
		return int32(c&0x7f) | int32(b[p+1])<<7, p + 2
	}
	w := binary.LittleEndian.Uint64(b[p:])
	if w>>32 != 0xffffffff || w&0x80808080 != 0x80808080 || b[p+8] != 0xff || b[p+9] != 1 {
		return 0, 0
	}
	return int32(uint32(w&0x7f | w>>1&0x3f80 | w>>2&0x1fc000 | w>>3&0xfe00000 | 0xf0000000)), p + 10
}
