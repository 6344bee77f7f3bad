package cdcodec_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/cdcodec/cdcodec/fastjson"
	. "github.com/cdcodec/cdcodec/internal/canaltest"
	"github.com/cdcodec/cdcodec/internal/pb/canalpb"
)

func TestRule9Numbers(t *testing.T) {
	for _, c := range []struct {
		n    int64
		want string
	}{
		{0, "0"}, {1, "1"}, {-1, "-1"}, {9, "9"}, {10, "10"}, {99, "99"}, {100, "100"},
		{1668673476000, "1668673476000"},
		{1<<53 - 1, "9007199254740991"}, {1<<53 + 1, "9007199254740993"}, {-1<<53 - 1, "-9007199254740993"},
		{1e15, "1000000000000000"}, {1e18, "1000000000000000000"},
		{math.MaxInt64, "9223372036854775807"}, {math.MinInt64, "-9223372036854775808"},
	} {
		meta, want := fastjson.Meta{ID: c.n, TS: c.n}, text{es: c.want, id: c.want, ts: c.want, typ: `"INSERT"`}
		if c.n == 0 { // which would mean the clock
			meta.TS, want.ts = 5, "5"
		}
		becomeWith(t, c.want, EntryOf(&canalpb.Header{ExecuteTime: &c.n}, Change(Insert)), fastjson.Options{}, meta, want.String())
	}
	for _, c := range []struct {
		n    int32
		want string
	}{
		{0, "0"}, {-5, "-5"}, {12, "12"}, {2004, "2004"}, {-1, "-1"}, {-6, "-6"},
		{math.MaxInt32, "2147483647"}, {math.MinInt32, "-2147483648"},
	} {
		become(t, "sqlType "+c.want, EntryOf(nil, Change(Insert, Row(nil, Columns{Col("a", "", Typed(c.n, ""))}))), fastjson.Options{},
			text{data: `[{"a":""}]`, mysqlType: `{"a":""}`, sqlType: `{"a":` + c.want + `}`, typ: `"INSERT"`}.String())
	}
	// Values are strings whatever they look like.
	for _, v := range []string{"0", "-1", "1.0E10", "4.5600000000000005", "500.00", "18446744073709551615", "true", "false", "null", "NaN", "{}", "[]"} {
		become(t, "value "+v, EntryOf(nil, Change(Insert, Row(nil, Columns{Col("a", v, Typed(-5, "bigint"))}))), fastjson.Options{},
			text{data: `[{"a":"` + v + `"}]`, mysqlType: `{"a":"bigint"}`, sqlType: `{"a":-5}`, typ: `"INSERT"`}.String())
	}
}

// everywhere returns an UPDATE that has s in each place that shows a string,
// and the message that it is when s is printed as want.
func everywhere(s, want string) ([]byte, text) {
	c := Change(Update, Row(Columns{Col(s, s)}, Columns{Col(s, s, Key, Changed, Typed(1, s))}))
	c.Sql = &s
	q := `"` + want + `"`
	return EntryOf(&canalpb.Header{SchemaName: &s, TableName: &s, Gtid: &s}, c), text{
		data: "[{" + q + ":" + q + "}]", database: q, gtid: q, mysqlType: "{" + q + ":" + q + "}",
		old: "[{" + q + ":" + q + "}]", pkNames: "[" + q + "]", sql: q, sqlType: "{" + q + ":1}", table: q,
	}
}

// escapes has what each byte below 0x80 is printed as, where that is not
// itself.
var escapes = map[byte]string{
	'"': `\"`, '\\': `\\`, '\b': `\b`, '\t': `\t`, '\n': `\n`, '\f': `\f`, '\r': `\r`,
	0x00: `\u0000`, 0x01: `\u0001`, 0x02: `\u0002`, 0x03: `\u0003`, 0x04: `\u0004`, 0x05: `\u0005`, 0x06: `\u0006`, 0x07: `\u0007`,
	0x0b: `\u000b`, 0x0e: `\u000e`, 0x0f: `\u000f`,
	0x10: `\u0010`, 0x11: `\u0011`, 0x12: `\u0012`, 0x13: `\u0013`, 0x14: `\u0014`, 0x15: `\u0015`, 0x16: `\u0016`, 0x17: `\u0017`,
	0x18: `\u0018`, 0x19: `\u0019`, 0x1a: `\u001a`, 0x1b: `\u001b`, 0x1c: `\u001c`, 0x1d: `\u001d`, 0x1e: `\u001e`, 0x1f: `\u001f`,
}

