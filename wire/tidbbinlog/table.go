package tidbbinlog

import (
	"github.com/cdcodec/cdcodec/internal/fields"
	"github.com/cdcodec/cdcodec/wire"
)

// Table is a view of the changes of one table: its name, with all else unread. It
// borrows the bytes it was parsed from; they are raw, not always UTF-8.
type Table struct {
	SchemaName []byte
	TableName  []byte

	msg wire.Message
}

// ParseTable reads a Table: everything but what is inside its repeated fields.
func ParseTable(b []byte) (Table, error) {
	t, err := parseTable(wire.NewMessage(b))
	return t, fields.Error(err)
}

func parseTable(m wire.Message) (Table, *wire.ParseError) {
	t := Table{msg: m}
	r := m.Reader()
	for r.Next() {
		switch r.Tag {
		case tableSchemaName:
			t.SchemaName = r.Bytes
		case tableTableName:
			t.TableName = r.Bytes
		}
	}
	if err := tableNames.failed(&r, 0); err != nil {
		err.Table = nameOf(t.SchemaName, t.TableName)
		return Table{}, err
	}
	return t, nil
}

// Name returns "schema.table", as errors have it; "" where t has neither. It
// allocates.
func (t *Table) Name() string { return nameOf(t.SchemaName, t.TableName) }

// ColumnInfo returns an [Iterator] over what the columns are, in their order.
func (t *Table) ColumnInfo() Iterator[ColumnInfo] {
	return elements(t.msg, tableNames, tableColumnInfo, parseColumnInfo)
}

// Mutations returns an [Iterator] over the changes of rows, in their order.
func (t *Table) Mutations() Iterator[Mutation] {
	return elements(t.msg, tableNames, tableMutations, parseMutation)
}

// UniqueKeys returns an [Iterator] over the unique keys, which drainer tells of
// since 3.0.9.
func (t *Table) UniqueKeys() Iterator[Key] {
	return elements(t.msg, tableNames, tableUniqueKeys, parseKey)
}

// ColumnInfo is a view of what a column is.
type ColumnInfo struct {
	Name         []byte
	MySQLType    []byte // "bigint": in lower case, without parameters, never "unsigned"
	IsPrimaryKey bool
	Flen         int32 // of later releases
	Decimal      int32 // of later releases
}

// ParseColumnInfo reads a ColumnInfo.
func ParseColumnInfo(b []byte) (ColumnInfo, error) {
	c, err := parseColumnInfo(wire.NewMessage(b))
	return c, fields.Error(err)
}

func parseColumnInfo(m wire.Message) (c ColumnInfo, err *wire.ParseError) {
	r := m.Reader()
	for r.Next() {
		switch r.Tag {
		case infoName:
			c.Name = r.Bytes
		case infoMySQLType:
			c.MySQLType = r.Bytes
		case infoIsPrimaryKey:
			c.IsPrimaryKey = r.Bool()
		case infoFlen:
			c.Flen = r.Int32()
		case infoDecimal:
			c.Decimal = r.Int32()
		}
	}
	if err := infoNames.failed(&r, 0); err != nil {
		return ColumnInfo{}, err
	}
	return c, nil
}

// Key is a view of a unique key.
type Key struct {
	Name []byte // "PRIMARY" for the primary key

	msg wire.Message
}

// ParseKey reads a Key.
func ParseKey(b []byte) (Key, error) {
	k, err := parseKey(wire.NewMessage(b))
	return k, fields.Error(err)
}

func parseKey(m wire.Message) (Key, *wire.ParseError) {
	k := Key{msg: m}
	r := m.Reader()
	for r.Next() {
		if r.Tag == keyName {
			k.Name = r.Bytes
		}
	}
	if err := keyNames.failed(&r, 0); err != nil {
		return Key{}, err
	}
	return k, nil
}

// ColumnNames returns an [Iterator] over the names of the key's columns.
func (k *Key) ColumnNames() Iterator[[]byte] {
	return elements(k.msg, keyNames, keyColumnNames, func(m wire.Message) ([]byte, *wire.ParseError) { return m.Bytes(), nil })
}
