package tidbbinlog

import (
	"math"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/wire"
)

// Decoder fills Events from records. The zero Decoder is ready:
//
//	if err := d.Open(record); err != nil {
//		… // nothing of the record counts
//	}
//	for d.Next(&ev) {
//		…
//	}
//
// It keeps no column beyond a table's first 128: the Event's Rows read them from the
// record as they are walked. A Decoder serves one record, and of it one Event, at a
// time.
//
// An Event borrows the record, and its Rows belong to the Decoder: both are good
// until the record's bytes are written to, or the Decoder is asked for the next Event
// or another record. Three things are shorter-lived. A Value that is a number, a
// bit, or bytes that became characters is where the next call of the Rows' Column
// writes again; what At returns is overwritten by At alone. All other Values, and
// every Name and MySQLType, are as good as the Event.
type Decoder struct {
	check  check
	record wire.Message
	open   bool
	index  int // of the next Event

	parts  wire.Reader // the current field is the part of dml_data at hand
	tables wire.Reader // the current field is the table
	muts   wire.Reader // the current field is the mutation
	table  table
	rows   rows
}

// maxRecord is the longest record that is read: places in it are kept in 32 bits,
// and twice its length must be a length.
const maxRecord = min(math.MaxUint32, math.MaxInt/2)

// Open checks all of a record and makes d ready to give its Events, from the first
// one. After an error, which is a *[wire.ParseError], it has none.
//
// All that the schema knows must be well formed, data of the kind that does not
// count too. What else must hold is in the last rule of spec/tidb-binlog.md.
func (d *Decoder) Open(record []byte) error {
	d.Reset()
	if uint64(len(record)) > maxRecord {
		return &wire.ParseError{Err: ErrTooLarge}
	}
	m := wire.NewMessage(record)
	if err := d.judge(m); err != nil {
		d.Reset()
		return err
	}
	d.record, d.open = m, true
	d.parts = m.Reader()
	return nil
}

func (d *Decoder) judge(m wire.Message) *wire.ParseError {
	if err := d.check.run(m); err != nil {
		return err
	}
	b := &d.check.binlog
	switch {
	case b.Type == DDL && !b.HasDDL:
		return &wire.ParseError{Number: binlogDDL.Number(), Path: binlogNames.of(binlogDDL), Err: ErrNoData}
	case b.Type == DDL:
		return nil
	case !b.HasDML:
		return &wire.ParseError{Number: binlogDML.Number(), Path: binlogNames.of(binlogDML), Err: ErrNoData}
	case d.check.doubt:
		return d.verify(m)
	}
	return nil
}

// Reset lets go of the record, and of memory that has become large. Open does it
// too.
func (d *Decoder) Reset() {
	d.check, d.record, d.open, d.index = check{}, wire.Message{}, false, 0
	d.parts, d.tables, d.muts = wire.Reader{}, wire.Reader{}, wire.Reader{}
	d.table.release()
	d.rows.release()
}

// Index returns the number of the current Event in its record, from 0; -1 before
// the first one.
func (d *Decoder) Index() int { return d.index - 1 }

// Next fills ev with the next Event: of a DML Binlog, one for each mutation, in
// order, with exactly one row; of a DDL Binlog, the DDL. After the last one it
// returns false and leaves ev zero.
//
// A table without columns gives nothing. Where two columns have one name, Updated
// is told of the last one, whose value counts, and Key of the first one that is
// a key, so that no name is a key twice.
func (d *Decoder) Next(ev *change.Event) bool {
	ev.Reset()
	if !d.open {
		return false
	}
	b := &d.check.binlog
	if b.Type == DDL {
		d.open = false
		*ev = change.Event{
			Kind: change.KindDDL, Type: StatementType(b.DDL.Query), IsDDL: true,
			Database: b.DDL.SchemaName, Table: b.DDL.TableName, SQL: b.DDL.Query,
		}
	} else if !d.nextRow(ev) {
		d.open = false
		return false
	}
	ev.ES, ev.CommitTS = b.ES(), b.CommitTS
	d.index++
	return true
}

// nextRow goes to the next mutation of a table that has columns.
func (d *Decoder) nextRow(ev *change.Event) bool {
	for {
		for d.muts.Next() {
			if d.muts.Tag == tableMutations && d.table.columns > 0 {
				t := d.rows.open(&d.table, d.muts.Bytes)
				ev.Kind, ev.Type, ev.Promoted, ev.Rows = change.KindRows, t, true, &d.rows
				ev.Database, ev.Table = d.table.schema, d.table.name
				return true
			}
		}
		if !d.nextTable() {
			return false
		}
	}
}

// nextTable goes before the first mutation of the next table.
func (d *Decoder) nextTable() bool {
	for {
		for d.tables.Next() {
			if d.tables.Tag == dmlTables {
				m := d.tables.Message()
				d.table.load(m, true)
				d.muts = m.Reader()
				return true
			}
		}
		for {
			if !d.parts.Next() {
				return false
			}
			if d.parts.Tag == binlogDML {
				d.tables = d.parts.Message().Reader()
				break
			}
		}
	}
}
