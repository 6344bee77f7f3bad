package changedataset

import (
	"unicode/utf8"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/wire"
)

// Locate returns where in the record the string is that a [change.ValueError] of
// the current Event speaks of: a ParseError with its offset, path and table, and
// the cause of v. Of several gtIds it is the first that is no valid UTF-8. What
// is not in the record, as Options.Database, has the place of the change.
func (d *Decoder) Locate(v *change.ValueError) *wire.ParseError {
	found := &wire.ParseError{Err: v.Err}
	if !d.current {
		return found
	}
	in := d.changes.Message()
	found.Offset, found.Number, found.Table = d.changes.Offset, setTableChange.Number(), d.nameIn(in)
	switch v.Text {
	case change.TextGTID:
		if d.locateGTID(found) {
			return found
		}
	case change.TextDatabase, change.TextTable:
		if v.Text == change.TextTable || d.hasDot(in) {
			last(found, in, changeNames, changeTableName)
		}
	case change.TextName, change.TextMySQLType:
		if d.locateMeta(found, v) {
			return found
		}
	case change.TextValue:
		d.locateValue(found, in, v.Ref)
	}
	return setNames.inside(found, &d.changes)
}

// hasDot reports whether the tableName of a change names its database too.
func (d *Decoder) hasDot(m wire.Message) bool {
	c, _ := parseTableChange(m)
	_, table := d.split(c.TableName)
	return len(table) < len(c.TableName)
}

// locateGTID looks for the first gtId, or the first bad one.
func (d *Decoder) locateGTID(found *wire.ParseError) (ok bool) {
	for r := d.set.Reader(); r.Next(); {
		if r.Tag != setSyncPoint {
			continue
		}
		part := r.Message().Reader()
		for part.Next() {
			if part.Tag != syncGTID || ok && utf8.Valid(part.Bytes) {
				continue
			}
			ok = true
			found.Offset, found.Number, found.Path = part.Offset, syncGTID.Number(), ""
			setNames.inside(syncNames.inside(found, &part), &r)
			if !utf8.Valid(part.Bytes) {
				return true
			}
		}
	}
	return ok
}

// locateValue looks for the field that holds the value of the column with that
// ref.
func (d *Decoder) locateValue(found *wire.ParseError, m wire.Message, ref uint32) {
	i, w, _ := shown(d.rows.table.words, int(ref>>1))
	place := int(d.rows.data[ref&1][i])
	r := m.Reader()
	for r.Next() && r.Offset < place {
	}
	found.Offset, found.Number = place, r.Tag.Number()
	if c, _ := parseColumnData(r.Message()); c.Set != 0 {
		last(found, r.Message(), dataNames, c.field(d.tables.meta(w).base).tag())
	}
	changeNames.inside(found, &r)
}

// tag returns the tag of one field.
func (f Fields) tag() wire.Tag {
	switch f {
	case StringValue:
		return dataStringValue
	case Int32Value:
		return dataInt32Value
	case Int64Value:
		return dataInt64Value
	case FloatValue:
		return dataFloatValue
	}
	return dataBytesValue
}

// locateMeta looks for the name or type of the column that v speaks of, in its
// schema. It knows where the text itself begins.
func (d *Decoder) locateMeta(found *wire.ParseError, v *change.ValueError) (ok bool) {
	_, w, _ := shown(d.rows.table.words, int(v.Ref>>1))
	k := d.tables.meta(w)
	tag, at, n := metaColumnName, int(k.name), k.nameLen
	if v.Text == change.TextMySQLType {
		tag, at, n = metaColumnType, int(k.typ), k.typLen
	}
	if n == 0 {
		return false
	}
	r := d.set.Reader()
	for r.Next() && (r.Tag != setTableSchema || end(&r) <= at) {
	}
	cols := r.Message().Reader()
	for cols.Next() && (cols.Tag != schemaColumns || end(&cols) <= at) {
	}
	last(found, cols.Message(), metaNames, tag)
	setNames.inside(schemaNames.inside(found, &cols), &r)
	return true
}

// end returns where the message of r's current field ends in the record.
func end(r *wire.Reader) int { return r.Message().Offset() + len(r.Bytes) }
