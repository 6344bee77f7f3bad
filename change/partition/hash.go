package partition

import (
	"encoding/binary"
	"unicode/utf8"

	"github.com/cdcodec/cdcodec/internal/repair"
)

// Hash returns Java's String.hashCode of the text s: 31*h + unit over its UTF-16
// units, in 32 bits. Where s is not UTF-8 it is that of what Canal reads instead
// (spec: canal.md 2, rule 11).
func Hash(s []byte) int32 {
	h := uint32(0)
	for len(s) >= 8 {
		w := binary.LittleEndian.Uint64(s)
		if w&0x8080808080808080 != 0 {
			return hashText(h, s)
		}
		// Eight steps in one: each byte has its own power of 31, and only h waits.
		h = h*p8 + uint32(byte(w))*p7 + uint32(byte(w>>8))*p6 + uint32(byte(w>>16))*p5 + uint32(byte(w>>24))*p4 +
			uint32(byte(w>>32))*p3 + uint32(byte(w>>40))*p2 + uint32(byte(w>>48))*31 + uint32(w>>56)
		s = s[8:]
	}
	for i, c := range s {
		if c >= utf8.RuneSelf {
			return hashText(h, s[i:])
		}
		h = 31*h + uint32(c)
	}
	return int32(h)
}

// The powers of 31, in 32 bits.
const (
	p2 = 31 * 31
	p3 = p2 * 31
	p4 = p3 * 31
	p5 = p4 * 31
	p6 = p5 * 31
	p7 = p6 * 31 & 0xffffffff
	p8 = p7 * 31 & 0xffffffff
)

// hashText is Hash for text that is not all ASCII, behind what has the hash h.
func hashText(h uint32, s []byte) int32 {
	for len(s) > 0 {
		r, n := utf8.DecodeRune(s)
		switch {
		case n == 1 && r == utf8.RuneError:
			n, _ = repair.Sequence(s)
			h = 31*h + utf8.RuneError
		case r < 0x10000:
			h = 31*h + uint32(r)
		default: // two units, a surrogate pair
			r -= 0x10000
			h = 31*h + 0xd800 + uint32(r>>10)
			h = 31*h + 0xdc00 + uint32(r&0x3ff)
		}
		s = s[n:]
	}
	return int32(h)
}

// index returns the partition, of n, that a hash stands for: abs(abs(h) % n) with an
// abs that leaves the lowest int as it is.
func index(h, n int32) int32 {
	if h < 0 {
		h = -h
	}
	if h %= n; h < 0 {
		h = -h
	}
	return h
}
