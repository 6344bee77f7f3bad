package reference

import (
	"math"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/cdcodec/cdcodec/fastjson"
	. "github.com/cdcodec/cdcodec/internal/canaltest"
	pb "github.com/cdcodec/cdcodec/internal/pb/changedatasetpb"
)

// The tests here go by the statements of baidu-changedataset.md.

type (
	columnMeta = pb.TableSchema_ColumnMeta
	columnData = pb.TableChange_ColumnData
)

// columnOf describes a column; the bitmap may be left out.
func columnOf(name, typ, key string, bitmap ...int32) *columnMeta {
	m := &columnMeta{ColumnName: &name, ColumnType: &typ, KeyFlag: &key}
	if bitmap != nil {
		m.DatabusColumnBitmap = &bitmap[0]
	}
	return m
}

func schemaOf(table string, columns ...*columnMeta) *pb.TableSchema {
	return &pb.TableSchema{TableName: &table, Columns: columns}
}

func changeOf(table string, before, after []*columnData) *pb.TableChange {
	return &pb.TableChange{TableName: &table, BeforeData: before, AfterData: after}
}

func data(all ...*columnData) []*columnData { return all }

func bStr(v string) *columnData    { return &columnData{StringValue: &v} }
func b32(v int32) *columnData      { return &columnData{Int32Value: &v} }
func b64(v int64) *columnData      { return &columnData{Int64Value: &v} }
func bFloat(v float32) *columnData { return &columnData{FloatValue: &v} }
func bBytes(v ...byte) *columnData { return &columnData{BytesValue: append([]byte{}, v...)} }
func bNull(text string) *columnData {
	return &columnData{IsNull: &text, StringValue: proto.String("x")}
}

// setOf returns a set of the time 5 s.
func setOf(schemas []*pb.TableSchema, changes ...*pb.TableChange) []byte {
	return Encode(&pb.ChangeDataSet{BirthTime: proto.Int64(5), TableSchema: schemas, TableChange: changes})
}

func schemas(all ...*pb.TableSchema) []*pb.TableSchema { return all }

// baiduTexts returns the messages of a good record.
func baiduTexts(t *testing.T, record []byte, o fastjson.Options) []string {
	t.Helper()
	messages, err := ChangeDataSet(record, o, meta, "", false)
	if err != nil {
		t.Fatal(err)
	}
	return texts(messages)
}

// oneValue is a set with an INSERT of one column.
func oneValue(m *columnMeta, d *columnData) []byte {
	return setOf(schemas(schemaOf("t", m)), changeOf("t", nil, data(d)))
}

