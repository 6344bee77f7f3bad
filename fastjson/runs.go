package fastjson

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// Quoting of long strings in plain Go, where there is no escapeBlocks: 32 bytes at a
// time as long as nothing is to be escaped, then, as escapes stand in groups, the next
// 64 bytes as a mask with a bit for each. The functions are cut such that all that a loop
// works with stays in registers.
//
// BenchmarkConvert with -tags purego, against eight bytes at a time and a branch for
// each: prose takes a third of the time, blob little more than half.

const (
	runsFrom   = 128     // the length from which escapeRuns does anything
	slashAhead = 4 << 10 // how far ahead backslashes are looked for: little beside the first cache
)

// Words that scans work with. As variables they are loaded once; a constant is moved to a
// register at each use.
var (
	wordTwo   uint64 = 0x02 * ones
	wordLow   uint64 = 0x21 * ones
	wordSlash uint64 = '\\' * ones
	wordOne   uint64 = ones
	wordHigh  uint64 = highs
)

// escapeRuns copies s to out with its short escapes and returns how many bytes it
// has written and read. It stops at a byte that has no short escape (from 0x80 on too,
// unless ignoreHigh has all its bits set), and near the end of s or of out: within
// runsFrom bytes, or twice as many.
//
// Backslashes are looked for by themselves, in vectors, as package bytes does it: that
// takes a third of the work out of copyRun (prose -8 %).
func escapeRuns(out, s []byte, ignoreHigh uint64) (n, i int) {
	slash := 0 // there is no backslash before
	for {
		most := min(len(s)-runsFrom-i, len(out)-2*runsFrom-n)
		if most < 64 {
			return n, i
		}
		if slash <= i {
			ahead := s[i : i+min(most, slashAhead)]
			if slash = bytes.IndexByte(ahead, '\\'); slash < 0 {
				slash = len(ahead)
			}
			slash += i
		}
		k := copyRun(out[n:], s[i:min(slash, i+most)], ignoreHigh)
		n += k
		i += k
		from := (*[runsFrom]byte)(s[i:])
		m := specials((*[64]byte)(from[:]))
		if ignoreHigh != 0 {
			m &^= highMarks((*[64]byte)(from[:]))
		}
		if m<<32 == 0 { // it was not a backslash that ended the run
			slash = i
			continue
		}
		d, k := escapeGroup((*[2 * runsFrom]byte)(out[n:]), from, m)
		n += d
		i += k
		if k == 0 {
			return n, i
		}
	}
}

// copyRun copies the beginning of s to out, which is no shorter, in blocks of 32 that have
// nothing to escape but backslashes, and returns how long it is.
//
// Flipping 0x02 puts a quote behind the control characters, so that one subtraction tells
// all of them. It borrows of the next byte only where it finds something.
func copyRun(out, s []byte, ignoreHigh uint64) int {
	two, low, high := wordTwo, wordLow, wordHigh
	s = s[:len(s):len(s)] // one number to the compiler
	out = out[:len(s):len(s)]
	i := 0
	for len(s)-i >= 32 {
		from, to := (*[32]byte)(s[i:]), (*[32]byte)(out[i:])
		w0, w1 := binary.LittleEndian.Uint64(from[0:]), binary.LittleEndian.Uint64(from[8:])
		w2, w3 := binary.LittleEndian.Uint64(from[16:]), binary.LittleEndian.Uint64(from[24:])
		var m uint64
		if ignoreHigh == 0 {
			m = w0 | w1 | w2 | w3
			m |= (w0 ^ two) - low
			m |= (w1 ^ two) - low
			m |= (w2 ^ two) - low
			m |= (w3 ^ two) - low
		} else {
			m = ((w0 ^ two) - low) &^ w0
			m |= ((w1 ^ two) - low) &^ w1
			m |= ((w2 ^ two) - low) &^ w2
			m |= ((w3 ^ two) - low) &^ w3
		}
		if m&high != 0 {
			break
		}
		// Twice 16: an array of 32 would be a call of memmove.
		*(*[16]byte)(to[:]) = *(*[16]byte)(from[:])
		*(*[16]byte)(to[16:]) = *(*[16]byte)(from[16:])
		i += 32
	}
	return i
}

