package codec

import (
	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/internal/reference"
)

// newReference returns package reference, which all codecs have to agree with:
// protobuf-go and encoding/json again, after a walk that gives the verdict and
// with UTF-8 repaired character by character. It is not made for speed, so what
// is said against it should be said against protobuf+json too. It decodes as
// that does.
func newReference(o Options) *Codec {
	return &Codec{
		Convert: func(dst, record []byte) ([]byte, error) {
			var messages [][]byte
			var err error
			if o.Packets {
				messages, err = reference.Packet(record, fastjson.Options{}, o.Meta, false)
			} else {
				messages, err = reference.Entry(record, fastjson.Options{}, o.Meta)
			}
			for _, m := range messages {
				dst = append(dst, m...)
			}
			return dst, err
		},
		Decode: newPlain(o).Decode,
	}
}

// Truth returns the codec that all have to agree with: the reference.
func Truth(o Options) *Codec {
	c := newReference(o)
	c.Name = Reference
	return c
}
