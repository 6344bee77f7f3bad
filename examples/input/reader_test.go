package input_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/batch"
	"github.com/cdcodec/cdcodec/examples/input"
	"github.com/cdcodec/cdcodec/wire/frame"
)

// noSeek is a stream.
type noSeek struct{ io.Reader }

// TestPosition: from the Position of each record on come all the records behind it, with
// the same Positions, whether the stream can seek or not.
func TestPosition(t *testing.T) {
	records := []string{"one", "", "three", strings.Repeat("four", 100_000), "five"}
	streams := map[string][]byte{"lf": []byte(strings.Join(records, "\n")), "crlf": []byte(strings.Join(records, "\r\n") + "\r\n"), "single": []byte("one")}
	kinds := map[string]frame.Kind{"lf": frame.Lines, "crlf": frame.Lines, "u32be": frame.U32BE, "uvarint": frame.Uvarint, "single": frame.Single}
	for _, r := range records {
		for _, name := range []string{"u32be", "uvarint"} {
			streams[name], _ = frame.Append(streams[name], kinds[name], []byte(r))
		}
	}
	for name, kind := range kinds {
		want := records
		if kind == frame.Single {
			want = records[:1]
		}
		var at []input.Position
		read := func(r io.Reader, from input.Position) {
			t.Helper()
			in, err := input.NewReader(r, kind, from)
			if err != nil {
				t.Fatalf("%s, from %+v: %v", name, from, err)
			}
			i := int(from.Records)
			for ; ; i++ {
				rec, err := in.Next()
				if err == io.EOF {
					break
				}
				if err != nil || i == len(want) || string(rec.Value) != want[i] {
					t.Fatalf("%s, from %+v, record %d: %q, %v", name, from, i, rec.Value, err)
				}
				p := rec.Tag.(input.Position)
				if i == len(at) {
					at = append(at, p)
				}
				if p != at[i] || p.Records != int64(i+1) {
					t.Errorf("%s, from %+v: %+v, want %+v", name, from, p, at[i])
				}
			}
			if i != len(want) {
				t.Errorf("%s, from %+v: it ends at %d", name, from, i)
			}
		}
		read(bytes.NewReader(streams[name]), input.Position{})
		for _, p := range at {
			read(bytes.NewReader(streams[name]), p)
			read(noSeek{bytes.NewReader(streams[name])}, p)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, r := range []io.Reader{strings.NewReader("abc"), noSeek{strings.NewReader("abc")}} {
		if _, err := input.NewReader(r, frame.U32BE, input.Position{Records: 1, Offset: 4}); !errors.Is(err, input.ErrShort) {
			t.Error(err)
		}
	}
	if _, err := input.NewReader(strings.NewReader("abc\nd"), frame.Lines, input.Position{Records: 1, Offset: 2}); err == nil {
		t.Error("no line ends there")
	}
	in, err := input.NewReader(strings.NewReader("\x00\x00\x00\x01a\x00\x00\x00\x02b"), frame.U32BE, input.Position{Records: 1, Offset: 5})
	if err != nil {
		t.Fatal(err)
	}
	_, err = in.Next()
	var broken *frame.Error
	if !errors.As(err, &broken) || broken.Record != 1 || broken.Offset != 5 || !errors.Is(err, frame.ErrTruncated) {
		t.Error(err)
	}
	if _, err := input.ParseSource("xml"); err == nil {
		t.Error("xml is no format")
	}
}

func TestStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "position")
	for i := range int64(3) {
		s, err := input.OpenStore(path)
		if err != nil || s.Position().Records != i {
			t.Fatal(s, err)
		}
		for j := range int64(2) {
			s.Acknowledge(0, []batch.Record{{}, {Tag: input.Position{Records: i + j}}})
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(path, []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := input.OpenStore(path); err == nil {
		t.Error("no error")
	}
	s, err := input.OpenStore("")
	if err == nil {
		err = s.Close()
	}
	if err != nil {
		t.Error(err)
	}
}

// FuzzPosition: whatever the stream is, from the Position of a record on come the records
// behind it.
func FuzzPosition(f *testing.F) {
	for kind := range byte(4) {
		f.Add([]byte("\x00\x00\x00\x01a\x00\x00\x00\x00\x00\x00\x00\x02bc"), kind, byte(0))
		f.Add([]byte("a\r\n\n\r\nb\r\r\nc\r"), kind, byte(2))
	}
	f.Fuzz(func(t *testing.T, stream []byte, kind, at byte) {
		read := func(from input.Position) (records []batch.Record, err error) {
			r, err := input.NewReader(bytes.NewReader(stream), frame.Kind(kind%4), from)
			if err != nil {
				t.Fatalf("from %+v: %v", from, err)
			}
			for {
				rec, err := r.Next()
				if err != nil {
					return records, err
				}
				records = append(records, rec)
			}
		}
		all, end := read(input.Position{})
		if len(all) == 0 {
			return
		}
		n := int(at) % len(all)
		rest, restEnd := read(all[n].Tag.(input.Position))
		if restEnd.Error() != end.Error() {
			t.Errorf("it ends with %v, from record %d on with %v", end, n+1, restEnd)
		}
		if !slices.EqualFunc(all[n+1:], rest, func(a, b batch.Record) bool { return bytes.Equal(a.Value, b.Value) && a.Tag == b.Tag }) {
			t.Errorf("%d records are behind record %d, and %d come", len(all)-n-1, n, len(rest))
		}
	})
}

// blocks gives a stream, and then nothing until the test ends.
type blocks struct {
	r   io.Reader
	end <-chan struct{}
}

func (b blocks) Read(p []byte) (int, error) {
	if n, err := b.r.Read(p); err == nil {
		return n, nil
	}
	<-b.end
	return 0, io.EOF
}

// TestRunEnds: Run ends when ctx does or the Pipeline is given up, also while the input
// gives nothing; in the first case all that has come is delivered.
func TestRunEnds(t *testing.T) {
	const record = `{"data":[{"id":"1"}],"database":"d","table":"t","type":"INSERT","isDdl":false}` + "\n"
	errSink := errors.New("the sink is out of order")
	for _, fails := range []bool{false, true} {
		ctx, cancel := context.WithCancel(t.Context())
		o := batch.PipelineOptions{Convert: cdcodec.Options{From: cdcodec.FromCanalJSON}}
		sent := 0
		o.Sink = batch.SinkFunc(func(_ context.Context, b *batch.Batch) error {
			if fails {
				return errSink
			}
			sent += b.Len()
			cancel()
			return nil
		})
		p, err := batch.NewPipeline(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		r, err := input.NewReader(blocks{strings.NewReader(strings.Repeat(record, 9)), t.Context().Done()}, frame.Lines, input.Position{})
		if err != nil {
			t.Fatal(err)
		}
		err = r.Run(ctx, p, time.Minute)
		if fails && !errors.Is(err, errSink) || !fails && (!errors.Is(err, context.Canceled) || sent != 9) {
			t.Errorf("%v; %d sent", err, sent)
		}
		cancel()
	}
}
