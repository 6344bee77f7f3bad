package main

import (
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/cdcodec/cdcodec/bench"
	"github.com/cdcodec/cdcodec/internal/onecpu"
)

// A turn is one pass of a peer over the whole corpus, or more passes where one takes
// less than turnTime: so each turn has the same mix of Entries. What is told is the
// median of a peer's turns. Before each turn the garbage of the turn before is
// collected, what a peer makes in its own turn is its own to pay for.
const (
	turnTime = 20 * time.Millisecond
	minTurns = 3
	maxTurns = 25
)

// A result is the table of a stage: ns per record, by peer and corpus.
type result struct {
	stage   bench.Stage
	peers   []string
	corpora []string
	ns      map[string]map[string]float64
}

type lane struct {
	name   string
	run    bench.Run
	out    []byte
	passes int
	turns  []float64 // ns per record
}

// measure fills the column of a corpus.
func (r *result) measure(o options, corpus string) error {
	records, err := bench.Load(r.stage, corpus, 0)
	if err != nil {
		return err
	}
	if err := bench.Check(r.stage, records); err != nil {
		return err
	}
	var lanes []*lane
	for _, p := range bench.Peers(r.stage) {
		if p.Name == bench.Ours || p.Floor || o.peers.has(p.Name) {
			lanes = append(lanes, &lane{name: p.Name, run: p.New(records), passes: 1})
		}
	}
	counts := make([]int, len(lanes))
	for i, l := range lanes {
		cost, err := l.turn(records)
		if err == nil && cost < turnTime { // now it is warm
			cost, err = l.turn(records)
		}
		if err != nil {
			return err
		}
		l.passes = int(turnTime/max(cost, 1)) + 1
		l.turns = l.turns[:0]
		counts[i] = min(max(int(o.share/max(cost*time.Duration(l.passes), 1)), minTurns), maxTurns)
	}
	rounds := slices.Max(counts)
	for round := range rounds {
		for i, l := range lanes {
			if (round+1)*counts[i]/rounds == round*counts[i]/rounds {
				continue // a slow one, with fewer turns, spread evenly
			}
			if _, err := l.turn(records); err != nil {
				return err
			}
		}
	}
	r.corpora = append(r.corpora, corpus)
	for _, l := range lanes {
		if r.ns[l.name] == nil {
			r.ns[l.name] = map[string]float64{}
			r.peers = append(r.peers, l.name)
		}
		r.ns[l.name][corpus] = median(l.turns)
	}
	return nil
}

// turn takes a turn, and returns how long it was.
func (l *lane) turn(records []bench.Record) (time.Duration, error) {
	runtime.GC()
	start := onecpu.Used()
	for range l.passes {
		for i := range records {
			var err error
			if l.out, _, err = l.run(l.out[:0], &records[i]); err != nil {
				return 0, fmt.Errorf("%s, record %d: %w", l.name, i, err)
			}
		}
	}
	took := onecpu.Used() - start
	l.turns = append(l.turns, float64(took)/float64(l.passes*len(records)))
	return took, nil
}

func median(list []float64) float64 {
	s := slices.Sorted(slices.Values(list))
	n := len(s)
	return (s[n/2] + s[(n-1)/2]) / 2
}
