package fastjson

import (
	"bytes"
	"math"
	"strconv"

	"github.com/cdcodec/cdcodec/change"
)

// The columns of one row in dialect ticdc. One table has the names of all rows of an
// Event; what is known of a name in the row at hand is in its entry:
//
//	ref    its last column in the image that data takes
//	since  its last column in the image Before of an UPDATE
//	stamp  the row's number and the flags below; those of another row mean none
//
// A row is walked once to learn its names and write its data (noteRow); pkNames
// and the types are written from the table, or copied from the row before if they
// are the same there, and old on a walk of its own. A name that is twice in an
// image is rare enough for another try with care: data is written from the refs
// then.

// The flags in nameEntry.stamp.
const (
	inData   = 1 << iota // data has the name
	inBefore             // the image Before of an UPDATE has it
	isKey                // a column of that name in data is a key,
	isHandle             // or a handle
	listed               // it has been written
	differs              // what old has of it is not what data has

	flagBits = iota
	lastRow  = math.MaxUint32 >> flagBits
)

// ticdcBegin gets ready for the rows of an Event.
func (w *Writer) ticdcBegin(ev *change.Event) {
	t := &w.ticdc
	t.rows, t.image, t.promoted = ev.Rows, change.ImageOf(ev.Type), ev.Promoted
	if t.types == nil {
		t.types = new(typeCache)
	}
	n := countRows(t.rows)
	w.expectEnds(n)
	if w.cut.telling {
		w.expectParts(n)
	}
	most := max(t.rows.MaxNames(t.image), 1)
	if ev.Type == change.Update {
		most += max(t.rows.MaxNames(change.Before), 1) - 1
	}
	t.order.reset()
	t.to, t.twice = 0, false
	w.names.raw = true
	w.names.reset(t.rows, most)
	w.row = 0
}

// ticdcEnd drops what is borrowed, and memory that has become large.
func (w *Writer) ticdcEnd() {
	w.ticdc.rows = nil
	w.ticdc.order.release()
}

// noteRow takes the names of the current row's data image into the table. With
// write it appends that row's object too, if that can be done without care.
func (w *Writer) noteRow(dst []byte, write bool) []byte {
	start := len(dst)
	t := &w.ticdc
	first, before := t.order.first, t.order.n // of the row before
	t.alike = !t.twice && !t.order.scattered
	if w.row == lastRow {
		for n := range w.names.entries {
			w.names.entries[n].stamp = 0
		}
		w.row, t.alike = 0, false
	}
	w.row++
	t.order.reset()
	t.keys, t.handles, t.twice = 0, 0, false
	w.names.guess = first
	t.rows.Select(t.image)
	for c := t.rows.Column(); c != nil; c = t.rows.Column() {
		sqlType := w.sqlType(c)
		if n := t.order.n; t.alike {
			t.alike = n < before && w.isAlike(first+n, c, sqlType)
		}
		e := w.names.addAs(c, sqlType)
		if w.see(e) {
			e.stamp |= inData
			t.order.add(w.names.guess - 1)
			if write {
				dst = w.firstColumn(append(dst, ','), c, w.names.guess-1)
			}
		} else {
			t.twice, t.alike = true, false
		}
		if c.Key {
			e.stamp |= isKey
			t.keys++
		}
		if c.Handle {
			e.stamp |= isHandle
			t.handles++
		}
	}
	if t.order.n != before {
		t.alike = false
	}
	if t.dataAt, t.dataEnd = start, 0; t.twice || w.err != nil {
		w.err = nil
		return dst[:start]
	}
	if len(dst) > start {
		dst[start] = '{'
		dst = append(dst, '}')
		t.dataEnd = len(dst)
	}
	return dst
}

// isAlike reports whether c says of itself what the column of name n in the row
// before said.
func (w *Writer) isAlike(n int, c *change.Column, sqlType int32) bool {
	if n >= len(w.names.last) {
		return false
	}
	was, e := &w.names.last[n], &w.names.entries[n]
	return was.sqlType == sqlType && c.Key == (e.stamp&isKey != 0) &&
		bytes.Equal(was.name, c.Name) && bytes.Equal(was.mysqlType, c.MySQLType)
}

// see makes e's flags those of the current row and reports whether they were not.
func (w *Writer) see(e *nameEntry) bool {
	if e.stamp>>flagBits == w.row {
		return false
	}
	e.stamp = w.row << flagBits
	return true
}

