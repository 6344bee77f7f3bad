package reference

import (
	"math"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/cdcodec/cdcodec/fastjson"
	pb "github.com/cdcodec/cdcodec/internal/pb/tidbbinlogpb"
)

// The tests here go by the statements of tidb-binlog.md.

const seedTS = 429918007904436226 // of 1640007049196 ms

// info describes a column; cell, and those below, are values.
func info(name, typ string) *pb.ColumnInfo {
	return &pb.ColumnInfo{Name: &name, MysqlType: &typ}
}

func primary(name, typ string) *pb.ColumnInfo {
	c := info(name, typ)
	c.IsPrimaryKey = proto.Bool(true)
	return c
}

func i64(v int64) *pb.Column    { return &pb.Column{Int64Value: &v} }
func u64(v uint64) *pb.Column   { return &pb.Column{Uint64Value: &v} }
func f64(v float64) *pb.Column  { return &pb.Column{DoubleValue: &v} }
func blob(v ...byte) *pb.Column { return &pb.Column{BytesValue: append([]byte{}, v...)} }
func str(v string) *pb.Column   { return &pb.Column{StringValue: &v} }
func null() *pb.Column          { return &pb.Column{IsNull: proto.Bool(true)} }

func tidbRow(columns ...*pb.Column) *pb.Row { return &pb.Row{Columns: columns} }

func inserted(row *pb.Row) *pb.TableMutation {
	return &pb.TableMutation{Type: pb.MutationType_Insert.Enum(), Row: row}
}

func updated(before, after *pb.Row) *pb.TableMutation {
	return &pb.TableMutation{Type: pb.MutationType_Update.Enum(), Row: after, ChangeRow: before}
}

func deleted(row *pb.Row) *pb.TableMutation {
	return &pb.TableMutation{Type: pb.MutationType_Delete.Enum(), Row: row}
}

// tableT is table shop.t.
func tableT(infos []*pb.ColumnInfo, mutations ...*pb.TableMutation) *pb.Table {
	return &pb.Table{SchemaName: proto.String("shop"), TableName: proto.String("t"), ColumnInfo: infos, Mutations: mutations}
}

func infos(all ...*pb.ColumnInfo) []*pb.ColumnInfo { return all }

// binlogOf returns a transaction, with what is required left out if it is.
func binlogOf(tables ...*pb.Table) []byte {
	return partial(&pb.Binlog{CommitTs: proto.Int64(seedTS), DmlData: &pb.DMLData{Tables: tables}})
}

func partial(m proto.Message) []byte {
	b, err := proto.MarshalOptions{AllowPartial: true}.Marshal(m)
	if err != nil {
		panic(err)
	}
	return b
}

// tidbTexts returns the messages of a good record.
func tidbTexts(t *testing.T, record []byte, o fastjson.Options) []string {
	t.Helper()
	messages, err := TiDBBinlog(record, o, meta)
	if err != nil {
		t.Fatal(err)
	}
	return texts(messages)
}

