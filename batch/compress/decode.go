package compress

import (
	"bytes"
	"errors"
	"io"
	"math"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
)

// AppendDecompressed appends what src, a whole text of the Compressor's codec, was made
// from to dst and returns the longer slice. The level does not matter, nor who made src:
// members of gzip, frames of zstd and LZ4, and streams of s2 that stand one behind the other
// are read through.
//
// It appends limit bytes at most, and reserves no more than that and 256 KiB, whatever src
// claims to hold; doc.go has the small print.
//
// With an error dst is returned as it was, though what is behind its length may be
// overwritten: an [*Error], or [ErrClosed].
func (c *Compressor) AppendDecompressed(dst, src []byte, limit int) ([]byte, error) {
	d, err := c.decoders.take()
	if err != nil {
		return dst, err
	}
	defer c.decoders.give(d)
	if len(src) == 0 && c.opts.Codec != None {
		return dst, corrupt(c.opts.Codec, io.ErrUnexpectedEOF) // no text is that short
	}
	limit = max(0, min(limit, math.MaxInt-zstdMaxBlock-len(dst))) // so that sums of lengths are an int
	out, err := d.decode(dst, src, limit)
	if err != nil {
		return dst, err
	}
	return out, nil
}

// decoder reads one text after the other; one goroutine uses it at a time.
type decoder interface {
	// decode appends what src holds. With an error what it returns is of no use.
	decode(dst, src []byte, limit int) ([]byte, error)
	end()
}

func newDecoder(c Codec) (decoder, error) {
	switch c {
	case Gzip:
		return new(gzipDecoder), nil
	case Zstd:
		return newZstdDecoder()
	case S2:
		return stateless(decodeS2), nil
	case Snappy:
		return stateless(decodeSnappy), nil
	case LZ4:
		return stateless(decodeLZ4), nil
	}
	return stateless(decodePlain), nil
}

// stateless is a decoder that remembers nothing.
type stateless func(dst, src []byte, limit int) ([]byte, error)

func (f stateless) decode(dst, src []byte, limit int) ([]byte, error) { return f(dst, src, limit) }
func (stateless) end()                                                {}

func decodePlain(dst, src []byte, limit int) ([]byte, error) {
	if len(src) > limit {
		return dst, tooLong(None)
	}
	return append(reserve(dst, len(src)), src...), nil
}

// reserve makes room for n bytes behind dst, and not for more, as append would.
func reserve(dst []byte, n int) []byte {
	if n <= cap(dst)-len(dst) {
		return dst
	}
	return append(make([]byte, 0, len(dst)+n), dst...)
}

// A Snappy block says first how long its text is. 3 bytes make 64 at most.
func decodeSnappy(dst, src []byte, limit int) ([]byte, error) {
	n, err := snappy.DecodedLen(src)
	switch {
	case err != nil:
		return dst, corrupt(Snappy, err)
	case n > limit:
		return dst, tooLong(Snappy)
	case n/22 > len(src):
		return dst, corrupt(Snappy, errors.New("it claims more than it can hold"))
	}
	dst = reserve(dst, n)
	// Strict, as the ordinary one takes what only s2 understands.
	if _, err := snappy.DecodeStrict(dst[len(dst):len(dst)+n], src); err != nil {
		return dst, corrupt(Snappy, err)
	}
	return dst[:len(dst)+n], nil
}

// gzipDecoder keeps the window and the tables of a gzip.Reader.
type gzipDecoder struct {
	reader gzip.Reader
	src    bytes.Reader
	probe  [1]byte
}

// gzipRatio is how many bytes deflate makes of one at most: 258 of two bits.
const gzipRatio = 1032

func (g *gzipDecoder) decode(dst, src []byte, limit int) ([]byte, error) {
	g.src.Reset(src)
	defer g.src.Reset(nil)
	if err := g.reader.Reset(&g.src); err != nil {
		return dst, corrupt(Gzip, unexpected(err))
	}
	// The last four bytes are the length of the last member, mostly the only one. If they
	// lie, no harm is done.
	if n := len(src); n >= 18 {
		last := uint64(src[n-4]) | uint64(src[n-3])<<8 | uint64(src[n-2])<<16 | uint64(src[n-1])<<24
		dst = reserve(dst, int(min(last, uint64(limit), uint64(n)*gzipRatio)))
	}
	base := len(dst)
	for {
		room := limit - (len(dst) - base)
		into := dst[len(dst):cap(dst)]
		into = into[:min(len(into), room)]
		full := len(into) == 0
		if full {
			into = g.probe[:] // is that all?
		}
		n, err := g.reader.Read(into)
		switch {
		case !full:
			dst = dst[:len(dst)+n]
		case n > 0 && room == 0:
			return dst, tooLong(Gzip)
		case n > 0:
			dst = append(reserve(dst, min(room, max(4096, len(dst)-base))), g.probe[0])
		}
		if err == io.EOF {
			return dst, nil
		}
		if err != nil {
			return dst, corrupt(Gzip, unexpected(err))
		}
	}
}

func (g *gzipDecoder) end() {}

// unexpected is err, where a text must not end.
func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
