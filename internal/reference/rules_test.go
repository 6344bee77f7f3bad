package reference

import (
	"math"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/internal/pb/canalpb"
)

// The tests here go by the numbers of the rules in canal.md, section 2, and
// fill in what the golden cases leave out.

func TestRule1WholeMessages(t *testing.T) {
	rows := withHeader(
		&canalpb.Header{SchemaName: proto.String("shop"), TableName: proto.String("t"), Gtid: proto.String("g:1")},
		change(update, row(
			columns{col("id", "7", key, typed(-5, "bigint")), col("v", "a", typed(12, "text"))},
			columns{col("id", "7", key, typed(-5, "bigint")), col("v", "b", changed, typed(12, "text"))},
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
	other := insert
	h := &canalpb.Header{EventType: &other, ExecuteTime: proto.Int64(5)}
	rc := change(del)
	rc.DdlSchemaName = proto.String("elsewhere")
	rc.Sql = proto.String("delete from t")
	keys{"database": `""`, "table": `""`, "es": `5`, "type": `"DELETE"`, "sql": `"delete from t"`, "isDdl": `false`}.
		check(t, withHeader(h, rc), fastjson.Options{})
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
		messages, err := Entry(sub(num(nil, 2, c.typ), 3, c.store), c.options, meta)
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
	r := row(columns{col("a", "1", key)}, columns{col("a", "2", key, changed)})
	for n := range canalpb.EventType_name {
		typ := canalpb.EventType(n)
		rc := change(typ, r)
		rc.Sql, rc.IsDdl = proto.String("x"), proto.Bool(true)
		nothing.check(t, entryOf(rc), fastjson.Options{})
		keys{"isDdl": "true", "type": `"` + typ.String() + `"`}.check(t, entryOf(rc), fastjson.Options{})

		rc.IsDdl = proto.Bool(false)
		switch typ {
		case insert, update, del:
			keys{"pkNames": `["a"]`, "sql": `"x"`}.check(t, entryOf(rc), fastjson.Options{})
		default:
			nothing.check(t, entryOf(rc), fastjson.Options{})
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
		{"insert shows after", change(insert, row(columns{col("b", "")}, columns{col("a", "")})),
			keys{"data": `[{"a":""}]`, "old": "null"}},
		{"update shows after", change(update, row(columns{col("b", "")}, columns{col("a", "")})),
			keys{"data": `[{"a":""}]`, "old": "[{}]"}},
		{"delete shows before", change(del, row(columns{col("b", "")}, columns{col("a", "")})),
			keys{"data": `[{"b":""}]`, "old": "null"}},
		{"null wins over a value", change(insert, row(nil, columns{col("a", "1", null), col("b", "")})),
			keys{"data": `[{"a":null,"b":""}]`}},
		{"rows without columns add nothing", change(insert, row(nil, nil), row(nil, columns{col("a", "1")}), row(columns{col("a", "2")}, nil)),
			keys{"data": `[{"a":"1"}]`, "sqlType": `{"a":0}`, "mysqlType": `{"a":""}`}},
		{"no row at all", change(del), keys{"data": "null", "sqlType": "null", "mysqlType": "null", "pkNames": "null"}},
		{"same name: null takes the place of a value", change(insert, row(nil, columns{col("a", "1"), col("b", "2"), col("a", "3", null)})),
			keys{"data": `[{"a":null,"b":"2"}]`}},
		{"same name: a value takes the place of null", change(insert, row(nil, columns{col("a", "1", null), col("b", "2"), col("a", "3")})),
			keys{"data": `[{"a":"3","b":"2"}]`}},

		// 6: old
		{"old is longer than data", change(update, row(columns{col("a", "1")}, nil), row(nil, columns{col("a", "2", changed)})),
			keys{"data": `[{"a":"2"}]`, "old": "[{},{}]"}},
		{"flags are never cleared", change(update,
			row(columns{col("a", "1"), col("b", "1")}, columns{col("a", "2", changed), col("b", "1")}),
			row(columns{col("a", "1"), col("b", "1")}, columns{col("a", "1"), col("b", "2", changed)}),
			row(columns{col("b", "1"), col("a", "1")}, nil)),
			keys{"old": `[{"a":"1"},{"a":"1","b":"1"},{"b":"1","a":"1"}]`}},
		{"a flag on either of two columns of one name", change(update,
			row(columns{col("a", "1"), col("a", "2")}, columns{col("a", "3", changed), col("a", "4")})),
			keys{"data": `[{"a":"4"}]`, "old": `[{"a":"2"}]`}},
		{"names in old by repaired text", change(update,
			row(columns{col("a\xFF", "1"), col("a\uFFFD", "2"), col("a\xC0", "3", null)}, columns{col("a\xFE", "4", changed)})),
			keys{"data": `[{"a�":"4"}]`, "old": `[{"a�":null}]`}},
		{"no name is a name", change(update, row(columns{{Value: proto.String("1")}}, columns{{Updated: proto.Bool(true)}})),
			keys{"data": `[{"":""}]`, "old": `[{"":"1"}]`, "sqlType": `{"":0}`, "mysqlType": `{"":""}`}},

		// 7: pkNames
		{"keys of the first row", change(insert,
			row(nil, columns{col("a", ""), col("b", "", key)}), row(nil, columns{col("a", "", key), col("b", "")})),
			keys{"pkNames": `["b"]`}},
		{"the first row is empty", change(insert, row(nil, nil), row(nil, columns{col("a", "", key)})),
			keys{"pkNames": "null"}},
		{"keys in wire order, doubles kept", change(del, row(columns{col("z", "", key), col("a", "", key), col("z", "", key)}, nil)),
			keys{"pkNames": `["z","a","z"]`}},
		{"a name twice, once as key", change(insert, row(nil, columns{col("a", "", key), col("a", "")})),
			keys{"pkNames": `["a"]`}},
		{"the delete's key is in before", change(del, row(columns{col("a", "")}, columns{col("a", "", key)})),
			keys{"pkNames": "null"}},

		// 8: sqlType and mysqlType
		{"union over rows, the last wins", change(insert,
			row(nil, columns{col("a", "", typed(1, "x")), col("b", "", typed(2, "y"))}),
			row(nil, columns{col("c", "", typed(3, "z")), col("a", "", typed(-4, "w"))})),
			keys{"sqlType": `{"a":-4,"b":2,"c":3}`, "mysqlType": `{"a":"w","b":"y","c":"z"}`}},
		{"absent later is 0 and empty", change(insert,
			row(nil, columns{col("a", "", typed(1, "x"))}), row(nil, columns{col("a", "")})),
			keys{"sqlType": `{"a":0}`, "mysqlType": `{"a":""}`}},
		{"the other image has no say", change(update, row(columns{col("b", "", typed(1, "x"))}, columns{col("a", "", typed(2, "y"))})),
			keys{"sqlType": `{"a":2}`, "mysqlType": `{"a":"y"}`}},
		{"case matters", change(insert, row(nil, columns{col("a", "1", typed(1, "x")), col("A", "2", typed(2, "y"))})),
			keys{"data": `[{"a":"1","A":"2"}]`, "sqlType": `{"a":1,"A":2}`}},
		{"so does the way of writing é", change(insert, row(nil, columns{col("é", "1"), col("e\u0301", "2")})),
			keys{"data": "[{\"é\":\"1\",\"e\u0301\":\"2\"}]"}},
		{"names meet after repair", change(insert, row(nil, columns{col("\xFF", "1", typed(1, "x")), col("\uFFFD", "2", typed(2, "y"))})),
			keys{"data": `[{"�":"2"}]`, "sqlType": `{"�":2}`, "mysqlType": `{"�":"y"}`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.want.check(t, entryOf(c.change), fastjson.Options{})
		})
	}
}

func TestRule9Numbers(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0", -1: "-1", 1<<53 + 1: "9007199254740993",
		math.MaxInt64: "9223372036854775807", math.MinInt64: "-9223372036854775808",
	} {
		entry := withHeader(&canalpb.Header{ExecuteTime: &n}, change(insert))
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
	keys{"sqlType": `{"a":-2147483648,"b":2147483647}`}.check(t, entryOf(change(insert, row(nil, columns{
		col("a", "", typed(math.MinInt32, "")), col("b", "", typed(math.MaxInt32, ""))}))), fastjson.Options{})
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
		rc := change(update, row(columns{col(name, value)}, columns{col(name, value, key, changed, typed(1, value))}))
		rc.Sql = &value
		h := &canalpb.Header{SchemaName: &value, TableName: &value, Gtid: &value}
		s := `"` + c.want + `"`
		keys{
			"data": "[{" + s + ":" + s + "}]", "old": "[{" + s + ":" + s + "}]", "pkNames": "[" + s + "]",
			"sqlType": "{" + s + ":1}", "mysqlType": "{" + s + ":" + s + "}",
			"sql": s, "database": s, "table": s, "gtid": s,
		}.check(t, withHeader(h, rc), fastjson.Options{})
	}
}

func TestRule11RepairEverywhere(t *testing.T) {
	raw, s := "\xED\xA0\x80\xFF", `"��"`
	rc := change(update, row(columns{col(raw, raw)}, columns{col(raw, raw, key, changed, typed(1, raw))}))
	rc.Sql = &raw
	h := &canalpb.Header{SchemaName: &raw, TableName: &raw, Gtid: &raw}
	keys{
		"data": "[{" + s + ":" + s + "}]", "old": "[{" + s + ":" + s + "}]", "pkNames": "[" + s + "]",
		"sqlType": "{" + s + ":1}", "mysqlType": "{" + s + ":" + s + "}",
		"sql": s, "database": s, "table": s, "gtid": s,
	}.check(t, withHeader(h, rc), fastjson.Options{})
}

func TestRule12NeverShown(t *testing.T) {
	props := []*canalpb.Pair{{Key: proto.String("SECRET"), Value: proto.String("SECRET")}}
	r := row(nil, columns{{Name: proto.String("a"), Index: proto.Int32(41414141), Length: proto.Int32(41414141), Props: props}})
	r.Props = props
	rc := change(insert, r)
	rc.TableId, rc.Props = proto.Int64(41414141), props
	msg := only(t, withHeader(&canalpb.Header{Props: props}, rc), fastjson.Options{})
	if strings.Contains(msg, "SECRET") || strings.Contains(msg, "41414141") {
		t.Error(msg)
	}
}

func TestRule13WidenedBinary(t *testing.T) {
	keys{"data": `[{"b":"\u0000ÿþ"}]`}.check(t,
		entryOf(change(insert, row(nil, columns{col("b", "\x00\u00ff\u00fe")}))), fastjson.Options{})
}

func TestRule14OneMessageEach(t *testing.T) {
	good := entryOf(change(insert, row(nil, columns{col("a", "1")})))
	begin, bad := num(nil, 2, 1), []byte{0x0F}
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
