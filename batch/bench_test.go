package batch_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/batch"
	"github.com/cdcodec/cdcodec/internal/corpus"
)

// discard is a sink that takes all.
var discard = batch.SinkFunc(func(context.Context, *batch.Batch) error { return nil })

func oltp(b *testing.B) [][]byte {
	c, err := corpus.Make("oltp", 5000, 1)
	if err != nil {
		b.Fatal(err)
	}
	return c.Entries
}

// BenchmarkDeliver converts oltp, an op being an Entry: in a loop into a buffer of
// chunks, by a Batcher, and by a Pipeline.
func BenchmarkDeliver(b *testing.B) {
	entries := oltp(b)
	b.Run("way=loop", func(b *testing.B) {
		var tr cdcodec.Transcoder
		var dst []byte
		var msgs []cdcodec.Message
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			var err error
			if dst, msgs, err = tr.Append(dst, msgs, entries[i%len(entries)], meta); err != nil {
				b.Fatal(err)
			}
			if len(dst) > batch.DefaultChunk {
				dst, msgs = dst[:0], msgs[:0]
			}
		}
	})
	b.Run("way=batcher", func(b *testing.B) {
		t, err := batch.NewBatcher(cdcodec.Options{}, batch.Options{})
		if err != nil {
			b.Fatal(err)
		}
		now := time.Now()
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			if err := t.Append(entries[i%len(entries)], meta); err != nil {
				b.Fatal(err)
			}
			if ready, _ := t.Next(now); ready != nil {
				ready.Release()
			}
		}
	})
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("way=pipeline/workers=%d", workers), func(b *testing.B) {
			p, err := batch.NewPipeline(b.Context(), batch.PipelineOptions{Sink: discard, Workers: workers})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if _, err := p.Submit(b.Context(), batch.Record{Value: entries[i%len(entries)], Meta: meta}); err != nil {
					b.Fatal(err)
				}
			}
			if err := p.Close(b.Context()); err != nil {
				b.Fatal(err)
			}
		})
	}
}
