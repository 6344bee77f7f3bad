package fastjson

import "math/bits"

// A Writer's "old" has one element for each row, its "data" only for rows that have
// columns. Where old is longer, which row is which is not told. As a rule it does
// not matter and the last rows get none; with Options.OldPerRow it does: a row
// that has columns in old must be one that has them in data.

// alignEven is align for an even message with columns in a row behind the last one
// of data. It returns false where that cannot be mended.
func (r *Reader) alignEven() bool {
	h, c := &r.head, &r.cursor
	missing := h.old.count - h.data.count
	c.moved = zeroWords(c.moved, h.old.count/64+1)
	p := h.old.at
	for i := range h.old.count {
		if r.firstMember(p) < 0 && r.mayMove(i) && missing > 0 {
			c.moved[i/64] |= 1 << (i % 64)
			missing--
		}
		p = r.behindElement(p)
	}
	if missing > 0 {
		c.moved = c.moved[:0]
	}
	return missing == 0
}

// mayMove reports whether row i, which is empty in old, may lack data. The first
// row must have it if there are keys: they are its.
func (r *Reader) mayMove(i int) bool { return i > 0 || r.head.pkNames.count == 0 }

// maxMissing is how many rows without data align can place; alignEffort bounds the
// bytes it looks at, as a multiple of the message.
const (
	maxMissing  = 63
	alignEffort = 64
)

// align finds rows without data so that all others have, in data, all columns they
// have in old. It leaves things as they are where there is no such choice.
//
// before[i] has bit k set if that can be done for the rows before i with k of
// them without data.
func (r *Reader) align() {
	h, c, u := &r.head, &r.cursor, &r.uneven
	missing := h.old.count - h.data.count
	if missing > maxMissing {
		return
	}
	data := make([]uint32, h.data.count)
	for i, p := 0, h.data.at; i < len(data); i++ {
		data[i] = uint32(p)
		p = r.behindElement(p)
	}
	effort := alignEffort * len(r.b)
	before := make([]uint64, h.old.count+1)
	before[0] = 1
	for i, p := 0, h.old.at; i < h.old.count; i++ {
		next := r.behindElement(p)
		member := r.firstMember(p)
		for k := range missing + 1 {
			if before[i]>>k&1 == 0 {
				continue
			}
			if n := i - k; n < len(data) {
				if member >= 0 {
					size := next - p + int(dataEnd(data, n, h.data.end)-data[n])
					if effort -= size; effort < 0 {
						return
					}
					u.row.fillRow(r, r.firstMember(int(data[n])), u.room(r))
				}
				if member < 0 || r.hasAll(&u.row, member) {
					before[i+1] |= 1 << k
				}
			}
			if member < 0 && k < missing && r.mayMove(i) {
				before[i+1] |= 1 << (k + 1)
			}
		}
		p = next
	}
	if bits.Len64(before[h.old.count]) != missing+1 {
		return
	}
	c.moved = zeroWords(c.moved, h.old.count/64+1)
	for i, k := h.old.count, missing; i > 0; i-- {
		if before[i-1]>>k&1 == 0 || i-1-k >= len(data) {
			k--
			c.moved[(i-1)/64] |= 1 << ((i - 1) % 64)
		}
	}
}

// dataEnd returns where element n of data ends, or a bit behind that.
func dataEnd(data []uint32, n, end int) uint32 {
	if n+1 < len(data) {
		return data[n+1]
	}
	return uint32(end)
}
