package canal

import (
	"errors"
	"math"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/wire"
)

// ErrTooLarge is the Err of a [wire.ParseError] for a storeValue of 4 GiB or
// more.
var ErrTooLarge = errors.New("storeValue of 4 GiB or more")

// Decoder fills Events from Entries. The zero Decoder is ready. It keeps no
// column: the Event's Rows read them from the Entry's bytes as they are walked.
// A Decoder serves one Event at a time.
type Decoder struct{ rows rows }

// Decode checks all of e's storeValue as a RowChange (both images and all props,
// shown or not, the rows of a DDL too) and fills ev with what the Entry says.
//
// ev borrows the bytes e was parsed from, and its Rows belong to d: both are
// good until those bytes are written to or d decodes again. For a transaction
// mark there is nothing to decode: ask [Entry.IsTransactionMark] first. After an
// error ev is zero; the error is a *[wire.ParseError] with the table in it.
//
// Rules of spec/canal.md 2: 2 (fields), 3 (kinds).
func (d *Decoder) Decode(ev *change.Event, e *Entry) error {
	ev.Reset()
	c, err := d.check(e.store)
	if err == nil && uint64(len(e.StoreValue)) > math.MaxUint32 {
		err = &wire.ParseError{Offset: e.store.Offset(), Err: ErrTooLarge}
	}
	if err != nil {
		err.Table = e.Header.Name()
		return entryNames.inStore(err)
	}
	ev.Type, ev.IsDDL, ev.SQL = c.EventType, c.IsDDL, c.SQL
	ev.Database, ev.Table = e.Header.SchemaName, e.Header.TableName
	ev.GTID, ev.ES = e.Header.GTID, e.Header.ExecuteTime
	ev.Kind = kind(e.Type, ev)
	if ev.HasRows() {
		d.rows.open(e.StoreValue)
		ev.Rows = &d.rows
	}
	return nil
}

func kind(t EntryType, ev *change.Event) change.Kind {
	switch {
	case t == HeartbeatEntry:
		return change.KindHeartbeat
	case t == GTIDLogEntry:
		return change.KindGTIDLog
	case ev.IsDDL:
		return change.KindDDL
	case ev.Type.HasRows():
		return change.KindRows
	}
	return change.KindQuery
}

// check reads everything below a RowChange once. What it has passed, the
// cursor reads without looking for errors.
func (d *Decoder) check(r wire.Reader) (RowChange, *wire.ParseError) {
	d.rows = rows{}
	c := RowChange{EventType: change.Update, msg: r}
	for f, ok := r.Next(); ok; f, ok = r.Next() {
		var err *wire.ParseError
		switch f.Tag {
		case changeRowDatas:
			err = d.checkRow(r.Message(f))
		case changeProps:
			_, err = parsePair(r.Message(f))
		default:
			c.set(f)
		}
		if err != nil {
			return RowChange{}, changeNames.inElement(err, f, c.msg)
		}
	}
	return c, changeNames.failed(r.Err(), c.msg)
}

func (d *Decoder) checkRow(r wire.Reader) *wire.ParseError {
	msg := r
	for f, ok := r.Next(); ok; f, ok = r.Next() {
		var err *wire.ParseError
		switch f.Tag {
		case rowBeforeColumns:
			err = checkColumn(r.Message(f), &d.rows.names[change.Before])
		case rowAfterColumns:
			err = checkColumn(r.Message(f), &d.rows.names[change.After])
		case rowProps:
			_, err = parsePair(r.Message(f))
		}
		if err != nil {
			return rowNames.inElement(err, f, msg)
		}
	}
	return rowNames.failed(r.Err(), msg)
}

// checkColumn adds 1 to named if the column has a name.
func checkColumn(r wire.Reader, named *int) *wire.ParseError {
	msg := r
	for f, ok := r.Next(); ok; f, ok = r.Next() {
		switch f.Tag {
		case columnName:
			if len(f.Bytes) > 0 {
				*named++
			}
		case columnProps:
			if _, err := parsePair(r.Message(f)); err != nil {
				return columnNames.inElement(err, f, msg)
			}
		}
	}
	return columnNames.failed(r.Err(), msg)
}

// Locate returns where in e the string is that a [change.ValueError] of an
// Event decoded from e speaks of: a ParseError with its offset, path and table,
// and the cause of v.
func (d *Decoder) Locate(e *Entry, v *change.ValueError) *wire.ParseError {
	found := &wire.ParseError{Table: e.Header.Name(), Err: v.Err}
	switch v.Text {
	case change.TextDatabase:
		e.locate(found, headerSchemaName)
	case change.TextTable:
		e.locate(found, headerTableName)
	case change.TextGTID:
		e.locate(found, headerGTID)
	case change.TextSQL:
		last(found, e.store, changeNames, changeSQL)
		entryNames.inStore(found)
	case change.TextName:
		e.locateColumn(found, v.Ref, columnName)
	case change.TextValue:
		e.locateColumn(found, v.Ref, columnValue)
	case change.TextMySQLType:
		e.locateColumn(found, v.Ref, columnMySQLType)
	}
	return found
}

// last sets Offset and Path to the last field of msg with that tag and reports
// whether there is one.
func last(found *wire.ParseError, msg wire.Reader, names fieldNames, tag wire.Tag) bool {
	there := false
	for f, ok := msg.Next(); ok; f, ok = msg.Next() {
		if f.Tag == tag {
			there = true
			found.Offset, found.Number, found.Path = f.Offset, tag.Number(), names[tag.Number()]
		}
	}
	return there
}

// locate looks for a field of the header, in its last part that has it.
func (e *Entry) locate(found *wire.ParseError, tag wire.Tag) {
	r := e.msg
	for f, ok := r.Next(); ok; f, ok = r.Next() {
		if f.Tag == entryHeader && last(found, r.Message(f), headerNames, tag) {
			found.Within(entryNames[entryHeader>>3])
		}
	}
}

// locateColumn looks for a field of the column with the given ref.
func (e *Entry) locateColumn(found *wire.ParseError, ref uint32, tag wire.Tag) {
	at := e.store.Offset() + int(ref)
	r := e.store
	for row, ok := r.Next(); ok; row, ok = r.Next() {
		if row.Tag != changeRowDatas || r.Offset() <= at {
			continue
		}
		cols := r.Message(row)
		msg := cols
		for f, ok := cols.Next(); ok; f, ok = cols.Next() {
			if f.Offset == at {
				last(found, cols.Message(f), columnNames, tag)
				rowNames.inElement(found, f, msg)
			}
		}
		entryNames.inStore(changeNames.inElement(found, row, e.store))
		return
	}
}
