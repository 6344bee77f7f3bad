package canal

import (
	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/wire"
)

// Locate returns where in e the string is that a [change.ValueError] of an
// Event decoded from e speaks of: a ParseError with its offset, path and table,
// and the cause of v.
func (e *Entry) Locate(v *change.ValueError) *wire.ParseError {
	found := &wire.ParseError{Table: e.Header.Name(), Err: v.Err}
	switch v.Text {
	case change.TextDatabase:
		e.locateInHeader(found, headerSchemaName)
	case change.TextTable:
		e.locateInHeader(found, headerTableName)
	case change.TextGTID:
		e.locateInHeader(found, headerGTID)
	case change.TextSQL:
		last(found, e.store, changeNames, changeSQL)
		entryNames.inStore(found)
	case change.TextName:
		e.locateInColumn(found, v.Ref, columnName)
	case change.TextValue:
		e.locateInColumn(found, v.Ref, columnValue)
	case change.TextMySQLType:
		e.locateInColumn(found, v.Ref, columnMySQLType)
	}
	return found
}

// last makes found speak of the last field of m with that tag and reports
// whether there is one.
func last(found *wire.ParseError, m wire.Message, names fieldNames, tag wire.Tag) bool {
	there := false
	for r := m.Reader(); r.Next(); {
		if r.Tag == tag {
			there = true
			found.Offset, found.Number, found.Path = r.Offset, tag.Number(), names.of(tag)
		}
	}
	return there
}

// locateInHeader looks for a field in the last part of the header that has it.
func (e *Entry) locateInHeader(found *wire.ParseError, tag wire.Tag) {
	for r := e.msg.Reader(); r.Next(); {
		if r.Tag == entryHeader && last(found, r.Message(), headerNames, tag) {
			found.Within(entryNames.of(entryHeader))
		}
	}
}

// locateInColumn looks for a field of the column with that ref: the offset of
// its tag in storeValue.
func (e *Entry) locateInColumn(found *wire.ParseError, ref uint32, tag wire.Tag) {
	at := e.store.Offset() + int(ref)
	rows := e.store.Reader()
	for rows.Next() {
		row := rows.Message()
		if rows.Tag != changeRowDatas || row.Offset()+len(row.Bytes()) <= at {
			continue
		}
		cols := row.Reader()
		for cols.Next() && cols.Offset < at {
		}
		last(found, cols.Message(), columnNames, tag)
		entryNames.inStore(changeNames.inside(rowNames.inside(found, &cols), &rows))
		return
	}
}
