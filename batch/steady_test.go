package batch_test

import (
	"context"
	"runtime"
	"runtime/metrics"
	"testing"
	"time"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/batch"
	"github.com/cdcodec/cdcodec/pool"
)

// TestSteady: in the steady state there is no allocation for a message, only a few for a
// batch of hundreds.
func TestSteady(t *testing.T) {
	if pool.Debug {
		t.Skip("the pool's checks allocate")
	}
	entries := traffic(t, 2000, 1, false)
	const most = 0.1 // of a batch of some 1,000 messages there are about 15, and GC empties pools
	t.Run("Pipeline", func(t *testing.T) {
		p, err := batch.NewPipeline(t.Context(), batch.PipelineOptions{Sink: discard, Workers: 2, MaxInFlight: 4 << 20})
		if err != nil {
			t.Fatal(err)
		}
		pass := func() {
			for range 5 {
				for _, e := range entries {
					if _, err := p.Submit(t.Context(), batch.Record{Value: e, Meta: meta}); err != nil {
						t.Fatal(err)
					}
				}
			}
			if err := p.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		pass()
		if n := mallocs(pass) / float64(5*len(entries)); n > most {
			t.Errorf("%.3f allocations per record", n)
		}
		if err := p.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
	t.Run("Batcher", func(t *testing.T) {
		b, err := batch.NewBatcher(cdcodec.Options{}, batch.Options{})
		if err != nil {
			t.Fatal(err)
		}
		pass := func() {
			for _, e := range entries {
				if err := b.Append(e, meta); err != nil {
					t.Fatal(err)
				}
				if ready, _ := b.Next(time.Time{}); ready != nil {
					ready.Release()
				}
			}
		}
		pass()
		if n := mallocs(pass) / float64(len(entries)); n > most {
			t.Errorf("%.3f allocations per record", n)
		}
	})
}

// mallocs returns how often f allocates, the best of some.
func mallocs(f func()) float64 {
	best := -1.0
	for range 5 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		if n := float64(after.Mallocs - before.Mallocs); best < 0 || n < best {
			best = n
		}
	}
	return best
}

// live returns the bytes of objects on the heap that are not known to be dead.
func live() uint64 {
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// TestInFlight: where the sink is slow, Submit waits, and what is in flight stays within
// MaxInFlight and what a few chunks become, as the option says.
func TestInFlight(t *testing.T) {
	leaks(t)
	entries := traffic(t, 3000, 2, false)
	const limit = 1 << 20
	var p *batch.Pipeline
	most := 0
	slow := batch.SinkFunc(func(context.Context, *batch.Batch) error {
		time.Sleep(200 * time.Microsecond)
		most = max(most, p.Stats().InFlight)
		return nil
	})
	o := batch.PipelineOptions{Sink: slow, Workers: 2, MaxInFlight: limit, Chunk: 16 << 10, Batch: batch.Options{MaxBytes: 64 << 10, Pool: new(pool.Pool)}}
	p, err := batch.NewPipeline(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	var before, peak uint64
	for pass := range 8 {
		if pass == 4 { // by now the Transcoders know the tables
			if err := p.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
			runtime.GC()
			before, peak = live(), 0
		}
		for i, e := range entries {
			if _, err := p.Submit(t.Context(), batch.Record{Value: e, Meta: meta}); err != nil {
				t.Fatal(err)
			}
			if i%500 == 0 {
				runtime.GC()
				peak = max(peak, live())
			}
		}
	}
	if err := p.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	const chunks = (2*2 + 2) * 4 * (16 << 10) // in and out, with what is noted
	if most > limit+chunks {
		t.Errorf("%d bytes in flight, at most %d and %d", most, limit, chunks)
	}
	if most < limit/2 {
		t.Errorf("%d bytes in flight at most: this tests nothing", most)
	}
	if grown := int64(peak) - int64(before); grown > 2*limit+(1<<20) {
		t.Errorf("the heap grew by %d bytes, with %d in flight", grown, limit)
	}
}

// TestSubmitWaits: a Submit that finds no room returns when its context ends, and says how
// many records were taken; other calls go on.
func TestSubmitWaits(t *testing.T) {
	leaks(t)
	entries := traffic(t, 3000, 2, false)
	open := make(chan struct{})
	shut := batch.SinkFunc(func(ctx context.Context, _ *batch.Batch) error {
		select {
		case <-open:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
	p, err := batch.NewPipeline(t.Context(), batch.PipelineOptions{Sink: shut, Workers: 1, MaxInFlight: 100 << 10})
	if err != nil {
		t.Fatal(err)
	}
	var all []batch.Record
	for _, e := range entries {
		all = append(all, batch.Record{Value: e, Meta: meta})
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	n, err := p.Submit(ctx, all...)
	if err != context.DeadlineExceeded || n == 0 || n == len(all) {
		t.Fatalf("Submit took %d of %d: %v", n, len(all), err)
	}
	if err := p.Flush(ctx); err != context.DeadlineExceeded {
		t.Fatalf("Flush: %v", err)
	}
	done := make(chan error, 2) // two that wait at once
	for i := range 2 {
		some := all[n+i*(len(all)-n)/2 : n+(i+1)*(len(all)-n)/2]
		go func() {
			_, err := p.Submit(t.Context(), some...)
			done <- err
		}()
	}
	time.Sleep(5 * time.Millisecond)
	close(open)
	for range 2 {
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s := p.Stats(); s.Acknowledged != uint64(len(all)) {
		t.Fatalf("%d acknowledged of %d", s.Acknowledged, len(all))
	}
}

// TestClose: a Close whose context ends gives up, leaves nothing running, and says so.
func TestClose(t *testing.T) {
	leaks(t)
	stuck := batch.SinkFunc(func(ctx context.Context, _ *batch.Batch) error {
		<-ctx.Done()
		return ctx.Err()
	})
	p, err := batch.NewPipeline(t.Context(), batch.PipelineOptions{Sink: stuck, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range traffic(t, 100, 1, false) {
		if _, err := p.Submit(t.Context(), batch.Record{Value: e, Meta: meta}); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := p.Close(ctx); err != context.DeadlineExceeded {
		t.Fatalf("Close: %v", err)
	}
	if s := p.Stats(); s.Messages != 0 || s.Acknowledged == s.Submitted {
		t.Fatalf("%+v", s)
	}
}
