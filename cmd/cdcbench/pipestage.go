package main

import (
	"bytes"
	"context"
	"fmt"
	"hash/maphash"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/batch"
	"github.com/cdcodec/cdcodec/batch/compress"
	"github.com/cdcodec/cdcodec/internal/onecpu"
)

// Stage pipeline: records in, batches out, on several cores. It is not pinned, and the
// clock is the one on the wall. Its codecs are ways to do it:
//
//	copy=N              N goroutines copy the records: what N cores can do for memory
//	loop                a Transcoder in a loop, into a buffer of a chunk's size
//	workers=N           batch.Pipeline with N workers, into a sink that takes all
//	workers=N/zstd      the same, and each batch is compressed

// pipeTurn returns how long a turn of this stage lasts at least, of which there are to be
// some in so much time: a Pipeline has to fill and to drain in it.
func pipeTurn(budget time.Duration) time.Duration {
	return max(time.Millisecond, min(budget*3/10, 250*time.Millisecond))
}

// pipeLane is one way, and what was measured of it.
type pipeLane struct {
	name string
	// do goes over all records so many times, and returns how many bytes it sent.
	do     func(passes int) (sent int64, err error)
	end    func() error
	passes int
	sent   int64 // in a pass
	turns  []float64
	cpu    []float64
	allocs float64
}

// pipeFlags say which ways are measured.
type pipeFlags struct {
	Workers  []int    `placeholder:"N" help:"For stage pipeline, which it asks for: these numbers of workers (1, 2, 4, … as the machine has CPUs)."`
	Compress []string `placeholder:"CODEC" help:"For stage pipeline, which it asks for: compress with these, with as many workers as there are CPUs (gzip, zstd, s2, snappy, lz4; or with a level, as zstd:best)."`
}

// workers returns the numbers of workers.
func (f *pipeFlags) workers() []int {
	if len(f.Workers) > 0 {
		return f.Workers
	}
	list := []int{1}
	for n := 2; n <= runtime.NumCPU() && n <= 16; n *= 2 {
		list = append(list, n)
	}
	return list
}

func (f *pipeFlags) check() error {
	for _, n := range f.Workers {
		if n < 1 || n > maxWorkers {
			return usageError(fmt.Sprintf("--workers: %d is no number from 1 to %d", n, maxWorkers))
		}
	}
	for _, name := range f.Compress {
		if _, err := compress.Parse(name); err != nil {
			return usageError("--compress: " + strings.TrimPrefix(err.Error(), "compress: "))
		}
	}
	return nil
}

// pipeLanes returns all that is measured on t.
func (f *pipeFlags) pipeLanes(t *traffic) ([]*pipeLane, error) {
	workers := f.workers()
	most := slices.Max(workers)
	var lanes []*pipeLane
	for _, n := range workers {
		lanes = append(lanes, copyLane(t, n))
	}
	loop, err := loopLane(t)
	if err != nil {
		return nil, err
	}
	lanes = append(lanes, loop)
	for _, n := range workers {
		l, err := pipelineLane(t, n, "")
		if err != nil {
			return nil, err
		}
		lanes = append(lanes, l)
	}
	codecs := f.Compress
	if len(codecs) == 0 {
		codecs = []string{"gzip", "zstd", "s2", "snappy", "lz4"}
	}
	for _, name := range codecs {
		l, err := pipelineLane(t, most, name)
		if err != nil {
			return nil, err
		}
		lanes = append(lanes, l)
	}
	return lanes, nil
}

// copyLane has n goroutines copy chunks of records. They share the records, as workers do.
func copyLane(t *traffic, n int) *pipeLane {
	buffers := make([][]byte, n)
	for i := range buffers {
		buffers[i] = make([]byte, 0, 2*batch.DefaultChunk)
	}
	return &pipeLane{
		name: fmt.Sprintf("copy=%d", n),
		end:  func() error { return nil },
		do: func(passes int) (int64, error) {
			var wait sync.WaitGroup
			for i := range n {
				wait.Go(func() {
					dst := buffers[i]
					for range passes {
						for _, r := range t.records[len(t.records)*i/n : len(t.records)*(i+1)/n] {
							if len(dst)+len(r) > cap(dst) {
								dst = dst[:0]
							}
							dst = append(dst, r...)
						}
					}
				})
			}
			wait.Wait()
			return int64(t.bytes) * int64(passes), nil
		},
	}
}

func loopLane(t *traffic) (*pipeLane, error) {
	tr, err := cdcodec.New(cdcodec.Options{From: t.from})
	if err != nil {
		return nil, err
	}
	var dst []byte
	var msgs []cdcodec.Message
	return &pipeLane{
		name: "loop",
		end:  func() error { return nil },
		do: func(passes int) (sent int64, err error) {
			for range passes {
				for _, r := range t.records {
					if dst, msgs, err = tr.Append(dst, msgs, r, measuredMeta); err != nil {
						return 0, err
					}
					if len(dst) > batch.DefaultChunk {
						sent += int64(len(dst) + len(msgs)) // a line feed for each
						dst, msgs = dst[:0], msgs[:0]
					}
				}
			}
			sent += int64(len(dst) + len(msgs))
			dst, msgs = dst[:0], msgs[:0]
			return sent, nil
		},
	}, nil
}

