package canal

import (
	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/internal/fields"
	"github.com/cdcodec/cdcodec/internal/mem"
	"github.com/cdcodec/cdcodec/wire"
)

// Scanner steps through all columns of a RowChange, row after row and image
// after image as they are on the wire. It is the fast way to read everything:
//
//	for s := c.Scan(); s.Next(); {
//		// s.Row, s.Image, s.Column
//	}
//
// Err tells after the last Next whether all was good. Rows without columns are
// passed over.
//
// It borrows what the RowChange was parsed from: Column's slices are good until
// those bytes are written to, and may be kept when Next steps on.
type Scanner struct {
	Column Column       // the current one; the next call of Next overwrites it
	Image  change.Image // its image
	Row    int          // its row, from 0

	msg wire.Message // the RowChange
	buf []byte       // its bytes
	pos int          // of the next field: of a row where pos < end, else of the RowChange
	end int          // of the current row
	err *wire.ParseError
}

// Scan returns a Scanner before the first column of c.
func (c *RowChange) Scan() Scanner { return newScanner(c.msg) }

// Scan returns a Scanner before the first column of the RowChange in storeValue,
// for who wants nothing else of it.
func (e *Entry) Scan() Scanner { return newScanner(e.store) }

func newScanner(m wire.Message) Scanner { return Scanner{Row: -1, msg: m, buf: m.Bytes()} }

// Err returns the error that stopped Next, if one did.
func (s *Scanner) Err() error { return fields.Error(s.err) }

// Next steps to the next column. It is false behind the last one, and where the RowChange
// is bad, which Err tells.
func (s *Scanner) Next() bool {
	// What is here is the line through what nearly all columns of Canal's are: isKey,
	// updated and isNull are there, value where it is not NULL, length is not, and no
	// text but value is longer than 127 bytes. Several fields at once are compared with
	// what they must be, as words. All else is left to nextSlow, which begins the column
	// anew. (BenchmarkScan: half the instructions.)
	for s.pos >= s.end {
		if !s.nextRow() {
			return false
		}
	}
	p, v := s.pos, mem.Of(s.buf)
	if s.end-p < 3 {
		return s.nextSlow()
	}
	image := change.After
	switch wire.Tag(v.U8(p)) {
	case rowAfterColumns:
	case rowBeforeColumns:
		image = change.Before
	default:
		return s.nextSlow()
	}
	size := int(v.U8(p + 1))
	p += 2
	if size >= 0x80 {
		if v.U8(p) >= 0x80 {
			return s.nextSlow()
		}
		size += int(v.U8(p))<<7 - 0x80
		p++
	}
	end := p + size
	if end > s.end || size < 16 {
		return s.nextSlow()
	}
	c := &s.Column

	w := v.U64(p)
	nameEnd := 0
	if w&0x80ff_80ff_80ff == uint64(columnIndex)|uint64(columnSQLType)<<16|uint64(columnName)<<32 {
		c.Index, c.SQLType = int32(w>>8&0x7f), int32(w>>24&0x7f)
		p += 6
		nameEnd = p + int(w>>40&0x7f)
	} else {
		switch {
		case w&0x80ff == uint64(columnIndex):
			c.Index = int32(w >> 8 & 0x7f)
			p += 2
		case w&0x8080ff == uint64(columnIndex)|0x8000:
			c.Index = int32(w>>8&0x7f | w>>9&0x3f80)
			p += 3
		default:
			return s.nextSlow()
		}
		w = v.U64(p)
		switch {
		case w&0x80ff == uint64(columnSQLType):
			c.SQLType = int32(w >> 8 & 0x7f)
			p += 2
		case w&0x8080ff == uint64(columnSQLType)|0x8000:
			c.SQLType = int32(w>>8&0x7f | w>>9&0x3f80)
			p += 3
		case w|0x7f00 == 0xffff_ffff_ffff_ff00|uint64(columnSQLType) && v.U32(p+8)&0xffffff == 0x01ffff:
			c.SQLType = int32(int8(w >> 8)) // from -128 on, in ten bytes
			p += 11
		default:
			return s.nextSlow()
		}
		if end-p < 8 {
			return s.nextSlow()
		}
		w = v.U64(p)
		if w&0x80ff != uint64(columnName) {
			return s.nextSlow()
		}
		p += 2
		nameEnd = p + int(w>>8&0x7f)
	}

	if end-nameEnd < 8 {
		return s.nextSlow()
	}
	w = v.U64(nameEnd)
	if w&threeBools != isKeyUpdatedIsNull {
		return s.nextSlow()
	}
	v.Set(&c.Name, p, nameEnd)
	c.IsKey, c.Updated, c.IsNull = w>>8&1 != 0, w>>24&1 != 0, w>>40&1 != 0
	p = nameEnd + 6
	if tag := w >> 48 & 0xff; tag == uint64(columnValue) {
		n := int(w >> 56)
		p += 2
		if n >= 0x80 {
			if v.U8(p) >= 0x80 { // size < end-p, so it can be read
				return s.nextSlow()
			}
			n += int(v.U8(p))<<7 - 0x80
			p++
		}
		if end-p-n < 3 {
			return s.nextSlow()
		}
		v.Set(&c.Value, p, p+n)
		p += n
	} else {
		c.Value = nil
	}
	n := end - p - 2
	if n <= 0 || n >= 0x80 || wire.Tag(v.U8(p)) != columnMySQLType || int(v.U8(p+1)) != n {
		return s.nextSlow()
	}
	v.Set(&c.MySQLType, p+2, end)
	c.Length, c.props, c.heavy = 0, false, false
	s.Image, s.pos = image, end
	return true
}

