package batch_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/batch"
	"github.com/cdcodec/cdcodec/batch/compress"
	"github.com/cdcodec/cdcodec/pool"
)

// stuck is a sink that never delivers, but heeds its context.
var stuck = batch.SinkFunc(func(ctx context.Context, _ *batch.Batch) error {
	<-ctx.Done()
	return ctx.Err()
})

// soon fails the test if f does not return in time.
func soon(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		stacks := make([]byte, 1<<20)
		t.Fatalf("%s does not return:\n%s", what, stacks[:runtime.Stack(stacks, true)])
	}
}

// TestCloseTwice: a second Close whose context ends gives up what the first one waits for.
func TestCloseTwice(t *testing.T) {
	leaks(t)
	p, err := batch.NewPipeline(t.Context(), batch.PipelineOptions{Sink: stuck, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Submit(t.Context(), batch.Record{Value: insert(t, "x")}); err != nil {
		t.Fatal(err)
	}
	first := make(chan error, 1)
	go func() { first <- p.Close(context.Background()) }()
	time.Sleep(5 * time.Millisecond)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
	defer cancel()
	soon(t, "Close", func() {
		if err := p.Close(ctx); err != context.DeadlineExceeded {
			t.Errorf("second Close: %v", err)
		}
		if err := <-first; err != context.DeadlineExceeded {
			t.Errorf("first Close: %v", err)
		}
	})
}

// TestFlushAmongSubmits: a Flush, and a Close, come to their end although others keep the
// Pipeline full all the time.
func TestFlushAmongSubmits(t *testing.T) {
	leaks(t)
	for _, procs := range []int{1, 2} {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
		p, err := batch.NewPipeline(t.Context(), batch.PipelineOptions{Sink: discard, Workers: 1, Chunk: 1 << 10})
		if err != nil {
			t.Fatal(err)
		}
		entry := insert(t, strings.Repeat("x", 900))
		var wait sync.WaitGroup
		for range 8 {
			wait.Go(func() {
				for {
					if _, err := p.Submit(context.Background(), batch.Record{Value: entry}); err != nil {
						if err != batch.ErrClosed {
							t.Error(err)
						}
						return
					}
				}
			})
		}
		soon(t, "Flush", func() {
			for i := range uint64(20) {
				for p.Stats().Submitted < 100*i {
					time.Sleep(10 * time.Microsecond)
				}
				before := p.Stats().Submitted
				if err := p.Flush(t.Context()); err != nil {
					t.Error(err)
				}
				if after := p.Stats(); after.Acknowledged < before {
					t.Errorf("%d acknowledged after Flush of %d", after.Acknowledged, before)
				}
			}
		})
		soon(t, "Close", func() {
			if err := p.Close(t.Context()); err != nil {
				t.Error(err)
			}
		})
		wait.Wait()
		if s := p.Stats(); s.Acknowledged != s.Submitted || s.InFlight != 0 {
			t.Errorf("%+v", s)
		}
	}
}

// TestCalledInAnyOrder: Submit, Flush, Stats, Err and Close by several goroutines at
// once, with contexts that end at any moment, do no harm: what Submit took is acknowledged
// or the Pipeline was given up, all return, nothing is left.
func TestCalledInAnyOrder(t *testing.T) {
	leaks(t)
	entries := append(traffic(t, 300, 1, false), []byte{0xff}) // one message each, or none
	errStop := errors.New("stop")
	for seed := range rounds(150) {
		r, chance := rand.New(rand.NewPCG(seed, 9)), rand.New(rand.NewPCG(seed, 8))
		var o batch.PipelineOptions
		o.Batch.Pool = new(pool.Pool)
		o.Batch.Linger = []time.Duration{-1, 0, time.Microsecond}[r.IntN(3)]
		o.Batch.MaxBytes = 1 << (4 + r.IntN(14))
		if r.IntN(2) == 0 {
			o.Batch.Compress.Codec = compress.Zstd
		}
		o.Workers = 1 + r.IntN(3)
		o.Chunk = 1 << r.IntN(14)
		o.MaxInFlight = 1 << r.IntN(18)
		slow := r.IntN(3) == 0
		fails := 0.1 * float64(r.IntN(2))
		if r.IntN(4) > 0 {
			o.Retry = batch.Retry{Tries: -1, Initial: time.Microsecond, Max: 20 * time.Microsecond}
		}
		sent := int64(-1)
		o.Sink = batch.SinkFunc(func(ctx context.Context, b *batch.Batch) error {
			if slow {
				time.Sleep(20 * time.Microsecond)
			}
			if chance.Float64() < fails {
				return errSink
			}
			for m := range b.Messages() {
				if m.Record <= sent {
					t.Errorf("seed %d: a message of record %d after %d", seed, m.Record, sent)
				}
				sent = m.Record
			}
			return nil
		})
		acked := 0
		o.Acknowledge = func(first int64, delivered []batch.Record) {
			if first != int64(acked) {
				t.Errorf("seed %d: acknowledged from %d, want %d", seed, first, acked)
			}
			acked += len(delivered)
		}
		if r.IntN(4) > 0 {
			o.DeadLetter = func(int64, batch.Record, error) error { return nil }
		}
		parent, cancel := context.WithCancelCause(t.Context())
		p, err := batch.NewPipeline(parent, o)
		if err != nil {
			t.Fatal(err)
		}
		var wait sync.WaitGroup
		var mu sync.Mutex
		taken := 0
		for i := range 3 {
			r := rand.New(rand.NewPCG(seed, uint64(10+i)))
			wait.Go(func() {
				for range 20 {
					ctx, cancel := context.WithCancel(context.Background())
					if r.IntN(4) == 0 {
						ctx, cancel = context.WithTimeout(ctx, time.Duration(r.IntN(300))*time.Microsecond)
					}
					some := make([]batch.Record, r.IntN(30))
					for j := range some {
						some[j] = batch.Record{Value: entries[r.IntN(len(entries))], Meta: meta}
					}
					submit := p.Submit
					if r.IntN(2) == 0 {
						submit = p.SubmitCopy
					}
					n, _ := submit(ctx, some...)
					mu.Lock()
					taken += n
					mu.Unlock()
					if r.IntN(6) == 0 {
						_ = p.Flush(ctx)
					}
					_, _ = p.Stats(), p.Err()
					cancel()
				}
			})
		}
		for i := range 2 {
			r := rand.New(rand.NewPCG(seed, uint64(20+i)))
			wait.Go(func() {
				time.Sleep(time.Duration(r.IntN(3000)) * time.Microsecond)
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				if r.IntN(3) == 0 {
					ctx, cancel = context.WithTimeout(ctx, time.Duration(r.IntN(500))*time.Microsecond)
					defer cancel()
				}
				_ = p.Close(ctx)
			})
		}
		if r.IntN(3) == 0 {
			wait.Go(func() {
				time.Sleep(time.Duration(r.IntN(3000)) * time.Microsecond)
				cancel(errStop)
			})
		}
		soon(t, "something", wait.Wait)
		err = p.Close(t.Context())
		cancel(nil)
		s := p.Stats()
		if s.Submitted != uint64(taken) || s.Acknowledged != uint64(acked) || acked > taken {
			t.Fatalf("seed %d: %d taken, %d acknowledged: %+v", seed, taken, acked, s)
		}
		if err == nil && acked != taken {
			t.Fatalf("seed %d: %d taken, %d acknowledged, and no error", seed, taken, acked)
		}
		if in := o.Batch.Pool.Stats().InUse; in != 0 {
			t.Fatalf("seed %d: %d buffers are out, %v", seed, in, err)
		}
	}
}

// TestGivenUpBeforeItIsCompressed: the Pipeline ends while a batch waits for a worker that
// is to compress it.
func TestGivenUpBeforeItIsCompressed(t *testing.T) {
	leaks(t)
	giant := insert(t, strings.Repeat("\n", 2<<20))
	for i := range rounds(12) {
		ctx, cancel := context.WithCancel(t.Context())
		o := batch.PipelineOptions{Sink: discard, Workers: 1, Chunk: 1, Batch: batch.Options{MaxCount: 1, Pool: new(pool.Pool), Compress: compress.Options{Codec: compress.S2}}}
		p, err := batch.NewPipeline(ctx, o)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range [][]byte{insert(t, "x"), giant, giant} {
			if _, err := p.Submit(t.Context(), batch.Record{Value: v}); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Duration(i) * 500 * time.Microsecond)
		cancel()
		soon(t, "Close", func() { _ = p.Close(t.Context()) })
		if in := o.Batch.Pool.Stats().InUse; in != 0 {
			t.Fatalf("%d buffers are out", in)
		}
	}
}

// TestGoexit: a Sink or a function that ends its goroutine, as t.Fatal does, ends the
// Pipeline.
func TestGoexit(t *testing.T) {
	leaks(t)
	for i, o := range []batch.PipelineOptions{
		{Sink: batch.SinkFunc(func(context.Context, *batch.Batch) error { runtime.Goexit(); return nil })},
		{Sink: discard, Acknowledge: func(int64, []batch.Record) { runtime.Goexit() }},
		{Sink: discard, DeadLetter: func(int64, batch.Record, error) error { runtime.Goexit(); return nil }},
	} {
		p, err := batch.NewPipeline(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range [][]byte{insert(t, "x"), {0xff}} {
			if _, err := p.Submit(t.Context(), batch.Record{Value: v}); err != nil {
				break
			}
		}
		soon(t, "Close", func() {
			if err := p.Close(t.Context()); err == nil {
				t.Errorf("%d: no error", i)
			}
		})
	}
}

// TestEndedBefore: of a context that has ended before comes a Pipeline that takes nothing.
func TestEndedBefore(t *testing.T) {
	leaks(t)
	errBefore := errors.New("before")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errBefore)
	p, err := batch.NewPipeline(ctx, batch.PipelineOptions{Sink: discard})
	if err != nil {
		t.Fatal(err)
	}
	soon(t, "something", func() {
		if n, err := p.SubmitCopy(t.Context(), batch.Record{Value: insert(t, "x")}); n != 0 || err != errBefore {
			t.Errorf("Submit: %d, %v", n, err)
		}
		if err := p.Flush(t.Context()); err != errBefore {
			t.Errorf("Flush: %v", err)
		}
		if err := errors.Join(p.Err(), p.Close(t.Context()), p.Close(t.Context())); !errors.Is(err, errBefore) {
			t.Errorf("Close: %v", err)
		}
	})
}

// TestSharedPool: Pipelines that have one pool do not disturb each other.
func TestSharedPool(t *testing.T) {
	leaks(t)
	shared := new(pool.Pool)
	records := traffic(t, 500, 8, false)
	all, _ := convert(t, cdcodec.Options{}, records)
	var wait sync.WaitGroup
	for i := range 3 {
		o := batch.PipelineOptions{Workers: 2, Chunk: 1 << 12, Batch: batch.Options{Pool: shared, MaxBytes: 10_000 << i}}
		sink := &flaky{t: t, r: rand.New(rand.NewPCG(uint64(i), 5)), o: &o.Batch, rest: all, stalls: 0.1}
		o.Sink = sink
		p, err := batch.NewPipeline(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		wait.Go(func() {
			for _, r := range records {
				if _, err := p.SubmitCopy(t.Context(), batch.Record{Value: r, Meta: meta}); err != nil {
					break
				}
			}
			if err := p.Close(t.Context()); err != nil || len(sink.rest) > 0 {
				t.Errorf("%v, %d messages are missing", err, len(sink.rest))
			}
		})
	}
	soon(t, "one of them", wait.Wait)
	if in := shared.Stats().InUse; in != 0 {
		t.Errorf("%d buffers are out", in)
	}
}
