package canal

import (
	"math/bits"
	"slices"

	"github.com/cdcodec/cdcodec/wire"
)

// A gap is the place of a length that is not known yet: room is left for it, and
// where it turns out to take another number of bytes what is behind it is moved.
// Each byte is moved once a gap at the most, so that the time stays linear.
type gap struct {
	at    int // of its first byte
	width int // bytes of room
}

// openGap appends a gap of that width, of up to 5.
func openGap(dst []byte, width int) (gap, []byte) {
	return gap{len(dst), width}, append(dst, "\x00\x00\x00\x00\x00"[:width]...)
}

// close sets the length to that of all behind the gap. It can be called again
// when that has become more.
func (g *gap) close(dst []byte) []byte {
	n := len(dst) - g.at - g.width
	if width := sizeVarint(uint64(n)); width != g.width {
		dst = g.move(dst, width)
	}
	wire.AppendVarint(dst[:g.at], uint64(n))
	return dst
}

// move gives g another width.
func (g *gap) move(dst []byte, width int) []byte {
	from, n := g.at+g.width, len(dst)-g.at-g.width
	dst = slices.Grow(dst, max(0, width-g.width))[:g.at+width+n]
	copy(dst[g.at+width:], dst[from:from+n])
	g.width = width
	return dst
}

// sizeVarint returns how many bytes v takes as a varint.
func sizeVarint(v uint64) int { return (bits.Len64(v|1)*9 + 64) >> 6 }

// sizeBytes returns how many bytes v takes behind its length, which counts.
func sizeBytes(v []byte) int { return sizeVarint(uint64(len(v))) + len(v) }
