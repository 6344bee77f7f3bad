package fastjson

import (
	"math"
	"strconv"

	"github.com/cdcodec/cdcodec/change"
)

// The messages of dialect ticdc (spec: ticdc.md; the comments number its rules):
//
//	ticdc.go         what becomes of an Event, and the frame of a message
//	ticdcrows.go     the columns of one row: pkNames, sqlType, mysqlType, old, data
//	ticdctypes.go    what mysqlType and sqlType are
//	ticdcquote.go    strings
//	largemessage.go  messages that are too large to be sent

// ticdcState is what a Writer of dialect ticdc has beyond what any has: scratch, and
// the row at hand.
type ticdcState struct {
	types *typeCache
	order nameOrder // the names of the row's data image, in first-seen order

	rows     change.Rows
	image    change.Image // that data takes
	promoted bool         // Event.Promoted
	keys     int          // columns of the row that are flagged as key
	handles  int          // the same as handle
	twice    bool         // a name is in the row's data image twice
	alike    bool         // the row has the names, types and keys of the one before it

	from, to int // the message of the row before, up to old and data, in dst; to is 0 if there is none

	// The value of data without its brackets is written first, behind dst, as the
	// row is read but once that way: dst[dataAt:dataEnd]. dataEnd is 0 if it is not.
	dataAt, dataEnd int
}

// ticdcMessages appends the messages of an Event.
func (w *Writer) ticdcMessages(dst []byte, ev *change.Event, m Meta) []byte {
	if ev.Kind == change.KindWatermark || !ev.HasRows() {
		return w.ticdcPlain(dst, ev, m)
	}
	if ev.Rows == nil { // a change without rows: no message
		return dst
	}
	w.ticdcBegin(ev)
	row := 0
	for ev.Rows.Rewind(); ev.Rows.Next() && w.err == nil; row++ {
		before := len(dst)
		dst = w.separate(dst)
		message := len(dst)
		if dst = w.ticdcRow(dst, ev, m); len(dst) > message { // rule 11
			w.tell(row)
		} else {
			dst = dst[:before]
		}
	}
	w.ticdcEnd()
	return dst
}

// ticdcPlain appends the one message of a DDL, a query or a watermark: rules 9 and
// 10.
func (w *Writer) ticdcPlain(dst []byte, ev *change.Event, m Meta) []byte {
	start := len(dst)
	var timestamp uint64
	key := `{"commitTs":`
	if ev.Kind == change.KindWatermark {
		timestamp, key = ev.CommitTS, `{"watermarkTs":`
		mark := change.Event{ES: int64(ev.CommitTS >> 18)}
		dst = w.ticdcHead(dst, &mark)
		dst = append(dst, "null"...)
		dst = w.ticdcMiddle(dst, &mark, m, "TIDB_WATERMARK")
	} else {
		timestamp = commitTS(ev, m)
		dst = w.ticdcHead(dst, ev)
		dst = append(dst, "null"...)
		dst = w.ticdcMiddle(dst, ev, m, ev.Type.String())
	}
	dst = append(dst, `null,"mysqlType":null,"data":null,"old":null`...)
	if w.opts.TiCDC.Extension {
		dst = append(dst, `,"_tidb":`...)
		if timestamp == 0 {
			dst = append(dst, '{')
		} else {
			dst = strconv.AppendUint(append(dst, key...), timestamp, 10)
		}
		dst = append(dst, '}')
	}
	dst = append(dst, '}')
	if w.err == nil {
		w.checkSize(dst[start:], ev, m)
	}
	w.ends = append(w.ends, len(dst))
	if w.cut.telling {
		w.parts = append(w.parts, Part{})
	}
	return dst
}

// commitTS returns the commit timestamp of ev.
func commitTS(ev *change.Event, m Meta) uint64 {
	if ev.CommitTS != 0 {
		return ev.CommitTS
	}
	return m.CommitTS
}

// ticdcHead is what stands before the value of pkNames: rules 1 and 2.
func (w *Writer) ticdcHead(dst []byte, ev *change.Event) []byte {
	dst = append(dst, `{"id":0,"database":`...)
	dst = w.text(dst, ev.Database, change.TextDatabase, 0)
	dst = append(dst, `,"table":`...)
	dst = w.text(dst, ev.Table, change.TextTable, 0)
	return append(dst, `,"pkNames":`...)
}

