package batch

import (
	"fmt"
	"io"
	"iter"
	"net"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/pool"
)

// Reason tells why a batch ended where it did.
type Reason uint8

// The reasons.
const (
	Full      Reason = iota // the next message would be over MaxBytes or MaxCount
	Lingered                // its first message had waited long enough
	AtBarrier               // it is a barrier, or stands before one
	Flushed                 // Flush or Close
	Pressed                 // a Pipeline could take no more records before it was gone
)

// String returns the reason in a word.
func (r Reason) String() string {
	if int(r) < len(reasonNames) {
		return reasonNames[r]
	}
	return fmt.Sprintf("Reason(%d)", uint8(r))
}

var reasonNames = [...]string{"full", "lingered", "barrier", "flushed", "pressed"}

// Batch is messages in the order of their records, as they are to be sent: framed,
// and compressed if so. What a sink sends are its bytes, by WriteTo, Reader or
// AppendBuffers; who keeps messages apart takes them from Messages.
//
// It borrows chunks of a pool: all of it, and every slice had from it, is good until
// Release (in a [Pipeline]: until Send returns) and must not be modified. It may be
// read as often as wanted, also by several goroutines at once.
type Batch struct {
	// Reason tells why it ended here.
	Reason Reason
	// First and Last are the numbers of the records of the first and the last
	// message. A record of several messages can be in several batches.
	First, Last int64

	pieces []piece
	spans  net.Buffers // what is sent
	count  int         // messages
	raw    int64       // bytes before compression
	size   int64       // bytes of spans
	packed *pool.Buffer
	pool   *pool.Pool
}

// piece is some messages of a chunk, which may get more messages meanwhile: what is in
// a piece stays as it is.
type piece struct {
	k      *chunk
	msgs   []cdcodec.Message
	body   []byte // the messages with their frames
	begin  int    // where body begins in the chunk
	from   int    // number of the first message in the chunk
	record int64  // number of its record
	ends   []int  // k.ends from that record on
}

// Message is one message of a [Batch], which says how long its slices are good.
type Message struct {
	Body      []byte // as it is sent, without its frame; compressed, with Options.PerMessage
	Key       []byte // nil unless cdcodec.Options.Keys asks for it
	Database  []byte
	Table     []byte
	Partition int32 // 0 unless cdcodec.Options.Partition asks for it
	Kind      change.Kind
	Type      change.Type
	IsDDL     bool
	ES        int64  // time of the change, milliseconds since 1970
	CommitTS  uint64 // as in change.Event
	Record    int64  // number of its record
	Entry     int    // as in cdcodec.Message
	Row       int    // as in cdcodec.Message
	Part      int    // as in cdcodec.Message
}

// Len returns the number of messages.
func (b *Batch) Len() int { return b.count }

// Size returns how many bytes WriteTo writes.
func (b *Batch) Size() int64 { return b.size }

// RawSize returns how many bytes it would be without compression of the batch as a
// whole.
func (b *Batch) RawSize() int64 { return b.raw }

// Messages gives the messages in order.
func (b *Batch) Messages() iter.Seq[Message] {
	return func(yield func(Message) bool) {
		for _, p := range b.pieces {
			record := 0
			for i := range p.msgs {
				for p.from+i >= p.ends[record] {
					record++
				}
				m := &p.msgs[i]
				start, end := m.Start-p.begin, m.End-p.begin
				if !yield(Message{
					Body: p.body[start:end:end],
					Key:  m.Key, Database: m.Database, Table: m.Table, Partition: m.Partition,
					Kind: m.Kind, Type: m.Type, IsDDL: m.IsDDL, ES: m.ES, CommitTS: m.CommitTS,
					Record: p.record + int64(record), Entry: m.Entry, Row: m.Row, Part: m.Part,
				}) {
					return
				}
			}
		}
	}
}

// AppendBuffers appends the spans of the batch to dst, for who can write several at
// once (writev, iovec). The spans themselves are borrowed.
func (b *Batch) AppendBuffers(dst net.Buffers) net.Buffers { return append(dst, b.spans...) }