func TestBaiduWholeMessages(t *testing.T) {
	columns := []*columnMeta{columnOf("id", "int(10) unsigned", "PRI", 0x22), columnOf("v", "varchar(8)", "")}
	record := Encode(&pb.ChangeDataSet{
		DbInstanceName: proto.String("producer00"),
		SyncPoint:      &pb.SyncPoint{SyncType: pb.SyncPoint_GTID.Enum(), GtId: []string{"a:1", "b:2"}},
		BirthTime:      proto.Int64(1700000000),
		SendTime:       proto.Int64(1700000009),
		TableSchema:    schemas(schemaOf("shop.t", columns...)),
		TableChange: []*pb.TableChange{
			changeOf("shop.t", nil, data(b32(-1), bStr("a"))),
			changeOf("shop.t", data(b32(7), bStr("a")), data(b32(7), bStr("b"))),
			changeOf("shop.t", data(b32(7), bNull("1")), nil),
		},
	})
	const middle = `,"database":"shop","es":1700000000000,"gtid":"a:1,b:2","id":1,"isDdl":false,"mysqlType":{"id":"int(10) unsigned","v":"varchar(8)"},"old":`
	tail := func(sql, typ string) string {
		return `,"pkNames":["id"],"sql":"","sqlType":{"id":` + sql + `,"v":12},"table":"t","ts":1700000000000,"type":"` + typ + `"}`
	}
	canal := []string{
		`{"data":[{"id":"4294967295","v":"a"}]` + middle + `null` + tail("-5", "INSERT"),
		`{"data":[{"id":"7","v":"b"}]` + middle + `[{"v":"a"}]` + tail("4", "UPDATE"),
		`{"data":[{"id":"7","v":null}]` + middle + `null` + tail("4", "DELETE"),
	}
	equal(t, "canal", baiduTexts(t, record, fastjson.Options{}), canal...)
	equal(t, "canal, one row", baiduTexts(t, record, oneRow), canal...)

	head := func(typ, sql, mysql string) string {
		return `{"id":0,"database":"shop","table":"t","pkNames":["id"],"isDdl":false,"type":"` + typ + `","es":1700000000000,"ts":1700000000000,` +
			`"sql":"","sqlType":{"id":` + sql + `,"v":12},"mysqlType":` + mysql
	}
	const short, full = `{"id":"int unsigned","v":"varchar"},"old":`, `{"id":"int(10) unsigned","v":"varchar(8)"},"old":`
	equal(t, "ticdc", baiduTexts(t, record, extended),
		head("INSERT", "-5", short)+`null,"data":[{"id":"4294967295","v":"a"}],"_tidb":{"commitTs":0}}`,
		head("UPDATE", "4", short)+`[{"id":"7","v":"a"}],"data":[{"id":"7","v":"b"}],"_tidb":{"commitTs":0}}`,
		head("DELETE", "4", short)+`null,"data":[{"id":"7","v":null}],"_tidb":{"commitTs":0}}`)
	equal(t, "ticdc, as Canal", baiduTexts(t, record, ticdc(fastjson.TiCDCOptions{ContentCompatible: true})),
		head("INSERT", "-5", full)+`null,"data":[{"id":"4294967295","v":"a"}]}`,
		head("UPDATE", "4", full)+`[{"v":"a"}],"data":[{"id":"7","v":"b"}]}`,
		head("DELETE", "4", full)+`null,"data":[{"id":"7","v":null}]}`)

	messages, err := ChangeDataSet(record, extended, fastjson.Meta{CommitTS: math.MaxUint64}, "", false)
	if err != nil {
		t.Fatal(err)
	}
	keys{"_tidb": `{"commitTs":18446744073709551615}`, "es": "1700000000000"}.checkIn(t, string(messages[0]))
}

