package batch

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cdcodec/cdcodec"
)

// What zero PipelineOptions mean.
const (
	DefaultChunk       = 256 << 10
	DefaultMaxInFlight = 64 << 20
)

// PipelineOptions say what a [Pipeline] does. Only Sink has to be set.
//
// Sink and the functions are called by goroutines of the Pipeline, which wait for them, as
// does Close: only Send is told by its ctx to return. They must not call Submit, Flush or
// Close, which may wait for what has to come after them. One that panics ends the program.
type PipelineOptions struct {
	// Convert says what records become. Its JSON.Separator is the Pipeline's own, and
	// its BadEntry is to be nil: see BadEntry below. Each worker has a Transcoder of
	// its own: a ClaimStore or Sizer that it uses has to bear several at once, and
	// each worker counts its own partition.RoundRobin.
	Convert cdcodec.Options

	// Batch says how batches are made.
	Batch Options

	// Sink takes them, and Retry says what happens if it does not.
	Sink  Sink
	Retry Retry

	// Workers is how many goroutines convert and compress; 0: one for each CPU that Go
	// may use.
	Workers int

	// Chunk is how many bytes of records a worker takes at once; 0: DefaultChunk.
	Chunk int

	// MaxInFlight bounds the memory of records that are not acknowledged and of what
	// they have become, in bytes; 0: DefaultMaxInFlight. It counts buffers as large as
	// they are, and what is noted of each record and message. Beside that there can be:
	// one record over the limit; what 3·Workers+4 chunks become; as many batches,
	// compressed; for each worker a Transcoder and an encoder; and 5 MiB for the next records.
	MaxInFlight int

	// Acknowledge, if set, is told in order which records are delivered: the first
	// one's number, and the records themselves, in a slice that is good until it
	// returns. All their messages have been sent, or they have none. What a batch has
	// brought may be told in several calls. It is called by one goroutine at a time; no
	// batch is sent meanwhile.
	Acknowledge func(first int64, delivered []Record)

	// DeadLetter, if set, is given each record that cannot be converted, in order, with
	// its number and a *[RecordError]; it then counts as delivered. r is good until it is
	// acknowledged. Records before it may not have been sent yet, and are meanwhile; but
	// no new batch is made before it returns. An error from it ends the Pipeline. If it is
	// nil, a bad record ends the Pipeline. Either way what came before the record is
	// delivered.
	DeadLetter func(number int64, r Record, err error) error

	// BadEntry, if set, is given each bad entry of a packet whose good ones are kept, as
	// cdcodec.Options.BadEntry, in order, with the number of its record, at the moment
	// when DeadLetter would be called for that record. One with more than a thousand
	// bad entries is converted a second time to tell of them all.
	BadEntry func(number int64, r Record, entry int, err error)
}

// check returns an error that names the option that makes no sense, if one does.
func (o *PipelineOptions) check() error {
	switch {
	case o.Sink == nil:
		return errors.New("batch: a Pipeline needs a Sink")
	case o.Workers < 0:
		return errors.New("batch: Workers is negative")
	case o.Chunk < 0:
		return errors.New("batch: Chunk is negative")
	case o.MaxInFlight < 0:
		return errors.New("batch: MaxInFlight is negative")
	case o.Convert.BadEntry != nil:
		return errors.New("batch: Convert.BadEntry would be called by several workers at once: use PipelineOptions.BadEntry")
	}
	return nil
}

// Pipeline takes records and delivers batches of what they become, in the order of the
// records. Submit it records, by one goroutine or several, and Close it.
//
// It delivers at least once: a record is acknowledged when all its messages have been
// sent, and a batch is sent a second time only if a Send has failed. Its memory is
// bounded by MaxInFlight: where the sink is slow, Submit waits.
type Pipeline struct {
	o      PipelineOptions
	shared shared
	chunks chunks
	ctx    context.Context
	cancel context.CancelCauseFunc
	over   atomic.Bool // ctx has ended, and a goroutine of ours knows: quicker to ask than ctx
	wait   sync.WaitGroup

	mu       sync.Mutex
	group    *group // is being filled; nil if there is none
	records  int64  // submitted
	inFlight int    // bytes of records and of what they became
	closed   bool
	drained  <-chan struct{} // once closed: closed when all is delivered
	free     []*group
	timer    *time.Timer // sends group off when it has waited

	room  chan struct{} // has a value when Submit may find room
	press chan struct{} // has a value when Submit has found none
	news  chan struct{} // has a value when workers are ready with something

	untold atomic.Int64 // cost of what they are ready with since news was told
	enough int64        // of it

	jobs    chan *group // for the workers
	order   chan *group // the same groups, for the assembler
	packing chan *parcel
	parcels chan *parcel // in order, for the sender

	left struct { // what the assembler and the sender had at hand when they ended
		groups []*group
		parcel *parcel // whose batch a worker may have been compressing
	}

	counts counts
}

