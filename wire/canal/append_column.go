package canal

import (
	"encoding/binary"
	"slices"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/wire"
)

// appendImage appends the columns of one image of the current row. It stops, and
// fits is false, where the texts of a column alone make dst longer than end.
func appendImage(dst []byte, rows change.Rows, im change.Image, end int) (out []byte, fits bool) {
	rows.Select(im)
	tag := byte(imageTag(im))
	for i := 0; ; i++ {
		c := rows.Column()
		if c == nil {
			return dst, true
		}
		value := c.Value
		if c.Null {
			value = nil
		}
		texts := int64(len(c.Name)) + int64(len(value)) + int64(len(c.MySQLType))
		if texts > int64(end-len(dst)) {
			return dst, false
		}
		if need := int(texts) + headroom; cap(dst)-len(dst) < need {
			dst = slices.Grow(dst, need)
		}
		if uint(i)|uint(len(c.Name))|uint(len(value))|uint(len(c.MySQLType)) < 0x80 {
			dst = dst[:len(dst)+putColumn(dst[len(dst):cap(dst)], tag, i, c, value)]
		} else {
			dst = appendColumn(dst, tag, i, c, value)
		}
	}
}

// putColumn writes a column whose index and lengths take one byte each to the
// begin of b, which has headroom, and returns how long it is.
//
//	12 [len] | 08 index 10 sqlType | 1a [len] name | 20 isKey 28 updated 30 isNull 42 [len] | value | 52 [len] mysqlType
func putColumn(b []byte, tag byte, index int, c *change.Column, value []byte) int {
	size := len("\x08\x00\x10\x1a\x00\x20\x00\x28\x00\x30\x00\x42\x00\x52\x00") + len(c.Name) + len(value) + len(c.MySQLType)
	if c.Null {
		size -= 2
	}
	size += sizeVarint(uint64(int64(c.SQLType)))
	p := 2
	b[0], b[1] = tag, byte(size)
	if size >= 0x80 {
		b[1], b[2] = byte(size)|0x80, byte(size>>7)
		p = 3
	}
	binary.LittleEndian.PutUint32(b[p:], uint32(columnIndex)|uint32(index)<<8|uint32(columnSQLType)<<16|uint32(c.SQLType)<<24)
	p += 4
	if uint32(c.SQLType) >= 0x80 {
		p = putInt32(b, p-1, c.SQLType)
	}
	b[p], b[p+1] = byte(columnName), byte(len(c.Name))
	p += 2
	p += copy(b[p:], c.Name)
	binary.LittleEndian.PutUint64(b[p:], isKeyUpdatedIsNull|bit(c.Key)<<8|bit(c.Updated)<<24|bit(c.Null)<<40|
		uint64(columnValue)<<48|uint64(len(value))<<56)
	p += 6
	if !c.Null {
		p += 2
		p += copy(b[p:], value)
	}
	b[p], b[p+1] = byte(columnMySQLType), byte(len(c.MySQLType))
	p += 2
	return p + copy(b[p:], c.MySQLType)
}

// putInt32 writes v at p as a varint and returns the position behind it. A
// negative number, as java.sql.Types.BIGINT (-5) is, takes ten bytes: 35 bits that
// vary, then nothing but ones.
func putInt32(b []byte, p int, v int32) int {
	x := uint64(int64(v))
	if v < 0 {
		binary.LittleEndian.PutUint64(b[p:], x&0x7f|x<<1&0x7f00|x<<2&0x7f0000|x<<3&0x7f000000|x<<4&0x7f00000000|0xffffff8080808080)
		b[p+8], b[p+9] = 0xff, 1
		return p + 10
	}
	return p + binary.PutUvarint(b[p:], x)
}

// appendColumn appends any column.
func appendColumn(dst []byte, tag byte, index int, c *change.Column, value []byte) []byte {
	sqlType := uint64(int64(c.SQLType))
	size := len("\x08\x10\x1a\x20\x00\x28\x00\x30\x00\x52") + sizeVarint(uint64(index)) + sizeVarint(sqlType) + sizeBytes(c.Name) + sizeBytes(c.MySQLType)
	if !c.Null {
		size += 1 + sizeBytes(value)
	}
	dst = wire.AppendVarint(append(dst, tag), uint64(size))
	dst = wire.AppendVarint(append(dst, byte(columnIndex)), uint64(index))
	dst = wire.AppendVarint(append(dst, byte(columnSQLType)), sqlType)
	dst = wire.AppendBytes(append(dst, byte(columnName)), c.Name)
	dst = append(dst, byte(columnIsKey), byte(bit(c.Key)), byte(columnUpdated), byte(bit(c.Updated)), byte(columnIsNull), byte(bit(c.Null)))
	if !c.Null {
		dst = wire.AppendBytes(append(dst, byte(columnValue)), value)
	}
	return wire.AppendBytes(append(dst, byte(columnMySQLType)), c.MySQLType)
}
