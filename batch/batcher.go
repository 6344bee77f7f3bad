package batch

import (
	"time"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/batch/compress"
	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/pool"
)

// Batcher turns records into batches for one goroutine. It has no clock and no
// goroutine of its own: after each Append, and at Deadline, ask Next for batches until
// there is none.
//
//	err := b.Append(record, meta)
//	…
//	for {
//		batch, err := b.Next(time.Now())
//		if batch == nil {
//			break
//		}
//		…
//		batch.Release()
//	}
type Batcher struct {
	o        Options
	convert  *converter
	chunks   chunks
	chunk    *chunk // is being filled; nil if there is none
	cut      cutter
	compress *compress.Compressor // of batches
	failed   *Batch               // could not be compressed
	records  int64
}

// chunkSize is the room of a chunk, if one record does not want more.
const chunkSize = 128 << 10

// NewBatcher returns a Batcher of what records become with the options convert, whose
// JSON.Separator is the Batcher's own. An error names the option that makes no sense.
func NewBatcher(convert cdcodec.Options, o Options) (*Batcher, error) {
	b := &Batcher{o: o}
	s, err := newShared(&convert, &b.o)
	if err != nil {
		return nil, err
	}
	if b.convert, err = newConverter(convert, &b.o, s.compressor); err != nil {
		return nil, err
	}
	if !o.PerMessage {
		b.compress = s.compressor
	}
	b.chunks.pool, b.chunks.trail = s.pool, len(b.o.Frame.trail())
	b.cut = cutter{o: &b.o, seen: -1}
	return b, nil
}

// shared is what all converters of one Batcher or Pipeline use.
type shared struct {
	pool       *pool.Pool
	compressor *compress.Compressor // nil if nothing is compressed
}

func newShared(convert *cdcodec.Options, o *Options) (shared, error) {
	if err := o.check(convert); err != nil {
		return shared{}, err
	}
	s := shared{pool: o.Pool}
	if s.pool == nil {
		s.pool = new(pool.Pool)
	}
	if o.Compress.Codec == compress.None {
		return s, nil
	}
	var err error
	s.compressor, err = compress.New(o.Compress)
	return s, err
}

// Append converts a record and collects its messages. Records are numbered from 0, bad
// ones too. With an error, which is the Transcoder's or, with Options.PerMessage, the
// compressor's, nothing of the record was collected. It keeps nothing of record.
func (b *Batcher) Append(record []byte, m fastjson.Meta) error {
	k := b.into(room(len(record)))
	err := b.convert.append(k, record, m)
	b.records++
	return err
}

// Add collects a message that was made elsewhere, as a record of its own: m.Body, with
// what else m tells; its Record does not matter. It copies all. An error is the
// compressor's.
func (b *Batcher) Add(m Message) error {
	k := b.into(len(m.Body) + 16)
	msg := cdcodec.Message{
		Entry: m.Entry, Row: m.Row, Part: m.Part, Database: m.Database, Table: m.Table, Key: m.Key, Partition: m.Partition,
		Kind: m.Kind, Type: m.Type, IsDDL: m.IsDDL, ES: m.ES, CommitTS: m.CommitTS,
	}
	var err error
	if k.buf.B, err = b.convert.put(k.buf.B, &msg, m.Body); err == nil {
		k.msgs = append(k.msgs, msg)
		b.convert.note(k, len(k.msgs)-1)
	}
	k.ends = append(k.ends, len(k.msgs))
	b.records++
	return err
}

// into returns a chunk with room for n bytes.
func (b *Batcher) into(n int) *chunk {
	if b.chunk != nil && cap(b.chunk.buf.B)-len(b.chunk.buf.B) < n {
		b.chunk.open = false
		b.chunk = nil
	}
	if b.chunk == nil {
		b.chunk = b.chunks.get(max(n, chunkSize))
		b.chunk.first = b.records
		b.cut.add(b.chunk)
	}
	return b.chunk
}

// Next returns the next batch that is whole, and nil if there is none. The caller has
// to release it. now is the time, for Options.Linger. An error is the compressor's; the
// next call tries the same batch again.
func (b *Batcher) Next(now time.Time) (*Batch, error) {
	batch := b.failed
	if b.failed = nil; batch == nil {
		batch = b.cut.next(now)
	}
	if batch == nil || b.compress == nil {
		return batch, nil
	}
	if err := batch.pack(b.compress, b.chunks.pool); err != nil {
		b.failed = batch
		return nil, err
	}
	return batch, nil
}

// Flush makes Next give all that was collected, full or not.
func (b *Batcher) Flush() { b.cut.flush(Flushed) }

// Deadline returns when what Next left will have lingered long enough, and whether
// there is such a time.
func (b *Batcher) Deadline() (time.Time, bool) {
	return b.cut.deadline, b.cut.started && b.o.Linger >= 0
}

// Close lets go of what was collected and not given by Next. Batches that were given stay
// good until their Release. The Batcher is at its end.
func (b *Batcher) Close() {
	if b.failed != nil {
		b.failed.Release()
		b.failed = nil
	}
	b.cut.drop()
	b.chunk = nil
	for _, c := range []*compress.Compressor{b.compress, b.convert.compressor} {
		if c != nil {
			c.Close()
		}
	}
}
