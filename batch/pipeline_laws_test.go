package batch_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/batch"
	"github.com/cdcodec/cdcodec/pool"
)

// leaks fails the test if goroutines are left at its end that were not there before.
func leaks(t *testing.T) {
	t.Helper()
	before := runtime.NumGoroutine()
	t.Cleanup(func() {
		for end := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before; {
			if time.Now().After(end) {
				stacks := make([]byte, 1<<20)
				t.Fatalf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
			}
			time.Sleep(time.Millisecond)
		}
	})
}

var errSink = errors.New("the sink is out of order")

// flaky is a sink that fails and stalls by chance, and checks what it is sent.
type flaky struct {
	t      *testing.T
	r      *rand.Rand
	o      *batch.Options
	rest   []want // not sent yet
	fails  float64
	stalls float64
	again  []byte // a batch that has failed: the next one must be the same
	sends  int
	failed int
}

func (s *flaky) Send(ctx context.Context, b *batch.Batch) error {
	s.sends++
	if s.r.Float64() < s.stalls {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Duration(s.r.IntN(500)) * time.Microsecond):
		}
	}
	if s.again != nil && !bytes.Equal(s.again, b.AppendTo(nil)) {
		s.t.Error("another batch is tried than the one that failed")
	}
	s.again = nil
	if s.r.Float64() < s.fails {
		s.failed++
		s.again = b.AppendTo(nil)
		return errSink
	}
	within(s.t, s.o, b)
	s.rest = same(s.t, s.o, b, s.rest)
	return nil
}

// spoil breaks some of the records, and returns a copy.
func spoil(r *rand.Rand, records [][]byte, share float64) [][]byte {
	out := make([][]byte, len(records))
	for i, b := range records {
		if out[i] = b; r.Float64() < share {
			out[i] = b[:len(b)-1-r.IntN(min(20, len(b)-1))]
		}
	}
	return out
}