// handleKey returns the flag of the columns that are the row's handle key, 0 if it
// has none: rule 12. A unique key does not find a row in which it is NULL, before
// or after.
func (w *Writer) handleKey() uint32 {
	switch t := &w.ticdc; {
	case t.keys > 0:
		return isKey
	case t.handles > 0 && !hasNullHandle(t.rows, change.Before) && !hasNullHandle(t.rows, change.After):
		return isHandle
	}
	return 0
}

// hasNullHandle reports whether a handle column of that image is NULL.
func hasNullHandle(rows change.Rows, im change.Image) bool {
	rows.Select(im)
	for c := rows.Column(); c != nil; c = rows.Column() {
		if c.Handle && c.Null {
			return true
		}
	}
	return false
}

// shows reports whether a column with that entry is shown.
func (e *nameEntry) shows(shown uint32) bool { return shown == 0 || e.stamp&shown != 0 }

// ticdcKeys appends the value of pkNames: rule 3, each name once.
func (w *Writer) ticdcKeys(dst []byte) []byte {
	t := &w.ticdc
	if t.keys == 0 {
		return append(dst, "[]"...)
	}
	if t.twice {
		return w.ticdcKeysTwice(dst)
	}
	n := 0
	for i := range t.order.n {
		k := t.order.at(i)
		if e := &w.names.entries[k]; e.stamp&isKey != 0 {
			dst = append(dst, separator('[', n))
			dst = w.text(dst, w.names.column(k).name, change.TextName, e.ref)
			n++
		}
	}
	return append(dst, ']')
}

// ticdcKeysTwice is ticdcKeys for a row that has a name twice, maybe once as a key
// and once not.
func (w *Writer) ticdcKeysTwice(dst []byte) []byte {
	t := &w.ticdc
	for i := range t.order.n {
		k := t.order.at(i)
		w.names.entries[k].stamp &^= listed
	}
	n := 0
	w.names.guess = 0
	t.rows.Select(t.image)
	for c := t.rows.Column(); c != nil && w.err == nil; c = t.rows.Column() {
		if !c.Key {
			continue
		}
		if e := w.names.find(c.Name); e != nil && e.stamp&listed == 0 {
			e.stamp |= listed
			dst = append(dst, separator('[', n))
			dst = w.text(dst, c.Name, change.TextName, c.Ref)
			n++
		}
	}
	return append(dst, ']')
}

// ticdcTypes appends the value of sqlType, and mysqlType.
func (w *Writer) ticdcTypes(dst []byte, shown uint32) []byte {
	n := 0
	for i := range w.ticdc.order.n {
		k := w.ticdc.order.at(i)
		e := &w.names.entries[k]
		if !e.shows(shown) || w.err != nil {
			continue
		}
		dst = w.ticdcName(append(dst, separator('{', n)), k)
		dst = strconv.AppendInt(dst, int64(w.cell(k).sqlType), 10)
		n++
	}
	dst = append(dst, `},"mysqlType":`...)
	n = 0
	for i := range w.ticdc.order.n {
		k := w.ticdc.order.at(i)
		e := &w.names.entries[k]
		if !e.shows(shown) || w.err != nil {
			continue
		}
		dst = w.ticdcName(append(dst, separator('{', n)), k)
		dst = w.mysqlType(dst, w.names.column(k).mysqlType, e.ref)
		n++
	}
	return append(dst, '}')
}

// ticdcName appends `"name":` of entry k.
func (w *Writer) ticdcName(dst []byte, k int) []byte {
	if w.ticdc.dataEnd > 0 && w.names.entries[k].stamp&inData != 0 {
		return w.name(dst, k)
	}
	return append(w.text(dst, w.names.column(k).name, change.TextName, w.names.entries[k].ref), ':')
}

// cell returns what entry n's last column says, with the sqlType that dialect ticdc
// has for it.
func (w *Writer) cell(n int) lastColumn {
	if n < len(w.names.last) {
		return w.names.last[n]
	}
	if c, ok := w.names.heavy[n]; ok {
		return c
	}
	c := w.ticdc.rows.At(w.names.entries[n].ref)
	return lastColumn{name: c.Name, mysqlType: c.MySQLType, sqlType: w.sqlType(c)}
}

// ticdcData appends the value of data.
func (w *Writer) ticdcData(dst []byte, shown uint32) []byte {
	dst = append(dst, '[')
	if t := &w.ticdc; t.dataEnd > 0 && shown == 0 {
		return append(append(dst, dst[t.dataAt:t.dataEnd]...), ']')
	}
	n := 0
	for i := range w.ticdc.order.n {
		k := w.ticdc.order.at(i)
		e := &w.names.entries[k]
		if !e.shows(shown) || w.err != nil {
			continue
		}
		dst = w.column(append(dst, separator('{', n)), w.ticdc.rows.At(e.ref))
		n++
	}
	return append(dst, "}]"...)
}

