package compress

import (
	"bytes"
	stdgzip "compress/gzip"
	"encoding/binary"
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

func newCompressor(t testing.TB, codec Codec) *Compressor {
	c, err := New(Options{Codec: codec})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// lz4Text is src in a frame that the library makes.
func lz4Text(t testing.TB, src []byte, options ...lz4.Option) []byte {
	var b bytes.Buffer
	w := lz4.NewWriter(&b)
	if err := w.Apply(options...); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(src); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestOthersTexts: what the plain libraries make with other settings is read, several
// texts in a row too.
func TestOthersTexts(t *testing.T) {
	src := text(700_000, false)
	var gz bytes.Buffer
	w := stdgzip.NewWriter(&gz)
	w.Name, w.Comment, w.Extra = "name", "comment", []byte("extra")
	w.Write(src)
	w.Close()

	zstdText := func(stream bool, options ...zstd.EOption) []byte {
		var b bytes.Buffer
		w, err := zstd.NewWriter(&b, options...)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		if !stream {
			return w.EncodeAll(src, nil)
		}
		w.Write(src[:1000])
		w.Flush()
		w.Write(src[1000:])
		w.Close()
		return b.Bytes()
	}
	var plain, framed bytes.Buffer
	p := s2.NewWriter(&plain, s2.WriterUncompressed(), s2.WriterPadding(4096), s2.WriterAddIndex(), s2.WriterBlockSize(4<<20))
	p.Write(src)
	p.Close()
	f := s2.NewWriter(&framed, s2.WriterSnappyCompat())
	f.Write(src)
	f.Close()

	for _, c := range []struct {
		name  string
		codec Codec
		text  []byte
	}{
		{"a header with all", Gzip, gz.Bytes()},
		{"EncodeAll", Zstd, zstdText(false)},
		{"EncodeAll, no checksum, one segment", Zstd, zstdText(false, zstd.WithEncoderCRC(false), zstd.WithSingleSegment(true))},
		{"a stream without its size", Zstd, zstdText(true)},
		{"padding", Zstd, zstdText(true, zstd.WithEncoderPadding(5000))},
		{"plain chunks, padding, an index", S2, plain.Bytes()},
		{"the framing format of snappy", S2, framed.Bytes()},
		{"default", LZ4, lz4Text(t, src)},
		{"small blocks with checksums", LZ4, lz4Text(t, src, lz4.BlockSizeOption(lz4.Block64Kb), lz4.BlockChecksumOption(true))},
		{"its size, no checksum", LZ4, lz4Text(t, src, lz4.SizeOption(uint64(len(src))), lz4.ChecksumOption(false))},
	} {
		t.Run(c.codec.String()+"/"+c.name, func(t *testing.T) {
			d := newCompressor(t, c.codec)
			for _, n := range []int{1, 3} {
				got, err := d.AppendDecompressed(nil, bytes.Repeat(c.text, n), n*len(src))
				if err != nil || !bytes.Equal(got, bytes.Repeat(src, n)) {
					t.Errorf("%d texts: %v, %d bytes", n, err, len(got))
				}
				if _, err := d.AppendDecompressed(nil, bytes.Repeat(c.text, n), n*len(src)-1); !errors.Is(err, ErrLimit) {
					t.Errorf("%d texts, limit one less: %v", n, err)
				}
			}
		})
	}
}

// TestLinkedLZ4: a block can refer to the one before, which Go's writers never do.
func TestLinkedLZ4(t *testing.T) {
	b := []byte{0x04, 0x22, 0x4d, 0x18, 0x40, 0x40}
	b = append(b, byte(xxh32(b[4:])>>8))
	b = append(b, 10, 0, 0, 0x80)
	b = append(b, "0123456789"...)
	b = append(b, 9, 0, 0, 0)
	b = append(b, 0x06, 10, 0, 0x50, 'v', 'w', 'x', 'y', 'z') // 10 from 10 back, and 5 as they are
	b = append(b, 0, 0, 0, 0)
	const want = "01234567890123456789vwxyz"
	if got, err := others(LZ4, b); err != nil || string(got) != want {
		t.Fatalf("the test is wrong: %q, %v", got, err)
	}
	c := newCompressor(t, LZ4)
	if got, err := c.AppendDecompressed([]byte("0123456789"), b, len(want)); err != nil || string(got) != "0123456789"+want {
		t.Errorf("%q, %v", got, err)
	}
	// The first block cannot refer to what was in dst before.
	alone := append(bytes.Clone(b[:7]), b[21:]...)
	if got, err := c.AppendDecompressed([]byte("0123456789"), alone, 100); !errors.Is(err, ErrCorrupt) {
		t.Errorf("%q, %v", got, err)
	}
}

// zstdHeader is a frame's beginning: with its size, and a window of a MiB.
func zstdHeader(size uint64) []byte {
	return binary.LittleEndian.AppendUint64([]byte{0x28, 0xb5, 0x2f, 0xfd, 0xc0, 10 << 3}, size)
}

func zstdBlock(kind, size int, last bool) []byte {
	h := size<<3 | kind<<1
	if last {
		h |= 1
	}
	return []byte{byte(h), byte(h >> 8), byte(h >> 16)}
}

// TestBombs: texts that hold or claim to hold much take no memory beyond the limit.
func TestBombs(t *testing.T) {
	const limit = 1 << 20
	zeros := make([]byte, 1<<20)

	var gz bytes.Buffer
	w, _ := stdgzip.NewWriterLevel(&gz, stdgzip.BestSpeed)
	n := 1 << 10
	if raceEnabled {
		n = 64
	}
	for range n { // a GiB
		w.Write(zeros)
	}
	w.Close()
	gzLie := bytes.Clone(gz.Bytes())
	binary.LittleEndian.PutUint32(gzLie[len(gzLie)-4:], 1000)

	encoder, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer encoder.Close()
	repeated := []byte{0x28, 0xb5, 0x2f, 0xfd, 0, 10 << 3} // no size
	for range 10_000 {
		repeated = append(append(repeated, zstdBlock(1, 128<<10, false)...), 0)
	}
	repeated = append(append(repeated, zstdBlock(1, 0, true)...), 0)
	many := bytes.Repeat(encoder.EncodeAll(zeros, nil), 1000)

	s2Bomb := append([]byte(s2Magic), bytes.Repeat(func() []byte {
		block := s2.Encode(nil, make([]byte, s2MaxBlock))
		chunk := []byte{0, byte(len(block) + 4), byte((len(block) + 4) >> 8), 0, 1, 2, 3, 4}
		return append(chunk, block...)
	}(), 1000)...)
	lz4Bomb := bytes.Repeat(lz4Text(t, make([]byte, 8<<20)), 100)

	for _, c := range []struct {
		name  string
		codec Codec
		text  []byte
		want  error
	}{
		{"a GiB of zeros", Gzip, gz.Bytes(), ErrLimit},
		{"a GiB of zeros that says it is 1000 bytes", Gzip, gzLie, ErrLimit},
		{"many members", Gzip, bytes.Repeat(gz.Bytes()[:], 3), ErrLimit},
		{"claims a TiB", Zstd, append(zstdHeader(1<<40), zstdBlock(0, 0, true)...), ErrLimit},
		{"claims all there can be", Zstd, append(zstdHeader(1<<64-2), zstdBlock(0, 0, true)...), ErrLimit},
		{"claims a MiB", Zstd, append(zstdHeader(1<<20), zstdBlock(0, 0, true)...), ErrCorrupt},
		{"blocks of zeros", Zstd, repeated, ErrLimit},
		{"many frames", Zstd, many, ErrLimit},
		{"a window of a TiB", Zstd, []byte{0x28, 0xb5, 0x2f, 0xfd, 0, 30 << 3, 1, 0, 0}, ErrCorrupt},
		{"skips 4 GiB", Zstd, []byte{0x50, 0x2a, 0x4d, 0x18, 0xff, 0xff, 0xff, 0xff, 0}, ErrCorrupt},
		{"chunks of zeros", S2, s2Bomb, ErrLimit},
		{"a block that claims 4 GiB", S2, append([]byte(s2Magic), 0, 9, 0, 0, 1, 2, 3, 4, 0xff, 0xff, 0xff, 0xff, 0x07), ErrCorrupt},
		{"claims 2 GiB", Snappy, []byte{0xff, 0xff, 0xff, 0xff, 0x07, 0}, ErrLimit},
		{"claims a MiB", Snappy, []byte{0x80, 0x80, 0x40, 0, 1}, ErrCorrupt},
		{"zeros", Snappy, snappy.Encode(nil, make([]byte, 8<<20)), ErrLimit},
		{"frames of zeros", LZ4, lz4Bomb, ErrLimit},
		{"claims a TiB", LZ4, lz4Claim(1 << 40), ErrLimit},
		{"claims a MiB", LZ4, lz4Claim(1 << 20), ErrCorrupt},
	} {
		t.Run(c.codec.String()+"/"+c.name, func(t *testing.T) {
			d := newCompressor(t, c.codec)
			d.AppendDecompressed(nil, c.text, limit) // the decoder is made, with tables of its own
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			got, err := d.AppendDecompressed(nil, c.text, limit)
			runtime.ReadMemStats(&after)
			if !errors.Is(err, c.want) || got != nil {
				t.Errorf("%v, %d bytes; want %v", err, len(got), c.want)
			}
			allowed := uint64(limit + 256<<10)
			if c.codec == Gzip {
				allowed = 5 * limit / 2 // it grows by doubling: all of them together
			}
			if c.want == ErrCorrupt {
				allowed = 64 << 10
			}
			if n := after.TotalAlloc - before.TotalAlloc; n > allowed && !raceEnabled {
				t.Errorf("%d bytes were allocated", n)
			}
		})
	}
}

// lz4Claim is an empty frame that claims to hold size bytes.
func lz4Claim(size uint64) []byte {
	b := binary.LittleEndian.AppendUint64([]byte{0x04, 0x22, 0x4d, 0x18, 0x68, 0x70}, size)
	return append(b, byte(xxh32(b[4:])>>8), 0, 0, 0, 0)
}

// TestDamage: every text that is cut short, and every one with a byte that is another, is
// refused, or gives the same bytes; dst stays as it was.
func TestDamage(t *testing.T) {
	src := text(3000, false)
	for _, codec := range allCodecs[1:] {
		t.Run(codec.String(), func(t *testing.T) {
			c := newCompressor(t, codec)
			whole, err := c.Append(nil, src)
			if err != nil {
				t.Fatal(err)
			}
			dst := append(make([]byte, 0, 10_000), "dst"...)
			check := func(what string, at int, damaged []byte, same bool) {
				got, err := c.AppendDecompressed(dst, damaged, 1<<16)
				if err == nil && same && bytes.Equal(got[3:], src) {
					return // a flag nobody looks at, such as gzip's system
				}
				var e *Error
				if !errors.As(err, &e) || e.Codec != codec || (e.Kind != ErrCorrupt && e.Kind != ErrLimit) ||
					!strings.HasPrefix(err.Error(), "compress: "+codec.String()+": ") {
					if codec == Snappy && err == nil {
						return // it has no checksum
					}
					t.Errorf("%s %d: %v, %d bytes", what, at, err, len(got))
				}
				if err != nil && string(got) != "dst" {
					t.Errorf("%s %d: dst is %q", what, at, got)
				}
			}
			for n := range whole {
				cutOff := whole[:n]
				// A stream of s2 has no end mark: one cut between chunks is one.
				if codec == S2 && n == len(s2Magic) {
					continue
				}
				check("cut at", n, cutOff, false)
			}
			for i := range whole {
				damaged := bytes.Clone(whole)
				damaged[i] ^= 0x11
				check("changed at", i, damaged, true)
			}
			check("garbage behind", 0, append(bytes.Clone(whole), "garbage"...), false)
		})
	}
	err := corrupt(Zstd, zstd.ErrMagicMismatch)
	if !errors.Is(err, zstd.ErrMagicMismatch) || !errors.Is(err, ErrCorrupt) || errors.Is(err, ErrLimit) {
		t.Error(err)
	}
}

// TestXXH32 has the examples of xxhash's own page.
func TestXXH32(t *testing.T) {
	for text, want := range map[string]uint32{
		"": 0x02cc5d05, "a": 0x550d7456, "abc": 0x32d153ff,
		"Nobody inspects the spammish repetition": 0xe2293b2f,
	} {
		if got := xxh32([]byte(text)); got != want {
			t.Errorf("%q: %08x, want %08x", text, got, want)
		}
	}
}

// FuzzDecompress: any bytes are refused with an *Error, or become what can be
// compressed again; never more than the limit, and dst stays.
func FuzzDecompress(f *testing.F) {
	const limit = 1 << 16
	var codecs []*Compressor
	for _, codec := range allCodecs {
		c := newCompressor(f, codec)
		codecs = append(codecs, c)
		for _, size := range []int{0, 10, 1000} {
			b, err := c.Append(nil, text(size, false))
			if err != nil {
				f.Fatal(err)
			}
			f.Add(byte(codec), b)
			f.Add(byte(codec), append(b, b...))
		}
	}
	f.Add(byte(LZ4), lz4Claim(0))
	f.Add(byte(Zstd), append(zstdHeader(1<<16), zstdBlock(0, 0, true)...))
	f.Fuzz(func(t *testing.T, codec byte, src []byte) {
		c := codecs[int(codec)%len(codecs)]
		in := bytes.Clone(src)
		got, err := c.AppendDecompressed([]byte("dst"), src, limit)
		if !bytes.Equal(in, src) {
			t.Fatal("the input was written to")
		}
		if !bytes.HasPrefix(got, []byte("dst")) {
			t.Fatal("dst was written to")
		}
		if err != nil {
			if _, ok := errors.AsType[*Error](err); !ok || len(got) != 3 {
				t.Fatalf("%v, %d bytes", err, len(got))
			}
			return
		}
		got = got[3:]
		if len(got) > limit {
			t.Fatalf("%d bytes", len(got))
		}
		packed, err := c.Append(nil, got)
		if err != nil || len(packed) > c.opts.MaxEncodedLen(len(got)) {
			t.Fatalf("again: %v, %d bytes of %d", err, len(packed), len(got))
		}
		if back, err := c.AppendDecompressed(nil, packed, limit); err != nil || !bytes.Equal(back, got) {
			t.Fatalf("again: %v, %d bytes, want %d", err, len(back), len(got))
		}
		if theirs, err := others(c.opts.Codec, src); len(src) <= 1<<12 && (err != nil || !bytes.Equal(theirs, got)) {
			t.Fatalf("another reader: %v, %d bytes, want %d", err, len(theirs), len(got))
		}
	})
}
