package batch

import (
	"fmt"
	"time"
)

// parcel is what the assembler hands to the sender: a batch, and what is acknowledged
// with it.
type parcel struct {
	batch   *Batch        // nil if there is only something to acknowledge
	ready   chan struct{} // nil, or closed when the batch is compressed
	failed  error         // of the compressor
	groups  []*group      // that came since the parcel before
	through int64         // the last record that is delivered with it
	end     error         // why the Pipeline ends here, if it does
}

// assembler puts what the workers made in order, and cuts it into batches. It is the one
// goroutine that knows what comes when.
type assembler struct {
	p      *Pipeline
	cut    cutter
	head   *group   // the next one, maybe still at work
	groups []*group // in the cutter since the last parcel
	end    error
	timer  *time.Timer
}

// assemble is the life of the assembler.
func (p *Pipeline) assemble() {
	a := &assembler{p: p, cut: cutter{o: &p.o.Batch, seen: -1}, timer: time.NewTimer(time.Hour)}
	defer a.leave()
	for a.give() && a.end == nil && a.step() {
	}
}

// leave lets go of what is not given away.
func (a *assembler) leave() {
	if a.end == nil { // it may be DeadLetter that ended the goroutine
		a.p.fail(errExit)
	}
	a.timer.Stop()
	a.cut.drop()
	if a.head != nil {
		a.groups = append(a.groups, a.head)
	}
	a.p.keep(a.groups)
}

// step waits for one thing to happen. It reports false when there is nothing more to
// wait for.
func (a *assembler) step() bool {
	p := a.p
	var next <-chan *group
	var news, press <-chan struct{}
	if a.head == nil {
		next, press = p.order, p.press
	} else {
		if a.head.done.Load() {
			a.take()
			return true
		}
		news = p.news
	}
	select { // what is ready goes first
	case a.head = <-next:
		a.madeRoom()
		return true
	default:
	}
	var late <-chan time.Time
	wait := time.Duration(-1)
	if a.cut.started && p.o.Batch.Linger >= 0 {
		wait = max(time.Until(a.cut.deadline), 0)
	}
	if a.head != nil { // workers with much to do tell of it late
		if look := p.patience(); wait < 0 || look < wait {
			wait = look
		}
	}
	if wait >= 0 {
		a.timer.Reset(wait)
		late = a.timer.C
	}
	select {
	case a.head = <-next:
		a.madeRoom()
	case <-news: // it may be the head
	case <-late:
	case <-press:
		switch {
		case len(next) > 0: // first what is on its way
			signal(p.press)
		case p.counts.parcels.Load() == 0: // or else a parcel will make room soon
			a.cut.flush(Pressed)
		}
	case <-p.ctx.Done():
		return false
	}
	return true
}

// madeRoom tells who waits that the head was taken from the order.
func (a *assembler) madeRoom() {
	if len(a.p.order) <= cap(a.p.order)/2 { // one who waits can bring several then
		signal(a.p.room)
	}
}

// take gives the head to the cutter.
func (a *assembler) take() {
	g := a.head
	a.head = nil
	chunks := g.chunks
	for i := range g.bad {
		if err := a.report(g, &g.bad[i]); err != nil {
			a.end = err
			chunks = cutOff(chunks, g.first+int64(g.bad[i].at))
			break
		}
	}
	for _, k := range chunks {
		a.cut.add(k)
	}
	clear(g.chunks)
	g.chunks = g.chunks[:0]
	a.groups = append(a.groups, g)
	if g.flush != nil || a.end != nil {
		a.cut.flush(Flushed)
	}
}

// report tells of a bad record. It returns why the Pipeline ends with it, if it does.
func (a *assembler) report(g *group, bad *badRecord) error {
	o, r, number := &a.p.o, g.records[bad.at], g.first+int64(bad.at)
	if bad.entry >= 0 {
		if bad.err == nil {
			return a.again(number, r, bad.entry)
		}
		o.BadEntry(number, r, bad.entry, bad.err)
		return nil
	}
	a.p.counts.bad.Add(1)
	err := &RecordError{number, bad.err}
	if o.DeadLetter == nil {
		return err
	}
	if failed := o.DeadLetter(number, r, err); failed != nil {
		return fmt.Errorf("batch: dead letter of record %d: %w", number, failed)
	}
	return nil
}

// again tells of the bad entries of a record from one on, by converting it once more.
func (a *assembler) again(number int64, r Record, from int) error {
	convert := a.p.o.Convert
	convert.BadEntry = func(entry int, err error) {
		if entry >= from {
			a.p.o.BadEntry(number, r, entry, err)
		}
	}
	v, err := newConverter(convert, &a.p.o.Batch, a.p.shared.compressor)
	if err == nil {
		_, _, _ = v.t.Append(nil, nil, r.Value, r.Meta) // what there is to be told of the record itself is known
	}
	return err
}

// cutOff takes record number and all behind it out of chunks, and returns what is left.
func cutOff(chunks []*chunk, number int64) []*chunk {
	n := len(chunks)
	for n > 0 && chunks[n-1].first >= number {
		n--
		chunks[n].release()
	}
	if n > 0 {
		if k := chunks[n-1]; k.last() >= number {
			k.ends = k.ends[:number-k.first]
			k.msgs = k.msgs[:k.ends[len(k.ends)-1]]
		}
	}
	return chunks[:n]
}

// give hands all batches that are whole to the sender, and what can be acknowledged
// without one. It reports false if the Pipeline has been given up.
func (a *assembler) give() bool {
	now := time.Now()
	for b := a.cut.next(now); b != nil; b = a.cut.next(now) {
		if !a.send(&parcel{batch: b}) {
			b.Release()
			return false
		}
	}
	if a.end != nil || len(a.groups) > 0 && !a.cut.pending() {
		return a.send(&parcel{end: a.end})
	}
	return true
}

func (a *assembler) send(c *parcel) bool {
	p := a.p
	c.groups, c.through = a.groups, a.cut.through()
	a.groups = nil
	if c.batch != nil && p.shared.compressor != nil && !p.o.Batch.PerMessage {
		c.ready = make(chan struct{})
	}
	p.counts.parcels.Add(1)
	select {
	case p.parcels <- c:
	case <-p.ctx.Done():
		a.groups = c.groups
		return false
	}
	if c.ready != nil {
		p.packing <- c // there is room: it holds as many as parcels, and the sender's
	}
	return true
}

// pack compresses the batch of a parcel.
func (w *worker) pack(c *parcel) {
	c.failed = c.batch.pack(w.p.shared.compressor, w.p.shared.pool)
	close(c.ready)
}
