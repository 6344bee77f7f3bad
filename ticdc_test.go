package cdcodec_test

import (
	"errors"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/fastjson"
	. "github.com/cdcodec/cdcodec/internal/canaltest"
	"github.com/cdcodec/cdcodec/internal/pb/canalpb"
	"github.com/cdcodec/cdcodec/wire"
)

// Canal Entries to dialect ticdc (spec: ticdc.md, "From a Canal Entry to this
// dialect"). What dialect ticdc is in all its parts, the tests of fastjson say.

// inTiCDC checks what becomes of an Entry, message by message, and where Append
// says that they are.
func inTiCDC(t *testing.T, name string, entry []byte, o fastjson.Options, want ...string) {
	t.Helper()
	o.Dialect = fastjson.TiCDC
	out, msgs, err := transcoder(t, o).Append([]byte("x"), nil, entry, goldenMeta)
	if err != nil || string(out) != "x"+strings.Join(want, "") || len(msgs) != len(want) {
		t.Errorf("%s: %d messages, %v\n got %s\nwant %s", name, len(msgs), err, out, "x"+strings.Join(want, ""))
		return
	}
	for i, m := range msgs {
		if string(out[m.Start:m.End]) != want[i] {
			t.Errorf("%s: message %d is %s, want %s", name, i, out[m.Start:m.End], want[i])
		}
	}
}

// tiText is a message of test.t in dialect ticdc.
func tiText(typ, pkNames, sqlType, mysqlType, old, data string) string {
	return `{"id":0,"database":"test","table":"t","pkNames":` + pkNames + `,"isDdl":false,"type":"` + typ + `","es":1668673476000,"ts":1700000000000,"sql":"","sqlType":` +
		sqlType + `,"mysqlType":` + mysqlType + `,"old":` + old + `,"data":` + data + `}`
}

func TestTiCDCFromEntry(t *testing.T) {
	var none fastjson.Options
	ab := Columns{Col("a", "1", Typed(12, "varchar(9)")), Col("b", "2", Typed(4, "int(11)"))}
	inTiCDC(t, "T02: no key", fieldEntry(Change(Insert, Row(nil, ab))), none,
		tiText("INSERT", `[]`, `{"a":12,"b":4}`, `{"a":"varchar","b":"int"}`, "null", `[{"a":"1","b":"2"}]`))
	inTiCDC(t, "T02: two keys, each row its own", fieldEntry(Change(Insert, Row(nil, Columns{Col("b", "1", Key), Col("a", "2", Key)}), Row(nil, Columns{Col("b", "3"), Col("a", "4", Key)}))), none,
		tiText("INSERT", `["b","a"]`, `{"b":0,"a":0}`, `{"b":"","a":""}`, "null", `[{"b":"1","a":"2"}]`),
		tiText("INSERT", `["a"]`, `{"b":0,"a":0}`, `{"b":"","a":""}`, "null", `[{"b":"3","a":"4"}]`))
	inTiCDC(t, "T03", fieldEntry(Change(Update, Row(Columns{Col("id", "1", Key), Col("c", "", Null)}, Columns{Col("id", "1", Key), Col("c", "x", Changed)}))), none,
		tiText("UPDATE", `["id"]`, `{"id":0,"c":0}`, `{"id":"","c":""}`, `[{"id":"1","c":null}]`, `[{"id":"1","c":"x"}]`))
	t05 := fieldEntry(Change(Update,
		Row(Columns{Col("x", "1"), Col("y", "a")}, Columns{Col("x", "2", Changed), Col("y", "a")}),
		Row(Columns{Col("x", "5"), Col("y", "b")}, Columns{Col("x", "5"), Col("y", "c", Changed)})))
	const xy, xyText = `{"x":0,"y":0}`, `{"x":"","y":""}`
	inTiCDC(t, "T05, only updated", t05, fastjson.Options{TiCDC: fastjson.TiCDCOptions{OnlyUpdated: true}},
		tiText("UPDATE", `[]`, xy, xyText, `[{"x":"1"}]`, `[{"x":"2","y":"a"}]`), tiText("UPDATE", `[]`, xy, xyText, `[{"y":"b"}]`, `[{"x":"5","y":"c"}]`))
	inTiCDC(t, "T07: DELETE", fieldEntry(Change(Delete, Row(ab, Columns{Col("z", "")}))), none,
		tiText("DELETE", `[]`, `{"a":12,"b":4}`, `{"a":"varchar","b":"int"}`, "null", `[{"a":"1","b":"2"}]`))
	inTiCDC(t, "T08: a minimal image", fieldEntry(Change(Update, Row(Columns{Col("id", "7", Key)}, Columns{Col("students", "20", Changed, Typed(4, "int"))}))), none,
		tiText("UPDATE", `[]`, `{"students":4}`, `{"students":"int"}`, `[{"id":"7"}]`, `[{"students":"20"}]`))
	inTiCDC(t, "T09: what Canal said of the sqlType does not count", fieldEntry(Change(Insert,
		Row(nil, Columns{Col("u", "200", Typed(-6, "tinyint(3) unsigned"))}), Row(nil, Columns{Col("u", "100", Typed(5, "tinyint(3) unsigned"))}),
		Row(nil, Columns{Col("u", "100", Null, Typed(5, "tinyint(3) unsigned"))}), Row(nil, Columns{Col("u", "x", Typed(1111, "geometry"))}))), none,
		tiText("INSERT", `[]`, `{"u":5}`, `{"u":"tinyint unsigned"}`, "null", `[{"u":"200"}]`), tiText("INSERT", `[]`, `{"u":-6}`, `{"u":"tinyint unsigned"}`, "null", `[{"u":"100"}]`),
		tiText("INSERT", `[]`, `{"u":-6}`, `{"u":"tinyint unsigned"}`, "null", `[{"u":null}]`), tiText("INSERT", `[]`, `{"u":1111}`, `{"u":"geometry"}`, "null", `[{"u":"x"}]`))
	inTiCDC(t, "T11", fieldEntry(Change(Insert, Row(nil, Columns{Col("v", "\x05\x07\n\x0f$2+cx<&ÿþ-7F\b\f", Typed(2004, "varbinary(16)"))}))), none,
		tiText("INSERT", `[]`, `{"v":2004}`, `{"v":"varbinary"}`, "null", `[{"v":"\u0005\u0007\n\u000f$2+cx\u003c\u0026ÿþ-7F\u0008\u000c"}]`))

	// No message: nothing to show, marks, and what TiCDC has no word for.
	for name, entry := range map[string][]byte{
		"no rows":                fieldEntry(Change(Insert)),
		"a row without columns":  fieldEntry(Change(Update, Row(ab, nil))),
		"the zero Entry":         nil,
		"TRANSACTIONBEGIN":       Num(nil, 2, 1),
		"TRANSACTIONEND":         Sub(Num(nil, 2, 3), 3, []byte{0xff}),
		"HEARTBEAT, not read":    Sub(Num(nil, 2, 4), 3, []byte{0xff}),
		"GTIDLOG, not read":      Sub(Num(nil, 2, 5), 3, []byte{0xff}),
		"statement-format DML":   fieldEntry(&canalpb.RowChange{EventType: Update.Enum(), IsDdl: proto.Bool(false), Sql: proto.String("update t set a = 1")}),
		"type absent and no row": fieldEntry(&canalpb.RowChange{}),
	} {
		inTiCDC(t, name, entry, none)
	}
	const query = `{"id":0,"database":"test","table":"t","pkNames":null,"isDdl":false,"type":"QUERY","es":1668673476000,"ts":1700000000000,"sql":"insert","sqlType":null,"mysqlType":null,"data":null,"old":null}`
	inTiCDC(t, "QUERY", fieldEntry(Statement(Query, false, "insert")), none, query)
	ddl := Statement(canalpb.EventType_CINDEX, true, "create index")
	ddl.DdlSchemaName, ddl.RowDatas = proto.String("other"), []*canalpb.RowData{Row(nil, ab)}
	inTiCDC(t, "DDL", fieldEntry(ddl), none, strings.NewReplacer("false", "true", "QUERY", "CINDEX", "insert", "create index").Replace(query))
}