// TestPipelineLaws: whatever the limits, the number of workers, and how the sink fails and
// stalls, every message is delivered, in order, none twice but after a Send that has
// failed; every record is acknowledged, in order, after its messages; bad records are
// handed over with their number; nothing runs after Close, and the pool has all back.
func TestPipelineLaws(t *testing.T) {
	leaks(t)
	for seed := range rounds(60) {
		r := rand.New(rand.NewPCG(seed, 2))
		var o batch.PipelineOptions
		o.Batch = limits(r)
		o.Batch.Pool = new(pool.Pool)
		o.Batch.Linger = []time.Duration{-1, 0, time.Microsecond, 20 * time.Millisecond}[r.IntN(4)]
		o.Workers = 1 + r.IntN(4)
		o.Chunk = 1 << r.IntN(18)
		o.MaxInFlight = 1 << (10 + r.IntN(16))
		o.Retry = batch.Retry{Tries: -1, Initial: time.Microsecond, Max: 50 * time.Microsecond}
		o.Convert = conversion(r)
		packets := r.IntN(3) == 0
		if packets {
			o.Convert.From = cdcodec.FromPacket
		}
		records := spoil(r, traffic(t, 400, seed, packets), 0.01*float64(r.IntN(3)))
		all, bad := convert(t, o.Convert, records)
		sink := &flaky{t: t, r: rand.New(rand.NewPCG(seed, 3)), o: &o.Batch, rest: all, fails: 0.3 * float64(r.IntN(2)), stalls: 0.2 * float64(r.IntN(2))}
		o.Sink = sink
		acked, dead := int64(0), bad
		o.DeadLetter = func(number int64, rec batch.Record, err error) error {
			var re *batch.RecordError
			if len(dead) == 0 || dead[0] != number || !errors.As(err, &re) || re.Record != number || !bytes.Equal(rec.Value, records[number]) || rec.Tag != int(number) {
				t.Errorf("dead letter %d (%v), want %v", number, err, dead)
				return nil
			}
			dead = dead[1:]
			return nil
		}
		o.Acknowledge = func(first int64, delivered []batch.Record) {
			if first != acked {
				t.Errorf("acknowledged from %d, want %d", first, acked)
			}
			for i, rec := range delivered {
				if n := first + int64(i); rec.Tag != int(n) || !bytes.Equal(rec.Value, records[n]) {
					t.Errorf("acknowledged %v as record %d", rec.Tag, n)
				}
			}
			acked += int64(len(delivered))
			if len(sink.rest) > 0 && sink.rest[0].record < acked {
				t.Errorf("acknowledged up to %d, but a message of record %d is not sent", acked, sink.rest[0].record)
			}
		}
		p, err := batch.NewPipeline(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(records); {
			n := min(1+r.IntN(20), len(records)-i)
			var some []batch.Record
			for j := i; j < i+n; j++ {
				some = append(some, batch.Record{Value: records[j], Meta: meta, Tag: j})
			}
			submit := p.Submit
			if r.IntN(2) == 0 {
				submit = p.SubmitCopy
			}
			if m, err := submit(t.Context(), some...); err != nil || m != n {
				t.Fatalf("seed %d: Submit took %d of %d: %v", seed, m, n, err)
			}
			i += n
			if r.IntN(10) == 0 {
				if err := p.Flush(t.Context()); err != nil {
					t.Fatal(err)
				}
				if acked != int64(i) {
					t.Fatalf("seed %d: %d acknowledged after Flush of %d", seed, acked, i)
				}
			}
		}
		if err := p.Close(t.Context()); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if len(sink.rest) > 0 || acked != int64(len(records)) || len(dead) > 0 {
			t.Fatalf("seed %d: %d messages not sent, %d of %d records acknowledged, %d bad ones not told", seed, len(sink.rest), acked, len(records), len(dead))
		}
		s := p.Stats()
		if s.Submitted != uint64(len(records)) || s.Acknowledged != s.Submitted || s.Messages != uint64(len(all)) || s.Bad != uint64(len(bad)) ||
			s.Retries != uint64(sink.failed) || s.Batches != uint64(sink.sends-sink.failed) || s.InFlight != 0 || s.Latency.Count != s.Submitted {
			t.Fatalf("seed %d: %+v", seed, s)
		}
		if in := o.Batch.Pool.Stats().InUse; in != 0 {
			t.Fatalf("seed %d: %d buffers are out", seed, in)
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// TestPipelineEnds: a Pipeline that is given up in any way ends, tells why, acknowledges
// nothing that was not sent, leaves no goroutine, and all that waits for it returns.
func TestPipelineEnds(t *testing.T) {
	leaks(t)
	for seed := range rounds(120) {
		r := rand.New(rand.NewPCG(seed, 4))
		var o batch.PipelineOptions
		o.Batch = limits(r)
		o.Batch.Pool = new(pool.Pool)
		o.Workers = 1 + r.IntN(3)
		o.Chunk = 1 << r.IntN(16)
		o.MaxInFlight = 1 << (10 + r.IntN(10))
		records := traffic(t, 200, seed, false)
		all, _ := convert(t, o.Convert, records)
		ctx, cancel := context.WithCancelCause(t.Context())
		errCancel := errors.New("the caller has had enough")
		sink := &flaky{t: t, r: rand.New(rand.NewPCG(seed, 3)), o: &o.Batch, rest: all}
		o.Sink = sink
		end := r.IntN(len(all))
		var cause error
		how := r.IntN(4)
		switch how {
		case 0: // the sink fails for good
			o.Retry = batch.Retry{Tries: 3, Initial: time.Microsecond, Max: time.Microsecond}
			cause = errSink
			o.Sink = batch.SinkFunc(func(ctx context.Context, b *batch.Batch) error {
				if len(all)-len(sink.rest) >= end {
					return errSink
				}
				return sink.Send(ctx, b)
			})
		case 1: // at once
			o.Retry = batch.Retry{Tries: -1}
			cause = errSink
			o.Sink = batch.SinkFunc(func(ctx context.Context, b *batch.Batch) error {
				if len(all)-len(sink.rest) >= end {
					return batch.Permanent(errSink)
				}
				return sink.Send(ctx, b)
			})
		case 2: // the sink hangs until the context ends
			cause = errCancel
			o.Sink = batch.SinkFunc(func(ctx context.Context, b *batch.Batch) error {
				if len(all)-len(sink.rest) >= end {
					cancel(errCancel)
					<-ctx.Done()
					return ctx.Err()
				}
				return sink.Send(ctx, b)
			})
		case 3: // a record is bad: what comes before it is delivered
			end = r.IntN(len(records))
			records[end] = []byte{0xff}
			cause = nil
		}
		acked := int64(0)
		o.Acknowledge = func(first int64, delivered []batch.Record) { acked += int64(len(delivered)) }
		p, err := batch.NewPipeline(ctx, o)
		if err != nil {
			t.Fatal(err)
		}
		var wait sync.WaitGroup
		for i, rec := range records {
			submit := p.Submit
			if seed%2 == 0 {
				submit = p.SubmitCopy
			}
			if _, err = submit(context.Background(), batch.Record{Value: rec, Meta: meta, Tag: i}); err != nil {
				break
			}
			if r.IntN(50) == 0 {
				wait.Go(func() { _ = p.Flush(context.Background()) })
			}
		}
		closed := p.Close(context.Background())
		wait.Wait()
		whole := how < 3 && len(sink.rest) == 0 && acked == int64(len(records)) // it never came to the end
		if (closed == nil) != whole || err != nil && err != closed {
			t.Fatalf("seed %d: Close: %v, Submit: %v", seed, closed, err)
		}
		if again := p.Close(context.Background()); again != closed {
			t.Fatalf("seed %d: Close again: %v", seed, again)
		}
		if whole {
			cancel(nil)
			continue
		}
		if _, err := p.Submit(context.Background(), batch.Record{}); err != closed {
			t.Fatalf("seed %d: Submit after Close: %v", seed, err)
		}
		if err := p.Flush(context.Background()); err != closed {
			t.Fatalf("seed %d: Flush after Close: %v", seed, err)
		}
		sent := all[:len(all)-len(sink.rest)]
		if how == 3 {
			var re *batch.RecordError
			if !errors.As(closed, &re) || re.Record != int64(end) {
				t.Fatalf("seed %d: %v, want record %d", seed, closed, end)
			}
			if len(sink.rest) > 0 && sink.rest[0].record < int64(end) || acked != int64(end) {
				t.Fatalf("seed %d: a message of record %d is not sent, %d acknowledged; record %d is bad", seed, sink.rest[0].record, acked, end)
			}
		} else if !errors.Is(closed, cause) {
			t.Fatalf("seed %d: %v, want %v", seed, closed, cause)
		}
		for _, w := range all[len(sent):] {
			if w.record < acked {
				t.Fatalf("seed %d: record %d is acknowledged and not sent", seed, w.record)
			}
		}
		if in := o.Batch.Pool.Stats().InUse; in != 0 {
			t.Fatalf("seed %d: %d buffers are out (%d)", seed, in, how)
		}
		cancel(nil)
	}
}
