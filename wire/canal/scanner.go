package canal

import (
	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/internal/fields"
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

// Next steps to the next column.
func (s *Scanner) Next() bool {
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
			if start, stop := fields.Length(b, p+1); start > 0 && stop <= s.end && s.Column.scan(b[:stop], start) {
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
