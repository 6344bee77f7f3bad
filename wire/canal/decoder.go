package canal

import (
	"errors"
	"math"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/wire"
)

// ErrTooLarge is the Err of a [wire.ParseError] for a storeValue of 4 GiB or
// more. The writers return it for an Entry or a Packet of 2 GiB or more.
var ErrTooLarge = errors.New("message too large")

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
	if uint64(len(e.StoreValue)) > math.MaxUint32 {
		tooLarge := &wire.ParseError{Offset: e.storeTag, Number: entryStoreValue.Number(), Table: e.Header.Name(), Err: ErrTooLarge}
		return entryNames.inStore(tooLarge)
	}
	c, err := d.check(e.store)
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

// Rows returns the rows of an Entry that is known to be good, without another check: for
// who has read it in another way, and wants to look at a few columns. They are as those
// of Decode, but that MaxNames is a wide bound.
func (d *Decoder) Rows(e *Entry) change.Rows {
	most := nameCount{longer: len(e.StoreValue)}
	d.rows = rows{names: [2]nameCount{most, most}}
	d.rows.open(e.StoreValue)
	return &d.rows
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
func (d *Decoder) check(m wire.Message) (RowChange, *wire.ParseError) {
	d.rows = rows{}
	c := RowChange{EventType: change.Update, msg: m}
	r := m.Reader()
	for r.Next() {
		var err *wire.ParseError
		switch r.Tag {
		case changeRowDatas:
			err = d.checkRow(r.Message())
		case changeProps:
			_, err = parsePair(r.Message())
		default:
			c.set(&r)
		}
		if err != nil {
			return RowChange{}, changeNames.inside(err, &r)
		}
	}
	return c, changeNames.failed(&r)
}

func (d *Decoder) checkRow(m wire.Message) *wire.ParseError {
	r := m.Reader()
	for r.Next() {
		var err *wire.ParseError
		switch r.Tag {
		case rowBeforeColumns:
			err = d.checkColumn(r.Message(), change.Before)
		case rowAfterColumns:
			err = d.checkColumn(r.Message(), change.After)
		case rowProps:
			_, err = parsePair(r.Message())
		}
		if err != nil {
			return rowNames.inside(err, &r)
		}
	}
	return rowNames.failed(&r)
}

// checkColumn also counts the names of that image.
func (d *Decoder) checkColumn(m wire.Message, im change.Image) *wire.ParseError {
	if d.rows.scratch.scan(m.Bytes(), 0) {
		d.rows.names[im].add(d.rows.scratch.Name)
		return nil
	}
	var name []byte
	r := m.Reader()
	for r.Next() {
		switch r.Tag {
		case columnName:
			name = r.Bytes
		case columnProps:
			if _, err := parsePair(r.Message()); err != nil {
				return columnNames.inside(err, &r)
			}
		}
	}
	d.rows.names[im].add(name)
	return columnNames.failed(&r)
}