func TestTiDBWholeMessages(t *testing.T) {
	columns := infos(primary("id", "bigint"), info("c", "varchar"))
	record := binlogOf(
		tableT(columns, inserted(tidbRow(i64(1), str("a"))), updated(tidbRow(i64(1), str("a")), tidbRow(i64(1), str("b")))),
		&pb.Table{SchemaName: proto.String("other"), ColumnInfo: infos(info("x", "int")), Mutations: []*pb.TableMutation{deleted(tidbRow(i64(-5)))}},
	)
	const canalHead = `"database":"shop","es":1640007049196,"gtid":"","id":1,"isDdl":false,"mysqlType":{"id":"bigint","c":"varchar"},`
	const canalTail = `"pkNames":["id"],"sql":"","sqlType":{"id":-5,"c":12},"table":"t","ts":1700000000000,"type":`
	equal(t, "canal", tidbTexts(t, record, fastjson.Options{}),
		`{"data":[{"id":"1","c":"a"}],`+canalHead+`"old":null,`+canalTail+`"INSERT"}`,
		`{"data":[{"id":"1","c":"b"}],`+canalHead+`"old":[{"c":"a"}],`+canalTail+`"UPDATE"}`,
		`{"data":[{"x":"-5"}],"database":"other","es":1640007049196,"gtid":"","id":1,"isDdl":false,"mysqlType":{"x":"int"},`+
			`"old":null,"pkNames":null,"sql":"","sqlType":{"x":4},"table":"","ts":1700000000000,"type":"DELETE"}`)
	equal(t, "canal, one row", tidbTexts(t, record, oneRow), tidbTexts(t, record, fastjson.Options{})...)
	for _, msg := range tidbTexts(t, record, fastjson.Options{OmitGTID: true}) {
		if strings.Contains(msg, "gtid") {
			t.Error(msg)
		}
	}

	const head = `{"id":0,"database":"shop","table":"t","pkNames":["id"],"isDdl":false,"type":`
	const types = `,"es":1640007049196,"ts":1700000000000,"sql":"","sqlType":{"id":-5,"c":12},"mysqlType":{"id":"bigint","c":"varchar"},`
	const tail = `,"_tidb":{"commitTs":429918007904436226}}`
	equal(t, "ticdc", tidbTexts(t, record, extended),
		head+`"INSERT"`+types+`"old":null,"data":[{"id":"1","c":"a"}]`+tail,
		head+`"UPDATE"`+types+`"old":[{"id":"1","c":"a"}],"data":[{"id":"1","c":"b"}]`+tail,
		`{"id":0,"database":"other","table":"","pkNames":[],"isDdl":false,"type":"DELETE","es":1640007049196,"ts":1700000000000,`+
			`"sql":"","sqlType":{"x":4},"mysqlType":{"x":"int"},"old":null,"data":[{"x":"-5"}]`+tail)
	keys{"old": `[{"c":"a"}]`}.checkIn(t, tidbTexts(t, record, ticdc(fastjson.TiCDCOptions{OnlyUpdated: true}))[1])
}

func TestTiDBDDL(t *testing.T) {
	ddl := func(d *pb.DDLData) []byte {
		return partial(&pb.Binlog{Type: pb.BinlogType_DDL.Enum(), CommitTs: proto.Int64(seedTS), DdlData: d})
	}
	create := ddl(&pb.DDLData{SchemaName: proto.String("shop"), TableName: proto.String("t"), DdlQuery: []byte("/* x */ create table t (a int)")})
	equal(t, "canal", tidbTexts(t, create, fastjson.Options{}),
		`{"data":null,"database":"shop","es":1640007049196,"gtid":"","id":1,"isDdl":true,"mysqlType":null,"old":null,"pkNames":null,`+
			`"sql":"/* x */ create table t (a int)","sqlType":null,"table":"t","ts":1700000000000,"type":"CREATE"}`)
	equal(t, "ticdc", tidbTexts(t, create, extended),
		`{"id":0,"database":"shop","table":"t","pkNames":null,"isDdl":true,"type":"CREATE","es":1640007049196,"ts":1700000000000,`+
			`"sql":"/* x */ create table t (a int)","sqlType":null,"mysqlType":null,"data":null,"old":null,"_tidb":{"commitTs":429918007904436226}}`)
	nothing := ddl(&pb.DDLData{})
	keys{"sql": `""`, "type": `"QUERY"`, "database": `""`, "table": `""`, "isDdl": "true"}.checkIn(t, tidbTexts(t, nothing, fastjson.Options{})[0])
	bad := ddl(&pb.DDLData{DdlQuery: []byte("drop table \xED\xA0\x80")})
	keys{"sql": "\"drop table \uFFFD\"", "type": `"ERASE"`}.checkIn(t, tidbTexts(t, bad, fastjson.Options{})[0])
	keys{"sql": `"drop table \ufffd\ufffd\ufffd"`}.checkIn(t, tidbTexts(t, bad, extended)[0])
	if _, err := TiDBBinlog(bad, fastjson.Options{RejectInvalidUTF8: true}, meta); err == nil {
		t.Error("invalid UTF-8 is not rejected")
	}
}

// TestTiDBTimes is es and commitTs.
func TestTiDBTimes(t *testing.T) {
	for _, c := range []struct {
		ts       *int64
		callers  uint64
		es, want string
	}{
		{proto.Int64(seedTS), 5, "1640007049196", `{"commitTs":429918007904436226}`},
		{proto.Int64(1<<18 - 1), 5, "0", `{"commitTs":262143}`},
		{proto.Int64(1 << 18), 5, "1", `{"commitTs":262144}`},
		{proto.Int64(-1), 5, "70368744177663", `{"commitTs":18446744073709551615}`},
		{proto.Int64(math.MaxInt64), 5, "35184372088831", `{"commitTs":9223372036854775807}`},
		{nil, 0, "0", `{"commitTs":0}`},
		{nil, 5, "0", `{"commitTs":5}`},
	} {
		record := partial(&pb.Binlog{CommitTs: c.ts, DmlData: &pb.DMLData{Tables: []*pb.Table{tableT(infos(info("a", "int")), inserted(tidbRow(i64(1))))}}})
		messages, err := TiDBBinlog(record, extended, fastjson.Meta{CommitTS: c.callers})
		if err != nil {
			t.Fatal(err)
		}
		keys{"es": c.es, "_tidb": c.want}.checkIn(t, string(messages[0]))
	}
}