func TestRule10Escapes(t *testing.T) {
	for c := range byte(0x80) {
		want, ok := escapes[c]
		if !ok {
			want = string(c)
		}
		entry, all := everywhere(string(c), want)
		become(t, fmt.Sprintf("byte %#x", c), entry, fastjson.Options{}, all.String())
	}
	for _, c := range []struct{ name, raw, want string }{
		{"quotes and backslashes", `a"b\c`, `a\"b\\c`},
		{"what looks like an escape", `\n\u2028\u003c`, `\\n\\u2028\\u003c`},
		{"a backslash before what others escape", "\\\u2028\\<", "\\\\\u2028\\\\<"},
		{"short escapes", "\b\t\n\f\r", `\b\t\n\f\r`},
		{"HTML", "/<>&'", "/<>&'"},
		{"0x7f and U+0080 to U+009F", "\x7f\u0080\u0085\u009f\u00a0", "\x7f\u0080\u0085\u009f\u00a0"},
		{"separators", "\u2028\u2029", "\u2028\u2029"},
		{"noncharacters", "\ufdd0\ufffe\uffff\U0001fffe\U0010ffff", "\ufdd0\ufffe\uffff\U0001fffe\U0010ffff"},
		{"U+FFFD and U+FEFF", "\ufffd\ufeff", "\ufffd\ufeff"},
		{"non-BMP", "\U0001F600\U00010000", "\U0001F600\U00010000"},
		{"edges of two, three and four bytes", "\u0080\u07ff\u0800\ud7ff\ue000\uffff\U00010000", "\u0080\u07ff\u0800\ud7ff\ue000\uffff\U00010000"},
		{"both kinds", "訂\t單\"\u0000😀\\", `訂\t單\"\u0000😀\\`},
	} {
		entry, all := everywhere(c.raw, c.want)
		become(t, c.name, entry, fastjson.Options{}, all.String())
	}
}

// TestRule10Places puts each kind of character at each place of strings of
// many lengths: code that takes several bytes at a time has edges in them.
func TestRule10Places(t *testing.T) {
	long := strings.Repeat("0123456789abcdef", 70) // beyond where long strings are quoted in another way
	for _, c := range []struct{ raw, want string }{
		{`"`, `\"`}, {`\`, `\\`}, {"\x00", `\u0000`}, {"\x1f", `\u001f`}, {"\b", `\b`}, {"\f", `\f`},
		{"\u2028", "\u2028"}, {"é", "é"}, {"\xff", "\uFFFD"}, {"\xed\xa0", "\uFFFD"},
	} {
		columns, data, types, sqlTypes := Columns{}, []string{}, []string{}, []string{}
		add := func(raw, want string) {
			name := fmt.Sprint(len(columns))
			columns = append(columns, Col(name, raw))
			data = append(data, `"`+name+`":"`+want+`"`)
			types = append(types, `"`+name+`":""`)
			sqlTypes = append(sqlTypes, `"`+name+`":0`)
		}
		for size := range 20 {
			for at := range size + 1 {
				add(long[:at]+c.raw+long[at:size], long[:at]+c.want+long[at:size])
				add(long[:at]+"é"+c.raw+long[at:size], long[:at]+"é"+c.want+long[at:size])
			}
		}
		for _, at := range []int{0, 1, 7, 8, 31, 32, 33, 63, 64, 500, len(long) - 1, len(long)} {
			add(long[:at]+c.raw+long[at:], long[:at]+c.want+long[at:])
			add(long[:at]+c.raw+long[at:]+c.raw, long[:at]+c.want+long[at:]+c.want)
		}
		become(t, fmt.Sprintf("%q", c.raw), EntryOf(nil, Change(Insert, Row(nil, columns))), fastjson.Options{}, text{
			data: "[{" + strings.Join(data, ",") + "}]", mysqlType: "{" + strings.Join(types, ",") + "}",
			sqlType: "{" + strings.Join(sqlTypes, ",") + "}", typ: `"INSERT"`,
		}.String())
	}
}

func TestRule12NeverShown(t *testing.T) {
	secret := proto.String("SECRET")
	props := []*canalpb.Pair{{Key: secret, Value: secret}, {}}
	c := Col("a", "1")
	c.Index, c.Length, c.Props = proto.Int32(41414141), proto.Int32(41414141), props
	r := Row(Columns{c}, Columns{c})
	r.Props = props
	for typ, want := range map[canalpb.EventType]text{
		Insert: {data: `[{"a":"1"}]`, mysqlType: `{"a":""}`, sqlType: `{"a":0}`, typ: `"INSERT"`},
		Update: {data: `[{"a":"1"}]`, mysqlType: `{"a":""}`, sqlType: `{"a":0}`, old: `[{}]`},
		Delete: {data: `[{"a":"1"}]`, mysqlType: `{"a":""}`, sqlType: `{"a":0}`, typ: `"DELETE"`},
		Query:  {typ: `"QUERY"`},
	} {
		rc := Change(typ, r)
		rc.TableId, rc.Props, rc.DdlSchemaName = proto.Int64(41414141), props, secret
		become(t, typ.String(), EntryOf(&canalpb.Header{Props: props, LogfileName: secret, ServerenCode: secret}, rc), fastjson.Options{}, want.String())
	}
}

func TestRule13Binary(t *testing.T) {
	// Bytes of a BLOB, as ISO-8859-1 text that is UTF-8 on the wire.
	for _, c := range []struct{ name, raw, want string }{
		{"E6 88 91", "\xc3\xa6\xc2\x88\xc2\x91", "\xc3\xa6\xc2\x88\xc2\x91"},
		{"00 FF FE", "\x00\xc3\xbf\xc3\xbe", "\\u0000\xc3\xbf\xc3\xbe"},
		{"C3 A9, not narrowed to one letter", "\xc3\x83\xc2\xa9", "\xc3\x83\xc2\xa9"},
	} {
		become(t, c.name, EntryOf(nil, Change(Insert, Row(nil, Columns{Col("b", c.raw, Typed(2004, "blob"))}))), fastjson.Options{},
			text{data: `[{"b":"` + c.want + `"}]`, mysqlType: `{"b":"blob"}`, sqlType: `{"b":2004}`, typ: `"INSERT"`}.String())
	}
}
