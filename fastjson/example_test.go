package fastjson_test

import (
	"fmt"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/fastjson"
)

// An Event made by hand; readers such as wire/canal make them of records.
func ExampleWriter() {
	column := func(name, value, mysqlType string, sqlType int32) change.Column {
		return change.Column{Name: []byte(name), Value: []byte(value), MySQLType: []byte(mysqlType), SQLType: sqlType}
	}
	id := column("id", "7", "bigint(20)", -5)
	id.Key = true
	was, is := column("note", "call first", "text", 2005), column("note", `say "hi"`, "text", 2005)
	is.Updated = true

	ev := change.Event{
		Type: change.Update, Database: []byte("shop"), Table: []byte("orders"), ES: 1690000000000,
		Rows: change.NewList(change.Row{
			Before: []change.Column{id, was},
			After:  []change.Column{id, is},
		}),
	}

	w, err := fastjson.NewWriter(fastjson.Options{OmitGTID: true})
	if err != nil {
		panic(err)
	}
	var dst []byte // used again for the next one
	dst, err = w.AppendEvent(dst[:0], &ev, fastjson.Meta{ID: 3, TS: 1700000000000})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s\n", dst)
	// Output:
	// {"data":[{"id":"7","note":"say \"hi\""}],"database":"shop","es":1690000000000,"id":3,"isDdl":false,"mysqlType":{"id":"bigint(20)","note":"text"},"old":[{"note":"call first"}],"pkNames":["id"],"sql":"","sqlType":{"id":-5,"note":2005},"table":"orders","ts":1700000000000,"type":"UPDATE"}
}

// A string that is not UTF-8 is repaired, unless that is to be an error.
func ExampleOptions_rejectInvalidUTF8() {
	ev := change.Event{Type: change.Query, SQL: []byte("SET NAMES '\xff'")}

	w, err := fastjson.NewWriter(fastjson.Options{RejectInvalidUTF8: true})
	if err != nil {
		panic(err)
	}
	dst, err := w.AppendEvent(nil, &ev, fastjson.Meta{})
	fmt.Println(len(dst), err)
	// Output:
	// 0 sql: invalid UTF-8
}

// Where nanoseconds do not count, a message is a struct.
func ExampleMessage() {
	var m fastjson.Message
	err := m.Unmarshal([]byte(`{"data":[{"id":"7","note":null}],"database":"shop","es":1690000000000,"id":3,"isDdl":false,` +
		`"old":null,"pkNames":["id"],"sql":"","table":"orders","ts":1700000000000,"type":"INSERT"}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, row := range m.Data {
		fmt.Println(m.Type, m.Database, m.Table, "id", *row["id"], "note is null:", row["note"] == nil)
	}

	m.Database = "archive"
	b, err := m.Marshal()
	fmt.Printf("%s %v\n", b, err)
	// Output:
	// INSERT shop orders id 7 note is null: true
	// {"data":[{"id":"7","note":null}],"database":"archive","es":1690000000000,"id":3,"isDdl":false,"mysqlType":null,"old":null,"pkNames":["id"],"sql":"","sqlType":null,"table":"orders","ts":1700000000000,"type":"INSERT"} <nil>
}
