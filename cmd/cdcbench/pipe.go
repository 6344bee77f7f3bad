package main

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/batch"
	"github.com/cdcodec/cdcodec/batch/compress"
	"github.com/cdcodec/cdcodec/wire/frame"
)

// pipe is convert by a Pipeline: on several cores, and compressed. What it writes and
// reports is what a loop would, in the same order.
type pipe struct {
	c      *convertCmd
	claims *claimDir
	in     *input
	out    *output
	stderr io.Writer

	mu  sync.Mutex // of all that is printed, and of bad
	bad bool
	n   tally
	rows
}

// rows collects messages until their records are known to be whole, for --per-record.
type rows struct {
	js     []byte
	msgs   []cdcodec.Message
	of     []int64 // the record of each
	failed map[int64]error
	err    error
}

// compression returns what --compress says.
func (c *convertCmd) compression() (compress.Options, error) {
	if c.Compress == "" {
		return compress.Options{}, nil
	}
	o, err := compress.Parse(c.Compress)
	switch {
	case err != nil:
		return o, usageError("--compress: " + strings.TrimPrefix(err.Error(), "compress: "))
	case o.Codec == compress.Snappy:
		return o, usageError("--compress: a block of snappy does not tell where it ends, so that a file of them could not be read; s2 is a stream")
	case o.Codec != compress.None && c.PerRecord:
		return o, usageError("--compress and --per-record exclude each other")
	}
	return o, nil
}

// pipeline converts by a Pipeline.
func (c *convertCmd) pipeline(o cdcodec.Options, pack compress.Options, claims *claimDir, in *input, out *output, stderr io.Writer) error {
	p := &pipe{c: c, claims: claims, in: in, out: out, stderr: stderr}
	p.failed = map[int64]error{}
	b := batch.PipelineOptions{
		Convert:    o,
		Workers:    int(max(c.Workers, 1)),
		Sink:       batch.SinkFunc(p.send),
		DeadLetter: p.deadLetter,
		Batch:      batch.Options{Frame: batchFrames[out.kind], Compress: pack},
	}
	if c.PerRecord {
		b.Batch.Frame = batch.Concatenated
		b.Acknowledge = p.acknowledge
	}
	if c.BadEntry == "skip" {
		b.BadEntry = func(number int64, r batch.Record, _ int, err error) {
			p.report(number, r.Offset, err)
			p.bad = true
		}
	}
	if pack.Codec != compress.None {
		b.Batch.MaxBytes = 4 << 20 // worth it for a file
	}
	pipeline, err := batch.NewPipeline(context.Background(), b)
	if err != nil {
		return usageError(err.Error())
	}
	err = p.feed(pipeline)
	if cerr := pipeline.Close(context.Background()); cerr != nil {
		err = cerr
	}
	if claims.failed() != nil {
		return claims.failed()
	}
	var sent *batch.SendError
	switch {
	case errors.As(err, &sent):
		return sent.Err
	case errors.Is(err, errBad):
		return errBad
	case err != nil:
		return err
	case p.err != nil:
		return p.err
	case p.bad && c.OnError != "inline":
		return errBad
	case !p.bad:
		c.ask(p.n, in, stderr)
	}
	return nil
}

// batchFrames are the frames of a batch that are those of a stream.
var batchFrames = map[frame.Kind]batch.Frame{frame.Lines: batch.Lines, frame.U32BE: batch.U32BE, frame.Uvarint: batch.Uvarint}

// feed submits what there is to read. An error is that of the input.
func (p *pipe) feed(pipeline *batch.Pipeline) error {
	meta := p.c.meta()
	for {
		record, err := p.in.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		p.n.record(record)
		if _, err := pipeline.SubmitCopy(context.Background(), batch.Record{Value: record, Meta: meta, Offset: p.in.Offset()}); err != nil {
			return nil // Close tells it
		}
	}
}

func (p *pipe) report(number, offset int64, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.in.reportAt(p.stderr, number, offset, err)
}

// deadLetter is told of a bad record.
func (p *pipe) deadLetter(number int64, r batch.Record, err error) error {
	if failed := p.claims.failed(); failed != nil {
		return failed
	}
	var of *batch.RecordError
	if errors.As(err, &of) {
		err = of.Err
	}
	p.report(number, r.Offset, err)
	p.bad = true
	if p.c.OnError == "stop" {
		return errBad
	}
	if p.c.OnError == "inline" {
		p.mu.Lock()
		p.failed[number] = err
		p.mu.Unlock()
	}
	return nil
}

// send writes a batch, or keeps its messages until it is known which records are whole.
func (p *pipe) send(_ context.Context, b *batch.Batch) error {
	if p.err != nil { // of what was acknowledged last: no more is wanted
		return p.err
	}
	if p.c.PerRecord {
		for m := range b.Messages() {
			start := len(p.js)
			p.js = append(p.js, m.Body...)
			p.msgs = append(p.msgs, cdcodec.Message{Start: start, End: len(p.js)})
			p.of = append(p.of, m.Record)
		}
		return nil
	}
	p.n.messages += int64(b.Len())
	if _, err := b.WriteTo(p.out.w); err != nil {
		return err
	}
	if b.Reason != batch.Full { // more may be slow to come
		return p.out.w.Flush()
	}
	return nil
}

// acknowledge writes an item for each record, for --per-record.
func (p *pipe) acknowledge(first int64, delivered []batch.Record) {
	n := 0
	for number := first; number < first+int64(len(delivered)); number++ {
		from := n
		for n < len(p.of) && p.of[n] == number {
			n++
		}
		p.mu.Lock()
		failed := p.failed[number]
		delete(p.failed, number)
		p.mu.Unlock()
		var err error
		if failed != nil {
			err = p.out.failed(failed)
		} else {
			err = p.out.record(p.js, p.msgs[from:n])
		}
		if p.err == nil {
			p.err = err
		}
	}
	p.drop(n)
	if len(p.of) == 0 {
		if err := p.out.w.Flush(); p.err == nil {
			p.err = err
		}
	}
}

// drop lets go of the first n messages. Where batches end within records there are always
// some behind them.
func (r *rows) drop(n int) {
	if n == len(r.of) {
		r.js, r.msgs, r.of = trim(r.js)[:0], r.msgs[:0], r.of[:0]
		return
	}
	from := r.msgs[n].Start
	r.js = append(r.js[:0], r.js[from:]...)
	r.msgs = append(r.msgs[:0], r.msgs[n:]...)
	r.of = append(r.of[:0], r.of[n:]...)
	for i := range r.msgs {
		r.msgs[i].Start -= from
		r.msgs[i].End -= from
	}
}
