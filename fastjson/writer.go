package fastjson

import (
	"errors"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/cdcodec/cdcodec/change"
)

// Errors of a Writer.
var (
	// ErrInvalidUTF8 is the Err of a [change.ValueError] for a string that is
	// not UTF-8, with Options.RejectInvalidUTF8.
	ErrInvalidUTF8 = errors.New("invalid UTF-8")
	// ErrMaxOutput is returned where a message would take more than
	// Options.MaxOutput bytes.
	ErrMaxOutput = errors.New("output is longer than MaxOutput")
	// ErrType is returned for an Event whose Type is none of Canal's.
	ErrType = errors.New("event has no valid type")
)

// Writer turns Events into Canal-JSON, one message each, appended to a buffer of
// the caller's. The zero Writer has the zero Options. It keeps scratch memory
// from call to call (bounded: see nameTable) but nothing of an Event; one
// goroutine may use it at a time.
type Writer struct {
	opts  Options
	limit int // MaxOutput

	names nameTable // of the Event: sqlType, mysqlType, and the set of updated columns
	twice nameTable // of one row's before image, where a name is in it twice
	long  longQuoter
	fused fused

	wasted int // see Wasted

	end   int    // dst may not become longer; of one call, as are those below
	stamp uint32 // numbers the walks over single rows
	row   uint32 // the row at hand, from 1
	keys  int    // key columns of the first row
	err   error
}

// NewWriter returns a Writer with those options, or an error that names the one
// that makes no sense.
func NewWriter(o Options) (*Writer, error) {
	switch {
	case o.Dialect != Canal:
		return nil, errors.New("fastjson: unknown Dialect " + strconv.Itoa(int(o.Dialect)))
	case o.MaxOutput < 0:
		return nil, errors.New("fastjson: MaxOutput is negative")
	}
	return &Writer{opts: o, limit: o.MaxOutput}, nil
}

// SetMaxOutput sets Options.MaxOutput for the calls that follow.
func (w *Writer) SetMaxOutput(n int) { w.limit = n }

// Wasted returns how many bytes the last call wrote before it gave up, 0 if it did
// not. Who goes on with the same dst can make room for as many: a larger buffer
// that a failed call had got for itself is lost.
func (w *Writer) Wasted() int { return w.wasted }

// Drops reports whether the options leave out Events of kind k.
func (w *Writer) Drops(k change.Kind) bool {
	switch k {
	case change.KindHeartbeat, change.KindGTIDLog:
		return w.opts.DropHeartbeats
	case change.KindWatermark:
		return true // dialect canal has no such message
	}
	return false
}

// AppendEvent appends the message of ev to dst, without a line end, and returns
// the longer slice; dst as it was where Drops(ev.Kind). With an error, too, it
// returns dst as it was. The output is valid JSON in valid UTF-8 whatever ev
// holds, and keeps nothing of ev.
//
// Errors: a *[change.ValueError] with ErrInvalidUTF8, ErrMaxOutput, ErrType.
// The law is spec/canal.md 2; the comments in this file number its rules.
func (w *Writer) AppendEvent(dst []byte, ev *change.Event, m Meta) ([]byte, error) {
	w.wasted = 0
	if w.Drops(ev.Kind) {
		return dst, nil
	}
	if !ev.Type.Valid() {
		return dst, ErrType
	}
	limit := w.limit
	if limit == 0 {
		limit = DefaultMaxOutput
	}
	w.end = math.MaxInt
	if limit < math.MaxInt-len(dst) {
		w.end = len(dst) + limit
	}
	w.stamp, w.err = 0, nil
	out := w.message(dst, ev, m)
	w.names.release()
	if w.err == nil && len(out) > w.end {
		w.err = ErrMaxOutput
	}
	if w.err != nil {
		w.wasted = len(out) - len(dst)
		return dst, w.err
	}
	return out, nil
}

