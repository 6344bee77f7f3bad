package codec

import (
	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/wire/canal"
)

// newOurs returns the library: a Transcoder, the Scanner of wire/canal, and the
// Reader of fastjson.
func newOurs(o Options) *Codec {
	c := newTranscoder(o, fastjson.Options{})
	c.Read = newReader()
	if o.canal() {
		c.Decode = func(record []byte) (uint64, error) {
			var s sum
			err := s.record(record, o.packets())
			return uint64(s), err
		}
	}
	return c
}

// newGeneral returns the library without its fused path. What it reads with
// there, a canal.Decoder, leaves out the index of a column: it has no Decode.
func newGeneral(o Options) *Codec {
	return newTranscoder(o, fastjson.Options{NoFused: true})
}

func newTranscoder(o Options, js fastjson.Options) *Codec {
	t, err := cdcodec.New(cdcodec.Options{From: o.From, JSON: js})
	if err != nil {
		panic(err) // nothing in these options can be wrong
	}
	var msgs []cdcodec.Message
	return &Codec{
		Convert: func(dst, record []byte) (_ []byte, err error) {
			dst, msgs, err = t.Append(dst, msgs[:0], record, o.Meta)
			return dst, err
		},
		Stats: t.Stats,
	}
}

// record adds all columns of a record, read by a Scanner.
func (s *sum) record(b []byte, packet bool) error {
	if !packet {
		var e canal.Entry
		if err := e.Parse(b); err != nil {
			return err
		}
		return s.entry(&e)
	}
	p, err := canal.ParsePacket(b)
	if err != nil {
		return err
	}
	m, err := p.Messages()
	if err != nil {
		return err
	}
	for m.Next() {
		e, err := m.Entry()
		if err != nil {
			return err
		}
		if err := s.entry(&e); err != nil {
			return err
		}
	}
	return nil
}

func (s *sum) entry(e *canal.Entry) error {
	if e.IsTransactionMark() {
		return nil
	}
	images := 0 // begun; two a row, also where one has no columns
	columns := e.Scan()
	for columns.Next() {
		for ; images <= 2*columns.Row+int(columns.Image); images++ {
			s.image()
		}
		c := &columns.Column
		column(s, c.Index, c.SQLType, c.Name, c.IsKey, c.Updated, c.IsNull, c.Value, c.MySQLType)
	}
	for ; images < 2*(columns.Row+1); images++ {
		s.image()
	}
	return columns.Err()
}
