package cdcodec_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/fastjson"
	. "github.com/cdcodec/cdcodec/internal/canaltest"
	"github.com/cdcodec/cdcodec/internal/pb/canalpb"
	"github.com/cdcodec/cdcodec/internal/pb/changedatasetpb"
	"github.com/cdcodec/cdcodec/internal/pb/tidbbinlogpb"
)

// Field cases of ChangeDataSet and of Canal-JSON that is read, and those that are
// about all sources.

// A setColumn describes a column of a ChangeDataSet, a setValue is one value.
type (
	setColumn = changedatasetpb.TableSchema_ColumnMeta
	setValue  = changedatasetpb.TableChange_ColumnData
)

func setOf(name, columnType, keyFlag string) *setColumn {
	return &setColumn{ColumnName: &name, ColumnType: &columnType, KeyFlag: &keyFlag}
}

func setInt(v int32) *setValue     { return &setValue{Int32Value: &v} }
func setString(v string) *setValue { return &setValue{StringValue: &v} }
func setBytes(v string) *setValue  { return &setValue{BytesValue: []byte(v)} }
func setNull() *setValue           { return &setValue{IsNull: proto.String("1")} }

// changeSet is a set of one row of test.t, at the time that fieldEntry has.
func changeSet(columns []*setColumn, before, after []*setValue) []byte {
	return Encode(&changedatasetpb.ChangeDataSet{
		BirthTime:   proto.Int64(1668673476),
		TableSchema: []*changedatasetpb.TableSchema{{TableName: proto.String("test.t"), Columns: columns}},
		TableChange: []*changedatasetpb.TableChange{{TableName: proto.String("test.t"), BeforeData: before, AfterData: after}},
	})
}

// fromSet checks what such a set becomes in both dialects.
func fromSet(t *testing.T, name string, record []byte, ticdc string, canal text) {
	t.Helper()
	canal.database, canal.table, canal.es = `"test"`, `"t"`, "1668673476000"
	converts(t, name+", ticdc", cdcodec.Options{From: cdcodec.FromChangeDataSet, JSON: tiDialect(fastjson.TiCDCOptions{})}, record, ticdc)
	converts(t, name+", canal", cdcodec.Options{From: cdcodec.FromChangeDataSet}, record, canal.String())
}

func TestFieldCasesT01ToT05ChangeDataSet(t *testing.T) {
	columns := []*setColumn{setOf("b", "int(11)", "PRI"), setOf("a", "int(11)", "PRI"), setOf("c", "varchar(9)", "")}
	const sql, full, bare = `{"b":4,"a":4,"c":12}`, `{"b":"int(11)","a":"int(11)","c":"varchar(9)"}`, `{"b":"int","a":"int","c":"varchar"}`
	row := func(c *setValue) []*setValue { return []*setValue{setInt(1), setInt(2), c} }
	nullWithValue := setString("x")
	nullWithValue.IsNull = proto.String("true")
	for name, c := range map[string]struct {
		value *setValue
		want  string
	}{
		"null": {setNull(), "null"}, "null with a value": {nullWithValue, "null"}, "nothing set": {&setValue{}, "null"},
		"empty": {setString(""), `""`}, "the text null": {setString("null"), `"null"`},
	} {
		data := `[{"b":"1","a":"2","c":` + c.want + `}]`
		fromSet(t, "T01 and T02: "+name, changeSet(columns, nil, row(c.value)), tiText("INSERT", `["b","a"]`, sql, bare, "null", data),
			text{data: data, mysqlType: full, sqlType: sql, pkNames: `["b","a"]`, typ: `"INSERT"`})
	}
	const data = `[{"b":"1","a":"2","c":"x"}]`
	fromSet(t, "T03: null before", changeSet(columns, row(setNull()), row(setString("x"))),
		tiText("UPDATE", `["b","a"]`, sql, bare, `[{"b":"1","a":"2","c":null}]`, data),
		text{data: data, old: `[{"c":null}]`, mysqlType: full, sqlType: sql, pkNames: `["b","a"]`})
	fromSet(t, "T04: nothing changed", changeSet(columns, row(setString("x")), row(setString("x"))),
		tiText("UPDATE", `["b","a"]`, sql, bare, data, data), text{data: data, old: `[{}]`, mysqlType: full, sqlType: sql, pkNames: `["b","a"]`})
	none := []*setColumn{setOf("c", "varchar(9)", "")}
	fromSet(t, "T02: no key", changeSet(none, nil, []*setValue{setString("x")}),
		tiText("INSERT", `[]`, `{"c":12}`, `{"c":"varchar"}`, "null", `[{"c":"x"}]`),
		text{data: `[{"c":"x"}]`, mysqlType: `{"c":"varchar(9)"}`, sqlType: `{"c":12}`, typ: `"INSERT"`})
}

