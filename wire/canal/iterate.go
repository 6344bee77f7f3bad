package canal

import (
	"github.com/cdcodec/cdcodec/internal/fields"
	"github.com/cdcodec/cdcodec/wire"
)

// repeated walks the elements of one repeated field of a message. The typed
// iterators of the views are made of it.
type repeated struct {
	r     wire.Reader // its current field is the current element
	names fieldNames
	tag   wire.Tag
	err   *wire.ParseError
}

// elements returns an iterator before the first of the fields with that tag.
func elements(msg wire.Message, names fieldNames, tag wire.Tag) repeated {
	return repeated{r: msg.Reader(), names: names, tag: tag}
}

func (it *repeated) next() bool {
	if it.err != nil {
		return false
	}
	for it.r.Next() {
		if it.r.Tag == it.tag {
			return true
		}
	}
	it.err = it.names.failed(&it.r)
	return false
}

// stop ends the iteration with an error inside the current element.
func (it *repeated) stop(err *wire.ParseError) {
	it.err = it.names.inside(err, &it.r)
}

// Pair is a view of one key and value of props. It borrows the bytes it was
// parsed from; they are raw, not always UTF-8.
type Pair struct {
	Key, Value []byte
}

// ParsePair reads a Pair.
func ParsePair(b []byte) (Pair, error) {
	p, err := parsePair(wire.NewMessage(b))
	if err != nil {
		return Pair{}, err
	}
	return p, nil
}

func parsePair(m wire.Message) (p Pair, err *wire.ParseError) {
	r := m.Reader()
	for r.Next() {
		switch r.Tag {
		case pairKey:
			p.Key = r.Bytes
		case pairValue:
			p.Value = r.Bytes
		}
	}
	return p, pairNames.failed(&r)
}

// Pairs iterates over the props of a view:
//
//	for props := h.Props(); props.Next(); {
//		p := props.Pair()
//		…
//	}
//
// It reads as it goes: Err tells after the last Next whether all was good. It
// borrows what the view was parsed from: it and all it gives are good until those
// bytes are written to.
type Pairs struct {
	outer repeated // the fragments of a merged header
	it    repeated
	split bool // outer counts
	pair  Pair
}

// Next steps to the next Pair.
func (p *Pairs) Next() bool {
	for {
		if p.it.next() {
			var err *wire.ParseError
			if p.pair, err = parsePair(p.it.r.Message()); err != nil {
				p.it.stop(err)
				return false
			}
			return true
		}
		if p.it.err != nil || !p.split || !p.outer.next() {
			return false
		}
		p.it = elements(p.outer.r.Message(), headerNames, headerProps)
	}
}

// Pair returns a copy of the current Pair, which stays good when Next steps on; its
// slices are borrowed.
func (p *Pairs) Pair() Pair { return p.pair }

// Err returns the error that stopped Next, if one did.
func (p *Pairs) Err() error {
	if p.it.err == nil {
		return fields.Error(p.outer.err)
	}
	return p.it.err
}
