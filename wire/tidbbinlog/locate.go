package tidbbinlog

import (
	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/wire"
)

// Locate returns where in the record the string is that a [change.ValueError] of
// the current Event speaks of: a ParseError with its offset, path and table, and the
// cause of v. A text that the record does not have is at the message that lacks it.
func (d *Decoder) Locate(v *change.ValueError) *wire.ParseError {
	found := &wire.ParseError{Err: v.Err}
	b := &d.check.binlog
	if b.Type == DDL {
		found.Table = nameOf(b.DDL.SchemaName, b.DDL.TableName)
		switch v.Text {
		case change.TextDatabase:
			d.locateInDDL(found, ddlSchemaName)
		case change.TextTable:
			d.locateInDDL(found, ddlTableName)
		case change.TextSQL:
			d.locateInDDL(found, ddlQuery)
		}
		return found
	}
	found.Table = nameOf(d.table.schema, d.table.name)
	found.Offset = d.tables.Offset
	m := d.tables.Message()
	switch v.Text {
	case change.TextDatabase:
		lastField(found, m, tableNames, tableSchemaName)
	case change.TextTable:
		lastField(found, m, tableNames, tableTableName)
	case change.TextName:
		locateInInfo(found, m, v.Ref, infoName)
	case change.TextMySQLType:
		locateInInfo(found, m, v.Ref, infoMySQLType)
	case change.TextValue:
		d.locateInRow(found, v.Ref)
	case change.TextNone:
		found.Offset, found.Number = d.muts.Offset, tableMutations.Number()
		tableNames.inside(found, &d.muts, 0)
	}
	return binlogNames.inside(dmlNames.inside(found, &d.tables, d.tablesBefore()), &d.parts, 0)
}

// tablesBefore counts the tables in the parts of dml_data before the one at hand.
func (d *Decoder) tablesBefore() (n int) {
	for r := d.record.Reader(); r.Next() && r.Offset < d.parts.Offset; {
		if r.Tag != binlogDML {
			continue
		}
		for dml := r.Message().Reader(); dml.Next(); {
			if dml.Tag == dmlTables {
				n++
			}
		}
	}
	return n
}

// locateInDDL looks for a field in the last part of ddl_data that has it.
func (d *Decoder) locateInDDL(found *wire.ParseError, tag wire.Tag) {
	for r := d.record.Reader(); r.Next(); {
		if r.Tag == binlogDDL && lastField(found, r.Message(), ddlNames, tag) {
			found.Within(binlogNames.of(binlogDDL))
		}
	}
}

// locateInInfo looks for a field of what the table m says of a column.
func locateInInfo(found *wire.ParseError, m wire.Message, ref uint32, tag wire.Tag) {
	n := ref >> 1
	for r := m.Reader(); r.Next(); {
		if r.Tag != tableColumnInfo {
			continue
		}
		if n == 0 {
			found.Offset = r.Offset
			lastField(found, r.Message(), infoNames, tag)
			tableNames.inside(found, &r, 0)
			return
		}
		n--
	}
}

// locateInRow looks for the field that holds the value of a column.
func (d *Decoder) locateInRow(found *wire.ParseError, ref uint32) {
	number, row := int(ref>>1), rowOf(d.rows.typ, change.Image(ref&1))
	mutation := d.muts.Message()
	n := 0
	for r := mutation.Reader(); r.Next(); {
		if r.Tag != row {
			continue
		}
		before := n
		for cols := r.Message().Reader(); cols.Next(); {
			if cols.Tag != rowColumns {
				continue
			}
			if n == number {
				found.Offset = cols.Offset
				d.locateValue(found, cols.Message(), number)
				tableNames.inside(mutationNames.inside(rowNames.inside(found, &cols, before), &r, 0), &d.muts, 0)
				return
			}
			n++
		}
	}
}

// locateValue looks for the field of a Column that counts.
func (d *Decoder) locateValue(found *wire.ParseError, m wire.Message, number int) {
	var infos infoWalk
	infos.start(&d.table)
	in := infos.find(number)
	if in == nil {
		return
	}
	var v value
	v.read(m.Bytes(), in.want)
	tags := map[Fields]wire.Tag{HasInt64: columnInt64, HasUint64: columnUint64, HasDouble: columnDouble, HasBytes: columnBytes, HasString: columnString}
	lastField(found, m, columnNames, tags[v.field])
}