// worker converts and compresses.
type worker struct {
	p       *Pipeline
	convert *converter
	group   *group // at work
	at      int    // in group.records
	left    int    // so many of its entries were left out
}

// NewPipeline starts a Pipeline. When ctx ends it is given up, and what is not delivered
// then is not acknowledged. An error names the option that makes no sense.
func NewPipeline(ctx context.Context, o PipelineOptions) (*Pipeline, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if o.Workers == 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.Chunk == 0 {
		o.Chunk = DefaultChunk
	}
	if o.MaxInFlight == 0 {
		o.MaxInFlight = DefaultMaxInFlight
	}
	depth := 2*o.Workers + 2
	p := &Pipeline{
		o:       o,
		room:    make(chan struct{}, 1),
		press:   make(chan struct{}, 1),
		news:    make(chan struct{}, 1),
		enough:  int64(min(o.Batch.maxBytes(), DefaultMaxBytes) / 2),
		jobs:    make(chan *group, depth),
		order:   make(chan *group, depth+o.Workers+2),
		packing: make(chan *parcel, depth+2),
		parcels: make(chan *parcel, depth),
	}
	var err error
	if p.shared, err = newShared(&o.Convert, &p.o.Batch); err != nil {
		return nil, err
	}
	p.chunks.pool, p.chunks.trail = p.shared.pool, len(o.Batch.Frame.trail())
	workers := make([]*worker, o.Workers)
	for i := range workers {
		w := &worker{p: p}
		convert := o.Convert
		if o.BadEntry != nil {
			convert.BadEntry = w.badEntry
		}
		if w.convert, err = newConverter(convert, &p.o.Batch, p.shared.compressor); err != nil {
			return nil, err
		}
		// A record is the Pipeline's for longer than a batch is the sink's.
		w.convert.lasting = convert.From == cdcodec.FromEntry || convert.From == cdcodec.FromPacket
		workers[i] = w
	}
	p.ctx, p.cancel = context.WithCancelCause(ctx)
	p.over.Store(ctx.Err() != nil)
	p.timer = time.AfterFunc(time.Hour, p.sendOff)
	p.timer.Stop()
	for _, w := range workers {
		p.wait.Go(w.run)
	}
	p.wait.Go(p.assemble)
	p.wait.Go(p.deliver)
	return p, nil
}

// fail gives up, for that reason if there was none before. Every goroutine of ours calls it when it ends.
func (p *Pipeline) fail(err error) {
	p.cancel(err)
	p.over.Store(true)
}

// Done returns a channel that is closed when the Pipeline has come to its end: it was given
// up, or a Close has delivered all. Who waits for input can wait for that as well.
func (p *Pipeline) Done() <-chan struct{} { return p.ctx.Done() }

// Err returns why the Pipeline was given up: a *[RecordError], a *[SendError], what
// DeadLetter returned, the compressor's error or the context's; nil if it was not.
func (p *Pipeline) Err() error {
	if p.ctx.Err() == nil {
		return nil
	}
	err := context.Cause(p.ctx)
	if err == errDone {
		return nil
	}
	return err
}

var (
	// errDone is the cause of the end of a Pipeline that was closed in peace.
	errDone = errors.New("done")

	// errExit is the cause if the caller's code ended a goroutine of the Pipeline.
	errExit = errors.New("batch: the Sink, or a function that was called, did not return: runtime.Goexit, as of testing.T.Fatal")
)

// run is the life of a worker. What is ready to be sent goes first: nothing in front of
// it has to wait for anything behind it.
func (w *worker) run() {
	p := w.p
	defer p.fail(errExit) // a ClaimStore or Sizer may end it, too
	for {
		select {
		case c := <-p.packing:
			w.pack(c)
			continue
		default:
		}
		select {
		case c := <-p.packing:
			w.pack(c)
		case g := <-p.jobs:
			if len(p.jobs) <= cap(p.jobs)/2 { // one who waits can bring several then
				signal(p.room)
			}
			w.work(g)
			p.converted(g)
		case <-p.ctx.Done():
			return
		}
	}
}

// converted counts what has become of g, and tells the assembler.
func (p *Pipeline) converted(g *group) {
	cost := len(g.bad) * badCost
	for _, k := range g.chunks {
		cost += cap(k.buf.B) + len(k.msgs)*messageCost
	}
	p.mu.Lock()
	p.charge(g, cost)
	p.mu.Unlock()
	g.done.Store(true)
	// To wake the assembler takes longer than to convert a dozen records. So it is woken when
	// there is enough for a part of a batch, or nothing more to do. (A job that is seen to
	// wait here ends after this one is done, and then it is asked again. Add comes first:
	// whoever it counts after has received its job before len looks.)
	if p.untold.Add(int64(cost)) >= p.enough || len(p.jobs) == 0 {
		p.untold.Store(0)
		signal(p.news)
	}
}

// signal puts a value into c if there is none.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
