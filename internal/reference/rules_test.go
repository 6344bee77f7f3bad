package reference

import (
	"math"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/cdcodec/cdcodec/fastjson"
	. "github.com/cdcodec/cdcodec/internal/canaltest"
	"github.com/cdcodec/cdcodec/internal/pb/canalpb"
)

// The tests here go by the numbers of the rules in canal.md, section 2, and
// fill in what the golden cases leave out.

func TestRule1WholeMessages(t *testing.T) {
	rows := EntryOf(
		&canalpb.Header{SchemaName: proto.String("shop"), TableName: proto.String("t"), Gtid: proto.String("g:1")},
		Change(Update, Row(
			Columns{Col("id", "7", Key, Typed(-5, "bigint")), Col("v", "a", Typed(12, "text"))},
			Columns{Col("id", "7", Key, Typed(-5, "bigint")), Col("v", "b", Changed, Typed(12, "text"))},
		)))
	for _, c := range []struct {
		name    string
		entry   []byte
		options fastjson.Options
		want    string
	}{
		{"update", rows, fastjson.Options{},
			`{"data":[{"id":"7","v":"b"}],"database":"shop","es":0,"gtid":"g:1","id":1,"isDdl":false,` +
				`"mysqlType":{"id":"bigint","v":"text"},"old":[{"v":"a"}],"pkNames":["id"],"sql":"",` +
				`"sqlType":{"id":-5,"v":12},"table":"t","ts":1700000000000,"type":"UPDATE"}`},
		{"update without gtid", rows, fastjson.Options{OmitGTID: true},
			`{"data":[{"id":"7","v":"b"}],"database":"shop","es":0,"id":1,"isDdl":false,` +
				`"mysqlType":{"id":"bigint","v":"text"},"old":[{"v":"a"}],"pkNames":["id"],"sql":"",` +
				`"sqlType":{"id":-5,"v":12},"table":"t","ts":1700000000000,"type":"UPDATE"}`},
		{"nothing", nil, fastjson.Options{},
			`{"data":null,"database":"","es":0,"gtid":"","id":1,"isDdl":false,"mysqlType":null,"old":null,` +
				`"pkNames":null,"sql":"","sqlType":null,"table":"","ts":1700000000000,"type":"UPDATE"}`},
	} {
		if got := only(t, c.entry, c.options); got != c.want {
			t.Errorf("%s\n got: %s\nwant: %s", c.name, got, c.want)
		}
	}
}

func TestRule2Header(t *testing.T) {
	other := Insert
	h := &canalpb.Header{EventType: &other, ExecuteTime: proto.Int64(5)}
	rc := Change(Delete)
	rc.DdlSchemaName = proto.String("elsewhere")
	rc.Sql = proto.String("delete from t")
	keys{"database": `""`, "table": `""`, "es": `5`, "type": `"DELETE"`, "sql": `"delete from t"`, "isDdl": `false`}.
		check(t, EntryOf(h, rc), fastjson.Options{})
}

func TestRule3Skipped(t *testing.T) {
	drop := fastjson.Options{DropHeartbeats: true}
	bad := []byte{0x0F}
	for _, c := range []struct {
		name    string
		typ     uint64
		store   []byte
		options fastjson.Options
		want    int // messages; -1 is an error
	}{
		{"begin", 1, nil, fastjson.Options{}, 0},
		{"end", 3, nil, fastjson.Options{}, 0},
		{"end, bad", 3, bad, fastjson.Options{}, 0},
		{"row", 2, nil, drop, 1},
		{"heartbeat", 4, nil, fastjson.Options{}, 1},
		{"heartbeat, bad", 4, bad, fastjson.Options{}, -1},
		{"heartbeat, dropped", 4, nil, drop, 0},
		{"heartbeat, dropped and bad", 4, bad, drop, 0},
		{"gtidlog", 5, nil, fastjson.Options{}, 1},
		{"gtidlog, dropped", 5, nil, drop, 0},
		{"gtidlog, dropped and bad", 5, bad, drop, 0},
		{"a type the enum lacks", 6, nil, drop, 1},
	} {
		messages, err := Entry(Sub(Num(nil, 2, c.typ), 3, c.store), c.options, meta)
		got := len(messages)
		if err != nil {
			got = -1
		}
		if got != c.want {
			t.Errorf("%s: %d messages, want %d (error %v)", c.name, got, c.want, err)
		}
	}
}

