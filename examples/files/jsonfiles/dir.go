package jsonfiles

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"
	"time"

	"github.com/cdcodec/cdcodec/batch"
	"github.com/cdcodec/cdcodec/batch/compress"
	"github.com/cdcodec/cdcodec/examples/input"
)

// What zero Options mean.
const (
	DefaultPrefix  = "cdc-"
	DefaultMaxSize = 128 << 20
	DefaultMaxAge  = 5 * time.Minute
)

// Options say how a [Dir] names and ends its files.
type Options struct {
	Prefix  string           // of all names; empty: DefaultPrefix
	Suffix  string           // begins with a dot; empty: Suffix(compress.None)
	MaxSize int64            // a file ends before it would be longer (0: DefaultMaxSize), but has a batch at least
	MaxAge  time.Duration    // it ends when its first batch is so old (0: DefaultMaxAge)
	Input   string           // what the input is called; a directory is for one input
	Now     func() time.Time // nil: time.Now

	// Failed, if set, is told each error of Send, Acknowledge and Expire, most of which
	// are tried again. It must not call the Dir.
	Failed func(error)
}

// Suffix returns how names of files of JSON lines end that are compressed so.
func Suffix(c compress.Codec) string {
	switch c {
	case compress.Gzip:
		return ".jsonl.gz"
	case compress.Zstd:
		return ".jsonl.zst"
	case compress.S2:
		return ".jsonl.s2"
	case compress.LZ4:
		return ".jsonl.lz4"
	}
	return ".jsonl"
}

// Dir is a directory of files that is a [batch.Sink] of one [batch.Pipeline]; doc.go says
// what it promises. Its methods may be called by several goroutines.
type Dir struct {
	o  Options
	fs FS

	mu      sync.Mutex
	state   State // what is on the disk; state.json may be behind
	file    File  // state.File, or nil if it is not open
	noted   State // what state.json has
	last    int64 // number of the last record of which something was written
	owed    bool  // state.json should be written, and could not be
	trouble bool  // the file system has failed: see reopen
	closed  bool
}

// Open returns a Dir after the files in dir have been put in order.
func Open(dir FS, o Options) (*Dir, error) {
	if o.Prefix == "" {
		o.Prefix = DefaultPrefix
	}
	if o.Suffix == "" {
		o.Suffix = Suffix(compress.None)
	}
	if o.MaxSize == 0 {
		o.MaxSize = DefaultMaxSize
	}
	if o.MaxAge == 0 {
		o.MaxAge = DefaultMaxAge
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Failed == nil {
		o.Failed = func(error) {}
	}
	d := &Dir{o: o, fs: dir}
	var err error
	if d.state, err = load(dir, &o); err != nil {
		return nil, err
	}
	d.noted = d.state
	if err = d.reopen(); err != nil {
		return nil, err
	}
	n, _ := o.number(d.state.File)
	if name := o.name(n); name != d.state.File { // the suffix has changed
		if d.state.Size > 0 {
			return d, d.finish()
		}
		d.state.File = name
	}
	return d, nil
}

// Position returns where the input is to be read on.
func (d *Dir) Position() input.Position {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.state.Position
}

// reopen makes the files fit the state: after a crash, and after an error of the file
// system, of which nobody knows what it has done.
func (d *Dir) reopen() error {
	d.trouble = true
	if d.file != nil {
		_ = d.file.Close() // what it would say is no news
		d.file = nil
	}
	if d.state.Size > 0 {
		f, err := d.fs.OpenFile(d.state.File+part, false)
		switch {
		case errors.Is(err, fs.ErrNotExist): // it has its final name; maybe someone took it
			d.next()
		case err != nil:
			return err
		default:
			d.file = f
			if err := cut(f, d.state.Size); err != nil {
				return fmt.Errorf("jsonfiles: %s%s: %w", d.state.File, part, err)
			}
		}
	}
	if err := d.fs.Sync(); err != nil {
		return err
	}
	d.trouble = false
	return nil
}

// cut takes off what is behind size.
func cut(f File, size int64) error {
	n, err := f.Size()
	if err != nil {
		return err
	}
	if n < size {
		return fmt.Errorf("it has %d bytes, and %d were written: what is lost is not sent again", n, size)
	}
	if err := f.Truncate(size); err != nil {
		return err
	}
	return f.Sync()
}

// next goes on to the next file, which is made when there is something to write.
func (d *Dir) next() {
	n, _ := d.o.number(d.state.File)
	d.state.File, d.state.Size, d.state.Begun = d.o.name(n+1), 0, time.Time{}
}

// ready mends what went wrong before.
func (d *Dir) ready() error {
	if d.closed {
		return batch.Permanent(fs.ErrClosed)
	}
	if d.trouble {
		if err := d.reopen(); err != nil {
			return err
		}
	}
	if d.owed {
		return d.note()
	}
	return nil
}

// note writes the state down.
func (d *Dir) note() error {
	d.owed = true
	if err := d.save(); err != nil {
		return err
	}
	d.owed, d.noted = false, d.state
	return nil
}

// Send implements [batch.Sink]: it returns when b is on the disk.
func (d *Dir) Send(ctx context.Context, b *batch.Batch) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	err := d.send(b)
	if err != nil {
		d.o.Failed(err)
	}
	return err
}

