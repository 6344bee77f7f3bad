package fastjson

// nameOrder lists the names of one row by their numbers in a nameTable. Mostly they
// are numbers in a row, as names are numbered when they are seen: then it holds
// no list. Else it does, in pieces, so that it takes 4 bytes for a name and never
// copies.
type nameOrder struct {
	first, n  int // numbers first to first+n-1, or
	scattered bool
	pieces    [][]uint32 // these n, orderPiece in each piece
}

const (
	orderPiece = 1 << 10
	keepPieces = keepEntries / orderPiece
)

// reset empties o.
func (o *nameOrder) reset() { o.first, o.n, o.scattered = 0, 0, false }

// release gives memory back that has become large.
func (o *nameOrder) release() {
	if len(o.pieces) > keepPieces {
		o.pieces = nil
	}
}

// add appends a number.
func (o *nameOrder) add(k int) {
	if o.n == 0 {
		o.first = k
	}
	if !o.scattered {
		if k == o.first+o.n {
			o.n++
			return
		}
		n := o.n
		o.scattered, o.n = true, 0
		for i := range n {
			o.push(o.first + i)
		}
	}
	o.push(k)
}

func (o *nameOrder) push(k int) {
	if o.n == len(o.pieces)*orderPiece {
		o.pieces = append(o.pieces, make([]uint32, orderPiece))
	}
	o.pieces[o.n/orderPiece][o.n%orderPiece] = uint32(k)
	o.n++
}

// at returns the i-th number.
func (o *nameOrder) at(i int) int {
	if o.scattered {
		return int(o.pieces[i/orderPiece][i%orderPiece])
	}
	return o.first + i
}
