package batch

import (
	"slices"
	"time"
)

// deliver is the life of the sender: it sends parcel after parcel and acknowledges what
// is delivered.
func (p *Pipeline) deliver() {
	var live []*group // of which something is not acknowledged
	defer func() {
		p.keep(live)
		p.fail(errExit) // Send or Acknowledge may have ended the goroutine
	}()
	for {
		var c *parcel
		select {
		case c = <-p.parcels:
		case <-p.ctx.Done():
			return
		}
		if !p.packed(c) {
			p.left.parcel = c
			return
		}
		live = append(live, c.groups...)
		err := p.parcel(c)
		if err == nil {
			live = p.acknowledge(live, c.through)
			err = c.end
		}
		if c.batch != nil {
			c.batch.Release()
		}
		if err != nil {
			p.fail(err)
			return
		}
		p.counts.parcels.Add(-1)
		signal(p.room)
	}
}

// packed waits until the batch of c is compressed, if it has to be. It reports false if
// the Pipeline was given up before: a worker may be at the batch.
func (p *Pipeline) packed(c *parcel) bool {
	if c.ready == nil {
		return true
	}
	select {
	case <-c.ready:
		return true
	case <-p.ctx.Done():
		return false
	}
}

// parcel sends the batch of c, if it has one.
func (p *Pipeline) parcel(c *parcel) error {
	if c.batch == nil || c.failed != nil {
		return c.failed
	}
	b := c.batch
	tries, err := p.o.Retry.send(p.ctx, p.o.Sink, b, func() { p.counts.retries.Add(1) })
	if err != nil {
		p.counts.failed.Add(1)
		return &SendError{First: b.First, Last: b.Last, Tries: tries, Err: err}
	}
	p.counts.batches.Add(1)
	p.counts.messages.Add(uint64(b.Len()))
	p.counts.raw.Add(uint64(b.RawSize()))
	p.counts.sent.Add(uint64(b.Size()))
	return nil
}

// acknowledge tells that all records up to through are delivered, and returns the groups
// of which that is not all.
func (p *Pipeline) acknowledge(live []*group, through int64) []*group {
	done := 0
	for _, g := range live {
		n := min(int64(len(g.records)), through-g.first+1)
		if n > int64(g.acked) {
			if p.o.Acknowledge != nil {
				p.o.Acknowledge(g.first+int64(g.acked), g.records[g.acked:n:n])
			}
			p.counts.acked.Add(uint64(n) - uint64(g.acked))
			g.acked = int(n)
		}
		if g.acked < len(g.records) || g.first > through+1 {
			break
		}
		done++
	}
	if done == 0 {
		return live
	}
	p.counts.latency(live[:done], time.Now())
	p.mu.Lock()
	for _, g := range live[:done] {
		p.inFlight -= g.cost
		if g.flush != nil {
			close(g.flush)
		}
		g.free(p.shared.pool)
		g.reset()
		if len(p.free) < maxFree {
			p.free = append(p.free, g)
		}
	}
	p.mu.Unlock()
	return slices.Delete(live, 0, done)
}

// keep notes groups that are not delivered, for sweep.
func (p *Pipeline) keep(groups []*group) {
	p.mu.Lock()
	p.left.groups = append(p.left.groups, groups...)
	p.mu.Unlock()
}

// maxFree is how many groups are kept to be used again: as many as a batch of the usual
// size has, and those at work.
const maxFree = 32
