package jsonfiles_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/batch"
	"github.com/cdcodec/cdcodec/batch/compress"
	"github.com/cdcodec/cdcodec/examples/files/jsonfiles"
	"github.com/cdcodec/cdcodec/examples/input"
	"github.com/cdcodec/cdcodec/wire/frame"
)

// read returns the messages in the finished files of dir, and how many files there are.
func read(t *testing.T, dir string) (texts []string, files int) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.jsonl*"))
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	for _, name := range names {
		if strings.HasSuffix(name, ".part") {
			continue
		}
		files++
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, ".zst") {
			z, err := zstd.NewReader(bytes.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			if text, err = io.ReadAll(z); err != nil {
				t.Fatal(err)
			}
			z.Close()
		}
		for l := range strings.Lines(string(text)) {
			texts = append(texts, strings.TrimSuffix(l, "\n"))
		}
	}
	return texts, files
}

// TestRealFiles runs over a real directory, with files that end by age, is stopped now and
// then, changes its compression, and gets an input that is only half there at first.
func TestRealFiles(t *testing.T) {
	dir := t.TempDir()
	stream, lines := traffic(t, 300, frame.Uvarint, cdcodec.Options{})
	o := jsonfiles.Options{MaxAge: 2 * time.Millisecond, MaxSize: 20 << 10, Input: "a"}
	lives := 0
	for end := len(stream) / 7; ; end = min(end+len(stream)/7, len(stream)) {
		var pipe batch.PipelineOptions
		pipe.Batch.MaxBytes = 4 << 10
		o.Suffix = ""
		if lives++; lives%2 == 0 {
			pipe.Batch.Compress.Codec = compress.Zstd
			o.Suffix = jsonfiles.Suffix(compress.Zstd)
		}
		d, err := jsonfiles.Open(jsonfiles.OS(dir), o)
		if err != nil {
			t.Fatal(err)
		}
		in := slow{bytes.NewReader(stream[:end])}
		r, err := input.NewReader(in, frame.Uvarint, d.Position())
		if err != nil {
			t.Fatal(err)
		}
		r.Meta = meta
		err = jsonfiles.Run(context.Background(), r, d, pipe)
		if broken := (*frame.Error)(nil); err != nil && !errors.As(err, &broken) {
			t.Fatal(err)
		} else if err == nil && end == len(stream) {
			break
		}
	}
	texts, files := read(t, dir)
	if len(texts) != len(lines) || files < 2*lives {
		t.Fatalf("%d of %d messages in %d files", len(texts), len(lines), files)
	}
	for i, l := range lines {
		if texts[i] != l.text {
			t.Fatalf("message %d is another one", i)
		}
	}
	// Everything is taken away: numbers go on, and nothing comes again.
	names, _ := filepath.Glob(filepath.Join(dir, "cdc-*"))
	for _, name := range names {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
	d, err := jsonfiles.Open(jsonfiles.OS(dir), o)
	if err != nil {
		t.Fatal(err)
	}
	if at := d.Position(); at.Records != 300 || at.Offset != int64(len(stream)) {
		t.Errorf("%+v", at)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
}

// slow gives a little at a time, and cannot seek.
type slow struct{ r io.Reader }

func (s slow) Read(p []byte) (int, error) {
	time.Sleep(100 * time.Microsecond)
	return s.r.Read(p[:min(len(p), 4000)])
}

func TestOpenRefuses(t *testing.T) {
	for name, state := range map[string]string{
		"empty":         "",
		"not JSON":      "{",
		"unknown field": `{"input":"a","file":"cdc-000000000001.jsonl","more":1}`,
		"no file":       `{"input":"a"}`,
		"size":          `{"input":"a","file":"cdc-000000000001.jsonl","size":-1}`,
		"another input": `{"input":"b","file":"cdc-000000000001.jsonl"}`,
		"part is short": `{"input":"a","file":"cdc-000000000001.jsonl","size":11}`,
	} {
		dir := t.TempDir()
		for file, text := range map[string]string{"state.json": state, "cdc-000000000001.jsonl.part": "0123456789"} {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := jsonfiles.Open(jsonfiles.OS(dir), jsonfiles.Options{Input: "a"}); err == nil {
			t.Errorf("%s: no error", name)
		}
		if text, _ := os.ReadFile(filepath.Join(dir, "cdc-000000000001.jsonl.part")); string(text) != "0123456789" {
			t.Errorf("%s: the .part was changed", name)
		}
	}
}

// TestExpire: a file ends when it is old enough, also while nothing comes, and not before.
func TestExpire(t *testing.T) {
	s, _ := newSetup(t, compress.Options{}, false)
	records, now := [][]byte{}, time.Unix(1700000000, 0).UTC()
	for in := frame.NewReader(bytes.NewReader(s.stream), s.kind, 0); ; {
		r, err := in.Next()
		if err != nil {
			break
		}
		records = append(records, bytes.Clone(r))
	}
	s.dir.Now, s.dir.MaxAge, s.dir.MaxSize = func() time.Time { return now }, time.Minute, 1<<20
	disk := newDisk(t, nil)
	d, err := jsonfiles.Open(disk, s.dir)
	if err != nil {
		t.Fatal(err)
	}
	s.pipe.Sink, s.pipe.Acknowledge = d, d.Acknowledge
	p, err := batch.NewPipeline(t.Context(), s.pipe)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range records {
		if _, err := p.Submit(t.Context(), batch.Record{Value: r, Meta: meta, Tag: input.Position{Records: int64(i + 1)}}); err != nil {
			t.Fatal(err)
		}
		if i%6 != 5 {
			continue
		}
		if err := p.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, wait := range []time.Duration{0, time.Minute - 1, 1, time.Hour} {
			now = now.Add(wait)
			if err := d.Expire(); err != nil {
				t.Fatal(err)
			}
			name := fmt.Sprintf("cdc-%012d.jsonl", i/6+1)
			if open, whole := disk.lasting[name+".part"] != nil, disk.lasting[name] != nil; whole != (wait == 1 || wait == time.Hour) || open == whole {
				t.Errorf("%s, after %v: it is there: %v, as a .part: %v", name, wait, whole, open)
			}
		}
	}
	if err := p.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
}