// TestTiDBValues is which field holds a value, how it prints, and the types.
func TestTiDBValues(t *testing.T) {
	all := &pb.Column{Int64Value: proto.Int64(1), Uint64Value: proto.Uint64(2), DoubleValue: proto.Float64(3.5), BytesValue: []byte("4\xE9"), StringValue: proto.String("5")}
	without := func(clear func(*pb.Column)) *pb.Column {
		c := proto.Clone(all).(*pb.Column)
		clear(c)
		return c
	}
	noInt := without(func(c *pb.Column) { c.Int64Value = nil })
	noUint := without(func(c *pb.Column) { c.Uint64Value = nil })
	noNumber := without(func(c *pb.Column) { c.Int64Value, c.Uint64Value = nil, nil })
	noString := without(func(c *pb.Column) { c.StringValue = nil })
	onlyTexts := without(func(c *pb.Column) { c.Int64Value, c.Uint64Value, c.DoubleValue = nil, nil, nil })

	for _, c := range []struct {
		typ   string
		value *pb.Column
		data  string
		sql   string
		mysql string
	}{
		// the field that the type wants
		{"tinyint", all, `"1"`, "-6", "tinyint"}, {"smallint", all, `"1"`, "5", "smallint"}, {"mediumint", all, `"1"`, "4", "mediumint"},
		{"int", all, `"1"`, "4", "int"}, {"bigint", all, `"1"`, "-5", "bigint"}, {"bigint", noInt, `"2"`, "-5", "bigint unsigned"},
		{"float", all, `"3.5"`, "7", "float"}, {"double", all, `"3.5"`, "8", "double"},
		{"decimal", all, `"5"`, "3", "decimal"}, {"date", all, `"5"`, "91", "date"}, {"time", all, `"5"`, "92", "time"}, {"datetime", all, `"5"`, "93", "datetime"},
		{"timestamp", all, `"5"`, "93", "timestamp"}, {"year", all, `"5"`, "12", "year"}, {"char", all, `"5"`, "1", "char"}, {"varchar", all, `"5"`, "12", "varchar"},
		{"var_string", all, `"5"`, "12", "var_string"}, {"tinytext", all, `"5"`, "2005", "tinytext"}, {"text", all, `"5"`, "2005", "text"},
		{"mediumtext", all, `"5"`, "2005", "mediumtext"}, {"longtext", all, `"5"`, "2005", "longtext"}, {"geometry", all, `"5"`, "12", "geometry"},
		{"", all, `"5"`, "12", ""}, {"vector", all, `"5"`, "12", "vector"},
		{"bit", all, `"13545"`, "-7", "bit"}, // 0x34E9
		{"tinyblob", all, `"4é"`, "2004", "tinyblob"}, {"blob", all, `"4é"`, "2004", "blob"}, {"mediumblob", all, `"4é"`, "2004", "mediumblob"},
		{"longblob", all, `"4é"`, "2004", "longblob"}, {"binary", all, `"4é"`, "2004", "binary"}, {"varbinary", all, `"4é"`, "2004", "varbinary"},
		{"enum", all, `"2"`, "4", "enum"}, {"set", all, `"2"`, "-7", "set"},

		// else the first one there is of int64, uint64, double, bytes, string
		{"varchar", noString, `"1"`, "12", "varchar"}, {"enum", noUint, `"1"`, "4", "enum"}, {"int", noNumber, `"3.5"`, "4", "int"},
		{"double", without(func(c *pb.Column) { c.DoubleValue, c.Int64Value = nil, nil }), `"2"`, "8", "double"},
		{"int", onlyTexts, `"4é"`, "4", "int"}, {"double", onlyTexts, `"4é"`, "8", "double"},
		{"int", str("x"), `"x"`, "4", "int"}, {"bit", str("x"), `"x"`, "-7", "bit"}, {"blob", str("é"), `"é"`, "2004", "blob"}, {"bit", i64(-2), `"-2"`, "-7", "bit"},
		{"json", str("{}"), `"{}"`, "12", "json"}, {"year", i64(2024), `"2024"`, "12", "year"}, {"decimal", f64(1.25), `"1.25"`, "3", "decimal"},
		{"varchar", u64(200), `"200"`, "12", "varchar"},

		// none, and null
		{"int", &pb.Column{}, `""`, "4", "int"}, {"blob", &pb.Column{}, `""`, "2004", "blob"}, {"bit", &pb.Column{}, `""`, "-7", "bit"},
		{"int", &pb.Column{IsNull: proto.Bool(false)}, `""`, "4", "int"}, {"int", null(), `null`, "4", "int"},
		{"bigint", &pb.Column{IsNull: proto.Bool(true), Uint64Value: proto.Uint64(1 << 63)}, `null`, "-5", "bigint"},
		{"bit", &pb.Column{IsNull: proto.Bool(true), BytesValue: []byte("123456789")}, `null`, "-7", "bit"},

		// integers
		{"bigint", i64(math.MinInt64), `"-9223372036854775808"`, "-5", "bigint"}, {"tinyint", i64(200), `"200"`, "-6", "tinyint"}, {"int", i64(0), `"0"`, "4", "int"},
		{"tinyint", u64(127), `"127"`, "-6", "tinyint unsigned"}, {"tinyint", u64(128), `"128"`, "5", "tinyint unsigned"},
		{"smallint", u64(32767), `"32767"`, "5", "smallint unsigned"}, {"smallint", u64(32768), `"32768"`, "4", "smallint unsigned"},
		{"mediumint", u64(16777215), `"16777215"`, "4", "mediumint unsigned"},
		{"int", u64(2147483647), `"2147483647"`, "4", "int unsigned"}, {"int", u64(2147483648), `"2147483648"`, "-5", "int unsigned"},
		{"bigint", u64(9223372036854775807), `"9223372036854775807"`, "-5", "bigint unsigned"}, {"bigint", u64(9223372036854775808), `"9223372036854775808"`, "3", "bigint unsigned"},
		{"bigint", u64(math.MaxUint64), `"18446744073709551615"`, "3", "bigint unsigned"},

		// floats
		{"float", f64(float64(float32(345.6789))), `"345.6789"`, "7", "float"}, {"double", f64(float64(float32(345.6789))), `"345.67889404296875"`, "8", "double"},
		{"float", f64(1e300), `"+Inf"`, "7", "float"}, {"float", f64(-1e300), `"-Inf"`, "7", "float"}, {"double", f64(1e21), `"1000000000000000000000"`, "8", "double"},
		{"double", f64(1e-7), `"0.0000001"`, "8", "double"}, {"double", f64(math.Copysign(0, -1)), `"-0"`, "8", "double"}, {"float", f64(math.Copysign(0, -1)), `"-0"`, "7", "float"},
		{"double", f64(math.NaN()), `"NaN"`, "8", "double"}, {"double", f64(math.Inf(1)), `"+Inf"`, "8", "double"}, {"double", f64(math.Inf(-1)), `"-Inf"`, "8", "double"},
		{"double", f64(100), `"100"`, "8", "double"}, {"float", f64(16777216), `"16777216"`, "7", "float"}, {"REAL", f64(0.1), `"0.1"`, "8", "double"},
		{"double", f64(0), `"0"`, "8", "double"}, {"float", f64(1e-50), `"0"`, "7", "float"},

		// bits
		{"bit", blob(0x01, 0xFF), `"511"`, "-7", "bit"}, {"bit", blob(), `"0"`, "-7", "bit"}, {"bit", blob(0, 0), `"0"`, "-7", "bit"}, {"bit", blob('1'), `"49"`, "-7", "bit"},
		{"bit", blob(0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF), `"18446744073709551615"`, "-7", "bit"},

		// bytes
		{"json", blob([]byte(`{"a":"é"}`)...), `"{\"a\":\"é\"}"`, "12", "json"}, {"char", blob(0xC3, 0xA9), `"é"`, "1", "char"}, {"varchar", blob(0xC3, 0xA9), `"é"`, "12", "varchar"},
		{"var_string", blob(0xC3, 0xA9), `"é"`, "12", "var_string"}, {"longtext", blob(0xC3, 0xA9), `"é"`, "2005", "longtext"},
		{"binary", blob(0xC3, 0xA9), `"Ã©"`, "2004", "binary"}, {"decimal", blob(0xE9), `"é"`, "3", "decimal"}, {"date", blob(0xE9), `"é"`, "91", "date"},
		{"enum", blob(0xE9), `"é"`, "4", "enum"}, {"geometry", blob(0xE9), `"é"`, "12", "geometry"}, {"blob", blob(0, 0xFF), `"\u0000ÿ"`, "2004", "blob"},
		{"blob", blob(), `""`, "2004", "blob"}, {"vector", blob(0xC3, 0xA9), `"Ã©"`, "12", "vector"},
		{"longblob", blob(0xE6, 0x88, 0x91), "\"\u00e6\u0088\u0091\"", "2004", "longblob"},

		// other ways to write a type
		{"BIGINT(20)", u64(5), `"5"`, "-5", "bigint unsigned"}, {"VarChar(20)", str("x"), `"x"`, "12", "varchar"}, {"Integer", i64(5), `"5"`, "4", "int"},
		{"int unsigned", i64(5), `"5"`, "4", "int unsigned"}, {"int unsigned", null(), `null`, "4", "int unsigned"}, {"bool", all, `"1"`, "-6", "tinyint"},

		// values as they come
		{"datetime", str("0000-00-00 00:00:00"), `"0000-00-00 00:00:00"`, "93", "datetime"}, {"decimal", str("500.00"), `"500.00"`, "3", "decimal"},
		{"varchar", str(`<"\>`), `"<\"\\>"`, "12", "varchar"}, {"varchar", str("\xFF"), "\"\uFFFD\"", "12", "varchar"},
	} {
		record := binlogOf(tableT(infos(info("a", c.typ)), inserted(tidbRow(c.value))))
		want := keys{"data": `[{"a":` + c.data + `}]`, "sqlType": `{"a":` + c.sql + `}`, "mysqlType": `{"a":"` + c.mysql + `"}`}
		want.checkIn(t, tidbTexts(t, record, fastjson.Options{})[0])
		if !strings.ContainsAny(c.data, "<\uFFFD") { // which dialect ticdc writes in its own way
			want.checkIn(t, tidbTexts(t, record, extended)[0])
			want.checkIn(t, tidbTexts(t, record, ticdc(fastjson.TiCDCOptions{ContentCompatible: true}))[0])
		}
	}
}

