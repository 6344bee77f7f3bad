package jsonfiles_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/batch"
	"github.com/cdcodec/cdcodec/batch/compress"
	"github.com/cdcodec/cdcodec/examples/files/jsonfiles"
	"github.com/cdcodec/cdcodec/examples/input"
	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/internal/corpus"
	"github.com/cdcodec/cdcodec/wire/frame"
)

var meta = fastjson.Meta{ID: 1, TS: 1700000000000}

// line is a message as it should come out.
type line struct {
	text   string
	record int
}

// traffic returns n records in frames, and the messages of them.
func traffic(t testing.TB, n int, kind frame.Kind, o cdcodec.Options) (stream []byte, lines []line) {
	t.Helper()
	c, err := corpus.Make("stream", n, 7)
	if err != nil {
		t.Fatal(err)
	}
	tr, err := cdcodec.New(o)
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range c.Entries {
		if stream, err = frame.Append(stream, kind, e); err != nil {
			t.Fatal(err)
		}
		js, msgs, err := tr.Append(nil, nil, e, meta)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range msgs {
			lines = append(lines, line{string(js[m.Start:m.End]), i})
		}
	}
	return stream, lines
}

// setup is one way to run the example.
type setup struct {
	stream []byte
	kind   frame.Kind
	dir    jsonfiles.Options
	pipe   batch.PipelineOptions
}

// run is one life of the process.
func (s *setup) run(fs jsonfiles.FS) error {
	dir, err := jsonfiles.Open(fs, s.dir)
	if err != nil {
		return err
	}
	r, err := input.NewReader(bytes.NewReader(s.stream), s.kind, dir.Position())
	if err != nil {
		return err
	}
	r.Meta = meta
	return jsonfiles.Run(context.Background(), r, dir, s.pipe)
}

func newSetup(t *testing.T, c compress.Options, oneRow bool) (setup, []line) {
	s := setup{kind: frame.U32BE}
	s.dir = jsonfiles.Options{
		MaxSize: 3000, Suffix: jsonfiles.Suffix(c.Codec), Input: "test",
		Now: func() time.Time { return time.Unix(1700000000, 0).UTC() },
	}
	s.pipe.Workers = 1
	s.pipe.Retry = batch.Retry{Tries: 5, Initial: time.Microsecond, Max: time.Microsecond}
	s.pipe.Convert.JSON.OneRow = oneRow
	s.pipe.Batch = batch.Options{MaxCount: 2, Linger: -1, Compress: c}
	if c.Codec != compress.None {
		s.dir.MaxSize = 1500
	}
	if !oneRow {
		s.pipe.Chunk = 1 // a batch is acknowledged record by record
	}
	var lines []line
	s.stream, lines = traffic(t, 16, s.kind, s.pipe.Convert)
	return s, lines
}

