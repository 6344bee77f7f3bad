package fastjson

import (
	"hash/maphash"
	"io"

	"github.com/cdcodec/cdcodec/change"
)

// How reading is arranged. One pass over a message (reader_scan.go) checks all of
// it and notes where its sections are: data, old, mysqlType, sqlType, pkNames.
// Columns are not kept: a cursor (reader_rows.go) reads them from the message as
// they are asked for, so that memory does not grow with them. What belongs
// together is in different sections, and this is how it is found:
//
//	even messages    all rows of data have the same names in the same order, 256 at
//	                 most: a rowLayout has their types and keys by number
//	                 (reader_layout.go)
//	all others       tables of names, by hash, one for each section, of 4.6 bytes a
//	                 name (reader_names.go, reader_uneven.go)

// Reader reads messages of Canal-JSON, of either dialect and of all who write it
// (spec: canal.md 2, ticdc.md, consumers.md). The zero Reader is ready. It keeps
// scratch memory from message to message, up to a bound; one goroutine may use it
// at a time, and it must not be copied.
//
// What it makes of a message:
//
//   - Keys may have any order; those it does not know are checked and left out.
//     A key that is there twice, or a column, counts as the last one says; a
//     column stays where the first one is. All keys may be missing or null but
//     type.
//   - Event.Type is what "type" names. TIDB_WATERMARK is KindWatermark, with the
//     watermarkTs as CommitTS and without a Type. Else Kind is that of a Canal
//     entry of type ROWDATA; whether it was of another type is not to be seen.
//   - Rows are shown where IsDDL is false and the Type has rows. Element i of data
//     is Before of a DELETE and After of others. Element i of "old" of an UPDATE is
//     row i's Before, with no more columns than it has; rows without one have
//     no Before, and null is an element without columns. "old" of other types is
//     left out.
//   - A value that is a string has its text, a number or a word the text it is
//     written as, an object or array its JSON as it stands; null is Null.
//     MySQLType and SQLType are those of the name, Key tells that pkNames has it.
//   - Integers may be in quotes. A fraction or an exponent is an error.
//   - Strings that are not UTF-8 are taken as they are, as Events may hold any
//     bytes. A \u escape of half a surrogate pair is U+FFFD.
//
// There are two meanings of "old". A message is Canal's if its first key is data
// and it has no key _tidb: then old holds what changed, Updated says that old has the
// column, and Event.Partial is set for an UPDATE. In all others old is the whole row:
// Updated says that old has the column with another value (or null), and Partial
// is set if some element of old lacks a column of its row.
//
// A message that a [Writer] of dialect canal wrote gives an Event of which the
// same Writer writes the same message. To that end rows that are in "old" but
// not in "data", names that are in "old" but not in their row, and keys in
// pkNames twice or in another order than the columns have are put where the
// Writer looks for them: Updated is set on a column of a row before, and the
// key columns of the first row are given again. (No message of Canal's own needs
// it. It is not done where more than 62 rows lack data, their columns differ
// from row to row, and Options.OldPerRow was set; nor for messages of
// Options.OneRow that tell of columns of other rows.)
type Reader struct {
	b         []byte // the message, to its end
	start     int    // of the message
	limit     int    // maxMessage, and less in tests; 0 means maxMessage
	truncated bool   // b has been cut there
	fault     fault
	place     place

	seed   maphash.Seed
	seeded bool
	store  textStore

	head   messageHead
	layout rowLayout
	uneven uneven
	cursor cursor
}

// maxMessage is how long a message may be: a Ref holds a position and two flags.
const maxMessage = 1<<30 - 1

// Read reads b, one message with or without white space around it, into ev. It
// sets the ID and TS of meta, which may be nil.
//
// ev borrows b, and its Rows and some of its texts belong to r: all are good until
// b is written to or r reads again. After an error ev is zero and meta as it was;
// the error is a *[wire.ParseError] with an Offset in b, a Path such as "data[0].name" or
// "sqlType.id", and the table where the message tells it.
func (r *Reader) Read(ev *change.Event, meta *Meta, b []byte) error {
	ev.Reset()
	start := space(b, 0)
	end := r.message(b, start)
	if end >= 0 {
		if p := space(b, end); p < len(b) {
			r.place = place{}
			r.b = b
			end = r.fail(p, ErrTrailing)
		}
	}
	if end < 0 || r.finish(ev, meta) < 0 {
		ev.Reset()
		err := r.parseError(start)
		r.Reset()
		return err
	}
	return nil
}