func TestBaiduVerdict(t *testing.T) {
	a := columnOf("a", "int(11)", "")
	s := schemas(schemaOf("t", a))
	one := data(b32(1))
	for _, c := range []struct {
		name   string
		record []byte
		want   int // messages; -1 is an error
	}{
		{"insert", setOf(s, changeOf("t", nil, one)), 1},
		{"nothing", nil, 0},
		{"schemas only", setOf(s), 0},
		{"neither image", setOf(s, changeOf("t", nil, nil)), -1},
		{"neither image, and no columns", setOf(schemas(schemaOf("t")), changeOf("t", nil, nil)), -1},
		{"no schema", setOf(nil, changeOf("t", nil, one)), -1},
		{"the schema of another table", setOf(schemas(schemaOf("T", a), schemaOf("d.t", a)), changeOf("t", nil, one)), -1},
		{"a schema behind the change", append(setOf(nil, changeOf("t", nil, one)), setOf(s)...), 1},
		{"more data", setOf(s, changeOf("t", nil, data(b32(1), b32(2)))), -1},
		{"fewer data", setOf(schemas(schemaOf("t", a, a)), changeOf("t", nil, one)), -1},
		{"fewer data before", setOf(schemas(schemaOf("t", a, a)), changeOf("t", one, data(b32(1), b32(2)))), -1},
		{"no columns", setOf(schemas(schemaOf("t")), changeOf("t", nil, one)), -1},
		{"the last schema counts", setOf(schemas(schemaOf("t", a, a), schemaOf("t", a)), changeOf("t", nil, one)), 1},
		{"the last schema counts, and is bad", setOf(schemas(schemaOf("t", a), schemaOf("t", a, a)), changeOf("t", nil, one)), -1},
		{"no name", setOf(schemas(&pb.TableSchema{Columns: []*columnMeta{a}}), &pb.TableChange{AfterData: one}), -1},
		{"an empty name", setOf(schemas(schemaOf("", a)), changeOf("", nil, one)), -1},
		{"the second change is bad", setOf(s, changeOf("t", nil, one), changeOf("u", nil, one)), -1},
		{"bits", oneValue(columnOf("a", "bit(64)", ""), bBytes(0, 1, 2, 3, 4, 5, 6, 7, 8)), 1},
		{"too many bits", oneValue(columnOf("a", "bit(64)", ""), bBytes(1, 2, 3, 4, 5, 6, 7, 8, 9)), -1},
		{"100 groups", append(setOf(s), Groups(100)...), 0},
		{"101 groups", append(setOf(s), Groups(101)...), -1},
		{"wire type 6", append(setOf(s), 0x0E), -1},
		{"cut", setOf(s)[:5], -1},
		{"bad syncPoint", Sub(setOf(s), 2, []byte{0x0F}), -1},
		{"a schema in two parts", Sub(Sub(setOf(nil, changeOf("t", nil, one)), 3, Encode(&pb.TableSchema{TableName: proto.String("t")})), 3, Encode(&pb.TableSchema{Columns: []*columnMeta{a}})), -1}, // they are two
		{"a float of 8 bytes is unknown", Sub(setOf(s), 4, Sub(Sub(nil, 1, []byte("t")), 3, Fixed64(nil, 4, 1))), 1},
		{"a float cut short", Sub(setOf(s), 4, Sub(Sub(nil, 1, []byte("t")), 3, []byte{4<<3 | 5, 0, 0, 0})), -1},
	} {
		for _, o := range []fastjson.Options{{}, extended, {OneRow: true}} {
			messages, err := ChangeDataSet(c.record, o, meta, "", false)
			got := len(messages)
			if err != nil {
				got = -1
			}
			if got != c.want || err != nil && messages != nil {
				t.Errorf("%s: %d messages, want %d (error %v)", c.name, got, c.want, err)
			}
		}
	}
	_, err := ChangeDataSet(setOf(nil, changeOf("shop.orders", nil, one)), fastjson.Options{}, meta, "", false)
	if err == nil || !strings.Contains(err.Error(), "shop.orders") {
		t.Errorf("the error does not name the table: %v", err)
	}
}

func TestBaiduTableName(t *testing.T) {
	for _, c := range []struct{ name, option, database, table string }{
		{"shop.t", "", "shop", "t"}, {"shop.t", "other", "shop", "t"}, {"t", "", "", "t"}, {"t", "other", "other", "t"},
		{"a.b.c", "", "a", "b.c"}, {".t", "other", "", "t"}, {"a.", "other", "a", ""}, {".", "other", "", ""},
	} {
		record := setOf(schemas(schemaOf(c.name, columnOf("a", "int", ""))), changeOf(c.name, nil, data(b32(1))))
		for _, o := range []fastjson.Options{{}, extended} {
			messages, err := ChangeDataSet(record, o, meta, c.option, false)
			if err != nil {
				t.Fatal(err)
			}
			keys{"database": `"` + c.database + `"`, "table": `"` + c.table + `"`}.checkIn(t, string(messages[0]))
		}
	}
}

