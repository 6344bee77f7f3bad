package cdcodec_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/fastjson"
	. "github.com/cdcodec/cdcodec/internal/canaltest"
	"github.com/cdcodec/cdcodec/internal/pb/canalpb"
)

// The tests in this file and those named like it are small inputs behind faults
// that users of Canal, TiCDC and TiDB Binlog, of their forks and of clients in Go
// have reported, by the numbers they have in our list. Here is what an Entry
// becomes in dialect canal; fieldcase_wire_test.go has what is wrong with bytes,
// the others have the other sources and dialect ticdc.

// fieldEntry returns an Entry of table test.t.
func fieldEntry(c *canalpb.RowChange) []byte {
	return Encode(&canalpb.Entry{
		Header: &canalpb.Header{
			SchemaName: proto.String("test"), TableName: proto.String("t"), ExecuteTime: proto.Int64(1668673476000)},
		EntryType:  canalpb.EntryType_ROWDATA.Enum(),
		StoreValue: Encode(c),
	})
}

// fieldCase checks what becomes of a change of table test.t.
func fieldCase(t *testing.T, name string, c *canalpb.RowChange, want text) {
	t.Helper()
	if c.IsDdl == nil {
		c.IsDdl = proto.Bool(false)
	}
	want.database, want.table, want.es = `"test"`, `"t"`, "1668673476000"
	become(t, name, fieldEntry(c), fastjson.Options{}, want.String())
}

// fieldInsert is fieldCase for an INSERT of one row.
func fieldInsert(t *testing.T, name string, columns Columns, data, mysqlType, sqlType string) {
	t.Helper()
	fieldCase(t, name, Change(Insert, Row(nil, columns)), text{data: data, mysqlType: mysqlType, sqlType: sqlType, typ: `"INSERT"`})
}

func TestFieldCasesT01NullEmptyAbsent(t *testing.T) {
	fieldInsert(t, "null, empty, \"null\" and absent",
		Columns{Col("a", "", Null, NoValue), Col("b", ""), Col("c", "null"), Col("d", "", NoValue), Col("e", "x", Null)},
		`[{"a":null,"b":"","c":"null","d":"","e":null}]`,
		`{"a":"","b":"","c":"","d":"","e":""}`, `{"a":0,"b":0,"c":0,"d":0,"e":0}`)
}

func TestFieldCasesT02PKNames(t *testing.T) {
	fieldInsert(t, "no key", Columns{Col("a", "1")}, `[{"a":"1"}]`, `{"a":""}`, `{"a":0}`)
	fieldCase(t, "b before a, in the first row only",
		Change(Insert, Row(nil, Columns{Col("b", "1", Key), Col("a", "2", Key)}), Row(nil, Columns{Col("b", "3"), Col("a", "4", Key)})),
		text{data: `[{"b":"1","a":"2"},{"b":"3","a":"4"}]`, mysqlType: `{"b":"","a":""}`, sqlType: `{"b":0,"a":0}`, pkNames: `["b","a"]`, typ: `"INSERT"`})
}

func TestFieldCasesT03NullToValue(t *testing.T) {
	fieldCase(t, "null before",
		Change(Update, Row(Columns{Col("id", "1", Key), Col("c", "", Null, NoValue)}, Columns{Col("id", "1", Key), Col("c", "x", Changed)})),
		text{data: `[{"id":"1","c":"x"}]`, old: `[{"c":null}]`, mysqlType: `{"id":"","c":""}`, sqlType: `{"id":0,"c":0}`, pkNames: `["id"]`})
}

func TestFieldCasesT04NothingFlagged(t *testing.T) {
	fieldCase(t, "all the same",
		Change(Update, Row(Columns{Col("a", "1"), Col("b", "2")}, Columns{Col("a", "1"), Col("b", "2")})),
		text{data: `[{"a":"1","b":"2"}]`, old: `[{}]`, mysqlType: `{"a":"","b":""}`, sqlType: `{"a":0,"b":0}`})
}

