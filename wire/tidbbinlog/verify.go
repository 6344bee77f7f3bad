package tidbbinlog

import (
	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/internal/mysqltype"
	"github.com/cdcodec/cdcodec/wire"
)

// verify holds the tables of a well-formed record to what a transaction must be
// (spec: tidb-binlog.md, last rule) and words what is wrong, in the order of the
// wire.
func (d *Decoder) verify(m wire.Message) *wire.ParseError {
	tables := 0
	for r := m.Reader(); r.Next(); {
		if r.Tag != binlogDML {
			continue
		}
		before := tables
		for dml := r.Message().Reader(); dml.Next(); {
			if dml.Tag != dmlTables {
				continue
			}
			tables++
			if err := d.verifyTable(dml.Message()); err != nil {
				err.Table = nameOf(d.table.schema, d.table.name)
				return binlogNames.inside(dmlNames.inside(err, &dml, before), &r, 0)
			}
		}
	}
	return nil
}

func (d *Decoder) verifyTable(m wire.Message) *wire.ParseError {
	d.table.load(m, false)
	hasBits := false
	var infos infoWalk
	infos.start(&d.table)
	for in := infos.next(); in != nil; in = infos.next() {
		hasBits = hasBits || in.typ.Base == mysqltype.Bit
	}
	for r := m.Reader(); r.Next(); {
		if r.Tag != tableMutations {
			continue
		}
		if err := d.verifyMutation(&r, hasBits); err != nil {
			return tableNames.inside(err, &r, 0)
		}
	}
	return nil
}

// verifyMutation verifies the mutation that is the current field of outer.
func (d *Decoder) verifyMutation(outer *wire.Reader, hasBits bool) *wire.ParseError {
	m := outer.Message()
	v, _ := parseMutation(m)
	missing := func(tag wire.Tag, err error) *wire.ParseError {
		return &wire.ParseError{Offset: outer.Offset, Number: tag.Number(), Path: mutationNames.of(tag), Err: err}
	}
	switch {
	case !v.HasType:
		return missing(mutationType, ErrMissing)
	case !v.Type.Change().HasRows():
		bad := &wire.ParseError{Err: ErrMutationType}
		lastField(bad, m, mutationNames, mutationType)
		return bad
	case !v.HasRow:
		return missing(mutationRow, ErrMissing)
	case v.Type == UpdateMutation && !v.HasChangeRow:
		return missing(mutationChangeRow, ErrNoChangeRow)
	}
	for _, im := range [...]change.Image{change.After, change.Before} {
		if row := rowOf(v.Type.Change(), im); row != 0 {
			if err := d.verifyRow(m, row, hasBits); err != nil {
				return err
			}
		}
	}
	return nil
}

// verifyRow verifies one row of the mutation m.
func (d *Decoder) verifyRow(m wire.Message, row wire.Tag, hasBits bool) *wire.ParseError {
	var infos infoWalk
	infos.start(&d.table)
	n := 0
	part := wire.Reader{} // the last one
	for r := m.Reader(); r.Next(); {
		if r.Tag != row {
			continue
		}
		part = r
		before := n
		for cols := r.Message().Reader(); cols.Next(); {
			if cols.Tag != rowColumns {
				continue
			}
			var err *wire.ParseError
			if n == d.table.columns {
				err = &wire.ParseError{Offset: cols.Offset, Number: cols.Tag.Number(), Err: ErrColumns}
			} else if hasBits {
				err = verifyBit(cols.Message(), infos.next())
			}
			if err != nil {
				return mutationNames.inside(rowNames.inside(err, &cols, before), &r, 0)
			}
			n++
		}
	}
	if n < d.table.columns {
		return &wire.ParseError{Offset: part.Offset, Number: row.Number(), Path: mutationNames.of(row), Err: ErrColumns}
	}
	return nil
}

// verifyBit verifies a value of a column, which may be a bit.
func verifyBit(m wire.Message, in *info) *wire.ParseError {
	if in.typ.Base != mysqltype.Bit {
		return nil
	}
	var v value
	v.read(m.Bytes(), in.want)
	if v.null || v.field != HasBytes || len(significant(v.data)) <= 8 {
		return nil
	}
	bad := &wire.ParseError{Err: ErrBit}
	lastField(bad, m, columnNames, columnBytes)
	return bad
}

// lastField makes found speak of the last field of m with that tag and reports
// whether there is one.
func lastField(found *wire.ParseError, m wire.Message, names fieldNames, tag wire.Tag) (there bool) {
	for r := m.Reader(); r.Next(); {
		if r.Tag == tag {
			there = true
			found.Offset, found.Number, found.Path = r.Offset, tag.Number(), names.of(tag)
		}
	}
	return there
}
