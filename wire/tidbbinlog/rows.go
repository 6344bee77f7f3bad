package tidbbinlog

import (
	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/internal/mysqltype"
	"github.com/cdcodec/cdcodec/wire"
)

// rows is the change.Rows of one mutation. A column is what the table says of it and
// what the row says, and of an Update what the other row says too: three walks side by
// side. A column's Ref is its number and the image it is in.
type rows struct {
	t        *table
	mutation []byte
	typ      change.Type
	began    bool // Next has returned the row
	image    change.Image
	infos    infoWalk
	this     rowWalk
	other    rowWalk // the other row of an Update
	number   uint32  // of the next column

	marked bool
	marks  [2]marks // by image

	value, counter value // of this, of other
	col, at        change.Column
	text, atText   scratch
	atInfos        infoWalk
}

// open makes r the cursor over a mutation of t and returns what happened to the
// row.
func (r *rows) open(t *table, mutation []byte) change.Type {
	r.t, r.mutation, r.typ, r.marked = t, mutation, 0, false
	for f := wire.NewReader(mutation); f.Next(); {
		if f.Tag == mutationType {
			r.typ = MutationType(f.Int32()).Change()
		}
	}
	r.Rewind()
	return r.typ
}

// release drops what r borrows, and its memory where that has become large.
func (r *rows) release() {
	r.t, r.mutation, r.typ, r.marked = nil, nil, 0, false
	r.infos, r.atInfos = infoWalk{}, infoWalk{}
	r.col, r.at, r.value, r.counter = change.Column{}, change.Column{}, value{}, value{}
	r.text.release()
	r.atText.release()
	for im := range r.marks {
		r.marks[im] = r.marks[im][:0]
		if cap(r.marks[im]) > keepMarks {
			r.marks[im] = nil
		}
	}
	r.Rewind()
}

// Rewind implements [change.Rows].
func (r *rows) Rewind() {
	r.began = false
	r.this, r.other = rowWalk{}, rowWalk{}
}

// Next implements [change.Rows].
func (r *rows) Next() bool {
	first := !r.began && r.t != nil
	r.began = true
	r.this, r.other = rowWalk{}, rowWalk{}
	return first
}

// Select implements [change.Rows].
func (r *rows) Select(im change.Image) {
	if r.t == nil {
		return
	}
	r.image, r.number = im, 0
	r.infos.start(r.t)
	r.walks(&r.this, &r.other, im)
}

// walks starts the walks over an image and over what it is held to.
func (r *rows) walks(this, other *rowWalk, im change.Image) {
	this.start(r.mutation, rowOf(r.typ, im))
	if r.typ == change.Update {
		other.start(r.mutation, rowOf(r.typ, im^1))
	}
}

// Column implements [change.Rows].
func (r *rows) Column() *change.Column {
	b, ok := r.this.next()
	if !ok {
		return nil
	}
	in := r.infos.next()
	if in == nil {
		return nil // the record was written to since it was checked
	}
	r.value.read(b, in.want)
	if r.typ == change.Update {
		r.against(&r.other, in)
	}
	r.fill(&r.col, in, &r.text)
	r.col.Ref = r.number<<1 | uint32(r.image)
	r.number++
	return &r.col
}

// against reads the next value of the other row.
func (r *rows) against(other *rowWalk, in *info) {
	b, _ := other.next()
	r.counter.read(b, in.want)
}

// At implements [change.Rows].
func (r *rows) At(ref uint32) *change.Column {
	number, im := ref>>1, change.Image(ref&1)
	if !r.marked {
		r.mark()
	}
	var this, other rowWalk
	r.walks(&this, &other, im)
	b, _ := this.find(r.marks[im], number)
	r.atInfos.start(r.t)
	in := r.atInfos.find(int(number))
	if in == nil {
		r.at = change.Column{}
		return &r.at
	}
	r.value.read(b, in.want)
	if r.typ == change.Update {
		b, _ = other.find(r.marks[im^1], number)
		r.counter.read(b, in.want)
	}
	r.fill(&r.at, in, &r.atText)
	r.at.Ref = ref
	return &r.at
}

// mark marks both images, once for a mutation and only if At is asked.
func (r *rows) mark() {
	r.marked = true
	for im := range r.marks {
		var w rowWalk
		w.start(r.mutation, rowOf(r.typ, change.Image(im)))
		r.marks[im] = w.mark(r.marks[im][:0])
	}
}

// MaxNames implements [change.Rows].
func (r *rows) MaxNames(im change.Image) int {
	if r.t == nil || rowOf(r.typ, im) == 0 {
		return 1
	}
	return r.t.distinct + 1
}

// longValue is how many bytes make a column heavy: At reads, and may have to rewrite,
// all of them.
const longValue = 1 << 10

// fill makes c the column of r.value, of an Update held to r.counter. Its Ref is
// left to the caller.
func (r *rows) fill(c *change.Column, in *info, s *scratch) {
	v := &r.value
	c.Name, c.MySQLType, c.SQLType = in.name, in.mysqlType, in.sqlType
	c.Key, c.Handle, c.Updated = in.flags&isKey != 0, in.flags&isHandle != 0, false
	c.Null, c.Heavy, c.Value = v.null, v.heavy || v.size() >= longValue, nil
	unsigned := v.isUnsigned()
	if r.typ == change.Update {
		o := &r.counter
		c.Updated = in.flags&isLast != 0 && !v.same(o, in.typ.Base)
		c.Heavy = c.Heavy || o.heavy || o.size() >= longValue
		unsigned = unsigned || o.isUnsigned()
	}
	if !v.null {
		c.Value = s.text(v, in.typ.Base)
	}
	if in.typ.Base.IsInteger() && (unsigned || in.typ.Unsigned) {
		typ := mysqltype.Type{Base: in.typ.Base, Unsigned: true, Zerofill: in.typ.Zerofill}
		c.MySQLType, c.SQLType = nameOfType(typ), typ.SQLType(c.Value)
	}
}
