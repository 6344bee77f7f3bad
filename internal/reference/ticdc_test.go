package reference

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/cdcodec/cdcodec/fastjson"
	. "github.com/cdcodec/cdcodec/internal/canaltest"
	"github.com/cdcodec/cdcodec/internal/pb/canalpb"
)

// The tests here go by the numbers of the rules in ticdc.md.

// shop is a header of table shop.t, of the time 5.
func shop() *canalpb.Header {
	return &canalpb.Header{SchemaName: proto.String("shop"), TableName: proto.String("t"), ExecuteTime: proto.Int64(5), Gtid: proto.String("g:1")}
}

func TestTiCDC1WholeMessages(t *testing.T) {
	id := func(v string) *canalpb.Column { return Col("id", v, Key, Typed(-5, "bigint(20)")) }
	text := func(v string, marks ...Mark) *canalpb.Column {
		return Col("v", v, append(marks, Typed(2005, "varchar(8)"))...)
	}
	update := Change(Update, Row(Columns{id("7"), text("a")}, Columns{id("7"), text("b", Changed)}))
	update.Sql = proto.String("update t")
	const head = `{"id":0,"database":"shop","table":"t","pkNames":["id"],"isDdl":false,"type":`
	const types = `"es":5,"ts":1700000000000,"sql":"","sqlType":{"id":-5,"v":12},"mysqlType":{"id":"bigint","v":"varchar"},`
	for _, c := range []struct {
		name    string
		change  *canalpb.RowChange
		options fastjson.TiCDCOptions
		want    string
	}{
		{"update", update, fastjson.TiCDCOptions{},
			head + `"UPDATE",` + types + `"old":[{"id":"7","v":"a"}],"data":[{"id":"7","v":"b"}]}`},
		{"update, data first", update, fastjson.TiCDCOptions{DataFirst: true, Extension: true},
			head + `"UPDATE",` + types + `"data":[{"id":"7","v":"b"}],"old":[{"id":"7","v":"a"}],"_tidb":{"commitTs":0}}`},
		{"insert", Change(Insert, Row(nil, Columns{id("7"), text("a")})), fastjson.TiCDCOptions{Extension: true},
			head + `"INSERT",` + types + `"old":null,"data":[{"id":"7","v":"a"}],"_tidb":{"commitTs":0}}`},
		{"delete", Change(Delete, Row(Columns{id("7"), text("a")}, nil)), fastjson.TiCDCOptions{},
			head + `"DELETE",` + types + `"old":null,"data":[{"id":"7","v":"a"}]}`},
		{"ddl", Statement(canalpb.EventType_CREATE, true, "create table t"), fastjson.TiCDCOptions{Extension: true},
			`{"id":0,"database":"shop","table":"t","pkNames":null,"isDdl":true,"type":"CREATE","es":5,"ts":1700000000000,` +
				`"sql":"create table t","sqlType":null,"mysqlType":null,"data":null,"old":null,"_tidb":{}}`},
		{"query, data first", Statement(Query, false, "x"), fastjson.TiCDCOptions{DataFirst: true},
			`{"id":0,"database":"shop","table":"t","pkNames":null,"isDdl":false,"type":"QUERY","es":5,"ts":1700000000000,` +
				`"sql":"x","sqlType":null,"mysqlType":null,"data":null,"old":null}`},
	} {
		equal(t, c.name, every(t, EntryOf(shop(), c.change), ticdc(c.options)), c.want)
	}
}

