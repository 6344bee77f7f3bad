package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/cdcodec/cdcodec/internal/corpus"
	"github.com/cdcodec/cdcodec/wire/frame"
)

// Two good records with a bad one between them, under all that can be asked.
func TestBadRecord(t *testing.T) {
	a, b := entry(t, "a"), entry(t, "b")
	ma, mb := message(t, a, 1), message(t, b, 1)
	in := stream(t, frame.U32BE, a, bad, b)
	line := fmt.Sprintf("record 1 at byte %d: %s\n", 4+len(a)+4, badText)

	convert(in).check(t, 1, ma+"\n", line)
	convert(in, "--on-error", "stop").check(t, 1, ma+"\n", line)
	convert(in, "--on-error", "stop", "--per-record").check(t, 1, "["+ma+"]\n", line)
	convert(in, "--on-error", "skip").check(t, 1, ma+"\n"+mb+"\n", line)
	convert(in, "--on-error", "skip", "--per-record").check(t, 1, "["+ma+"]\n[]\n["+mb+"]\n", line)
	convert(in, "--on-error", "inline", "--per-record").check(t, 0, "["+ma+"]\n{\"error\":\""+badText+"\"}\n["+mb+"]\n", line)

	// Nothing but the one bad record, in a stream without lengths.
	convert(bad, "--frame", "single").check(t, 1, "", "record 0 at byte 0: "+badText+"\n")
}

// An error of the record itself has no path, and so the line has none.
func TestNoPath(t *testing.T) {
	in := stream(t, frame.Uvarint, []byte{0x00})
	r := convert(in, "--frame", "uvarint")
	r.check(t, 1, "", "record 0 at byte 1: at byte 0: field number is 0 or above 2^29-1\n")
}

// A packet is atomic, unless its good entries are asked for.
func TestBadEntry(t *testing.T) {
	a, b := entry(t, "a"), entry(t, "b")
	ma, mb := message(t, a, 3), message(t, b, 3)
	first, second := packet(t, 3, a, bad, b, bad), packet(t, 3, b)
	in := stream(t, frame.U32BE, first, second)
	at := func(i int) string { // where the i-th bad entry stands in its packet
		p := bytes.Index(first, bad)
		if i == 1 {
			p = bytes.LastIndex(first, bad)
		}
		return fmt.Sprintf("body.messages[%d].storeValue at byte %d: input ends inside a field", 1+2*i, p+4)
	}
	one := "record 0 at byte 4: " + at(0) + "\n"
	both := one + "record 0 at byte 4: " + at(1) + "\n"
	args := func(more ...string) []string { return append([]string{"--from", "packet"}, more...) }

	convert(in, args()...).check(t, 1, "", one)
	convert(in, args("--on-error", "skip")...).check(t, 1, mb+"\n", one)
	convert(in, args("--on-error", "skip", "--per-record")...).check(t, 1, "[]\n["+mb+"]\n", one)
	convert(in, args("--on-error", "inline", "--per-record")...).check(t, 0, "{\"error\":\""+at(0)+"\"}\n["+mb+"]\n", one)

	// A bad entry alone ends no run.
	for _, mode := range []string{"stop", "skip"} {
		convert(in, args("--bad-entry", "skip", "--on-error", mode)...).check(t, 1, ma+"\n"+mb+"\n"+mb+"\n", both)
		convert(in, args("--bad-entry", "skip", "--on-error", mode, "--per-record")...).check(t, 1, "["+ma+","+mb+"]\n["+mb+"]\n", both)
	}
	convert(in, args("--bad-entry", "skip", "--on-error", "inline", "--per-record")...).check(t, 0, "["+ma+","+mb+"]\n["+mb+"]\n", both)

	// The packet around them is not spared.
	in = stream(t, frame.U32BE, []byte{0x18, 0x06}, second) // type GET
	if r := convert(in, args("--bad-entry", "skip")...); r.code != 1 || r.out != "" || !strings.HasPrefix(r.err, "record 0 at byte 4: ") {
		t.Errorf("bad packet: %+v", r)
	}
	// To an Entry the flag says nothing.
	convert(bad, "--frame", "single", "--bad-entry", "skip").check(t, 1, "", "record 0 at byte 0: "+badText+"\n")
}

// What came before a broken frame is written, and nothing after it is read.
func TestBrokenFrame(t *testing.T) {
	a := entry(t, "a")
	ma := message(t, a, 1)
	in := stream(t, frame.U32BE, a)
	place := fmt.Sprintf("cdcbench: frame of record 1 at byte %d: ", len(in))
	for _, tt := range []struct {
		tail string
		say  string
	}{
		{"\x00\x00", frame.ErrTruncated.Error()},
		{"\x00\x00\x00\x05\x10", frame.ErrTruncated.Error()},
		{"\xff\xff\xff\xff\x10\x01", "record too large, 4294967295 bytes, 268435456 are allowed"},
	} {
		in := append(bytes.Clone(in), tt.tail...)
		for _, mode := range []string{"stop", "skip", "inline"} {
			convert(in, "--per-record", "--on-error", mode).check(t, 2, "["+ma+"]\n", place+tt.say+"\n")
		}
	}

	// It counts for more than a bad record before it.
	in = append(stream(t, frame.U32BE, bad, a), 0)
	convert(in, "--on-error", "skip").check(t, 2, ma+"\n", "record 0 at byte 4: "+badText+"\n"+
		fmt.Sprintf("cdcbench: frame of record 2 at byte %d: %v\n", len(in)-1, frame.ErrTruncated))

	r := convert(stream(t, frame.Uvarint, a), "--frame", "uvarint", "--max-record", "3")
	r.check(t, 2, "", fmt.Sprintf("cdcbench: frame of record 0 at byte 0: record too large, %d bytes, 3 are allowed: is --frame uvarint right?\n", len(a)))

	// A text is no frame.
	convert([]byte(`{"id":1}`)).check(t, 2, "", "cdcbench: frame of record 0 at byte 0: record too large, 2065852772 bytes, 268435456 are allowed: is --frame u32be right?\n")
}

