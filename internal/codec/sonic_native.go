//go:build (amd64 || arm64) && !purego

package codec

import (
	"reflect"
	"strconv"

	"github.com/bytedance/sonic"
	"github.com/bytedance/sonic/encoder"

	"github.com/cdcodec/cdcodec/internal/pb/canalflatpb"
)

// SonicIsNative says whether sonic is native code in this program, and not
// encoding/json under its name.
const SonicIsNative = sonic.APIKind == sonic.UseSonicJSON

var sonicPeers = []recipe{
	{"vtproto+sonic", onlyCanal(func(o Options) *Codec { return newSonic(&vtReader{}, o) })},
	{"protobuf+sonic", onlyCanal(func(o Options) *Codec { return newSonic(&protoReader{}, o) })},
}

// newSonic returns the peer that reads with r.
func newSonic(r flatReader, o Options) *Codec {
	if err := encoder.Pretouch(reflect.TypeFor[message[*object]]()); err != nil {
		panic(err) // a struct as plain as that can be compiled
	}
	var (
		b   builder
		out []byte
		bad error // the first one in a record
	)
	do := func(e *canalflatpb.Entry, id int64) {
		err := encoder.EncodeInto(&out, b.build(e, id, o.Meta.TS), encoder.NoValidateJSONMarshaler)
		if err != nil && bad == nil {
			bad = err
		}
	}
	return &Codec{
		Convert: func(dst, record []byte) ([]byte, error) {
			out, bad = dst, nil
			err := eachEntry(r, record, o, do)
			if err == nil {
				err = bad
			}
			return out, err
		},
		Decode: flatDecode(r, o),
	}
}

// quoter has sonic write strings onto a buffer. It holds what EncodeInto takes
// pointers to.
type quoter struct {
	s   string
	buf []byte
}

func (q *quoter) quote(s string) {
	q.s = s
	_ = encoder.EncodeInto(&q.buf, &q.s, 0) // a string cannot fail
}

// MarshalJSON implements [json.Marshaler]. What it returns is good until the
// next call of any object of the builder: sonic copies it at once.
func (o *object) MarshalJSON() ([]byte, error) {
	q := o.json
	q.buf = append(q.buf[:0], '{')
	for i := range o.members {
		m := &o.members[i]
		if i > 0 {
			q.buf = append(q.buf, ',')
		}
		q.quote(m.name)
		q.buf = append(q.buf, ':')
		switch {
		case o.numbers:
			q.buf = strconv.AppendInt(q.buf, int64(m.number), 10)
		case m.text == nil:
			q.buf = append(q.buf, "null"...)
		default:
			q.quote(*m.text)
		}
	}
	q.buf = append(q.buf, '}')
	return q.buf, nil
}
