package cdcodec_test

import (
	"errors"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/fastjson"
	. "github.com/cdcodec/cdcodec/internal/canaltest"
	"github.com/cdcodec/cdcodec/internal/pb/canalpb"
)

// Field cases of dialect ticdc, from Canal Entries. More of them are in
// TestTiCDCFromEntry.

// tiInsert checks what becomes of an INSERT of one row in dialect ticdc.
func tiInsert(t *testing.T, name string, columns Columns, o fastjson.Options, data, mysqlType, sqlType string) {
	t.Helper()
	inTiCDC(t, name, fieldEntry(Change(Insert, Row(nil, columns))), o, tiText("INSERT", `[]`, sqlType, mysqlType, "null", data))
}

func TestFieldCasesT01NullEmptyAbsentTiCDC(t *testing.T) {
	tiInsert(t, "null, empty, \"null\" and absent",
		Columns{Col("a", "", Null, NoValue), Col("b", ""), Col("c", "null"), Col("d", "", NoValue), Col("e", "x", Null)}, fastjson.Options{},
		`[{"a":null,"b":"","c":"null","d":"","e":null}]`,
		`{"a":"","b":"","c":"","d":"","e":""}`, `{"a":0,"b":0,"c":0,"d":0,"e":0}`)
}

func TestFieldCasesT04NothingFlaggedTiCDC(t *testing.T) {
	ab := Columns{Col("a", "1"), Col("b", "2")}
	entry := fieldEntry(Change(Update, Row(ab, ab)))
	want := func(old string) string {
		return tiText("UPDATE", `[]`, `{"a":0,"b":0}`, `{"a":"","b":""}`, old, `[{"a":"1","b":"2"}]`)
	}
	inTiCDC(t, "all of old", entry, fastjson.Options{}, want(`[{"a":"1","b":"2"}]`))
	inTiCDC(t, "only updated", entry, fastjson.Options{TiCDC: fastjson.TiCDCOptions{OnlyUpdated: true}}, want(`[{}]`))
}

func TestFieldCasesT05SeveralRowsTiCDC(t *testing.T) {
	entry := fieldEntry(Change(Update,
		Row(Columns{Col("x", "1"), Col("y", "a")}, Columns{Col("x", "2", Changed), Col("y", "a")}),
		Row(Columns{Col("x", "5"), Col("y", "b")}, Columns{Col("x", "5"), Col("y", "c", Changed)})))
	const sqlType, mysqlType = `{"x":0,"y":0}`, `{"x":"","y":""}`
	inTiCDC(t, "a message for each row, with all of old", entry, fastjson.Options{},
		tiText("UPDATE", `[]`, sqlType, mysqlType, `[{"x":"1","y":"a"}]`, `[{"x":"2","y":"a"}]`),
		tiText("UPDATE", `[]`, sqlType, mysqlType, `[{"x":"5","y":"b"}]`, `[{"x":"5","y":"c"}]`))
}

// promotions is T09: the sqlType of an unsigned integer follows its value.
var promotions = []struct{ typ, value, sqlType string }{
	{"tinyint", "0", "-6"}, {"tinyint", "127", "-6"}, {"tinyint", "128", "5"}, {"tinyint", "255", "5"},
	{"smallint", "32767", "5"}, {"smallint", "32768", "4"}, {"smallint", "65535", "4"},
	{"mediumint", "8388607", "4"}, {"mediumint", "8388608", "4"}, {"mediumint", "16777215", "4"},
	{"int", "2147483647", "4"}, {"int", "2147483648", "-5"}, {"int", "4294967295", "-5"},
	{"bigint", "9223372036854775807", "-5"}, {"bigint", "9223372036854775808", "3"}, {"bigint", "18446744073709551615", "3"},
}

func TestFieldCasesT09UnsignedTiCDC(t *testing.T) {
	for _, c := range promotions {
		tiInsert(t, c.typ+" "+c.value, Columns{Col("u", c.value, Typed(1111, c.typ+"(3) unsigned"))}, fastjson.Options{},
			`[{"u":"`+c.value+`"}]`, `{"u":"`+c.typ+` unsigned"}`, `{"u":`+c.sqlType+`}`)
	}
	for typ, base := range map[string]string{"tinyint": "-6", "smallint": "5", "mediumint": "4", "int": "4", "bigint": "-5"} {
		tiInsert(t, typ+" null", Columns{Col("u", "", Null, NoValue, Typed(1111, typ+" unsigned"))}, fastjson.Options{},
			`[{"u":null}]`, `{"u":"`+typ+` unsigned"}`, `{"u":`+base+`}`)
	}
}