// TestTiDBUnsigned is what the other image of an UPDATE tells of a type.
func TestTiDBUnsigned(t *testing.T) {
	for _, c := range []struct {
		name          string
		typ           string
		before, after *pb.Column
		sql, mysql    string
	}{
		{"both", "bigint", u64(1), u64(1 << 63), "3", "bigint unsigned"},
		{"the value before is no matter", "bigint", u64(1 << 63), u64(1), "-5", "bigint unsigned"},
		{"null after", "bigint", u64(1 << 63), null(), "-5", "bigint unsigned"},
		{"null before", "bigint", null(), u64(1 << 63), "3", "bigint unsigned"},
		{"null twice", "bigint", null(), null(), "-5", "bigint"},
		{"signed and null", "bigint", i64(1), null(), "-5", "bigint"},
		{"before only", "tinyint", u64(1), i64(200), "5", "tinyint unsigned"},
		{"a null with a value", "int", &pb.Column{IsNull: proto.Bool(true), Uint64Value: proto.Uint64(1)}, null(), "4", "int"},
		{"int64 beside it", "int", &pb.Column{Int64Value: proto.Int64(1), Uint64Value: proto.Uint64(1)}, i64(1), "4", "int"},
		{"no integer", "enum", u64(1), u64(2), "4", "enum"},
		{"no integer either", "varchar", u64(1), u64(2), "12", "varchar"},
	} {
		record := binlogOf(tableT(infos(info("a", c.typ)), updated(tidbRow(c.before), tidbRow(c.after))))
		for _, o := range []fastjson.Options{{}, extended} {
			keys{"sqlType": `{"a":` + c.sql + `}`, "mysqlType": `{"a":"` + c.mysql + `"}`}.checkIn(t, tidbTexts(t, record, o)[0])
		}
	}
	// The types are of one message: the next row does not know.
	record := binlogOf(tableT(infos(info("a", "int")), inserted(tidbRow(u64(1))), inserted(tidbRow(null())), inserted(tidbRow(u64(1<<31)))))
	for i, want := range []string{`{"a":"int unsigned"}`, `{"a":"int"}`, `{"a":"int unsigned"}`} {
		keys{"mysqlType": want}.checkIn(t, tidbTexts(t, record, fastjson.Options{})[i])
	}
	// A Delete has one image: its change_row is nothing.
	gone := deleted(tidbRow(null()))
	gone.ChangeRow = tidbRow(u64(1))
	keys{"mysqlType": `{"a":"int"}`}.checkIn(t, tidbTexts(t, binlogOf(tableT(infos(info("a", "int")), gone)), fastjson.Options{})[0])
}