// TestTiCDCSeeds has the examples of TiCDC's own documentation, whose order of
// columns is by chance.
func TestTiCDCSeeds(t *testing.T) {
	header := func(table string, es int64) *canalpb.Header {
		return &canalpb.Header{SchemaName: proto.String("test"), TableName: &table, ExecuteTime: &es}
	}
	image := func(tiny, whole string) Columns {
		return Columns{
			Col("id", "2", Key, Typed(4, "int(11)")), Col("c_tinyint", tiny, Typed(-6, "tinyint(4)")), Col("c_smallint", "32767", Typed(5, "smallint(6)")),
			Col("c_mediumint", "8388607", Typed(4, "mediumint(9)")), Col("c_int", whole, Typed(4, "int(11)")), Col("c_bigint", "9223372036854775807", Typed(-5, "bigint(20)")),
		}
	}
	const types = `"sql":"","sqlType":{"id":4,"c_tinyint":-6,"c_smallint":5,"c_mediumint":4,"c_int":4,"c_bigint":-5},` +
		`"mysqlType":{"id":"int","c_tinyint":"tinyint","c_smallint":"smallint","c_mediumint":"mediumint","c_int":"int","c_bigint":"bigint"},`
	const full = `{"id":"2","c_tinyint":"127","c_smallint":"32767","c_mediumint":"8388607","c_int":"2147483647","c_bigint":"9223372036854775807"}`
	const zeroed = `{"id":"2","c_tinyint":"0","c_smallint":"32767","c_mediumint":"8388607","c_int":"0","c_bigint":"9223372036854775807"}`

	for _, c := range []struct {
		name    string
		entry   []byte
		options fastjson.TiCDCOptions
		meta    fastjson.Meta
		want    string
	}{
		{"drop database", EntryOf(header("", 1639633094670), Statement(Query, true, "drop database if exists test")),
			fastjson.TiCDCOptions{Extension: true}, fastjson.Meta{TS: 1639633095489, CommitTS: 163963309467037594},
			`{"id":0,"database":"test","table":"","pkNames":null,"isDdl":true,"type":"QUERY","es":1639633094670,"ts":1639633095489,` +
				`"sql":"drop database if exists test","sqlType":null,"mysqlType":null,"data":null,"old":null,"_tidb":{"commitTs":163963309467037594}}`},
		{"insert", EntryOf(header("tp_int", 1639633141221), Change(Insert, Row(nil, image("127", "2147483647")))),
			fastjson.TiCDCOptions{Extension: true, DataFirst: true}, fastjson.Meta{TS: 1639633142960, CommitTS: 163963314122145239},
			`{"id":0,"database":"test","table":"tp_int","pkNames":["id"],"isDdl":false,"type":"INSERT","es":1639633141221,"ts":1639633142960,` +
				types + `"data":[` + full + `],"old":null,"_tidb":{"commitTs":163963314122145239}}`},
		{"update", EntryOf(header("tp_int", 1), Change(Update, Row(image("127", "2147483647"), image("0", "0")))),
			fastjson.TiCDCOptions{}, fastjson.Meta{TS: 2},
			`{"id":0,"database":"test","table":"tp_int","pkNames":["id"],"isDdl":false,"type":"UPDATE","es":1,"ts":2,` +
				types + `"old":[` + full + `],"data":[` + zeroed + `]}`},
		{"update, as the official form", EntryOf(header("tp_int", 1), Change(Update, Row(image("127", "2147483647"), image("0", "0")))),
			fastjson.TiCDCOptions{OnlyUpdated: true}, fastjson.Meta{TS: 2},
			`{"id":0,"database":"test","table":"tp_int","pkNames":["id"],"isDdl":false,"type":"UPDATE","es":1,"ts":2,` +
				types + `"old":[{"c_tinyint":"127","c_int":"2147483647"}],"data":[` + zeroed + `]}`},
	} {
		messages, err := Entry(c.entry, ticdc(c.options), c.meta)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, c.name, texts(messages), c.want)
	}
}

func TestTiCDC2Numbers(t *testing.T) {
	entry := EntryOf(shop(), Change(Insert, Row(nil, Columns{Col("a", "1")})))
	packet := PacketOf(MessagesPacket, BatchOf(77, entry))
	for _, fixed := range []bool{false, true} {
		messages, err := Packet(packet, ticdc(fastjson.TiCDCOptions{}), meta, fixed)
		if err != nil {
			t.Fatal(err)
		}
		keys{"id": "0", "es": "5", "ts": "1700000000000", "sql": `""`, "gtid": ""}.checkIn(t, string(messages[0]))
	}
	for _, n := range []int64{0, -1, math.MaxInt64, math.MinInt64} {
		e := EntryOf(&canalpb.Header{ExecuteTime: &n}, Change(Insert, Row(nil, Columns{Col("a", "1")})))
		messages, _ := Entry(e, ticdc(fastjson.TiCDCOptions{}), fastjson.Meta{TS: n, ID: n})
		want := string(encode(n, false))
		keys{"es": want, "ts": want, "id": "0"}.checkIn(t, string(messages[0]))
	}
}

func TestTiCDC3PKNames(t *testing.T) {
	o := ticdc(fastjson.TiCDCOptions{})
	for _, c := range []struct {
		name   string
		change *canalpb.RowChange
		want   []string // by message
	}{
		{"none", Change(Insert, Row(nil, Columns{Col("a", "")})), []string{`[]`}},
		{"by row", Change(Insert, Row(nil, Columns{Col("a", "", Key)}), Row(nil, Columns{Col("a", ""), Col("b", "", Key)})), []string{`["a"]`, `["b"]`}},
		{"in order", Change(Insert, Row(nil, Columns{Col("b", "", Key), Col("x", ""), Col("a", "", Key)})), []string{`["b","a"]`}},
		{"of the image that data takes", Change(Delete, Row(Columns{Col("a", "", Key)}, Columns{Col("b", "", Key)})), []string{`["a"]`}},
		{"of the image after", Change(Update, Row(Columns{Col("a", "", Key)}, Columns{Col("b", "", Key)})), []string{`["b"]`}},
		{"once", Change(Insert, Row(nil, Columns{Col("a", "", Key), Col("b", ""), Col("a", "", Key)})), []string{`["a"]`}},
		{"ddl", Statement(canalpb.EventType_ALTER, true, ""), []string{`null`}},
		{"query", Statement(Query, false, ""), []string{`null`}},
	} {
		messages := every(t, EntryOf(nil, c.change), o)
		if len(messages) != len(c.want) {
			t.Errorf("%s: %d messages", c.name, len(messages))
			continue
		}
		for i, msg := range messages {
			keys{"pkNames": c.want[i]}.checkIn(t, msg)
		}
	}
}

