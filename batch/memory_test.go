package batch_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/batch"
	"github.com/cdcodec/cdcodec/pool"
)

// TestSmallRecordsInFlight: records of a few bytes or none, of which no message is made, are
// bounded by MaxInFlight as well, though nothing is sent that would make them go: what is
// noted of each takes memory.
func TestSmallRecordsInFlight(t *testing.T) {
	leaks(t)
	const limit = 1 << 20
	for _, copied := range []bool{false, true} {
		p, err := batch.NewPipeline(t.Context(), batch.PipelineOptions{
			Convert: cdcodec.Options{From: cdcodec.FromCanalJSON}, Sink: stuck, Workers: 1,
			MaxInFlight: limit, Batch: batch.Options{Linger: -1, Pool: new(pool.Pool)},
		})
		if err != nil {
			t.Fatal(err)
		}
		submit := p.Submit
		if copied {
			submit = p.SubmitCopy
		}
		message := []byte(`{"data":[{"a":"1"}],"database":"d","table":"t","type":"INSERT"}`)
		if _, err := submit(t.Context(), batch.Record{Value: message}); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		full := func() bool { s := p.Stats(); return s.InFlight >= limit || s.Submitted >= limit }
		go func() {
			for !full() {
				time.Sleep(time.Millisecond)
			}
			cancel()
		}()
		blanks := make([]batch.Record, 1000)
		for err == nil && !full() {
			_, err = submit(ctx, blanks...)
		}
		if n := p.Stats().Submitted; n >= limit/64 {
			t.Errorf("%d empty records are in flight", n)
		}
		<-ctx.Done()
		ended, end := context.WithCancel(t.Context())
		end()
		_ = p.Close(ended)
	}
}

// TestTrickle: records that come one by one and linger do not take a buffer of Chunk bytes each.
func TestTrickle(t *testing.T) {
	leaks(t)
	p, err := batch.NewPipeline(t.Context(), batch.PipelineOptions{
		Sink: discard, Workers: 1, Chunk: 1 << 20, Batch: batch.Options{Linger: -1, Pool: new(pool.Pool)},
	})
	if err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	before := live()
	const records = 100
	entry := insert(t, "x")
	for range records {
		if _, err := p.SubmitCopy(t.Context(), batch.Record{Value: entry, Meta: meta}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Millisecond)
	}
	runtime.GC()
	if grown := int64(live()) - int64(before); grown > 4<<20 || grown > 4*int64(p.Stats().InFlight)+(1<<20) {
		t.Errorf("%d records take %d bytes, InFlight is %d", records, grown, p.Stats().InFlight)
	}
	if err := p.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}