// TestBaiduValues is which field counts, and how it prints.
func TestBaiduValues(t *testing.T) {
	all := &columnData{StringValue: proto.String("s"), Int32Value: proto.Int32(32), Int64Value: proto.Int64(64), FloatValue: proto.Float32(1.5), BytesValue: []byte("\xE9")}
	without := func(clear func(*columnData)) *columnData {
		c := proto.Clone(all).(*columnData)
		clear(c)
		return c
	}
	noString := without(func(d *columnData) { d.StringValue = nil })
	no64 := without(func(d *columnData) { d.Int64Value = nil })
	noInt := without(func(d *columnData) { d.Int64Value, d.Int32Value = nil, nil })
	no64NorString := without(func(d *columnData) { d.Int64Value, d.StringValue = nil, nil })
	floatOrBytes := without(func(d *columnData) { d.Int64Value, d.Int32Value, d.StringValue = nil, nil, nil })
	noBytes := without(func(d *columnData) { d.BytesValue = nil })
	noFloat := without(func(d *columnData) { d.FloatValue = nil })

	for _, c := range []struct {
		typ   string
		value *columnData
		want  string
	}{
		// several: the one that the type wants
		{"tinyint(4)", all, `"64"`}, {"smallint(6)", all, `"64"`}, {"mediumint", all, `"64"`}, {"INT(10)", all, `"64"`}, {"bigint", all, `"64"`},
		{"integer", all, `"64"`}, {"bool", all, `"64"`}, {"int", no64, `"32"`}, {"float", all, `"1.5"`}, {"double", all, `"1.5"`}, {"real", all, `"1.5"`},
		{"bit(8)", all, `"233"`}, {"binary(1)", all, `"é"`}, {"varbinary(1)", all, `"é"`}, {"tinyblob", all, `"é"`}, {"blob", all, `"é"`},
		{"mediumblob", all, `"é"`}, {"longblob", all, `"é"`}, {"char(1)", all, `"s"`}, {"text", all, `"s"`}, {"json", all, `"s"`}, {"decimal(5,1)", all, `"s"`},
		{"enum('a')", all, `"s"`}, {"set('a')", all, `"s"`}, {"year(4)", all, `"s"`}, {"datetime", all, `"s"`}, {"geometry", all, `"s"`}, {"", all, `"s"`},
		// else string, int64, int32, float, bytes
		{"int", noInt, `"s"`}, {"float", noFloat, `"s"`}, {"blob", noBytes, `"s"`}, {"varchar", noString, `"64"`}, {"varchar", no64NorString, `"32"`},
		{"varchar", floatOrBytes, `"1.5"`}, {"int", floatOrBytes, `"1.5"`}, {"blob", without(func(d *columnData) { d.BytesValue, d.StringValue = nil, nil }), `"64"`},
		// one
		{"int", bStr("x"), `"x"`}, {"blob", bStr("é"), `"é"`}, {"bit", bStr("5"), `"5"`}, {"varchar", b32(-5), `"-5"`}, {"varchar", b64(-5), `"-5"`},
		{"varchar", bFloat(0.1), `"0.1"`}, {"bit(8)", b32(5), `"5"`}, {"decimal", bFloat(1.25), `"1.25"`}, {"int", bBytes(0xE9), `"é"`},
		{"int", bStr(""), `""`}, {"blob", bBytes(), `""`},
		// none
		{"int", &columnData{}, `null`}, {"varchar", &columnData{SqlType: proto.String("12")}, `null`},

		// floats: the shortest of 32 bits, plain
		{"float", bFloat(345.6789), `"345.6789"`}, {"double", bFloat(0.1), `"0.1"`}, {"float", bFloat(1e21), `"1000000000000000000000"`},
		{"float", bFloat(1e-7), `"0.0000001"`}, {"float", bFloat(float32(math.Inf(1))), `"+Inf"`}, {"float", bFloat(float32(math.Inf(-1))), `"-Inf"`},
		{"float", bFloat(float32(math.NaN())), `"NaN"`}, {"float", bFloat(float32(math.Copysign(0, -1))), `"-0"`}, {"float", bFloat(0), `"0"`},

		// bytes
		{"bit(16)", bBytes(1, 0xFF), `"511"`}, {"bit(1)", bBytes(), `"0"`}, {"bit(64)", bBytes(0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF), `"18446744073709551615"`},
		{"char(9)", bBytes(0xC3, 0xA9), `"é"`}, {"varchar(9)", bBytes(0xC3, 0xA9), `"é"`}, {"tinytext", bBytes(0xC3, 0xA9), `"é"`}, {"text", bBytes(0xC3, 0xA9), `"é"`},
		{"mediumtext", bBytes(0xC3, 0xA9), `"é"`}, {"longtext", bBytes(0xC3, 0xA9), `"é"`}, {"json", bBytes(0xC3, 0xA9), `"é"`},
		{"blob", bBytes(0xC3, 0xA9), `"Ã©"`}, {"decimal", bBytes(0xC3, 0xA9), `"Ã©"`}, {"", bBytes(0xC3, 0xA9), `"Ã©"`}, {"binary(2)", bBytes(0, 0xFF), `"\u0000ÿ"`},

		// integers
		{"bigint", b64(math.MinInt64), `"-9223372036854775808"`}, {"int", b32(math.MinInt32), `"-2147483648"`},
		{"tinyint unsigned", b32(-1), `"255"`}, {"tinyint unsigned", b64(-128), `"128"`}, {"smallint(5) unsigned", b32(-1), `"65535"`},
		{"mediumint unsigned", b32(-1), `"16777215"`}, {"int(10) unsigned", b32(-1), `"4294967295"`}, {"int(10) unsigned", b32(math.MinInt32), `"2147483648"`},
		{"int(10) unsigned", b64(-1), `"4294967295"`}, {"bigint unsigned", b64(-1), `"18446744073709551615"`}, {"bigint unsigned", b32(-1), `"18446744073709551615"`},
		{"bigint unsigned", b64(math.MinInt64), `"9223372036854775808"`}, {"int(5) zerofill", b32(-1), `"4294967295"`}, {"INTEGER UNSIGNED", b32(-2), `"4294967294"`},
		{"int unsigned", b32(5), `"5"`}, {"int unsigned", bStr("-1"), `"-1"`}, {"decimal(5) unsigned", b32(-1), `"-1"`}, {"int unsigned", b64(1 << 40), `"1099511627776"`},
		{"tinyint unsigned", b64(-300), `"212"`}, // 256 * 2 - 300

		// isNull
		{"int", &columnData{IsNull: proto.String("1"), Int32Value: proto.Int32(5)}, `null`}, {"int", bNull("true"), `null`}, {"int", bNull("TRUE"), `null`}, {"int", bNull("y"), `null`},
		{"int", bNull("Y"), `null`}, {"int", bNull("yes"), `null`}, {"int", bNull("Yes"), `null`}, {"int", bNull(""), `"x"`}, {"int", bNull("0"), `"x"`},
		{"int", bNull("false"), `"x"`}, {"int", bNull("no"), `"x"`}, {"int", bNull(" 1"), `"x"`}, {"int", bNull("t"), `"x"`}, {"int", bNull("null"), `"x"`}, {"int", bNull("11"), `"x"`},
		{"bit(8)", &columnData{IsNull: proto.String("1"), BytesValue: []byte("123456789")}, `null`},
	} {
		record := oneValue(columnOf("a", c.typ, ""), c.value)
		for _, o := range []fastjson.Options{{}, extended} {
			keys{"data": `[{"a":` + c.want + `}]`}.checkIn(t, baiduTexts(t, record, o)[0])
		}
	}
}

