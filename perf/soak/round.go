package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/batch"
	"github.com/cdcodec/cdcodec/batch/compress"
	"github.com/cdcodec/cdcodec/change/partition"
	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/pool"
)

// round is the settings of a Pipeline, what it gets, and how bad its sink is.
type round struct {
	Corpus  string
	Packets bool // as Packets of Entries
	Records int
	Spoil   float64 // share of records that are cut off
	Copy    bool    // SubmitCopy

	Dialect fastjson.Dialect
	OneRow  bool
	Spread  bool // over partitions
	Keys    bool // where a message has one row

	Batch       batch.Options
	Retry       batch.Retry
	Workers     int
	Chunk       int
	MaxInFlight int

	Fails  float64       // share of Sends that fail
	Stalls float64       // share of Sends that wait
	Stall  time.Duration // up to so long

	seed uint64
}

// draw makes up round n.
func draw(o options, n int) *round {
	chance := rand.New(rand.NewPCG(o.seed, uint64(n)))
	one := func(of int) bool { return chance.IntN(of) == 0 }
	r := &round{
		Corpus:      corpora[n%len(corpora)],
		Packets:     one(4),
		Records:     max(1, o.records/4+chance.IntN(o.records*3/2+1)),
		Copy:        one(3),
		OneRow:      one(3),
		Spread:      one(3),
		Workers:     1 + chance.IntN(4),
		Chunk:       1 << (10 + chance.IntN(8)), // 1 to 128 KiB
		MaxInFlight: 1 << (16 + chance.IntN(9)), // 64 KiB to 16 MiB
		Retry: batch.Retry{
			Tries:   -1,
			Initial: time.Duration(1+chance.IntN(50)) * time.Microsecond,
			Max:     time.Duration(1+chance.IntN(2000)) * time.Microsecond,
		},
		seed: chance.Uint64(),
	}
	if one(4) {
		r.Dialect = fastjson.TiCDC
	}
	r.Keys = one(2)
	if one(3) {
		r.Spoil = 0.002
	}
	if !one(4) {
		r.Fails = []float64{0.01, 0.1, 0.4}[chance.IntN(3)]
	}
	switch chance.IntN(4) {
	case 0, 1:
		r.Stalls, r.Stall = []float64{0.001, 0.01, 0.05}[chance.IntN(3)], 2*time.Millisecond
	case 2: // rarely, and long enough for all to be full
		r.Stalls, r.Stall = 0.002, 100*time.Millisecond
	}
	if r.Packets {
		r.Records = max(1, r.Records/40) // messages count
	}
	b := &r.Batch
	b.Frame = batch.Frame(chance.IntN(5))
	b.Linger = []time.Duration{-1, 0, time.Microsecond, time.Millisecond}[chance.IntN(4)]
	if !one(3) {
		b.MaxBytes = 1 << (11 + chance.IntN(10)) // 2 KiB to 1 MiB
	}
	if one(3) {
		b.MaxCount = 1 + chance.IntN(2000)
	}
	if one(3) {
		b.Barrier = batch.BarrierDDL
	}
	if one(2) {
		b.Compress = compress.Options{Codec: compress.Codec(1 + chance.IntN(5)), Level: []compress.Level{compress.Fastest, compress.Default}[chance.IntN(2)]}
		b.PerMessage = one(4) && b.Frame != batch.Lines && b.Frame != batch.Array
	}
	return r
}

// convert returns what records become.
func (r *round) convert() cdcodec.Options {
	o := cdcodec.Options{IgnoreBatchID: true, JSON: fastjson.Options{Dialect: r.Dialect, OneRow: r.OneRow}}
	if r.Packets {
		o.From = cdcodec.FromPacket
	}
	o.Keys = r.Keys && (r.OneRow || r.Dialect == fastjson.TiCDC)
	if r.Spread {
		o.Partition = &partition.Options{Partitions: 7, By: partition.ByKey}
	}
	return o
}

// chance is what draws the input and how it is submitted.
func (r *round) chance() *rand.Rand { return rand.New(rand.NewPCG(r.seed, 0)) }

