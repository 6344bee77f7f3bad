package fastjson

import (
	"math"

	"github.com/cdcodec/cdcodec/change"
)

// Options.OneRow in dialect canal (spec: canal.md 3). The messages of an Event, their
// data and their old put together, show what its one message would show:
//
//	row of an INSERT or DELETE  a message, none if it has no columns to show
//	row of an UPDATE            a message; data is null if it has no columns to show
//	no row gives a message      the one message that the Event would be
//
// What all messages share must have seen all rows. It is written first, in front
// of the messages, and taken out of dst in the end:
//
//	dst │ middle │ tail │ {"data":[row] middle [old] tail │ {"data":[row] …

// oneRow appends a message for each row of ev.
func (w *Writer) oneRow(dst []byte, ev *change.Event, m Meta) []byte {
	n := 0
	if ev.Rows != nil && ev.HasRows() {
		n = countRows(ev.Rows)
	}
	w.expectEnds(max(n, 1))
	if w.cut.telling {
		w.expectParts(max(n, 1))
	}
	if n > 1 {
		dst = w.rowByRow(dst, ev, m)
	}
	if len(w.ends) == 0 && w.err == nil {
		dst = w.canalMessages(dst, ev, m)
	}
	return dst
}

// rowByRow is oneRow for several rows; it may append nothing.
func (w *Writer) rowByRow(dst []byte, ev *change.Event, m Meta) []byte {
	rows, image := ev.Rows, change.ImageOf(ev.Type)
	w.survey(rows, image)
	start := len(dst)
	dst = w.middle(dst, ev, m, rows)
	middle := len(dst)
	dst = w.tail(dst, ev, m, rows)
	tail := len(dst)

	end := w.end
	w.end += min(tail-start, math.MaxInt-w.end)
	w.row = 0
	for rows.Rewind(); rows.Next() && w.err == nil; {
		w.row++
		before := len(dst)
		dst = w.separate(dst)
		message := len(dst)
		dst = append(dst, `{"data":[`...)
		object := len(dst)
		rows.Select(image)
		dst = w.dataRow(dst, rows, image)
		switch {
		case len(dst) > object:
			dst = append(dst, ']')
		case ev.Type == change.Update:
			dst = append(dst[:object-1], "null"...)
		default:
			dst = dst[:before]
			continue
		}
		if w.err != nil {
			break // oldRow would take it for its own
		}
		dst = append(dst, dst[start:middle]...)
		if ev.Type == change.Update {
			if w.opts.OldPerRow {
				w.updatedHere(rows)
			}
			dst = append(w.oldRow(append(dst, '['), rows), ']')
		} else {
			dst = append(dst, "null"...)
		}
		dst = append(dst, dst[middle:tail]...)
		w.ends = append(w.ends, len(dst)-(tail-start))
		w.tell(int(w.row) - 1)
		switch limit := w.opts.MaxMessage; {
		case w.err != nil:
		case len(dst) > w.end:
			w.err = ErrMaxOutput
		case limit > 0 && len(dst)-message > limit:
			w.err = w.tooLarge(ev, len(dst)-message)
		}
	}
	w.end = end
	return append(dst[:start], dst[tail:]...)
}

// survey is data for all rows without writing any.
func (w *Writer) survey(rows change.Rows, image change.Image) {
	w.names.reset(rows, rows.MaxNames(image))
	w.keys, w.row = 0, 0
	for rows.Rewind(); rows.Next(); {
		w.row++
		w.names.guess = 0
		rows.Select(image)
		for c := rows.Column(); c != nil; c = rows.Column() {
			w.note(c)
			if c.Key && w.row == 1 {
				w.keys++
			}
		}
	}
}
