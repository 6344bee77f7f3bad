package canal

import (
	"encoding/binary"
	"math/bits"
)

// The straight lines through a Header and a Column: one test after the other for
// the field that comes next when fields are in the order of their numbers, as
// Canal writes them, each in its usual form. What is not so is left to the loops
// of merge and parse; these here judge nothing. BenchmarkScan says what they buy:
// a Column takes a third of the time, a Header half.

// scan reads fields of the header b up to its props, as long as they come in
// order, and returns where it stopped.
func (h *Header) scan(b []byte) (p int) {
	var v uint64
	var next int
	if p+1 < len(b) && b[p] == byte(headerVersion) {
		if v, next = plainVarint(b, p+1); next == 0 {
			return p
		}
		h.Version, p = int32(v), next
	}
	if p+1 < len(b) && b[p] == byte(headerLogfileName) {
		start, stop := plainLength(b, p+1)
		if start == 0 || stop > len(b) {
			return p
		}
		h.LogfileName, p = b[start:stop:stop], stop
	}
	if p+1 < len(b) && b[p] == byte(headerLogfileOffset) {
		if v, next = plainVarint(b, p+1); next == 0 {
			return p
		}
		h.LogfileOffset, p = int64(v), next
	}
	if p+1 < len(b) && b[p] == byte(headerServerID) {
		if v, next = plainVarint(b, p+1); next == 0 {
			return p
		}
		h.ServerID, p = int64(v), next
	}
	if p+1 < len(b) && b[p] == byte(headerServerenCode) {
		start, stop := plainLength(b, p+1)
		if start == 0 || stop > len(b) {
			return p
		}
		h.ServerenCode, p = b[start:stop:stop], stop
	}
	if p+1 < len(b) && b[p] == byte(headerExecuteTime) {
		if v, next = plainVarint(b, p+1); next == 0 {
			return p
		}
		h.ExecuteTime, p = int64(v), next
	}
	if p+1 < len(b) && b[p] == byte(headerSourceType) && b[p+1] < 0x80 {
		h.SourceType.set(int32(b[p+1]))
		p += 2
	}
	if p+1 < len(b) && b[p] == byte(headerSchemaName) {
		start, stop := plainLength(b, p+1)
		if start == 0 || stop > len(b) {
			return p
		}
		h.SchemaName, p = b[start:stop:stop], stop
	}
	if p+1 < len(b) && b[p] == byte(headerTableName) {
		start, stop := plainLength(b, p+1)
		if start == 0 || stop > len(b) {
			return p
		}
		h.TableName, p = b[start:stop:stop], stop
	}
	if p+1 < len(b) && b[p] == byte(headerEventLength) {
		if v, next = plainVarint(b, p+1); next == 0 {
			return p
		}
		h.EventLength, p = int64(v), next
	}
	if p+1 < len(b) && b[p] == byte(headerEventType) && b[p+1] < 0x80 {
		setEventType(&h.EventType, int32(b[p+1]))
		p += 2
	}
	return p
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
	c.Index, c.SQLType, c.Length, c.IsKey, c.Updated, c.IsNull = 0, 0, 0, false, false, false
	c.Name, c.Value, c.MySQLType = nil, nil, nil
	c.props = false
	if p+1 < len(b) && b[p] == byte(columnIndex) {
		if v := b[p+1]; v < 0x80 {
			c.Index, p = int32(v), p+2
		} else if c.Index, p = plainInt32(b, p+1); p == 0 {
			return false
		}
	}
	if p+1 < len(b) && b[p] == byte(columnSQLType) {
		if v := b[p+1]; v < 0x80 {
			c.SQLType, p = int32(v), p+2
		} else if c.SQLType, p = plainInt32(b, p+1); p == 0 {
			return false
		}
	}
	if p+1 < len(b) && b[p] == byte(columnName) {
		start, stop := plainLength(b, p+1)
		if start == 0 || stop > len(b) {
			return false
		}
		c.Name, p = b[start:stop:stop], stop
	}
	if len(b)-p >= 8 {
		if w := binary.LittleEndian.Uint64(b[p:]); w&threeBools == isKeyUpdatedIsNull { // as Canal has it
			c.IsKey, c.Updated, c.IsNull, p = w>>8&1 != 0, w>>24&1 != 0, w>>40&1 != 0, p+6
		}
	}
	if p+1 < len(b) && b[p] == byte(columnIsKey) && b[p+1] <= 1 {
		c.IsKey, p = b[p+1] == 1, p+2
	}
	if p+1 < len(b) && b[p] == byte(columnUpdated) && b[p+1] <= 1 {
		c.Updated, p = b[p+1] == 1, p+2
	}
	if p+1 < len(b) && b[p] == byte(columnIsNull) && b[p+1] <= 1 {
		c.IsNull, p = b[p+1] == 1, p+2
	}
	if p+1 < len(b) && b[p] == byte(columnValue) {
		start, stop := plainLength(b, p+1)
		if start == 0 || stop > len(b) {
			return false
		}
		c.Value, p = b[start:stop:stop], stop
	}
	if p+1 < len(b) && b[p] == byte(columnLength) {
		if c.Length, p = plainInt32(b, p+1); p == 0 {
			return false
		}
	}
	if p+1 < len(b) && b[p] == byte(columnMySQLType) {
		start, stop := plainLength(b, p+1)
		if start == 0 || stop > len(b) {
			return false
		}
		c.MySQLType, p = b[start:stop:stop], stop
	}
	return p == len(b)
}

// plainLength reads a length of one or two bytes at p and returns where what it
// speaks of begins and ends; a start of 0 where it is longer or not there.
func plainLength(b []byte, p int) (start, stop int) {
	if p >= len(b) {
		return 0, 0
	}
	n := int(b[p])
	if n < 0x80 {
		return p + 1, p + 1 + n
	}
	if p+1 >= len(b) || b[p+1] >= 0x80 {
		return 0, 0
	}
	return p + 2, p + 2 + n&0x7f + int(b[p+1])<<7
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

// plainVarint reads a varint of up to eight bytes at p, where eight bytes are
// there, and returns the position behind it; 0 for any other.
func plainVarint(b []byte, p int) (v uint64, next int) {
	if len(b)-p < 8 {
		return 0, 0
	}
	w := binary.LittleEndian.Uint64(b[p:])
	stop := ^w & 0x8080808080808080
	if stop == 0 {
		return 0, 0
	}
	// Cut behind the last byte, then close the gaps between groups of seven
	// bits: 7 to 14, 14 to 28, 28 to 56.
	w &= stop ^ (stop - 1)
	w = w&0x007f007f007f007f | w>>1&0x3f803f803f803f80
	w = w&0x00003fff00003fff | w>>2&0x0fffc0000fffc000
	w = w&0x000000000fffffff | w>>4&0x00fffffff0000000
	return w, p + bits.TrailingZeros64(stop)/8 + 1
}
