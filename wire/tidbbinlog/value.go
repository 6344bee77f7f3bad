package tidbbinlog

import (
	"bytes"
	"encoding/binary"
	"math"
	"strconv"

	"github.com/cdcodec/cdcodec/internal/fields"
	"github.com/cdcodec/cdcodec/internal/mysqltype"
	"github.com/cdcodec/cdcodec/wire"
)

// value is a Column of which the field that counts has been taken.
type value struct {
	field Fields // that one, 0 where there is none
	null  bool   // wins over the field
	heavy bool   // heavyFields or more had to be read
	num   uint64 // of int64, uint64 and double: its 64 bits
	data  []byte // of bytes and string
}

// wanted returns the field that holds the values of a type. An integer's is the
// first that is there, which is int64 before uint64: 0.
func wanted(b mysqltype.Base) Fields {
	switch {
	case b.IsInteger():
		return 0
	case b == mysqltype.Float || b == mysqltype.Double:
		return HasDouble
	case b == mysqltype.Bit || b == mysqltype.JSON || b.IsBinary():
		return HasBytes
	case b == mysqltype.Enum || b == mysqltype.Set:
		return HasUint64
	}
	return HasString
}

// read takes the value of an encoded Column whose type wants that field. A
// Column has one field, as a rule; then there is nothing to choose.
func (v *value) read(b []byte, want Fields) {
	if !v.scan(b) {
		v.choose(b, want)
	}
}

// scan reads a Column of one field, or of is_null and another one.
func (v *value) scan(b []byte) bool {
	v.null, v.heavy = false, false
	if len(b) >= 2 && b[0] == byte(columnIsNull) && b[1] < 0x80 {
		v.null = b[1] != 0
		b = b[2:]
	}
	if len(b) < 2 {
		v.field = 0
		return len(b) == 0
	}
	switch wire.Tag(b[0]) {
	case columnInt64, columnUint64:
		u, n := uint64(b[1]), 1
		if u >= 0x80 {
			u, n = binary.Uvarint(b[1:])
		}
		if n != len(b)-1 {
			return false
		}
		v.num, v.field = u, HasInt64
		if wire.Tag(b[0]) == columnUint64 {
			v.field = HasUint64
		}
		return true
	case columnDouble:
		if len(b) != 9 {
			return false
		}
		v.num, v.field = binary.LittleEndian.Uint64(b[1:]), HasDouble
		return true
	case columnBytes, columnString:
		start, stop := fields.Length(b, 1)
		if start == 0 || stop != len(b) {
			return false
		}
		v.data, v.field = b[start:stop:stop], HasBytes
		if wire.Tag(b[0]) == columnString {
			v.field = HasString
		}
		return true
	}
	return false
}

// choose reads a Column of any fields: the wanted one counts, else the first of
// them in the order of their numbers.
func (v *value) choose(b []byte, want Fields) {
	c, err := parseColumn(wire.NewMessage(b))
	if err != nil {
		c = Column{} // the record was written to since it was checked
	}
	v.null, v.heavy, v.field = c.IsNull, c.heavy, c.Fields&want
	if v.field == 0 {
		v.field = c.Fields & -c.Fields
	}
	switch v.field {
	case HasInt64:
		v.num = uint64(c.Int64)
	case HasUint64:
		v.num = c.Uint64
	case HasDouble:
		v.num = math.Float64bits(c.Double)
	case HasBytes:
		v.data = c.Bytes
	case HasString:
		v.data = c.String
	}
}

// isUnsigned reports whether an integer with that value shows that its column is
// unsigned.
func (v *value) isUnsigned() bool { return v.field == HasUint64 && !v.null }

// size returns how many bytes a text of v takes to be read, roughly.
func (v *value) size() int {
	if v.field < HasBytes {
		return 0
	}
	return len(v.data)
}

// longest is the longest text of a number: a double of 5e-324 has 324 places, a
// number of 17 digits near it some more.
const longest = 352

// number appends the text of a value that is a number to dst, or of a bit; ok is
// false for any other.
func (v *value) number(dst []byte, b mysqltype.Base) (text []byte, ok bool) {
	switch v.field {
	case HasInt64:
		return strconv.AppendInt(dst, int64(v.num), 10), true
	case HasUint64:
		return strconv.AppendUint(dst, v.num, 10), true
	case HasDouble:
		bits := 64
		if b == mysqltype.Float {
			bits = 32
		}
		return strconv.AppendFloat(dst, math.Float64frombits(v.num), 'f', -1, bits), true
	case HasBytes:
		if b == mysqltype.Bit {
			return strconv.AppendUint(dst, bitNumber(v.data), 10), true
		}
	}
	return nil, false
}

