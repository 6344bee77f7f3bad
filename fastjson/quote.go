package fastjson

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"unicode/utf8"
)

// How this file is arranged: appendQuoted is the loop over what needs no care,
// eight bytes at a time; appendEscaped and the functions of utf8.go are what it
// calls for the rest. Escapes are those of dialect canal (spec: canal.md 2,
// rule 10):
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
func toEscape(w uint64) uint64 {
	quote := w ^ '"'*ones
	slash := w ^ '\\'*ones
	return ((w-0x20*ones)&^w | (quote-ones)&^quote | (slash-ones)&^slash) & highs
}

// appendQuoted appends s as a JSON string. Invalid UTF-8 is repaired, and valid
// tells whether there was none.
func appendQuoted(dst, s []byte) (out []byte, valid bool) {
	dst = slices.Grow(dst, len(s)+2)
	dst = append(dst, '"')
	done := 0 // s[:done] is written
	i := 0
	// High bytes stop the scan as escapes do, until one is met: then all of
	// the rest is either valid, and they mean nothing any more, or is not.
	watch := uint64(highs)
	for {
		for i+8 <= len(s) {
			w := binary.LittleEndian.Uint64(s[i:])
			if m := toEscape(w) | w&watch; m != 0 {
				i += bits.TrailingZeros64(m) / 8
				break
			}
			i += 8
		}
		if i+8 > len(s) {
			for i < len(s) && s[i] >= 0x20 && s[i] != '"' && s[i] != '\\' && uint64(s[i])&watch == 0 {
				i++
			}
			if i == len(s) {
				break
			}
		}
		c := s[i]
		if c >= 0x80 {
			if !utf8.Valid(s[i:]) {
				return appendRepaired(append(dst, s[done:i]...), s[i:]), false
			}
			watch = 0
			continue
		}
		dst = append(dst, s[done:i]...)
		dst = appendEscaped(dst, c)
		i++
		done = i
	}
	dst = append(dst, s[done:]...)
	return append(dst, '"'), true
}

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
	const hex = "0123456789abcdef"
	return append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
}

// appendRepaired appends the rest of a JSON string, its closing quote too, with
// U+FFFD for what is not UTF-8.
func appendRepaired(dst, s []byte) []byte {
	for len(s) > 0 {
		n, valid := sequence(s)
		switch {
		case !valid:
			dst = append(dst, replacement...)
		case n == 1 && (s[0] < 0x20 || s[0] == '"' || s[0] == '\\'):
			dst = appendEscaped(dst, s[0])
		default:
			dst = append(dst, s[:n]...)
		}
		s = s[n:]
	}
	return append(dst, '"')
}
