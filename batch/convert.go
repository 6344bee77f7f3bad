package batch

import (
	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/batch/compress"
	"github.com/cdcodec/cdcodec/fastjson"
)

// converter writes what records become into chunks.
type converter struct {
	t          *cdcodec.Transcoder
	frame      Frame
	lead       string
	trail      string
	barrier    Barrier
	compressor *compress.Compressor // of single messages; nil if there is none
	raw        []byte               // messages of a record before they are compressed
	lasting    bool                 // records last as long as chunks, and names are in them
	keys       bool                 // messages have keys
}

// newConverter returns a converter to what o wants.
func newConverter(convert cdcodec.Options, o *Options, c *compress.Compressor) (*converter, error) {
	v := &converter{frame: o.Frame, lead: o.Frame.lead(), trail: o.Frame.trail(), barrier: o.Barrier, keys: convert.Keys}
	if o.PerMessage {
		v.compressor = c
	} else {
		convert.JSON.Separator = v.trail + v.lead
	}
	var err error
	v.t, err = cdcodec.New(convert)
	return v, err
}

// room is how many bytes a record of n bytes can be expected to become. Entries of
// Canal hold about as many bytes as their JSON.
func room(n int) int { return n + n/4 + 512 }

// append appends what a record becomes to k, maybe nothing. With an error, that of the
// Transcoder, nothing of it is there; k has its number all the same.
func (v *converter) append(k *chunk, record []byte, m fastjson.Meta) error {
	first := len(k.msgs)
	var err error
	if v.compressor != nil {
		err = v.compressed(k, record, m)
	} else {
		err = v.plain(k, record, m)
	}
	if len(k.msgs) > first {
		v.note(k, first)
	}
	k.ends = append(k.ends, len(k.msgs))
	return err
}

// note makes the messages of k from first on k's own.
func (v *converter) note(k *chunk, first int) {
	switch {
	case !v.lasting:
		k.own(first)
	case v.keys:
		k.ownKeys(first)
	}
	if v.barrier != 0 {
		k.mark(first, v.barrier)
	}
}

// plain is append for messages as they are.
func (v *converter) plain(k *chunk, record []byte, m fastjson.Meta) error {
	b, first := k.buf.B, len(k.msgs)
	dst, msgs, err := v.t.Append(append(b, v.lead...), k.msgs, record, m)
	if err != nil || len(msgs) == first {
		k.buf.B = dst[:len(b)]
		return err
	}
	dst = append(dst, v.trail...)
	k.buf.B, k.msgs = v.frame.seal(dst, msgs[first:], len(b)), msgs
	return nil
}

// keepRaw is the most that a converter keeps for uncompressed messages.
const keepRaw = 1 << 20

// compressed is append for messages that are compressed one by one.
func (v *converter) compressed(k *chunk, record []byte, m fastjson.Meta) (err error) {
	b, first := k.buf.B, len(k.msgs)
	if cap(v.raw) > keepRaw {
		v.raw = nil
	}
	if v.raw, k.msgs, err = v.t.Append(v.raw[:0], k.msgs, record, m); err != nil {
		return err
	}
	dst, msgs := b, k.msgs[first:]
	for i := range msgs {
		if dst, err = v.put(dst, &msgs[i], v.raw[msgs[i].Start:msgs[i].End]); err != nil {
			k.msgs = k.msgs[:first]
			return err
		}
	}
	k.buf.B = dst
	return nil
}

// put appends one message, compressed if that is wanted, with its frame, and says in m
// where it is.
func (v *converter) put(dst []byte, m *cdcodec.Message, body []byte) (out []byte, err error) {
	from := len(dst)
	dst = append(dst, v.lead...)
	m.Start = len(dst)
	if v.compressor == nil {
		dst = append(dst, body...)
	} else if dst, err = v.compressor.Append(dst, body); err != nil {
		return dst[:from], err
	}
	m.End = len(dst)
	one := [1]cdcodec.Message{*m}
	dst = v.frame.seal(append(dst, v.trail...), one[:], from)
	*m = one[0]
	return dst, nil
}