func TestFieldCasesT05SeveralRows(t *testing.T) {
	change := Change(Update,
		Row(Columns{Col("id", "1", Key), Col("x", "1"), Col("y", "a")}, Columns{Col("id", "1", Key), Col("x", "2", Changed), Col("y", "a")}),
		Row(Columns{Col("id", "2", Key), Col("x", "5"), Col("y", "b")}, Columns{Col("id", "2", Key), Col("x", "5"), Col("y", "c", Changed)}))
	want := text{data: `[{"id":"1","x":"2","y":"a"},{"id":"2","x":"5","y":"c"}]`, old: `[{"x":"1"},{"x":"5","y":"b"}]`,
		mysqlType: `{"id":"","x":"","y":""}`, sqlType: `{"id":0,"x":0,"y":0}`, pkNames: `["id"]`}
	fieldCase(t, "as Canal does", change, want)
	want.old = `[{"x":"1"},{"y":"b"}]`
	want.database, want.table, want.es = `"test"`, `"t"`, "1668673476000"
	become(t, "per row", fieldEntry(change), fastjson.Options{OldPerRow: true}, want.String())
}

func TestFieldCasesT07InsertDelete(t *testing.T) {
	fieldCase(t, "insert", Change(Insert, Row(nil, Columns{Col("a", "1", Changed)})),
		text{data: `[{"a":"1"}]`, mysqlType: `{"a":""}`, sqlType: `{"a":0}`, typ: `"INSERT"`})
	fieldCase(t, "delete", Change(Delete, Row(Columns{Col("a", "1")}, Columns{Col("b", "2", Key)})),
		text{data: `[{"a":"1"}]`, mysqlType: `{"a":""}`, sqlType: `{"a":0}`, typ: `"DELETE"`})
	fieldCase(t, "truncate with rows", Change(canalpb.EventType_TRUNCATE, Row(Columns{Col("a", "1", Key)}, Columns{Col("a", "1", Key)})),
		text{typ: `"TRUNCATE"`})
}

func TestFieldCasesT08MinimalImage(t *testing.T) {
	fieldCase(t, "key before, change after",
		Change(Update, Row(Columns{Col("id", "7", Key)}, Columns{Col("students", "20", Changed, Typed(4, "int"))})),
		text{data: `[{"students":"20"}]`, old: `[{}]`, mysqlType: `{"students":"int"}`, sqlType: `{"students":4}`})
}

func TestFieldCasesT09Unsigned(t *testing.T) {
	u := func(v string, sqlType int32, mysqlType string) Columns {
		return Columns{Col("u", v, Typed(sqlType, mysqlType))}
	}
	fieldCase(t, "the last row's type", Change(Insert, Row(nil, u("200", 5, "tinyint unsigned")), Row(nil, u("100", -6, "tinyint unsigned"))),
		text{data: `[{"u":"200"},{"u":"100"}]`, mysqlType: `{"u":"tinyint unsigned"}`, sqlType: `{"u":-6}`, typ: `"INSERT"`})
	for _, c := range []struct {
		value, mysqlType string
		sqlType          int32
		want             string
	}{
		{"127", "tinyint unsigned", -6, "-6"}, {"128", "tinyint unsigned", 5, "5"},
		{"32767", "smallint unsigned", 5, "5"}, {"32768", "smallint unsigned", 4, "4"},
		{"8388608", "mediumint unsigned", 4, "4"},
		{"2147483647", "int unsigned", 4, "4"}, {"2147483648", "int unsigned", -5, "-5"},
		{"9223372036854775807", "bigint unsigned", -5, "-5"}, {"9223372036854775808", "bigint unsigned", 3, "3"},
		{"18446744073709551615", "bigint unsigned", 3, "3"},
	} {
		fieldInsert(t, c.value, u(c.value, c.sqlType, c.mysqlType),
			`[{"u":"`+c.value+`"}]`, `{"u":"`+c.mysqlType+`"}`, `{"u":`+c.want+`}`)
	}
	fieldInsert(t, "null", Columns{Col("u", "", Null, NoValue, Typed(-5, "bigint unsigned"))}, `[{"u":null}]`, `{"u":"bigint unsigned"}`, `{"u":-5}`)
}

