package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/batch/compress"
	"github.com/cdcodec/cdcodec/internal/corpus"
	"github.com/cdcodec/cdcodec/wire/frame"
)

// TestWorkersSame: on several cores convert writes, reports and returns what it does in a
// loop, whatever the flags, with good and bad records.
func TestWorkersSame(t *testing.T) {
	c, err := corpus.Make("stream", 2000, 3)
	if err != nil {
		t.Fatal(err)
	}
	entries := append([][]byte(nil), c.Entries...)
	packets := c.Packets()
	for _, at := range []int{7, 8, 900} {
		entries[at] = bad
	}
	packets[3] = packet(t, 9, entry(t, "x"), bad, begin(t), bad, entry(t, "y"))
	good := stream(t, frame.U32BE, c.Entries...)
	broken := stream(t, frame.U32BE, entries...)
	cut := broken[:len(broken)-3]
	packed := stream(t, frame.U32BE, packets...)
	for _, in := range []struct {
		name  string
		bytes []byte
		flags []string
	}{
		{"good", good, nil},
		{"bad", broken, nil},
		{"cut", cut, nil},
		{"empty", nil, nil},
		{"packets", packed, []string{"--from", "packet"}},
		{"kept", packed, []string{"--from", "packet", "--bad-entry", "skip"}},
	} {
		for _, flags := range []string{
			"", "--on-error skip", "--per-record", "--per-record --on-error skip", "--per-record --on-error inline",
			"--frame-out u32be", "--frame-out uvarint --on-error skip", "--dialect ticdc --on-error skip", "--dialect entry --on-error skip",
			"--dialect packet --frame-out uvarint --on-error skip", "--max-message-bytes 500 --split --on-error skip", "--one-row --on-error skip",
		} {
			args := append(strings.Fields(flags), in.flags...)
			want := convert(in.bytes, args...)
			for workers := 1; workers <= 3; workers++ {
				got := convert(in.bytes, append(args, "--workers", fmt.Sprint(workers))...)
				if got != want {
					t.Errorf("%s, %s, %d workers: exit %d, want %d; %d bytes, want %d; standard error\n%s\nwant\n%s",
						in.name, flags, workers, got.code, want.code, len(got.out), len(want.out), got.err, want.err)
				}
			}
		}
	}
}

// TestCompress: what is compressed is the output, and a plain reader gets it back.
func TestCompress(t *testing.T) {
	c, err := corpus.Make("oltp", 3000, 3)
	if err != nil {
		t.Fatal(err)
	}
	in := stream(t, frame.U32BE, c.Entries...)
	want := convert(in)
	for _, name := range []string{"gzip", "zstd", "s2", "lz4", "zstd:best", "none"} {
		got := convert(in, "--compress", name, "--workers", "2")
		o, err := compress.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		r, err := compress.New(o)
		if err != nil {
			t.Fatal(err)
		}
		text, err := r.AppendDecompressed(nil, []byte(got.out), len(want.out))
		if err != nil || got.code != 0 || string(text) != want.out {
			t.Errorf("%s: exit %d, %v, %d bytes, want %d", name, got.code, err, len(text), len(want.out))
		}
		if name != "none" && len(got.out) > len(want.out)/3 {
			t.Errorf("%s: %d bytes of %d", name, len(got.out), len(want.out))
		}
	}
	for flags, what := range map[string]string{
		"--compress snappy": "snappy", "--compress x": "x", "--compress zstd:x": "x", "--compress gzip --per-record": "exclude",
		"--workers -1": "--workers", "--workers 2000": "1024", "--split --dialect ticdc": "--split is for --dialect canal",
	} {
		if got := convert(in, strings.Fields(flags)...); got.code != 2 || !strings.Contains(got.err, what) {
			t.Errorf("%s: exit %d, %s", flags, got.code, got.err)
		}
	}
}

// TestRowsDrop: where a batch never ends with a record, what is kept is the messages that
// are left, not all there ever were.
func TestRowsDrop(t *testing.T) {
	var r rows
	for i := range 1000 {
		text := fmt.Sprintf("message %d", i)
		r.msgs = append(r.msgs, cdcodec.Message{Start: len(r.js), End: len(r.js) + len(text)})
		r.js = append(r.js, text...)
		r.of = append(r.of, int64(i))
		if i > 1 {
			r.drop(1)
		}
		if m := r.msgs[len(r.msgs)-1]; string(r.js[m.Start:m.End]) != text || r.of[len(r.of)-1] != int64(i) {
			t.Fatalf("%q, want %q", r.js[m.Start:m.End], text)
		}
	}
	if len(r.msgs) != 2 || len(r.js) > 30 {
		t.Errorf("%d messages and %d bytes are left", len(r.msgs), len(r.js))
	}
	if r.drop(2); len(r.msgs)+len(r.of)+len(r.js) != 0 {
		t.Errorf("%+v", r)
	}
}
