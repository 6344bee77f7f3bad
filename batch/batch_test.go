package batch_test

import (
	"bytes"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/batch"
	"github.com/cdcodec/cdcodec/batch/compress"
	"github.com/cdcodec/cdcodec/fastjson"
)

// several returns a batch of several chunks.
func several(t *testing.T) *batch.Batch {
	t.Helper()
	b, err := batch.NewBatcher(cdcodec.Options{}, batch.Options{MaxBytes: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 40 {
		if err := b.Append(insert(t, strings.Repeat("x", i<<10)), meta); err != nil {
			t.Fatal(err)
		}
	}
	b.Flush()
	got, err := b.Next(time.Now())
	if err != nil || got.Len() != 40 {
		t.Fatal(err)
	}
	return got
}

// TestWriteTo: a batch goes whole through a connection, its spans are those bytes, and
// a writer that fails or writes too little stops it.
func TestWriteTo(t *testing.T) {
	b := several(t)
	want := b.AppendTo(nil)
	var spans net.Buffers
	if spans = b.AppendBuffers(spans); len(spans) < 3 || !bytes.Equal(bytes.Join(spans, nil), want) {
		t.Fatalf("%d spans", len(spans))
	}

	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skip(err)
	}
	defer l.Close()
	sent := make(chan error, 1)
	go func() {
		c, err := net.Dial("tcp", l.Addr().String())
		if err == nil {
			var n int64
			if n, err = b.WriteTo(c); err == nil && n != b.Size() {
				err = errors.New("not all was written")
			}
			c.Close()
		}
		sent <- err
	}()
	c, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(c)
	c.Close()
	if err := errors.Join(err, <-sent); err != nil || !bytes.Equal(got, want) {
		t.Fatalf("%d bytes arrived of %d: %v", len(got), len(want), err)
	}

	errFull := errors.New("full")
	for _, w := range []*limited{{left: 100_000, err: errFull}, {left: 100_000}} {
		n, err := b.WriteTo(w)
		want := w.err
		if want == nil {
			want = io.ErrShortWrite
		}
		if n != 100_000 || err != want {
			t.Errorf("%d bytes, %v", n, err)
		}
	}
	r := b.Reader()
	if n, err := r.Read(nil); n != 0 || err != nil {
		t.Errorf("Read of nothing: %d, %v", n, err)
	}
	for range b.Messages() {
		break // which is no trouble
	}
}

// limited takes so many bytes.
type limited struct {
	left int
	err  error
}

func (w *limited) Write(p []byte) (int, error) {
	n := min(len(p), w.left)
	w.left -= n
	if n < len(p) {
		return n, w.err
	}
	return n, nil
}

// TestDeadLetterFails: an error of DeadLetter ends the Pipeline, with what came before
// delivered.
func TestDeadLetterFails(t *testing.T) {
	leaks(t)
	errFull := errors.New("the dead letters are full")
	p, err := batch.NewPipeline(t.Context(), batch.PipelineOptions{
		Sink:       discard,
		DeadLetter: func(int64, batch.Record, error) error { return errFull },
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range [][]byte{insert(t, "a"), insert(t, "b"), {0xff}, insert(t, "c")} {
		if _, err := p.Submit(t.Context(), batch.Record{Value: r}); err != nil {
			break
		}
	}
	err = p.Close(t.Context())
	if !errors.Is(err, errFull) || !strings.Contains(err.Error(), "record 2") {
		t.Errorf("Close: %v", err)
	}
	if s := p.Stats(); s.Messages != 2 || s.Acknowledged != 2 || s.Bad != 1 {
		t.Errorf("%+v", s)
	}
}

// TestBadEntries: those that a packet can do without are told in order, with their record.
func TestBadEntries(t *testing.T) {
	leaks(t)
	good := insert(t, "x")
	var told [][2]int64
	p, err := batch.NewPipeline(t.Context(), batch.PipelineOptions{
		Convert: cdcodec.Options{From: cdcodec.FromPacket},
		Sink:    discard,
		Workers: 3,
		Chunk:   1,
		BadEntry: func(number int64, r batch.Record, entry int, err error) {
			if err == nil || r.Offset != number {
				t.Errorf("record %d: offset %d, %v", number, r.Offset, err)
			}
			told = append(told, [2]int64{number, int64(entry)})
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	var want [][2]int64
	for i := range int64(100) {
		list := [][]byte{good, good, good}
		if i%3 == 0 {
			list[1] = []byte{0xff}
			want = append(want, [2]int64{i, 1})
		}
		if i%7 == 0 {
			list[2] = []byte{0xff}
			want = append(want, [2]int64{i, 2})
		}
		if _, err := p.Submit(t.Context(), batch.Record{Value: packet(t, list...), Offset: i}); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(told) != len(want) {
		t.Fatalf("told %v, want %v", told, want)
	}
	for i := range want {
		if told[i] != want[i] {
			t.Fatalf("told %v, want %v", told, want)
		}
	}
	if s := p.Stats(); s.Bad != 0 || s.Messages != uint64(300-len(want)) {
		t.Errorf("%+v", s)
	}
}

// TestManyBadEntries: more of one record than are kept are told all the same, before
// those of the next.
func TestManyBadEntries(t *testing.T) {
	leaks(t)
	good := insert(t, "x")
	var told [][2]int64
	p, err := batch.NewPipeline(t.Context(), batch.PipelineOptions{
		Convert: cdcodec.Options{From: cdcodec.FromPacket},
		Sink:    discard,
		BadEntry: func(number int64, _ batch.Record, entry int, err error) {
			if err == nil {
				t.Errorf("record %d, entry %d: no error", number, entry)
			}
			told = append(told, [2]int64{number, int64(entry)})
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	var want [][2]int64
	for i, n := range []int{1023, 1024, 1025, 5000, 3} {
		list := [][]byte{good}
		for range n {
			want = append(want, [2]int64{int64(i), int64(len(list))})
			list = append(list, []byte{0xff})
			if n%3 == 0 {
				list = append(list, good)
			}
		}
		if _, err := p.Submit(t.Context(), batch.Record{Value: packet(t, list...)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Close(t.Context()); err != nil || !slices.Equal(told, want) {
		t.Errorf("%v; %d told, want %d", err, len(told), len(want))
	}
}

// TestHostile: the smallest Entries, which become 90 times as much, and giants go through
// without harm.
func TestHostile(t *testing.T) {
	leaks(t)
	many := make([][]byte, 9_000)
	for i := range many {
		many[i] = []byte{}
	}
	giant := insert(t, strings.Repeat("\x01", 1<<20))
	records := append(many, giant, nil, giant, insert(t, "x"))
	all, _ := convert(t, cdcodec.Options{}, records)
	for _, o := range []batch.Options{
		{}, {Frame: batch.Array, MaxBytes: 1}, {Frame: batch.U32BE, Compress: compress.Options{Codec: compress.Snappy}, PerMessage: true},
	} {
		p, err := batch.NewPipeline(t.Context(), batch.PipelineOptions{Workers: 2, Batch: o, Sink: discard, MaxInFlight: 1 << 20})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range records {
			if _, err := p.SubmitCopy(t.Context(), batch.Record{Value: r, Meta: fastjson.Meta{ID: 1, TS: 1}}); err != nil {
				t.Fatal(err)
			}
		}
		if err := p.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if s := p.Stats(); s.Messages != uint64(len(all)) || s.InFlight != 0 {
			t.Fatalf("%+v", s)
		}
	}
}
