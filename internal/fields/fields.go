// Package fields is what the packages that know a schema have in common: how
// errors name a field, and how the straight line through a message reads a length.
package fields

import (
	"strings"

	"github.com/cdcodec/cdcodec/wire"
)

// Path returns how a path shows r's current field, or the one that stopped it, by
// its name in the schema, which ends in "[]" if the field is repeated. An element of
// such a field is numbered by counting those before it, so that good input need not
// count; so many more are in parts of the message that came earlier.
func Path(name string, r *wire.Reader, before int) string {
	name, repeated := strings.CutSuffix(name, "[]")
	if !repeated {
		return name
	}
	for again := r.Whole().Reader(); again.Next() && again.Offset < r.Offset; {
		if again.Tag == r.Tag {
			before++
		}
	}
	return wire.Element(name, before)
}

// Error keeps a nil *wire.ParseError from becoming an error that is not nil.
func Error(err *wire.ParseError) error {
	if err == nil {
		return nil
	}
	return err
}

// Length reads a length of one or two bytes at p and returns where what it speaks
// of begins and ends, which may be behind b; a start of 0 where it is longer or not
// there.
func Length(b []byte, p int) (start, stop int) {
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

// LongLength is Length for those of three or four bytes, which are too rare to be looked
// for in each place; what they speak of is in b.
func LongLength(b []byte, p int) (start, stop int) {
	if len(b)-p < 4 || b[p] < 0x80 || b[p+1] < 0x80 {
		return 0, 0
	}
	n := int(b[p]&0x7f) | int(b[p+1]&0x7f)<<7 | int(b[p+2]&0x7f)<<14
	if p += 3; b[p-1] >= 0x80 {
		n |= int(b[p]) << 21
		if p++; b[p-1] >= 0x80 {
			return 0, 0
		}
	}
	if n > len(b)-p {
		return 0, 0
	}
	return p, p + n
}
