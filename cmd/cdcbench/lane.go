package main

import (
	"fmt"
	"runtime"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/internal/codec"
	"github.com/cdcodec/cdcodec/internal/onecpu"
)

// A lane is one codec at one stage of one traffic, and what was measured of it.
type lane struct {
	codec  *codec.Codec
	stage  stage
	passes int           // over the traffic, in a turn
	cost   time.Duration // of a turn, about
	out    []byte
	proof  uint64 // what every pass has to come to, see pass
	length int    // of all output of one pass

	turns   []float64 // ns per Entry
	allocs  float64   // per Entry
	stats   cdcodec.Stats
	latency *hdrhistogram.Histogram // ns per record; nil without
}

// newLanes returns a lane for each codec named that has the stage.
func newLanes(t *traffic, s stage, names []string) ([]*lane, error) {
	var lanes []*lane
	for _, name := range names {
		c, err := codec.New(name, t.options())
		if err != nil {
			return nil, err
		}
		if hasStage(c, s) {
			lanes = append(lanes, &lane{codec: c, stage: s, passes: 1})
		}
	}
	return lanes, nil
}

// hasStage reports whether a codec does such work.
func hasStage(c *codec.Codec, s stage) bool {
	switch s {
	case stageDecode:
		return c.Decode != nil
	case stageRead:
		return c.Read != nil
	}
	return c.Convert != nil
}

// record does the work of the lane on one record, and returns something that
// depends on what came out.
func (l *lane) record(b []byte) (proof uint64, err error) {
	switch l.stage {
	case stageDecode:
		return l.codec.Decode(b)
	case stageRead:
		return l.codec.Read(b)
	}
	l.out, err = l.codec.Convert(l.out[:0], b)
	return uint64(len(l.out)), err
}

// pass does it on all records, and tells whether it comes to what it did in
// the check, as a compiler, a cache or a bug may think of leaving work out.
func (l *lane) pass(t *traffic) error {
	var proof uint64
	for i, b := range t.records {
		p, err := l.record(b)
		if err != nil {
			return fmt.Errorf("%s: %s, record %d: %w", l.codec.Name, t.name, i, err)
		}
		proof += p
	}
	if proof != l.proof {
		return wrongError(fmt.Sprintf("%s: %s, %s: a pass came to %d, and to %d in the check", l.codec.Name, t.name, l.stage, proof, l.proof))
	}
	return nil
}

// turn measures so many passes, all in one.
func (l *lane) turn(t *traffic) error {
	first := len(l.turns) == 0
	var before, after runtime.MemStats
	if first {
		runtime.ReadMemStats(&before)
	}
	stats := l.statsNow()
	start := onecpu.Used()
	for range l.passes {
		if err := l.pass(t); err != nil {
			return err
		}
	}
	took := onecpu.Used() - start
	entries := float64(t.entries * l.passes)
	if first {
		runtime.ReadMemStats(&after)
		l.allocs = float64(after.Mallocs-before.Mallocs) / entries
		l.cost = took
	}
	l.turns = append(l.turns, float64(took)/entries)
	l.count(stats)
	l.cleanUp()
	return nil
}

// delays measures each record by itself, over one pass.
func (l *lane) delays(t *traffic) error {
	stats := l.statsNow()
	for _, b := range t.records {
		start := time.Now()
		_, err := l.record(b)
		took := time.Since(start)
		if err != nil {
			return err
		}
		// A record that takes longer than the histogram goes is as if it took
		// as long as that.
		_ = l.latency.RecordValue(min(int64(took), l.latency.HighestTrackableValue()))
	}
	l.count(stats)
	l.cleanUp()
	return nil
}

// cleanUp leaves no garbage that others would have to pay for.
func (l *lane) cleanUp() {
	if l.allocs > 0 {
		runtime.GC()
	}
}

func (l *lane) statsNow() cdcodec.Stats {
	if l.codec.Stats == nil || l.stage != stageConvert {
		return cdcodec.Stats{}
	}
	return l.codec.Stats()
}

// count adds what the codec has done since then.
func (l *lane) count(since cdcodec.Stats) {
	now := l.statsNow()
	l.stats.Messages += now.Messages - since.Messages
	l.stats.Fused += now.Fused - since.Fused
}