func (d *Dir) send(b *batch.Batch) error {
	if err := d.ready(); err != nil {
		return err
	}
	if d.state.Size > 0 && (d.state.Size+b.Size() > d.o.MaxSize || d.old()) {
		if err := d.finish(); err != nil {
			return err
		}
	}
	d.trouble = true // until all is well
	if d.file == nil {
		if err := d.create(); err != nil {
			return err
		}
	}
	if _, err := b.WriteTo(io.NewOffsetWriter(d.file, d.state.Size)); err != nil {
		return err
	}
	if err := d.file.Sync(); err != nil {
		return err
	}
	d.trouble = false
	if d.state.Size == 0 {
		d.state.Begun = d.o.Now()
	}
	d.state.Size += b.Size()
	d.last = b.Last
	return nil
}

// create makes the file of the state, of which nothing counts yet.
func (d *Dir) create() (err error) {
	if d.file, err = d.fs.OpenFile(d.state.File+part, true); err != nil {
		return err
	}
	if err := d.file.Truncate(0); err != nil {
		return err
	}
	return d.fs.Sync()
}

// Acknowledge is for PipelineOptions.Acknowledge, where records have an input.Position as
// their Tag: what is delivered counts from now on, after a crash too. It has nobody to
// tell an error; the next Send tries again first, and fails if that does.
//
// One batch can be acknowledged in several calls, and if it ends within a record, not as a
// whole. State.json is only written when all of it is: what is cut back after a crash and
// what is read again are the same then.
func (d *Dir) Acknowledge(first int64, delivered []batch.Record) {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := len(delivered) - 1
	d.state.Position = delivered[n].Tag.(input.Position)
	if first+int64(n) >= d.last {
		if err := d.note(); err != nil {
			d.o.Failed(err)
		}
	}
}

func (d *Dir) old() bool { return d.o.Now().Sub(d.state.Begun) >= d.o.MaxAge }

// Expire ends the file if it is old enough. Call it from time to time: an input that
// gives nothing for a while would leave it a .part. After an error, which Options.Failed
// has been told, the next call tries again.
func (d *Dir) Expire() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	err := d.expire()
	if err != nil {
		d.o.Failed(err)
	}
	return err
}

func (d *Dir) expire() error {
	if d.closed || d.state.Size == 0 || !d.old() {
		return nil
	}
	if err := d.ready(); err != nil || d.state.Size == 0 {
		return err
	}
	return d.finish()
}

// finish gives the file its final name. Before that, state.json must know its whole
// length: a .part that is not there is then known to have been finished.
func (d *Dir) finish() error {
	if d.noted != d.state {
		if err := d.note(); err != nil {
			return err
		}
	}
	d.trouble = true
	err := d.file.Close()
	d.file = nil
	if err != nil {
		return err
	}
	if err := d.fs.Rename(d.state.File+part, d.state.File); err != nil {
		return err
	}
	if err := d.fs.Sync(); err != nil {
		return err
	}
	d.trouble = false
	d.next()
	return nil
}

// Close ends the file, short as it may be. Nothing must be sent any more. After an error
// it can be called again.
func (d *Dir) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil
	}
	err := d.ready()
	if err == nil && d.state.Size > 0 {
		err = d.finish()
	}
	d.closed = err == nil
	return err
}
