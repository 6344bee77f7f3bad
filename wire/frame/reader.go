// Package frame cuts a stream into records, and writes records as a stream.
//
// The reader believes no length before its bytes are there, keeps its memory
// within a small multiple of the largest record, and says which frame broke
// and where.
package frame

// How this file is arranged. The Reader has one buffer:
//
//	   0 ........ rd ............ wr ........ len(buf)
//	   handed out   read, unused     free
//
//	- fill is the only function that reads: it brings n bytes into the window
//	  rd..wr, or says why it cannot. Only it moves or replaces the buffer, so
//	  what Next has handed out lasts until the next Next.
//	- next* find one frame of a kind; each returns where its payload lies.
//	- take hands the payload out and steps over the frame.

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
)

// DefaultMaxRecord is the limit that a zero maxRecord means.
const DefaultMaxRecord = 256 << 20

const (
	chunk = 64 << 10 // first size of the buffer, and read-ahead at most
	keep  = 1 << 20  // a buffer up to this size is never given back
	calm  = 16       // records in a row that make a larger buffer look wasted

	maxEmptyReads = 100 // as in bufio
)

// errBadCount: a reader that breaks the rules of io.Reader.
var errBadCount = errors.New("reader returned an impossible count")

// Reader gives the records of a stream one after the other.
//
// It reads ahead, up to 64 KiB. Its buffer grows with the bytes that arrive,
// not with the length that a frame claims, to at most twice the largest record
// and 64 KiB, and shrinks again when the records have been small for a while.
type Reader struct {
	r     io.Reader
	kind  Kind
	limit int // bytes of payload per record

	buf    []byte
	rd, wr int   // buf[rd:wr] is the window of bytes not yet used
	at     int64 // offset of buf[rd] in the stream
	rerr   error // what r returned last; the window is used up first
	small  int   // records in a row that used less than a quarter of buf

	records int64  // given so far
	offset  int64  // of the payload of the last one
	err     error  // what Next returns from now on
	claimed uint64 // by the length of a record that is too large
}

// NewReader returns a Reader of the records in r. A record of more than
// maxRecord bytes is an error; zero means [DefaultMaxRecord].
func NewReader(r io.Reader, kind Kind, maxRecord int) *Reader {
	if maxRecord <= 0 {
		maxRecord = DefaultMaxRecord
	}
	return &Reader{r: r, kind: kind, limit: min(maxRecord, math.MaxInt-2*chunk)}
}

// Next returns the next record. It is borrowed: good until the next call of
// Next, and not to be written to. An empty record is not nil.
//
// At the end of the stream the error is io.EOF. Any other error is an [*Error]:
// a frame that is broken, or an error of the underlying reader. Whole records
// before it have all been given; no call after it gives another.
func (r *Reader) Next() ([]byte, error) {
	if r.err != nil {
		return nil, r.err
	}
	head, size, tail, err := r.find()
	if err != nil {
		if err != io.EOF {
			e := &Error{Offset: r.at, Record: r.records, Err: err}
			if err == ErrTooLarge {
				e.Limit, e.Size = int64(r.limit), r.claimed
			}
			err = e
		}
		r.err = err
		return nil, err
	}
	return r.take(head, size, tail), nil
}

// Record returns the number of the record that Next gave last, from 0; before
// the first it is -1.
func (r *Reader) Record() int64 { return r.records - 1 }

// Offset returns where in the stream the record that Next gave last begins:
// the first byte of its payload, after the length if there is one.
func (r *Reader) Offset() int64 { return r.offset }

// find brings the next whole frame into the window, and returns the sizes of
// its three parts: what goes before the payload, the payload, what goes after.
func (r *Reader) find() (head, size, tail int, err error) {
	switch r.kind {
	case U32BE:
		head, size, err = r.nextU32BE()
	case Uvarint:
		head, size, err = r.nextUvarint()
	case Single:
		size, err = r.nextSingle()
	case Lines:
		size, tail, err = r.nextLine()
	default:
		err = ErrKind
	}
	return head, size, tail, err
}

// take steps over the frame and returns its payload.
func (r *Reader) take(head, size, tail int) []byte {
	whole := head + size + tail
	if len(r.buf) > keep {
		if whole < len(r.buf)/4 {
			r.small++
		} else {
			r.small = 0
		}
	}
	from := r.rd + head
	r.offset = r.at + int64(head)
	r.records++
	r.rd += whole
	r.at += int64(whole)
	if size == 0 {
		return []byte{} // costs nothing, and buf may still be nil
	}
	return r.buf[from : from+size : from+size]
}

