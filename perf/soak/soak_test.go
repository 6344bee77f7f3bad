package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/cdcodec/cdcodec/batch"
)

// TestSoak is a short soak: all holds, and the summary says so.
func TestSoak(t *testing.T) {
	n := 0
	s, err := soak(t.Context(), options{messages: 20_000, records: 1000, seed: 1}, func(more int) { n += more })
	if err != nil {
		t.Fatal(err)
	}
	if n != s.messages || n < 20_000 || s.failures == 0 || s.stalls == 0 || s.bad == 0 || len(s.byCorpus) != 2 || len(s.byCodec) < 3 || s.share <= 0 {
		t.Errorf("%+v, progress %d", s, n)
	}
	var out bytes.Buffer
	s.print(&out, time.Second)
	if !strings.Contains(out.String(), "of a plain loop") {
		t.Error(out.String())
	}
}

// TestFinds: what is broken is found.
func TestFinds(t *testing.T) {
	traffic, err := newTraffic()
	if err != nil {
		t.Fatal(err)
	}
	for name, breaks := range map[string]func(*input){
		"message": func(in *input) { in.want[50].hash++ },
		"order":   func(in *input) { in.want[50], in.want[51] = in.want[51], in.want[50] },
		"lost":    func(in *input) { in.want = append(in.want, in.want[0]) },
		"twice":   func(in *input) { in.want = append(in.want[:50], in.want[51:]...) },
		"bad":     func(in *input) { in.bad = append(in.bad, 7) },
		"record":  func(in *input) { in.records[20].Offset++ },
	} {
		r := &round{Corpus: "oltp", Records: 200, Workers: 2, Batch: batch.Options{MaxCount: 10}}
		in, err := traffic.newInput(r, r.chance())
		if err != nil {
			t.Fatal(err)
		}
		breaks(in)
		check, err := newChecker(r, in)
		if err != nil {
			t.Fatal(err)
		}
		err = r.deliver(context.Background(), in, check, r.chance())
		if err == nil {
			err = check.end()
		}
		if err == nil {
			t.Errorf("%s: nothing is found", name)
		} else {
			t.Logf("%s: %.150s", name, err)
		}
	}
}
