package fastjson

import (
	"errors"
	"math"

	"github.com/cdcodec/cdcodec/change"
)

// How a Writer is arranged:
//
//	writer.go                   what both dialects do, call by call
//	text.go, quote.go           strings
//	names.go, texthash.go       the table of column names
//	canal.go, rows.go           a message of dialect canal
//	onerow.go                   one for each row
//	parts.go, cutter.go         one for some of the rows: by size, by partition
//	ticdc*.go, largemessage.go  the messages of dialect ticdc
//	fused*.go, tablecache.go    Entry to dialect canal in one walk

// Errors of a Writer.
var (
	// ErrInvalidUTF8 is the Err of a [change.ValueError] for a string that is
	// not UTF-8, with Options.RejectInvalidUTF8.
	ErrInvalidUTF8 = errors.New("invalid UTF-8")
	// ErrMaxOutput is returned where the messages of one call would take more than
	// Options.MaxOutput bytes.
	ErrMaxOutput = errors.New("output is longer than MaxOutput")
	// ErrType is returned for an Event whose Type is none of Canal's.
	ErrType = errors.New("event has no valid type")
)

// Writer turns Events into Canal-JSON, appended to a buffer of the caller's. The
// zero Writer has the zero Options. It keeps scratch memory from call to call
// but nothing of an Event: a large one's is given back, and what it remembers of
// tables, for AppendFromEntry, are copies and has a bound. One goroutine may use it at a
// time.
type Writer struct {
	opts  Options
	limit int   // MaxOutput
	ends  []int // see Ends
	parts []Part

	names nameTable // of the Event: sqlType, mysqlType, and the set of updated columns
	twice nameTable // of one row's before image, where a name is in it twice
	long  longQuoter
	fused fused
	whole change.Whole // a partial Before, for OldComplete
	cut   cutter

	numbers numbers
	ticdc   ticdcState

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
	if err := o.check(); err != nil {
		return nil, err
	}
	return &Writer{opts: o, limit: o.MaxOutput}, nil
}

// SetMaxOutput sets Options.MaxOutput for the calls that follow: so many bytes each, 0
// means DefaultMaxOutput. Who writes several Events to one bounded buffer sets it to the
// room that is left; with none left there is nothing to call for, as 0 is no bound of 0.
func (w *Writer) SetMaxOutput(n int) { w.limit = n }

// Wasted returns how many bytes the last call wrote before it gave up, 0 if it did
// not. Who goes on with the same dst can make room for as many: a larger buffer
// that a failed call had got for itself is lost.
func (w *Writer) Wasted() int { return w.wasted }

// Ends returns where the messages end that the last call appended, as indexes of
// the dst that it returned: the first message begins where dst ended before, each
// other one len(Options.Separator) bytes behind the end of the one before it. It is
// empty where nothing was appended.
// The slice is the Writer's own, good until the next call.
func (w *Writer) Ends() []int { return w.ends }

// Drops reports whether the options leave out Events of kind k.
func (w *Writer) Drops(k change.Kind) bool {
	switch k {
	case change.KindHeartbeat, change.KindGTIDLog:
		return w.opts.DropHeartbeats || w.opts.Dialect == TiCDC
	case change.KindWatermark: // dialect canal has no such message
		return w.opts.DropWatermarks || w.opts.Dialect != TiCDC || !w.opts.TiCDC.Extension
	case change.KindDDL:
		return w.opts.DropDDL
	case change.KindQuery:
		return w.opts.DropQueries
	}
	return false
}

// AppendEvent appends the messages of ev to dst, one behind the other with nothing but
// Options.Separator between them, and returns the longer slice; see Ends for where
// they are. In dialect canal an Event is one message, with Options.OneRow one for
// each row; in dialect ticdc it is one for each row that has something to show,
// and so maybe none. Where Drops(ev.Kind), dst is returned as it was. With an error,
// too, it is as it was; only what is behind len(dst), up to its capacity, may have been
// written to. The output is valid JSON in valid UTF-8 whatever ev holds, and keeps
// nothing of ev. It walks ev.Rows from the first row, more than once where it must, and
// leaves them anywhere.
//
// Errors: a *[change.ValueError] with ErrInvalidUTF8, ErrMaxOutput, ErrType; and in
// dialect ticdc a *[TooLargeError], ErrNoHandleKey, or what a ClaimStore says.
// The law is spec/canal.md 2 and 3, spec/ticdc.md.
func (w *Writer) AppendEvent(dst []byte, ev *change.Event, m Meta) ([]byte, error) {
	w.begin()
	if w.Drops(ev.Kind) {
		return dst, nil
	}
	if !ev.Type.Valid() && ev.Kind != change.KindWatermark {
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
	if ev.Partial && w.opts.OldComplete && w.opts.Dialect == Canal && ev.Rows != nil {
		whole := *ev
		w.whole.Rows = ev.Rows
		whole.Rows = &w.whole
		ev = &whole
	}
	var out []byte
	switch {
	case w.opts.Dialect == TiCDC:
		out = w.ticdcMessages(dst, ev, m)
	case w.opts.OneRow:
		out = w.oneRow(dst, ev, m)
	default:
		out = w.canalMessages(dst, ev, m)
	}
	w.names.release()
	w.whole.Rows = nil
	if w.err == nil && len(out) > w.end {
		w.err = ErrMaxOutput
	}
	if w.err != nil {
		w.ends, w.parts = w.ends[:0], w.parts[:0]
		w.wasted = len(out) - len(dst)
		return dst, w.err
	}
	return out, nil
}

// begin begins a call.
func (w *Writer) begin() {
	w.wasted = 0
	if cap(w.parts) > keepEnds {
		w.parts, w.ends = nil, nil
	}
	w.ends, w.parts = w.ends[:0], w.parts[:0]
}

// separate appends what stands before the next message of a call.
func (w *Writer) separate(dst []byte) []byte {
	if len(w.ends) > 0 {
		dst = append(dst, w.opts.Separator...)
	}
	return dst
}

// keepEnds is how many ends a Writer has room for from call to call: 32 KiB.
const keepEnds = 4 << 10

// expectEnds makes room for the ends of that many messages, all at once: who grows
// a slice bit by bit takes several times the memory.
func (w *Writer) expectEnds(n int) {
	if n > cap(w.ends) || cap(w.ends) > keepEnds && n <= keepEnds {
		w.ends = make([]int, 0, max(n, 16))
	}
}

// expectParts is the same for Parts.
func (w *Writer) expectParts(n int) {
	if n > cap(w.parts) || cap(w.parts) > keepEnds && n <= keepEnds {
		w.parts = make([]Part, 0, max(n, 16))
	}
}

// countRows returns how many rows there are.
func countRows(rows change.Rows) (n int) {
	for rows.Rewind(); rows.Next(); {
		n++
	}
	return n
}