func TestTiCDC4Old(t *testing.T) {
	for _, c := range []struct {
		name          string
		before, after Columns
		all, updated  string
	}{
		{"one differs", Columns{Col("a", "1"), Col("b", "1")}, Columns{Col("a", "1"), Col("b", "2")}, `[{"a":"1","b":"1"}]`, `[{"b":"1"}]`},
		{"none differs", Columns{Col("a", "1")}, Columns{Col("a", "1")}, `[{"a":"1"}]`, `[{}]`},
		{"flags mean nothing", Columns{Col("a", "1"), Col("b", "1")}, Columns{Col("a", "1", Changed), Col("b", "2")}, `[{"a":"1","b":"1"}]`, `[{"b":"1"}]`},
		{"null and a value", Columns{Col("a", "", Null), Col("b", "")}, Columns{Col("a", ""), Col("b", "", Null)}, `[{"a":null,"b":""}]`, `[{"a":null,"b":""}]`},
		{"null and null, whatever values they have", Columns{Col("a", "1", Null)}, Columns{Col("a", "2", Null)}, `[{"a":null}]`, `[{}]`},
		{"absent is empty", Columns{Col("a", "", NoValue)}, Columns{Col("a", "")}, `[{"a":""}]`, `[{}]`},
		{"in the order of before", Columns{Col("b", "1"), Col("a", "1")}, Columns{Col("a", "2"), Col("b", "2")}, `[{"b":"1","a":"1"}]`, `[{"b":"1","a":"1"}]`},
		{"no image before", nil, Columns{Col("a", "1")}, `[{}]`, `[{}]`},
		{"what after does not have differs", Columns{Col("a", "1"), Col("b", "1")}, Columns{Col("b", "1")}, `[{"a":"1","b":"1"}]`, `[{"a":"1"}]`},
		{"duplicates are compared by their last value", Columns{Col("a", "1"), Col("a", "2")}, Columns{Col("a", "2"), Col("a", "1")}, `[{"a":"2"}]`, `[{"a":"2"}]`},
		{"duplicates whose last value is the same", Columns{Col("a", "1"), Col("a", "2")}, Columns{Col("a", "3"), Col("a", "2")}, `[{"a":"2"}]`, `[{}]`},
		{"bad bytes that look alike differ", Columns{Col("a", "\xFF")}, Columns{Col("a", "\xFE")}, `[{"a":"\ufffd"}]`, `[{"a":"\ufffd"}]`},
	} {
		entry := EntryOf(nil, Change(Update, Row(c.before, c.after)))
		keys{"old": c.all}.check(t, entry, ticdc(fastjson.TiCDCOptions{}))
		keys{"old": c.updated}.check(t, entry, ticdc(fastjson.TiCDCOptions{OnlyUpdated: true}))
		keys{"old": c.updated}.check(t, entry, ticdc(fastjson.TiCDCOptions{ContentCompatible: true}))
	}
	r := Row(Columns{Col("a", "1")}, Columns{Col("a", "2")})
	for _, typ := range []canalpb.EventType{Insert, Delete} {
		keys{"old": "null"}.check(t, EntryOf(nil, Change(typ, r)), ticdc(fastjson.TiCDCOptions{}))
	}
}

func TestTiCDC5MySQLType(t *testing.T) {
	for _, c := range []struct{ full, want string }{
		{"decimal(10,2)", "decimal"}, {"DECIMAL(10,2) UNSIGNED", "decimal unsigned"}, {"char(16)", "char"},
		{"enum('a','b')", "enum"}, {"enum('a) unsigned','it''s')", "enum"}, {"set('x')", "set"},
		{"varbinary(16)", "varbinary"}, {"bigint(20)", "bigint"}, {"int(10) unsigned", "int unsigned"},
		{"int(5) zerofill", "int unsigned zerofill"}, {"int(5) unsigned zerofill", "int unsigned zerofill"},
		{"int(5) zerofill unsigned", "int unsigned zerofill"}, {"bigint unsigned", "bigint unsigned"},
		{"tinyint(3) unsigned", "tinyint unsigned"}, {"smallint unsigned", "smallint unsigned"},
		{"mediumint(8) unsigned", "mediumint unsigned"}, {"float unsigned", "float unsigned"},
		{"float(7,4) zerofill", "float unsigned zerofill"}, {"double(8,2) unsigned", "double unsigned"},
		{"bit(64) unsigned", "bit"}, {"year(4) unsigned zerofill", "year"}, {"year(4)", "year"},
		{"integer", "int"}, {"INTEGER(11) unsigned", "int unsigned"}, {"bool", "tinyint"}, {"Boolean", "tinyint"},
		{"numeric(3)", "decimal"}, {"dec(3,1) unsigned", "decimal unsigned"}, {"real", "double"}, {"real unsigned", "double unsigned"},
		{"datetime(3)", "datetime"}, {"varchar(32) character set utf8", "varchar"}, {"json", "json"}, {"vector(3)", "vector"},
		{"geometry", "geometry"}, {"Point unsigned", "point"}, {"", ""}, {"(11)", ""}, {" int", "int"},
		{"int(11", "int"}, {"int(11 unsigned", "int"}, {"int(11)unsigned", "int unsigned"}, {"int(11) unsignedly", "int"}, {"int(')') unsigned", "int unsigned"},
	} {
		entry := EntryOf(nil, Change(Insert, Row(nil, Columns{Col("a", "1", Typed(77, c.full))})))
		keys{"mysqlType": `{"a":"` + c.want + `"}`}.check(t, entry, ticdc(fastjson.TiCDCOptions{}))
		keys{"mysqlType": `{"a":"` + c.full + `"}`}.check(t, entry, ticdc(fastjson.TiCDCOptions{ContentCompatible: true}))
		keys{"mysqlType": `{"a":"` + c.want + `"}`}.check(t, entry, ticdc(fastjson.TiCDCOptions{OnlyUpdated: true}))
	}
}

