package fastjson

import (
	"bytes"
	"hash/maphash"
	"unicode/utf8"
)

// replacement is U+FFFD, which stands for each bad sequence.
const replacement = "\uFFFD"

// sequence returns the length of the first character of s, which is not empty,
// or, when valid is false, of the bytes that one U+FFFD stands for (spec:
// canal.md 2, rule 11): a maximal subpart of a character, but an encoded
// surrogate, whole or cut behind its second byte, in one.
func sequence(s []byte) (n int, valid bool) {
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

// sameText reports whether a and b are the same text after repair.
func sameText(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	if utf8.Valid(a) && utf8.Valid(b) {
		return false
	}
	for len(a) > 0 && len(b) > 0 {
		var ra, rb []byte
		ra, a = next(a)
		rb, b = next(b)
		if !bytes.Equal(ra, rb) {
			return false
		}
	}
	return len(a) == len(b)
}

// next returns the first character of s after repair, and what follows it.
func next(s []byte) (char, rest []byte) {
	n, valid := sequence(s)
	if !valid {
		return replacementBytes, s[n:]
	}
	return s[:n], s[n:]
}

var replacementBytes = []byte(replacement)

// hashText hashes what s is after repair.
func hashText(seed maphash.Seed, s []byte) uint32 {
	if utf8.Valid(s) {
		return uint32(maphash.Bytes(seed, s))
	}
	var h maphash.Hash
	h.SetSeed(seed)
	for len(s) > 0 {
		var char []byte
		char, s = next(s)
		h.Write(char)
	}
	return uint32(h.Sum64())
}
