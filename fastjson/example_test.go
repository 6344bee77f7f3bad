package fastjson_test

import (
	"errors"
	"fmt"
	"strings"

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

// The dialect of TiDB's TiCDC has a message for each row.
func ExampleWriter_ticdc() {
	row := func(id, state string) change.Row {
		return change.Row{After: []change.Column{
			{Name: []byte("id"), Value: []byte(id), MySQLType: []byte("bigint(20) unsigned"), Key: true},
			{Name: []byte("state"), Value: []byte(state), MySQLType: []byte("varchar(10)")},
		}}
	}
	ev := change.Event{
		Type: change.Insert, Database: []byte("shop"), Table: []byte("orders"), ES: 1640007049196, CommitTS: 429918007904436226,
		Rows: change.NewList(row("7", "paid & sent"), row("18446744073709551615", "new")),
	}

	w, err := fastjson.NewWriter(fastjson.Options{
		Dialect: fastjson.TiCDC,
		TiCDC:   fastjson.TiCDCOptions{Extension: true},
	})
	if err != nil {
		panic(err)
	}
	dst, err := w.AppendEvent(nil, &ev, fastjson.Meta{TS: 1640007050284})
	if err != nil {
		fmt.Println(err)
		return
	}
	start := 0
	for _, end := range w.Ends() {
		fmt.Printf("%s\n", dst[start:end])
		start = end
	}
	// Output:
	// {"id":0,"database":"shop","table":"orders","pkNames":["id"],"isDdl":false,"type":"INSERT","es":1640007049196,"ts":1640007050284,"sql":"","sqlType":{"id":-5,"state":12},"mysqlType":{"id":"bigint unsigned","state":"varchar"},"old":null,"data":[{"id":"7","state":"paid \u0026 sent"}],"_tidb":{"commitTs":429918007904436226}}
	// {"id":0,"database":"shop","table":"orders","pkNames":["id"],"isDdl":false,"type":"INSERT","es":1640007049196,"ts":1640007050284,"sql":"","sqlType":{"id":3,"state":12},"mysqlType":{"id":"bigint unsigned","state":"varchar"},"old":null,"data":[{"id":"18446744073709551615","state":"new"}],"_tidb":{"commitTs":429918007904436226}}
}

// Canal's own dialect can be had row by row too: each message repeats what they share.
func ExampleOptions_oneRow() {
	column := func(value string) []change.Column {
		return []change.Column{{Name: []byte("id"), Value: []byte(value), MySQLType: []byte("int(11)"), SQLType: 4}}
	}
	ev := change.Event{Type: change.Delete, Table: []byte("orders"), Rows: change.NewList(change.Row{Before: column("7")}, change.Row{Before: column("8")})}

	w, err := fastjson.NewWriter(fastjson.Options{OneRow: true, OmitGTID: true})
	if err != nil {
		panic(err)
	}
	dst, err := w.AppendEvent(nil, &ev, fastjson.Meta{})
	start := 0
	for _, end := range w.Ends() {
		fmt.Printf("%s\n", dst[start:end])
		start = end
	}
	fmt.Println(err)
	// Output:
	// {"data":[{"id":"7"}],"database":"","es":0,"id":0,"isDdl":false,"mysqlType":{"id":"int(11)"},"old":null,"pkNames":null,"sql":"","sqlType":{"id":4},"table":"orders","ts":0,"type":"DELETE"}
	// {"data":[{"id":"8"}],"database":"","es":0,"id":0,"isDdl":false,"mysqlType":{"id":"int(11)"},"old":null,"pkNames":null,"sql":"","sqlType":{"id":4},"table":"orders","ts":0,"type":"DELETE"}
	// <nil>
}

// A row too large to be sent is shown by its key, and says so.
func ExampleTooLargeError() {
	ev := change.Event{Type: change.Insert, Database: []byte("shop"), Table: []byte("notes"), Rows: change.NewList(change.Row{After: []change.Column{
		{Name: []byte("text"), Value: []byte(strings.Repeat("long ", 1000)), MySQLType: []byte("text")},
		{Name: []byte("id"), Value: []byte("7"), MySQLType: []byte("int"), Key: true},
	}})}
	for _, large := range []fastjson.Large{fastjson.RejectLarge, fastjson.HandleKeyOnly} {
		w, err := fastjson.NewWriter(fastjson.Options{
			Dialect: fastjson.TiCDC,
			TiCDC:   fastjson.TiCDCOptions{Extension: true, MaxMessage: 1000, Large: large},
		})
		if err != nil {
			panic(err)
		}
		dst, err := w.AppendEvent(nil, &ev, fastjson.Meta{})
		var tooLarge *fastjson.TooLargeError
		if errors.As(err, &tooLarge) {
			fmt.Println(tooLarge.Table, "is over", tooLarge.Limit)
			continue
		}
		fmt.Printf("%s %v\n", dst, err)
	}
	// Output:
	// shop.notes is over 1000
	// {"id":0,"database":"shop","table":"notes","pkNames":["id"],"isDdl":false,"type":"INSERT","es":0,"ts":0,"sql":"","sqlType":{"id":4},"mysqlType":{"id":"int"},"old":null,"data":[{"id":"7"}],"_tidb":{"commitTs":0,"onlyHandleKey":true}} <nil>
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

// The rows of a change go to the partitions that their keys hash to. Each part says all
// that the whole message says.
func ExampleWriter_AppendParts() {
	column := func(value string) []change.Column {
		return []change.Column{{Name: []byte("id"), Value: []byte(value), MySQLType: []byte("int(11)"), SQLType: 4, Key: true}}
	}
	ev := change.Event{Type: change.Insert, Table: []byte("orders"), Rows: change.NewList(change.Row{After: column("7")}, change.Row{After: column("8")}, change.Row{After: column("9")})}

	w, err := fastjson.NewWriter(fastjson.Options{OmitGTID: true})
	if err != nil {
		panic(err)
	}
	dst, err := w.AppendParts(nil, &ev, fastjson.Meta{}, []int32{3, 1, 3})
	start := 0
	for i, end := range w.Ends() {
		fmt.Printf("partition %d: %s\n", w.Parts()[i].Partition, dst[start:end])
		start = end
	}
	fmt.Println(err)
	// Output:
	// partition 3: {"data":[{"id":"7"},{"id":"9"}],"database":"","es":0,"id":0,"isDdl":false,"mysqlType":{"id":"int(11)"},"old":null,"pkNames":["id"],"sql":"","sqlType":{"id":4},"table":"orders","ts":0,"type":"INSERT"}
	// partition 1: {"data":[{"id":"8"}],"database":"","es":0,"id":0,"isDdl":false,"mysqlType":{"id":"int(11)"},"old":null,"pkNames":["id"],"sql":"","sqlType":{"id":4},"table":"orders","ts":0,"type":"INSERT"}
	// <nil>
}

func ExampleAppendKey() {
	rows := change.NewList(change.Row{After: []change.Column{
		{Name: []byte("region"), Value: []byte("eu"), Key: true},
		{Name: []byte("id"), Value: []byte("42"), Key: true},
		{Name: []byte("note"), Value: []byte("…")},
	}})
	for rows.Next() {
		key, _ := fastjson.AppendKey(nil, rows, change.After)
		fmt.Printf("%s\n", key)
	}
	// Output:
	// {"region":"eu","id":"42"}
}
