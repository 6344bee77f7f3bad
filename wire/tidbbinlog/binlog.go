package tidbbinlog

import (
	"github.com/cdcodec/cdcodec/internal/fields"
	"github.com/cdcodec/cdcodec/wire"
)

// Binlog is a view of one record: its scalars and its DDL, with its tables still
// unread. It borrows the bytes it was parsed from.
type Binlog struct {
	Type     BinlogType // DML where absent
	CommitTS uint64     // a TSO: milliseconds since 1970 << 18, and a counter
	TimeZone []byte     // drainer never sets it
	DDL      DDLData
	HasDML   bool // dml_data is there
	HasDDL   bool // ddl_data is there

	msg wire.Message
}

// DDLData is a view of a DDL. The bytes are raw, not always UTF-8.
type DDLData struct {
	SchemaName []byte // the database in use
	TableName  []byte // empty where the DDL is of a database; of a RENAME, the new name
	Query      []byte
}

// ParseBinlog reads a Binlog: everything but what is inside dml_data. A
// zero-length Binlog is well formed and has all defaults; a [Decoder] asks for
// more.
func ParseBinlog(b []byte) (Binlog, error) {
	v, err := parseBinlog(wire.NewMessage(b))
	return v, fields.Error(err)
}

func parseBinlog(m wire.Message) (Binlog, *wire.ParseError) {
	b := Binlog{msg: m}
	r := m.Reader()
	for r.Next() {
		switch r.Tag {
		case binlogType:
			b.Type.set(r.Int32())
		case binlogCommitTS:
			b.CommitTS = r.Uint
		case binlogDML:
			b.HasDML = true
		case binlogDDL:
			b.HasDDL = true
			if err := b.DDL.merge(r.Message()); err != nil {
				return Binlog{}, binlogNames.inside(err, &r, 0)
			}
		case binlogTimeZone:
			b.TimeZone = r.Bytes
		}
	}
	if err := binlogNames.failed(&r, 0); err != nil {
		return Binlog{}, err
	}
	return b, nil
}

// ES returns the time of the commit, milliseconds since 1970.
func (b *Binlog) ES() int64 { return int64(b.CommitTS >> 18) }

// Tables returns an [Iterator] over the tables in dml_data. Next reads a table's
// name and leaves what is nested in it unread.
func (b *Binlog) Tables() Iterator[Table] {
	return Iterator[Table]{
		parts: b.msg.Reader(), inside: binlogDML, tag: dmlTables, names: [2]fieldNames{binlogNames, dmlNames}, parse: parseTable,
	}
}

// merge reads one part of ddl_data over what d holds.
func (d *DDLData) merge(m wire.Message) *wire.ParseError {
	r := m.Reader()
	for r.Next() {
		switch r.Tag {
		case ddlSchemaName:
			d.SchemaName = r.Bytes
		case ddlTableName:
			d.TableName = r.Bytes
		case ddlQuery:
			d.Query = r.Bytes
		}
	}
	err := ddlNames.failed(&r, 0)
	if err != nil {
		err.Table = nameOf(d.SchemaName, d.TableName)
	}
	return err
}
