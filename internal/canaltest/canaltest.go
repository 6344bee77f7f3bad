// Package canaltest builds Canal Entries and Packets for tests, in few words:
//
//	EntryOf(
//		&canalpb.Header{SchemaName: proto.String("shop")},
//		Change(Update, Row(
//			Columns{Col("id", "7", Key), Col("v", "a")},
//			Columns{Col("id", "7", Key), Col("v", "b", Changed, Typed(12, "text"))},
//		)))
//
// Messages made that way are what a well-behaved writer would send. For all
// others there are Sub, Text, Num, Fixed32, Fixed64 and Group, which append single
// fields, of any number and in any order, to bytes.
//
// It is meant to be imported with a dot, so that tables stay readable.
package canaltest

import (
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/cdcodec/cdcodec/internal/pb/canalpb"
	"github.com/cdcodec/cdcodec/internal/pb/packetpb"
)

// The types of changes that most cases need.
const (
	Insert = canalpb.EventType_INSERT
	Update = canalpb.EventType_UPDATE
	Delete = canalpb.EventType_DELETE
	Query  = canalpb.EventType_QUERY
)

// The types of packets that most cases need.
const (
	MessagesPacket = packetpb.PacketType_MESSAGES
	AckPacket      = packetpb.PacketType_ACK
)

// Columns is one image of a row.
type Columns []*canalpb.Column

// A Mark sets something on a column.
type Mark func(*canalpb.Column)

// Key marks a column as part of the primary key.
func Key(c *canalpb.Column) { c.IsKey = proto.Bool(true) }

// Changed marks a column as one that the UPDATE changed.
func Changed(c *canalpb.Column) { c.Updated = proto.Bool(true) }

// Null marks a column as NULL. It keeps its value on the wire.
func Null(c *canalpb.Column) { c.IsNull = proto.Bool(true) }

// NoValue takes the value of a column off the wire.
func NoValue(c *canalpb.Column) { c.Value = nil }

// Typed gives a column its types: a number of java.sql.Types, and MySQL's text.
func Typed(sql int32, mysql string) Mark {
	return func(c *canalpb.Column) { c.SqlType, c.MysqlType = &sql, &mysql }
}

// Col returns a column. What is not given by a Mark is not on the wire.
func Col(name, value string, marks ...Mark) *canalpb.Column {
	c := &canalpb.Column{Name: &name, Value: &value}
	for _, mark := range marks {
		mark(c)
	}
	return c
}

// Row returns a row with its two images, either of which may be nil.
func Row(before, after Columns) *canalpb.RowData {
	return &canalpb.RowData{BeforeColumns: before, AfterColumns: after}
}

// Change returns a RowChange of that type with those rows.
func Change(t canalpb.EventType, rows ...*canalpb.RowData) *canalpb.RowChange {
	return &canalpb.RowChange{EventType: &t, RowDatas: rows}
}

// Statement returns a RowChange of that type that has SQL and no rows.
func Statement(t canalpb.EventType, isDDL bool, sql string) *canalpb.RowChange {
	return &canalpb.RowChange{EventType: &t, IsDdl: &isDDL, Sql: &sql}
}

// EntryOf returns an Entry without a type that holds c. h may be nil.
func EntryOf(h *canalpb.Header, c *canalpb.RowChange) []byte {
	return Encode(&canalpb.Entry{Header: h, StoreValue: Encode(c)})
}

// EntryHolding returns an Entry, with nothing else in it, that has these bytes
// as its storeValue.
func EntryHolding(store []byte) []byte {
	return Encode(&canalpb.Entry{StoreValue: store})
}

// BatchOf returns the Messages of those Entries.
func BatchOf(id int64, entries ...[]byte) []byte {
	return Encode(&packetpb.Messages{BatchId: id, Messages: entries})
}

// PacketOf returns a Packet of that type with this body.
func PacketOf(t packetpb.PacketType, body []byte) []byte {
	return Encode(&packetpb.Packet{Type: t, Body: body})
}

// Encode returns m as bytes.
func Encode(m proto.Message) []byte {
	b, err := proto.Marshal(m)
	if err != nil {
		panic("canaltest: " + err.Error())
	}
	return b
}

// Sub appends a field of wire type 2: bytes or a message.
func Sub(b []byte, number protowire.Number, value []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, number, protowire.BytesType), value)
}

// Text appends a field of wire type 2: a string.
func Text(b []byte, number protowire.Number, value string) []byte {
	return protowire.AppendString(protowire.AppendTag(b, number, protowire.BytesType), value)
}

// Num appends a field of wire type 0: an integer, bool or enum.
func Num(b []byte, number protowire.Number, value uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, number, protowire.VarintType), value)
}

// Fixed32 appends a field of wire type 5, which no message of Canal has.
func Fixed32(b []byte, number protowire.Number, value uint32) []byte {
	return protowire.AppendFixed32(protowire.AppendTag(b, number, protowire.Fixed32Type), value)
}

// Fixed64 appends a field of wire type 1, which no message of Canal has.
func Fixed64(b []byte, number protowire.Number, value uint64) []byte {
	return protowire.AppendFixed64(protowire.AppendTag(b, number, protowire.Fixed64Type), value)
}

// Group appends a group that has these bytes between its begin and its end.
func Group(b []byte, number protowire.Number, inside []byte) []byte {
	b = append(protowire.AppendTag(b, number, protowire.StartGroupType), inside...)
	return protowire.AppendTag(b, number, protowire.EndGroupType)
}

// Groups returns n groups, one within the other.
func Groups(n int) []byte {
	var b []byte
	for range n {
		b = protowire.AppendTag(b, 77, protowire.StartGroupType)
	}
	for range n {
		b = protowire.AppendTag(b, 77, protowire.EndGroupType)
	}
	return b
}