func TestFieldCasesT09UnsignedChangeDataSet(t *testing.T) {
	for _, c := range promotions {
		for name, v := range map[string]*setValue{"text": setString(c.value), "null": setNull()} {
			data, sqlType := `[{"u":"`+c.value+`"}]`, c.sqlType
			if name == "null" {
				data, sqlType = `[{"u":null}]`, map[string]string{"tinyint": "-6", "smallint": "5", "mediumint": "4", "int": "4", "bigint": "-5"}[c.typ]
			}
			fromSet(t, c.typ+" "+c.value+", "+name, changeSet([]*setColumn{setOf("u", c.typ+"(3) unsigned", "")}, nil, []*setValue{v}),
				tiText("INSERT", `[]`, `{"u":`+sqlType+`}`, `{"u":"`+c.typ+` unsigned"}`, "null", data),
				text{data: data, mysqlType: `{"u":"` + c.typ + `(3) unsigned"}`, sqlType: `{"u":` + sqlType + `}`, typ: `"INSERT"`})
		}
	}
}

// blobOf has one longblob, column b of test.t, as each source sends it, all at the
// same time, so that all must become the same message.
func blobOf(blob []byte) map[cdcodec.Source][]byte {
	var widened []rune
	for _, b := range blob {
		widened = append(widened, rune(b))
	}
	binlog := Encode(&tidbbinlogpb.Binlog{CommitTs: proto.Int64(1668673476000 << 18), DmlData: &tidbbinlogpb.DMLData{Tables: []*tidbbinlogpb.Table{
		tiTable([]*tiColumn{ofType("b", "longblob")}, tiRow(nil, []*tiValue{tiBytes(string(blob))}))}}})
	return map[cdcodec.Source][]byte{
		cdcodec.FromEntry:         fieldEntry(Change(Insert, Row(nil, Columns{Col("b", string(widened), Typed(2004, "longblob"))}))),
		cdcodec.FromTiDBBinlog:    binlog,
		cdcodec.FromChangeDataSet: changeSet([]*setColumn{setOf("b", "longblob", "")}, nil, []*setValue{setBytes(string(blob))}),
	}
}

// TestFieldCasesT10Sources has the same bytes come from three sources, and go back
// through Canal-JSON.
func TestFieldCasesT10Sources(t *testing.T) {
	const data = "[{\"b\":\"\xc3\xa6\xc2\x88\xc2\x91\"}]"
	off := text{data: data, mysqlType: `{"b":"longblob"}`, sqlType: `{"b":2004}`, typ: `"INSERT"`, database: `"test"`, table: `"t"`, es: "1668673476000"}.String()
	ti := tiText("INSERT", `[]`, `{"b":2004}`, `{"b":"longblob"}`, "null", data)
	for from, record := range blobOf([]byte("\xe6\x88\x91")) {
		converts(t, fmt.Sprint("E6 88 91, source ", from), cdcodec.Options{From: from}, record, off)
		converts(t, fmt.Sprint("E6 88 91, ticdc, source ", from), cdcodec.Options{From: from, JSON: tiDialect(fastjson.TiCDCOptions{})}, record, ti)
	}

	var all []byte
	for b := range 256 {
		all = append(all, byte(b))
	}
	for _, o := range []fastjson.Options{{}, tiDialect(fastjson.TiCDCOptions{})} {
		for from, record := range blobOf(all) {
			out, _, err := newTranscoder(t, cdcodec.Options{From: from, JSON: o}).Append(nil, nil, record, goldenMeta)
			var message struct{ Data []map[string]string }
			if err != nil || json.Unmarshal(out, &message) != nil {
				t.Fatalf("source %d: %v, %s", from, err, out)
			}
			var back []byte
			for _, r := range message.Data[0]["b"] {
				back = append(back, byte(r))
				if r > 0xff {
					t.Errorf("source %d: a character %U", from, r)
				}
			}
			if !bytes.Equal(back, all) {
				t.Errorf("source %d, dialect %d: back as %x", from, o.Dialect, back)
			}
			// The message read again is the Entry that Canal would have sent.
			entry, _, err := newTranscoder(t, cdcodec.Options{From: cdcodec.FromCanalJSON, To: cdcodec.ToEntry}).Append(nil, nil, out, goldenMeta)
			if err != nil {
				t.Fatal(err)
			}
			again, _, err := newTranscoder(t, cdcodec.Options{JSON: o}).Append(nil, nil, entry, goldenMeta)
			if err != nil || !bytes.Equal(again, out) {
				t.Errorf("source %d: %v\n got %s\nwant %s", from, err, again, out)
			}
		}
	}
}

