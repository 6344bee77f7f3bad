package changedataset

import (
	"github.com/cdcodec/cdcodec/internal/fields"
	"github.com/cdcodec/cdcodec/wire"
)

// TableSchema is a view of the columns of one table, still unread. It borrows the
// bytes it was parsed from.
type TableSchema struct {
	TableName []byte // "db.table"

	msg wire.Message
}

// ParseTableSchema reads a TableSchema: everything but what is inside its columns.
func ParseTableSchema(b []byte) (TableSchema, error) {
	s, err := parseTableSchema(wire.NewMessage(b))
	return s, fields.Error(err)
}

func parseTableSchema(m wire.Message) (TableSchema, *wire.ParseError) {
	s := TableSchema{msg: m}
	r := m.Reader()
	for r.Next() {
		if r.Tag == schemaTableName {
			s.TableName = r.Bytes
		}
	}
	if err := schemaNames.failed(&r); err != nil {
		return TableSchema{}, err
	}
	return s, nil
}

// Columns returns an iterator over the columns of s, in the order in which rows
// have their data.
func (s *TableSchema) Columns() Elements[ColumnMeta] {
	return elements(s.msg, schemaNames, schemaColumns, parseColumnMeta)
}

// ColumnMeta is a view of what a schema tells of a column. It borrows the bytes it
// was parsed from; they are raw, not always UTF-8.
type ColumnMeta struct {
	ColumnName          []byte
	ColumnType          []byte // "int(10)", "varchar(256)"
	Charset             []byte
	NullFlag            []byte // "NO" or "YES"
	KeyFlag             []byte // "PRI", "MUL", "UNI" or empty
	IfNullValue         []byte // the default
	Extra               []byte
	MetaValue           int32
	DatabusColumnBitmap int32

	nameAt, typeAt int // where ColumnName and ColumnType begin
}

// The bits of DatabusColumnBitmap that mean something here.
const (
	BitmapKey      = 0x02
	BitmapUnsigned = 0x20
)

// ParseColumnMeta reads a ColumnMeta.
func ParseColumnMeta(b []byte) (ColumnMeta, error) {
	c, err := parseColumnMeta(wire.NewMessage(b))
	return c, fields.Error(err)
}

func parseColumnMeta(m wire.Message) (ColumnMeta, *wire.ParseError) {
	var c ColumnMeta
	if c.scan(m.Bytes(), m.Offset()) {
		return c, nil
	}
	c = ColumnMeta{}
	r := m.Reader()
	for r.Next() {
		switch r.Tag {
		case metaColumnName:
			c.ColumnName, c.nameAt = r.Bytes, r.Message().Offset()
		case metaColumnType:
			c.ColumnType, c.typeAt = r.Bytes, r.Message().Offset()
		case metaCharset:
			c.Charset = r.Bytes
		case metaNullFlag:
			c.NullFlag = r.Bytes
		case metaKeyFlag:
			c.KeyFlag = r.Bytes
		case metaIfNullValue:
			c.IfNullValue = r.Bytes
		case metaExtra:
			c.Extra = r.Bytes
		case metaMetaValue:
			c.MetaValue = r.Int32()
		case metaBitmap:
			c.DatabusColumnBitmap = r.Int32()
		}
	}
	if err := metaNames.failed(&r); err != nil {
		return ColumnMeta{}, err
	}
	return c, nil
}

// scan reads the fields in b, which begins at base, as long as they are known
// ones with tags of a byte and lengths of up to two. When it returns false c is
// half read, and the loop above begins anew: this one judges nothing.
func (c *ColumnMeta) scan(b []byte, base int) bool {
	for p := 0; p < len(b); {
		tag := wire.Tag(b[p])
		if tag == metaMetaValue || tag == metaBitmap {
			v, next := plainVarint(b, p+1)
			if next == 0 {
				return false
			}
			if p = next; tag == metaBitmap {
				c.DatabusColumnBitmap = int32(v)
			} else {
				c.MetaValue = int32(v)
			}
			continue
		}
		start, stop := fields.Length(b, p+1)
		if start == 0 || stop > len(b) {
			return false
		}
		v := b[start:stop:stop]
		p = stop
		switch tag {
		case metaColumnName:
			c.ColumnName, c.nameAt = v, base+start
		case metaColumnType:
			c.ColumnType, c.typeAt = v, base+start
		case metaCharset:
			c.Charset = v
		case metaNullFlag:
			c.NullFlag = v
		case metaKeyFlag:
			c.KeyFlag = v
		case metaIfNullValue:
			c.IfNullValue = v
		case metaExtra:
			c.Extra = v
		default:
			return false
		}
	}
	return true
}
