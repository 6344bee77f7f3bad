package compress

import (
	"fmt"
	"io"
	"slices"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/cdcodec/cdcodec/pool"
)

// What the texts are like. A change here changes what comes out.
const (
	zstdWindow = 1 << 20   // an encoder keeps twice that; batches are about as long
	s2Block    = 1 << 20   // what s2 itself takes
	lz4Block   = 256 << 10 // LZ4 looks back 64 KiB, and not at all past a block
)

var (
	gzipLevels = [...]int{Default: 5, Fastest: gzip.BestSpeed, Better: 7, Best: gzip.BestCompression}
	zstdLevels = [...]zstd.EncoderLevel{
		Default: zstd.SpeedDefault, Fastest: zstd.SpeedFastest,
		Better: zstd.SpeedBetterCompression, Best: zstd.SpeedBestCompression,
	}
	snappyLevels = [...]func(dst, src []byte) []byte{
		Default: s2.EncodeSnappy, Fastest: s2.EncodeSnappy,
		Better: s2.EncodeSnappyBetter, Best: s2.EncodeSnappyBest,
	}
	lz4Levels = [...]lz4.CompressionLevel{Default: lz4.Fast, Fastest: lz4.Fast, Better: lz4.Level5, Best: lz4.Level9}
)

// encoder makes one text after the other; one goroutine uses it at a time.
type encoder interface {
	// encode appends the text of the spans, which have size bytes together, to dst. With an
	// error it returns dst as it was.
	encode(dst []byte, spans [][]byte, size int) ([]byte, error)
	end()
}

func (c *Compressor) newEncoder() (encoder, error) {
	level := c.opts.Level
	switch c.opts.Codec {
	case Gzip:
		w, err := gzip.NewWriterLevel(io.Discard, gzipLevels[level])
		return &stream{w: w, begin: func(to io.Writer, _ int) { w.Reset(to) }}, err

	case Zstd:
		w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstdLevels[level]),
			zstd.WithEncoderConcurrency(1), // no goroutines
			zstd.WithWindowSize(zstdWindow), zstd.WithZeroFrames(true))
		return &stream{w: w, begin: func(to io.Writer, size int) { w.ResetContentSize(to, int64(size)) }}, err

	case S2:
		options := []s2.WriterOption{s2.WriterConcurrency(1), s2.WriterBlockSize(s2Block)}
		switch level {
		case Better:
			options = append(options, s2.WriterBetterCompression())
		case Best:
			options = append(options, s2.WriterBestCompression())
		}
		w := s2.NewWriter(nil, options...)
		return &stream{w: w, begin: func(to io.Writer, _ int) { w.Reset(to) }, piece: s2Block, empty: s2Magic}, nil

	case LZ4:
		w := lz4.NewWriter(io.Discard)
		err := w.Apply(lz4.ConcurrencyOption(1), lz4.BlockSizeOption(lz4.Block256Kb), lz4.CompressionLevelOption(lz4Levels[level]))
		return &stream{w: w, begin: func(to io.Writer, _ int) { w.Reset(to) }}, err

	case Snappy:
		return snappyBlock{encode1: snappyLevels[level], scratch: &c.scratch}, nil
	}
	return plain{}, nil
}

// stream is an encoder that is an io.Writer.
type stream struct {
	out   sink
	w     io.WriteCloser
	begin func(to io.Writer, size int)
	piece int    // no longer ones are written at a time, unless 0: s2.Writer ends a block at the end of a longer one
	empty string // the text of no bytes, where the writer makes none
}

// sink is the slice that a stream appends to.
type sink struct{ b []byte }

func (s *sink) Write(p []byte) (int, error) {
	s.b = append(s.b, p...)
	return len(p), nil
}

func (s *stream) encode(dst []byte, spans [][]byte, size int) ([]byte, error) {
	s.out.b = dst
	s.begin(&s.out, size)
	var err error
	for _, span := range spans {
		for len(span) > 0 && err == nil {
			n := len(span)
			if s.piece > 0 {
				n = min(n, s.piece)
			}
			_, err = s.w.Write(span[:n])
			span = span[n:]
		}
	}
	if e := s.w.Close(); err == nil {
		err = e
	}
	out := s.out.b
	s.out.b = nil
	if err != nil { // a sink has none, and no writer says what else there could be
		return dst, fmt.Errorf("compress: %w", err)
	}
	if len(out) == len(dst) {
		out = append(out, s.empty...)
	}
	return out, nil
}

func (s *stream) end() { s.begin(nil, 0) }

// snappyBlock makes blocks of Snappy.
type snappyBlock struct {
	encode1 func(dst, src []byte) []byte
	scratch *pool.Pool
}

func (s snappyBlock) encode(dst []byte, spans [][]byte, size int) ([]byte, error) {
	bound := s2.MaxEncodedLen(size)
	if bound < 0 {
		return dst, fmt.Errorf("compress: snappy: %d bytes are too many for a block", size)
	}
	var src []byte
	if len(spans) == 1 {
		src = spans[0]
	} else {
		b := s.scratch.GetSize(size)
		defer s.scratch.Put(b)
		for _, span := range spans {
			b.B = append(b.B, span...)
		}
		src = b.B
	}
	out := slices.Grow(dst, bound)
	block := s.encode1(out[len(out):len(out)+bound], src)
	return out[:len(out)+len(block)], nil
}

func (snappyBlock) end() {}

// plain is no codec.
type plain struct{}

func (plain) encode(dst []byte, spans [][]byte, size int) ([]byte, error) {
	dst = slices.Grow(dst, size)
	for _, span := range spans {
		dst = append(dst, span...)
	}
	return dst, nil
}

func (plain) end() {}