func TestFieldCasesT11ControlBytesChangeDataSet(t *testing.T) {
	fromSet(t, "varbinary", changeSet([]*setColumn{setOf("v", "varbinary(20)", "")}, nil, []*setValue{setBytes(control)}),
		tiText("INSERT", `[]`, `{"v":2004}`, `{"v":"varbinary"}`, "null", `[{"v":"\u0005\u0007\n\u000f$2+cx\u003c\u0026ÿþ-7F"}]`),
		text{data: `[{"v":"\u0005\u0007\n\u000f$2+cx<&ÿþ-7F"}]`, mysqlType: `{"v":"varbinary(20)"}`, sqlType: `{"v":2004}`, typ: `"INSERT"`})
}

// TestFieldCasesCanalJSON reads messages with one of T01 to T05, T11 to T14 or T17 in
// them, as another writer may have them, and writes them as Canal and TiCDC do.
func TestFieldCasesCanalJSON(t *testing.T) {
	const head = `"database":"test","table":"t","es":1668673476000,"sql":"","isDdl":false,`
	in := func(members string) []byte { return []byte(`{` + members + `,` + head + `"id":9,"ts":1}`) }
	off := func(x text) string {
		x.database, x.table, x.es = `"test"`, `"t"`, "1668673476000"
		return x.String()
	}
	for _, c := range []struct{ name, in, off, ti string }{
		{"T01", `"type":"INSERT","data":[{"a":null,"b":"","c":"null","n":1e1}]`,
			off(text{data: `[{"a":null,"b":"","c":"null","n":"1e1"}]`, mysqlType: `{"a":"","b":"","c":"","n":""}`, sqlType: `{"a":0,"b":0,"c":0,"n":0}`, typ: `"INSERT"`}),
			tiText("INSERT", `[]`, `{"a":0,"b":0,"c":0,"n":0}`, `{"a":"","b":"","c":"","n":""}`, "null", `[{"a":null,"b":"","c":"null","n":"1e1"}]`)},
		{"T02 and T03, of Canal", `"data":[{"id":"1","c":"x"}],"old":[{"c":null}],"pkNames":["id"],"type":"UPDATE"`,
			off(text{data: `[{"id":"1","c":"x"}]`, old: `[{"c":null}]`, mysqlType: `{"id":"","c":""}`, sqlType: `{"id":0,"c":0}`, pkNames: `["id"]`}),
			tiText("UPDATE", `["id"]`, `{"id":0,"c":0}`, `{"id":"","c":""}`, `[{"id":"1","c":null}]`, `[{"id":"1","c":"x"}]`)},
		{"T03, of TiCDC: old is the whole row", `"type":"UPDATE","old":[{"id":"1","c":null}],"data":[{"id":"1","c":"x"}]`,
			off(text{data: `[{"id":"1","c":"x"}]`, old: `[{"c":null}]`, mysqlType: `{"id":"","c":""}`, sqlType: `{"id":0,"c":0}`}),
			tiText("UPDATE", `[]`, `{"id":0,"c":0}`, `{"id":"","c":""}`, `[{"id":"1","c":null}]`, `[{"id":"1","c":"x"}]`)},
		{"T04", `"data":[{"a":"1"}],"old":[{}],"type":"UPDATE"`,
			off(text{data: `[{"a":"1"}]`, old: `[{}]`, mysqlType: `{"a":""}`, sqlType: `{"a":0}`}),
			tiText("UPDATE", `[]`, `{"a":0}`, `{"a":""}`, `[{"a":"1"}]`, `[{"a":"1"}]`)},
		{"T11", `"type":"INSERT","data":[{"v":"\u0005\u000A\b\f\u003C\u0026\/ÿ"}]`,
			off(text{data: `[{"v":"\u0005\n\b\f<&/ÿ"}]`, mysqlType: `{"v":""}`, sqlType: `{"v":0}`, typ: `"INSERT"`}),
			tiText("INSERT", `[]`, `{"v":0}`, `{"v":""}`, "null", `[{"v":"\u0005\n\u0008\u000c\u003c\u0026/ÿ"}]`)},
		{"T12", `"type":"INSERT","data":[{"v":"\ud83d\ude00\u2028"}]`,
			off(text{data: "[{\"v\":\"😀\u2028\"}]", mysqlType: `{"v":""}`, sqlType: `{"v":0}`, typ: `"INSERT"`}),
			tiText("INSERT", `[]`, `{"v":0}`, `{"v":""}`, "null", `[{"v":"😀\u2028"}]`)},
		{"T13", `"type":"INSERT","data":[{"v":"{\"k\":\"a\\nb\"}"}]`,
			off(text{data: `[{"v":"{\"k\":\"a\\nb\"}"}]`, mysqlType: `{"v":""}`, sqlType: `{"v":0}`, typ: `"INSERT"`}),
			tiText("INSERT", `[]`, `{"v":0}`, `{"v":""}`, "null", `[{"v":"{\"k\":\"a\\nb\"}"}]`)},
		{"T14", `"type":"INSERT","data":[{"v":"-838:59:59"}],"mysqlType":{"v":"time(2)"},"sqlType":{"v":92}`,
			off(text{data: `[{"v":"-838:59:59"}]`, mysqlType: `{"v":"time(2)"}`, sqlType: `{"v":92}`, typ: `"INSERT"`}),
			tiText("INSERT", `[]`, `{"v":92}`, `{"v":"time"}`, "null", `[{"v":"-838:59:59"}]`)},
		{"T17", `"isDdl":false,"type":"CREATE"`,
			off(text{typ: `"CREATE"`}), tiStatement("test", "t", "false", "CREATE", "1668673476000", "", "")},
	} {
		converts(t, c.name+", canal", cdcodec.Options{From: cdcodec.FromCanalJSON}, in(c.in), c.off)
		converts(t, c.name+", ticdc", cdcodec.Options{From: cdcodec.FromCanalJSON, JSON: tiDialect(fastjson.TiCDCOptions{})}, in(c.in), c.ti)
	}
	// T05: two rows, whose old is that of Canal, which does not forget.
	converts(t, "T05, canal", cdcodec.Options{From: cdcodec.FromCanalJSON},
		in(`"data":[{"x":"2","y":"a"},{"x":"5","y":"c"}],"old":[{"x":"1"},{"x":"5","y":"b"}],"type":"UPDATE"`),
		off(text{data: `[{"x":"2","y":"a"},{"x":"5","y":"c"}]`, old: `[{"x":"1"},{"x":"5","y":"b"}]`, mysqlType: `{"x":"","y":""}`, sqlType: `{"x":0,"y":0}`}))
}