func TestFieldCasesT10Blob(t *testing.T) {
	blob := func(v string) Columns { return Columns{Col("b", v, Typed(2004, "longblob"))} }
	fieldInsert(t, "E6 88 91", blob("\xc3\xa6\xc2\x88\xc2\x91"), "[{\"b\":\"\xc3\xa6\xc2\x88\xc2\x91\"}]", `{"b":"longblob"}`, `{"b":2004}`)

	// All 256 bytes, widened as Canal does, and back from JSON.
	var widened []rune
	for b := range 256 {
		widened = append(widened, rune(b))
	}
	entry := fieldEntry(Change(Insert, Row(nil, blob(string(widened)))))
	out, _, err := transcoder(t, fastjson.Options{}).Append(nil, nil, entry, goldenMeta)
	if err != nil {
		t.Fatal(err)
	}
	var message struct{ Data []map[string]string }
	if err := json.Unmarshal(out, &message); err != nil {
		t.Fatal(err)
	}
	back := []rune(message.Data[0]["b"])
	if len(back) != 256 {
		t.Fatalf("%d characters", len(back))
	}
	for b, r := range back {
		if r != rune(b) {
			t.Errorf("byte %#x came back as %#x", b, r)
		}
	}
	if high := []byte(string(widened[0x7f:])); !bytes.Contains(out, high) {
		t.Errorf("7F to FF are not raw: %s", out)
	}
}

func TestFieldCasesT11ControlBytes(t *testing.T) {
	var value []rune
	for _, b := range []byte{5, 7, 10, 15, 36, 50, 43, 99, 120, 60, 38, 255, 254, 45, 55, 70} {
		value = append(value, rune(b))
	}
	fieldInsert(t, "varbinary", Columns{Col("b", string(value), Typed(2004, "varbinary(20)"))},
		`[{"b":"\u0005\u0007\n\u000f$2+cx<&ÿþ-7F"}]`, `{"b":"varbinary(20)"}`, `{"b":2004}`)
	fieldInsert(t, "backspace, form feed, zero", Columns{Col("b", "\b\f\x00")}, `[{"b":"\b\f\u0000"}]`, `{"b":""}`, `{"b":0}`)
}

func TestFieldCasesT12Text(t *testing.T) {
	for _, c := range []struct{ name, value, want string }{
		{"emoji", "😀", "😀"},
		{"U+2028", "\u2028", "\u2028"},
		{"FF FE", "\xff\xfe", "\uFFFD\uFFFD"},
		{"ED A0 80", "\xed\xa0\x80", "\uFFFD"},
	} {
		fieldInsert(t, c.name, Columns{Col("c", c.value)}, `[{"c":"`+c.want+`"}]`, `{"c":""}`, `{"c":0}`)
	}
	for _, value := range []string{"\xff\xfe", "\xed\xa0\x80"} {
		fail(t, fmt.Sprintf("%x", value), fieldEntry(Change(Insert, Row(nil, Columns{Col("c", value)}))), reject, fastjson.ErrInvalidUTF8)
	}
}

func TestFieldCasesT13JSONColumn(t *testing.T) {
	const value = `{"k":"a\nb","p":"x\\.y"}`
	fieldInsert(t, "JSON is text", Columns{Col("j", value, Typed(12, "json"))},
		`[{"j":"{\"k\":\"a\\nb\",\"p\":\"x\\\\.y\"}"}]`, `{"j":"json"}`, `{"j":12}`)
	fieldInsert(t, "raw newline", Columns{Col("j", "{\n}")}, `[{"j":"{\n}"}]`, `{"j":""}`, `{"j":0}`)

	out, _, err := transcoder(t, fastjson.Options{}).Append(nil, nil, fieldEntry(Change(Insert, Row(nil, Columns{Col("j", value)}))), goldenMeta)
	var message struct{ Data []map[string]string }
	if err != nil || json.Unmarshal(out, &message) != nil || message.Data[0]["j"] != value {
		t.Errorf("unescaped once it is %v, %v", message, err)
	}
}

