package canal

import (
	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/internal/fields"
	"github.com/cdcodec/cdcodec/wire"
)

// RowChange is a view of a RowChange: its scalars, with its rows still unread.
// It borrows the bytes it was parsed from.
type RowChange struct {
	TableID       int64       // the server's number for the table, 0 where absent
	EventType     change.Type // Update where absent
	IsDDL         bool
	SQL           []byte // of a DDL or query; raw, not always UTF-8
	DDLSchemaName []byte // the database in use when the DDL ran; raw

	msg wire.Message
}

// ParseRowChange reads a RowChange: everything but what is inside its rows and
// props.
func ParseRowChange(b []byte) (RowChange, error) {
	c, err := parseRowChange(wire.NewMessage(b))
	return c, fields.Error(err)
}

func parseRowChange(m wire.Message) (RowChange, *wire.ParseError) {
	c := RowChange{EventType: change.Update, msg: m}
	r := m.Reader()
	for r.Next() {
		c.set(&r)
	}
	if err := changeNames.failed(&r); err != nil {
		return RowChange{}, err
	}
	return c, nil
}

// set takes the current field of r, if it is a scalar.
func (c *RowChange) set(r *wire.Reader) {
	switch r.Tag {
	case changeTableID:
		c.TableID = r.Int64()
	case changeEventType:
		setEventType(&c.EventType, r.Int32())
	case changeIsDDL:
		c.IsDDL = r.Bool()
	case changeSQL:
		c.SQL = r.Bytes
	case changeDDLSchemaName:
		c.DDLSchemaName = r.Bytes
	}
}

// Props returns an iterator over the props of c.
func (c *RowChange) Props() Pairs { return Pairs{it: elements(c.msg, changeNames, changeProps)} }

// Rows returns an iterator over the rows of c:
//
//	for rows := c.Rows(); rows.Next(); {
//		row := rows.RowData()
//		…
//	}
//
// Next does not look into a row; Err tells after the last one whether the list
// itself was good.
func (c *RowChange) Rows() RowDatas { return RowDatas{elements(c.msg, changeNames, changeRowDatas)} }

// RowDatas iterates over the rows of a RowChange, see [RowChange.Rows]. It
// borrows what the RowChange was parsed from: it and all it gives are good until
// those bytes are written to.
type RowDatas struct{ it repeated }

// Next steps to the next row.
func (r *RowDatas) Next() bool { return r.it.next() }

// RowData returns the current row, unread. It stays good when Next steps on.
func (r *RowDatas) RowData() RowData { return RowData{r.it.r.Message()} }

// Err returns the error that stopped Next, if one did.
func (r *RowDatas) Err() error { return fields.Error(r.it.err) }

// RowData is a view of one row, unread. It borrows the bytes it was made of.
type RowData struct{ msg wire.Message }

// ParseRowData returns the RowData that b holds. Nothing is read yet: what is
// wrong with it shows in the iterators.
func ParseRowData(b []byte) RowData { return RowData{wire.NewMessage(b)} }

// Props returns an iterator over the props of r.
func (r RowData) Props() Pairs { return Pairs{it: elements(r.msg, rowNames, rowProps)} }

// Columns returns an iterator over the columns of one image of the row:
//
//	for cols := row.Columns(change.After); cols.Next(); {
//		c := cols.Column()
//		…
//	}
//
// Err tells after the last Next whether all was good.
func (r RowData) Columns(im change.Image) Columns {
	return Columns{it: elements(r.msg, rowNames, imageTag(im))}
}

func imageTag(im change.Image) wire.Tag {
	if im == change.Before {
		return rowBeforeColumns
	}
	return rowAfterColumns
}

// Columns iterates over the columns of one image, see [RowData.Columns]. It
// borrows what the RowData was made of: it and all it gives are good until those
// bytes are written to.
type Columns struct {
	it  repeated
	col Column
}

// Next reads the next column.
func (c *Columns) Next() bool {
	if !c.it.next() {
		return false
	}
	if err := c.col.parse(c.it.r.Message()); err != nil {
		c.it.stop(err)
		return false
	}
	return true
}

// Column returns a copy of the current column, which stays good when Next steps
// on; its slices are borrowed.
func (c *Columns) Column() Column { return c.col }

// Err returns the error that stopped Next, if one did.
func (c *Columns) Err() error { return fields.Error(c.it.err) }

// Column is a view of one column. It borrows the bytes it was parsed from; they
// are raw, not always UTF-8.
type Column struct {
	Index     int32 // its position in the image, from 0, as Canal numbers them
	SQLType   int32 // a number of java.sql.Types; BIGINT is -5
	Name      []byte
	IsKey     bool   // part of the primary key
	Updated   bool   // changed; Canal flags columns after, in an INSERT all of them
	IsNull    bool   // Value means nothing
	Value     []byte // as text; binary columns as ISO-8859-1 widened to UTF-8
	Length    int32  // Canal leaves it out: 0
	MySQLType []byte // "varchar(255)"

	props bool // there are some, in msg
	heavy bool // heavyFields or more had to be read
	msg   wire.Message
}

// ParseColumn reads a Column.
func ParseColumn(b []byte) (Column, error) {
	var c Column
	if err := c.parse(wire.NewMessage(b)); err != nil {
		return Column{}, err
	}
	return c, nil
}

func (c *Column) parse(m wire.Message) *wire.ParseError {
	if c.scan(m.Bytes(), 0) {
		return nil
	}
	*c = Column{msg: m}
	r := m.Reader()
	fields := 0
	for r.Next() {
		fields++
		switch r.Tag {
		case columnIndex:
			c.Index = r.Int32()
		case columnSQLType:
			c.SQLType = r.Int32()
		case columnName:
			c.Name = r.Bytes
		case columnIsKey:
			c.IsKey = r.Bool()
		case columnUpdated:
			c.Updated = r.Bool()
		case columnIsNull:
			c.IsNull = r.Bool()
		case columnValue:
			c.Value = r.Bytes
		case columnLength:
			c.Length = r.Int32()
		case columnMySQLType:
			c.MySQLType = r.Bytes
		case columnProps:
			c.props = true
		}
	}
	c.heavy = fields >= heavyFields
	return columnNames.failed(&r)
}

// heavyFields is how many fields make a column heavy, see change.Column: it takes
// at least twice as many bytes on the wire.
const heavyFields = 64

// Props returns an iterator over the props of c.
func (c *Column) Props() Pairs {
	if !c.props {
		return Pairs{}
	}
	return Pairs{it: elements(c.msg, columnNames, columnProps)}
}