// gather times a word of which only high bits are set has them in its highest byte, in
// order.
const gather = 0x0002_0408_1020_4081

// specials has a bit for each byte of p that is escaped or is from 0x80 on, and for some of
// those behind such a one that are # or ].
func specials(p *[64]byte) uint64 {
	two, low, slash, one, high := wordTwo, wordLow, wordSlash, wordOne, wordHigh
	w := binary.LittleEndian.Uint64(p[0:])
	m := (w | (w ^ two - low) | (w ^ slash - one)) & high * gather >> 56
	w = binary.LittleEndian.Uint64(p[8:])
	m |= (w | (w ^ two - low) | (w ^ slash - one)) & high * gather >> 56 << 8
	w = binary.LittleEndian.Uint64(p[16:])
	m |= (w | (w ^ two - low) | (w ^ slash - one)) & high * gather >> 56 << 16
	w = binary.LittleEndian.Uint64(p[24:])
	m |= (w | (w ^ two - low) | (w ^ slash - one)) & high * gather >> 56 << 24
	w = binary.LittleEndian.Uint64(p[32:])
	m |= (w | (w ^ two - low) | (w ^ slash - one)) & high * gather >> 56 << 32
	w = binary.LittleEndian.Uint64(p[40:])
	m |= (w | (w ^ two - low) | (w ^ slash - one)) & high * gather >> 56 << 40
	w = binary.LittleEndian.Uint64(p[48:])
	m |= (w | (w ^ two - low) | (w ^ slash - one)) & high * gather >> 56 << 48
	w = binary.LittleEndian.Uint64(p[56:])
	m |= (w | (w ^ two - low) | (w ^ slash - one)) & high * gather >> 56 << 56
	return m
}

// highMarks has a bit for each byte of p from 0x80 on.
func highMarks(p *[64]byte) (m uint64) {
	for i := 56; i >= 0; i -= 8 {
		m = m<<8 | binary.LittleEndian.Uint64(p[i:])&highs*gather>>56
	}
	return m
}

// escapeGroup copies p up to the last byte that m marks, with their escapes, and returns
// how many bytes it has written and read: less, where one has no short escape.
func escapeGroup(out *[2 * runsFrom]byte, p *[runsFrom]byte, m uint64) (d, k int) {
	*(*[16]byte)(out[:]) = *(*[16]byte)(p[:])
	*(*[16]byte)(out[16:]) = *(*[16]byte)(p[16:])
	d = bits.TrailingZeros64(m)
	k = d
	for {
		k &= 63
		e := shortEscapes[p[k]]
		if e == 0 {
			return d, k
		}
		m &= m - 1
		binary.LittleEndian.PutUint16(out[d&127:], e)
		d += 1 + int((uint32(e)+0xff00)>>16) // e is two bytes, or one that stands for itself
		k++
		if m == 0 {
			return d, k
		}
		// BSF waits for what was in the register that it writes to. Here that is no address
		// in out, which waits for e: in another order of these lines blob takes 20 % longer.
		next := bits.TrailingZeros64(m)
		*(*[16]byte)(out[d&127:]) = *(*[16]byte)(p[k:])
		if next > k+16 {
			from, to := (*[64]byte)(p[k:]), (*[64]byte)(out[d&127:])
			*(*[16]byte)(to[16:]) = *(*[16]byte)(from[16:])
			*(*[16]byte)(to[32:]) = *(*[16]byte)(from[32:])
			*(*[16]byte)(to[48:]) = *(*[16]byte)(from[48:])
		}
		d += next - k
		k = next
	}
}