func TestTiDBOld(t *testing.T) {
	columns := infos(info("a", "int"), info("b", "varchar"))
	for _, c := range []struct {
		name          string
		before, after *pb.Row
		old, full     string
	}{
		{"nothing differs", tidbRow(i64(1), str("x")), tidbRow(i64(1), str("x")), `[{}]`, `[{"a":"1","b":"x"}]`},
		{"one differs", tidbRow(i64(1), str("x")), tidbRow(i64(2), str("x")), `[{"a":"1"}]`, `[{"a":"1","b":"x"}]`},
		{"null and a value", tidbRow(null(), str("")), tidbRow(i64(0), null()), `[{"a":null,"b":""}]`, `[{"a":null,"b":""}]`},
		{"null and null", tidbRow(null(), null()), tidbRow(null(), null()), `[{}]`, `[{"a":null,"b":null}]`},
		{"the same text of other fields", tidbRow(i64(1), str("2")), tidbRow(u64(1), i64(2)), `[{}]`, `[{"a":"1","b":"2"}]`},
		{"none is empty", tidbRow(i64(1), &pb.Column{}), tidbRow(i64(1), str("")), `[{}]`, `[{"a":"1","b":""}]`},
	} {
		record := binlogOf(tableT(columns, updated(c.before, c.after)))
		keys{"old": c.old}.checkIn(t, tidbTexts(t, record, fastjson.Options{})[0])
		keys{"old": c.full}.checkIn(t, tidbTexts(t, record, extended)[0])
		keys{"old": c.old}.checkIn(t, tidbTexts(t, record, ticdc(fastjson.TiCDCOptions{OnlyUpdated: true}))[0])
		keys{"old": c.old}.checkIn(t, tidbTexts(t, record, ticdc(fastjson.TiCDCOptions{ContentCompatible: true}))[0])
	}

	// Per row: what the first one changed is not shown in the second.
	two := binlogOf(tableT(columns, updated(tidbRow(i64(1), str("x")), tidbRow(i64(2), str("x"))), updated(tidbRow(i64(1), str("x")), tidbRow(i64(1), str("y")))))
	for _, o := range []fastjson.Options{{}, {OldPerRow: true}} {
		messages := tidbTexts(t, two, o)
		keys{"old": `[{"a":"1"}]`}.checkIn(t, messages[0])
		keys{"old": `[{"b":"x"}]`}.checkIn(t, messages[1])
	}
}

