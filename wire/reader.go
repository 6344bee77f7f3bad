package wire

import "encoding/binary"

// How this file is arranged: Next is the straight line through what nearly
// every field looks like; uvarint and its two quick paths come after it; what
// is rare (tags of several bytes, groups, errors) stands at the end, in
// functions of their own. All positions are indexes into r.buf; only errors and
// Offset add r.base.
//
// The current field is part of the Reader because a struct of six words that
// is returned goes through memory, and in units the CPU cannot forward:
// returning it made every walk over columns take twice as long.

// MaxDepth is how many levels sub-messages and groups may be nested, together.
const MaxDepth = 100

// Message is the bytes of one message, not read yet, and where in the record they stand:
// so the errors of who reads it have offsets from the start of the record, however deep
// it lies. A [Reader] reads it; it costs nothing to keep, and to read again. It is a view:
// good until the record's bytes are written to. The zero Message is an empty one.
type Message struct {
	buf []byte
	// Where buf begins in the record, and in the low 8 bits how many levels down the
	// message is: one word, so that a Message is four, which the compiler keeps in
	// registers. Five go through memory, see above (BenchmarkScan: oltp -10 %).
	at uint64
}

const depthBits = 8

func message(b []byte, base, depth int) Message {
	return Message{b, uint64(base)<<depthBits | uint64(depth)}
}

func (m Message) depth() int { return int(m.at & (1<<depthBits - 1)) }

// NewMessage returns the message that is a whole record.
func NewMessage(record []byte) Message { return Message{buf: record} }

// Bytes returns the encoded message.
func (m Message) Bytes() []byte { return m.buf }

// Offset returns where m begins, from the start of the record.
func (m Message) Offset() int { return int(m.at >> depthBits) }

// Part returns the bytes [i:j] of m as a message so many levels below it.
func (m Message) Part(i, j, levels int) Message {
	return Message{m.buf[i:j:j], m.at + uint64(i)<<depthBits + uint64(levels)}
}

// Reader returns a Reader before the first field of m. Below MaxDepth levels it
// gives no field and ErrDepth.
func (m Message) Reader() Reader {
	if m.depth() > MaxDepth {
		return Reader{err: &ParseError{Offset: m.Offset(), Err: ErrDepth}}
	}
	return Reader{buf: m.buf, base: m.Offset(), depth: m.depth()}
}

// Reader steps through the fields of one message, in the order of the wire. It
// holds the current field:
//
//	for r.Next() {
//		switch r.Tag {
//		…
//		}
//	}
//	if err := r.Err(); err != nil { … }
//
// A Reader borrows the bytes it was made for, and so do the Fields it gives:
// they are good until those bytes are written to. The zero Reader reads the
// empty message.
type Reader struct {
	Field // after Next has returned true

	buf   []byte
	pos   int
	base  int
	depth int
	open  Number // the group being read, until its end is
	err   *ParseError
}

// NewReader returns a Reader of a whole record.
func NewReader(record []byte) Reader { return Reader{buf: record} }

// Message returns the message that the current field, of type Bytes, holds.
func (r *Reader) Message() Message {
	if r.depth == MaxDepth {
		return message(nil, r.Offset, r.depth+1) // whose Reader has ErrDepth
	}
	return message(r.Bytes, r.base+r.pos-len(r.Bytes), r.depth+1)
}

// Embedded returns the message that the current field, of type bytes in its
// schema, holds: one of its own, whose levels are counted from 0 again.
func (r *Reader) Embedded() Message {
	return message(r.Bytes, r.base+r.pos-len(r.Bytes), 0)
}

// Whole returns the message that r reads; after an error, the part of it that
// was good.
func (r *Reader) Whole() Message { return message(r.buf, r.base, r.depth) }

// Rest returns what of the message has not been read yet.
func (r *Reader) Rest() []byte { return r.buf[r.pos:] }

// Err returns what stopped Next, nil at the proper end of the message. Its
// Path is empty: a Reader knows no names. Compare it with nil before it becomes an
// error: a nil *ParseError in an error is not nil.
func (r *Reader) Err() *ParseError { return r.err }

// Next steps to the next field and returns true; false at the end of the
// message and at an error, which Err tells apart. A group is one field of type
// StartGroup, when all of it has been read. After false comes only false.
func (r *Reader) Next() bool {
	pos, buf := r.pos, r.buf
	if uint(pos) >= uint(len(buf)) {
		return false
	}
	r.Offset = r.base + pos
	tag := buf[pos]
	if tag >= 0x80 || tag < 1<<3 {
		return r.nextSlow()
	}
	r.Tag = Tag(tag)
	pos++
	switch Type(tag & 7) {
	case Varint:
		if pos < len(buf) && buf[pos] < 0x80 {
			r.Uint = uint64(buf[pos])
			r.pos = pos + 1
			return true
		}
		if v, next := uvarint(buf, pos); next > 0 {
			r.Uint = v
			r.pos = next
			return true
		}
	case Bytes:
		n, next := uint64(0), pos+1
		if pos < len(buf) && buf[pos] < 0x80 {
			n = uint64(buf[pos])
		} else {
			n, next = uvarint(buf, pos)
		}
		if next > 0 && n <= uint64(len(buf)-next) {
			end := next + int(n)
			r.Bytes = buf[next:end:end]
			r.pos = end
			return true
		}
	}
	return r.value(pos)
}