// message is rule 1: all keys, in this order. Once w.err is set what it appends
// does not matter.
func (w *Writer) message(dst []byte, ev *change.Event, m Meta) []byte {
	rows := ev.Rows
	if !ev.HasRows() { // rule 4
		rows = nil
	}
	image := change.ImageOf(ev.Type)

	dst = append(dst, `{"data":`...)
	dst = w.data(dst, rows, image)
	dst = append(dst, `,"database":`...)
	dst = w.text(dst, ev.Database, change.TextDatabase, 0)
	dst = append(dst, `,"es":`...)
	dst = strconv.AppendInt(dst, ev.ES, 10)
	if !w.opts.OmitGTID {
		dst = append(dst, `,"gtid":`...)
		dst = w.text(dst, ev.GTID, change.TextGTID, 0)
	}
	dst = append(dst, `,"id":`...)
	dst = strconv.AppendInt(dst, m.ID, 10)
	dst = append(dst, `,"isDdl":`...)
	dst = strconv.AppendBool(dst, ev.IsDDL)
	dst = append(dst, `,"mysqlType":`...)
	dst = w.types(dst, rows, false)
	dst = append(dst, `,"old":`...)
	if ev.Type == change.Update {
		dst = w.old(dst, rows)
	} else {
		dst = append(dst, "null"...)
	}
	dst = append(dst, `,"pkNames":`...)
	dst = w.pkNames(dst, rows, image)
	dst = append(dst, `,"sql":`...)
	dst = w.text(dst, ev.SQL, change.TextSQL, 0)
	dst = append(dst, `,"sqlType":`...)
	dst = w.types(dst, rows, true)
	dst = append(dst, `,"table":`...)
	dst = w.text(dst, ev.Table, change.TextTable, 0)
	dst = append(dst, `,"ts":`...)
	dst = strconv.AppendInt(dst, m.TS, 10)
	dst = append(dst, `,"type":"`...)
	dst = append(dst, ev.Type.String()...)
	return append(dst, `"}`...)
}

// text appends a string of the Event, quoted. It sets w.err where the string
// may not be shown or dst has become too long.
func (w *Writer) text(dst, s []byte, what change.Text, ref uint32) []byte {
	if w.err != nil {
		return dst
	}
	if room := w.end - len(dst); room < 2 || uint64(room) < 6*uint64(len(s))+2 && room < quotedLen(s) {
		w.err = ErrMaxOutput
		return dst
	}
	if !haveBlocks && len(s) >= sonicFrom {
		if out, ok := w.long.append(dst, s); ok {
			return out
		}
	}
	dst, valid := appendQuoted(dst, s)
	if !valid && w.opts.RejectInvalidUTF8 {
		w.err = &change.ValueError{Text: what, Ref: ref, Err: ErrInvalidUTF8}
	}
	return dst
}

// quotedLen returns how many bytes appendQuoted makes of s.
func quotedLen(s []byte) int {
	n := 2
	for len(s) > 0 {
		k, valid := sequence(s)
		switch c := s[0]; {
		case !valid:
			n += len(replacement)
		case c == '"' || c == '\\' || c >= '\b' && c <= '\r' && c != '\v':
			n += 2
		case c < 0x20:
			n += 6
		default:
			n += k
		}
		s = s[k:]
	}
	return n
}

// column appends the name and value of c as a member of an object: rule 5.
func (w *Writer) column(dst []byte, c *change.Column) []byte {
	dst = append(w.text(dst, c.Name, change.TextName, c.Ref), ':')
	if c.Null {
		return append(dst, "null"...)
	}
	return w.text(dst, c.Value, change.TextValue, c.Ref)
}

// checkName rejects a name that is shown only through another one like it.
func (w *Writer) checkName(c *change.Column) {
	if w.err == nil && w.opts.RejectInvalidUTF8 && !utf8.Valid(c.Name) {
		w.err = &change.ValueError{Text: change.TextName, Ref: c.Ref, Err: ErrInvalidUTF8}
	}
}

// types is rule 8 for sqlType, where numbers is set, and for mysqlType, after data
// has filled the names.
func (w *Writer) types(dst []byte, rows change.Rows, numbers bool) []byte {
	if rows == nil || len(w.names.entries) == 0 {
		return append(dst, "null"...)
	}
	for n := range w.names.entries {
		dst = append(dst, separator('{', n))
		c, ref := w.names.column(n), w.names.entries[n].ref
		dst = append(w.text(dst, c.name, change.TextName, ref), ':')
		if numbers {
			dst = strconv.AppendInt(dst, int64(c.sqlType), 10)
		} else {
			dst = w.text(dst, c.mysqlType, change.TextMySQLType, ref)
		}
		if w.err != nil {
			return dst
		}
	}
	return append(dst, '}')
}

// pkNames is rule 7: the keys of the first row, duplicates kept.
func (w *Writer) pkNames(dst []byte, rows change.Rows, image change.Image) []byte {
	if w.keys == 0 {
		return append(dst, "null"...)
	}
	rows.Rewind()
	rows.Next()
	rows.Select(image)
	for n := 0; n < w.keys && w.err == nil; {
		c := rows.Column()
		if c == nil {
			break
		}
		if c.Key {
			dst = append(dst, separator('[', n))
			dst = w.text(dst, c.Name, change.TextName, c.Ref)
			n++
		}
	}
	return append(dst, ']')
}

// separator returns what stands before member n of an object or array.
func separator(open byte, n int) byte {
	if n == 0 {
		return open
	}
	return ','
}
