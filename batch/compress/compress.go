package compress

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/cdcodec/cdcodec/pool"
)

// ErrClosed is the error of a [Compressor] after its Close.
var ErrClosed = errors.New("compress: the Compressor is closed")

// Compressor compresses with one codec and level, and decompresses what such a codec made.
// Any number of goroutines may use one at a time.
type Compressor struct {
	opts     Options
	encoders *shelf[*worker]
	decoders *shelf[decoder]
	scratch  pool.Pool // of spans that a codec wants in one piece
}

// worker is an encoder and what it takes to call it without an allocation.
type worker struct {
	encoder
	one [1][]byte
}

// New returns a Compressor with those options, or an error that names the one that makes no
// sense. It makes encoders when they are first needed.
func New(o Options) (*Compressor, error) {
	switch {
	case int(o.Codec) >= len(codecNames):
		return nil, fmt.Errorf("compress: unknown %v", o.Codec)
	case int(o.Level) >= len(levelNames):
		return nil, fmt.Errorf("compress: unknown %v", o.Level)
	case o.Encoders < 0:
		return nil, errors.New("compress: Encoders is negative")
	}
	bound := o.Encoders
	if bound == 0 {
		bound = runtime.GOMAXPROCS(0)
	}
	c := &Compressor{opts: o, scratch: pool.Pool{MaxKept: 4 << 20}}
	c.encoders = newShelf(bound, func() (*worker, error) {
		e, err := c.newEncoder()
		return &worker{encoder: e}, err
	})
	c.decoders = newShelf(bound, func() (decoder, error) { return newDecoder(o.Codec) })
	return c, nil
}

// Options returns what the Compressor was made with.
func (c *Compressor) Options() Options { return c.opts }

// Append appends src, compressed, to dst and returns the longer slice. The same src gives
// the same bytes, whatever was compressed before and on whatever goroutine. It keeps neither.
//
// With an error dst is returned as it was: [ErrClosed], or that src is too long for the codec.
func (c *Compressor) Append(dst, src []byte) ([]byte, error) {
	w, err := c.encoders.take()
	if err != nil {
		return dst, err
	}
	defer c.encoders.give(w)
	w.one[0] = src
	out, err := w.encode(dst, w.one[:], len(src))
	w.one[0] = nil
	return out, err
}

// AppendAll is Append for what the spans are one behind the other: the bytes that come out
// are the same. No codec but Snappy, whose block is one piece, copies them together for that.
func (c *Compressor) AppendAll(dst []byte, spans [][]byte) ([]byte, error) {
	size := 0
	for _, s := range spans {
		size += len(s)
	}
	w, err := c.encoders.take()
	if err != nil {
		return dst, err
	}
	defer c.encoders.give(w)
	return w.encode(dst, spans, size)
}

// Close waits for the calls there are, and lets go of all encoders and decoders. Calls
// after it have ErrClosed. It is needed where many Compressors come and go; what it frees
// is memory, as no goroutine is kept.
func (c *Compressor) Close() {
	c.encoders.close(func(w *worker) { w.end() })
	c.decoders.close(func(d decoder) { d.end() })
}