// nextSlow is Next where the tag is not one plain byte.
func (r *Reader) nextSlow() bool {
	r.Tag = 0
	tag, pos := uvarint(r.buf, r.pos)
	if pos <= 0 {
		return r.fail(varintError(pos))
	}
	if n := tag >> 3; n == 0 || n > uint64(MaxNumber) {
		return r.fail(ErrNumber)
	}
	r.Tag = Tag(tag)
	return r.value(pos)
}

// value reads the value of the current field at pos, whatever its form, and
// steps behind it. The length of Bytes is compared as the uint64 it is before
// it becomes an int.
func (r *Reader) value(pos int) bool {
	switch r.Tag.Type() {
	case Varint, Bytes:
		n, next := uvarint(r.buf, pos)
		if next <= 0 {
			return r.fail(varintError(next))
		}
		if r.Tag.Type() == Varint {
			r.Uint, pos = n, next
			break
		}
		if n > uint64(len(r.buf)-next) {
			return r.fail(ErrTruncated)
		}
		pos = next + int(n)
		r.Bytes = r.buf[next:pos:pos]
	case Fixed64:
		if len(r.buf)-pos < 8 {
			return r.fail(ErrTruncated)
		}
		r.Uint = binary.LittleEndian.Uint64(r.buf[pos:])
		pos += 8
	case Fixed32:
		if len(r.buf)-pos < 4 {
			return r.fail(ErrTruncated)
		}
		r.Uint = uint64(binary.LittleEndian.Uint32(r.buf[pos:]))
		pos += 4
	case StartGroup:
		return r.group(pos)
	case EndGroup:
		if r.Tag.Number() != r.open {
			return r.fail(ErrGroup)
		}
		r.open, r.pos, r.buf = 0, pos, r.buf[:pos]
		return false
	default:
		return r.fail(ErrType)
	}
	r.pos = pos
	return true
}

// group reads the fields of the group that the current field begins, up to its
// end, with a Reader one level deeper.
func (r *Reader) group(pos int) bool {
	if r.depth+1 > MaxDepth {
		return r.fail(ErrDepth)
	}
	in := Reader{buf: r.buf, pos: pos, base: r.base, depth: r.depth + 1, open: r.Tag.Number()}
	for in.Next() {
	}
	switch {
	case in.err != nil:
		in.err.Number = r.Tag.Number()
		r.err = in.err
		r.buf = r.buf[:r.pos]
		return false
	case in.open != 0: // the input ended first: the group is what is cut
		return r.fail(ErrTruncated)
	}
	r.pos = in.pos
	return true
}

// fail ends the message before the current field, with an error.
func (r *Reader) fail(err error) bool {
	r.err = &ParseError{Offset: r.Offset, Number: r.Tag.Number(), Err: err}
	r.buf = r.buf[:r.pos]
	return false
}

// uvarint reads the varint at pos and returns the position behind it: never 0
// for a good one. 0 means that the input ends in it, -1 that it is too long.
func uvarint(buf []byte, pos int) (v uint64, next int) {
	b := buf[pos:]
	if len(b) >= 10 {
		// The ten bytes of a negative int32, as java.sql.Types.BIGINT (-5) is:
		// 35 bits that vary, then nothing but ones. BenchmarkReader/varint=-5
		// has what this test is worth.
		if w := binary.LittleEndian.Uint64(b); w>>40 == 0xffffff && w&0x8080808080 == 0x8080808080 && b[8] == 0xff && b[9] == 1 {
			return w&0x7f | w>>1&0x3f80 | w>>2&0x1fc000 | w>>3&0xfe00000 | w>>4&0x7f0000000 | ^uint64(1<<35-1), pos + 10
		}
	}
	for i, c := range b {
		if i == 9 && c > 1 {
			return 0, -1
		}
		v |= uint64(c&0x7f) << (7 * uint(i) & 63)
		if c < 0x80 {
			return v, pos + i + 1
		}
	}
	return 0, 0
}

// varintError tells what a next of uvarint that is not positive means.
func varintError(next int) error {
	if next < 0 {
		return ErrVarint
	}
	return ErrTruncated
}