// AppendTo appends the bytes of the batch to dst.
func (b *Batch) AppendTo(dst []byte) []byte {
	for _, s := range b.spans {
		dst = append(dst, s...)
	}
	return dst
}

// WriteTo implements [io.WriterTo]. It can be called again, if a try has failed. On a
// connection of the operating system it is one call for many spans.
func (b *Batch) WriteTo(w io.Writer) (int64, error) {
	if c, ok := w.(net.Conn); ok {
		spans := append(net.Buffers(nil), b.spans...) // WriteTo uses them up
		return spans.WriteTo(c)
	}
	var n int64
	for _, s := range b.spans {
		m, err := w.Write(s)
		n += int64(m)
		if err == nil && m < len(s) {
			err = io.ErrShortWrite
		}
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// Reader returns a reader of the bytes of the batch from their beginning, as the
// body of an HTTP request wants it: one for each try. Each is good as long as the
// batch.
func (b *Batch) Reader() io.Reader { return &reader{spans: b.spans} }

type reader struct {
	spans net.Buffers
	at    int // in spans[0]
}

func (r *reader) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) && len(r.spans) > 0 {
		m := copy(p[n:], r.spans[0][r.at:])
		n += m
		if r.at += m; r.at == len(r.spans[0]) {
			r.spans, r.at = r.spans[1:], 0
		}
	}
	if n == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

// Release ends the batch and gives its memory back. It must be called once, by whoever
// got the batch from a [Batcher]; a [Pipeline] does it itself.
func (b *Batch) Release() {
	for _, p := range b.pieces {
		p.k.release()
	}
	if b.packed != nil {
		b.pool.Put(b.packed)
	}
	*b = Batch{}
}

// add takes the messages [from, to) of k, which it gets a hold of.
func (b *Batch) add(k *chunk, from, to int) {
	begin, end := k.end(from-1), k.end(to-1)
	b.count += to - from
	b.raw += int64(end - begin)
	if n := len(b.pieces); n > 0 {
		if p := &b.pieces[n-1]; p.k == k { // k has got more
			p.extend(to)
			return
		}
	}
	k.refs.Add(1)
	record := k.record(from)
	if len(b.pieces) == 0 {
		b.First = record
	}
	b.pieces = append(b.pieces, piece{k: k, begin: begin, from: from, record: record})
	b.pieces[len(b.pieces)-1].extend(to)
}

// extend makes p go on to message to.
func (p *piece) extend(to int) {
	k := p.k
	end := k.end(to - 1)
	p.msgs = k.msgs[p.from:to]
	p.body = k.buf.B[p.begin:end:end]
	p.ends = k.ends[p.record-k.first:]
}

// seal makes the spans of a batch that has all its messages.
func (b *Batch) seal(f Frame) {
	last := &b.pieces[len(b.pieces)-1]
	b.Last = last.k.record(last.from + len(last.msgs) - 1)
	open, end := f.brackets()
	if open != "" {
		b.spans = append(b.spans, []byte(open))
	}
	for _, p := range b.pieces {
		b.spans = append(b.spans, p.body)
	}
	if end != "" {
		last := &b.spans[len(b.spans)-1]
		*last = (*last)[:len(*last)-len(f.trail())]
		b.spans = append(b.spans, []byte(end))
	}
	b.size = 0
	for _, s := range b.spans {
		b.size += int64(len(s))
	}
	b.raw = b.size
}

// pack compresses a sealed batch as a whole.
func (b *Batch) pack(c compressor, p *pool.Pool) error {
	buf := p.GetSize(int(b.raw)/4 + 512)
	var err error
	if buf.B, err = c.AppendAll(buf.B, b.spans); err != nil {
		p.Put(buf)
		return err
	}
	b.packed, b.pool = buf, p
	clear(b.spans)
	b.spans = append(b.spans[:0], buf.B)
	b.size = int64(len(buf.B))
	return nil
}

// compressor is what pack needs of a compress.Compressor.
type compressor interface {
	AppendAll(dst []byte, spans [][]byte) ([]byte, error)
}
