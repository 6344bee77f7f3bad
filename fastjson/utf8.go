package fastjson

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"math/bits"
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

// textHash hashes texts, with a key of its own that nobody
// who sends column names can know.
type textHash struct {
	seed   maphash.Seed
	k0, k1 uint64 // from seed; 0 both if it is not made yet
}

func (h *textHash) init() {
	h.seed = maphash.MakeSeed()
	h.k0, h.k1 = maphash.String(h.seed, "0")|1, maphash.String(h.seed, "1")
}

// of returns the hash of s: of its bytes, or, if it is not raw, of what they are
// after repair. Short ASCII, as nearly all names of columns are, takes
// a quarter of the time of what hash/maphash and a look at UTF-8 need.
func (h *textHash) of(s []byte, raw bool) uint32 {
	var a, b uint64
	switch n := len(s); {
	case n > 16:
		a = highs
	case n >= 8:
		a, b = binary.LittleEndian.Uint64(s), binary.LittleEndian.Uint64(s[n-8:])
	case n >= 4:
		a, b = uint64(binary.LittleEndian.Uint32(s)), uint64(binary.LittleEndian.Uint32(s[n-4:]))
	case n > 0:
		a = uint64(s[0]) | uint64(s[n/2])<<8 | uint64(s[n-1])<<16
	}
	if (a|b)&highs == 0 {
		high, low := bits.Mul64(a^h.k0, b^h.k1^uint64(len(s))<<56)
		return uint32((high ^ low) >> 16)
	}
	if raw || utf8.Valid(s) {
		return uint32(maphash.Bytes(h.seed, s))
	}
	var m maphash.Hash
	m.SetSeed(h.seed)
	for len(s) > 0 {
		var char []byte
		char, s = next(s)
		m.Write(char)
	}
	return uint32(m.Sum64())
}
