//go:build (amd64 || arm64) && !purego

package bench

import (
	"reflect"
	"strconv"

	"github.com/bytedance/sonic"
	"github.com/bytedance/sonic/encoder"
)

// sonicWriters is sonic in three ways of calling it: by its default, by its fastest
// setting, and onto a buffer of the caller's.
func sonicWriters() []Peer {
	return []Peer{
		plainPeer("sonic-encodeinto", sonicEncodeInto),
		plainPeer("sonic-fastest", func() Run { return sonicMarshal(sonic.ConfigFastest) }),
		{Name: "sonic-maps", New: sonicMaps, Loose: true},
		plainPeer("sonic", func() Run { return sonicMarshal(sonic.ConfigDefault) }),
	}
}

// sonicConverters is sonic with maps behind vtprotobuf.
func sonicConverters() []Peer {
	return []Peer{{Name: "vtproto+sonic-maps", Loose: true, New: func(s []Record) Run { return convertRun(vtKept(), sonicMaps(s)) }}}
}

func newSonicViewer() *viewer[sonicView, *sonicQuoter] {
	if err := encoder.Pretouch(reflect.TypeFor[message[*sonicView]]()); err != nil {
		panic(err) // a struct as plain as that can be compiled
	}
	return &viewer[sonicView, *sonicQuoter]{quoter: new(sonicQuoter)}
}

func sonicEncodeInto() Run {
	b := newSonicViewer()
	var out []byte
	return func(dst []byte, r *Record) ([]byte, uint64, error) {
		out = dst
		err := encoder.EncodeInto(&out, b.of(r.Flat), encoder.NoValidateJSONMarshaler)
		return out, 0, err
	}
}

// sonicMaps is sonicEncodeInto with maps.
func sonicMaps([]Record) Run {
	var (
		b   mapper
		out []byte
	)
	return func(dst []byte, r *Record) ([]byte, uint64, error) {
		out = dst
		err := encoder.EncodeInto(&out, b.of(r.Flat), 0)
		return out, 0, err
	}
}

func sonicMarshal(api sonic.API) Run {
	b := newSonicViewer()
	return func(dst []byte, r *Record) ([]byte, uint64, error) {
		js, err := api.Marshal(b.of(r.Flat))
		return append(dst, js...), 0, err
	}
}

// A sonicQuoter has sonic write strings onto a buffer.
type sonicQuoter struct {
	s string
	b []byte
}

func (q *sonicQuoter) quote(s string) {
	q.s = s
	_ = encoder.EncodeInto(&q.b, &q.s, 0) // a string cannot fail
}

type sonicView view[*sonicQuoter]

// MarshalJSON implements json.Marshaler. What it returns is good until the next call
// of any view of the message: sonic copies it at once.
func (o *sonicView) MarshalJSON() ([]byte, error) {
	v, q := (*view[*sonicQuoter])(o), o.quoter
	q.b = q.b[:0]
	next := byte('{')
	for j := range v.len() {
		m := v.at(j)
		if m.kind == memberHidden {
			continue
		}
		q.b = append(q.b, next)
		next = ','
		q.quote(m.name)
		q.b = append(q.b, ':')
		switch m.kind {
		case memberNull:
			q.b = append(q.b, "null"...)
		case memberNumber:
			q.b = strconv.AppendInt(q.b, m.number, 10)
		default:
			q.quote(m.text)
		}
	}
	if next == '{' {
		q.b = append(q.b, next)
	}
	q.b = append(q.b, '}')
	return q.b, nil
}
