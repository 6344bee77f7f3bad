package pool

import (
	"math/bits"
	"sync/atomic"

	"github.com/valyala/bytebufferpool"
)

const (
	// DefaultMaxKept is what a zero Pool.MaxKept means.
	DefaultMaxKept = 1 << 20

	// LargestMaxKept is the largest Pool.MaxKept; more means as much.
	LargestMaxKept = 32 << 20

	smallestBits = 9 // a class for each power of two from 512 …
	smallest     = 1 << smallestBits
	classes      = 25 - smallestBits + 1 // … to LargestMaxKept
)

// Buffer is what a [Pool] lends: append to B. It has the methods of bytes.Buffer
// that write, and those of io.ReaderFrom and io.WriterTo.
//
// It and every view of B's bytes are good until it is put back.
type Buffer = bytebufferpool.ByteBuffer

// Pool keeps buffers for reuse. The zero Pool is ready. Any number of goroutines may use
// one at a time; it must not be copied.
type Pool struct {
	// MaxKept is the capacity in bytes up to which a buffer is kept, at most
	// LargestMaxKept; 0 means DefaultMaxKept, less keeps none. A larger buffer is left to
	// the collector, so that one giant record does not stay in memory. Set it before the
	// first use.
	MaxKept int

	ledger  ledger        // of builds that check
	last    atomic.Uint32 // class of the buffer put last
	classes [classes]class
	counts  counts
}

// class holds buffers of at least 512<<index bytes, and of less than twice that. That of the
// largest MaxKept that is no power of two is the exception: it holds those of MaxKept bytes,
// so that GetSize finds them.
type class struct {
	_    [0]atomic.Uint64 // bytebufferpool's counters have to be aligned on 32 bits
	pool bytebufferpool.Pool
}

// Get returns a buffer of length 0, of the capacity that was last put back or a larger one.
func (p *Pool) Get() *Buffer {
	limit := p.limit()
	return p.lend(p.take(int(p.last.Load()), limit))
}

// GetSize returns a buffer of length 0 with room for n bytes at least. One of more than
// MaxKept bytes is always new, and has room for n exactly.
func (p *Pool) GetSize(n int) *Buffer {
	limit := p.limit()
	if n > limit {
		p.counts.made.Add(1)
		return p.lend(&Buffer{B: make([]byte, 0, n)})
	}
	return p.lend(p.take(classAbove(n), limit))
}

// Put takes b back, or leaves it to the collector if it is larger than MaxKept or has no
// memory worth keeping. b and every view of its bytes end here. A nil b is ignored.
func (p *Pool) Put(b *Buffer) {
	if b == nil {
		return
	}
	size := cap(b.B)
	if Debug {
		p.ledger.put(b)
		poison(b.B[:size])
	}
	p.counts.puts.Add(1)
	limit := p.limit()
	index := classBelow(size)
	if size == limit && size > 0 {
		index = classAbove(size)
	}
	if size > limit || index < 0 {
		p.counts.dropped.Add(1)
		b.B = nil // also where somebody still has b
		return
	}
	if last := uint32(index); p.last.Load() != last {
		p.last.Store(last)
	}
	b.B = b.B[:size] // the length that bytebufferpool is to see: doc.go, What is kept
	b.B[0] = poisonByte
	p.classes[index].pool.Put(b)
}

// take returns a buffer of class index, a new one if there is none.
func (p *Pool) take(index, limit int) *Buffer {
	b := p.classes[index].pool.Get()
	// bytebufferpool does not tell whether a buffer is new, but new memory is zero.
	if cap(b.B) != 0 && b.B[:1][0] == poisonByte {
		return b
	}
	p.counts.made.Add(1)
	if size := min(smallest<<index, limit); cap(b.B) < size {
		b.B = make([]byte, 0, size)
	} else if cap(b.B) > limit { // it makes powers of two
		b.B = b.B[:0:limit]
	}
	return b
}

// lend counts b out.
func (p *Pool) lend(b *Buffer) *Buffer {
	p.counts.gets.Add(1)
	if Debug {
		p.ledger.get(b)
	}
	return b
}

func (p *Pool) limit() int {
	if p.MaxKept == 0 {
		return DefaultMaxKept
	}
	return max(0, min(p.MaxKept, LargestMaxKept))
}

// classAbove is the class whose buffers all have room for n bytes.
func classAbove(n int) int {
	if n <= smallest {
		return 0
	}
	return bits.Len(uint(n-1)) - smallestBits
}

// classBelow is the class that a buffer of n bytes is good for, negative if there is none.
func classBelow(n int) int { return bits.Len(uint(n)) - 1 - smallestBits }
