package main

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/cdcodec/cdcodec/internal/codec"
)

// someTraffic is a bit of a corpus.
func someTraffic(t *testing.T, entries int) *traffic {
	t.Helper()
	tr, err := makeTraffic("oltp", entries)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// lanesOf returns checked lanes of these codecs.
func lanesOf(t *testing.T, tr *traffic, s stage, names ...string) []*lane {
	t.Helper()
	lanes, err := newLanes(tr, s, names)
	if err != nil {
		t.Fatal(err)
	}
	lanes, remarks, err := check(tr, lanes, minTurn)
	if err != nil || len(remarks) > 0 {
		t.Fatal(err, remarks)
	}
	return lanes
}

func TestThroughputAndLatency(t *testing.T) {
	tr := someTraffic(t, 30)
	for _, s := range []stage{stageConvert, stageDecode} {
		lanes := lanesOf(t, tr, s, codec.Ours, codec.Reference, "copy")
		if err := throughput(tr, lanes, time.Millisecond); err != nil {
			t.Fatal(err)
		}
		if err := latency(tr, lanes, time.Millisecond); err != nil {
			t.Fatal(err)
		}
		for _, l := range lanes {
			if len(l.turns) < minTurns || slices.Min(l.turns) <= 0 {
				t.Errorf("%s: turns %v", l.codec.Name, l.turns)
			}
			if n := l.latency.TotalCount(); n < 30 || n%30 != 0 {
				t.Errorf("%s: %d samples", l.codec.Name, n)
			}
			if ours := l.codec.Name != codec.Reference; ours != (l.allocs == 0) {
				t.Errorf("%s: %v allocations", l.codec.Name, l.allocs)
			}
		}
		if ours := lanes[0]; (s == stageConvert) != (ours.stats.Fused > 0) {
			t.Errorf("%s: %+v", s, ours.stats)
		}
	}
}

// fake is a lane of a codec that is made up.
func fake(s stage, name string, convert func(dst, record []byte) ([]byte, error)) *lane {
	return &lane{stage: s, passes: 1, codec: &codec.Codec{
		Name:    name,
		Convert: convert,
		Decode: func(b []byte) (uint64, error) {
			out, err := convert(nil, b)
			return uint64(len(out)), err
		},
	}}
}

// TestCheck: a codec that is wrong is an error, or left out where the traffic
// may be to blame.
func TestCheck(t *testing.T) {
	wrong := func(dst, _ []byte) ([]byte, error) { return append(dst, "{}"...), nil }
	fails := func(dst, _ []byte) ([]byte, error) { return dst, errors.New("I give up") }
	for _, s := range []stage{stageConvert, stageDecode} {
		for _, convert := range []func(dst, record []byte) ([]byte, error){wrong, fails} {
			tr := someTraffic(t, 3)
			ours, err := newLanes(tr, s, []string{codec.Ours})
			if err != nil {
				t.Fatal(err)
			}
			_, _, err = check(tr, append(ours, fake(s, "peer", convert)), minTurn)
			if err == nil || !strings.HasPrefix(err.Error(), "peer: oltp, record 0: ") {
				t.Errorf("%s: got %v", s, err)
			}
			if code := exitCode(err, "", io.Discard); code != exitBad {
				t.Errorf("%s: exit code %d", s, code)
			}

			tr.own = true
			lanes := append(ours, fake(s, "peer", convert), fake(s, "another", convert))
			good, remarks, err := check(tr, lanes, minTurn)
			if err != nil || len(good) != 1 || good[0] != ours[0] || len(remarks) != 2 ||
				!strings.HasPrefix(remarks[0], "peer is left out of oltp, ") {
				t.Errorf("%s: got %v, %q, %v", s, good, remarks, err)
			}

			// But not the library.
			if _, _, err := check(tr, []*lane{fake(s, codec.Ours, convert)}, minTurn); err == nil {
				t.Errorf("%s: no error", s)
			}
		}
	}
	// Floors are not looked at.
	tr := someTraffic(t, 3)
	floor := fake(stageConvert, "floor", wrong)
	floor.codec.Floor = true
	if good, remarks, err := check(tr, []*lane{floor}, minTurn); err != nil || len(good) != 1 || len(remarks) != 0 {
		t.Errorf("got %v, %v, %v", good, remarks, err)
	}
	if good, remarks, err := check(tr, nil, minTurn); len(good)+len(remarks) != 0 || err != nil {
		t.Errorf("no lanes: got %v, %v, %v", good, remarks, err)
	}
}

// TestPassIsProven: a codec that does something else once it is timed.
func TestPassIsProven(t *testing.T) {
	tr := someTraffic(t, 3)
	checked := false
	truth := codec.Truth(tr.options())
	l := fake(stageConvert, "lazy", func(dst, record []byte) ([]byte, error) {
		if checked {
			return dst, nil
		}
		return truth.Convert(dst, record)
	})
	if _, _, err := check(tr, []*lane{l}, 0); err != nil {
		t.Fatal(err)
	}
	if err := l.turn(tr); err != nil {
		t.Fatal(err)
	}
	checked = true
	if err := l.turn(tr); err == nil || !strings.Contains(err.Error(), "lazy: oltp, convert: a pass came to 0, and to ") {
		t.Errorf("got %v", err)
	}
}

// TestShortTraffic makes turns of many passes.
func TestShortTraffic(t *testing.T) {
	tr := someTraffic(t, 1)
	for _, l := range lanesOf(t, tr, stageConvert, "copy") {
		if l.passes < 10 {
			t.Errorf("%d passes over one Entry", l.passes)
		}
	}
	l := &lane{cost: 2 * minTurn, passes: 1}
	if l.setPasses(minTurn); l.passes != 1 {
		t.Errorf("%d passes that are long", l.passes)
	}
	l = &lane{passes: 1} // too short for the clock
	if l.setPasses(minTurn); l.passes != int(minTurn)+1 {
		t.Errorf("%d passes", l.passes)
	}
}

func TestTakeTurns(t *testing.T) {
	var got []string
	err := takeTurns([]int{1, 4, 2, 0}, func(i int) error {
		got = append(got, string(rune('a'+i)))
		return nil
	})
	if want := "b b c b b c a"; err != nil || len(got) != 7 {
		t.Errorf("got %v, %v, want something like %s", got, err, want)
	}
	for i, n := range map[string]int{"a": 1, "b": 4, "c": 2} {
		if c := strings.Count(strings.Join(got, ""), i); c != n {
			t.Errorf("%s %d times, want %d: %v", i, c, n, got)
		}
	}
	if strings.Contains(strings.Join(got, ""), "bbb") {
		t.Errorf("not spread: %v", got)
	}
	if err := takeTurns([]int{0, 3}, func(int) error { return io.EOF }); err != io.EOF {
		t.Errorf("got %v", err)
	}
	if err := takeTurns(nil, nil); err != nil {
		t.Error(err)
	}
}

func TestInShare(t *testing.T) {
	for _, c := range []struct {
		budget time.Duration
		n      int
		cost   time.Duration
		want   int
	}{
		{time.Second, 5, 10 * time.Millisecond, 20},
		{time.Second, 5, time.Second, 3},
		{time.Second, 5, time.Microsecond, 200},
		{time.Second, 5, 0, 200},
		{0, 1, time.Second, 3},
	} {
		if got := inShare(c.budget, c.n, c.cost, 3, 200); got != c.want {
			t.Errorf("%+v: got %d", c, got)
		}
	}
}

// TestPercentiles: a percentile is told from ten samples beyond it on.
func TestPercentiles(t *testing.T) {
	for _, c := range []struct {
		samples        int
		p50, p99, p999 bool
	}{
		{0, false, false, false},
		{19, false, false, false},
		{20, true, false, false},
		{999, true, false, false},
		{1000, true, true, false},
		{9999, true, true, false},
		{10_000, true, true, true},
	} {
		l := &lane{latency: hdrhistogram.New(1, int64(time.Second), 3)}
		for range c.samples {
			_ = l.latency.RecordValue(100)
		}
		for _, p := range []struct {
			of   float64
			want bool
		}{{50, c.p50}, {99, c.p99}, {99.9, c.p999}} {
			got := l.percentile(p.of)
			if (got != nil) != p.want || got != nil && *got != 100 {
				t.Errorf("%d samples: p%v is %v", c.samples, p.of, got)
			}
		}
	}
	if (&lane{}).percentile(50) != nil {
		t.Error("a percentile of nothing")
	}
}

func TestMachine(t *testing.T) {
	if got := machine("pinned"); !strings.Contains(got, runtime.Version()) || strings.HasPrefix(got, ",") || strings.Contains(got, "\n") {
		t.Errorf("got %q", got)
	}
}

func TestStepsBar(t *testing.T) {
	var b bytes.Buffer
	p := newStepsBar(&b, 2)
	p.step(0, "one")
	p.step(1, "two")
	p.step(1, "three")
	p.finish()
	for _, want := range []string{"one", "two"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %s in %q", want, b.String())
		}
	}
	p = newSteps(&b, 2) // no terminal
	p.step(1, "nothing")
	p.finish()
	if p != nil {
		t.Error("a bar for a buffer")
	}
}