// TestBaiduTypes is unsigned, key, mysqlType and sqlType.
func TestBaiduTypes(t *testing.T) {
	for _, c := range []struct {
		column     *columnMeta
		value      *columnData
		data       string
		sql, mysql string // mysqlType in dialect ticdc; in dialect canal it is as given
		pk         string
	}{
		{columnOf("a", "int(11)", "PRI"), b32(-1), `"-1"`, "4", "int", `["a"]`},
		{columnOf("a", "int(11)", "PRI", 0), b32(-1), `"-1"`, "4", "int", `["a"]`},
		{columnOf("a", "int(11)", "", 0x02), b32(-1), `"-1"`, "4", "int", `["a"]`},
		{columnOf("a", "int(11)", "MUL", 0x20), b32(-1), `"4294967295"`, "-5", "int", ""},
		{columnOf("a", "int(11)", "UNI", 0x22), b32(1), `"1"`, "4", "int", `["a"]`},
		{columnOf("a", "int(11)", "pri", 0x5D), b32(-1), `"-1"`, "4", "int", ""},
		{columnOf("a", "int(11)", "", -1), b32(-1), `"4294967295"`, "-5", "int", `["a"]`},
		{columnOf("a", "TinyInt(3) Unsigned", ""), b32(-56), `"200"`, "5", "tinyint unsigned", ""},
		{columnOf("a", "tinyint(3) unsigned", ""), bStr("200"), `"200"`, "5", "tinyint unsigned", ""},
		{columnOf("a", "tinyint(3) unsigned", ""), bStr("127"), `"127"`, "-6", "tinyint unsigned", ""},
		{columnOf("a", "bigint(20) unsigned", ""), b64(-1), `"18446744073709551615"`, "3", "bigint unsigned", ""},
		{columnOf("a", "bigint(20)", "", 0x20), b64(math.MaxInt64), `"9223372036854775807"`, "-5", "bigint", ""},
		{columnOf("a", "int(5) zerofill", ""), bStr("02147483648"), `"02147483648"`, "-5", "int unsigned zerofill", ""},
		{columnOf("a", "tinyint unsigned", ""), bNull("1"), `null`, "-6", "tinyint unsigned", ""},
		{columnOf("a", "datetime(3)", ""), bStr("x"), `"x"`, "93", "datetime", ""},
		{columnOf("a", "enum('x','y')", ""), bStr("x"), `"x"`, "4", "enum", ""},
		{columnOf("a", "geometry", ""), bStr("x"), `"x"`, "12", "geometry", ""},
		{columnOf("a", "", ""), bStr("x"), `"x"`, "12", "", ""},
	} {
		record := oneValue(c.column, c.value)
		pkCanal, pk := c.pk, c.pk
		if c.pk == "" {
			pkCanal, pk = "null", "[]"
		}
		want := keys{"data": `[{"a":` + c.data + `}]`, "sqlType": `{"a":` + c.sql + `}`, "mysqlType": `{"a":"` + c.column.GetColumnType() + `"}`, "pkNames": pkCanal}
		want.checkIn(t, baiduTexts(t, record, fastjson.Options{})[0])
		want["pkNames"] = pk
		want.checkIn(t, baiduTexts(t, record, ticdc(fastjson.TiCDCOptions{ContentCompatible: true}))[0])
		want["mysqlType"] = `{"a":"` + c.mysql + `"}`
		want.checkIn(t, baiduTexts(t, record, extended)[0])
	}
}

