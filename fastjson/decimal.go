package fastjson

import "strconv"

// numbers is what messages tell in digits.
type numbers struct{ es, id, ts decimal }

// decimal is the digits of a number: a message's id, ts and es are mostly those of
// the message before (BenchmarkConvert: oltp -9 %).
type decimal struct {
	v    int64
	n    int // 0 if there are none yet
	text [lookAhead + 16]byte
}

// set makes d the digits of v.
func (d *decimal) set(v int64) {
	if d.v != v || d.n == 0 {
		d.v, d.n = v, len(strconv.AppendInt(d.text[:0], v, 10))
	}
}

// append appends the digits of v.
func (d *decimal) append(dst []byte, v int64) []byte {
	d.set(v)
	return append(dst, d.text[:d.n]...)
}
