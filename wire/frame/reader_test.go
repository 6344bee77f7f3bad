package frame_test

import (
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/cdcodec/cdcodec/wire/frame"
)

// drain returns what a Reader says of a stream: one line per record, then the
// error that ended it.
func drain(f *frame.Reader) (lines []string, last error) {
	for {
		record, err := f.Next()
		if err != nil {
			return lines, err
		}
		if record == nil {
			lines = append(lines, "nil!")
		}
		lines = append(lines, fmt.Sprintf("%d@%d %q", f.Record(), f.Offset(), record))
	}
}

// The bytes of streams and what they hold. Each is read in four ways: how the
// bytes arrive must not matter.
func TestStreams(t *testing.T) {
	type want = []string
	bad := func(offset, record int64, err error) *frame.Error {
		e := &frame.Error{Offset: offset, Record: record, Err: err}
		if err == frame.ErrTooLarge {
			e.Limit = 300
		}
		return e
	}
	claims := func(size uint64, e *frame.Error) *frame.Error {
		e.Size = size
		return e
	}
	const limit = 300
	tests := []struct {
		name   string
		kind   frame.Kind
		stream string
		want   want
		err    *frame.Error // nil: io.EOF
	}{
		{"empty", frame.U32BE, "", nil, nil},
		{"one", frame.U32BE, "\x00\x00\x00\x02ab", want{`0@4 "ab"`}, nil},
		{"empty record", frame.U32BE, "\x00\x00\x00\x00\x00\x00\x00\x01a", want{`0@4 ""`, `1@8 "a"`}, nil},
		{"cut length", frame.U32BE, "\x00\x00\x00\x01a\x00\x00\x00", want{`0@4 "a"`}, bad(5, 1, frame.ErrTruncated)},
		{"cut record", frame.U32BE, "\x00\x00\x00\x02a", nil, bad(0, 0, frame.ErrTruncated)},
		{"length and no record", frame.U32BE, "\x00\x00\x00\x02", nil, bad(0, 0, frame.ErrTruncated)},
		{"largest", frame.U32BE, "\x00\x00\x01\x2c" + strings.Repeat("a", 300), want{`0@4 "` + strings.Repeat("a", 300) + `"`}, nil},
		{"too large", frame.U32BE, "\x00\x00\x00\x01a\x00\x00\x01\x2d", want{`0@4 "a"`}, claims(301, bad(5, 1, frame.ErrTooLarge))},
		{"4 GiB", frame.U32BE, "\xff\xff\xff\xff", nil, claims(1<<32-1, bad(0, 0, frame.ErrTooLarge))},

		{"empty", frame.Uvarint, "", nil, nil},
		{"one", frame.Uvarint, "\x02ab", want{`0@1 "ab"`}, nil},
		{"empty record", frame.Uvarint, "\x00\x01a\x00", want{`0@1 ""`, `1@2 "a"`, `2@4 ""`}, nil},
		{"two bytes", frame.Uvarint, "\x80\x01" + strings.Repeat("b", 128) + "\x00", want{`0@2 "` + strings.Repeat("b", 128) + `"`, `1@131 ""`}, nil},
		{"padded", frame.Uvarint, "\x81\x80\x80\x80\x80\x80\x80\x80\x80\x00a", want{`0@10 "a"`}, nil},
		{"cut length", frame.Uvarint, "\x01a\x80", want{`0@1 "a"`}, bad(2, 1, frame.ErrTruncated)},
		{"cut record", frame.Uvarint, "\x02a", nil, bad(0, 0, frame.ErrTruncated)},
		{"eleven bytes", frame.Uvarint, "\x00" + strings.Repeat("\x80", 10) + "\x00", want{`0@1 ""`}, bad(1, 1, frame.ErrLength)},
		{"65 bits", frame.Uvarint, strings.Repeat("\xff", 9) + "\x02", nil, bad(0, 0, frame.ErrLength)},
		{"64 bits", frame.Uvarint, strings.Repeat("\xff", 9) + "\x01", nil, claims(1<<64-1, bad(0, 0, frame.ErrTooLarge))},
		{"too large", frame.Uvarint, "\xad\x02", nil, claims(301, bad(0, 0, frame.ErrTooLarge))},

		{"empty", frame.Single, "", want{`0@0 ""`}, nil},
		{"all", frame.Single, "a\nb\x00", want{`0@0 "a\nb\x00"`}, nil},
		{"largest", frame.Single, strings.Repeat("a", 300), want{`0@0 "` + strings.Repeat("a", 300) + `"`}, nil},
		{"too large", frame.Single, strings.Repeat("a", 301), nil, bad(0, 0, frame.ErrTooLarge)},

		{"empty", frame.Lines, "", nil, nil},
		{"one", frame.Lines, "{}\n", want{`0@0 "{}"`}, nil},
		{"no end", frame.Lines, "{}", want{`0@0 "{}"`}, nil},
		{"CRLF", frame.Lines, "a\r\nb\nc\r\n", want{`0@0 "a"`, `1@3 "b"`, `2@5 "c"`}, nil},
		{"CR alone", frame.Lines, "a\rb\r\r\nc\r", want{`0@0 "a\rb\r"`, `1@6 "c\r"`}, nil},
		{"empty lines", frame.Lines, "\n\r\na\n\n", want{`0@0 ""`, `1@1 ""`, `2@3 "a"`, `3@5 ""`}, nil},
		{"largest", frame.Lines, strings.Repeat("a", 300) + "\r\nb", want{`0@0 "` + strings.Repeat("a", 300) + `"`, `1@302 "b"`}, nil},
		{"largest, no end", frame.Lines, strings.Repeat("a", 300), want{`0@0 "` + strings.Repeat("a", 300) + `"`}, nil},
		{"too large", frame.Lines, "b\n" + strings.Repeat("a", 301) + "\n", want{`0@0 "b"`}, bad(2, 1, frame.ErrTooLarge)},
		{"too large, no end", frame.Lines, strings.Repeat("a", 301), nil, bad(0, 0, frame.ErrTooLarge)},
		{"much too large", frame.Lines, strings.Repeat("a", 400), nil, bad(0, 0, frame.ErrTooLarge)},

		{"no such kind", frame.Kind(9), "a", nil, bad(0, 0, frame.ErrKind)},
	}
	arrive := map[string]func(io.Reader) io.Reader{
		"at once":     func(r io.Reader) io.Reader { return r },
		"by bytes":    iotest.OneByteReader,
		"by halves":   iotest.HalfReader,
		"data and io": iotest.DataErrReader,
	}
	for _, tt := range tests {
		t.Run(tt.kind.String()+"/"+tt.name, func(t *testing.T) {
			for how, wrap := range arrive {
				got, err := drain(frame.NewReader(wrap(strings.NewReader(tt.stream)), tt.kind, limit))
				if !reflect.DeepEqual(got, []string(tt.want)) {
					t.Errorf("%s: got %q, want %q", how, got, tt.want)
				}
				var broken *frame.Error
				switch {
				case tt.err == nil && err != io.EOF:
					t.Errorf("%s: got error %v, want the end", how, err)
				case tt.err != nil && (!errors.As(err, &broken) || *broken != *tt.err):
					t.Errorf("%s: got error %v, want %v", how, err, tt.err)
				}
			}
		})
	}
}