func (r *Reader) nextU32BE() (head, size int, err error) {
	const head4 = 4
	if r.wr-r.rd < head4 {
		if err := r.fill(head4, head4); err != nil {
			return 0, 0, r.cut(err)
		}
	}
	n := binary.BigEndian.Uint32(r.buf[r.rd:])
	if uint64(n) > uint64(r.limit) {
		r.claimed = uint64(n)
		return 0, 0, ErrTooLarge
	}
	return head4, int(n), r.payload(head4, int(n))
}

func (r *Reader) nextUvarint() (head, size int, err error) {
	for head = 1; ; head++ {
		if r.wr-r.rd < head {
			if err := r.fill(head, head); err != nil {
				return 0, 0, r.cut(err)
			}
		}
		if r.buf[r.rd+head-1] < 0x80 {
			break
		}
		if head == binary.MaxVarintLen64 {
			return 0, 0, ErrLength
		}
	}
	n, used := binary.Uvarint(r.buf[r.rd : r.rd+head])
	if used != head {
		return 0, 0, ErrLength // a tenth byte above 1
	}
	if n > uint64(r.limit) {
		r.claimed = n
		return 0, 0, ErrTooLarge
	}
	return head, int(n), r.payload(head, int(n))
}

// payload brings the whole frame into the window once its length is known.
func (r *Reader) payload(head, size int) error {
	if r.wr-r.rd >= head+size {
		return nil // nearly always
	}
	return r.cut(r.fill(head+size, head+size))
}

// cut tells a stream that ends between two frames from one that ends inside.
func (r *Reader) cut(err error) error {
	if err == io.EOF && r.wr > r.rd {
		return ErrTruncated
	}
	return err
}

func (r *Reader) nextSingle() (size int, err error) {
	if r.records > 0 {
		return 0, io.EOF
	}
	for err == nil {
		if r.wr-r.rd > r.limit {
			return 0, ErrTooLarge
		}
		err = r.fill(r.wr-r.rd+1, r.limit+1)
	}
	if err != io.EOF {
		return 0, err
	}
	return r.wr - r.rd, nil
}

func (r *Reader) nextLine() (size, tail int, err error) {
	seen := 0 // bytes of the window known to hold no line feed
	for {
		if i := bytes.IndexByte(r.buf[r.rd+seen:r.wr], '\n'); i >= 0 {
			size, tail = seen+i, 1
			if size > 0 && r.buf[r.rd+size-1] == '\r' {
				size, tail = size-1, 2
			}
			break
		}
		seen = r.wr - r.rd
		if seen > r.limit+1 { // the one may be a CR
			return 0, 0, ErrTooLarge
		}
		if err = r.fill(seen+1, r.limit+2); err == io.EOF && seen > 0 {
			size = seen // the last line, without its end
			break
		} else if err != nil {
			return 0, 0, err
		}
	}
	if size > r.limit {
		return 0, 0, ErrTooLarge
	}
	return size, tail, nil
}

// fill reads until the window holds n bytes, of a frame of at most most bytes.
// Its error is that of the reader; the window then holds what came before it.
//
// The window first moves to the front of the buffer. That happens at most once
// for each part of a frame and moves less than the frame's length, so reading
// stays linear however few bytes each Read brings.
func (r *Reader) fill(n, most int) error {
	if r.rerr != nil {
		return r.rerr
	}
	if r.small >= calm && n < keep/4 && r.wr-r.rd <= keep {
		r.resize(keep)
	} else if r.rd > 0 {
		r.wr = copy(r.buf, r.buf[r.rd:r.wr])
		r.rd = 0
	}
	for empty := 0; r.wr < n; {
		if r.wr == len(r.buf) {
			// Twice the bytes that are there, but not more than the frame can use.
			r.resize(max(chunk, min(2*len(r.buf), most)))
		}
		end := min(len(r.buf), max(n, r.wr+chunk))
		m, err := r.r.Read(r.buf[r.wr:end])
		if m < 0 || m > end-r.wr {
			r.rerr = errBadCount
			return r.rerr
		}
		r.wr += m
		if err != nil {
			r.rerr = err
			if r.wr >= n {
				return nil
			}
			return err
		}
		if m > 0 {
			empty = 0
		} else if empty++; empty == maxEmptyReads {
			r.rerr = io.ErrNoProgress
			return r.rerr
		}
	}
	return nil
}

// resize gives the Reader a buffer of that size with the window at its front.
func (r *Reader) resize(size int) {
	b := make([]byte, size)
	r.wr = copy(b, r.buf[r.rd:r.wr])
	r.buf, r.rd, r.small = b, 0, 0
}
