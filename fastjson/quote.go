package fastjson

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"unicode/utf8"

	"github.com/cdcodec/cdcodec/internal/repair"
)

// How this file is arranged: appendQuoted goes from one byte that has no short
// escape to the next; escapeWords, eight bytes at a time, and for long strings
// escapeBlocks or escapeRuns copies what is between them, escapes and all;
// appendEscaped and the functions of internal/repair take care of the byte itself. Escapes
// are those of dialect canal (spec: canal.md 2, rule 10):
//
//	"  \        \" \\
//	below 0x20  \b \t \n \f \r, else \u00xx in lower-case hex
//	all else    as it is

const (
	ones  = 0x0101010101010101
	highs = 0x80 * ones
)

// toEscape has the high bit set at the lowest byte of w that is escaped: below
// 0x20, a quote or a backslash. Bits above the lowest one may be wrong.
//
// Flipping 0x02 puts the quote behind the control characters, so that one
// subtraction tells all of them. It borrows of the next byte only where it finds one.
func toEscape(w uint64) uint64 {
	return ((w ^ 0x02*ones - 0x21*ones) | (w ^ '\\'*ones - ones)) &^ w & highs
}

// blocksFrom is the length from which escapeBlocks is worth its call.
const blocksFrom = 192

// appendQuoted appends s as a JSON string. Invalid UTF-8 is repaired, and valid
// tells whether there was none.
func appendQuoted(dst, s []byte) (out []byte, valid bool) {
	return appendRest(append(slices.Grow(dst, len(s)+2), '"'), s, highs)
}

// appendRest appends the rest of a JSON string, its closing quote too. High
// bytes stop the scan as control characters do, until one is met: then all of the
// rest is either valid, and they mean nothing any more (watch is 0), or is not.
func appendRest(dst, s []byte, watch uint64) (out []byte, valid bool) {
	for {
		if haveBlocks && len(s) >= blocksFrom {
			dst, s = appendBlocks(dst, s, ignoring(watch))
		} else if !haveBlocks && len(s) >= runsFrom {
			dst = slices.Grow(dst, len(s)+len(s)/8+3*runsFrom)
			n, i := escapeRuns(dst[len(dst):cap(dst)], s, ignoring(watch))
			dst, s = dst[:len(dst)+n], s[i:]
		}
		// Room for what is left, an eighth more for escapes, and two words.
		dst = slices.Grow(dst, len(s)+len(s)/8+24)
		n, i := escapeWords(dst[len(dst):cap(dst)], s, watch)
		dst, s = dst[:len(dst)+n], s[i:]
		n = plain(s, watch) // the end of s, or nothing
		dst = append(dst, s[:n]...)
		if n == len(s) {
			return append(dst, '"'), true
		}
		switch c := s[n]; {
		case c < 0x80:
			dst = appendEscaped(dst, c)
			n++
		case utf8.Valid(s[n:]):
			watch = 0
		default:
			return appendRepaired(dst, s[n:]), false
		}
		s = s[n:]
	}
}

// escapeWords copies s to out with its short escapes, eight bytes at a time, and
// returns how many bytes it has written and read. It stops at a byte that has no
// short escape, at one with a bit of watch, at less than eight bytes, and where
// out has less than 16 bytes left.
//
// To look for the next such byte first and copy then takes longer where there are
// some (BenchmarkConvert with -tags purego: 9 % on oltp and bulk, 7 % on blob),
// and less where there are none (12 % on prose).
func escapeWords(out, s []byte, watch uint64) (n, i int) {
	s, out = s[:len(s):len(s)], out[:len(out):len(out)] // one number each to the compiler
	for len(s)-i >= 8 && len(out)-n >= 16 {
		w := binary.LittleEndian.Uint64(s[i:])
		binary.LittleEndian.PutUint64(out[n:], w)
		m := toEscape(w) | w&watch
		if m == 0 {
			i += 8
			n += 8
			continue
		}
		k := bits.TrailingZeros64(m) / 8
		i += k
		n += k
		e := shortEscapes[s[i]]
		if e == 0 {
			break
		}
		out[n], out[n+1] = byte(e), byte(e>>8)
		n += 2
		i++
	}
	return n, i
}

// shortEscapes has for each byte the two characters of its short escape, one that
// is not 0 for ASCII that stands for itself, and 0 for what is left.
var shortEscapes = func() (t [256]uint16) {
	for c := uint16(0x20); c < utf8.RuneSelf; c++ {
		t[c] = c
	}
	for c, e := range map[byte]byte{'"': '"', '\\': '\\', '\b': 'b', '\t': 't', '\n': 'n', '\f': 'f', '\r': 'r'} {
		t[c] = '\\' | uint16(e)<<8
	}
	return t
}()

// ignoring returns what escapeBlocks wants to know of watch: all bits where high
// bytes mean nothing any more.
func ignoring(watch uint64) uint64 { return watch>>7&1 - 1 }

// plain returns how many bytes at the beginning of s have no escape, and no bit
// of watch set.
func plain(s []byte, watch uint64) int {
	s = s[:len(s):len(s)]
	i := 0
	for ; len(s)-i >= 8; i += 8 {
		w := binary.LittleEndian.Uint64(s[i:])
		if m := toEscape(w) | w&watch; m != 0 {
			return i + bits.TrailingZeros64(m)/8
		}
	}
	for i < len(s) && s[i] >= 0x20 && s[i] != '"' && s[i] != '\\' && uint64(s[i])&watch == 0 {
		i++
	}
	return i
}

// maxBlocks is the most that one call of escapeBlocks is given: it cannot be
// interrupted, and the collector waits for it.
const maxBlocks = 1 << 20

// appendBlocks appends what escapeBlocks can take from the beginning of s and
// returns what is left.
func appendBlocks(dst, s []byte, ignoreHigh uint64) (out, rest []byte) {
	for {
		// Room for what is left, an eighth more for escapes, and the margin that
		// escapeBlocks keeps.
		dst = slices.Grow(dst, len(s)+len(s)/8+192)
		room := dst[len(dst):cap(dst)]
		most := min(len(s), maxBlocks)
		d, n := escapeBlocks(&room[0], len(room), &s[0], most, len(s), ignoreHigh)
		dst, s = dst[:len(dst)+d], s[n:]
		if len(s) < 64 || n < most && cap(dst)-len(dst) >= 96 {
			return dst, s
		}
	}
}

const hexDigits = "0123456789abcdef"

// appendEscaped appends the escape of c, which needs one.
func appendEscaped(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, '\\', 'b')
	case '\t':
		return append(dst, '\\', 't')
	case '\n':
		return append(dst, '\\', 'n')
	case '\f':
		return append(dst, '\\', 'f')
	case '\r':
		return append(dst, '\\', 'r')
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}

// appendRepaired appends the rest of a JSON string, its closing quote too, with
// U+FFFD for what is not UTF-8.
func appendRepaired(dst, s []byte) []byte {
	for len(s) > 0 {
		n, valid := repair.Sequence(s)
		switch {
		case !valid:
			dst = append(dst, repair.Replacement...)
		case n == 1 && (s[0] < 0x20 || s[0] == '"' || s[0] == '\\'):
			dst = appendEscaped(dst, s[0])
		default:
			dst = append(dst, s[:n]...)
		}
		s = s[n:]
	}
	return append(dst, '"')
}