// wide reports whether v is bytes that become characters.
func (v *value) wide(b mysqltype.Base) bool {
	return v.field == HasBytes && !b.IsText() && b != mysqltype.JSON
}

// significant returns the bytes of a bit value without leading zeros.
func significant(b []byte) []byte { return bytes.TrimLeft(b, "\x00") }

// bitNumber returns the big-endian number of up to 8 significant bytes.
func bitNumber(b []byte) (n uint64) {
	for _, c := range b {
		n = n<<8 | uint64(c)
	}
	return n
}

// same reports whether two values of a column of type t have the same text. NULL
// is no text.
func (v *value) same(o *value, t mysqltype.Base) bool {
	if v.null || o.null {
		return v.null == o.null
	}
	if v.field != o.field {
		return v.sameText(o, t)
	}
	switch v.field {
	case HasInt64, HasUint64:
		return v.num == o.num
	case HasDouble:
		return v.num == o.num || v.sameText(o, t) // NaNs, floats
	case HasBytes:
		if t == mysqltype.Bit {
			return bytes.Equal(significant(v.data), significant(o.data))
		}
		return bytes.Equal(v.data, o.data)
	case HasString:
		return bytes.Equal(v.data, o.data)
	}
	return true
}

// sameText is same for values of two fields. Not both are bytes then.
func (v *value) sameText(o *value, t mysqltype.Base) bool {
	var bufs [2][longest]byte
	a, b := v.flat(bufs[0][:0], t), o.flat(bufs[1][:0], t)
	switch {
	case v.wide(t) && t != mysqltype.Bit:
		return isWidened(b, a)
	case o.wide(t) && t != mysqltype.Bit:
		return isWidened(a, b)
	}
	return bytes.Equal(a, b)
}

// flat returns the text of a number, and what else there is as it is.
func (v *value) flat(dst []byte, t mysqltype.Base) []byte {
	if text, ok := v.number(dst, t); ok {
		return text
	}
	if v.field == 0 {
		return nil
	}
	return v.data
}

// scratch is where the text of a value is when it is not in the record.
type scratch struct {
	num  [longest]byte
	long []byte
}

// keepLong is how many bytes of long stay from one record to the next.
const keepLong = 256 << 10

// release gives back what has become large.
func (s *scratch) release() {
	if cap(s.long) > keepLong {
		s.long = nil
	}
}

// text returns the text of a value that is not NULL, of a column of type t.
func (s *scratch) text(v *value, t mysqltype.Base) []byte {
	switch {
	case v.field == HasString:
		return v.data
	case v.field == 0:
		return nil
	}
	if text, ok := v.number(s.num[:0], t); ok {
		return text
	}
	if v.wide(t) {
		return s.widen(v.data)
	}
	return v.data
}

// widen makes each byte the character of that number, in UTF-8. long becomes as
// long as it must be and hardly longer: it is part of the memory a record may take.
func (s *scratch) widen(b []byte) []byte {
	high := countHigh(b)
	if high == 0 {
		return b
	}
	if n := len(b) + high; cap(s.long) < n {
		s.long = append([]byte(nil), make([]byte, n)...) // with what the allocator gives on top
	}
	to := s.long[:len(b)+high]
	n := 0
	for _, c := range b {
		if c < 0x80 {
			to[n] = c
			n++
			continue
		}
		to[n], to[n+1] = 0xc0|c>>6, 0x80|c&0x3f
		n += 2
	}
	return to
}

// countHigh counts the bytes from 0x80.
func countHigh(b []byte) (n int) {
	for ; len(b) >= 8; b = b[8:] {
		if w := binary.LittleEndian.Uint64(b) >> 7 & 0x0101010101010101; w != 0 {
			n += int(w * 0x0101010101010101 >> 56)
		}
	}
	for _, c := range b {
		n += int(c >> 7)
	}
	return n
}

// isWidened reports whether text is what widen makes of b.
func isWidened(text, b []byte) bool {
	for _, c := range b {
		switch {
		case c < 0x80 && len(text) > 0 && text[0] == c:
			text = text[1:]
		case c >= 0x80 && len(text) > 1 && text[0] == 0xc0|c>>6 && text[1] == 0x80|c&0x3f:
			text = text[2:]
		default:
			return false
		}
	}
	return len(text) == 0
}
