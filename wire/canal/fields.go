package canal

import (
	"strings"

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

// fieldNames are the names of a message's fields by number, as paths show
// them. A repeated field ends in "[]".
type fieldNames []string

var (
	entryNames  = fieldNames{1: "header", 2: "entryType", 3: "storeValue"}
	headerNames = fieldNames{
		1: "version", 2: "logfileName", 3: "logfileOffset", 4: "serverId", 5: "serverenCode", 6: "executeTime", 7: "sourceType",
		8: "schemaName", 9: "tableName", 10: "eventLength", 11: "eventType", 12: "props[]", 13: "gtid",
	}
	changeNames = fieldNames{
		1: "tableId", 2: "eventType", 10: "isDdl", 11: "sql", 12: "rowDatas[]", 13: "props[]", 14: "ddlSchemaName",
	}
	rowNames    = fieldNames{1: "beforeColumns[]", 2: "afterColumns[]", 3: "props[]"}
	columnNames = fieldNames{
		1: "index", 2: "sqlType", 3: "name", 4: "isKey", 5: "updated", 6: "isNull", 7: "props[]", 8: "value", 9: "length", 10: "mysqlType",
	}
	transactionNames = fieldNames{1: "executeTime", 2: "transactionId", 3: "props[]", 4: "threadId"}
	pairNames        = fieldNames{1: "key", 2: "value"}
	packetNames      = fieldNames{1: "magic_number", 2: "version", 3: "type", 4: "compression", 5: "body"}
	messagesNames    = fieldNames{1: "batch_id", 2: "messages[]"}
	ackNames         = fieldNames{1: "error_code", 2: "error_message"}
)

// failed returns the error that stopped r, with the name of its field as path;
// nil where there was none.
func (names fieldNames) failed(r *wire.Reader) *wire.ParseError {
	err := r.Err()
	if err == nil {
		return nil
	}
	return err.Within(names.path(err.Number, err.Offset, r))
}

// inside puts the name of r's current field before the path of an error in it;
// nil stays nil.
func (names fieldNames) inside(err *wire.ParseError, r *wire.Reader) *wire.ParseError {
	if err == nil {
		return nil
	}
	return err.Within(names.path(r.Tag.Number(), r.Offset, r))
}

// path returns the name of the field with number n whose tag, or a part of it,
// is at offset; "" when the message has no such field. An element of a repeated
// field is numbered by counting those before it: good input need not count.
func (names fieldNames) path(n wire.Number, offset int, r *wire.Reader) string {
	if n >= wire.Number(len(names)) || names[n] == "" {
		return ""
	}
	name, repeated := strings.CutSuffix(names[n], "[]")
	if !repeated {
		return name
	}
	before := 0
	for again := r.Whole().Reader(); again.Next() && again.Offset < offset; {
		if again.Tag == wire.MakeTag(n, wire.Bytes) {
			before++
		}
	}
	return wire.Element(name, before)
}

// asError keeps a nil *wire.ParseError from becoming an error that is not nil.
func asError(err *wire.ParseError) error {
	if err == nil {
		return nil
	}
	return err
}
