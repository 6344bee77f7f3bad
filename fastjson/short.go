package fastjson

import (
	"encoding/binary"
	"slices"
	"unicode/utf8"
)

// shortText is the length up to which appendShort takes a string: names, types, and
// most values.
const shortText = 32

// appendShort appends s, which has at most shortText bytes, as a JSON string if
// nothing in it needs an escape, in dialect ticdc or in canal; ok is false, and dst
// as it was, if something does or s is not UTF-8. It takes s as words that overlap,
// so that no loop depends on the length (BenchmarkSource: tidb -15 %, baidu -11 %).
func appendShort(dst, s []byte, ticdc bool) (out []byte, ok bool) {
	if cap(dst)-len(dst) < shortText+2 {
		dst = slices.Grow(dst, shortText+2)
	}
	n := len(s)
	to := dst[len(dst) : len(dst)+shortText+2]
	to[0] = '"'
	var care uint64
	switch {
	case n > 16:
		w0, w1 := binary.LittleEndian.Uint64(s), binary.LittleEndian.Uint64(s[8:])
		w2, w3 := binary.LittleEndian.Uint64(s[n-16:]), binary.LittleEndian.Uint64(s[n-8:])
		binary.LittleEndian.PutUint64(to[1:], w0)
		binary.LittleEndian.PutUint64(to[9:], w1)
		binary.LittleEndian.PutUint64(to[n-15:], w2)
		binary.LittleEndian.PutUint64(to[n-7:], w3)
		care = needsCare(w0) | needsCare(w1) | needsCare(w2) | needsCare(w3)
		if ticdc {
			care |= needsCareInTiCDC(w0) | needsCareInTiCDC(w1) | needsCareInTiCDC(w2) | needsCareInTiCDC(w3)
		}
	case n >= 8:
		w0, w1 := binary.LittleEndian.Uint64(s), binary.LittleEndian.Uint64(s[n-8:])
		binary.LittleEndian.PutUint64(to[1:], w0)
		binary.LittleEndian.PutUint64(to[n-7:], w1)
		care = needsCare(w0) | needsCare(w1)
		if ticdc {
			care |= needsCareInTiCDC(w0) | needsCareInTiCDC(w1)
		}
	case n > 0:
		var w uint64
		if n >= 4 {
			low, high := binary.LittleEndian.Uint32(s), binary.LittleEndian.Uint32(s[n-4:])
			binary.LittleEndian.PutUint32(to[1:], low)
			binary.LittleEndian.PutUint32(to[n-3:], high)
			w = uint64(low) | uint64(high)<<32
		} else {
			a, b, c := s[0], s[n/2], s[n-1]
			to[1+n/2], to[1], to[n] = b, a, c
			w = 'a'*ones&^0xffffff | uint64(a) | uint64(b)<<8 | uint64(c)<<16
		}
		care = needsCare(w)
		if ticdc {
			care |= needsCareInTiCDC(w)
		}
	}
	if care&highs != 0 && !isPlain(s, ticdc) {
		return dst, false
	}
	to[n+1] = '"'
	return dst[:len(dst)+n+2], true
}

// isPlain reports whether s is UTF-8 without escapes.
func isPlain(s []byte, ticdc bool) bool {
	n := 0
	if ticdc {
		n = unchecked(s, 0)
	} else {
		n = plain(s, 0)
	}
	return n == len(s) && utf8.Valid(s)
}

// needsCare has the high bit of some byte set if w has a byte that is escaped or
// is not ASCII, and bits below the first such byte have none set.
func needsCare(w uint64) uint64 {
	return w | (w ^ 0x02*ones - 0x21*ones) | (w ^ '\\'*ones - ones) // as in toEscape
}

// needsCareInTiCDC is needsCare for the other bytes that dialect ticdc escapes.
func needsCareInTiCDC(w uint64) uint64 {
	// < and > differ in one bit.
	return (w | 0x02*ones) ^ '>'*ones - ones | (w ^ '&'*ones - ones)
}
