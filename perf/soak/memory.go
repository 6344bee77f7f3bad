package main

import (
	"runtime"
	"runtime/metrics"
	"time"

	"github.com/cdcodec/cdcodec/batch/compress"
)

// heapBound is what a Pipeline may have on the heap beside the records, as documented:
//
//   - MaxInFlight, one record that went over it, and what 3·Workers+4 chunks become
//     (batch.PipelineOptions);
//   - for each worker, what its Transcoder knows of tables, 10 MiB at most
//     (SECURITY.md);
//   - for each worker an encoder (batch/compress), and as much in pools of the codec's
//     library;
//   - 5 MiB for the next records (batch.PipelineOptions);
//   - 4 MiB for all that is not bytes of messages, and the checker's own scratch.
//
// Bytes are counted as the buffers they are in, which have up to twice as much room.
func heapBound(r *round, in *input) int64 {
	chunk := int64(float64(r.Chunk+in.longest) * (1 + float64(in.out)/float64(in.in)))
	workers := int64(r.Workers)
	bound := 2 * (int64(r.MaxInFlight) + int64(in.longest) + (3*workers+4)*chunk)
	bound += workers * 10 << 20
	if r.Batch.Compress.Codec != compress.None {
		bound += workers * 8 << 20
	}
	return bound + 9<<20
}

// heapWatch looks at the heap while a round is on.
type heapWatch struct {
	bound, start, most int64
	looks              int
	quit, done         chan struct{}
}

// watchHeap begins to look.
func watchHeap(bound int64) *heapWatch {
	h := &heapWatch{bound: bound, quit: make(chan struct{}), done: make(chan struct{})}
	h.start = live()
	h.most = h.start
	go h.watch()
	return h
}

// watch collects garbage again and again, since only then is known what lives.
func (h *heapWatch) watch() {
	defer close(h.done)
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		select {
		case <-h.quit:
			return
		case <-time.After(pause):
			h.most = max(h.most, live())
			h.looks++
		}
	}
}

// stop returns how much more than at the start lived at most, in bytes and as a share of
// the bound.
func (h *heapWatch) stop() (over int64, share float64, looks int) {
	close(h.quit)
	<-h.done
	return h.most - h.start, float64(h.most-h.start) / float64(h.bound), h.looks
}

// live returns the bytes of the heap that live.
func live() int64 {
	runtime.GC()
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}
