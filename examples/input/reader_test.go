package input_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
