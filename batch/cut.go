package batch

import (
	"slices"
	"sort"
	"time"
)

// cutter cuts a sequence of chunks into batches. It is where the limits are kept.
//
//	waiting  chunk 7 │ … at ↓ … │  chunk 8 │ … │  chunk 9 │ … │
//	                        ╰── next gives this, as far as the limits allow
type cutter struct {
	o       *Options
	waiting []*chunk // each with one hold of ours; the last one may be open
	at      int      // first message of waiting[0] that is in no batch yet
	batch   *Batch   // nil, or has a message
	seen    int64    // number of the last record of chunks that were given

	started  bool // something lingers
	deadline time.Time
	force    bool // what is pending becomes batches, full or not
	reason   Reason
}

// add gives the cutter k and the caller's hold of it.
func (c *cutter) add(k *chunk) { c.waiting = append(c.waiting, k) }

// pending reports whether there are messages that are in no batch that was given away.
func (c *cutter) pending() bool {
	return c.batch != nil || len(c.waiting) > 1 || len(c.waiting) == 1 && c.at < len(c.waiting[0].msgs)
}

// flush makes next give all that is pending.
func (c *cutter) flush(r Reason) { c.force, c.reason = true, r }

// next returns the next batch, or nil if what is pending is not a whole one yet. What
// lingers does so from the first next that finds it.
func (c *cutter) next(now time.Time) *Batch {
	for len(c.waiting) > 0 {
		k := c.waiting[0]
		if c.at == len(k.msgs) {
			if k.open {
				break
			}
			c.seen = k.last()
			c.waiting = slices.Delete(c.waiting, 0, 1) // there are few
			c.at = 0
			k.release()
			continue
		}
		to, reason, whole := c.reach(k)
		if to > c.at {
			if c.batch == nil {
				c.batch = new(Batch)
			}
			c.batch.add(k, c.at, to)
			c.at = to
		}
		if whole {
			return c.give(reason)
		}
	}
	switch {
	case c.batch == nil:
		c.force = false
	case c.force:
		return c.give(c.reason)
	case !c.started:
		c.started, c.deadline = true, now.Add(c.o.linger())
	case c.o.Linger >= 0 && !now.Before(c.deadline):
		return c.give(Lingered)
	}
	return nil
}

// reach returns up to which message of k the batch goes on, and whether it ends there
// and why.
func (c *cutter) reach(k *chunk) (to int, reason Reason, whole bool) {
	count := 0
	size := 0
	if c.batch != nil {
		count, size = c.batch.count, int(c.batch.raw)
	}
	to = len(k.msgs)
	if wall := k.barrier(c.at); wall < to {
		switch {
		case wall > c.at:
			to, reason, whole = wall, AtBarrier, true
		case count > 0:
			return c.at, AtBarrier, true
		default:
			return c.at + 1, AtBarrier, true
		}
	}
	if most := c.o.MaxCount; most > 0 && to-c.at >= most-count {
		to, reason, whole = c.at+most-count, Full, true
	}
	open, end := c.o.Frame.brackets()
	left := c.o.maxBytes() - size - len(open) - len(end)
	if end != "" {
		left += len(c.o.Frame.trail()) // of the last one, which is not sent
	}
	begin := k.end(c.at - 1)
	if k.end(to-1)-begin > left {
		n := sort.Search(to-c.at, func(i int) bool { return k.end(c.at+i)-begin > left })
		if n == 0 && count == 0 {
			n = 1 // longer than a batch may be: alone
		}
		return c.at + n, Full, true
	}
	return to, reason, whole
}

// give ends the batch.
func (c *cutter) give(r Reason) *Batch {
	b := c.batch
	c.batch, c.started = nil, false
	b.Reason = r
	b.Through = c.through()
	b.seal(c.o.Frame)
	return b
}

// through returns up to which record all messages are in batches that were given away.
func (c *cutter) through() int64 {
	if c.batch != nil {
		return c.batch.First - 1
	}
	at, seen := c.at, c.seen
	for _, k := range c.waiting {
		if at < len(k.msgs) {
			return k.record(at) - 1
		}
		at, seen = 0, k.last()
	}
	return seen
}

// drop lets go of all that is pending.
func (c *cutter) drop() {
	for _, k := range c.waiting {
		k.release()
	}
	if c.batch != nil {
		c.batch.Release()
	}
	c.waiting, c.batch, c.at = nil, nil, 0
}