func pipelineLane(t *traffic, workers int, codec string) (*pipeLane, error) {
	l := &pipeLane{name: fmt.Sprintf("workers=%d", workers)}
	o := batch.PipelineOptions{Convert: cdcodec.Options{From: t.from}, Workers: workers}
	if codec != "" {
		l.name += "/" + codec
		var err error
		if o.Batch.Compress, err = compress.Parse(codec); err != nil {
			return nil, err
		}
	}
	if err := checkPipeline(t, o, l.name); err != nil {
		return nil, err
	}
	o.Sink = batch.SinkFunc(func(context.Context, *batch.Batch) error { return nil })
	p, err := batch.NewPipeline(context.Background(), o)
	if err != nil {
		return nil, err
	}
	records := make([]batch.Record, len(t.records))
	for i, r := range t.records {
		records[i] = batch.Record{Value: r, Meta: measuredMeta}
	}
	l.end = func() error { return p.Close(context.Background()) }
	l.do = func(passes int) (int64, error) {
		before := p.Stats().SentBytes
		for range passes {
			for _, r := range records { // one by one, as most have them
				if _, err := p.Submit(context.Background(), r); err != nil {
					return 0, err
				}
			}
		}
		err := p.Flush(context.Background())
		return int64(p.Stats().SentBytes - before), err
	}
	return l, nil
}

// checkPipeline holds what a Pipeline sends to what a Transcoder makes.
func checkPipeline(t *traffic, o batch.PipelineOptions, name string) error {
	tr, err := cdcodec.New(o.Convert)
	if err != nil {
		return err
	}
	var want, got maphash.Hash
	want.SetSeed(got.Seed())
	var dst []byte
	var msgs []cdcodec.Message
	for _, r := range t.records {
		if dst, msgs, err = tr.Append(dst[:0], msgs[:0], r, measuredMeta); err != nil {
			return err
		}
		for _, m := range msgs {
			_, _ = want.Write(dst[m.Start:m.End])
			_ = want.WriteByte('\n')
		}
	}
	unpack, err := compress.New(o.Batch.Compress)
	if err != nil {
		return err
	}
	defer unpack.Close()
	var text bytes.Buffer
	o.Sink = batch.SinkFunc(func(_ context.Context, b *batch.Batch) error {
		text.Reset()
		if _, err := b.WriteTo(&text); err != nil {
			return err
		}
		plain, err := unpack.AppendDecompressed(nil, text.Bytes(), int(b.RawSize()))
		_, _ = got.Write(plain)
		return err
	})
	p, err := batch.NewPipeline(context.Background(), o)
	if err != nil {
		return err
	}
	for _, r := range t.records {
		if _, err := p.Submit(context.Background(), batch.Record{Value: r, Meta: measuredMeta}); err != nil {
			break // Close tells it
		}
	}
	if err := p.Close(context.Background()); err != nil {
		return err
	}
	if got.Sum64() != want.Sum64() {
		return wrongError(fmt.Sprintf("%s: %s: the batches are not what a Transcoder makes", name, t.name))
	}
	return nil
}

// turn measures so many passes.
func (l *pipeLane) turn(t *traffic) error {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	cpu, start := onecpu.Used(), time.Now()
	sent, err := l.do(l.passes)
	took, used := time.Since(start), onecpu.Used()-cpu
	if err != nil {
		return fmt.Errorf("%s: %s: %w", l.name, t.name, err)
	}
	runtime.ReadMemStats(&after)
	entries := float64(t.entries * l.passes)
	l.allocs = float64(after.Mallocs-before.Mallocs) / entries
	l.sent = sent / int64(l.passes)
	l.turns = append(l.turns, float64(took)/entries)
	l.cpu = append(l.cpu, float64(used)/entries)
	return nil
}

// pipelines measures the stage on t for about that long.
func (c *runCmd) pipelines(t *traffic, bar *progress) (list []measurement, remark string, err error) {
	what := t.name + " " + string(stagePipeline)
	bar.step(0, what+": checking")
	lanes, err := c.pipeLanes(t)
	if err != nil {
		return nil, "", err
	}
	defer func() {
		for _, l := range lanes {
			if cerr := l.end(); err == nil {
				err = cerr
			}
		}
	}()
	bar.step(1, what+": throughput")
	counts := make([]int, len(lanes))
	atLeast := pipeTurn(c.Time)
	for i, l := range lanes {
		start := time.Now()
		l.passes = 1
		if err := l.turn(t); err != nil { // it is warm then
			return nil, "", err
		}
		l.passes = int(1 + atLeast/max(time.Since(start), 1))
		l.turns, l.cpu = nil, nil
		counts[i] = inShare(c.Time*4, len(lanes), atLeast, minTurns, maxTurns)
	}
	if err := takeTurns(counts, func(i int) error { return lanes[i].turn(t) }); err != nil {
		return nil, "", err
	}
	bar.step(2, what)
	for _, l := range lanes {
		list = append(list, measurement{
			Corpus: t.name, Stage: stagePipeline, Codec: l.name, Entries: t.entries, InBytes: t.bytes, OutBytes: int(l.sent),
			NsPerEntry: median(l.turns), Allocs: l.allocs, Turns: l.turns,
		})
	}
	return list, scaling(t, lanes), nil
}

// scaling tells what more workers bring, beside what more cores bring for copying memory.
func scaling(t *traffic, lanes []*pipeLane) string {
	times := map[string]float64{}
	cpu := map[string]float64{}
	for _, l := range lanes {
		times[l.name], cpu[l.name] = median(l.turns), median(l.cpu)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s, pipeline: one worker takes %.2f times the CPU time of a loop, and %.2f times its time.", t.name, cpu["workers=1"]/cpu["loop"], times["workers=1"]/times["loop"])
	for _, l := range lanes {
		n, ok := strings.CutPrefix(l.name, "workers=")
		if !ok || n == "1" || strings.Contains(n, "/") {
			continue
		}
		got, memory := times["workers=1"]/times[l.name], times["copy=1"]/times["copy="+n]
		fmt.Fprintf(&b, "\n%s workers are %.2f times as fast as one; %s goroutines copy memory %.2f times as fast as one: %.2f of that.", n, got, n, memory, got/memory)
	}
	return b.String() + "\n"
}
