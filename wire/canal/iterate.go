package canal

import "github.com/cdcodec/cdcodec/wire"

// repeated walks the elements of one repeated field of a message. The typed
// iterators of the views are made of it.
type repeated struct {
	r     wire.Reader
	names fieldNames
	tag   wire.Tag
	field wire.Field // the current element
	start wire.Reader
	err   *wire.ParseError
}

// elements returns an iterator before the first of the fields with that tag.
func elements(msg wire.Reader, names fieldNames, tag wire.Tag) repeated {
	return repeated{r: msg, start: msg, names: names, tag: tag}
}

func (it *repeated) next() bool {
	if it.err != nil {
		return false
	}
	for f, ok := it.r.Next(); ok; f, ok = it.r.Next() {
		if f.Tag == it.tag {
			it.field = f
			return true
		}
	}
	it.err = it.names.failed(it.r.Err(), it.start)
	return false
}

// message returns a Reader of the current element.
func (it *repeated) message() wire.Reader { return it.r.Message(it.field) }

// stop ends the iteration with an error inside the current element.
func (it *repeated) stop(err *wire.ParseError) {
	it.err = it.names.inElement(err, it.field, it.start)
}

// Pair is a view of one key and value of props. The bytes are borrowed and raw.
type Pair struct {
	Key, Value []byte
}

// ParsePair reads a Pair.
func ParsePair(b []byte) (Pair, error) {
	p, err := parsePair(wire.NewReader(b))
	return p, asError(err)
}

func parsePair(r wire.Reader) (p Pair, err *wire.ParseError) {
	msg := r
	for f, ok := r.Next(); ok; f, ok = r.Next() {
		switch f.Tag {
		case pairKey:
			p.Key = f.Bytes
		case pairValue:
			p.Value = f.Bytes
		}
	}
	return p, pairNames.failed(r.Err(), msg)
}

// Pairs iterates over the props of a view:
//
//	for props := h.Props(); props.Next(); {
//		p := props.Pair()
//		…
//	}
//
// It reads as it goes: Err tells after the last Next whether all was good.
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
			if p.pair, err = parsePair(p.it.message()); err != nil {
				p.it.stop(err)
				return false
			}
			return true
		}
		if p.it.err != nil || !p.split || !p.outer.next() {
			return false
		}
		p.it = elements(p.outer.message(), headerNames, headerProps)
	}
}

// Pair returns the current Pair.
func (p *Pairs) Pair() Pair { return p.pair }

// Err returns the error that stopped Next, if one did.
func (p *Pairs) Err() error {
	if p.it.err == nil {
		return asError(p.outer.err)
	}
	return p.it.err
}