func TestTiDBKeys(t *testing.T) {
	key := func(name string, columns ...string) *pb.Key { return &pb.Key{Name: &name, ColumnNames: columns} }
	for _, c := range []struct {
		name       string
		infos      []*pb.ColumnInfo
		keys       []*pb.Key
		canal, cdc string
		handle     string // what a DELETE by handle key shows; "" is an error
	}{
		{"flagged", infos(info("a", "int"), primary("b", "int")), nil, `["b"]`, `["b"]`, `[{"b":"2"}]`},
		{"flagged, in column order", infos(primary("b", "int"), primary("a", "int")), []*pb.Key{key("PRIMARY", "a", "b")}, `["b","a"]`, `["b","a"]`, `[{"b":"1","a":"2"}]`},
		{"flags win", infos(info("a", "int"), primary("b", "int")), []*pb.Key{key("PRIMARY", "a")}, `["b"]`, `["b"]`, `[{"b":"2"}]`},
		{"named, in column order", infos(info("a", "int"), info("b", "int")), []*pb.Key{key("u", "b"), key("PRIMARY", "b", "a")}, `["a","b"]`, `["a","b"]`, `[{"a":"1","b":"2"}]`},
		{"named what is not there", infos(info("a", "int"), info("b", "int")), []*pb.Key{key("PRIMARY", "x", "b", "b")}, `["b"]`, `["b"]`, `[{"b":"2"}]`},
		{"none", infos(info("a", "int"), info("b", "int")), nil, `null`, `[]`, ""},
		{"unique", infos(info("a", "int"), info("b", "int")), []*pb.Key{key("u", "b")}, `null`, `[]`, `[{"b":"2"}]`},
		{"the first unique one", infos(info("a", "int"), info("b", "int")), []*pb.Key{key("u", "b", "x"), key("v", "a")}, `null`, `[]`, `[{"b":"2"}]`},
		{"the first unique one, without columns", infos(info("a", "int"), info("b", "int")), []*pb.Key{key("e"), key("v", "a")}, `null`, `[]`, ""},
		{"the case matters", infos(info("a", "int"), info("B", "int")), []*pb.Key{key("primary", "a"), key("PRIMARY", "b")}, `null`, `[]`, `[{"a":"1"}]`},
		{"twice, flagged once", infos(primary("a", "int"), info("a", "int")), nil, `["a"]`, `["a"]`, `[{"a":"2"}]`},
		{"twice", infos(primary("a", "int"), primary("a", "int")), nil, `["a"]`, `["a"]`, `[{"a":"2"}]`},
	} {
		table := tableT(c.infos, deleted(tidbRow(i64(1), i64(2))))
		table.UniqueKeys = c.keys
		record := binlogOf(table)
		keys{"pkNames": c.canal}.checkIn(t, tidbTexts(t, record, fastjson.Options{})[0])
		keys{"pkNames": c.cdc}.checkIn(t, tidbTexts(t, record, extended)[0])
		messages, err := TiDBBinlog(record, ticdc(fastjson.TiCDCOptions{DeleteOnlyHandleKey: true}), meta)
		if (err != nil) != (c.handle == "") {
			t.Errorf("%s, by handle key: error %v", c.name, err)
		}
		if err == nil {
			keys{"data": c.handle, "pkNames": c.cdc}.checkIn(t, string(messages[0]))
		}
	}

	// A unique key that is NULL, in either image, finds no row.
	large := ticdc(fastjson.TiCDCOptions{Extension: true, MaxMessage: 304, Large: fastjson.HandleKeyOnly})
	for _, c := range []struct {
		key string
		ok  bool
	}{{"a", false}, {"b", true}, {"c", false}} {
		table := tableT(infos(info("a", "int"), info("b", "int"), info("c", "int")), updated(tidbRow(null(), i64(2), i64(3)), tidbRow(i64(1), i64(2), null())))
		table.UniqueKeys = []*pb.Key{key("u", c.key)}
		messages, err := TiDBBinlog(binlogOf(table), large, meta)
		if (err == nil) != c.ok {
			t.Errorf("unique key %s: %v", c.key, err)
		}
		if err == nil {
			keys{"old": `[{"b":"2"}]`, "data": `[{"b":"2"}]`, "sqlType": `{"b":4}`, "_tidb": `{"commitTs":429918007904436226,"onlyHandleKey":true}`}.
				checkIn(t, string(messages[0]))
		}
	}
}

func TestTiDBDuplicates(t *testing.T) {
	columns := infos(info("a", "int"), info("b", "int"), info("a", "varchar"))
	record := binlogOf(tableT(columns, updated(tidbRow(i64(1), i64(2), str("x")), tidbRow(i64(9), i64(2), str("x")))))
	want := keys{"data": `[{"a":"x","b":"2"}]`, "old": `[{}]`, "sqlType": `{"a":12,"b":4}`, "mysqlType": `{"a":"varchar","b":"int"}`}
	want.checkIn(t, tidbTexts(t, record, fastjson.Options{})[0])
	want["old"] = `[{"a":"x","b":"2"}]`
	want.checkIn(t, tidbTexts(t, record, extended)[0])

	// In dialect canal names are compared as they are shown.
	names := binlogOf(tableT(infos(info("\xFF", "int"), info("\xFE", "int")), inserted(tidbRow(i64(1), i64(2)))))
	keys{"data": "[{\"\uFFFD\":\"2\"}]"}.checkIn(t, tidbTexts(t, names, fastjson.Options{})[0])
	keys{"data": `[{"\ufffd":"1","\ufffd":"2"}]`}.checkIn(t, tidbTexts(t, names, extended)[0])
}
