package fastjson

import "github.com/cdcodec/cdcodec/change"

// The walks over rows. Each walk over one image of one row has a number,
// w.stamp; the names table notes which walk met a name last, and so a name that
// is in a row twice is found without a set per row. That is rare: then what was
// written of the row is taken back and the row is written with care.

// data is rules 5 and 8: the rows' columns, and the table of all their names.
// On the way it counts the keys of the first row and notes for each name since
// which row it is updated.
func (w *Writer) data(dst []byte, rows change.Rows, image change.Image) []byte {
	w.keys = 0
	if rows == nil {
		return append(dst, "null"...)
	}
	w.names.reset(rows, rows.MaxNames(image))
	n := 0
	w.row = 0
	for rows.Rewind(); rows.Next() && w.err == nil; {
		w.row++
		start := len(dst)
		dst = append(dst, separator('[', n))
		object := len(dst)
		rows.Select(image)
		dst = w.dataRow(dst, rows, image)
		if w.cut.marking {
			w.cut.data = appendMark(w.cut.data, len(dst)-object)
		}
		if len(dst) == object { // no columns, no element
			dst = dst[:start]
			continue
		}
		n++
	}
	if n == 0 {
		return append(dst, "null"...)
	}
	return append(dst, ']')
}

// dataRow appends the object of the selected image, nothing if that has no
// columns.
func (w *Writer) dataRow(dst []byte, rows change.Rows, image change.Image) []byte {
	w.stamp++
	w.names.guess = 0
	start := len(dst)
	n := 0
	for c := rows.Column(); c != nil; c = rows.Column() {
		known := len(w.names.entries)
		e := w.note(c)
		twice := e.stamp == w.stamp
		e.stamp = w.stamp
		dst = append(dst, separator('{', n))
		if known < len(w.names.entries) {
			dst = w.firstColumn(dst, c, known)
		} else {
			dst = w.column(dst, c)
		}
		if twice || w.err != nil {
			w.err = nil
			w.names.forget(start)
			return w.dataRowTwice(dst[:start], rows, image)
		}
		if c.Key && w.row == 1 {
			w.keys++
		}
		n++
	}
	if n == 0 {
		return dst
	}
	return append(dst, '}')
}

// note takes the name of a data column into the table.
func (w *Writer) note(c *change.Column) *nameEntry {
	e := w.names.add(c)
	if c.Updated && e.since == never {
		e.since = w.row
	}
	return e
}

// dataRowTwice is dataRow where a name may be there twice: the last value of a
// name is shown, at the position of the first. An error of dataRow leads here
// too: it counts only if it is met again, in a value that stays.
func (w *Writer) dataRowTwice(dst []byte, rows change.Rows, image change.Image) []byte {
	keys := 0
	rows.Select(image)
	for c := rows.Column(); c != nil; c = rows.Column() {
		w.note(c)
		if c.Key {
			keys++
		}
	}
	if w.row == 1 {
		w.keys = keys
	}
	w.stamp++
	n := 0
	rows.Select(image)
	for c := rows.Column(); c != nil && w.err == nil; c = rows.Column() {
		w.checkName(c)
		e := w.names.find(c.Name)
		if e == nil || e.stamp == w.stamp {
			continue
		}
		e.stamp = w.stamp
		dst = w.column(append(dst, separator('{', n)), rows.At(e.ref))
		n++
	}
	return append(dst, '}')
}

// old is rule 6: one element per row, with the before columns whose name is
// updated: since this row or one before it, or, with OldPerRow, in this row.
func (w *Writer) old(dst []byte, rows change.Rows) []byte {
	if rows == nil {
		return append(dst, "null"...)
	}
	n := 0
	w.row = 0
	for rows.Rewind(); rows.Next() && w.err == nil; n++ {
		w.row++
		if w.opts.OldPerRow {
			w.updatedHere(rows)
		}
		dst = append(dst, separator('[', n))
		object := len(dst)
		dst = w.oldRow(dst, rows)
		if w.cut.marking {
			w.cut.old = appendMark(w.cut.old, len(dst)-object)
		}
		if len(dst) > w.end { // rows without columns ask for no text
			w.err = ErrMaxOutput
		}
	}
	if n == 0 {
		return append(dst, "null"...)
	}
	return append(dst, ']')
}

// updatedHere makes the current row the since of the names it flags.
func (w *Writer) updatedHere(rows change.Rows) {
	w.names.guess = 0
	rows.Select(change.After)
	for c := rows.Column(); c != nil; c = rows.Column() {
		if c.Updated {
			if e := w.names.find(c.Name); e != nil {
				e.since = w.row
			}
		}
	}
}

// updated returns the entry of a before column that old shows, nil if it does
// not.
func (w *Writer) updated(c *change.Column) *nameEntry {
	e := w.names.find(c.Name)
	if e == nil || !w.opts.OldComplete && (e.since > w.row || w.opts.OldPerRow && e.since != w.row) {
		return nil
	}
	return e
}

// oldRow appends the object of the current row's before image.
func (w *Writer) oldRow(dst []byte, rows change.Rows) []byte {
	w.stamp++
	w.names.guess = 0
	start := len(dst)
	n := 0
	dst = append(dst, '{')
	rows.Select(change.Before)
	for c := rows.Column(); c != nil; c = rows.Column() {
		e := w.updated(c)
		if e == nil {
			if w.opts.OldComplete { // a name that is in no data
				return w.oldRowTwice(dst[:start], rows)
			}
			continue
		}
		twice := e.stamp == w.stamp
		e.stamp = w.stamp
		if n > 0 {
			dst = append(dst, ',')
		}
		dst = w.column(dst, c)
		if twice || w.err != nil {
			w.err = nil
			return w.oldRowTwice(dst[:start], rows)
		}
		n++
	}
	return append(dst, '}')
}

// oldRowTwice is oldRow where a name may be there twice, see dataRowTwice.
func (w *Writer) oldRowTwice(dst []byte, rows change.Rows) []byte {
	named := 1
	rows.Select(change.Before)
	for c := rows.Column(); c != nil; c = rows.Column() {
		if len(c.Name) > 0 {
			named++
		}
	}
	w.twice.reset(rows, min(named, rows.MaxNames(change.Before)))
	defer w.twice.release()
	rows.Select(change.Before)
	for c := rows.Column(); c != nil; c = rows.Column() {
		if w.opts.OldComplete || w.updated(c) != nil {
			w.checkName(c)
			w.twice.add(c)
		}
	}
	dst = append(dst, '{')
	for n := range w.twice.entries {
		if w.err != nil {
			break
		}
		if n > 0 {
			dst = append(dst, ',')
		}
		dst = w.column(dst, rows.At(w.twice.entries[n].ref))
	}
	return append(dst, '}')
}