// Next reads the first message of b, behind white space, and returns what is
// behind it: for messages one a line, or one behind the other. io.EOF means that
// there is none. ev, meta and errors are as those of Read. With an error rest is what is
// behind the message if that is JSON, and nil if not.
func (r *Reader) Next(ev *change.Event, meta *Meta, b []byte) (rest []byte, err error) {
	ev.Reset()
	start := space(b, 0)
	if start == len(b) {
		r.Reset()
		return nil, io.EOF
	}
	end := r.message(b, start)
	if end < 0 || r.finish(ev, meta) < 0 {
		ev.Reset()
		err := r.parseError(start)
		r.b, _ = r.cut(b)
		if end, _ = r.survey(start); end >= 0 {
			rest = b[end:]
		}
		r.Reset()
		return rest, err
	}
	return b[end:], nil
}

// Reset ends the Event read last, forgets its message and gives memory back that
// has become large. Reading does so too; Reset is for those who wait.
func (r *Reader) Reset() {
	r.b, r.start, r.truncated = nil, 0, false
	r.fault, r.place = fault{}, place{}
	r.head = messageHead{}
	r.store.release()
	r.layout.reset()
	r.uneven.release()
	r.cursor = cursor{row: -1, p: -1, moved: keepWords(r.cursor.moved)}
}

// message checks the message of b that begins at start and returns the position
// behind it.
func (r *Reader) message(b []byte, start int) (end int) {
	r.Reset()
	if !r.seeded {
		r.seed, r.seeded = maphash.MakeSeed(), true
	}
	b, r.truncated = r.cut(b)
	r.b, r.start = b, start
	if end = r.scan(start); end < 0 {
		return -1
	}
	r.b = b[:end]
	r.store.complete(r.b)
	return end
}

// cut returns as much of b as a message may have.
func (r *Reader) cut(b []byte) (part []byte, truncated bool) {
	limit := r.limit
	if limit == 0 {
		limit = maxMessage
	}
	return b[:min(len(b), limit)], len(b) > limit
}

// finish fills ev and meta from a message that has been checked.
func (r *Reader) finish(ev *change.Event, meta *Meta) int {
	h := &r.head
	switch name := r.text(h.typeName); string(name) {
	case "INSERT":
		ev.Type = change.Insert
	case "UPDATE":
		ev.Type = change.Update
	case "DELETE":
		ev.Type = change.Delete
	case watermarkType:
		ev.Kind = change.KindWatermark
	default:
		for t := change.Create; t.Valid(); t++ {
			if t.String() == string(name) {
				ev.Type = t
			}
		}
		if !ev.Type.Valid() {
			r.place = place{key: h.typeKey, inKey: h.typeKey.at > 0, elem: -1}
			return r.fail(max(h.typeAt, r.start), ErrTypeName)
		}
	}
	ev.IsDDL = h.isDDL
	ev.Database, ev.Table = r.text(h.texts[change.TextDatabase]), r.text(h.texts[change.TextTable])
	ev.SQL, ev.GTID = r.text(h.texts[change.TextSQL]), r.text(h.texts[change.TextGTID])
	ev.ES, ev.CommitTS = h.es, h.commitTS
	switch {
	case ev.Kind == change.KindWatermark:
		ev.CommitTS = h.watermarkTS
		ev.ES = int64(h.watermarkTS >> 18) // as it is written, whatever es said
	case ev.IsDDL:
		ev.Kind = change.KindDDL
	case ev.Type.HasRows():
		ev.Kind = change.KindRows
		ev.Partial = r.openRows(ev.Type)
		ev.Rows = (*readerRows)(r)
	default:
		ev.Kind = change.KindQuery
	}
	if meta != nil {
		meta.ID, meta.TS = h.id, h.ts
	}
	return 0
}

// watermarkType is the type of TiCDC's watermarks (spec: ticdc.md 10).
const watermarkType = "TIDB_WATERMARK"

// text returns a string's text, nil for no string. The store must be complete.
func (r *Reader) text(t textRef) []byte {
	if t.at == 0 {
		return nil
	}
	if t.isEscaped() {
		text, _, _ := r.store.get(int(t.at))
		return text
	}
	return r.b[t.at:t.end():t.end()]
}