// ticdcOld appends the value of old: rule 4.
func (w *Writer) ticdcOld(dst []byte, ev *change.Event, shown uint32) []byte {
	if ev.Type != change.Update || w.err != nil {
		return append(dst, "null"...)
	}
	onlyUpdated := w.opts.TiCDC.OnlyUpdated || w.opts.TiCDC.ContentCompatible
	dst = append(dst, '[')
	if ev.Partial && !onlyUpdated {
		dst = w.ticdcOldCareful(dst, shown, false, true)
	} else {
		dst = w.ticdcOldRow(dst, shown, onlyUpdated)
	}
	return append(dst, ']')
}

// ticdcOldRow appends the object of the current row's before image.
func (w *Writer) ticdcOldRow(dst []byte, shown uint32, onlyUpdated bool) []byte {
	t := &w.ticdc
	start := len(dst)
	dst = append(dst, '{')
	w.names.guess = t.order.first
	t.rows.Select(change.Before)
	for c := t.rows.Column(); c != nil; c = t.rows.Column() {
		e := w.before(c)
		twice := e.stamp&inBefore != 0
		e.stamp |= inBefore
		if e.shows(shown) && (!onlyUpdated || w.differs(c, e)) {
			if len(dst) > start+1 {
				dst = append(dst, ',')
			}
			dst = w.value(w.ticdcName(dst, w.names.guess-1), c)
		}
		if twice || w.err != nil {
			w.err = nil
			return w.ticdcOldCareful(dst[:start], shown, onlyUpdated, false)
		}
	}
	return append(dst, '}')
}

// before returns the entry of a column of the before image.
func (w *Writer) before(c *change.Column) *nameEntry {
	e := w.names.find(c.Name)
	if e == nil {
		e = w.names.add(c)
	}
	w.see(e)
	return e
}

// differs reports whether a before column's value is not the one that data shows.
func (w *Writer) differs(c *change.Column, e *nameEntry) bool {
	if e.stamp&inData == 0 {
		return true
	}
	a := w.ticdc.rows.At(e.ref)
	return a.Null != c.Null || !c.Null && !bytes.Equal(a.Value, c.Value)
}

// ticdcOldCareful is ticdcOldRow where a name may be there twice: the last value of
// a name is shown, at the position of the first. An error of ticdcOldRow leads here
// too: it counts only if it is met again, in a value that stays. With complete, the
// before image holds but what has changed: all else is as in data, and in the order
// of data.
func (w *Writer) ticdcOldCareful(dst []byte, shown uint32, onlyUpdated, complete bool) []byte {
	t := &w.ticdc
	w.names.guess = t.order.first
	t.rows.Select(change.Before)
	for c := t.rows.Column(); c != nil; c = t.rows.Column() {
		e := w.before(c)
		e.since = c.Ref
		e.stamp = e.stamp&^(listed|differs) | inBefore
	}
	if onlyUpdated {
		t.rows.Select(change.Before)
		for c := t.rows.Column(); c != nil; c = t.rows.Column() {
			if e := w.names.find(c.Name); e != nil && e.since == c.Ref && w.differs(c, e) {
				e.stamp |= differs
			}
		}
	}
	start := len(dst)
	dst = append(dst, '{')
	if complete {
		for i := range t.order.n {
			k := t.order.at(i)
			e := &w.names.entries[k]
			if !e.shows(shown) || w.err != nil {
				continue
			}
			if len(dst) > start+1 {
				dst = append(dst, ',')
			}
			ref := e.ref
			if e.stamp&inBefore != 0 {
				ref = e.since
			}
			dst = w.column(dst, t.rows.At(ref))
			e.stamp |= listed
		}
	}
	t.rows.Select(change.Before)
	for c := t.rows.Column(); c != nil && w.err == nil; c = t.rows.Column() {
		e := w.names.find(c.Name)
		if e == nil || e.stamp&listed != 0 || !e.shows(shown) || onlyUpdated && e.stamp&differs == 0 {
			continue
		}
		e.stamp |= listed
		if len(dst) > start+1 {
			dst = append(dst, ',')
		}
		dst = w.column(dst, t.rows.At(e.since))
	}
	return append(dst, '}')
}
