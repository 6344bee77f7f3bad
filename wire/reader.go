package wire

import "encoding/binary"

// How this file is arranged: Next is the straight line through what nearly
// every field looks like; uvarint and its two quick paths come after it; what
// is rare (tags of several bytes, groups, errors) stands at the end, in
// functions of its own. All positions are indexes into r.buf; only errors and
// Field.Offset add r.base.

// MaxDepth is how many levels sub-messages and groups may be nested, together.
const MaxDepth = 100

// Reader steps through the fields of one message, in the order of the wire.
//
//	for f, ok := r.Next(); ok; f, ok = r.Next() {
//		switch f.Tag {
//		…
//		}
//	}
//	if err := r.Err(); err != nil { … }
//
// A Reader borrows the bytes it was made for, and so do the Fields it gives:
// they are good until those bytes are written to. The zero Reader reads the
// empty message.
type Reader struct {
	buf   []byte
	pos   int
	base  int    // where buf begins in the record
	depth int    // how many levels down this message is
	open  Number // the group being read, until its end is
	err   *ParseError
}

// NewReader returns a Reader of a whole record.
func NewReader(record []byte) Reader { return Reader{buf: record} }

// NewReaderAt returns a Reader of a message that begins at the given offset of
// its record, depth levels below the top.
func NewReaderAt(msg []byte, offset, depth int) Reader {
	return Reader{buf: msg, base: offset, depth: depth}
}

// Message returns a Reader of the message that f, a field of r's message,
// holds. Past MaxDepth it gives no field and ErrDepth.
func (r *Reader) Message(f Field) Reader {
	s := Reader{buf: f.Bytes, base: r.valueOffset(f), depth: r.depth + 1}
	if s.depth > MaxDepth {
		s.buf = nil
		s.err = &ParseError{Offset: f.Offset, Number: f.Tag.Number(), Err: ErrDepth}
	}
	return s
}

// Embedded returns a Reader of a message that a field of type bytes holds: a
// message of its own, whose nesting is counted from 0 again.
func (r *Reader) Embedded(f Field) Reader {
	return Reader{buf: f.Bytes, base: r.valueOffset(f)}
}

// valueOffset returns where f.Bytes, the value of the field read last, begins
// in the record.
func (r *Reader) valueOffset(f Field) int { return r.base + r.pos - len(f.Bytes) }

// Offset returns where the next field begins, from the start of the record.
func (r *Reader) Offset() int { return r.base + r.pos }

// Depth returns how many levels below the top r's message is.
func (r *Reader) Depth() int { return r.depth }

// Err returns what stopped Next, nil at the proper end of the message. Its
// Path is empty: a Reader knows no names.
func (r *Reader) Err() *ParseError { return r.err }

// Next returns the next field and true; false at the end of the message and
// at an error, which Err tells apart. A group is returned as one field of type
// StartGroup, when all of it has been read. After false comes only false.
func (r *Reader) Next() (f Field, ok bool) {
	pos, buf := r.pos, r.buf
	if uint(pos) >= uint(len(buf)) {
		return Field{}, false
	}
	f.Offset = r.base + pos
	tag := buf[pos]
	if tag >= 0x80 || tag < 1<<3 {
		return r.nextSlow()
	}
	f.Tag = Tag(tag)
	pos++
	switch Type(tag & 7) {
	case Varint:
		if pos < len(buf) && buf[pos] < 0x80 {
			f.Uint = uint64(buf[pos])
			r.pos = pos + 1
			return f, true
		}
		var next int
		if f.Uint, next = uvarint(buf, pos); next > 0 {
			r.pos = next
			return f, true
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
			f.Bytes = buf[next:end:end]
			r.pos = end
			return f, true
		}
	}
	return r.value(f, pos)
}

// nextSlow is Next where the tag is not one plain byte.
func (r *Reader) nextSlow() (Field, bool) {
	f := Field{Offset: r.base + r.pos}
	tag, pos := uvarint(r.buf, r.pos)
	if pos <= 0 {
		return r.fail(f, varintError(pos))
	}
	if n := tag >> 3; n == 0 || n > uint64(MaxNumber) {
		return r.fail(f, ErrNumber)
	}
	f.Tag = Tag(tag)
	return r.value(f, pos)
}

// value reads the value of f at pos, whatever its form, and steps behind it.
// The length of Bytes is compared as the uint64 it is before it becomes an int.
func (r *Reader) value(f Field, pos int) (Field, bool) {
	rest := uint64(len(r.buf) - pos)
	switch f.Tag.Type() {
	case Varint, Bytes:
		n, next := uvarint(r.buf, pos)
		if next <= 0 {
			return r.fail(f, varintError(next))
		}
		if f.Tag.Type() == Varint {
			f.Uint, pos = n, next
			break
		}
		if n > uint64(len(r.buf)-next) {
			return r.fail(f, ErrTruncated)
		}
		pos = next + int(n)
		f.Bytes = r.buf[next:pos:pos]
	case Fixed64:
		if rest < 8 {
			return r.fail(f, ErrTruncated)
		}
		f.Uint = binary.LittleEndian.Uint64(r.buf[pos:])
		pos += 8
	case Fixed32:
		if rest < 4 {
			return r.fail(f, ErrTruncated)
		}
		f.Uint = uint64(binary.LittleEndian.Uint32(r.buf[pos:]))
		pos += 4
	case StartGroup:
		return r.group(f, pos)
	case EndGroup:
		if f.Tag.Number() != r.open {
			return r.fail(f, ErrGroup)
		}
		r.open, r.pos, r.buf = 0, pos, r.buf[:pos]
		return Field{}, false
	default:
		return r.fail(f, ErrType)
	}
	r.pos = pos
	return f, true
}

// group reads the fields of the group that f begins, up to its end, with a
// Reader one level deeper.
func (r *Reader) group(f Field, pos int) (Field, bool) {
	if r.depth+1 > MaxDepth {
		return r.fail(f, ErrDepth)
	}
	in := Reader{buf: r.buf, pos: pos, base: r.base, depth: r.depth + 1, open: f.Tag.Number()}
	for ok := true; ok; {
		_, ok = in.Next()
	}
	switch {
	case in.err != nil:
		in.err.Number = f.Tag.Number()
		r.err = in.err
		r.buf = r.buf[:r.pos]
		return Field{}, false
	case in.open != 0: // the input ended first: the group is what is cut
		return r.fail(f, ErrTruncated)
	}
	r.pos = in.pos
	return f, true
}

// fail ends the message before f, with an error.
func (r *Reader) fail(f Field, err error) (Field, bool) {
	r.err = &ParseError{Offset: f.Offset, Number: f.Tag.Number(), Err: err}
	r.buf = r.buf[:r.pos]
	return Field{}, false
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
