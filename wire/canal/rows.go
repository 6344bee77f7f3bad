package canal

import (
	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/wire"
)

// rows is the change.Rows of a RowChange that a Decoder has checked. It holds
// two positions in the RowChange and no column: an Event with a million columns
// takes no more memory than one with ten. A column's Ref is the offset of its
// tag in the RowChange.
type rows struct {
	store []byte
	next  wire.Reader // before the next row
	row   wire.Reader // at the start of the current row
	cols  wire.Reader // before the next column
	image wire.Tag
	names [2]int // columns that have a name, by image

	col, at change.Column // what Column and At return
}

// open makes r a cursor over store; the counts of names stay.
func (r *rows) open(store []byte) {
	r.store = store
	r.Rewind()
}

// Rewind implements [change.Rows].
func (r *rows) Rewind() {
	r.next = wire.NewReader(r.store)
	r.row, r.cols = wire.Reader{}, wire.Reader{}
}

// Next implements [change.Rows].
func (r *rows) Next() bool {
	for f, ok := r.next.Next(); ok; f, ok = r.next.Next() {
		if f.Tag == changeRowDatas {
			r.row = r.next.Message(f)
			r.cols = wire.Reader{}
			return true
		}
	}
	return false
}

// Select implements [change.Rows].
func (r *rows) Select(im change.Image) {
	r.cols, r.image = r.row, imageTag(im)
}

// Column implements [change.Rows].
func (r *rows) Column() *change.Column {
	for f, ok := r.cols.Next(); ok; f, ok = r.cols.Next() {
		if f.Tag == r.image {
			fill(&r.col, f)
			return &r.col
		}
	}
	return nil
}

// At implements [change.Rows].
func (r *rows) At(ref uint32) *change.Column {
	one := wire.NewReaderAt(r.store[ref:], int(ref), 1)
	f, _ := one.Next()
	fill(&r.at, f)
	return &r.at
}

// MaxNames implements [change.Rows].
func (r *rows) MaxNames(im change.Image) int { return r.names[im] + 1 }

// fill reads the column that f, a field of a RowData, holds.
func fill(c *change.Column, f wire.Field) {
	*c = change.Column{Ref: uint32(f.Offset)}
	r := wire.NewReader(f.Bytes)
	for f, ok := r.Next(); ok; f, ok = r.Next() {
		switch f.Tag {
		case columnSQLType:
			c.SQLType = f.Int32()
		case columnName:
			c.Name = f.Bytes
		case columnIsKey:
			c.Key = f.Bool()
		case columnUpdated:
			c.Updated = f.Bool()
		case columnIsNull:
			c.Null = f.Bool()
		case columnValue:
			c.Value = f.Bytes
		case columnMySQLType:
			c.MySQLType = f.Bytes
		}
	}
}
