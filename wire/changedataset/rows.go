package changedataset

import (
	"bytes"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/internal/mysqltype"
)

// rows is the change.Rows of one TableChange: one row. Of its data it holds where
// in the record they are, 4 bytes for each; a column is read when it is asked
// for. Where several columns have one name the first is shown, with what the last
// one says.
//
// A column's Ref is its number in the schema, and its image: number << 1 | image.
type rows struct {
	tables *tables
	table  table
	data   [2][]uint32 // by image: places of ColumnData, as many as there are columns or none
	typ    change.Type

	most    [2]int // data of a change of the record, at most, by image
	longest int    // bytes of a bytesValue of the record, at most

	numbers bool // PassSQLType
	begun   bool // Next has been called
	image   change.Image
	i, n    int // the next column, and how many

	col, at       change.Column // what Column and At return
	colBuf, atBuf []byte        // values that are made, not borrowed
}

// open makes r the rows of d's current change, and returns the change's
// tableName.
func (r *rows) open(d *Decoder) (name []byte) {
	r.tables = &d.tables
	before, after := d.places[change.Before][:0], d.places[change.After][:0]
	in := d.changes.Message().Reader()
	for in.Next() {
		switch in.Tag {
		case changeTableName:
			name = in.Bytes
		case changeBeforeData:
			before = append(before, uint32(in.Offset))
		case changeAfterData:
			after = append(after, uint32(in.Offset))
		}
	}
	r.table, _ = d.tables.lookup(name)
	// They are as many as was checked, unless the record was written to since.
	if len(before) != len(r.table.words) {
		before = nil
	}
	if len(after) != len(r.table.words) {
		after = nil
	}
	r.data = [2][]uint32{change.Before: before, change.After: after}
	switch {
	case len(before) == 0:
		r.typ = change.Insert
	case len(after) == 0:
		r.typ = change.Delete
	default:
		r.typ = change.Update
	}
	r.Rewind()
	return name
}

// reset drops all that r borrows.
func (r *rows) reset() {
	*r = rows{colBuf: keep(r.colBuf, keepValue), atBuf: keep(r.atBuf, keepBytes)}
}

// Rewind implements [change.Rows].
func (r *rows) Rewind() { r.begun, r.n = false, 0 }

// Next implements [change.Rows].
func (r *rows) Next() bool {
	if r.begun {
		return false
	}
	r.begun, r.n = true, 0
	return true
}

// Select implements [change.Rows].
func (r *rows) Select(im change.Image) {
	r.image, r.i, r.n = im, 0, len(r.data[im])
}

// Column implements [change.Rows].
func (r *rows) Column() *change.Column {
	for r.i < r.n {
		i := r.i
		r.i++
		if r.table.words[i]&wordSkip == 0 {
			r.colBuf = r.fill(&r.col, r.colBuf, i, r.image)
			return &r.col
		}
	}
	return nil
}

// At implements [change.Rows].
func (r *rows) At(ref uint32) *change.Column {
	r.atBuf = r.fill(&r.at, r.atBuf, int(ref>>1), change.Image(ref&1))
	return &r.at
}

// MaxNames implements [change.Rows].
func (r *rows) MaxNames(im change.Image) int {
	if len(r.data[im]) == 0 {
		return 0
	}
	return r.table.distinct
}

// fill reads column i of an image. A value that is not in the record is put in
// buf, which fill returns, longer if it had to be.
func (r *rows) fill(c *change.Column, buf []byte, i int, im change.Image) []byte {
	c.Ref = uint32(i)<<1 | uint32(im)
	i, w, key := shown(r.table.words, i)
	m := r.tables.meta(w)
	c.Name, c.MySQLType = r.tables.text(m.name, m.nameLen), r.tables.text(m.typ, m.typLen)
	c.Key = key || m.flags&metaKey != 0
	c.Handle = m.flags&metaUnique != 0 && r.table.flags&tableKeyed == 0
	t := mysqltype.Type{Base: m.base, Unsigned: m.flags&metaUnsigned != 0}

	var d ColumnData
	raw := r.datum(r.data[im][i])
	d.read(raw)
	heavy := d.fields >= heavyFields
	if cap(buf) < numberSize {
		buf = make([]byte, 0, numberSize)
	}
	var text []byte
	wide := false
	null := d.Null()
	if !null {
		text, wide = d.text(t, buf[:0])
	}
	c.Updated = false
	if r.typ == change.Update {
		if b := r.datum(r.data[change.After-im][i]); !bytes.Equal(raw, b) {
			var other ColumnData
			other.read(b)
			c.Updated = differs(t, null, text, wide, &other)
			heavy = heavy || other.fields >= heavyFields
		}
	}
	c.SQLType = t.SQLType(text)
	if r.numbers {
		if n, ok := plainInt32(d.SQLType); ok {
			c.SQLType = n
		}
	}
	if wide {
		if widened(text) > len(text) {
			buf = sized(buf, 2*r.longest) // for all values to come: at most once
			text = appendWide(buf[:0], text)
		}
	}
	c.Value, c.Null, c.Heavy = text, null, heavy
	return buf
}

// datum returns the ColumnData at place.
func (r *rows) datum(place uint32) []byte {
	start, stop := field(r.tables.rec, place)
	return r.tables.rec[start:stop:stop]
}

// differs reports whether a value of type t, which d.text has returned or which is
// null, is another one than that of other.
func differs(t mysqltype.Type, null bool, text []byte, wide bool, other *ColumnData) bool {
	if null || other.Null() {
		return null != other.Null()
	}
	var buf [numberSize]byte
	otherText, otherWide := other.text(t, buf[:0])
	switch {
	case wide == otherWide:
		return !bytes.Equal(text, otherText)
	case wide:
		return !sameWide(otherText, text)
	}
	return !sameWide(text, otherText)
}
