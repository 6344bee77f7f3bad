package tidbbinlog

import (
	"github.com/cdcodec/cdcodec/internal/fields"
	"github.com/cdcodec/cdcodec/wire"
)

// The tags of all fields, as whole tags: number << 3 | wire type. Part of the
// format.
const (
	varint = wire.Tag(wire.Varint)
	fixed  = wire.Tag(wire.Fixed64)
	length = wire.Tag(wire.Bytes)

	binlogType     = 1<<3 | varint
	binlogCommitTS = 2<<3 | varint
	binlogDML      = 3<<3 | length
	binlogDDL      = 4<<3 | length
	binlogTimeZone = 5<<3 | length

	dmlTables = 1<<3 | length

	ddlSchemaName = 1<<3 | length
	ddlTableName  = 2<<3 | length
	ddlQuery      = 3<<3 | length

	tableSchemaName = 1<<3 | length
	tableTableName  = 2<<3 | length
	tableColumnInfo = 3<<3 | length
	tableMutations  = 4<<3 | length
	tableUniqueKeys = 5<<3 | length

	keyName        = 1<<3 | length
	keyColumnNames = 2<<3 | length

	infoName         = 1<<3 | length
	infoMySQLType    = 2<<3 | length
	infoIsPrimaryKey = 3<<3 | varint
	infoFlen         = 4<<3 | varint
	infoDecimal      = 5<<3 | varint

	mutationType      = 1<<3 | varint
	mutationRow       = 2<<3 | length
	mutationChangeRow = 3<<3 | length

	rowColumns = 1<<3 | length

	columnIsNull = 1<<3 | varint
	columnInt64  = 2<<3 | varint
	columnUint64 = 3<<3 | varint
	columnDouble = 4<<3 | fixed
	columnBytes  = 5<<3 | length
	columnString = 6<<3 | length
)

// fieldNames are the fields of a message with their names, as paths show them.
// A repeated field ends in "[]".
type fieldNames []struct {
	tag  wire.Tag
	name string
}

var (
	binlogNames = fieldNames{
		{binlogType, "type"}, {binlogCommitTS, "commit_ts"}, {binlogDML, "dml_data"}, {binlogDDL, "ddl_data"},
		{binlogTimeZone, "time_zone"},
	}
	dmlNames   = fieldNames{{dmlTables, "tables[]"}}
	ddlNames   = fieldNames{{ddlSchemaName, "schema_name"}, {ddlTableName, "table_name"}, {ddlQuery, "ddl_query"}}
	tableNames = fieldNames{
		{tableSchemaName, "schema_name"}, {tableTableName, "table_name"}, {tableColumnInfo, "column_info[]"},
		{tableMutations, "mutations[]"}, {tableUniqueKeys, "unique_keys[]"},
	}
	keyNames  = fieldNames{{keyName, "name"}, {keyColumnNames, "column_names[]"}}
	infoNames = fieldNames{
		{infoName, "name"}, {infoMySQLType, "mysql_type"}, {infoIsPrimaryKey, "is_primary_key"}, {infoFlen, "flen"},
		{infoDecimal, "decimal"},
	}
	mutationNames = fieldNames{{mutationType, "type"}, {mutationRow, "row"}, {mutationChangeRow, "change_row"}}
	rowNames      = fieldNames{{rowColumns, "columns[]"}}
	columnNames   = fieldNames{
		{columnIsNull, "is_null"}, {columnInt64, "int64_value"}, {columnUint64, "uint64_value"},
		{columnDouble, "double_value"}, {columnBytes, "bytes_value"}, {columnString, "string_value"},
	}
)

// of returns the name of the field with that tag, "" where there is none: a
// known number with another wire type is an unknown field.
func (names fieldNames) of(tag wire.Tag) string {
	for _, f := range names {
		if f.tag == tag {
			return f.name
		}
	}
	return ""
}

// failed returns the error that stopped r, with the name of its field as path;
// nil where there was none. When a tag cannot be read the error is the
// message's own.
func (names fieldNames) failed(r *wire.Reader, before int) *wire.ParseError {
	err := r.Err()
	if err == nil {
		return nil
	}
	return err.Within(names.path(r, before))
}

// inside puts the name of r's current field before the path of an error in it;
// nil stays nil.
func (names fieldNames) inside(err *wire.ParseError, r *wire.Reader, before int) *wire.ParseError {
	if err == nil {
		return nil
	}
	return err.Within(names.path(r, before))
}

// path returns the name of r's current field, or of the one that stopped it, see
// fields.Path.
func (names fieldNames) path(r *wire.Reader, before int) string {
	return fields.Path(names.of(r.Tag), r, before)
}

// nameOf returns "schema.table", as errors have it; "" where there is neither.
func nameOf(schema, table []byte) string {
	if len(schema)+len(table) == 0 {
		return ""
	}
	return string(schema) + "." + string(table)
}

// nameIn returns the name of what the last fields with those tags in m say, as
// far as m can be read.
func nameIn(m wire.Message, schemaTag, tableTag wire.Tag) string {
	var schema, table []byte
	for r := m.Reader(); r.Next(); {
		switch r.Tag {
		case schemaTag:
			schema = r.Bytes
		case tableTag:
			table = r.Bytes
		}
	}
	return nameOf(schema, table)
}