// stuck is how long a round may take.
const stuck = 3 * time.Minute

// run is one round: it returns what is broken.
func (r *round) run(ctx context.Context, t *traffic, s *summary) (err error) {
	chance := r.chance()
	in, err := t.newInput(r, chance)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, stuck, fmt.Errorf("the round is not at its end after %v", stuck))
	defer cancel()
	r.Batch.Pool = new(pool.Pool)
	goroutines := runtime.NumGoroutine()
	check, err := newChecker(r, in)
	if err != nil {
		return err
	}
	heap := watchHeap(heapBound(r, in))
	err = r.deliver(ctx, in, check, chance)
	over, share, looks := heap.stop()
	s.heap, s.share, s.gc = max(s.heap, over), max(s.share, share), s.gc+looks
	if err == nil {
		err = check.end()
	}
	if err == nil && share > 1 {
		err = fmt.Errorf("the heap was %d bytes above its start, the bound is %d", over, heapBound(r, in))
	}
	if used := r.Batch.Pool.Stats().InUse; err == nil && used != 0 {
		err = fmt.Errorf("%d buffers of the pool are not back", used)
	}
	if err == nil {
		err = settled(goroutines)
	}
	if err != nil {
		return err
	}
	s.records += len(in.records)
	s.bad += len(in.bad)
	s.messages += len(in.want)
	s.byCorpus[r.Corpus] += len(in.want)
	s.byCodec[r.Batch.Compress.Codec.String()] += len(in.want)
	s.batches += check.batches
	s.failures += check.failures
	s.stalls += check.stalls
	s.bytes += check.raw
	s.sent += check.sent
	s.delivered = mix(s.delivered, check.hash)
	sum := uint64(0)
	for _, w := range in.want {
		sum = mix(sum, w.hash)
	}
	s.expected = mix(s.expected, sum)
	return nil
}

// deliver runs the Pipeline.
func (r *round) deliver(ctx context.Context, in *input, check *checker, chance *rand.Rand) error {
	p, err := batch.NewPipeline(ctx, batch.PipelineOptions{
		Convert: r.convert(), Batch: r.Batch, Retry: r.Retry, Sink: check,
		Workers: r.Workers, Chunk: r.Chunk, MaxInFlight: r.MaxInFlight,
		Acknowledge: check.acknowledge, DeadLetter: check.deadLetter,
	})
	if err != nil {
		return err
	}
	submit := p.Submit
	if r.Copy {
		submit = p.SubmitCopy
	}
	for rest := in.records; len(rest) > 0 && err == nil; {
		n := min(1+chance.IntN(64), len(rest))
		_, err = submit(ctx, rest[:n]...)
		rest = rest[n:]
		if err == nil && chance.IntN(2000) == 0 {
			err = p.Flush(ctx)
			if done := len(in.records) - len(rest); err == nil && check.acked.Load() != int64(done) {
				err = fmt.Errorf("%d records are acknowledged after a Flush of %d", check.acked.Load(), done)
			}
		}
	}
	closed := p.Close(ctx)
	if check.broken != nil {
		return check.broken // rather than what the Pipeline makes of it
	}
	if err := errors.Join(err, closed); err != nil {
		return errors.Join(err, context.Cause(ctx))
	}
	stats := p.Stats()
	if stats.Submitted != uint64(len(in.records)) || stats.Acknowledged != stats.Submitted || stats.Bad != uint64(len(in.bad)) || stats.Messages != uint64(len(in.want)) ||
		stats.Batches != uint64(check.batches) || stats.Retries != uint64(check.failures) || stats.InFlight != 0 || stats.SentBytes != uint64(check.sent) {
		return fmt.Errorf("%d records, %d messages, %d batches, %d failures; its Stats say %+v", len(in.records), len(in.want), check.batches, check.failures, stats)
	}
	return nil
}

// settled waits until there are no more goroutines than before.
func settled(before int) error {
	for end := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			stacks := make([]byte, 1<<16)
			return fmt.Errorf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
		}
	}
	return nil
}
