package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/maphash"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/cdcodec/cdcodec/batch"
	"github.com/cdcodec/cdcodec/batch/compress"
)

// errSend is what a Send fails with that chance wants to fail.
var errSend = errors.New("the sink is out of order")

// checker is the sink, and all else that a Pipeline tells. It holds what it is told to
// what should be, and keeps the first thing that is broken.
type checker struct {
	r      *round
	in     *input
	chance *rand.Rand
	undo   *compress.Compressor
	broken error

	next     int    // of in.want, to be delivered
	again    uint64 // hash of the batch that has failed, which is to come again
	hash     uint64
	acked    atomic.Int64
	dead     int // of in.bad, handed over
	batches  int
	failures int
	stalls   int
	raw      int64
	sent     int64

	bytes, framed, body []byte // scratch
}

func newChecker(r *round, in *input) (*checker, error) {
	c := &checker{r: r, in: in, chance: rand.New(rand.NewPCG(r.seed, 1))}
	var err error
	if r.Batch.Compress.Codec != compress.None {
		c.undo, err = compress.New(r.Batch.Compress)
	}
	return c, err
}

// Send implements [batch.Sink].
func (c *checker) Send(ctx context.Context, b *batch.Batch) error {
	if c.broken != nil {
		return batch.Permanent(c.broken)
	}
	if c.chance.Float64() < c.r.Stalls {
		c.stalls++
		select {
		case <-time.After(time.Duration(c.chance.Int64N(int64(c.r.Stall)))):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	hash, sum, err := c.messages(b)
	switch {
	case err != nil:
	case c.again != 0 && c.again != hash:
		err = errors.New("another batch is sent than the one that has failed")
	case c.chance.Float64() < c.r.Fails:
		c.failures++
		c.again = hash
		return errSend
	default:
		err = c.limits(b)
	}
	if err == nil && c.chance.IntN(8) == 0 {
		err = c.frames(b)
	}
	if err != nil {
		c.broken = err
		return batch.Permanent(err)
	}
	c.again, c.hash = 0, sum
	c.next += b.Len()
	c.batches++
	c.raw += b.RawSize()
	c.sent += b.Size()
	return nil
}

// messages holds the messages of a batch to those that are next. It returns a hash of
// them, and c.hash with them.
func (c *checker) messages(b *batch.Batch) (hash, sum uint64, err error) {
	if n := len(c.in.want) - c.next; b.Len() == 0 || b.Len() > n {
		return 0, 0, fmt.Errorf("a batch of %d messages where %d are left", b.Len(), n)
	}
	hash, sum = 1, c.hash
	i := c.next
	for m := range b.Messages() {
		body := m.Body
		if c.r.Batch.PerMessage {
			if c.body, err = c.undo.AppendDecompressed(c.body[:0], body, 1<<26); err != nil {
				return 0, 0, err
			}
			body = c.body
		}
		h, w := maphash.Bytes(seed, body), &c.in.want[i]
		if h != w.hash || maphash.Bytes(seed, m.Key) != w.key || m.Record != int64(w.record) || m.Partition != w.partition || m.IsDDL != w.ddl {
			return 0, 0, fmt.Errorf("message %d is of record %d, partition %d, key %q, DDL %v; want %+v: %.200q", i, m.Record, m.Partition, m.Key, m.IsDDL, *w, body)
		}
		hash, sum = mix(hash, h), mix(sum, h)
		i++
	}
	if i != c.next+b.Len() || b.First != int64(c.in.want[c.next].record) || b.Last != int64(c.in.want[i-1].record) {
		return 0, 0, fmt.Errorf("a batch of %d messages, of records %d to %d, has %d", b.Len(), b.First, b.Last, i-c.next)
	}
	return hash | 1, sum, nil
}

// limits holds a batch to the limits.
func (c *checker) limits(b *batch.Batch) error {
	o := &c.r.Batch
	most := int64(o.MaxBytes)
	if most == 0 {
		most = batch.DefaultMaxBytes
	}
	if b.Len() > 1 && (o.MaxCount > 0 && b.Len() > o.MaxCount || b.RawSize() > most) {
		return fmt.Errorf("a batch of %d messages and %d bytes", b.Len(), b.RawSize())
	}
	if o.Barrier != 0 && b.Len() > 1 {
		for _, w := range c.in.want[c.next : c.next+b.Len()] {
			if w.ddl {
				return fmt.Errorf("a DDL among %d messages", b.Len())
			}
		}
	}
	return nil
}

// frames holds the bytes of a batch to its messages.
func (c *checker) frames(b *batch.Batch) error {
	c.bytes = b.AppendTo(c.bytes[:0])
	if int64(len(c.bytes)) != b.Size() {
		return fmt.Errorf("a batch of %d bytes, its Size is %d", len(c.bytes), b.Size())
	}
	got := c.bytes
	if c.undo != nil && !c.r.Batch.PerMessage {
		var err error
		if c.body, err = c.undo.AppendDecompressed(c.body[:0], got, int(b.RawSize())); err != nil {
			return err
		}
		got = c.body
	}
	out := c.framed[:0]
	if c.r.Batch.Frame == batch.Array {
		out = append(out, '[')
	}
	for m := range b.Messages() {
		switch c.r.Batch.Frame {
		case batch.U32BE:
			out = binary.BigEndian.AppendUint32(out, uint32(len(m.Body)))
		case batch.Uvarint:
			out = binary.AppendUvarint(out, uint64(len(m.Body)))
		}
		out = append(out, m.Body...)
		switch c.r.Batch.Frame {
		case batch.Lines:
			out = append(out, '\n')
		case batch.Array:
			out = append(out, ',')
		}
	}
	if c.r.Batch.Frame == batch.Array {
		out[len(out)-1] = ']'
	}
	c.framed = out
	if !bytes.Equal(got, out) {
		return errors.New("the bytes of a batch are not its messages in frames")
	}
	return nil
}

// acknowledge is told what is delivered.
func (c *checker) acknowledge(first int64, delivered []batch.Record) {
	acked := c.acked.Load()
	if first != acked {
		c.breaks("records from %d are acknowledged behind %d", first, acked)
		return
	}
	for i := range delivered {
		if n := first + int64(i); delivered[i].Offset != n || n >= int64(len(c.in.records)) || delivered[i].Tag != any(&c.in.records[n]) {
			c.breaks("another record is acknowledged as record %d: that of offset %d", n, delivered[i].Offset)
			return
		}
	}
	acked += int64(len(delivered))
	if c.next < len(c.in.want) && int64(c.in.want[c.next].record) < acked {
		c.breaks("%d records are acknowledged, and a message of record %d is not sent", acked, c.in.want[c.next].record)
	}
	c.acked.Store(acked)
}

// breaks keeps the first thing that is broken. It is for the goroutine of Send.
func (c *checker) breaks(format string, args ...any) {
	if c.broken == nil {
		c.broken = fmt.Errorf(format, args...)
	}
}

// deadLetter is told of bad records, by another goroutine than Send is called by.
func (c *checker) deadLetter(number int64, r batch.Record, err error) error {
	if c.dead == len(c.in.bad) || c.in.bad[c.dead] != number || r.Offset != number {
		return fmt.Errorf("record %d (offset %d) is said to be bad: %w", number, r.Offset, err)
	}
	c.dead++
	return nil
}

// end returns what is missing when the Pipeline is closed.
func (c *checker) end() error {
	if c.undo != nil {
		c.undo.Close()
	}
	if c.next < len(c.in.want) || c.acked.Load() != int64(len(c.in.records)) || c.dead < len(c.in.bad) {
		return fmt.Errorf("%d of %d messages are delivered, %d of %d records acknowledged, %d of %d bad ones told",
			c.next, len(c.in.want), c.acked.Load(), len(c.in.records), c.dead, len(c.in.bad))
	}
	return nil
}