func TestFieldCasesT12TextTiCDC(t *testing.T) {
	for _, c := range []struct{ name, value, want string }{
		{"emoji", "😀", "😀"},
		{"U+2028 and U+2029", "\u2028\u2029", `\u2028\u2029`},
		{"FF FE", "\xff\xfe", `\ufffd\ufffd`},
		{"ED A0 80", "\xed\xa0\x80", `\ufffd\ufffd\ufffd`},
	} {
		columns := Columns{Col("c", c.value, Typed(12, "varchar(9)"))}
		tiInsert(t, c.name, columns, fastjson.Options{}, `[{"c":"`+c.want+`"}]`, `{"c":"varchar"}`, `{"c":12}`)
		if strings.Contains(c.want, `\ufffd`) {
			o := fastjson.Options{Dialect: fastjson.TiCDC, RejectInvalidUTF8: true}
			fail(t, c.name, fieldEntry(Change(Insert, Row(nil, columns))), o, fastjson.ErrInvalidUTF8)
		}
	}
}

func TestFieldCasesT13JSONColumnTiCDC(t *testing.T) {
	tiInsert(t, "JSON is text", Columns{Col("j", `{"k":"a\nb","p":"x\\.y"}`, Typed(12, "json"))}, fastjson.Options{},
		`[{"j":"{\"k\":\"a\\nb\",\"p\":\"x\\\\.y\"}"}]`, `{"j":"json"}`, `{"j":12}`)
	tiInsert(t, "raw newline", Columns{Col("j", "{\n}", Typed(12, "json"))}, fastjson.Options{}, `[{"j":"{\n}"}]`, `{"j":"json"}`, `{"j":12}`)
}

func TestFieldCasesT14DatesTiCDC(t *testing.T) {
	for _, c := range []struct{ value, full, bare, sqlType string }{
		{"0000-00-00 00:00:00", "datetime", "datetime", "93"}, {"0000-00-00", "date", "date", "91"}, {"-838:59:59", "time", "time", "92"},
		{"-00:00:00.12", "time(2)", "time", "92"}, {"2019-06-15 11:27:01.905", "timestamp(3)", "timestamp", "93"}, {"0000", "year(4)", "year", "12"},
	} {
		tiInsert(t, c.value, Columns{Col("d", c.value, Typed(1111, c.full))}, fastjson.Options{},
			`[{"d":"`+c.value+`"}]`, `{"d":"`+c.bare+`"}`, `{"d":`+c.sqlType+`}`)
	}
}

func TestFieldCasesT16EnumSetTiCDC(t *testing.T) {
	columns := Columns{Col("e", "2", Typed(4, "enum('a','b')")), Col("s", "3", Typed(-7, "set('x','y')")), Col("q", "1", Typed(4, `enum('a,b','it''s')`))}
	const data, sqlType = `[{"e":"2","s":"3","q":"1"}]`, `{"e":4,"s":-7,"q":4}`
	tiInsert(t, "elements are gone", columns, fastjson.Options{}, data, `{"e":"enum","s":"set","q":"enum"}`, sqlType)
	tiInsert(t, "content compatible keeps them", columns, fastjson.Options{TiCDC: fastjson.TiCDCOptions{ContentCompatible: true}}, data,
		`{"e":"enum('a','b')","s":"set('x','y')","q":"enum('a,b','it''s')"}`, sqlType)
}

func TestFieldCasesT16bNumbersVerbatim(t *testing.T) {
	columns := Columns{
		Col("d", "500.00", Typed(3, "decimal(10,2)")), Col("f", "1.0E10", Typed(7, "float")), Col("g", "4.5600000000000005", Typed(8, "double"))}
	const data, sqlType = `[{"d":"500.00","f":"1.0E10","g":"4.5600000000000005"}]`, `{"d":3,"f":7,"g":8}`
	fieldInsert(t, "canal", columns, data, `{"d":"decimal(10,2)","f":"float","g":"double"}`, sqlType)
	tiInsert(t, "ticdc", columns, fastjson.Options{}, data, `{"d":"decimal","f":"float","g":"double"}`, sqlType)
}

// tiStatement is a message of dialect ticdc that has SQL, and no rows.
func tiStatement(database, table, isDDL, typ, es, sql, tidb string) string {
	return `{"id":0,"database":"` + database + `","table":"` + table + `","pkNames":null,"isDdl":` + isDDL + `,"type":"` + typ + `","es":` + es +
		`,"ts":1700000000000,"sql":"` + sql + `","sqlType":null,"mysqlType":null,"data":null,"old":null` + tidb + `}`
}

func TestFieldCasesT17DDLTiCDC(t *testing.T) {
	h := &canalpb.Header{SchemaName: proto.String("shop"), TableName: proto.String("t2"), EventType: canalpb.EventType_CREATE.Enum()}
	c := Statement(canalpb.EventType_CREATE, true, "/* app */ create table t2 (\r\n id int comment '中文')")
	c.DdlSchemaName = proto.String("test")
	const sql = `/* app */ create table t2 (\r\n id int comment '中文')`
	inTiCDC(t, "the header's schema, and a null for each part", EntryOf(h, c), fastjson.Options{}, tiStatement("shop", "t2", "true", "CREATE", "0", sql, ""))
	inTiCDC(t, "no TSO", EntryOf(h, c), fastjson.Options{TiCDC: fastjson.TiCDCOptions{Extension: true}},
		tiStatement("shop", "t2", "true", "CREATE", "0", sql, `,"_tidb":{}`))
}

