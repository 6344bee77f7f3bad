package changedataset

import (
	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/wire"
)

// malformed reads all of a set in the order of the wire and returns the first
// error, nil if all of it is protobuf.
func (d *Decoder) malformed() *wire.ParseError {
	r := d.set.Reader()
	for r.Next() {
		_, in := setNames.of(r.Tag)
		if in == nil {
			continue
		}
		if err := in.check(r.Message()); err != nil {
			if r.Tag != setSyncPoint {
				err.Table = d.nameIn(r.Message())
			}
			return setNames.inside(err, &r)
		}
	}
	return setNames.failed(&r)
}

// nameIn returns the tableName of a schema or change, which may be bad, as errors
// have it.
func (d *Decoder) nameIn(m wire.Message) string {
	var name []byte
	for r := m.Reader(); r.Next(); {
		if r.Tag == schemaTableName { // of a change too
			name = r.Bytes
		}
	}
	return d.fullName(name)
}

// check reads all changes, the schemas of whose tables are known by now. It also
// finds out for how many places of data one of them has need at most.
func (d *Decoder) check() *wire.ParseError {
	for r := d.set.Reader(); r.Next(); {
		if r.Tag != setTableChange {
			continue
		}
		if err := d.checkChange(&r); err != nil {
			return setNames.inside(err, &r)
		}
	}
	return nil
}

// checkChange checks the change that is outer's current field: that it is well
// formed, and a row of a table.
func (d *Decoder) checkChange(outer *wire.Reader) *wire.ParseError {
	var name []byte
	var n [2]int     // data, by image
	var c ColumnData // where a field is absent it has that of one before
	r := outer.Message().Reader()
	for r.Next() {
		switch r.Tag {
		case changeTableName:
			name = r.Bytes
			continue
		case changeBeforeData:
			n[change.Before]++
		case changeAfterData:
			n[change.After]++
		default:
			continue
		}
		if !c.scan(r.Bytes) {
			var err *wire.ParseError
			if c, err = parseColumnData(r.Message()); err != nil {
				return err
			}
		}
		d.rows.longest = max(d.rows.longest, len(c.BytesValue))
	}
	if r.Err() != nil {
		return r.Err()
	}
	for im := range n {
		d.rows.most[im] = max(d.rows.most[im], n[im])
	}
	if len(name) == 0 {
		return noName(outer)
	}
	var bad *wire.ParseError
	t, ok := d.tables.lookup(name)
	switch {
	case n[change.Before]+n[change.After] == 0:
		bad = lacking(outer, ErrNoData)
	case !ok:
		bad = lacking(outer, ErrNoSchema)
	default:
		bad = d.checkData(outer, t, n)
	}
	if bad != nil {
		bad.Table = d.fullName(name)
	}
	return bad
}

// lacking returns the error of a change that lacks something.
func lacking(outer *wire.Reader, err error) *wire.ParseError {
	return &wire.ParseError{Offset: outer.Offset, Number: setTableChange.Number(), Err: err}
}

// noName returns the error of a change whose last tableName is empty, or which has
// none.
func noName(outer *wire.Reader) *wire.ParseError {
	bad := lacking(outer, ErrNoTable)
	last(bad, outer.Message(), changeNames, changeTableName)
	return bad
}

// checkData checks the data of a change of table t, so many of each image.
func (d *Decoder) checkData(outer *wire.Reader, t table, n [2]int) *wire.ParseError {
	for im, n := range n {
		if n != 0 && n != len(t.words) {
			bad := lacking(outer, ErrColumns)
			if n > len(t.words) {
				nth(bad, outer.Message(), imageTag(change.Image(im)), len(t.words))
			}
			return bad
		}
	}
	if t.flags&tableBits == 0 {
		return nil
	}
	var at [2]int
	r := outer.Message().Reader()
	for r.Next() {
		im := change.After
		switch r.Tag {
		case changeBeforeData:
			im = change.Before
		case changeAfterData:
		default:
			continue
		}
		i := at[im]
		at[im]++
		if !d.tables.isBit(t.words, i) {
			continue
		}
		if c, _ := parseColumnData(r.Message()); c.badBit() {
			bad := &wire.ParseError{Err: ErrBit}
			last(bad, r.Message(), dataNames, dataBytesValue)
			return changeNames.inside(bad, &r)
		}
	}
	return nil
}

// nth makes bad speak of the n-th datum of an image of a change, from 0.
func nth(bad *wire.ParseError, m wire.Message, tag wire.Tag, n int) {
	r := m.Reader()
	for r.Next() {
		if r.Tag != tag {
			continue
		}
		if n--; n < 0 {
			bad.Offset, bad.Number = r.Offset, tag.Number()
			changeNames.inside(bad, &r)
			return
		}
	}
}

// last makes found speak of the last field of m with that tag, if there is one.
func last(found *wire.ParseError, m wire.Message, names fieldNames, tag wire.Tag) {
	for r := m.Reader(); r.Next(); {
		if r.Tag == tag {
			found.Offset, found.Number = r.Offset, tag.Number()
			found.Path, _ = names.of(tag)
		}
	}
}