func TestTiCDC6SQLType(t *testing.T) {
	for _, c := range []struct {
		typ   string
		value string
		want  string
	}{
		{"tinyint(4)", "1", "-6"}, {"boolean", "1", "-6"}, {"smallint", "1", "5"}, {"mediumint", "1", "4"}, {"int(11)", "1", "4"},
		{"integer", "1", "4"}, {"bigint", "1", "-5"}, {"float", "1", "7"}, {"double", "1", "8"}, {"real", "1", "8"}, {"decimal(3,1)", "1", "3"},
		{"numeric", "1", "3"}, {"char(1)", "1", "1"}, {"varchar(1)", "1", "12"}, {"json", "1", "12"}, {"year", "1", "12"}, {"vector", "1", "12"},
		{"binary(1)", "1", "2004"}, {"varbinary(1)", "1", "2004"}, {"tinyblob", "1", "2004"}, {"blob", "1", "2004"}, {"mediumblob", "1", "2004"},
		{"longblob", "1", "2004"}, {"tinytext", "1", "2005"}, {"text", "1", "2005"}, {"mediumtext", "1", "2005"}, {"longtext", "1", "2005"},
		{"date", "1", "91"}, {"time", "1", "92"}, {"datetime(3)", "1", "93"}, {"timestamp", "1", "93"}, {"enum('a')", "1", "4"},
		{"set('a')", "1", "-7"}, {"bit(8)", "1", "-7"},
		{"", "1", "77"}, {"geometry", "1", "77"}, // not known: the Entry's

		{"tinyint unsigned", "127", "-6"}, {"tinyint unsigned", "128", "5"}, {"tinyint(3) unsigned", "255", "5"},
		{"tinyint", "128", "-6"}, {"tinyint(3) zerofill", "200", "5"}, {"tinyint(3) zerofill", "099", "-6"},
		{"smallint unsigned", "32767", "5"}, {"smallint unsigned", "32768", "4"},
		{"mediumint unsigned", "8388608", "4"}, {"mediumint unsigned", "16777215", "4"},
		{"int unsigned", "2147483647", "4"}, {"int unsigned", "2147483648", "-5"}, {"int unsigned", "0002147483648", "-5"},
		{"bigint unsigned", "9223372036854775807", "-5"}, {"bigint unsigned", "9223372036854775808", "3"},
		{"bigint unsigned", "18446744073709551615", "3"}, {"bigint unsigned", "18446744073709551616", "-5"},
		{"tinyint unsigned", "18446744073709551616", "-6"},
		{"tinyint unsigned", "", "-6"}, {"tinyint unsigned", "-200", "-6"}, {"tinyint unsigned", "+200", "-6"}, {"tinyint unsigned", "200.0", "-6"},
		{"tinyint unsigned", "2e2", "-6"}, {"tinyint unsigned", " 200", "-6"}, {"tinyint unsigned", "2_00", "-6"}, {"tinyint unsigned", "٢٠٠", "-6"},
		{"decimal unsigned", "18446744073709551615", "3"}, {"float unsigned", "200", "7"}, {"bit(8) unsigned", "200", "-7"},
	} {
		insert := EntryOf(nil, Change(Insert, Row(nil, Columns{Col("a", c.value, Typed(77, c.typ))})))
		keys{"sqlType": `{"a":` + c.want + `}`}.check(t, insert, ticdc(fastjson.TiCDCOptions{}))
		keys{"sqlType": `{"a":` + c.want + `}`}.check(t, insert, ticdc(fastjson.TiCDCOptions{ContentCompatible: true}))
		keys{"sqlType": `{"a":77}`}.check(t, insert, fastjson.Options{})
	}
	null := EntryOf(nil, Change(Insert, Row(nil, Columns{Col("a", "255", Null, Typed(77, "tinyint unsigned"))})))
	keys{"sqlType": `{"a":-6}`}.check(t, null, ticdc(fastjson.TiCDCOptions{}))
	twice := EntryOf(nil, Change(Insert, Row(nil, Columns{Col("a", "255", Typed(0, "tinyint unsigned")), Col("b", "1"), Col("a", "x", Typed(0, "date"))})))
	keys{"sqlType": `{"a":91,"b":0}`, "mysqlType": `{"a":"date","b":""}`, "data": `[{"a":"x","b":"1"}]`}.check(t, twice, ticdc(fastjson.TiCDCOptions{}))
}

