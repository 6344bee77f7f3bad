package codec

import (
	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/internal/reference"
)

// newReference returns package reference, which all codecs have to agree with:
// protobuf-go and encoding/json again, after a walk that gives the verdict and
// with UTF-8 repaired character by character. It is not made for speed, so what
// is said against it should be said against protobuf+json too. It decodes as
// that does.
func newReference(o Options) *Codec {
	convert := referenceOf(o)
	if convert == nil {
		return new(Codec)
	}
	c := &Codec{Convert: func(dst, record []byte) ([]byte, error) {
		messages, err := convert(record)
		for _, m := range messages {
			dst = append(dst, m...)
		}
		return dst, err
	}}
	if o.canal() {
		c.Decode = newPlain(o).Decode
	}
	return c
}

// referenceOf returns how package reference converts a record, nil if it does not
// read that source.
func referenceOf(o Options) func(record []byte) ([][]byte, error) {
	var js fastjson.Options
	switch o.From {
	case cdcodec.FromEntry:
		return func(b []byte) ([][]byte, error) { return reference.Entry(b, js, o.Meta) }
	case cdcodec.FromPacket:
		return func(b []byte) ([][]byte, error) { return reference.Packet(b, js, o.Meta, false) }
	case cdcodec.FromTiDBBinlog:
		return func(b []byte) ([][]byte, error) { return reference.TiDBBinlog(b, js, o.Meta) }
	case cdcodec.FromChangeDataSet:
		return func(b []byte) ([][]byte, error) { return reference.ChangeDataSet(b, js, o.Meta, "", false) }
	}
	return nil
}

// Truth returns the codec that all have to agree with: the reference, and
// encoding/json for Read.
func Truth(o Options) *Codec {
	c := newReference(o)
	c.Name, c.Read = Reference, newJSON(o).Read
	return c
}