func TestBaiduPassSQLType(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"12", "12"}, {"-5", "-5"}, {"2147483647", "2147483647"}, {"-2147483648", "-2147483648"}, {"007", "7"},
		{"2147483648", "4"}, {"", "4"}, {"int", "4"}, {"1.0", "4"}, {" 1", "4"}, {"0x1", "4"}, {"1_0", "4"}, {"-", "4"}, {"99999999999999999999", "4"},
	} {
		d := b32(1)
		d.SqlType = &c.text
		record := setOf(schemas(schemaOf("t", columnOf("a", "int", ""))), changeOf("t", data(&columnData{SqlType: proto.String("77")}), data(d)))
		for _, o := range []fastjson.Options{{}, extended} {
			messages, err := ChangeDataSet(record, o, meta, "", true)
			if err != nil {
				t.Fatal(err)
			}
			keys{"sqlType": `{"a":` + c.want + `}`}.checkIn(t, string(messages[0]))
			keys{"sqlType": `{"a":4}`}.checkIn(t, baiduTexts(t, record, o)[0])
		}
	}
	null := oneValue(columnOf("a", "int", ""), &columnData{SqlType: proto.String("-4")})
	messages, _ := ChangeDataSet(null, fastjson.Options{}, meta, "", true)
	keys{"sqlType": `{"a":-4}`, "data": `[{"a":null}]`}.checkIn(t, string(messages[0]))
}

