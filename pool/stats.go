package pool

import "sync/atomic"

// Stats counts what a [Pool] has done since it was made. Made of few Gets, and Dropped of
// few Puts, is what a pool is for; many of them say that MaxKept is too small.
type Stats struct {
	Gets    uint64 // buffers lent, by Get and GetSize
	Puts    uint64 // buffers taken back
	Made    uint64 // Gets that found no buffer and made new memory
	Dropped uint64 // Puts that kept none: too large, or without memory
	InUse   uint64 // Gets without their Put
}

type counts struct {
	gets, puts, made, dropped atomic.Uint64
}

// Stats returns the counts so far. Where others use the Pool meanwhile they are not of one
// moment, but no Put is counted without its Get.
func (p *Pool) Stats() Stats {
	var s Stats
	s.Dropped = p.counts.dropped.Load()
	s.Puts = p.counts.puts.Load()
	s.Made = p.counts.made.Load()
	s.Gets = p.counts.gets.Load()
	s.InUse = s.Gets - min(s.Puts, s.Gets) // a foreign buffer is a Put without a Get
	return s
}