// TestTiCDCAppend has a Packet's rows in one dst, and errors say where they are.
func TestTiCDCAppend(t *testing.T) {
	o := fastjson.Options{Dialect: fastjson.TiCDC, TiCDC: fastjson.TiCDCOptions{Extension: true, MaxMessage: 400}}
	tr := newTranscoder(t, cdcodec.Options{From: cdcodec.FromPacket, JSON: o})
	two := fieldEntry(Change(Insert, Row(nil, Columns{Col("a", "1")}), Row(nil, Columns{Col("a", "2")})))
	large := fieldEntry(Change(Insert, Row(nil, Columns{Col("a", strings.Repeat("x", 300))})))
	m := goldenMeta
	m.CommitTS = 77
	out, msgs, err := tr.Append(nil, nil, PacketOf(MessagesPacket, BatchOf(5, two, Num(nil, 2, 1), two)), m)
	if err != nil || len(msgs) != 4 || msgs[3].End != len(out) || tr.Stats().Messages != 4 {
		t.Fatalf("%+v, %v, %s", msgs, err, out)
	}
	for i, msg := range msgs {
		text := string(out[msg.Start:msg.End])
		if msg.Entry != []int{0, 0, 2, 2}[i] || msg.Type != change.Insert || string(msg.Table) != "t" ||
			!strings.HasSuffix(text, `"data":[{"a":"`+string('1'+byte(i%2))+`"}],"_tidb":{"commitTs":77}}`) || !strings.HasPrefix(text, `{"id":0,`) {
			t.Errorf("message %d: %+v %s", i, msg, text)
		}
	}
	out, msgs, err = tr.Append([]byte("x"), nil, PacketOf(MessagesPacket, BatchOf(5, two, large)), m)
	var where *wire.ParseError
	var tooLarge *fastjson.TooLargeError
	if !errors.As(err, &where) || !errors.As(err, &tooLarge) || where.Table != "test.t" || where.Path != "body.messages[1]" || tooLarge.Table != "test.t" || tooLarge.Limit != 400 || string(out) != "x" || len(msgs) != 0 {
		t.Errorf("%v, %s, %+v", err, out, msgs)
	}
}