func TestFieldCasesT14Dates(t *testing.T) {
	for _, c := range []struct {
		value, mysqlType string
		sqlType          int32
		want             string
	}{
		{"0000-00-00 00:00:00", "datetime", 93, "93"}, {"0000-00-00", "date", 91, "91"}, {"-838:59:59", "time", 92, "92"},
		{"-00:00:00.12", "time(2)", 92, "92"}, {"2019-06-15 11:27:01.905", "timestamp(3)", 93, "93"}, {"0000", "year(4)", 12, "12"},
	} {
		fieldInsert(t, c.value, Columns{Col("d", c.value, Typed(c.sqlType, c.mysqlType))},
			`[{"d":"`+c.value+`"}]`, `{"d":"`+c.mysqlType+`"}`, `{"d":`+c.want+`}`)
	}
}

func TestFieldCasesT16EnumSet(t *testing.T) {
	fieldInsert(t, "numbers as text, elements kept",
		Columns{Col("e", "2", Typed(4, "enum('a','b')")), Col("s", "3", Typed(-7, "set('x','y')"))},
		`[{"e":"2","s":"3"}]`, `{"e":"enum('a','b')","s":"set('x','y')"}`, `{"e":4,"s":-7}`)
	fieldInsert(t, "comma and quote in an element", Columns{Col("e", "1", Typed(4, `enum('a,b','it''s')`))},
		`[{"e":"1"}]`, `{"e":"enum('a,b','it''s')"}`, `{"e":4}`)
	fieldInsert(t, "double quote in an element", Columns{Col("e", "1", Typed(4, `enum('"')`))},
		`[{"e":"1"}]`, `{"e":"enum('\"')"}`, `{"e":4}`)
}

func TestFieldCasesT17DDL(t *testing.T) {
	h := &canalpb.Header{SchemaName: proto.String("shop"), TableName: proto.String("t2"), EventType: canalpb.EventType_CREATE.Enum()}
	c := Statement(canalpb.EventType_CREATE, true, "/* app */ create table t2 (\r\n id int comment '中文')")
	c.DdlSchemaName = proto.String("test")
	become(t, "the header's schema", EntryOf(h, c), fastjson.Options{}, `{"data":null,"database":"shop","es":0,"gtid":"","id":1,"isDdl":true,`+
		`"mysqlType":null,"old":null,"pkNames":null,"sql":"/* app */ create table t2 (\r\n id int comment '中文')",`+
		`"sqlType":null,"table":"t2","ts":1700000000000,"type":"CREATE"}`)
}

func TestFieldCasesT19Query(t *testing.T) {
	const sql = "update t set a = 1"
	h := &canalpb.Header{SchemaName: proto.String(""), TableName: proto.String(""), EventType: Query.Enum()}
	tr := newTranscoder(t, cdcodec.Options{})
	for _, c := range []struct {
		name   string
		header *canalpb.Header
		change *canalpb.RowChange
		want   text
	}{
		{"rows-query", h, &canalpb.RowChange{EventType: Query.Enum(), Sql: proto.String(sql)}, text{sql: `"update t set a = 1"`, typ: `"QUERY"`}},
		{"rows-query of a table", &canalpb.Header{TableName: proto.String("t"), EventType: Query.Enum()},
			&canalpb.RowChange{EventType: Query.Enum(), Sql: proto.String(sql)}, text{table: `"t"`, sql: `"update t set a = 1"`, typ: `"QUERY"`}},
		{"DML as a statement", h, Statement(Update, false, sql), text{sql: `"update t set a = 1"`}},
	} {
		entry := EntryOf(c.header, c.change)
		become(t, c.name, entry, fastjson.Options{}, c.want.String())
		_, msgs, err := tr.Append(nil, nil, entry, goldenMeta)
		if err != nil || len(msgs) != 1 || msgs[0].IsDDL {
			t.Errorf("%s: %v, %v", c.name, msgs, err)
		}
	}
}