func TestTiCDC8Escapes(t *testing.T) {
	for _, c := range []struct{ raw, want string }{
		{`"`, `\"`}, {`\`, `\\`}, {"\t\n\r", `\t\n\r`}, {"\b\f", `\u0008\u000c`},
		{`\b\f`, `\\b\\f`}, {"\\\b", `\\\u0008`}, {`\\f`, `\\\\f`},
		{"\x00\x01\x07\x0b\x0e\x1a\x1f", `\u0000\u0001\u0007\u000b\u000e\u001a\u001f`},
		{"<>&", `\u003c\u003e\u0026`}, {"\u2028\u2029", `\u2028\u2029`}, {`\u2028`, `\\u2028`},
		{"\x7f/'\u0080\u0085\u009f\ufeff\U0001F600", "\x7f/'\u0080\u0085\u009f\ufeff\U0001F600"},
		{"\xED\xA0\x80", `\ufffd\ufffd\ufffd`}, {"\xE2\x82", `\ufffd\ufffd`}, {"\xE2\x82a", `\ufffd\ufffda`},
		{"\xC0\x80", `\ufffd\ufffd`}, {"\xF0\x9F\x98", `\ufffd\ufffd\ufffd`}, {"\xFF\xFE", `\ufffd\ufffd`},
		{"\uFFFD", "\uFFFD"}, // good as it is
	} {
		s := `"` + c.want + `"`
		o := ticdc(fastjson.TiCDCOptions{ContentCompatible: true})
		rc := Change(Update, Row(Columns{Col(c.raw, "x")}, Columns{Col(c.raw, c.raw, Key, Typed(1, c.raw))}))
		h := &canalpb.Header{SchemaName: &c.raw, TableName: &c.raw}
		keys{
			"database": s, "table": s, "pkNames": "[" + s + "]", "sqlType": "{" + s + ":1}",
			"mysqlType": "{" + s + ":" + s + "}", "old": "[{" + s + `:"x"}]`, "data": "[{" + s + ":" + s + "}]",
		}.check(t, EntryOf(h, rc), o)
		keys{"database": s, "sql": s}.check(t, EntryOf(h, Statement(Query, true, c.raw)), o)
	}
	// Names are compared as raw bytes: these two stay two.
	keys{"data": `[{"\ufffd":"1","\ufffd":"2","` + "\uFFFD" + `":"3"}]`}.check(t, EntryOf(nil, Change(Insert, Row(nil,
		Columns{Col("\xFF", "1"), Col("\xFE", "2"), Col("\uFFFD", "3")}))), ticdc(fastjson.TiCDCOptions{}))
}

func TestTiCDC9Extension(t *testing.T) {
	insert := EntryOf(nil, Change(Insert, Row(nil, Columns{Col("a", "1")})))
	ddl, query := EntryOf(nil, Statement(Query, true, "")), EntryOf(nil, Statement(Query, false, ""))
	for _, c := range []struct {
		name  string
		entry []byte
		ts    uint64
		want  string
	}{
		{"rows of 0", insert, 0, `{"commitTs":0}`},
		{"rows", insert, math.MaxUint64, `{"commitTs":18446744073709551615}`},
		{"ddl of 0", ddl, 0, `{}`},
		{"ddl", ddl, 1 << 63, `{"commitTs":9223372036854775808}`},
		{"query of 0", query, 0, `{}`},
		{"query", query, 1, `{"commitTs":1}`},
	} {
		m := fastjson.Meta{CommitTS: c.ts}
		messages, err := Entry(c.entry, extended, m)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(string(messages[0]), `,"_tidb":`+c.want+`}`) {
			t.Errorf("%s: %s", c.name, messages[0])
		}
		keys{"es": "0"}.checkIn(t, string(messages[0])) // the header's
		for _, o := range []fastjson.Options{ticdc(fastjson.TiCDCOptions{}), {TiCDC: extended.TiCDC}} {
			if messages, _ = Entry(c.entry, o, m); strings.Contains(string(messages[0]), "_tidb") {
				t.Errorf("%s, not wanted: %s", c.name, messages[0])
			}
		}
	}
}

func TestTiCDC10Watermark(t *testing.T) {
	at := fastjson.Meta{ID: 9, TS: 1640007050284, CommitTS: 5}
	for _, c := range []struct {
		name string
		ts   uint64
		o    fastjson.Options
		want []string
	}{
		{"the seed", 429918007904436226, extended, []string{
			`{"id":0,"database":"","table":"","pkNames":null,"isDdl":false,"type":"TIDB_WATERMARK","es":1640007049196,"ts":1640007050284,` +
				`"sql":"","sqlType":null,"mysqlType":null,"data":null,"old":null,"_tidb":{"watermarkTs":429918007904436226}}`}},
		{"zero", 0, extended, []string{
			`{"id":0,"database":"","table":"","pkNames":null,"isDdl":false,"type":"TIDB_WATERMARK","es":0,"ts":1640007050284,` +
				`"sql":"","sqlType":null,"mysqlType":null,"data":null,"old":null,"_tidb":{}}`}},
		{"the largest", math.MaxUint64, extended, []string{ // 2^46-1
			`{"id":0,"database":"","table":"","pkNames":null,"isDdl":false,"type":"TIDB_WATERMARK","es":70368744177663,"ts":1640007050284,` +
				`"sql":"","sqlType":null,"mysqlType":null,"data":null,"old":null,"_tidb":{"watermarkTs":18446744073709551615}}`}},
		{"without the extension", 5, ticdc(fastjson.TiCDCOptions{}), nil},
		{"in dialect canal", 5, fastjson.Options{TiCDC: extended.TiCDC}, nil},
	} {
		messages, err := Watermark(c.ts, c.o, at)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, c.name, texts(messages), c.want...)
	}
}

func TestTiCDC11OneRow(t *testing.T) {
	a, b, none := Columns{Col("a", "1")}, Columns{Col("a", "2")}, Columns(nil)
	for _, c := range []struct {
		name string
		rc   *canalpb.RowChange
		data []string // by message
	}{
		{"insert", Change(Insert, Row(none, a), Row(a, none), Row(none, b)), []string{`[{"a":"1"}]`, `[{"a":"2"}]`}},
		{"update", Change(Update, Row(b, a), Row(b, none), Row(none, b)), []string{`[{"a":"1"}]`, `[{"a":"2"}]`}},
		{"delete", Change(Delete, Row(a, b), Row(none, b)), []string{`[{"a":"1"}]`}},
		{"no rows", Change(Update), nil},
		{"rows without columns", Change(Update, Row(nil, nil)), nil},
		{"a statement that changed rows", Statement(Update, false, "update t"), nil},
		{"ddl of a row's type", Statement(Update, true, "x"), []string{"null"}},
		{"truncate with rows", Change(canalpb.EventType_TRUNCATE, Row(a, a)), []string{"null"}},
	} {
		for _, one := range []bool{false, true} {
			o := ticdc(fastjson.TiCDCOptions{})
			o.OneRow = one
			messages := every(t, EntryOf(nil, c.rc), o)
			if len(messages) != len(c.data) {
				t.Errorf("%s: %d messages, want %d", c.name, len(messages), len(c.data))
				continue
			}
			for i, msg := range messages {
				keys{"data": c.data[i]}.checkIn(t, msg)
			}
		}
	}
}

// TestTiCDCSkipped is the entry types that give no message.
func TestTiCDCSkipped(t *testing.T) {
	bad := []byte{0x0F}
	for _, typ := range []uint64{1, 3, 4, 5} {
		messages, err := Entry(Sub(Num(nil, 2, typ), 3, bad), extended, meta)
		if messages != nil || err != nil {
			t.Errorf("type %d: %d messages, error %v", typ, len(messages), err)
		}
	}
	for _, typ := range []uint64{0, 2, 6} {
		if _, err := Entry(Sub(Num(nil, 2, typ), 3, bad), extended, meta); err == nil {
			t.Errorf("type %d: no error", typ)
		}
	}
	if _, err := Entry(append(Num(nil, 2, 1), 0x0F), extended, meta); err == nil {
		t.Error("a bad entry is skipped")
	}
}

func TestTiCDCRejectInvalidUTF8(t *testing.T) {
	const bad = "x\xFF"
	text := proto.String(bad)
	o := ticdc(fastjson.TiCDCOptions{})
	o.RejectInvalidUTF8 = true
	compatible := o
	compatible.TiCDC.ContentCompatible = true
	with := func(c *canalpb.RowChange, set func(*canalpb.RowChange)) *canalpb.RowChange { set(c); return c }
	good := func() *canalpb.RowChange { return Change(Insert, Row(nil, Columns{Col("a", "1")})) }
	for _, c := range []struct {
		name   string
		header *canalpb.Header
		change *canalpb.RowChange
		o      fastjson.Options
		reject bool
	}{
		{"nothing", nil, good(), o, false},
		{"schema", &canalpb.Header{SchemaName: text}, good(), o, true},
		{"table", &canalpb.Header{TableName: text}, good(), o, true},
		{"gtid is not shown", &canalpb.Header{Gtid: text}, good(), o, false},
		{"sql of rows is not shown", nil, with(good(), func(c *canalpb.RowChange) { c.Sql = text }), o, false},
		{"sql of a ddl", nil, Statement(Query, true, bad), o, true},
		{"sql of a query", nil, Statement(Query, false, bad), o, true},
		{"name", nil, Change(Insert, Row(nil, Columns{Col(bad, "1")})), o, true},
		{"value", nil, Change(Insert, Row(nil, Columns{Col("a", bad)})), o, true},
		{"value of a null", nil, Change(Insert, Row(nil, Columns{Col("a", bad, Null)})), o, false},
		{"value that is overwritten", nil, Change(Insert, Row(nil, Columns{Col("a", bad), Col("a", "1")})), o, false},
		{"parameters of a type", nil, Change(Insert, Row(nil, Columns{Col("a", "1", Typed(1, "enum('\xFF')"))})), o, false},
		{"parameters of a type that are shown", nil, Change(Insert, Row(nil, Columns{Col("a", "1", Typed(1, "enum('\xFF')"))})), compatible, true},
		{"type", nil, Change(Insert, Row(nil, Columns{Col("a", "1", Typed(1, bad))})), o, true},
		{"old value", nil, Change(Update, Row(Columns{Col("a", bad)}, Columns{Col("a", "1")})), o, true},
		{"old value that did not change", nil, Change(Update, Row(Columns{Col("a", "1"), Col("b", "1")}, Columns{Col("a", "1"), Col("b", "2")})), compatible, false},
		{"old type", nil, Change(Update, Row(Columns{Col("a", "1", Typed(1, bad))}, Columns{Col("a", "1")})), o, false},
		{"row without data", nil, Change(Update, Row(Columns{Col(bad, bad)}, nil), Row(nil, Columns{Col("a", "1")})), o, false},
		{"second row", nil, Change(Insert, Row(nil, Columns{Col("a", "1")}), Row(nil, Columns{Col("a", bad)})), o, true},
	} {
		messages, err := Entry(EntryOf(c.header, c.change), c.o, meta)
		if (err != nil) != c.reject || (err == nil) != (len(messages) > 0) {
			t.Errorf("%s: error %v and %d messages, want an error: %v", c.name, err, len(messages), c.reject)
		}
	}
}

// store is a ClaimStore, and what was put there.
type store struct {
	got  [][]byte
	full bool
}

func (s *store) Put(message []byte) (string, error) {
	if s.full {
		return "", errors.New("no room")
	}
	s.got = append(s.got, bytes.Clone(message))
	return "s3://a&b", nil
}

// tenth is a Sizer: as if messages were compressed to a tenth.
type tenth struct{}

func (tenth) SizeOf(message []byte) int { return len(message) / 10 }

func TestTiCDC12LargeMessages(t *testing.T) {
	id := Col("id", "7", Key, Typed(4, "int"))
	long := func(v string) *canalpb.Column { return Col("v", strings.Repeat(v, 400), Typed(2005, "text")) }
	insert := EntryOf(shop(), Change(Insert, Row(nil, Columns{id, long("a")})))
	update := EntryOf(shop(), Change(Update, Row(Columns{id, long("a")}, Columns{id, long("b")})))
	remove := EntryOf(shop(), Change(Delete, Row(Columns{id, long("a")}, nil)))
	keyless := EntryOf(shop(), Change(Insert, Row(nil, Columns{long("a")})))
	keylessDelete := EntryOf(shop(), Change(Delete, Row(Columns{long("a")}, nil)))
	ddl := EntryOf(shop(), Statement(Query, true, strings.Repeat("x", 500)))

	size := func(entry []byte) int { return len(only(t, entry, extended)) }
	const head = `{"id":0,"database":"shop","table":"t","pkNames":["id"],"isDdl":false,"type":`
	const types = `,"es":5,"ts":1700000000000,"sql":"","sqlType":{"id":4},"mysqlType":{"id":"int"},`
	flagged := func(old, typ, flag string) string {
		return head + typ + types + `"old":` + old + `,"data":[{"id":"7"}],"_tidb":{"commitTs":0` + flag + `}}`
	}
	const only, claim = `,"onlyHandleKey":true`, `,"claimCheckLocation":"s3://a\u0026b"`
	stub := func(flag string) int { return len(flagged("null", `"INSERT"`, flag)) }

	for _, c := range []struct {
		name    string
		entry   []byte
		limit   int
		keySize int
		o       fastjson.TiCDCOptions
		want    string // "whole", "error", or a message
	}{
		{"no limit", insert, 0, 1 << 30, fastjson.TiCDCOptions{}, "whole"},
		{"just fits", insert, size(insert) + 36, 0, fastjson.TiCDCOptions{}, "whole"},
		{"a byte more", insert, size(insert) + 35, 0, fastjson.TiCDCOptions{}, "error"},
		{"just fits with its key", insert, size(insert) + 36 + 10, 10, fastjson.TiCDCOptions{}, "whole"},
		{"a byte more with its key", insert, size(insert) + 36 + 9, 10, fastjson.TiCDCOptions{}, "error"},
		{"compressed, just fits", insert, size(insert)/10 + 36, 0, fastjson.TiCDCOptions{Sizer: tenth{}}, "whole"},
		{"compressed, a byte more", insert, size(insert)/10 + 35, 0, fastjson.TiCDCOptions{Sizer: tenth{}}, "error"},

		{"key only, not needed", insert, size(insert) + 36, 0, fastjson.TiCDCOptions{Large: fastjson.HandleKeyOnly}, "whole"},
		{"key only, insert", insert, size(insert) + 35, 0, fastjson.TiCDCOptions{Large: fastjson.HandleKeyOnly}, flagged("null", `"INSERT"`, only)},
		{"key only, update", update, size(update) + 35, 0, fastjson.TiCDCOptions{Large: fastjson.HandleKeyOnly}, flagged(`[{"id":"7"}]`, `"UPDATE"`, only)},
		{"key only, update of others", update, 500, 0, fastjson.TiCDCOptions{Large: fastjson.HandleKeyOnly, OnlyUpdated: true}, flagged(`[{}]`, `"UPDATE"`, only)},
		{"key only, delete", remove, size(remove) + 35, 0, fastjson.TiCDCOptions{Large: fastjson.HandleKeyOnly}, flagged("null", `"DELETE"`, only)},
		{"key only, just fits", insert, stub(only) + 36, 0, fastjson.TiCDCOptions{Large: fastjson.HandleKeyOnly}, flagged("null", `"INSERT"`, only)},
		{"key only, a byte more", insert, stub(only) + 35, 0, fastjson.TiCDCOptions{Large: fastjson.HandleKeyOnly}, "error"},
		{"key only, no key", keyless, 500, 0, fastjson.TiCDCOptions{Large: fastjson.HandleKeyOnly}, "error"},

		{"claim check, not needed", insert, size(insert) + 36, 0, fastjson.TiCDCOptions{Large: fastjson.ClaimCheck}, "whole"},
		{"claim check", insert, size(insert) + 35, 0, fastjson.TiCDCOptions{Large: fastjson.ClaimCheck, Claims: new(store)}, flagged("null", `"INSERT"`, claim)},
		{"claim check, just fits", insert, stub(claim) + 36, 0, fastjson.TiCDCOptions{Large: fastjson.ClaimCheck, Claims: new(store)}, flagged("null", `"INSERT"`, claim)},
		{"claim check, a byte more", insert, stub(claim) + 35, 0, fastjson.TiCDCOptions{Large: fastjson.ClaimCheck, Claims: new(store)}, "error"},
		{"claim check, no key", keyless, 500, 0, fastjson.TiCDCOptions{Large: fastjson.ClaimCheck, Claims: new(store)}, "error"},
		{"claim check, store full", insert, 500, 0, fastjson.TiCDCOptions{Large: fastjson.ClaimCheck, Claims: &store{full: true}}, "error"},
		{"claim check, no store", insert, 500, 0, fastjson.TiCDCOptions{Large: fastjson.ClaimCheck}, "error"},

		{"delete by key, no limit", remove, 0, 0, fastjson.TiCDCOptions{DeleteOnlyHandleKey: true}, flagged("null", `"DELETE"`, "")},
		{"delete by key, fits", remove, stub("") + 36, 0, fastjson.TiCDCOptions{DeleteOnlyHandleKey: true}, flagged("null", `"DELETE"`, "")},
		{"delete by key, too large", remove, stub("") + 35, 0, fastjson.TiCDCOptions{DeleteOnlyHandleKey: true, Large: fastjson.HandleKeyOnly}, "error"},
		{"delete by key, no key", keylessDelete, 0, 0, fastjson.TiCDCOptions{DeleteOnlyHandleKey: true}, "error"},
		{"delete by key, of an insert", insert, 0, 0, fastjson.TiCDCOptions{DeleteOnlyHandleKey: true}, "whole"},

		{"ddl, fits", ddl, 1000, 0, fastjson.TiCDCOptions{}, "whole"},
		{"ddl, too large", ddl, 500, 0, fastjson.TiCDCOptions{Large: fastjson.HandleKeyOnly}, "error"},
	} {
		c.o.Extension, c.o.MaxMessage = true, c.limit
		m := meta
		m.KeySize = c.keySize
		messages, err := Entry(c.entry, ticdc(c.o), m)
		switch {
		case c.want == "error":
			if err == nil || messages != nil {
				t.Errorf("%s: no error, but %s", c.name, messages)
			}
			continue
		case err != nil:
			t.Errorf("%s: %v", c.name, err)
			continue
		case c.want == "whole":
			c.want = every(t, c.entry, extended)[0]
		}
		equal(t, c.name, texts(messages), c.want)
		if s, ok := c.o.Claims.(*store); ok {
			if len(s.got) != 1 || string(s.got[0]) != every(t, c.entry, extended)[0] {
				t.Errorf("%s: the store has %s", c.name, s.got)
			}
		}
	}

	_, err := Entry(insert, ticdc(fastjson.TiCDCOptions{Extension: true, MaxMessage: 99}), meta)
	if err == nil || !strings.Contains(err.Error(), `"t"`) || !strings.Contains(err.Error(), "99") {
		t.Errorf("the error does not name table and limit: %v", err)
	}
	// In dialect canal there is no limit.
	if _, err := Entry(insert, fastjson.Options{TiCDC: fastjson.TiCDCOptions{MaxMessage: 1, DeleteOnlyHandleKey: true}}, meta); err != nil {
		t.Error(err)
	}
}
