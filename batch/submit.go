package batch

import (
	"context"
	"time"

	"github.com/cdcodec/cdcodec/pool"
)

// Submit gives the Pipeline records, which are its own until they are acknowledged. It
// waits while there is no room for them. They are numbered in the order of the calls,
// from 0.
//
// Errors: why the Pipeline was given up, see Err; [ErrClosed]; or ctx's. n tells how many
// of records it has taken all the same.
func (p *Pipeline) Submit(ctx context.Context, records ...Record) (n int, err error) {
	return p.submit(ctx, records, false)
}

// SubmitCopy is Submit for records whose Values the caller needs back: it copies them
// into memory of the pool. What is handed back later is the copies.
func (p *Pipeline) SubmitCopy(ctx context.Context, records ...Record) (n int, err error) {
	return p.submit(ctx, records, true)
}

func (p *Pipeline) submit(ctx context.Context, records []Record, copied bool) (n int, err error) {
	for waited := false; ; waited = true {
		p.mu.Lock()
		for n < len(records) && p.take(&records[n], copied) {
			n++
		}
		ended := p.closed
		p.mu.Unlock()
		if waited && n == len(records) {
			signal(p.room) // others may wait too
		}
		switch {
		case p.over.Load() || ended && n < len(records):
			return n, p.ended()
		case n == len(records):
			return n, nil
		}
		signal(p.press)
		if err := p.waitForRoom(ctx); err != nil {
			return n, err
		}
	}
}

// ended returns why nothing more is taken.
func (p *Pipeline) ended() error {
	if err := p.Err(); err != nil {
		return err
	}
	return ErrClosed
}

// waitForRoom waits until there may be room. It does not look whether there is.
func (p *Pipeline) waitForRoom(ctx context.Context) error {
	select {
	case <-p.room:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-p.ctx.Done():
		return p.ended()
	}
}

// take puts r into the group that is being filled, if there is room. p.mu is held, as
// in all below.
func (p *Pipeline) take(r *Record, copied bool) bool {
	if p.closed || p.over.Load() {
		return false
	}
	if p.inFlight >= p.o.MaxInFlight {
		p.dispatch()
		return false
	}
	g := p.group
	if g == nil {
		g = p.newGroup()
		p.group = g
		p.timer.Reset(p.patience())
	} else if g.in >= p.o.Chunk { // it could not be sent off before
		if !p.dispatch() {
			return false
		}
		return p.take(r, copied)
	}
	g.records = append(g.records, *r)
	if copied {
		last := &g.records[len(g.records)-1]
		last.Value = g.copy(r.Value, p.shared.pool, p.o.Chunk)
	}
	g.in += len(r.Value)
	p.inFlight += len(r.Value)
	p.records++
	if g.in >= p.o.Chunk || len(g.records) >= maxGroup {
		p.dispatch()
	}
	return true
}

// maxGroup is how many records a group can have.
const maxGroup = 8 << 10

// patience is how long the first record of a group waits for others: a part of what
// messages linger.
func (p *Pipeline) patience() time.Duration {
	return min(max(p.o.Batch.linger()/4, 50*time.Microsecond), time.Millisecond)
}

func (p *Pipeline) newGroup() *group {
	var g *group
	if n := len(p.free); n > 0 {
		g = p.free[n-1]
		p.free = p.free[:n-1]
	} else {
		g = &group{done: make(chan struct{}, 1)}
	}
	g.first = p.records
	g.born = time.Now()
	return g
}

// dispatch sends the group off that is being filled, if the workers have room for it. If
// there is none it reports true.
func (p *Pipeline) dispatch() bool {
	g := p.group
	if g == nil {
		return true
	}
	// Nobody else sends to these.
	if len(p.jobs) == cap(p.jobs) || len(p.order) == cap(p.order) {
		return false
	}
	p.order <- g
	p.jobs <- g
	p.group = nil
	return true
}

// sendOff is dispatch when the group has waited long enough.
func (p *Pipeline) sendOff() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.dispatch() && p.ctx.Err() == nil {
		p.timer.Reset(p.patience()) // the workers have enough to do
	}
}

// Flush returns when all that was submitted before is delivered and acknowledged; or when
// ctx ends, or the Pipeline is given up, with that error.
func (p *Pipeline) Flush(ctx context.Context) error {
	flushed, err := p.last(ctx, false)
	if err != nil {
		return err
	}
	select {
	case <-flushed:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-p.ctx.Done():
		return p.ended()
	}
}

// last sends off what there is, and returns a channel that is closed when all of it is
// delivered. With end nothing comes after it.
func (p *Pipeline) last(ctx context.Context, end bool) (<-chan struct{}, error) {
	for waited := false; ; waited = true {
		p.mu.Lock()
		switch {
		case p.ctx.Err() != nil || p.closed:
			p.mu.Unlock()
			return nil, p.ended()
		case p.dispatch():
			p.group = p.newGroup()
			flushed := make(chan struct{})
			p.group.flush = flushed
			if p.dispatch() {
				p.closed = end
				p.timer.Stop()
				p.mu.Unlock()
				if waited {
					signal(p.room) // others may wait too
				}
				return flushed, nil
			}
			p.free = append(p.free, p.group)
			p.group.flush = nil
			p.group = nil
		}
		p.mu.Unlock()
		if err := p.waitForRoom(ctx); err != nil {
			return nil, err
		}
	}
}

// Close delivers all that was submitted, ends the Pipeline, and waits until nothing of it
// runs any more. If ctx ends before, the rest is given up. Whatever it returns, the
// Pipeline is at its end then: nil, if all is delivered and acknowledged; otherwise why
// not. It can be called again, and returns the same.
func (p *Pipeline) Close(ctx context.Context) error {
	flushed, err := p.last(ctx, true)
	if err == nil {
		select {
		case <-flushed:
			p.fail(errDone)
		case <-p.ctx.Done():
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	if err != nil && err != ErrClosed {
		p.fail(err)
	}
	p.wait.Wait()
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.sweep()
	return p.Err()
}

// sweep gives the pool what a Pipeline that was given up still has. Nothing of it runs
// any more.
func (p *Pipeline) sweep() {
	for {
		select {
		case g := <-p.order:
			g.sweep(p.shared.pool)
			continue
		case c := <-p.parcels:
			if c.batch != nil {
				c.batch.Release()
			}
			for _, g := range c.groups {
				g.sweep(p.shared.pool)
			}
			continue
		default:
		}
		break
	}
	for _, g := range p.left.groups {
		g.sweep(p.shared.pool)
	}
	if p.group != nil {
		p.group.sweep(p.shared.pool)
	}
	if b := p.left.batch; b != nil {
		b.Release()
	}
	p.group, p.left.groups, p.left.batch = nil, nil, nil
}

func (g *group) sweep(p *pool.Pool) {
	g.free(p)
	for _, k := range g.chunks {
		k.release()
	}
	clear(g.chunks)
	g.chunks = g.chunks[:0]
}
