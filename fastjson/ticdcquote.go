package fastjson

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"
	"unicode/utf8"
)

// Quoting for dialect ticdc, in the manner of quote.go. Escapes (spec: ticdc.md 8):
//
//	"  \             \" \\
//	below 0x20       \t \n \r, else \u00xx in lower-case hex
//	< > &            \u003c \u003e \u0026
//	U+2028, U+2029   \u2028 \u2029
//	bad UTF-8        \ufffd for each bad byte
//	all else         as it is

// lineLead is the first byte of U+2028 and U+2029, and of 4,094 characters more.
const lineLead = 0xe2

// toCheck has the high bit set at the lowest byte of w that is escaped in dialect
// ticdc, or that may be the first of a character that is. Bits above the lowest one
// may be wrong.
func toCheck(w uint64) uint64 {
	// `"` and & differ in one bit, and so do < and >.
	quote := (w | 0x04*ones) ^ '&'*ones
	angle := (w | 0x02*ones) ^ '>'*ones
	slash := w ^ '\\'*ones
	line := w ^ lineLead*ones
	return ((w-0x20*ones)&^w | (quote-ones)&^quote | (angle-ones)&^angle | (slash-ones)&^slash | (line-ones)&^line) & highs
}

// inCheck has for each byte whether toCheck finds it.
var inCheck = func() (t [256]bool) {
	for c := range t {
		t[c] = c < 0x20 || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' || c == lineLead
	}
	return t
}()

// ticdcText appends s as a JSON string of dialect ticdc, a long one as dialect canal
// does if that comes to the same: canal's ways are faster by then.
func (w *Writer) ticdcText(dst, s []byte) (out []byte, valid bool) {
	switch {
	case len(s) < blocksFrom:
	case haveBlocks:
		if alike(s) {
			return appendRest(append(slices.Grow(dst, len(s)+2), '"'), s, 0)
		}
	case len(s) >= sonicTiCDCFrom && alike(s):
		if out, ok := w.long.quote(dst, s); ok {
			return out, true
		}
	}
	return appendTiCDCQuoted(dst, s)
}

// alike reports whether the two dialects quote s alike.
func alike(s []byte) bool {
	for _, c := range [...]byte{'<', '>', '&', '\b', '\f'} {
		if bytes.IndexByte(s, c) >= 0 {
			return false
		}
	}
	if !utf8.Valid(s) {
		return false
	}
	for {
		i := bytes.IndexByte(s, lineLead)
		if i < 0 {
			return true
		}
		if isLine(s[i:]) {
			return false
		}
		s = s[i+3:]
	}
}

// appendTiCDCQuoted appends s as a JSON string of dialect ticdc; see appendQuoted.
func appendTiCDCQuoted(dst, s []byte) (out []byte, valid bool) {
	dst = append(slices.Grow(dst, len(s)+2), '"')
	watch := uint64(highs) // as in appendRest
	for {
		n := plainTiCDC(s, watch)
		dst = append(dst, s[:n]...)
		if n == len(s) {
			return append(dst, '"'), true
		}
		switch c := s[n]; {
		case c < utf8.RuneSelf:
			dst = appendTiCDCEscaped(dst, c)
			n++
		case watch == 0:
			dst = appendLineLead(dst, s[n:])
			n += 3
		case utf8.Valid(s[n:]):
			watch = 0
		default:
			return appendTiCDCRepaired(dst, s[n:]), false
		}
		s = s[n:]
	}
}

// plainTiCDC returns how many bytes at the beginning of s need no care: no escape,
// and no bit of watch set.
func plainTiCDC(s []byte, watch uint64) int {
	i := 0
	for {
		n := unchecked(s[i:], watch)
		i += n
		if i == len(s) || s[i] != lineLead || watch != 0 || isLine(s[i:]) {
			return i
		}
		i += 3
	}
}

// unchecked returns how many bytes at the beginning of s toCheck has nothing to say
// of, and have no bit of watch set.
func unchecked(s []byte, watch uint64) int {
	i := 0
	for ; i+8 <= len(s); i += 8 {
		w := binary.LittleEndian.Uint64(s[i:])
		if m := toCheck(w) | w&watch; m != 0 {
			return i + bits.TrailingZeros64(m)/8
		}
	}
	if i == 0 || i == len(s) {
		for i < len(s) && !inCheck[s[i]] && uint64(s[i])&watch == 0 {
			i++
		}
		return i
	}
	i = len(s) - 8 // the last eight, of which some have been seen
	w := binary.LittleEndian.Uint64(s[i:])
	if m := toCheck(w) | w&watch; m != 0 {
		return i + bits.TrailingZeros64(m)/8
	}
	return len(s)
}

// isLine reports whether s, whose first byte is lineLead and which is valid UTF-8,
// begins with U+2028 or U+2029.
func isLine(s []byte) bool { return s[1] == 0x80 && s[2]&^1 == 0xa8 }

// appendLineLead appends the character of three bytes at the beginning of s, whose
// first is lineLead.
func appendLineLead(dst, s []byte) []byte {
	if s[1] == 0x80 && s[2]&^1 == 0xa8 {
		return append(dst, '\\', 'u', '2', '0', '2', '8'+s[2]&1)
	}
	return append(dst, s[:3]...)
}

// appendTiCDCEscaped appends the escape of c, which is ASCII and needs one.
func appendTiCDCEscaped(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\t':
		return append(dst, '\\', 't')
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}

// appendTiCDCRepaired appends the rest of a JSON string, its closing quote too, with
// the escape of U+FFFD for each byte of what is not UTF-8.
func appendTiCDCRepaired(dst, s []byte) []byte {
	for len(s) > 0 {
		r, n := utf8.DecodeRune(s)
		switch {
		case n == 1 && r == utf8.RuneError:
			dst = append(dst, `\ufffd`...)
		case s[0] == lineLead:
			dst = appendLineLead(dst, s)
		case inCheck[s[0]]:
			dst = appendTiCDCEscaped(dst, s[0])
		default:
			dst = append(dst, s[:n]...)
		}
		s = s[n:]
	}
	return append(dst, '"')
}

// ticdcQuotedLen returns how many bytes appendTiCDCQuoted makes of s.
func ticdcQuotedLen(s []byte) int {
	n := 2
	for len(s) > 0 {
		r, k := utf8.DecodeRune(s)
		switch c := s[0]; {
		case r == utf8.RuneError && k == 1 || r == '\u2028' || r == '\u2029' || c == '<' || c == '>' || c == '&':
			n += 6
		case c == '"' || c == '\\' || c == '\t' || c == '\n' || c == '\r':
			n += 2
		case c < 0x20:
			n += 6
		default:
			n += k
		}
		s = s[k:]
	}
	return n
}
