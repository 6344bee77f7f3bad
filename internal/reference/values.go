package reference

import (
	"bytes"
	"errors"
	"slices"
	"strconv"
)

// The values of TiDB and Baidu as text: ticdc.md 7 and tidb-binlog.md.

var errBits = errors.New("bit value of more than 64 bits")

// float32Text returns the shortest text that means v among the float32. What is
// beyond them is infinite.
func float32Text(v float64) string { return strconv.FormatFloat(v, 'f', -1, 32) }

// float64Text does the same among the float64.
func float64Text(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// bytesText returns what a value in bytes looks like that is of type t.
func bytesText(b []byte, t mysqlType) (string, error) {
	switch {
	case t.base == "bit":
		return bitText(b)
	case t.base == "json", slices.Contains(textTypes, t.base):
		return string(b), nil
	}
	return widen(b), nil
}

// bitText returns b as a number.
func bitText(b []byte) (string, error) {
	b = bytes.TrimLeft(b, "\x00")
	if len(b) > 8 {
		return "", errBits
	}
	var n uint64
	for _, c := range b {
		n = n<<8 | uint64(c)
	}
	return strconv.FormatUint(n, 10), nil
}

// widen returns the text whose code points are the bytes of b: what ISO-8859-1
// makes of them.
func widen(b []byte) string {
	var text []rune
	for _, c := range b {
		text = append(text, rune(c))
	}
	return string(text)
}