func TestFieldCasesT19QueryTiCDC(t *testing.T) {
	h := &canalpb.Header{SchemaName: proto.String(""), TableName: proto.String(""), EventType: Query.Enum()}
	query := EntryOf(h, &canalpb.RowChange{EventType: Query.Enum(), Sql: proto.String("update t set a = 1")})
	inTiCDC(t, "rows-query", query, fastjson.Options{}, tiStatement("", "", "false", "QUERY", "0", "update t set a = 1", ""))
	inTiCDC(t, "rows-query, dropped", query, fastjson.Options{DropQueries: true})
	inTiCDC(t, "DML as a statement has no row to show", EntryOf(h, Statement(Update, false, "update t set a = 1")), fastjson.Options{})
}

// claims is a store of messages that are too large.
type claims struct{ messages []string }

func (c *claims) Put(message []byte) (string, error) {
	c.messages = append(c.messages, string(message))
	return "store/1", nil
}

func TestFieldCasesT33LargeMessage(t *testing.T) {
	row := func(key ...Mark) Columns {
		return Columns{Col("id", "7", append(key, Typed(4, "int"))...), Col("v", strings.Repeat("x", 200), Typed(12, "varchar(255)"))}
	}
	entry := fieldEntry(Change(Update, Row(row(Key), row(Key))))
	message := func(sqlType, mysqlType, old, data, tidb string) string {
		m := tiText("UPDATE", `["id"]`, sqlType, mysqlType, old, data)
		return m[:len(m)-1] + `,"_tidb":{"commitTs":77` + tidb + `}}`
	}
	long := `[{"id":"7","v":"` + strings.Repeat("x", 200) + `"}]`
	whole := message(`{"id":4,"v":12}`, `{"id":"int","v":"varchar"}`, long, long, "")
	stub := func(tidb string) string {
		return message(`{"id":4}`, `{"id":"int"}`, `[{"id":"7"}]`, `[{"id":"7"}]`, tidb)
	}

	m := goldenMeta
	m.CommitTS, m.KeySize = 77, 10
	room := len(whole) + 10 + 36 // the message, its key, and what Kafka adds
	convert := func(o fastjson.TiCDCOptions, entry []byte) (string, error) {
		o.Extension = true
		out, _, err := newTranscoder(t, cdcodec.Options{JSON: fastjson.Options{Dialect: fastjson.TiCDC, TiCDC: o}}).Append(nil, nil, entry, m)
		return string(out), err
	}
	for _, c := range []struct {
		name string
		o    fastjson.TiCDCOptions
		want string
	}{
		{"it just fits", fastjson.TiCDCOptions{MaxMessage: room, Large: fastjson.HandleKeyOnly}, whole},
		{"the handle key", fastjson.TiCDCOptions{MaxMessage: room - 1, Large: fastjson.HandleKeyOnly}, stub(`,"onlyHandleKey":true`)},
	} {
		if got, err := convert(c.o, entry); err != nil || got != c.want {
			t.Errorf("%s: %v\n got %s\nwant %s", c.name, err, got, c.want)
		}
	}

	store := new(claims)
	got, err := convert(fastjson.TiCDCOptions{MaxMessage: room - 1, Large: fastjson.ClaimCheck, Claims: store}, entry)
	if want := stub(`,"claimCheckLocation":"store/1"`); err != nil || got != want {
		t.Errorf("claim check: %v\n got %s\nwant %s", err, got, want)
	}
	if len(store.messages) != 1 || store.messages[0] != whole {
		t.Errorf("the store has %q", store.messages)
	}

	var large *fastjson.TooLargeError
	if _, err := convert(fastjson.TiCDCOptions{MaxMessage: room - 1}, entry); !errors.As(err, &large) || *large != (fastjson.TooLargeError{Table: "test.t", Size: room, Limit: room - 1}) {
		t.Errorf("rejected: %v", err)
	}
	if _, err := convert(fastjson.TiCDCOptions{MaxMessage: 100, Large: fastjson.HandleKeyOnly}, entry); !errors.As(err, &large) || large.Limit != 100 {
		t.Errorf("the key alone is too large: %v", err)
	}
	keyless := fieldEntry(Change(Update, Row(row(), row())))
	if _, err := convert(fastjson.TiCDCOptions{MaxMessage: 300, Large: fastjson.HandleKeyOnly}, keyless); !errors.Is(err, fastjson.ErrNoHandleKey) {
		t.Errorf("no key: %v", err)
	}

	// A DELETE that shows its key alone because that was asked for has no flag.
	deleted := strings.Replace(strings.Replace(stub(""), `"UPDATE"`, `"DELETE"`, 1), `"old":[{"id":"7"}]`, `"old":null`, 1)
	if got, err := convert(fastjson.TiCDCOptions{DeleteOnlyHandleKey: true}, fieldEntry(Change(Delete, Row(row(Key), nil)))); err != nil || got != deleted {
		t.Errorf("DELETE: %v\n got %s\nwant %s", err, got, deleted)
	}
}