func TestRule4OnlyRowsOfDML(t *testing.T) {
	nothing := keys{"data": "null", "old": "null", "pkNames": "null", "sqlType": "null", "mysqlType": "null", "sql": `"x"`}
	r := Row(Columns{Col("a", "1", Key)}, Columns{Col("a", "2", Key, Changed)})
	for n := range canalpb.EventType_name {
		typ := canalpb.EventType(n)
		rc := Change(typ, r)
		rc.Sql, rc.IsDdl = proto.String("x"), proto.Bool(true)
		nothing.check(t, EntryOf(nil, rc), fastjson.Options{})
		keys{"isDdl": "true", "type": `"` + typ.String() + `"`}.check(t, EntryOf(nil, rc), fastjson.Options{})

		rc.IsDdl = proto.Bool(false)
		switch typ {
		case Insert, Update, Delete:
			keys{"pkNames": `["a"]`, "sql": `"x"`}.check(t, EntryOf(nil, rc), fastjson.Options{})
		default:
			nothing.check(t, EntryOf(nil, rc), fastjson.Options{})
		}
	}
}

func TestRules5To8Rows(t *testing.T) {
	for _, c := range []struct {
		name   string
		change *canalpb.RowChange
		want   keys
	}{
		// 5: data
		{"insert shows after", Change(Insert, Row(Columns{Col("b", "")}, Columns{Col("a", "")})),
			keys{"data": `[{"a":""}]`, "old": "null"}},
		{"update shows after", Change(Update, Row(Columns{Col("b", "")}, Columns{Col("a", "")})),
			keys{"data": `[{"a":""}]`, "old": "[{}]"}},
		{"delete shows before", Change(Delete, Row(Columns{Col("b", "")}, Columns{Col("a", "")})),
			keys{"data": `[{"b":""}]`, "old": "null"}},
		{"null wins over a value", Change(Insert, Row(nil, Columns{Col("a", "1", Null), Col("b", "")})),
			keys{"data": `[{"a":null,"b":""}]`}},
		{"rows without columns add nothing", Change(Insert, Row(nil, nil), Row(nil, Columns{Col("a", "1")}), Row(Columns{Col("a", "2")}, nil)),
			keys{"data": `[{"a":"1"}]`, "sqlType": `{"a":0}`, "mysqlType": `{"a":""}`}},
		{"no row at all", Change(Delete), keys{"data": "null", "sqlType": "null", "mysqlType": "null", "pkNames": "null"}},
		{"same name: null takes the place of a value", Change(Insert, Row(nil, Columns{Col("a", "1"), Col("b", "2"), Col("a", "3", Null)})),
			keys{"data": `[{"a":null,"b":"2"}]`}},
		{"same name: a value takes the place of null", Change(Insert, Row(nil, Columns{Col("a", "1", Null), Col("b", "2"), Col("a", "3")})),
			keys{"data": `[{"a":"3","b":"2"}]`}},

		// 6: old
		{"old is longer than data", Change(Update, Row(Columns{Col("a", "1")}, nil), Row(nil, Columns{Col("a", "2", Changed)})),
			keys{"data": `[{"a":"2"}]`, "old": "[{},{}]"}},
		{"flags are never cleared", Change(Update,
			Row(Columns{Col("a", "1"), Col("b", "1")}, Columns{Col("a", "2", Changed), Col("b", "1")}),
			Row(Columns{Col("a", "1"), Col("b", "1")}, Columns{Col("a", "1"), Col("b", "2", Changed)}),
			Row(Columns{Col("b", "1"), Col("a", "1")}, nil)),
			keys{"old": `[{"a":"1"},{"a":"1","b":"1"},{"b":"1","a":"1"}]`}},
		{"a flag on either of two columns of one name", Change(Update,
			Row(Columns{Col("a", "1"), Col("a", "2")}, Columns{Col("a", "3", Changed), Col("a", "4")})),
			keys{"data": `[{"a":"4"}]`, "old": `[{"a":"2"}]`}},
		{"names in old by repaired text", Change(Update,
			Row(Columns{Col("a\xFF", "1"), Col("a\uFFFD", "2"), Col("a\xC0", "3", Null)}, Columns{Col("a\xFE", "4", Changed)})),
			keys{"data": `[{"a�":"4"}]`, "old": `[{"a�":null}]`}},
		{"no name is a name", Change(Update, Row(Columns{{Value: proto.String("1")}}, Columns{{Updated: proto.Bool(true)}})),
			keys{"data": `[{"":""}]`, "old": `[{"":"1"}]`, "sqlType": `{"":0}`, "mysqlType": `{"":""}`}},

		// 7: pkNames
		{"keys of the first row", Change(Insert,
			Row(nil, Columns{Col("a", ""), Col("b", "", Key)}), Row(nil, Columns{Col("a", "", Key), Col("b", "")})),
			keys{"pkNames": `["b"]`}},
		{"the first row is empty", Change(Insert, Row(nil, nil), Row(nil, Columns{Col("a", "", Key)})),
			keys{"pkNames": "null"}},
		{"keys in wire order, doubles kept", Change(Delete, Row(Columns{Col("z", "", Key), Col("a", "", Key), Col("z", "", Key)}, nil)),
			keys{"pkNames": `["z","a","z"]`}},
		{"a name twice, once as key", Change(Insert, Row(nil, Columns{Col("a", "", Key), Col("a", "")})),
			keys{"pkNames": `["a"]`}},
		{"the delete's key is in before", Change(Delete, Row(Columns{Col("a", "")}, Columns{Col("a", "", Key)})),
			keys{"pkNames": "null"}},

		// 8: sqlType and mysqlType
		{"union over rows, the last wins", Change(Insert,
			Row(nil, Columns{Col("a", "", Typed(1, "x")), Col("b", "", Typed(2, "y"))}),
			Row(nil, Columns{Col("c", "", Typed(3, "z")), Col("a", "", Typed(-4, "w"))})),
			keys{"sqlType": `{"a":-4,"b":2,"c":3}`, "mysqlType": `{"a":"w","b":"y","c":"z"}`}},
		{"absent later is 0 and empty", Change(Insert,
			Row(nil, Columns{Col("a", "", Typed(1, "x"))}), Row(nil, Columns{Col("a", "")})),
			keys{"sqlType": `{"a":0}`, "mysqlType": `{"a":""}`}},
		{"the other image has no say", Change(Update, Row(Columns{Col("b", "", Typed(1, "x"))}, Columns{Col("a", "", Typed(2, "y"))})),
			keys{"sqlType": `{"a":2}`, "mysqlType": `{"a":"y"}`}},
		{"case matters", Change(Insert, Row(nil, Columns{Col("a", "1", Typed(1, "x")), Col("A", "2", Typed(2, "y"))})),
			keys{"data": `[{"a":"1","A":"2"}]`, "sqlType": `{"a":1,"A":2}`}},
		{"so does the way of writing é", Change(Insert, Row(nil, Columns{Col("é", "1"), Col("e\u0301", "2")})),
			keys{"data": "[{\"é\":\"1\",\"e\u0301\":\"2\"}]"}},
		{"names meet after repair", Change(Insert, Row(nil, Columns{Col("\xFF", "1", Typed(1, "x")), Col("\uFFFD", "2", Typed(2, "y"))})),
			keys{"data": `[{"�":"2"}]`, "sqlType": `{"�":2}`, "mysqlType": `{"�":"y"}`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.want.check(t, EntryOf(nil, c.change), fastjson.Options{})
		})
	}
}

