package frame_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"testing"
	"testing/iotest"

	"github.com/cdcodec/cdcodec/wire/frame"
)

// randomRecord is mostly small, sometimes larger than the buffer's first size.
func randomRecord(rng *rand.Rand) []byte {
	n := rng.IntN(300)
	switch rng.IntN(40) {
	case 0:
		n = rng.IntN(200_000)
	case 1:
		n = 0
	}
	b := make([]byte, n)
	for i := range b {
		b[i] = 'a' + byte(rng.Uint32()%26)
	}
	return b
}

// What Append writes, a Reader gives back, however the bytes arrive.
func TestRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for round := range 60 {
		kind := frame.Kind(round % 4)
		records := make([][]byte, 1+rng.IntN(60))
		if kind == frame.Single {
			records = records[:1]
		}
		var stream []byte
		var offsets []int64
		for i := range records {
			var err error
			records[i] = randomRecord(rng)
			if stream, err = frame.Append(stream, kind, records[i]); err != nil {
				t.Fatal(err)
			}
			end := int64(len(stream) - len(records[i]))
			if kind == frame.Lines {
				end--
			}
			offsets = append(offsets, end)
		}
		for how, wrap := range map[string]func(io.Reader) io.Reader{
			"whole": func(r io.Reader) io.Reader { return r },
			"bytes": iotest.OneByteReader,
			"halves": func(r io.Reader) io.Reader {
				return iotest.DataErrReader(iotest.HalfReader(r))
			},
			"any": func(r io.Reader) io.Reader {
				return readerFunc(func(p []byte) (int, error) {
					return r.Read(p[:min(len(p), rng.IntN(5000))]) // often none at all
				})
			},
		} {
			f := frame.NewReader(wrap(bytes.NewReader(stream)), kind, 0)
			for i, want := range records {
				got, err := f.Next()
				if err != nil || !bytes.Equal(got, want) {
					t.Fatalf("%v, %s: record %d: %d bytes, %v; want %d bytes", kind, how, i, len(got), err, len(want))
				}
				if f.Record() != int64(i) || f.Offset() != offsets[i] {
					t.Fatalf("%v, %s: record %d at %d, want %d at %d", kind, how, f.Record(), f.Offset(), i, offsets[i])
				}
			}
			if _, err := f.Next(); err != io.EOF {
				t.Fatalf("%v, %s: at the end: %v", kind, how, err)
			}
		}
	}
}

// loop is an endless reader of the same bytes.
type loop struct {
	b  []byte
	at int
}

func (l *loop) Read(p []byte) (int, error) {
	n := copy(p, l.b[l.at:])
	l.at = (l.at + n) % len(l.b)
	return n, nil
}

// allocated returns the bytes that f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func TestAllocations(t *testing.T) {
	for _, kind := range []frame.Kind{frame.U32BE, frame.Uvarint, frame.Lines} {
		for _, size := range []int{0, 1, 300, 5000, 100_000, 3 << 20} {
			small, err := frame.Append(nil, kind, bytes.Repeat([]byte("x"), 100))
			if err != nil {
				t.Fatal(err)
			}
			mix, _ := frame.Append(small, kind, bytes.Repeat([]byte("x"), size))
			f := frame.NewReader(&loop{b: mix}, kind, 0)
			next := func() {
				if _, err := f.Next(); err != nil {
					t.Fatal(err)
				}
			}
			for range 10 {
				next()
			}
			if n := testing.AllocsPerRun(40, next); n != 0 {
				t.Errorf("%v, %d bytes: %v allocations per record", kind, size, n)
			}
		}
	}
}

// A length is not believed before its bytes are there.
func TestClaims(t *testing.T) {
	for kind, stream := range map[frame.Kind]string{
		frame.U32BE:   "\x0c\x80\x00\x00only this",
		frame.Uvarint: "\x80\x80\x80\x64only this",
	} {
		n := allocated(func() {
			_, err := frame.NewReader(iotest.OneByteReader(bytes.NewReader([]byte(stream))), kind, 0).Next()
			if !errors.Is(err, frame.ErrTruncated) {
				t.Error(err)
			}
		})
		if n > 200<<10 {
			t.Errorf("%v: a claim of 200 MiB allocates %d bytes", kind, n)
		}
	}
}

