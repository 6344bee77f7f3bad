package mem

import "math/bits"

// Uvarint reads a protobuf varint of up to eight bytes at i and returns the
// position behind it, 0 for a longer one. Eight bytes at i must be there,
// whatever its length.
func (v View) Uvarint(i int) (x uint64, next int) {
	w := v.U64(i)
	stop := ^w & 0x8080808080808080
	if stop == 0 {
		return 0, 0
	}
	// Cut behind the last byte, then close the gaps between groups of seven
	// bits: 7 to 14, 14 to 28, 28 to 56.
	w &= stop ^ (stop - 1)
	w = w&0x007f007f007f007f | w>>1&0x3f803f803f803f80
	w = w&0x00003fff00003fff | w>>2&0x0fffc0000fffc000
	w = w&0x000000000fffffff | w>>4&0x00fffffff0000000
	return w, i + bits.TrailingZeros64(stop)/8 + 1
}