func TestFieldCasesT32Watermark(t *testing.T) {
	const watermark = `{"id":0,"database":"","table":"","pkNames":null,"isDdl":false,"type":"TIDB_WATERMARK","es":1640007049196,"ts":1700000000000,` +
		`"sql":"","sqlType":null,"mysqlType":null,"data":null,"old":null,"_tidb":{"watermarkTs":429918007904436226}}`
	for name, record := range map[string]string{
		"as it is": watermark, "with CRLF": watermark + "\r\n", "with white space": strings.ReplaceAll(watermark, ",", " ,\n "),
		"es is recomputed": strings.Replace(watermark, `"es":1640007049196`, `"es":5`, 1),
	} {
		from := cdcodec.Options{From: cdcodec.FromCanalJSON}
		from.JSON = tiDialect(fastjson.TiCDCOptions{Extension: true})
		converts(t, name, from, []byte(record), watermark)
		from.JSON.DropWatermarks = true
		converts(t, name+", dropped", from, []byte(record))
		from.JSON = tiDialect(fastjson.TiCDCOptions{})
		converts(t, name+", no extension", from, []byte(record))
		from.JSON = fastjson.Options{}
		converts(t, name+", dialect canal", from, []byte(record))
		from.To = cdcodec.ToEntry
		converts(t, name+", Entry", from, []byte(record))
		from.To = cdcodec.ToPacket
		converts(t, name+", Packet", from, []byte(record))
	}
}

// TestFieldCasesTiCDCProtobuf is an UPDATE as TiCDC writes Canal's protobuf: every
// column has updated set, in both images, so that Canal's old is the whole row.
func TestFieldCasesTiCDCProtobuf(t *testing.T) {
	row := func(v string) Columns { return Columns{Col("id", "1", Key, Changed), Col("c", v, Changed)} }
	fieldCase(t, "all is updated", &canalpb.RowChange{EventType: Update.Enum(), RowDatas: []*canalpb.RowData{Row(row("a"), row("b"))}},
		text{data: `[{"id":"1","c":"b"}]`, old: `[{"id":"1","c":"a"}]`, mysqlType: `{"id":"","c":""}`, sqlType: `{"id":0,"c":0}`, pkNames: `["id"]`})
}