// ticdcMiddle is what stands between the values of pkNames and sqlType.
func (w *Writer) ticdcMiddle(dst []byte, ev *change.Event, m Meta, typ string) []byte {
	dst = append(dst, `,"isDdl":`...)
	dst = strconv.AppendBool(dst, ev.IsDDL)
	dst = append(dst, `,"type":"`...)
	dst = append(dst, typ...)
	dst = append(dst, `","es":`...)
	dst = w.numbers.es.append(dst, ev.ES)
	dst = append(dst, `,"ts":`...)
	dst = w.numbers.ts.append(dst, m.TS)
	dst = append(dst, `,"sql":`...)
	if ev.HasRows() { // rule 2: that of rows is not shown
		dst = append(dst, `""`...)
	} else {
		dst = w.text(dst, ev.SQL, change.TextSQL, 0)
	}
	return append(dst, `,"sqlType":`...)
}

// ticdcRow appends the message of the current row, if it has columns to show.
func (w *Writer) ticdcRow(dst []byte, ev *change.Event, m Meta) []byte {
	t := &w.ticdc
	start, end := len(dst), w.end
	onlyHandle := ev.Type == change.Delete && w.opts.TiCDC.DeleteOnlyHandleKey
	dst = w.noteRow(dst, !onlyHandle)
	if t.order.n == 0 {
		return dst
	}
	var shown uint32
	if onlyHandle {
		if shown = w.handleKey(); shown == 0 {
			w.err = ErrNoHandleKey
			return dst
		}
	}
	first := len(dst) - start // bytes of data, which go in the end
	w.end += min(first, math.MaxInt-w.end)
	dst = w.ticdcMessage(dst, ev, m, stub{shown: shown})
	w.end = end
	if first > 0 {
		dst = append(dst[:start], dst[start+first:]...)
		t.from, t.to, t.dataEnd = t.from-first, t.to-first, 0
	}
	if w.err == nil && w.opts.TiCDC.CountKey && w.opts.TiCDC.MaxMessage > 0 {
		n := len(dst)
		dst, _ = AppendKey(dst, t.rows, t.image)
		m.KeySize += len(dst) - n
		dst = dst[:n]
	}
	if w.err == nil && !w.fits(dst[start:], m) {
		dst = w.ticdcStub(dst, start, ev, m)
	}
	w.ends = append(w.ends, len(dst))
	return dst
}

// A stub says what a message leaves out, and what it says of that. The zero stub
// leaves out nothing.
type stub struct {
	shown    uint32 // the flag, isKey or isHandle, of the columns it shows; 0 is all
	large    Large  // the flag to be written, RejectLarge for none
	location string // with ClaimCheck
}

// ticdcMessage appends a message of the current row, after noteRow: rule 1.
func (w *Writer) ticdcMessage(dst []byte, ev *change.Event, m Meta, s stub) []byte {
	t := &w.ticdc
	start := len(dst)
	if t.alike && t.to > 0 && s.shown == 0 {
		dst = append(dst, dst[t.from:t.to]...)
	} else {
		dst = w.ticdcHead(dst, ev)
		dst = w.ticdcKeys(dst)
		dst = w.ticdcMiddle(dst, ev, m, ev.Type.String())
		dst = w.ticdcTypes(dst, s.shown)
	}
	if t.from, t.to = start, len(dst); s.shown != 0 {
		t.to = 0
	}
	if w.opts.TiCDC.DataFirst {
		dst = w.ticdcData(append(dst, `,"data":`...), s.shown)
		dst = w.ticdcOld(append(dst, `,"old":`...), ev, s.shown)
	} else {
		dst = w.ticdcOld(append(dst, `,"old":`...), ev, s.shown)
		dst = w.ticdcData(append(dst, `,"data":`...), s.shown)
	}
	if w.opts.TiCDC.Extension { // rule 9
		dst = append(dst, `,"_tidb":{"commitTs":`...)
		dst = strconv.AppendUint(dst, commitTS(ev, m), 10)
		switch s.large {
		case HandleKeyOnly:
			dst = append(dst, `,"onlyHandleKey":true`...)
		case ClaimCheck:
			dst = append(dst, `,"claimCheckLocation":`...)
			dst, _ = appendTiCDCQuoted(dst, []byte(s.location))
		}
		dst = append(dst, '}')
	}
	dst = append(dst, '}')
	if w.err == nil && len(dst) > w.end {
		w.err = ErrMaxOutput
	}
	return dst
}
