package canaltest

import (
	"google.golang.org/protobuf/proto"

	"github.com/cdcodec/cdcodec/internal/pb/canalpb"
)

// Usual returns what entry says as Canal itself would write it, of the table
// schema.table: the header and the entryType come first, all fields are in the
// order of their numbers, and those that Canal always writes are there where
// they say nothing, too. ok is false where it cannot be said that way: the entry
// has a number that an enum lacks, or its storeValue is no RowChange.
func Usual(entry []byte, schema, table string) (usual []byte, ok bool) {
	var e canalpb.Entry
	var c canalpb.RowChange
	if proto.Unmarshal(entry, &e) != nil || proto.Unmarshal(e.GetStoreValue(), &c) != nil {
		return nil, false
	}
	if canalpb.EntryType_name[int32(e.GetEntryType())] == "" || canalpb.EventType_name[int32(c.GetEventType())] == "" {
		return nil, false
	}
	if e.Header == nil {
		e.Header = &canalpb.Header{}
	}
	e.Header.Version, e.Header.ServerenCode = proto.Int32(1), proto.String("UTF-8")
	e.Header.SchemaName, e.Header.TableName = &schema, &table
	e.EntryType = e.GetEntryType().Enum()
	c.TableId, c.EventType, c.IsDdl = proto.Int64(c.GetTableId()), c.GetEventType().Enum(), proto.Bool(c.GetIsDdl())
	for _, row := range c.RowDatas {
		for _, image := range []Columns{row.BeforeColumns, row.AfterColumns} {
			for i, col := range image {
				col.Index = proto.Int32(int32(i))
				col.SqlType, col.Name, col.MysqlType = proto.Int32(col.GetSqlType()), proto.String(col.GetName()), proto.String(col.GetMysqlType())
				col.IsKey, col.Updated, col.IsNull = proto.Bool(col.GetIsKey()), proto.Bool(col.GetUpdated()), proto.Bool(col.GetIsNull())
			}
		}
	}
	e.StoreValue = Encode(&c)
	return Encode(&e), true
}
