package fastjson

// A Writer's "old" has one element for each row, its "data" only for rows that have
// columns. Where old is longer, which row is which is not told. As a rule it does
// not matter and the last rows get none; with Options.OldPerRow it does: a row
// that has columns in old must be one that has them in data.

// alignEven is align for an even message with columns in a row behind the last one
// of data. It returns false where that cannot be mended.
func (r *Reader) alignEven() bool {
	h, c := &r.head, &r.cursor
	c.moved = zeroWords(c.moved, h.old.count/64+1)
	free := 0
	p := h.old.at
	for i := range h.old.count {
		if r.firstMember(p) < 0 && r.mayMove(i) {
			c.moved[i/64] |= 1 << (i % 64)
			free++
		}
		p = r.behindElement(p)
	}
	// Only the last ones do without.
	surplus := free - (h.old.count - h.data.count)
	for i := 0; i < h.old.count && surplus > 0; i++ {
		if c.isMoved(i) {
			c.moved[i/64] &^= 1 << (i % 64)
			surplus--
		}
	}
	if surplus < 0 {
		c.moved = c.moved[:0]
		return false
	}
	return true
}

// mayMove reports whether row i, which is empty in old, may lack data. The first
// row must have it if there are keys: they are its.
func (r *Reader) mayMove(i int) bool { return i > 0 || r.head.pkNames.count == 0 }

// maxMissing is how many rows without data align can place; alignEffort bounds the
// bytes it looks at, as a multiple of the message.
const (
	maxMissing  = 62
	alignEffort = 64
)

// align finds rows without data, the last ones possible, so that all others have,
// in data, all columns they have in old. It leaves things as they are where there
// is no such choice.
//
// before[i] has bit k set if that can be done for the rows before i with k of
// them without data, and bit 63 if row i-1 may be one of them.
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
		if member < 0 && r.mayMove(i) {
			before[i+1] = 1 << 63
		}
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
			if before[i+1]>>63 > 0 && k < missing {
				before[i+1] |= 1 << (k + 1)
			}
		}
		p = next
	}
	if before[h.old.count]>>missing&1 == 0 {
		return
	}
	c.moved = zeroWords(c.moved, h.old.count/64+1)
	k := missing
	for i := h.old.count; k > 0; i-- {
		if before[i]>>63 > 0 && before[i-1]>>(k-1)&1 > 0 {
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
