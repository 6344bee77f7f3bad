package change

// maxOld is how many columns of a partial Before a Whole looks at: it compares each
// with each of After.
const maxOld = 64

// Whole is the [Rows] of a partial UPDATE (see Event.Partial) with its Before
// images completed: they have the columns of After in their order, with the values
// of Before where that has them, and then what Before has beside. A Before of more
// than 64 columns stays as it is.
type Whole struct {
	Rows
	old    [maxOld]uint32 // Refs of the Before columns
	given  uint64         // which of them have been given, as bits
	n      int            // how many there are
	whole  bool           // a completed Before is being read
	column Column
}

// Select implements [Rows].
func (w *Whole) Select(im Image) {
	w.whole = false
	w.Rows.Select(im)
	if im != Before {
		return
	}
	w.n, w.given = 0, 0
	for c := w.Rows.Column(); c != nil; c = w.Rows.Column() {
		if w.n == maxOld {
			w.Rows.Select(Before)
			return
		}
		w.old[w.n] = c.Ref
		w.n++
	}
	w.whole = true
	w.Rows.Select(After)
}

// Column implements [Rows].
func (w *Whole) Column() *Column {
	c := w.Rows.Column()
	if !w.whole {
		return c
	}
	if c == nil {
		for i := range w.n {
			if w.given>>i&1 == 0 {
				w.given |= 1 << i
				return w.Rows.At(w.old[i])
			}
		}
		return nil
	}
	for i := range w.n {
		if was := w.Rows.At(w.old[i]); string(was.Name) == string(c.Name) {
			w.given |= 1 << i
			return was
		}
	}
	w.column = *c
	w.column.Updated = false
	return &w.column
}

// MaxNames implements [Rows].
func (w *Whole) MaxNames(im Image) int {
	n := w.Rows.MaxNames(im)
	if im == Before {
		n += w.Rows.MaxNames(After)
	}
	return n
}
