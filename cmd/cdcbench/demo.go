package main

import (
	"bufio"
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/internal/codec"
	"github.com/cdcodec/cdcodec/internal/corpus"
)

// demoCmd is "cdcbench demo".
type demoCmd struct {
	For time.Duration `default:"2s" help:"How long to measure."`
}

// The traffic that is measured.
const (
	demoTraffic = "oltp"
	demoEntries = 500
	demoSeed    = 1
)

// Run shows what the library does and how long it takes.
func (c *demoCmd) Run(s *streams) error {
	if err := positive("for", c.For); err != nil {
		return err
	}
	t, err := cdcodec.New(cdcodec.Options{})
	if err != nil {
		return err
	}
	out := bufio.NewWriter(s.out)
	if err := showSample(out, t); err != nil {
		return err
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if err := c.measure(out, t); err != nil {
		return err
	}
	return out.Flush()
}

// showSample prints what the library makes of a few Entries.
func showSample(out io.Writer, t *cdcodec.Transcoder) error {
	sample := corpus.Sample()
	fmt.Fprintf(out, "%d Canal entries, built in, become these messages:\n\n", len(sample))
	var js []byte
	var msgs []cdcodec.Message
	var err error
	for i, entry := range sample {
		js, msgs, err = t.Append(js[:0], msgs[:0], entry, fastjson.Meta{ID: 1})
		if err != nil {
			return fmt.Errorf("sample entry %d: %w", i, err)
		}
		for _, m := range msgs {
			fmt.Fprintf(out, "%s\n", js[m.Start:m.End])
		}
	}
	_, err = fmt.Fprintln(out)
	return err
}

// A way is one of the two ways to convert, and what was measured of it.
type way struct {
	name   string
	all    func() error // converts all entries once
	passes int          // of all in a round, so that rounds take alike long
	allocs float64      // per entry
	rounds []float64    // ns per entry
}

// measure times the library against the reference, turn by turn in this
// process, so that whatever else the machine does falls on both.
func (c *demoCmd) measure(out *bufio.Writer, t *cdcodec.Transcoder) error {
	traffic, err := corpus.Make(demoTraffic, demoEntries, demoSeed)
	if err != nil {
		return err
	}
	entries := traffic.Entries
	meta := fastjson.Meta{ID: 1, TS: time.Now().UnixMilli()}
	total, err := equal(t, entries, meta)
	if err != nil {
		return err
	}
	var js []byte
	var msgs []cdcodec.Message
	ours := &way{name: "cdcodec", all: func() (err error) {
		for _, entry := range entries {
			if js, msgs, err = t.Append(js[:0], msgs[:0], entry, meta); err != nil {
				return err
			}
		}
		return nil
	}}
	plainly, err := codec.New("protobuf+json", codec.Options{Meta: meta})
	if err != nil {
		return err
	}
	var text []byte
	plain := &way{name: "proto.Unmarshal + encoding/json", all: func() (err error) {
		for _, entry := range entries {
			if text, err = plainly.Convert(text[:0], entry); err != nil {
				return err
			}
		}
		return nil
	}}

	n := float64(len(entries))
	for end := time.Now().Add(c.For); len(plain.rounds) == 0 || time.Now().Before(end); {
		for _, w := range []*way{ours, plain} {
			if err := w.round(n); err != nil {
				return err
			}
		}
	}
	a, b := median(ours.rounds), median(plain.rounds)
	fmt.Fprintf(out, "%d entries of the traffic %q, %.0f bytes of JSON each, the same from both to the byte:\n\n", len(entries), demoTraffic, float64(total)/n)
	fmt.Fprintf(out, "%-32s %10s %14s\n", "", "ns/entry", "allocs/entry")
	for _, w := range []*way{ours, plain} {
		fmt.Fprintf(out, "%-32s %10.0f %14.1f\n", w.name, median(w.rounds), w.allocs)
	}
	fmt.Fprintf(out, "%-32s %9.1fx\n", "times faster", b/a)
	fmt.Fprintf(out, "\nMedian of %d turns each on %s, %s/%s, one core.\n", len(ours.rounds), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	_, err = io.WriteString(out, "To convert a stream of your own: cdcbench convert --help\n")
	return err
}

// round converts for a few milliseconds. The first one warms up, and finds how
// many passes that is and what one allocates.
func (w *way) round(entries float64) error {
	runtime.GC() // or the garbage of the one way costs the other
	if w.passes == 0 {
		if err := w.all(); err != nil {
			return err
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := time.Now()
		if err := w.all(); err != nil {
			return err
		}
		took := time.Since(start)
		runtime.ReadMemStats(&after)
		w.allocs = float64(after.Mallocs-before.Mallocs) / entries
		w.passes = 1 + int(5*time.Millisecond/max(took, time.Microsecond))
	}
	start := time.Now()
	for range w.passes {
		if err := w.all(); err != nil {
			return err
		}
	}
	w.rounds = append(w.rounds, float64(time.Since(start))/entries/float64(w.passes))
	return nil
}

// equal checks that both ways make the same of each entry, and returns the
// bytes of all.
func equal(t *cdcodec.Transcoder, entries [][]byte, meta fastjson.Meta) (total int, err error) {
	v := &verifier{t: t, meta: meta}
	for i, entry := range entries {
		ours := v.ours(entry)
		if text := difference(ours, v.theirs(entry)); text != "" {
			return 0, fmt.Errorf("entry %d: %s", i, text)
		}
		total += size(ours.msgs)
	}
	return total, nil
}
