package change

// maxOld is how many columns of a partial Before a Whole looks at: it compares each
// with each of After.
const maxOld = 64

// Whole is the [Rows] of a partial UPDATE (see Event.Partial) with its Before
// images completed by what After has and they lack. A Before's own columns keep
// their order: each stands where After has it, or, where After has them in another
// order or not at all, at the end. A Before of more than 64 columns stays as it is.
type Whole struct {
	Rows
	old    [maxOld]uint32 // Refs of the Before columns
	n      int            // how many there are
	given  int            // how many of them have been given
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
	for ; c != nil; c = w.Rows.Column() {
		switch i := w.find(c.Name); {
		case i < 0:
			w.column = *c
			w.column.Updated = false
			return &w.column
		case i == w.given:
			w.given++
			return w.Rows.At(w.old[i])
		}
	}
	if w.given == w.n {
		return nil
	}
	w.given++
	return w.Rows.At(w.old[w.given-1])
}

// find returns the number of the Before column of that name, -1 if there is none.
func (w *Whole) find(name []byte) int {
	for i := range w.n {
		if string(w.Rows.At(w.old[i]).Name) == string(name) {
			return i
		}
	}
	return -1
}

// MaxNames implements [Rows].
func (w *Whole) MaxNames(im Image) int {
	n := w.Rows.MaxNames(im)
	if im == Before {
		n += w.Rows.MaxNames(After)
	}
	return n
}
