package reference

import (
	"encoding/json"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/internal/pb/canalpb"
)

var meta = fastjson.Meta{ID: 1, TS: 1700000000000}

const (
	insert = canalpb.EventType_INSERT
	update = canalpb.EventType_UPDATE
	del    = canalpb.EventType_DELETE
	query  = canalpb.EventType_QUERY
)

// columns is one image of a row.
type columns []*canalpb.Column

// A mark sets something on a column.
type mark func(*canalpb.Column)

func key(c *canalpb.Column)     { c.IsKey = proto.Bool(true) }
func changed(c *canalpb.Column) { c.Updated = proto.Bool(true) }
func null(c *canalpb.Column)    { c.IsNull = proto.Bool(true) }
func typed(sql int32, mysql string) mark {
	return func(c *canalpb.Column) { c.SqlType, c.MysqlType = &sql, &mysql }
}

func col(name, value string, marks ...mark) *canalpb.Column {
	c := &canalpb.Column{Name: &name, Value: &value}
	for _, m := range marks {
		m(c)
	}
	return c
}

func row(before, after columns) *canalpb.RowData {
	return &canalpb.RowData{BeforeColumns: before, AfterColumns: after}
}

func change(t canalpb.EventType, rows ...*canalpb.RowData) *canalpb.RowChange {
	return &canalpb.RowChange{EventType: &t, RowDatas: rows}
}

// entryOf returns an Entry that holds c.
func entryOf(c *canalpb.RowChange) []byte { return withHeader(nil, c) }

func withHeader(h *canalpb.Header, c *canalpb.RowChange) []byte {
	return bytesOf(&canalpb.Entry{Header: h, StoreValue: bytesOf(c)})
}

// entryHolding returns an Entry of the default type with these bytes as its
// storeValue.
func entryHolding(store []byte) []byte {
	return bytesOf(&canalpb.Entry{StoreValue: store})
}

func bytesOf(m proto.Message) []byte {
	b, err := proto.Marshal(m)
	if err != nil {
		panic(err)
	}
	return b
}

// sub appends a field of wire type 2.
func sub(b []byte, number protowire.Number, value []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, number, protowire.BytesType), value)
}

// num appends a field of wire type 0.
func num(b []byte, number protowire.Number, value uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, number, protowire.VarintType), value)
}

// groups returns n groups, one within the other.
func groups(n int) []byte {
	var b []byte
	for range n {
		b = protowire.AppendTag(b, 77, protowire.StartGroupType)
	}
	for range n {
		b = protowire.AppendTag(b, 77, protowire.EndGroupType)
	}
	return b
}

// only returns the one message that entry gives.
func only(t *testing.T, entry []byte, o fastjson.Options) string {
	t.Helper()
	messages, err := Entry(entry, o, meta)
	if err != nil {
		t.Fatal(err)
	}
	if len(messages) != 1 {
		t.Fatalf("%d messages, want 1", len(messages))
	}
	return string(messages[0])
}

// keys is some keys of a message with their values, as they are printed.
type keys map[string]string

// check compares those keys with what entry gives.
func (want keys) check(t *testing.T, entry []byte, o fastjson.Options) {
	t.Helper()
	msg := only(t, entry, o)
	var got map[string]json.RawMessage
	if err := json.Unmarshal([]byte(msg), &got); err != nil {
		t.Fatalf("%v in %s", err, msg)
	}
	for k, v := range want {
		if string(got[k]) != v {
			t.Errorf("%s\n got: %s\nwant: %s", k, got[k], v)
		}
	}
}