// A text from the input stays within its line, on both outputs.
func TestErrorIsOneLine(t *testing.T) {
	if got := oneLine("a\nb\x1b[2J\u0085c \"d\""); got != `a\nb\x1b[2J\u0085c "d"` {
		t.Error(got)
	}
	ack := []byte("\x18\x03\x2a\x08\x08\x01\x12\x04a\n<b")
	r := convert(ack, "--from", "packet", "--frame", "single", "--per-record", "--on-error", "inline")
	if r.code != 0 || strings.Count(r.out, "\n") != 1 || strings.Count(r.err, "\n") != 1 || !strings.Contains(r.out, `\n<b`) || !strings.Contains(r.err, `a\n<b`) {
		t.Errorf("%+v", r)
	}
}

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }

// endless is a stream without an end.
type endless struct {
	b  []byte
	at int
}

func (e *endless) Read(p []byte) (int, error) {
	n := copy(p, e.b[e.at:])
	e.at = (e.at + n) % len(e.b)
	return n, nil
}

// A run whose output cannot be written ends, and says so unless the reader of
// the output has just gone away.
func TestCannotWrite(t *testing.T) {
	for err, want := range map[error]string{
		errors.New("disk full"):                       "cdcbench: disk full\n",
		fmt.Errorf("write: %w", error(syscall.EPIPE)): "",
	} {
		var stderr bytes.Buffer
		in := &endless{b: stream(t, frame.U32BE, entry(t, "a"))}
		code := run([]string{"convert"}, in, failingWriter{err}, &stderr)
		result{code, "", stderr.String()}.check(t, 2, "", want)

		// The same for the little that is written only at the end.
		stderr.Reset()
		code = run([]string{"convert", "--frame", "single"}, bytes.NewReader(nil), failingWriter{err}, &stderr)
		result{code, "", stderr.String()}.check(t, 2, "", want)
	}
}

// A reader's error is I/O: what came before it is written.
func TestCannotRead(t *testing.T) {
	a := entry(t, "a")
	in := io.MultiReader(bytes.NewReader(stream(t, frame.U32BE, a)), readerOf{errors.New("boom")})
	var out, stderr bytes.Buffer
	code := run([]string{"convert", "--ts", fixedTS}, in, &out, &stderr)
	if code != 2 || out.String() != message(t, a, 1)+"\n" || !strings.Contains(stderr.String(), "boom") {
		t.Errorf("%d, %q, %q", code, out.String(), stderr.String())
	}
}

type readerOf struct{ err error }

func (r readerOf) Read([]byte) (int, error) { return 0, r.err }

// Any amount of data streams through in bounded memory.
func TestMemory(t *testing.T) {
	const total = 48 << 20
	traffic, err := corpus.Make("oltp", 200, 1)
	if err != nil {
		t.Fatal(err)
	}
	one := stream(t, frame.U32BE, traffic.Entries...)
	in := io.LimitReader(&endless{b: one}, int64(total/len(one)*len(one)))
	if n := allocated(t, in, "convert"); n > 10<<20 {
		t.Errorf("%d bytes allocated for %d", n, total)
	}
}

// allocated returns how many bytes the command allocates for an input, beyond what it does
// for none: to read its arguments takes some, too.
func allocated(t *testing.T, in io.Reader, args ...string) int64 {
	t.Helper()
	measure := func(in io.Reader) int64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if code := run(args, in, io.Discard, io.Discard); code != 0 {
			t.Errorf("%q: exit code %d", args, code)
		}
		runtime.ReadMemStats(&after)
		return int64(after.TotalAlloc - before.TotalAlloc)
	}
	return measure(in) - measure(strings.NewReader(""))
}

// A bar draws, makes room, and leaves nothing; where there is none, its
// methods do nothing.
func TestProgress(t *testing.T) {
	var w bytes.Buffer
	p := newBar(&w, 1000)
	if _, err := p.Write(make([]byte, 500)); err != nil || !strings.Contains(w.String(), "50%") {
		t.Errorf("drawn: %q, %v", w.String(), err)
	}
	p.clear()
	p.finish()
	if !strings.HasSuffix(w.String(), " \r") {
		t.Errorf("left behind: %q", w.String())
	}
	if p := newProgress(&w, 1000); p != nil {
		t.Error("a bar on what is no terminal")
	}
	var none *progress
	none.clear()
	none.finish()
}