func TestBaiduTimesAndGTID(t *testing.T) {
	change := setOf(schemas(schemaOf("t", columnOf("a", "int", ""))), changeOf("t", nil, data(b32(1))))
	for _, c := range []struct {
		birth int64
		want  string
	}{
		{0, "0"}, {1, "1000"}, {-1, "-1000"}, {9223372036854775, "9223372036854775000"}, {9223372036854776, "9223372036854775807"},
		{math.MaxInt64, "9223372036854775807"}, {-9223372036854775, "-9223372036854775000"}, {-9223372036854776, "-9223372036854775808"}, {math.MinInt64, "-9223372036854775808"},
	} {
		record := append(change[:len(change):len(change)], Encode(&pb.ChangeDataSet{BirthTime: &c.birth, SendTime: proto.Int64(9)})...)
		for _, o := range []fastjson.Options{{}, extended} {
			keys{"es": c.want}.checkIn(t, baiduTexts(t, record, o)[0])
		}
	}
	for _, c := range []struct {
		points []*pb.SyncPoint // of which the last ones are merged with those before
		want   string
	}{
		{nil, `""`}, {[]*pb.SyncPoint{{}}, `""`}, {[]*pb.SyncPoint{{GtId: []string{"a"}}}, `"a"`}, {[]*pb.SyncPoint{{GtId: []string{"a", "", "b"}}}, `"a,,b"`},
		{[]*pb.SyncPoint{{GtId: []string{"a"}}, {GroupId: proto.Int64(5)}, {GtId: []string{"b"}}}, `"a,b"`},
	} {
		record := change[:len(change):len(change)]
		for _, p := range c.points {
			record = append(record, Encode(&pb.ChangeDataSet{SyncPoint: p})...)
		}
		keys{"gtid": c.want}.checkIn(t, baiduTexts(t, record, fastjson.Options{})[0])
	}
}

func TestBaiduOldAndDuplicates(t *testing.T) {
	two := schemas(schemaOf("t", columnOf("a", "int", ""), columnOf("b", "varchar(9)", "")))
	for _, c := range []struct {
		name          string
		before, after []*columnData
		old, full     string
	}{
		{"none differs", data(b32(1), bStr("x")), data(b32(1), bStr("x")), `[{}]`, `[{"a":"1","b":"x"}]`},
		{"one differs", data(b32(1), bStr("x")), data(b32(2), bStr("x")), `[{"a":"1"}]`, `[{"a":"1","b":"x"}]`},
		{"null and a value", data(bNull("1"), bStr("")), data(b32(0), &columnData{}), `[{"a":null,"b":""}]`, `[{"a":null,"b":""}]`},
		{"null and null", data(bNull("1"), bNull("y")), data(&columnData{}, bNull("1")), `[{}]`, `[{"a":null,"b":null}]`},
		{"the same text of other fields", data(b32(1), bStr("2")), data(bStr("1"), b64(2)), `[{}]`, `[{"a":"1","b":"2"}]`},
	} {
		record := setOf(two, changeOf("t", c.before, c.after))
		keys{"old": c.old}.checkIn(t, baiduTexts(t, record, fastjson.Options{})[0])
		keys{"old": c.old}.checkIn(t, baiduTexts(t, record, ticdc(fastjson.TiCDCOptions{OnlyUpdated: true}))[0])
		keys{"old": c.full}.checkIn(t, baiduTexts(t, record, extended)[0])
	}

	again := schemas(schemaOf("t", columnOf("a", "int", "PRI"), columnOf("b", "int", "PRI"), columnOf("a", "date", "PRI")))
	record := setOf(again, changeOf("t", data(b32(1), b32(2), bStr("x")), data(b32(9), b32(2), bStr("x"))))
	want := keys{"data": `[{"a":"x","b":"2"}]`, "old": `[{}]`, "sqlType": `{"a":91,"b":4}`, "mysqlType": `{"a":"date","b":"int"}`, "pkNames": `["a","b"]`}
	want.checkIn(t, baiduTexts(t, record, fastjson.Options{})[0])
	want["old"] = `[{"a":"x","b":"2"}]`
	want.checkIn(t, baiduTexts(t, record, extended)[0])
}

// TestBaiduHandle is the columns that a message by handle key shows.
func TestBaiduHandle(t *testing.T) {
	o := ticdc(fastjson.TiCDCOptions{DeleteOnlyHandleKey: true})
	for _, c := range []struct {
		key  string
		want string // "": an error
	}{
		{"PRI", `[{"a":"1"}]`}, {"UNI", ""}, {"", ""},
	} {
		record := setOf(schemas(schemaOf("t", columnOf("a", "int", c.key), columnOf("b", "int", ""))), changeOf("t", data(b32(1), b32(2)), nil))
		messages, err := ChangeDataSet(record, o, meta, "", false)
		if (err != nil) != (c.want == "") {
			t.Errorf("%s: error %v", c.key, err)
		}
		if err == nil {
			keys{"data": c.want}.checkIn(t, string(messages[0]))
		}
	}
}
