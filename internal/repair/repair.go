// Package repair says what text that is not UTF-8 stands for, as Java reads the
// strings of a protobuf message (spec: canal.md 2, rule 11). Who shows such text, and
// who only compares or hashes it, must agree about that.
package repair

import (
	"bytes"
	"unicode/utf8"
)

// Replacement is U+FFFD, which stands for each bad sequence.
const Replacement = "\uFFFD"

var replacement = []byte(Replacement)

// Sequence returns the length of the first character of s, which is not empty,
// or, when valid is false, of the bytes that one U+FFFD stands for: a maximal
// subpart of a character, but an encoded surrogate, whole or cut behind its second
// byte, in one.
func Sequence(s []byte) (n int, valid bool) {
	c := s[0]
	if c < utf8.RuneSelf {
		return 1, true
	}
	if _, n := utf8.DecodeRune(s); n > 1 {
		return n, true
	}
	// What may follow the lead byte, and how many bytes a character has.
	low, high, size := byte(0x80), byte(0xbf), 1
	switch {
	case c >= 0xc2 && c <= 0xdf:
		size = 2
	case c >= 0xe0 && c <= 0xef:
		size = 3
		if c == 0xe0 {
			low = 0xa0
		}
	case c >= 0xf0 && c <= 0xf4:
		size = 4
		switch c {
		case 0xf0:
			low = 0x90
		case 0xf4:
			high = 0x8f
		}
	}
	for n = 1; n < size && n < len(s) && s[n] >= low && s[n] <= high; n++ {
		low, high = 0x80, 0xbf
	}
	return n, false
}

// Next returns the first character of s after repair, and what follows it. s is not
// empty; the character may not be written to.
func Next(s []byte) (char, rest []byte) {
	n, valid := Sequence(s)
	if !valid {
		return replacement, s[n:]
	}
	return s[:n], s[n:]
}

// Append appends s, repaired, to dst.
func Append(dst, s []byte) []byte {
	if utf8.Valid(s) {
		return append(dst, s...)
	}
	for len(s) > 0 {
		var char []byte
		char, s = Next(s)
		dst = append(dst, char...)
	}
	return dst
}

// Same reports whether a and b are the same text after repair.
func Same(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	if utf8.Valid(a) && utf8.Valid(b) {
		return false
	}
	for len(a) > 0 && len(b) > 0 {
		var ra, rb []byte
		ra, a = Next(a)
		rb, b = Next(b)
		if !bytes.Equal(ra, rb) {
			return false
		}
	}
	return len(a) == len(b)
}