// The buffer grows in proportion to the record, and is given back after it.
func TestGiantRecord(t *testing.T) {
	const giant = 40 << 20
	for _, kind := range []frame.Kind{frame.U32BE, frame.Uvarint, frame.Lines} {
		first, err := frame.Append(nil, kind, bytes.Repeat([]byte("x"), giant))
		if err != nil {
			t.Fatal(err)
		}
		small, _ := frame.Append(nil, kind, make([]byte, 2000))
		f := frame.NewReader(io.MultiReader(bytes.NewReader(first), &loop{b: small}), kind, 0)
		n := allocated(func() {
			if record, err := f.Next(); len(record) != giant || err != nil {
				t.Fatal(len(record), err)
			}
		})
		if n > 4*giant+64<<10 {
			t.Errorf("%v: %d bytes allocated for a record of %d", kind, n, giant)
		}
		for range 200 {
			if _, err := f.Next(); err != nil {
				t.Fatal(err)
			}
		}
		first = nil
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		if m.HeapAlloc > giant {
			t.Errorf("%v: %d bytes on the heap after the giant has gone", kind, m.HeapAlloc)
		}
		runtime.KeepAlive(f)
	}
}

// Any bytes: no panic, an end, records that lie in the stream where they say,
// and the same answer when the bytes come one by one.
func FuzzReader(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x01a\x00\x00"), uint8(0), 0)
	f.Add([]byte("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x02"), uint8(1), 1<<20)
	f.Add([]byte("a\r\n\r\n\nb\r"), uint8(3), 1)
	f.Fuzz(func(t *testing.T, in []byte, kind uint8, limit int) {
		check(t, in, frame.Kind(kind%4), limit%1000)
	})
}

func check(t *testing.T, in []byte, kind frame.Kind, limit int) {
	before := bytes.Clone(in)
	f := frame.NewReader(bytes.NewReader(in), kind, limit)
	var got []string
	var last error
	end := int64(0)
	for last == nil {
		var record []byte
		if record, last = f.Next(); last != nil {
			break
		}
		at := f.Offset()
		if at < end || at+int64(len(record)) > int64(len(in)) || !bytes.Equal(in[at:at+int64(len(record))], record) {
			t.Fatalf("%v %q: record %q is not at %d", kind, in, record, at)
		}
		if limit > 0 && len(record) > limit {
			t.Fatalf("%v %q: %d bytes, over the limit of %d", kind, in, len(record), limit)
		}
		end = at + int64(len(record))
		got = append(got, fmt.Sprintf("%d@%d %q", f.Record(), at, record))
		if len(got) > len(in)+1 {
			t.Fatalf("%v %q: no end", kind, in)
		}
	}
	slow, lastSlow := drain(frame.NewReader(iotest.OneByteReader(bytes.NewReader(in)), kind, limit))
	if fmt.Sprint(slow, lastSlow) != fmt.Sprint(got, last) {
		t.Fatalf("%v %q: by bytes %v, %v; at once %v, %v", kind, in, slow, lastSlow, got, last)
	}
	if !bytes.Equal(in, before) {
		t.Fatal("input written to")
	}
}

// The same laws over noise that is likely to look like frames.
func TestNoise(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	alphabet := []byte{0, 0, 0, 1, 2, 3, 9, '\r', '\n', '\n', 'a', 0x80, 0xff}
	for range 20_000 {
		in := make([]byte, rng.IntN(40))
		for i := range in {
			in[i] = alphabet[rng.IntN(len(alphabet))]
		}
		check(t, in, frame.Kind(rng.IntN(4)), rng.IntN(6))
	}
}
