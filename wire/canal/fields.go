package canal

import (
	"github.com/cdcodec/cdcodec/internal/fields"
	"github.com/cdcodec/cdcodec/wire"
)

// The tags of all fields, as whole tags: number << 3 | wire type. Part of the
// format.
const (
	varint = wire.Tag(wire.Varint)
	length = wire.Tag(wire.Bytes)

	entryHeader     = 1<<3 | length
	entryEntryType  = 2<<3 | varint
	entryStoreValue = 3<<3 | length

	headerVersion       = 1<<3 | varint
	headerLogfileName   = 2<<3 | length
	headerLogfileOffset = 3<<3 | varint
	headerServerID      = 4<<3 | varint
	headerServerenCode  = 5<<3 | length
	headerExecuteTime   = 6<<3 | varint
	headerSourceType    = 7<<3 | varint
	headerSchemaName    = 8<<3 | length
	headerTableName     = 9<<3 | length
	headerEventLength   = 10<<3 | varint
	headerEventType     = 11<<3 | varint
	headerProps         = 12<<3 | length
	headerGTID          = 13<<3 | length

	changeTableID       = 1<<3 | varint
	changeEventType     = 2<<3 | varint
	changeIsDDL         = 10<<3 | varint
	changeSQL           = 11<<3 | length
	changeRowDatas      = 12<<3 | length
	changeProps         = 13<<3 | length
	changeDDLSchemaName = 14<<3 | length

	rowBeforeColumns = 1<<3 | length
	rowAfterColumns  = 2<<3 | length
	rowProps         = 3<<3 | length

	columnIndex     = 1<<3 | varint
	columnSQLType   = 2<<3 | varint
	columnName      = 3<<3 | length
	columnIsKey     = 4<<3 | varint
	columnUpdated   = 5<<3 | varint
	columnIsNull    = 6<<3 | varint
	columnProps     = 7<<3 | length
	columnValue     = 8<<3 | length
	columnLength    = 9<<3 | varint
	columnMySQLType = 10<<3 | length

	transactionExecuteTime   = 1<<3 | varint
	transactionTransactionID = 2<<3 | length
	transactionProps         = 3<<3 | length
	transactionThreadID      = 4<<3 | varint

	pairKey   = 1<<3 | length
	pairValue = 2<<3 | length

	packetMagicNumber = 1<<3 | varint
	packetVersion     = 2<<3 | varint
	packetType        = 3<<3 | varint
	packetCompression = 4<<3 | varint
	packetBody        = 5<<3 | length

	messagesBatchID  = 1<<3 | varint
	messagesMessages = 2<<3 | length

	ackErrorCode    = 1<<3 | varint
	ackErrorMessage = 2<<3 | length
)

// fieldNames are the fields of a message with their names, as paths show them.
// A repeated field ends in "[]".
type fieldNames []struct {
	tag  wire.Tag
	name string
}

var (
	entryNames  = fieldNames{{entryHeader, "header"}, {entryEntryType, "entryType"}, {entryStoreValue, "storeValue"}}
	headerNames = fieldNames{
		{headerVersion, "version"}, {headerLogfileName, "logfileName"}, {headerLogfileOffset, "logfileOffset"},
		{headerServerID, "serverId"}, {headerServerenCode, "serverenCode"}, {headerExecuteTime, "executeTime"},
		{headerSourceType, "sourceType"}, {headerSchemaName, "schemaName"}, {headerTableName, "tableName"},
		{headerEventLength, "eventLength"}, {headerEventType, "eventType"}, {headerProps, "props[]"}, {headerGTID, "gtid"},
	}
	changeNames = fieldNames{
		{changeTableID, "tableId"}, {changeEventType, "eventType"}, {changeIsDDL, "isDdl"}, {changeSQL, "sql"},
		{changeRowDatas, "rowDatas[]"}, {changeProps, "props[]"}, {changeDDLSchemaName, "ddlSchemaName"},
	}
	rowNames    = fieldNames{{rowBeforeColumns, "beforeColumns[]"}, {rowAfterColumns, "afterColumns[]"}, {rowProps, "props[]"}}
	columnNames = fieldNames{
		{columnIndex, "index"}, {columnSQLType, "sqlType"}, {columnName, "name"}, {columnIsKey, "isKey"},
		{columnUpdated, "updated"}, {columnIsNull, "isNull"}, {columnProps, "props[]"}, {columnValue, "value"},
		{columnLength, "length"}, {columnMySQLType, "mysqlType"},
	}
	transactionNames = fieldNames{
		{transactionExecuteTime, "executeTime"}, {transactionTransactionID, "transactionId"},
		{transactionProps, "props[]"}, {transactionThreadID, "threadId"},
	}
	pairNames   = fieldNames{{pairKey, "key"}, {pairValue, "value"}}
	packetNames = fieldNames{
		{packetMagicNumber, "magic_number"}, {packetVersion, "version"}, {packetType, "type"},
		{packetCompression, "compression"}, {packetBody, "body"},
	}
	messagesNames = fieldNames{{messagesBatchID, "batch_id"}, {messagesMessages, "messages[]"}}
	ackNames      = fieldNames{{ackErrorCode, "error_code"}, {ackErrorMessage, "error_message"}}
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
func (names fieldNames) failed(r *wire.Reader) *wire.ParseError {
	err := r.Err()
	if err == nil {
		return nil
	}
	return err.Within(names.path(r))
}

// inside puts the name of r's current field before the path of an error in it;
// nil stays nil.
func (names fieldNames) inside(err *wire.ParseError, r *wire.Reader) *wire.ParseError {
	if err == nil {
		return nil
	}
	return err.Within(names.path(r))
}

// path returns the name of r's current field, or of the one that stopped it, see
// fields.Path.
func (names fieldNames) path(r *wire.Reader) string { return fields.Path(names.of(r.Tag), r, 0) }
