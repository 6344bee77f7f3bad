package tidbbinlog

import (
	"github.com/cdcodec/cdcodec/internal/fields"
	"github.com/cdcodec/cdcodec/wire"
)

// Iterator steps through the elements of a repeated field:
//
//	for tables := b.Tables(); tables.Next(); {
//		t := tables.Value()
//		…
//	}
//
// It reads as it goes: Err tells after the last Next whether all was good. Where
// the message that has the field is given in parts, they are read as one.
type Iterator[T any] struct {
	parts  wire.Reader // its current field is the part at hand
	inside wire.Tag    // of the parts; 0 where there are none
	r      wire.Reader // its current field is the current element
	tag    wire.Tag
	names  [2]fieldNames // of the parts' fields, of the elements' fields
	before int           // elements in the parts before
	count  int           // elements so far
	parse  func(wire.Message) (T, *wire.ParseError)
	value  T
	err    *wire.ParseError
}

// elements returns an Iterator over the fields of m with that tag.
func elements[T any](m wire.Message, names fieldNames, tag wire.Tag, parse func(wire.Message) (T, *wire.ParseError)) Iterator[T] {
	return Iterator[T]{r: m.Reader(), names: [2]fieldNames{1: names}, tag: tag, parse: parse}
}

// Next reads the next element.
func (i *Iterator[T]) Next() bool {
	for i.err == nil {
		for i.r.Next() {
			if i.r.Tag != i.tag {
				continue
			}
			var err *wire.ParseError
			if i.value, err = i.parse(i.r.Message()); err != nil {
				i.stop(i.names[1].inside(err, &i.r, i.before))
				return false
			}
			i.count++
			return true
		}
		if err := i.names[1].failed(&i.r, i.before); err != nil {
			i.stop(err)
			return false
		}
		if !i.nextPart() {
			return false
		}
	}
	return false
}

// nextPart goes before the first element of the next part.
func (i *Iterator[T]) nextPart() bool {
	for i.inside != 0 && i.parts.Next() {
		if i.parts.Tag == i.inside {
			i.r, i.before = i.parts.Message().Reader(), i.count
			return true
		}
	}
	i.err = i.names[0].failed(&i.parts, 0)
	return false
}

// stop ends the iteration with an error in a part.
func (i *Iterator[T]) stop(err *wire.ParseError) {
	if i.inside != 0 {
		err = i.names[0].inside(err, &i.parts, 0)
	}
	i.err = err
}

// Value returns the current element.
func (i *Iterator[T]) Value() T { return i.value }

// Err returns the error that stopped Next, if one did.
func (i *Iterator[T]) Err() error { return fields.Error(i.err) }
