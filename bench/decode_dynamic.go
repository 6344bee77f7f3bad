package bench

import (
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/cdcodec/cdcodec/internal/pb/canalflatpb"
)

// dynamicDecode is protobuf-go's dynamicpb.
func dynamicDecode() Run {
	f := newFlatFields()
	m := dynamicpb.NewMessage(f.entry)
	return func(dst []byte, r *Record) ([]byte, uint64, error) {
		if isMark(r.Entry) {
			return dst, 0, nil
		}
		if err := proto.Unmarshal(r.Entry, m); err != nil {
			return dst, 0, err
		}
		return dst, f.sum(m), nil
	}
}

// flatFields is how the flat schema is read by reflection. Fields are looked up once.
type flatFields struct {
	entry                                                              protoreflect.MessageDescriptor
	header, store                                                      protoreflect.FieldDescriptor // of Entry
	schema, table, gtid, executeTime                                   protoreflect.FieldDescriptor // of Header
	eventType, isDdl, sql, rows                                        protoreflect.FieldDescriptor // of RowChange
	before, after                                                      protoreflect.FieldDescriptor // of RowData
	index, sqlType, name, isKey, updated, isNull, value, mysqlTypeText protoreflect.FieldDescriptor // of Column
}

func newFlatFields() *flatFields {
	f := &flatFields{entry: (*canalflatpb.Entry)(nil).ProtoReflect().Descriptor()}
	at := func(d protoreflect.MessageDescriptor, name protoreflect.Name) protoreflect.FieldDescriptor {
		return d.Fields().ByName(name)
	}
	f.header, f.store = at(f.entry, "header"), at(f.entry, "storeValue")
	h := f.header.Message()
	f.schema, f.table, f.gtid, f.executeTime = at(h, "schemaName"), at(h, "tableName"), at(h, "gtid"), at(h, "executeTime")
	s := f.store.Message()
	f.eventType, f.isDdl, f.sql, f.rows = at(s, "eventType"), at(s, "isDdl"), at(s, "sql"), at(s, "rowDatas")
	r := f.rows.Message()
	f.before, f.after = at(r, "beforeColumns"), at(r, "afterColumns")
	c := f.before.Message()
	f.index, f.sqlType, f.name, f.isKey = at(c, "index"), at(c, "sqlType"), at(c, "name"), at(c, "isKey")
	f.updated, f.isNull, f.value, f.mysqlTypeText = at(c, "updated"), at(c, "isNull"), at(c, "value"), at(c, "mysqlType")
	return f
}

// sum returns the sum of an Entry.
func (f *flatFields) sum(e protoreflect.Message) uint64 {
	var s sum
	rows := e.Get(f.store).Message().Get(f.rows).List()
	for i := range rows.Len() {
		row := rows.Get(i).Message()
		f.columns(&s, row.Get(f.before).List())
		f.columns(&s, row.Get(f.after).List())
	}
	return uint64(s)
}

func (f *flatFields) columns(s *sum, list protoreflect.List) {
	s.image()
	for i := range list.Len() {
		c := list.Get(i).Message()
		column(s, int32(c.Get(f.index).Int()), int32(c.Get(f.sqlType).Int()), c.Get(f.name).String(),
			c.Get(f.isKey).Bool(), c.Get(f.updated).Bool(), c.Get(f.isNull).Bool(),
			c.Get(f.value).String(), c.Get(f.mysqlTypeText).String())
	}
}
