package fastjson

import (
	"strconv"

	"github.com/cdcodec/cdcodec/change"
)

// The message of dialect canal; rows.go has the walks over its rows. The comments
// number the rules of spec/canal.md 2.

// message is rule 1: all keys, in this order. Once w.err is set what it appends
// does not matter.
func (w *Writer) message(dst []byte, ev *change.Event, m Meta) []byte {
	rows := ev.Rows
	if !ev.HasRows() { // rule 4
		rows = nil
	}
	dst = append(dst, `{"data":`...)
	dst = w.data(dst, rows, change.ImageOf(ev.Type))
	w.cut.middleAt = len(dst)
	dst = w.middle(dst, ev, m, rows)
	w.cut.oldAt = len(dst)
	if ev.Type == change.Update {
		dst = w.old(dst, rows)
	} else {
		dst = append(dst, "null"...)
	}
	w.cut.tailAt = len(dst)
	return w.tail(dst, ev, m, rows)
}

// middle is what stands between data and old.
func (w *Writer) middle(dst []byte, ev *change.Event, m Meta, rows change.Rows) []byte {
	dst = append(dst, `,"database":`...)
	dst = w.text(dst, ev.Database, change.TextDatabase, 0)
	dst = append(dst, `,"es":`...)
	dst = w.numbers.es.append(dst, ev.ES)
	if !w.opts.OmitGTID {
		dst = append(dst, `,"gtid":`...)
		dst = w.text(dst, ev.GTID, change.TextGTID, 0)
	}
	dst = append(dst, `,"id":`...)
	dst = w.numbers.id.append(dst, m.ID)
	dst = append(dst, `,"isDdl":`...)
	dst = strconv.AppendBool(dst, ev.IsDDL)
	dst = append(dst, `,"mysqlType":`...)
	dst = w.types(dst, rows, false)
	return append(dst, `,"old":`...)
}

// tail is what stands behind old.
func (w *Writer) tail(dst []byte, ev *change.Event, m Meta, rows change.Rows) []byte {
	dst = append(dst, `,"pkNames":`...)
	dst = w.pkNames(dst, rows, change.ImageOf(ev.Type))
	dst = append(dst, `,"sql":`...)
	dst = w.text(dst, ev.SQL, change.TextSQL, 0)
	dst = append(dst, `,"sqlType":`...)
	dst = w.types(dst, rows, true)
	dst = append(dst, `,"table":`...)
	dst = w.text(dst, ev.Table, change.TextTable, 0)
	dst = append(dst, `,"ts":`...)
	dst = w.numbers.ts.append(dst, m.TS)
	dst = append(dst, `,"type":"`...)
	dst = append(dst, ev.Type.String()...)
	return append(dst, `"}`...)
}

// types is rule 8 for sqlType, where numbers is set, and for mysqlType, after data
// has filled the names.
func (w *Writer) types(dst []byte, rows change.Rows, numbers bool) []byte {
	if rows == nil || len(w.names.entries) == 0 {
		return append(dst, "null"...)
	}
	for n := range w.names.entries {
		dst = w.name(append(dst, separator('{', n)), n)
		var c *lastColumn
		if n < len(w.names.last) {
			c = &w.names.last[n]
		} else {
			far := w.names.column(n)
			c = &far
		}
		if numbers {
			dst = strconv.AppendInt(dst, int64(c.sqlType), 10)
		} else {
			dst = w.text(dst, c.mysqlType, change.TextMySQLType, w.names.entries[n].ref)
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
