package compress

import (
	"bytes"
	stdgzip "compress/gzip"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

var (
	allCodecs = []Codec{None, Gzip, Zstd, S2, Snappy, LZ4}
	allLevels = []Level{Default, Fastest, Better, Best}
)

// each runs f for every codec and level.
func each(t *testing.T, f func(t *testing.T, c *Compressor)) {
	for _, codec := range allCodecs {
		for _, level := range allLevels {
			t.Run(codec.String()+":"+level.String(), func(t *testing.T) {
				c, err := New(Options{Codec: codec, Level: level, Encoders: 2})
				if err != nil {
					t.Fatal(err)
				}
				defer c.Close()
				f(t, c)
			})
		}
	}
}

// text makes n bytes like JSON, or like nothing.
func text(n int, noise bool) []byte {
	random := rand.New(rand.NewPCG(uint64(n), 7))
	b := make([]byte, 0, n+100)
	for len(b) < n {
		if noise {
			b = append(b, byte(random.Uint32()))
		} else {
			b = fmt.Appendf(b, `{"id":"%d","name":"user %d","type":"INSERT"},`, random.IntN(1<<30), random.IntN(100))
		}
	}
	return b[:n]
}

// cut cuts b into spans, some of them empty.
func cut(b []byte, seed uint64) (spans [][]byte) {
	random := rand.New(rand.NewPCG(seed, 1))
	for len(b) > 0 {
		n := random.IntN(min(len(b), 1<<(1+random.IntN(21))) + 1)
		spans = append(spans, b[:n])
		b = b[n:]
	}
	return spans
}

// TestRoundTrip: what is read is what was written; the text does not depend on the
// spans nor on what came before, keeps its bound, and a reader of others' reads it.
func TestRoundTrip(t *testing.T) {
	sizes := []int{0, 1, 100, 64 << 10, 1 << 20, 2<<20 + 77}
	if raceEnabled { // which finds nothing more in large ones, ten times as slowly
		sizes = []int{0, 1, 100, 64 << 10, 260_000}
	}
	each(t, func(t *testing.T, c *Compressor) {
		for _, size := range sizes {
			for _, noise := range []bool{false, true} {
				if noise && size > 1<<20 && c.opts.Level == Best {
					continue
				}
				src := text(size, noise)
				const before = "before"
				out, err := c.Append([]byte(before), src)
				if err != nil || string(out[:len(before)]) != before {
					t.Fatal(size, err)
				}
				packed := out[len(before):]
				if bound := c.opts.MaxEncodedLen(size); len(packed) > bound {
					t.Errorf("%d bytes (noise: %v) are %d, and at most %d", size, noise, len(packed), bound)
				}
				for seed := range uint64(2) {
					again, err := c.AppendAll(nil, cut(src, seed))
					if err != nil || !bytes.Equal(again, packed) {
						t.Fatalf("%d bytes (noise: %v) in spans: %v, %d bytes, not the %d in one", size, noise, err, len(again), len(packed))
					}
				}
				back, err := c.AppendDecompressed([]byte(before), packed, size)
				if err != nil || string(back[:len(before)]) != before || !bytes.Equal(back[len(before):], src) {
					t.Fatalf("%d bytes (noise: %v): %v, %d bytes are back", size, noise, err, len(back))
				}
				if got, err := others(c.opts.Codec, packed); err != nil || !bytes.Equal(got, src) {
					t.Fatalf("%d bytes (noise: %v), another reader: %v, %d bytes", size, noise, err, len(got))
				}
				if size > 0 {
					got, err := c.AppendDecompressed(out[:3], packed, size-1)
					if !errors.Is(err, ErrLimit) || len(got) != 3 {
						t.Fatalf("%d bytes (noise: %v), limit one less: %v", size, noise, err)
					}
				}
			}
		}
	})
}

// others decompresses with what is not ours.
func others(codec Codec, b []byte) ([]byte, error) {
	switch codec {
	case Gzip:
		r, err := stdgzip.NewReader(bytes.NewReader(b))
		if err != nil {
			return nil, err
		}
		return io.ReadAll(r)
	case Zstd:
		r, err := zstd.NewReader(bytes.NewReader(b))
		if err != nil {
			return nil, err
		}
		defer r.Close()
		return io.ReadAll(r)
	case S2:
		return io.ReadAll(s2.NewReader(bytes.NewReader(b)))
	case Snappy:
		return snappy.Decode(nil, b)
	case LZ4:
		return io.ReadAll(lz4.NewReader(bytes.NewReader(b)))
	}
	return b, nil
}

// TestConcurrent: many goroutines on one Compressor get the same bytes, and no more
// encoders than Options say.
func TestConcurrent(t *testing.T) {
	each(t, func(t *testing.T, c *Compressor) {
		src := text(10_000, false)
		want, err := c.Append(nil, src)
		if err != nil {
			t.Fatal(err)
		}
		var group sync.WaitGroup
		for g := range 8 {
			group.Go(func() {
				for i := range 5 {
					got, err := c.AppendAll(nil, cut(src, uint64(g*100+i)))
					if err != nil || !bytes.Equal(got, want) {
						t.Errorf("%v, %d bytes, want %d", err, len(got), len(want))
					}
					if back, err := c.AppendDecompressed(nil, got, 1<<20); err != nil || !bytes.Equal(back, src) {
						t.Errorf("back: %v, %d bytes", err, len(back))
					}
				}
			})
		}
		group.Wait()
		if n := len(c.encoders.idle); n > 2 || n == 0 {
			t.Errorf("%d encoders", n)
		}
	})
}

// TestNoGoroutines: neither use nor Close leaves any.
func TestNoGoroutines(t *testing.T) {
	before := runtime.NumGoroutine()
	var open []*Compressor
	for _, codec := range allCodecs {
		for _, level := range allLevels {
			c, err := New(Options{Codec: codec, Level: level})
			if err != nil {
				t.Fatal(err)
			}
			b, _ := c.Append(nil, text(150_000, false))
			if _, err := c.AppendDecompressed(nil, b, 150_000); err != nil {
				t.Error(err)
			}
			open = append(open, c)
		}
	}
	wait := func(what string) {
		for range 100 {
			if runtime.NumGoroutine() <= before {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Errorf("%s: %d goroutines, %d before", what, runtime.NumGoroutine(), before)
	}
	wait("open")
	for _, c := range open {
		c.Close()
	}
	wait("closed")
}

func TestClose(t *testing.T) {
	c, err := New(Options{Codec: Zstd, Encoders: 1})
	if err != nil {
		t.Fatal(err)
	}
	w, err := c.encoders.take()
	if err != nil {
		t.Fatal(err)
	}
	results := make(chan error, 2)
	go func() {
		_, err := c.Append(nil, []byte("waits"))
		results <- err
	}()
	go func() { c.Close(); c.Close(); results <- ErrClosed }()
	for closed := false; !closed; time.Sleep(time.Millisecond) {
		c.encoders.mu.Lock()
		closed = c.encoders.closed
		c.encoders.mu.Unlock()
	}
	c.encoders.give(w)
	for range 2 {
		if err := <-results; err != ErrClosed && err != nil {
			t.Error(err)
		}
	}
	dst := []byte("dst")
	for _, f := range []func() ([]byte, error){
		func() ([]byte, error) { return c.Append(dst, nil) },
		func() ([]byte, error) { return c.AppendAll(dst, nil) },
		func() ([]byte, error) { return c.AppendDecompressed(dst, nil, 1) },
	} {
		if got, err := f(); err != ErrClosed || string(got) != "dst" {
			t.Errorf("%q, %v", got, err)
		}
	}
}

func TestParse(t *testing.T) {
	for _, codec := range allCodecs {
		for _, level := range allLevels {
			want := Options{Codec: codec, Level: level}
			if got, err := Parse(want.String()); err != nil || got != want {
				t.Errorf("%v: %v, %v", want, got, err)
			}
		}
	}
	if o, err := Parse("lz4:default"); err != nil || o.String() != "lz4" {
		t.Error(o, err)
	}
	for _, bad := range []string{"", "brotli", "zstd:", "zstd:9", "zstd:best:best", "ZSTD"} {
		_, err := Parse(bad)
		if err == nil || !strings.Contains(err.Error(), "gzip, zstd, s2, snappy, lz4") || !strings.Contains(err.Error(), "fastest, better, best") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	for _, o := range []Options{{Codec: 6}, {Level: 4}, {Encoders: -1}} {
		if _, err := New(o); err == nil {
			t.Error(o)
		}
	}
	if s := (Options{Codec: 99, Level: 99}).String(); s != "Codec(99):Level(99)" {
		t.Error(s)
	}
	if n := (Options{Codec: Gzip}).MaxEncodedLen(1<<(32<<(^uint(0)>>63)-1) - 1); n != -1 {
		t.Error(n)
	}
}
