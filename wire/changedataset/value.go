package changedataset

import (
	"math"
	"strconv"

	"github.com/cdcodec/cdcodec/internal/mysqltype"
)

// What a value is and how it prints: the rules of spec/baidu-changedataset.md
// that need nothing but a ColumnData and the type of its column.

// Null reports whether c is null, whatever its type: isNull says so, or no field
// of a value is on the wire.
func (c *ColumnData) Null() bool { return c.Set == 0 || saysYes(c.IsNull) }

// saysYes reports whether an isNull means null.
func saysYes(s []byte) bool {
	switch len(s) {
	case 1:
		return s[0] == '1' || s[0]|0x20 == 'y'
	case 3:
		return s[0]|0x20 == 'y' && s[1]|0x20 == 'e' && s[2]|0x20 == 's'
	case 4:
		return s[0]|0x20 == 't' && s[1]|0x20 == 'r' && s[2]|0x20 == 'u' && s[3]|0x20 == 'e'
	}
	return false
}

// field returns the field that holds the value of c in a column of type b, 0 for
// none. Of several the type wants one; where that is not there, the first one in
// the order string, int64, int32, float, bytes.
func (c *ColumnData) field(b mysqltype.Base) Fields {
	if c.Set&(c.Set-1) == 0 {
		return c.Set
	}
	want := StringValue
	switch {
	case b.IsInteger():
		if want = Int64Value; c.Set&Int64Value == 0 {
			want = Int32Value
		}
	case b == mysqltype.Float || b == mysqltype.Double:
		want = FloatValue
	case b == mysqltype.Bit || b.IsBinary():
		want = BytesValue
	}
	for _, f := range [...]Fields{want, StringValue, Int64Value, Int32Value, FloatValue} {
		if c.Set&f != 0 {
			return f
		}
	}
	return BytesValue
}

// numberSize is room for any number that text makes.
const numberSize = 64

// text returns the value of c, which is not null, as it prints in a column of type
// t: bytes of c, or of buf, which it appends numbers to. wide says that what it
// returns is not text yet but bytes to be widened.
func (c *ColumnData) text(t mysqltype.Type, buf []byte) (text []byte, wide bool) {
	switch c.field(t.Base) {
	case StringValue:
		return c.StringValue, false
	case Int32Value:
		return appendInteger(buf, int64(c.Int32Value), t), false
	case Int64Value:
		return appendInteger(buf, c.Int64Value, t), false
	case FloatValue:
		return strconv.AppendFloat(buf, float64(c.FloatValue), 'f', -1, 32), false
	}
	switch {
	case t.Base == mysqltype.Bit:
		n, _ := bitNumber(c.BytesValue)
		return strconv.AppendUint(buf, n, 10), false
	case t.Base.IsText() || t.Base == mysqltype.JSON:
		return c.BytesValue, false
	}
	return c.BytesValue, true
}

// appendInteger appends a number. A negative one of an unsigned integer type is
// the two's complement of the type's width.
func appendInteger(dst []byte, n int64, t mysqltype.Type) []byte {
	if n < 0 && t.Unsigned && t.Base.IsInteger() {
		return strconv.AppendUint(dst, uint64(n)&(math.MaxUint64>>(64-t.Base.Bits())), 10)
	}
	return strconv.AppendInt(dst, n, 10)
}

// bitNumber reads the bytes of a bit column, the highest first, and reports
// whether they fit in 64 bits.
func bitNumber(b []byte) (n uint64, ok bool) {
	for _, c := range b {
		if n>>56 != 0 {
			return 0, false
		}
		n = n<<8 | uint64(c)
	}
	return n, true
}

// badBit reports whether the value of c in a column of type bit is none.
func (c *ColumnData) badBit() bool {
	if c.Null() || c.field(mysqltype.Bit) != BytesValue {
		return false
	}
	_, ok := bitNumber(c.BytesValue)
	return !ok
}

// widened returns how many bytes b takes when each of its bytes is written as the
// code point of that number, in UTF-8.
func widened(b []byte) int {
	n := len(b)
	for _, c := range b {
		n += int(c >> 7)
	}
	return n
}

// appendWide appends b, each byte as the code point of that number.
func appendWide(dst, b []byte) []byte {
	for _, c := range b {
		if c < 0x80 {
			dst = append(dst, c)
			continue
		}
		dst = append(dst, 0xc0|c>>6, c&0xbf)
	}
	return dst
}

// sameWide reports whether text is what b becomes when it is widened.
func sameWide(text, b []byte) bool {
	for _, c := range b {
		switch {
		case len(text) > 0 && c < 0x80 && text[0] == c:
			text = text[1:]
		case len(text) > 1 && c >= 0x80 && text[0] == 0xc0|c>>6 && text[1] == c&0xbf:
			text = text[2:]
		default:
			return false
		}
	}
	return len(text) == 0
}

// plainInt32 reads a number as text: digits behind one sign or none.
func plainInt32(s []byte) (v int32, ok bool) {
	if len(s) == 0 {
		return 0, false
	}
	negative := s[0] == '-'
	if negative || s[0] == '+' {
		s = s[1:]
	}
	n := int64(0)
	for _, c := range s {
		if c < '0' || c > '9' || n > math.MaxInt32 {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	if negative {
		n = -n
	}
	return int32(n), len(s) > 0 && n == int64(int32(n))
}
