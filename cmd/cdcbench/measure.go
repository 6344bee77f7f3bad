package main

import (
	"runtime"
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// How codecs are measured. A turn is a pass over all of the traffic by one codec
// (more if that is very short), and the codecs take turns, so that whatever
// else the machine does falls on all of them, and each finds the caches as
// another has left them: its input comes from the L3 cache or from memory. All
// codecs get about the same time, the slow ones at least minTurns turns; what is
// told is the median of a codec's turns. How long single records take is
// measured afterwards, as reading the clock for each of them costs time itself.

const (
	minTurns = 3
	maxTurns = 200
	// minTurn is how long a turn lasts at least: a reading of the CPU's clock
	// takes up to half a microsecond.
	minTurn = 50 * time.Microsecond
	// latencySamples is how many records are timed at most, or one pass.
	latencySamples = 50_000
	// longestDelay is the longest time of a record that is told apart.
	longestDelay = time.Minute
)

// throughput takes turns for about that long.
func throughput(t *traffic, lanes []*lane, budget time.Duration) error {
	runtime.GC()
	for _, l := range lanes {
		if err := l.turn(t); err != nil {
			return err
		}
	}
	counts := make([]int, len(lanes))
	for i, l := range lanes {
		counts[i] = inShare(budget, len(lanes), l.cost, minTurns, maxTurns) - 1
	}
	return takeTurns(counts, func(i int) error { return lanes[i].turn(t) })
}

// latency times records for about that long; throughput comes before it.
func latency(t *traffic, lanes []*lane, budget time.Duration) error {
	counts := make([]int, len(lanes))
	for i, l := range lanes {
		l.latency = hdrhistogram.New(1, int64(longestDelay), 3)
		pass := l.cost / time.Duration(l.passes)
		counts[i] = inShare(budget, len(lanes), pass, 1, 1+latencySamples/len(t.records))
	}
	return takeTurns(counts, func(i int) error { return lanes[i].delays(t) })
}

// inShare returns how many times something of that cost goes into one of n
// shares of the budget, within limits.
func inShare(budget time.Duration, n int, cost time.Duration, least, most int) int {
	times := budget / time.Duration(n) / max(cost, 1)
	return int(min(max(times, time.Duration(least)), time.Duration(most)))
}

// takeTurns calls do for each i counts[i] times, all of them spread evenly.
func takeTurns(counts []int, do func(i int) error) error {
	if len(counts) == 0 {
		return nil
	}
	rounds := slices.Max(counts)
	for r := range rounds {
		for i, n := range counts {
			if (r+1)*n/rounds > r*n/rounds {
				if err := do(i); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