// nextSlow is Next, whatever the column is.
func (s *Scanner) nextSlow() bool {
	for {
		if s.pos >= s.end {
			if !s.nextRow() {
				return false
			}
			continue
		}
		b, p := s.buf, s.pos
		tag := wire.Tag(b[p])
		if tag == rowAfterColumns || tag == rowBeforeColumns {
			start, stop := fields.Length(b, p+1)
			if start == 0 {
				start, stop = fields.LongLength(b, p+1)
			}
			if start > 0 && stop <= s.end && s.Column.scan(b[:stop], start) {
				s.Image = change.After
				if tag == rowBeforeColumns {
					s.Image = change.Before
				}
				s.pos = stop
				return true
			}
		}
		if s.field() {
			return true
		}
		if s.err != nil {
			return false
		}
	}
}

// nextRow steps into the next row.
func (s *Scanner) nextRow() bool {
	b, p := s.buf, s.pos
	if p == 0 {
		// What Canal writes before the rows.
		for v := mem.Of(b); len(b)-p > 8 && b[p]&7 == byte(wire.Varint) && b[p]>>3-1 < 15; {
			_, next := v.Uvarint(p + 1)
			if next == 0 {
				break
			}
			p = next
		}
		s.pos = p
	}
	if p < len(b) && b[p] == byte(changeRowDatas) {
		start, stop := fields.Length(b, p+1)
		if start == 0 {
			start, stop = fields.LongLength(b, p+1)
		}
		if start > 0 && stop <= len(b) {
			s.Row++
			s.pos, s.end = start, stop
			return true
		}
	}
	r := s.msg.Part(s.pos, len(s.buf), 0).Reader()
	for r.Next() {
		if r.Tag == changeRowDatas {
			s.Row++
			s.end = len(s.buf) - len(r.Rest())
			s.pos = s.end - len(r.Bytes)
			return true
		}
	}
	if s.pos = len(s.buf); r.Err() != nil {
		s.fail()
	}
	return false
}

// field reads the next field of the row whatever it is, and reports whether it
// was a column.
func (s *Scanner) field() bool {
	r := s.msg.Part(s.pos, s.end, 1).Reader()
	if !r.Next() {
		s.fail()
		return false
	}
	s.pos = s.end - len(r.Rest())
	switch r.Tag {
	case rowAfterColumns:
		s.Image = change.After
	case rowBeforeColumns:
		s.Image = change.Before
	default:
		return false
	}
	if s.Column.parse(r.Message()) != nil {
		s.fail()
		return false
	}
	return true
}

// fail ends the scan. What is wrong, and where, the decoder's check words: it
// reads all from the beginning, and finds this or what is before it.
func (s *Scanner) fail() {
	var d Decoder
	_, s.err = d.check(s.msg)
	s.pos, s.end = len(s.buf), len(s.buf)
}