func TestRule9Numbers(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0", -1: "-1", 1<<53 + 1: "9007199254740993",
		math.MaxInt64: "9223372036854775807", math.MinInt64: "-9223372036854775808",
	} {
		entry := EntryOf(&canalpb.Header{ExecuteTime: &n}, Change(Insert))
		messages, err := Entry(entry, fastjson.Options{}, fastjson.Meta{ID: n, TS: n})
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range []string{`"es":` + want + `,`, `"id":` + want + `,`, `"ts":` + want + `,`} {
			if !strings.Contains(string(messages[0]), part) {
				t.Errorf("no %s in %s", part, messages[0])
			}
		}
	}
	keys{"sqlType": `{"a":-2147483648,"b":2147483647}`}.check(t, EntryOf(nil, Change(Insert, Row(nil, Columns{
		Col("a", "", Typed(math.MinInt32, "")), Col("b", "", Typed(math.MaxInt32, ""))}))), fastjson.Options{})
}

func TestRule10Escapes(t *testing.T) {
	for _, c := range []struct{ raw, want string }{
		{`"`, `\"`}, {`\`, `\\`}, {"\b\t\n\f\r", `\b\t\n\f\r`},
		{"\x00\x01\x07\x0b\x0e\x1a\x1f", `\u0000\u0001\u0007\u000b\u000e\u001a\u001f`},
		{"\x7f\u0080\u0085\u009f/<>&'", "\x7f\u0080\u0085\u009f/<>&'"},
		{"\u2028\u2029\ufeff\ufffe\uffff\U0001F600\U0010FFFF", "\u2028\u2029\ufeff\ufffe\uffff\U0001F600\U0010FFFF"},
		// text that looks like an escape
		{`\u2028`, `\\u2028`}, {`\\u2028`, `\\\\u2028`}, {"\\\u2028", "\\\\\u2028"}, {`\u003c`, `\\u003c`},
	} {
		name, value := c.raw, c.raw
		rc := Change(Update, Row(Columns{Col(name, value)}, Columns{Col(name, value, Key, Changed, Typed(1, value))}))
		rc.Sql = &value
		h := &canalpb.Header{SchemaName: &value, TableName: &value, Gtid: &value}
		s := `"` + c.want + `"`
		keys{
			"data": "[{" + s + ":" + s + "}]", "old": "[{" + s + ":" + s + "}]", "pkNames": "[" + s + "]",
			"sqlType": "{" + s + ":1}", "mysqlType": "{" + s + ":" + s + "}",
			"sql": s, "database": s, "table": s, "gtid": s,
		}.check(t, EntryOf(h, rc), fastjson.Options{})
	}
}

func TestRule11RepairEverywhere(t *testing.T) {
	raw, s := "\xED\xA0\x80\xFF", `"��"`
	rc := Change(Update, Row(Columns{Col(raw, raw)}, Columns{Col(raw, raw, Key, Changed, Typed(1, raw))}))
	rc.Sql = &raw
	h := &canalpb.Header{SchemaName: &raw, TableName: &raw, Gtid: &raw}
	keys{
		"data": "[{" + s + ":" + s + "}]", "old": "[{" + s + ":" + s + "}]", "pkNames": "[" + s + "]",
		"sqlType": "{" + s + ":1}", "mysqlType": "{" + s + ":" + s + "}",
		"sql": s, "database": s, "table": s, "gtid": s,
	}.check(t, EntryOf(h, rc), fastjson.Options{})
}

func TestRule12NeverShown(t *testing.T) {
	props := []*canalpb.Pair{{Key: proto.String("SECRET"), Value: proto.String("SECRET")}}
	r := Row(nil, Columns{{Name: proto.String("a"), Index: proto.Int32(41414141), Length: proto.Int32(41414141), Props: props}})
	r.Props = props
	rc := Change(Insert, r)
	rc.TableId, rc.Props = proto.Int64(41414141), props
	msg := only(t, EntryOf(&canalpb.Header{Props: props}, rc), fastjson.Options{})
	if strings.Contains(msg, "SECRET") || strings.Contains(msg, "41414141") {
		t.Error(msg)
	}
}

func TestRule13WidenedBinary(t *testing.T) {
	keys{"data": `[{"b":"\u0000ÿþ"}]`}.check(t,
		EntryOf(nil, Change(Insert, Row(nil, Columns{Col("b", "\x00\u00ff\u00fe")}))), fastjson.Options{})
}

func TestRule14OneMessageEach(t *testing.T) {
	good := EntryOf(nil, Change(Insert, Row(nil, Columns{Col("a", "1")})))
	begin, bad := Num(nil, 2, 1), []byte{0x0F}
	messages, err := Entries([][]byte{begin, good, good, begin}, fastjson.Options{}, meta)
	if err != nil || len(messages) != 2 {
		t.Errorf("%d messages and error %v, want 2 and none", len(messages), err)
	}
	messages, err = Entries([][]byte{begin, good, bad}, fastjson.Options{}, meta)
	if err == nil || !strings.Contains(err.Error(), "messages[2]") || messages != nil {
		t.Errorf("%d messages and error %v, want none and one that names messages[2]", len(messages), err)
	}
	messages, err = Entries(nil, fastjson.Options{}, meta)
	if err != nil || messages != nil {
		t.Errorf("%d messages and error %v, want nothing", len(messages), err)
	}
}
