package partition

import (
	"math/bits"

	"github.com/cdcodec/cdcodec/internal/mem"
)

// Steps over single fields, for entry.go.

// skipVarint returns the position behind the varint at p, tag and all, of which there are
// nine bytes in v; 0 if it goes behind end, or has more than eight without its tag.
func skipVarint(v mem.View, p, end int) int {
	stop := ^v.U64(p+1) & highs
	if p += bits.TrailingZeros64(stop)/8 + 2; stop == 0 || p > end {
		return 0
	}
	return p
}

// skipText returns the position behind the text at p, tag and all, which is not behind
// end; 0 for one of 128 bytes or more.
func skipText(v mem.View, p, end int) int {
	n := int(v.U8(p + 1))
	if p += 2 + n; n >= 0x80 || p > end {
		return 0
	}
	return p
}

// varintAt returns the position behind the varint at p, 0 if there is none.
func varintAt(b []byte, p int) int {
	for i := p; i < len(b) && i < p+10; i++ {
		if b[i] < 0x80 {
			return i + 1
		}
	}
	return 0
}

// lengthAt reads a length of up to four bytes at p and returns where what it speaks of
// begins and ends; an end of 0 if that is not in b.
func lengthAt(b []byte, p int) (start, end int) {
	n := 0
	for shift := 0; shift <= 21 && p < len(b); shift += 7 {
		c := b[p]
		p++
		if n |= int(c&0x7f) << shift; c < 0x80 {
			if n > len(b)-p {
				return 0, 0
			}
			return p, p + n
		}
	}
	return 0, 0
}