// An error of the underlying reader comes out wrapped, after the whole records
// that arrived before it, and stays.
func TestReaderError(t *testing.T) {
	boom := errors.New("boom")
	tests := []struct {
		kind   frame.Kind
		stream string
		want   []string
		offset int64
	}{
		{frame.U32BE, "\x00\x00\x00\x01a\x00\x00\x00\x02b", []string{`0@4 "a"`}, 5},
		{frame.U32BE, "\x00\x00\x00\x01a", []string{`0@4 "a"`}, 5},
		{frame.Uvarint, "\x01a\x81", []string{`0@1 "a"`}, 2},
		{frame.Single, "abc", nil, 0},
		{frame.Lines, "a\nb", []string{`0@0 "a"`}, 2},
	}
	for _, tt := range tests {
		for _, wrap := range []func(io.Reader) io.Reader{iotest.HalfReader, iotest.DataErrReader} {
			in := wrap(io.MultiReader(strings.NewReader(tt.stream), iotest.ErrReader(boom)))
			f := frame.NewReader(in, tt.kind, 0)
			got, err := drain(f)
			var broken *frame.Error
			if !errors.Is(err, boom) || !errors.As(err, &broken) || broken.Offset != tt.offset || broken.Record != int64(len(tt.want)) {
				t.Errorf("%v %q: got error %v, want boom at byte %d", tt.kind, tt.stream, err, tt.offset)
			}
			if _, again := f.Next(); again != err {
				t.Errorf("%v %q: then %v, want the same error", tt.kind, tt.stream, again)
			}
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("%v %q: got %q, want %q", tt.kind, tt.stream, got, tt.want)
			}
		}
	}
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// Readers that break their contract end the stream; they hang or panic nothing.
func TestBadReaders(t *testing.T) {
	if _, err := drain(frame.NewReader(readerFunc(func([]byte) (int, error) { return 0, nil }), frame.Lines, 0)); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("a reader without progress: %v", err)
	}
	for _, n := range []int{-1, math.MaxInt} {
		if _, err := drain(frame.NewReader(readerFunc(func([]byte) (int, error) { return n, nil }), frame.U32BE, 0)); err == nil || err == io.EOF {
			t.Errorf("a reader that says %d: %v", n, err)
		}
	}
}

