package bench

import (
	"bytes"
	"encoding/json"
	"io"
	"strconv"
)

// This file is encoding/json. Objects are json.Marshalers; all strings are written by
// an Encoder without HTML escapes, as Marshal cannot leave these out.

// An stdQuoter writes strings onto a buffer.
type stdQuoter struct {
	s   string
	b   bytes.Buffer
	enc *json.Encoder
}

func (q *stdQuoter) quote(s string) error {
	q.s = s
	err := q.enc.Encode(&q.s)
	q.b.Truncate(q.b.Len() - 1) // the line feed of Encode
	return err
}

type stdView view[*stdQuoter]

// MarshalJSON implements [json.Marshaler]. What it returns is good until the next
// call of any view of the message: the libraries copy it at once.
func (o *stdView) MarshalJSON() ([]byte, error) {
	v, q := (*view[*stdQuoter])(o), o.quoter
	q.b.Reset()
	next := byte('{')
	for j := range v.len() {
		m := v.at(j)
		if m.kind == memberHidden {
			continue
		}
		q.b.WriteByte(next)
		next = ','
		if err := q.quote(m.name); err != nil {
			return nil, err
		}
		q.b.WriteByte(':')
		switch m.kind {
		case memberNull:
			q.b.WriteString("null")
		case memberNumber:
			q.b.Write(strconv.AppendInt(q.b.AvailableBuffer(), m.number, 10))
		default:
			if err := q.quote(m.text); err != nil {
				return nil, err
			}
		}
	}
	if next == '{' {
		q.b.WriteByte(next)
	}
	q.b.WriteByte('}')
	return q.b.Bytes(), nil
}

func v1Write() Run {
	b := viewer[stdView, *stdQuoter]{quoter: new(stdQuoter)}
	b.quoter.enc = newEncoder(&b.quoter.b)
	var out appender
	enc := newEncoder(&out)
	return func(dst []byte, r *Record) ([]byte, uint64, error) {
		out = dst
		if err := enc.Encode(b.of(r.Flat)); err != nil {
			return dst, 0, err
		}
		return out[:len(out)-1], 0, nil // without the line feed
	}
}

func newEncoder(w io.Writer) *json.Encoder {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e
}

// v1Maps is encoding/json with maps.
func v1Maps([]Record) Run {
	var (
		b   mapper
		out appender
	)
	enc := newEncoder(&out)
	return func(dst []byte, r *Record) ([]byte, uint64, error) {
		out = dst
		if err := enc.Encode(b.of(r.Flat)); err != nil {
			return dst, 0, err
		}
		return out[:len(out)-1], 0, nil // without the line feed
	}
}

// An appender is an io.Writer onto a slice.
type appender []byte

func (a *appender) Write(b []byte) (int, error) {
	*a = append(*a, b...)
	return len(b), nil
}
