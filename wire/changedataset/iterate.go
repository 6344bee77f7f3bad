package changedataset

import (
	"github.com/cdcodec/cdcodec/internal/fields"
	"github.com/cdcodec/cdcodec/wire"
)

// Elements iterates over the messages of a repeated field:
//
//	for changes := set.Changes(); changes.Next(); {
//		c := changes.Element()
//		…
//	}
//
// It reads as it goes: Err tells after the last Next whether all was good. The
// elements borrow the bytes they are read from.
type Elements[T any] struct {
	r     wire.Reader // its current field is the current element
	names fieldNames
	tag   wire.Tag
	parse func(wire.Message) (T, *wire.ParseError)
	cur   T
	err   *wire.ParseError
}

// elements returns an iterator before the first of m's fields with that tag.
func elements[T any](m wire.Message, names fieldNames, tag wire.Tag, parse func(wire.Message) (T, *wire.ParseError)) Elements[T] {
	return Elements[T]{r: m.Reader(), names: names, tag: tag, parse: parse}
}

// Next reads the next element.
func (e *Elements[T]) Next() bool {
	if e.err != nil {
		return false
	}
	for e.r.Next() {
		if e.r.Tag != e.tag {
			continue
		}
		cur, err := e.parse(e.r.Message())
		if err != nil {
			e.err = e.names.inside(err, &e.r)
			return false
		}
		e.cur = cur
		return true
	}
	e.err = e.names.failed(&e.r)
	return false
}

// Element returns the current element, after Next has returned true.
func (e *Elements[T]) Element() T { return e.cur }

// Err returns the error that stopped Next, if one did.
func (e *Elements[T]) Err() error { return fields.Error(e.err) }