// What Next returns is capped: an append to it does not reach the next record.
func TestCapped(t *testing.T) {
	f := frame.NewReader(strings.NewReader("\x01a\x01b"), frame.Uvarint, 0)
	first, err := f.Next()
	if err != nil {
		t.Fatal(err)
	}
	_ = append(first, 0xff, 0xff)
	if second, err := f.Next(); string(second) != "b" || err != nil {
		t.Errorf("got %q, %v", second, err)
	}
}

func TestAppend(t *testing.T) {
	tests := []struct {
		kind   frame.Kind
		record string
		want   string
		err    error
	}{
		{frame.U32BE, "ab", "\x00\x00\x00\x02ab", nil},
		{frame.Uvarint, "ab", "\x02ab", nil},
		{frame.Uvarint, strings.Repeat("a", 200), "\xc8\x01" + strings.Repeat("a", 200), nil},
		{frame.Single, "ab", "ab", nil},
		{frame.Lines, "a\rb", "a\rb\n", nil},
		{frame.Lines, "", "\n", nil},
		{frame.Lines, "a\nb", "", frame.ErrLineBreak},
		{frame.Lines, "a\r", "", frame.ErrLineBreak},
		{frame.Kind(4), "a", "", frame.ErrKind},
	}
	for _, tt := range tests {
		dst := []byte("before ")
		got, err := frame.Append(dst, tt.kind, []byte(tt.record))
		if string(got) != "before "+tt.want || err != tt.err {
			t.Errorf("Append(%v, %q) = %q, %v", tt.kind, tt.record, got, err)
		}
	}
}

func TestKindNames(t *testing.T) {
	for k := frame.U32BE; k <= frame.Lines; k++ {
		if got, err := frame.ParseKind(k.String()); got != k || err != nil {
			t.Errorf("ParseKind(%q) = %v, %v", k, got, err)
		}
	}
	if _, err := frame.ParseKind("u16"); err == nil || !strings.Contains(err.Error(), "u32be, uvarint, single, lines") {
		t.Errorf("ParseKind of an unknown name: %v", err)
	}
	if got := frame.Kind(7).String(); got != "Kind(7)" {
		t.Error(got)
	}
}
