package batch

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Stats counts what a [Pipeline] has done so far.
type Stats struct {
	Submitted    uint64 // records
	Acknowledged uint64 // records
	Bad          uint64 // records that could not be converted
	Messages     uint64 // sent
	Batches      uint64 // sent
	RawBytes     uint64 // of the batches sent, before they were compressed as a whole; with PerMessage as SentBytes
	SentBytes    uint64 // of the batches sent
	Retries      uint64 // Sends that failed and were tried again
	Failed       uint64 // batches that could not be sent
	InFlight     int    // bytes that MaxInFlight bounds
	Latency      Latency
}

// Latency tells how long records took from Submit to their acknowledgement. All
// records that a worker took at once count as long as the first of them.
type Latency struct {
	Count               uint64        // records
	Seconds             float64       // of all of them together
	P50, P90, P99, P999 time.Duration // within one part in a hundred
	Max                 time.Duration
}

// counts is what Stats is made of.
type counts struct {
	parcels  atomic.Int64 // on their way to the sink
	acked    atomic.Uint64
	bad      atomic.Uint64
	messages atomic.Uint64
	batches  atomic.Uint64
	raw      atomic.Uint64
	sent     atomic.Uint64
	retries  atomic.Uint64
	failed   atomic.Uint64

	mu        sync.Mutex
	histogram *hdrhistogram.Histogram // of microseconds
	seconds   float64
}

// The histogram's largest value: what takes longer counts as that.
const longest = time.Hour

// latency notes how long the records of groups took.
func (c *counts) latency(groups []*group, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.histogram == nil {
		c.histogram = hdrhistogram.New(1, longest.Microseconds(), 2)
	}
	for _, g := range groups {
		n := int64(len(g.records))
		if n == 0 {
			continue
		}
		took := max(now.Sub(g.born), 0)
		c.seconds += float64(n) * took.Seconds()
		_ = c.histogram.RecordValues(max(1, min(took, longest).Microseconds()), n)
	}
}

// Stats returns the counts so far. It may be called at any time.
func (p *Pipeline) Stats() Stats {
	c := &p.counts
	s := Stats{
		Acknowledged: c.acked.Load(), Bad: c.bad.Load(), Messages: c.messages.Load(), Batches: c.batches.Load(),
		RawBytes: c.raw.Load(), SentBytes: c.sent.Load(), Retries: c.retries.Load(), Failed: c.failed.Load(),
	}
	p.mu.Lock()
	s.Submitted, s.InFlight = uint64(p.records), p.inFlight
	p.mu.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	if h := c.histogram; h != nil {
		at := func(q float64) time.Duration { return time.Duration(h.ValueAtQuantile(q)) * time.Microsecond }
		s.Latency = Latency{
			Count: uint64(h.TotalCount()), Seconds: c.seconds,
			P50: at(50), P90: at(90), P99: at(99), P999: at(99.9), Max: time.Duration(h.Max()) * time.Microsecond,
		}
	}
	return s
}