// check holds the files to lines. Where a record has several messages, its first ones may
// come again, again times.
func check(t *testing.T, d *disk, c compress.Options, lines []line, again int) {
	t.Helper()
	unpack, err := compress.New(c)
	if err != nil {
		t.Fatal(err)
	}
	at := 0
	names := slices.Sorted(maps.Keys(d.lasting))
	if len(names) < 3 {
		t.Errorf("only %q", names)
	}
	for _, name := range names {
		if name == "state.json" || name == "state.json.new" {
			continue
		}
		if !strings.HasSuffix(name, jsonfiles.Suffix(c.Codec)) {
			t.Errorf("%s is there", name)
		}
		text := d.lasting[name].lasting
		if c.Codec != compress.None {
			if text, err = unpack.AppendDecompressed(nil, text, 1<<20); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		for l := range strings.Lines(string(text)) {
			l = strings.TrimSuffix(l, "\n")
			if again > 0 && (at == len(lines) || lines[at].text != l) {
				again--
				for record := lines[at-1].record; at > 0 && lines[at-1].record == record; {
					at--
				}
			}
			if at == len(lines) || lines[at].text != l {
				t.Fatalf("%s: message %d of %d is another one; it is %d", name, at, len(lines), slices.IndexFunc(lines, func(x line) bool { return x.text == l }))
			}
			at++
		}
	}
	if at != len(lines) {
		t.Errorf("%d of %d messages are there", at, len(lines))
	}
}

// TestCrash cuts the power before, in and after each operation on the files, and lets
// others fail after that, with and without another power cut: nothing is lost, and nothing
// is there twice but the messages of a record that was not acknowledged.
func TestCrash(t *testing.T) {
	every(t, func(t *testing.T, s setup, lines []line, fail int, r *rand.Rand) bool {
		d := newDisk(t, r)
		d.crash, d.fail = true, fail
		crashes := 0
		for lives := 1; ; lives++ {
			err := s.run(d)
			if err == nil {
				break
			}
			if !errors.Is(err, errCrash) && !errors.Is(err, errDisk) {
				t.Fatalf("crash at %q: %v", d.failed, err)
			}
			if d.down {
				crashes++
				d.restart()
			}
			if lives < 4 {
				d.fail, d.crash = d.ops+r.IntN(30), r.IntN(2) == 0
				s.dir.MaxSize = 1 + r.Int64N(3000)
			}
		}
		again := crashes
		if !s.pipe.Convert.JSON.OneRow {
			again = 0 // each record has one message
		}
		check(t, d, s.pipe.Batch.Compress, lines, again)
		return crashes > 0
	})
}

// TestErrors lets each operation fail once, where the process goes on: nothing is lost,
// and nothing is there twice.
func TestErrors(t *testing.T) {
	every(t, func(t *testing.T, s setup, lines []line, fail int, r *rand.Rand) bool {
		d := newDisk(t, r)
		d.fail = fail
		for range 2 {
			err := s.run(d)
			if err == nil {
				break
			}
			if !errors.Is(err, errDisk) { // of Open and Close
				t.Fatalf("error at %q: %v", d.failed, err)
			}
		}
		check(t, d, s.pipe.Batch.Compress, lines, 0)
		return d.failed != ""
	})
}

// TestStateFails: where state.json cannot be written, nothing more is written.
func TestStateFails(t *testing.T) {
	s, _ := newSetup(t, compress.Options{}, false)
	d := newDisk(t, rand.New(rand.NewPCG(1, 1)))
	s.dir.MaxSize = 1 << 20
	d.always = "open state.json.new"
	told := 0
	s.dir.Failed = func(err error) {
		if !errors.Is(err, errDisk) {
			t.Error(err)
		}
		told++
	}
	err := s.run(d)
	var send *batch.SendError
	if !errors.Is(err, errDisk) || !errors.As(err, &send) || send.First == 0 || send.Tries != 5 || told < 6 { // of Acknowledge and Send
		t.Errorf("%v; %d errors told", err, told)
	}
	if len(d.names) != 1 { // the .part
		t.Error(d.names)
	}
}

// every calls one for each operation there is, until it reports that none failed.
func every(t *testing.T, one func(t *testing.T, s setup, lines []line, fail int, r *rand.Rand) bool) {
	for _, how := range []struct {
		c      compress.Options
		oneRow bool
	}{{}, {oneRow: true}, {compress.Options{Codec: compress.Gzip, Encoders: 1}, false}} {
		t.Run(fmt.Sprintf("%v,%v", how.c, how.oneRow), func(t *testing.T) {
			t.Parallel()
			s, lines := newSetup(t, how.c, how.oneRow)
			var fail int
			var seed uint64
			defer func() {
				if t.Failed() {
					t.Logf("operation %d, seed %d", fail, seed)
				}
			}()
			for more := true; more; fail++ {
				more = false
				for seed = range uint64(2) {
					if seed > 0 && testing.Short() {
						break
					}
					some := one(t, s, lines, fail, rand.New(rand.NewPCG(seed, uint64(fail))))
					if t.Failed() {
						return
					}
					more = more || some
				}
				if !more && fail < 50 {
					t.Errorf("only %d operations", fail)
				}
			}
		})
	}
}
