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
	store wire.Message
	next  wire.Reader  // before the next row
	row   wire.Message // the current row
	cols  wire.Reader  // before the next column
	image wire.Tag
	names [2]nameCount // by image

	col, at change.Column // what Column and At return
	scratch Column
}

// open makes r a cursor over a RowChange; the counts of names stay.
func (r *rows) open(store []byte) {
	r.store = wire.NewMessage(store)
	r.Rewind()
}

// Rewind implements [change.Rows].
func (r *rows) Rewind() {
	r.next = r.store.Reader()
	r.row, r.cols = wire.Message{}, wire.Reader{}
}

// Next implements [change.Rows].
func (r *rows) Next() bool {
	for r.next.Next() {
		if r.next.Tag == changeRowDatas {
			r.row, r.cols = r.next.Message(), wire.Reader{}
			return true
		}
	}
	return false
}

// Select implements [change.Rows].
func (r *rows) Select(im change.Image) {
	r.cols, r.image = r.row.Reader(), imageTag(im)
}

// Column implements [change.Rows].
func (r *rows) Column() *change.Column {
	for r.cols.Next() {
		if r.cols.Tag == r.image {
			r.fill(&r.col, r.cols.Bytes)
			r.col.Ref = uint32(r.cols.Offset)
			return &r.col
		}
	}
	return nil
}

// At implements [change.Rows].
func (r *rows) At(ref uint32) *change.Column {
	one := wire.NewReader(r.store.Bytes()[ref:])
	one.Next()
	r.fill(&r.at, one.Bytes)
	r.at.Ref = ref
	return &r.at
}

// MaxNames implements [change.Rows].
func (r *rows) MaxNames(im change.Image) int { return r.names[im].most() }

// nameCount counts columns by the length of their name: there are few different
// short ones.
type nameCount struct{ one, two, longer int }

func (n *nameCount) add(name []byte) {
	switch len(name) {
	case 0:
	case 1:
		n.one++
	case 2:
		n.two++
	default:
		n.longer++
	}
}

// most returns how many different names there can be, one without bytes too.
func (n *nameCount) most() int { return 1 + min(n.one, 1<<8) + min(n.two, 1<<16) + n.longer }

// fill reads an encoded column. Its Ref is left to the caller.
func (r *rows) fill(c *change.Column, b []byte) {
	from := &r.scratch
	if from.parse(wire.NewMessage(b)) != nil {
		*from = Column{} // the record was written to since it was checked
	}
	c.Name, c.Value, c.MySQLType, c.SQLType = from.Name, from.Value, from.MySQLType, from.SQLType
	c.Key, c.Updated, c.Null, c.Heavy = from.IsKey, from.Updated, from.IsNull, from.heavy
}
