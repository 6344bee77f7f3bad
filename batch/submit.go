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
		ended, tight := p.closed, p.inFlight >= p.o.MaxInFlight
		p.mu.Unlock()
		if waited && (ended || n == len(records)) {
			signal(p.room) // others may wait too
		}
		switch {
		case p.over.Load() || ended && n < len(records):
			return n, p.ended()
		case n == len(records):
			return n, nil
		}
		if tight {
			signal(p.press)
		}
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
		p.charge(g, groupCost)
		p.timer.Reset(p.patience())
	} else if p.isFull(g) { // it could not be sent off before
		if !p.dispatch() {
			return false
		}
		return p.take(r, copied)
	}
	g.records = append(g.records, *r)
	cost := len(r.Value)
	if copied {
		last := &g.records[len(g.records)-1]
		last.Value, cost = g.copy(r.Value, p.shared.pool, p.o.Chunk)
	}
	g.in += len(r.Value)
	p.charge(g, recordCost+cost)
	p.records++
	if p.isFull(g) {
		p.dispatch()
	}
	return true
}

// What there is about a group, a record, a message and a bad record beside their bytes,
// roughly. Of short ones it is most of what they take.
const (
	groupCost   = 1 << 10
	recordCost  = 128
	messageCost = 160
	badCost     = 256
)

// charge counts n bytes as in flight until g is acknowledged.
func (p *Pipeline) charge(g *group, n int) {
	g.cost += n
	p.inFlight += n
}

func (p *Pipeline) isFull(g *group) bool { return g.in >= p.o.Chunk || len(g.records) >= maxGroup }

// maxGroup is how many records a group can have.
const maxGroup = 8 << 10

// patience is how long the first record of a group waits for others: a part of what
// messages linger.
func (p *Pipeline) patience() time.Duration {
	linger := p.o.Batch.linger()
	if linger < 0 {
		return time.Millisecond
	}
	return min(max(linger/4, 50*time.Microsecond), time.Millisecond)
}

func (p *Pipeline) newGroup() *group {
	var g *group
	if n := len(p.free); n > 0 {
		g = p.free[n-1]
		p.free = p.free[:n-1]
	} else {
		g = new(group)
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
// ctx ends, or the Pipeline is given up, with that error. It may wait for what others
// submit meanwhile, of which there is a Chunk at most.
func (p *Pipeline) Flush(ctx context.Context) error {
	p.mu.Lock()
	if p.closed || p.ctx.Err() != nil {
		p.mu.Unlock()
		return p.ended()
	}
	flushed := p.flush()
	p.mu.Unlock()
	var err error
	select {
	case <-flushed:
		return nil
	case <-ctx.Done():
		err = ctx.Err()
	case <-p.ctx.Done():
		err = p.ended()
	}
	if isClosed(flushed) { // both may have come at once
		return nil
	}
	return err
}

// isClosed reports whether c is closed.
func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// flush makes the group that is being filled one that all is delivered with, and returns a
// channel that is closed when it is. The group need not find room at once: so no Flush
// has to win a race for it with those who submit.
func (p *Pipeline) flush() <-chan struct{} {
	if p.group == nil {
		p.group = p.newGroup()
	}
	if p.group.flush == nil {
		p.group.flush = make(chan struct{})
	}
	flushed := p.group.flush
	if !p.dispatch() {
		p.timer.Reset(p.patience())
	}
	return flushed
}

// Close delivers all that was submitted, ends the Pipeline, and waits until nothing of it
// runs any more. If ctx ends before, the rest is given up. Whatever it returns, the
// Pipeline is at its end then: nil, if all is delivered and acknowledged; otherwise why
// not. It can be called again, also meanwhile with a ctx that ends sooner, and returns the
// same.
func (p *Pipeline) Close(ctx context.Context) error {
	p.mu.Lock()
	if !p.closed {
		p.closed = true
		p.drained = p.flush()
	}
	drained := p.drained
	p.mu.Unlock()
	signal(p.room) // who waits for it is to learn that there will be none
	err := errDone
	select {
	case <-drained:
	case <-p.ctx.Done():
	case <-ctx.Done():
		err = ctx.Err()
	}
	if isClosed(drained) { // both may have come at once
		err = errDone
	}
	p.fail(err) // if it has not failed before
	p.wait.Wait()
	p.sweep()
	if err == errDone && isClosed(drained) {
		return nil
	}
	return p.Err()
}

// sweep gives the pool what a Pipeline that was given up still has. Nothing of it runs
// any more, but for a timer and calls that find it closed.
func (p *Pipeline) sweep() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.timer.Stop()
	for {
		select {
		case g := <-p.order:
			g.sweep(p.shared.pool)
			continue
		case c := <-p.parcels:
			c.sweep(p.shared.pool)
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
	if c := p.left.parcel; c != nil {
		c.sweep(p.shared.pool)
	}
	p.group, p.left.groups, p.left.parcel = nil, nil, nil
	if p.shared.compressor != nil {
		p.shared.compressor.Close()
	}
}

func (c *parcel) sweep(p *pool.Pool) {
	if c.batch != nil {
		c.batch.Release()
	}
	for _, g := range c.groups {
		g.sweep(p)
	}
}

func (g *group) sweep(p *pool.Pool) {
	g.free(p)
	for _, k := range g.chunks {
		k.release()
	}
	clear(g.chunks)
	g.chunks = g.chunks[:0]
}
