package changedataset

import (
	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/internal/fields"
	"github.com/cdcodec/cdcodec/wire"
)

// The tags of all fields, as whole tags: number << 3 | wire type. Part of the
// format.
const (
	varint  = wire.Tag(wire.Varint)
	length  = wire.Tag(wire.Bytes)
	fixed32 = wire.Tag(wire.Fixed32)

	setDBInstanceName = 1<<3 | length
	setSyncPoint      = 2<<3 | length
	setTableSchema    = 3<<3 | length
	setTableChange    = 4<<3 | length
	setSrcDBHost      = 5<<3 | length
	setDataSize       = 6<<3 | varint
	setBirthTime      = 7<<3 | varint
	setSendTime       = 8<<3 | varint

	syncSyncType       = 1<<3 | varint
	syncGroupID        = 2<<3 | varint
	syncGTID           = 3<<3 | length
	syncBinlogFileName = 4<<3 | length
	syncPosition       = 5<<3 | varint

	schemaTableName = 1<<3 | length
	schemaColumns   = 2<<3 | length

	metaColumnName  = 1<<3 | length
	metaColumnType  = 2<<3 | length
	metaCharset     = 3<<3 | length
	metaNullFlag    = 4<<3 | length
	metaKeyFlag     = 5<<3 | length
	metaIfNullValue = 6<<3 | length
	metaExtra       = 7<<3 | length
	metaMetaValue   = 8<<3 | varint
	metaBitmap      = 9<<3 | varint

	changeTableName  = 1<<3 | length
	changeBeforeData = 2<<3 | length
	changeAfterData  = 3<<3 | length

	dataStringValue = 1<<3 | length
	dataInt32Value  = 2<<3 | varint
	dataInt64Value  = 3<<3 | varint
	dataFloatValue  = 4<<3 | fixed32
	dataBytesValue  = 5<<3 | length
	dataIsNull      = 6<<3 | length
	dataSQLType     = 7<<3 | length
)

// imageTag returns the tag of an image's data.
func imageTag(im change.Image) wire.Tag {
	if im == change.Before {
		return changeBeforeData
	}
	return changeAfterData
}

// fieldNames are the fields of a message with their names, as paths show them,
// and the fields of the messages in it. A repeated field ends in "[]".
type fieldNames []struct {
	tag  wire.Tag
	name string
	in   fieldNames
}

var (
	setNames = fieldNames{
		{setDBInstanceName, "dbInstanceName", nil}, {setSyncPoint, "syncPoint", syncNames}, {setTableSchema, "tableSchema[]", schemaNames},
		{setTableChange, "tableChange[]", changeNames}, {setSrcDBHost, "srcDbHost", nil}, {setDataSize, "dataSize", nil},
		{setBirthTime, "birthTime", nil}, {setSendTime, "sendTime", nil},
	}
	syncNames = fieldNames{
		{syncSyncType, "syncType", nil}, {syncGroupID, "groupId", nil}, {syncGTID, "gtId[]", nil},
		{syncBinlogFileName, "binlogFileName", nil}, {syncPosition, "position", nil},
	}
	schemaNames = fieldNames{{schemaTableName, "tableName", nil}, {schemaColumns, "columns[]", metaNames}}
	metaNames   = fieldNames{
		{metaColumnName, "columnName", nil}, {metaColumnType, "columnType", nil}, {metaCharset, "charset", nil},
		{metaNullFlag, "nullFlag", nil}, {metaKeyFlag, "keyFlag", nil}, {metaIfNullValue, "ifNullValue", nil},
		{metaExtra, "extra", nil}, {metaMetaValue, "metaValue", nil}, {metaBitmap, "databusColumnBitmap", nil},
	}
	changeNames = fieldNames{
		{changeTableName, "tableName", nil}, {changeBeforeData, "beforeData[]", dataNames}, {changeAfterData, "afterData[]", dataNames},
	}
	dataNames = fieldNames{
		{dataStringValue, "stringValue", nil}, {dataInt32Value, "int32Value", nil}, {dataInt64Value, "int64Value", nil},
		{dataFloatValue, "floatValue", nil}, {dataBytesValue, "bytesValue", nil}, {dataIsNull, "isNull", nil}, {dataSQLType, "sqlType", nil},
	}
)

// of returns the name of the field with that tag and the fields in it; "" where
// there is none: a known number with another wire type is an unknown field.
func (names fieldNames) of(tag wire.Tag) (name string, in fieldNames) {
	for _, f := range names {
		if f.tag == tag {
			return f.name, f.in
		}
	}
	return "", nil
}

// check reads m and all messages in it, in the order of the wire, and returns the
// first error. It is for who knows already that there is one: to find out
// whether, there are faster ways.
func (names fieldNames) check(m wire.Message) *wire.ParseError {
	r := m.Reader()
	for r.Next() {
		if _, in := names.of(r.Tag); in != nil {
			if err := in.check(r.Message()); err != nil {
				return names.inside(err, &r)
			}
		}
	}
	return names.failed(&r)
}

// failed returns the error that stopped r, with the name of its field as path;
// nil where there was none. When a tag cannot be read the error is the
// message's own.
func (names fieldNames) failed(r *wire.Reader) *wire.ParseError {
	return names.inside(r.Err(), r)
}

// inside puts the name of r's current field, or of the one that stopped it, before
// the path of an error in it; nil stays nil.
func (names fieldNames) inside(err *wire.ParseError, r *wire.Reader) *wire.ParseError {
	if err == nil {
		return nil
	}
	return err.Within(names.path(r))
}

// path returns the name of r's current field, or of the one that stopped it, see
// fields.Path.
func (names fieldNames) path(r *wire.Reader) string {
	name, _ := names.of(r.Tag)
	return fields.Path(name, r, 0)
}
