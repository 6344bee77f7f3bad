package cdcodec_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/fastjson"
	. "github.com/cdcodec/cdcodec/internal/canaltest"
	"github.com/cdcodec/cdcodec/internal/pb/canalpb"
	"github.com/cdcodec/cdcodec/internal/reference"
	"github.com/cdcodec/cdcodec/wire"
)

// How the tests of the law are arranged: TestRule… go by the numbers of
// spec/canal.md, section 2, and TestWire… by what section 1 says. Each holds
// the Transcoder to messages written out by hand, and to internal/reference.
//
//	law_test.go       the harness; rules 1 to 4: keys, fields, what has no rows
//	law_rows_test.go  rules 5 to 8: data, old, pkNames, sqlType and mysqlType
//	law_text_test.go  rules 9, 10, 12, 13: numbers, escapes, what never shows
//	law_utf8_test.go  rule 11: repair, and the option that rejects
//	law_list_test.go  rule 14: several Entries
//	law_wire_test.go  section 1: defaults, merges, what is skipped, depth

// A law is one case: an Entry and the message that it must become.
type law struct {
	name    string
	entry   []byte
	want    text
	options fastjson.Options
}

// text is a message written out by hand, each part as JSON has it. A part that
// is left empty is what the zero-length Entry has there.
type text struct {
	data, database, es, gtid, id, isDDL, mysqlType, old, pkNames, sql, sqlType, table, ts, typ string
}

func (x text) String() string {
	part := func(key, value, absent string) string {
		if value == "" {
			value = absent
		}
		return `"` + key + `":` + value
	}
	return "{" + strings.Join([]string{
		part("data", x.data, "null"),
		part("database", x.database, `""`),
		part("es", x.es, "0"),
		part("gtid", x.gtid, `""`),
		part("id", x.id, "1"),
		part("isDdl", x.isDDL, "false"),
		part("mysqlType", x.mysqlType, "null"),
		part("old", x.old, "null"),
		part("pkNames", x.pkNames, "null"),
		part("sql", x.sql, `""`),
		part("sqlType", x.sqlType, "null"),
		part("table", x.table, `""`),
		part("ts", x.ts, "1700000000000"),
		part("type", x.typ, `"UPDATE"`),
	}, ",") + "}"
}

// reused has the one Transcoder of each set of options that all tests of the
// law share: what a case leaves behind in it must not show in the next.
var reused = map[fastjson.Options]*cdcodec.Transcoder{}

func transcoder(t *testing.T, o fastjson.Options) *cdcodec.Transcoder {
	t.Helper()
	if reused[o] == nil {
		reused[o] = newTranscoder(t, cdcodec.Options{JSON: o})
	}
	return reused[o]
}

// hold runs the cases.
func hold(t *testing.T, laws []law) {
	t.Helper()
	for _, c := range laws {
		become(t, c.name, c.entry, c.options, c.want.String())
	}
}

// become checks that entry becomes exactly the wanted messages: none, or one.
func become(t *testing.T, name string, entry []byte, o fastjson.Options, want ...string) {
	t.Helper()
	becomeWith(t, name, entry, o, goldenMeta, want...)
}

func becomeWith(t *testing.T, name string, entry []byte, o fastjson.Options, m fastjson.Meta, want ...string) {
	t.Helper()
	appends(t, name, entry, o, m, want)
	ref, err := reference.Entry(entry, o, m)
	if err != nil {
		t.Errorf("%s: the reference says %v\nin %x", name, err, entry)
	}
	if got, wanted := string(bytes.Join(ref, nil)), strings.Join(want, ""); got != wanted {
		t.Errorf("%s: %x\nreference has %s\nwant          %s", name, entry, got, wanted)
	}

	// Most cases are of a table without a name, and have only the fields they
	// are about, so that the fused path does not take them. They are run again
	// with a header, and once more as Canal would write them; the tables are
	// ones that were never seen before.
	const unnamed, untitled = `"database":"",`, `"table":"",`
	if len(want) == 0 || offsetOf(entry, entryDesc, "header") >= 0 {
		return
	}
	titled := func() (table, message string) {
		tables++
		table = fmt.Sprint("t", tables)
		message = strings.Replace(want[0], unnamed, `"database":"shop",`, 1)
		at := strings.LastIndex(message, untitled) // what is before may be a value
		return table, message[:at] + `"table":"` + table + `",` + message[at+len(untitled):]
	}
	table, message := titled()
	appends(t, name+", with a header", append(Sub(nil, 1, Text(Text(nil, 8, "shop"), 9, table)), entry...), o, m, []string{message})
	table, message = titled()
	if usual, ok := Usual(entry, "shop", table); ok {
		appends(t, name+", as usual", usual, o, m, []string{message})
	}
}

var tables int // how many names of tables have been used up

// appends has the Transcoders append entry: the one without the fused path, and
// the one that has it, which sees the table a first time and then again.
func appends(t *testing.T, name string, entry []byte, o fastjson.Options, m fastjson.Meta, want []string) {
	t.Helper()
	const prefix = "what was there"
	for run := range 3 {
		o.NoFused = run == 0
		record := bytes.Clone(entry)
		out, msgs, err := transcoder(t, o).Append([]byte(prefix), nil, record, m)
		if !bytes.Equal(record, entry) {
			t.Errorf("%s: the input was written to", name)
		}
		for i := range record {
			record[i] = '#' // the output must not depend on it any more
		}
		if err != nil {
			t.Errorf("%s: %v\nin %x", name, err, entry)
		}
		if wanted := prefix + strings.Join(want, ""); string(out) != wanted {
			t.Errorf("%s, run %d: %x\n got %s\nwant %s", name, run, entry, out, wanted)
		}
		if len(msgs) != len(want) || len(msgs) == 1 && (msgs[0].Start != len(prefix) || msgs[0].End != len(out)) {
			t.Errorf("%s: messages are %v", name, msgs)
		}
	}
}

// fail checks that entry is an error of that kind, for the reference too, and
// returns it.
func fail(t *testing.T, name string, entry []byte, o fastjson.Options, kind error) *wire.ParseError {
	t.Helper()
	const prefix = "what was there"
	var err error
	for run := range 3 { // the last one's error is like the first one's
		o.NoFused = run == 1
		out, msgs, again := transcoder(t, o).Append([]byte(prefix), nil, entry, goldenMeta)
		if string(out) != prefix || msgs != nil {
			t.Errorf("%s: output beside an error: %s", name, out)
		}
		if run > 0 && fmt.Sprint(again) != fmt.Sprint(err) {
			t.Errorf("%s: error is %v, and then %v", name, err, again)
		}
		err = again
	}
	if _, err := reference.Entry(entry, o, goldenMeta); err == nil {
		t.Errorf("%s: no error of the reference\nin %x", name, entry)
	}
	var at *wire.ParseError
	if !errors.As(err, &at) || !errors.Is(err, kind) {
		t.Errorf("%s: error is %v, want %v\nin %x", name, err, kind, entry)
		return &wire.ParseError{}
	}
	return at
}

// TestRule1Keys has whole messages, so that the order of the keys and the lack
// of white space are seen.
func TestRule1Keys(t *testing.T) {
	h := &canalpb.Header{
		SchemaName: proto.String("shop"), TableName: proto.String("orders"),
		ExecuteTime: proto.Int64(1668673476000), Gtid: proto.String("g:1-5"),
	}
	rows := Row(
		Columns{Col("id", "7", Key, Typed(-5, "bigint")), Col("v", "a", Typed(12, "varchar(8)"))},
		Columns{Col("id", "7", Key, Typed(-5, "bigint")), Col("v", "b", Changed, Typed(12, "varchar(8)"))})
	for _, c := range []struct {
		name, want string
		entry      []byte
	}{
		{"insert", `{"data":[{"id":"7","v":"b"}],"database":"shop","es":1668673476000,"gtid":"g:1-5","id":1,"isDdl":false,` +
			`"mysqlType":{"id":"bigint","v":"varchar(8)"},"old":null,"pkNames":["id"],"sql":"",` +
			`"sqlType":{"id":-5,"v":12},"table":"orders","ts":1700000000000,"type":"INSERT"}`,
			EntryOf(h, Change(Insert, rows))},
		{"update", `{"data":[{"id":"7","v":"b"}],"database":"shop","es":1668673476000,"gtid":"g:1-5","id":1,"isDdl":false,` +
			`"mysqlType":{"id":"bigint","v":"varchar(8)"},"old":[{"v":"a"}],"pkNames":["id"],"sql":"",` +
			`"sqlType":{"id":-5,"v":12},"table":"orders","ts":1700000000000,"type":"UPDATE"}`,
			EntryOf(h, Change(Update, rows))},
		{"delete", `{"data":[{"id":"7","v":"a"}],"database":"shop","es":1668673476000,"gtid":"g:1-5","id":1,"isDdl":false,` +
			`"mysqlType":{"id":"bigint","v":"varchar(8)"},"old":null,"pkNames":["id"],"sql":"",` +
			`"sqlType":{"id":-5,"v":12},"table":"orders","ts":1700000000000,"type":"DELETE"}`,
			EntryOf(h, Change(Delete, rows))},
		{"DDL", `{"data":null,"database":"shop","es":1668673476000,"gtid":"g:1-5","id":1,"isDdl":true,` +
			`"mysqlType":null,"old":null,"pkNames":null,"sql":"drop table orders",` +
			`"sqlType":null,"table":"orders","ts":1700000000000,"type":"ERASE"}`,
			EntryOf(h, Statement(canalpb.EventType_ERASE, true, "drop table orders"))},
		{"query", `{"data":null,"database":"shop","es":1668673476000,"gtid":"g:1-5","id":1,"isDdl":false,` +
			`"mysqlType":null,"old":null,"pkNames":null,"sql":"select 1",` +
			`"sqlType":null,"table":"orders","ts":1700000000000,"type":"QUERY"}`,
			EntryOf(h, Statement(Query, false, "select 1"))},
		{"nothing at all", `{"data":null,"database":"","es":0,"gtid":"","id":1,"isDdl":false,` +
			`"mysqlType":null,"old":null,"pkNames":null,"sql":"",` +
			`"sqlType":null,"table":"","ts":1700000000000,"type":"UPDATE"}`, nil},
	} {
		become(t, c.name, c.entry, fastjson.Options{}, c.want)
		without := strings.Replace(strings.Replace(c.want, `"gtid":"g:1-5",`, "", 1), `"gtid":"",`, "", 1)
		become(t, c.name+" without gtid", c.entry, fastjson.Options{OmitGTID: true}, without)
	}
}

func TestRule2Fields(t *testing.T) {
	erase := canalpb.EventType_ERASE
	hold(t, []law{
		{name: "schema and table", want: text{database: `"a"`, table: `"b"`, typ: `"INSERT"`},
			entry: EntryOf(&canalpb.Header{SchemaName: proto.String("a"), TableName: proto.String("b")}, Change(Insert))},
		{name: "time", want: text{es: "1668673476000", typ: `"INSERT"`},
			entry: EntryOf(&canalpb.Header{ExecuteTime: proto.Int64(1668673476000)}, Change(Insert))},
		{name: "gtid", want: text{gtid: `"b5a1:1-7"`, typ: `"INSERT"`},
			entry: EntryOf(&canalpb.Header{Gtid: proto.String("b5a1:1-7")}, Change(Insert))},
		{name: "no header", want: text{typ: `"INSERT"`}, entry: EntryOf(nil, Change(Insert))},
		{name: "empty header", want: text{typ: `"INSERT"`}, entry: EntryOf(&canalpb.Header{}, Change(Insert))},
		{name: "empty strings", want: text{typ: `"INSERT"`}, entry: EntryOf(&canalpb.Header{
			SchemaName: proto.String(""), TableName: proto.String(""), ExecuteTime: proto.Int64(0), Gtid: proto.String("")}, Change(Insert))},
		{name: "the header's eventType is not used", want: text{typ: `"DELETE"`},
			entry: EntryOf(&canalpb.Header{EventType: &erase}, Change(Delete))},
		{name: "nor where the RowChange has none", want: text{},
			entry: EntryOf(&canalpb.Header{EventType: &erase}, &canalpb.RowChange{})},
		{name: "nor without a storeValue", want: text{}, entry: Sub(nil, 1, Num(nil, 11, 3))},
		{name: "ddlSchemaName is not used", want: text{typ: `"CREATE"`, isDDL: "true"}, entry: EntryOf(nil, &canalpb.RowChange{
			EventType: canalpb.EventType_CREATE.Enum(), IsDdl: proto.Bool(true), DdlSchemaName: proto.String("elsewhere")})},
		{name: "sql of rows", want: text{typ: `"DELETE"`, sql: `"delete from t"`}, entry: EntryOf(nil, Statement(Delete, false, "delete from t"))},
		{name: "isDdl of rows", want: text{typ: `"DELETE"`, isDDL: "true"}, entry: EntryOf(nil, Statement(Delete, true, ""))},
		{name: "other fields of the header", want: text{}, entry: EntryOf(&canalpb.Header{
			Version: proto.Int32(9), LogfileName: proto.String("x"), LogfileOffset: proto.Int64(9), ServerId: proto.Int64(9),
			ServerenCode: proto.String("x"), SourceType: canalpb.Type_PGSQL.Enum(), EventLength: proto.Int64(9)}, Change(Update))},
	})
	for n, name := range canalpb.EventType_name {
		become(t, name, EntryOf(nil, Change(canalpb.EventType(n))), fastjson.Options{}, text{typ: `"` + name + `"`}.String())
	}
	for _, m := range []struct {
		meta   fastjson.Meta
		id, ts string
	}{
		{fastjson.Meta{ID: 0, TS: 1}, "0", "1"},
		{fastjson.Meta{ID: -1, TS: -1}, "-1", "-1"},
		{fastjson.Meta{ID: 9007199254740993, TS: 9007199254740993}, "9007199254740993", "9007199254740993"},
	} {
		becomeWith(t, "id "+m.id, nil, fastjson.Options{}, m.meta, text{id: m.id, ts: m.ts}.String())
	}
}

// TestRule3Skipped has for each type of Entry what becomes of it, with a
// storeValue that can be read and one that cannot.
func TestRule3Skipped(t *testing.T) {
	drop := fastjson.Options{DropHeartbeats: true}
	good := Encode(Statement(Query, false, "x"))
	wrong := []byte{0x0f} // wire type 7
	query, nothing := text{sql: `"x"`, typ: `"QUERY"`}.String(), text{}.String()
	of := func(typ uint64, store []byte) []byte { return Sub(Num(nil, 2, typ), 3, store) }

	for _, c := range []struct {
		name  string
		entry []byte
		want  []string // by default, and with heartbeats dropped
		drop  []string
	}{
		{"begin", of(1, good), nil, nil},
		{"begin of an unreadable storeValue", of(1, wrong), nil, nil},
		{"begin without storeValue", Num(nil, 2, 1), nil, nil},
		{"begin after its storeValue", Num(Sub(nil, 3, wrong), 2, 1), nil, nil},
		{"end", of(3, good), nil, nil},
		{"end of an unreadable storeValue", of(3, wrong), nil, nil},
		{"end without storeValue", Num(nil, 2, 3), nil, nil},
		{"rows", of(2, good), []string{query}, []string{query}},
		{"no type", Sub(nil, 3, good), []string{query}, []string{query}},
		{"type 6", of(6, good), []string{query}, []string{query}},
		{"heartbeat", of(4, good), []string{query}, nil},
		{"heartbeat without storeValue", Num(nil, 2, 4), []string{nothing}, nil},
		{"gtidlog", of(5, good), []string{query}, nil},
		{"gtidlog of a Pair", of(5, Text(Text(nil, 1, "gtid"), 2, "g:1")), []string{nothing}, nil},
		{"begin, then rows", Num(of(1, good), 2, 2), []string{query}, []string{query}},
		{"rows, then end", Num(of(2, good), 2, 3), nil, nil},
		{"heartbeat, then rows", Num(of(4, good), 2, 2), []string{query}, []string{query}},
	} {
		become(t, c.name, c.entry, fastjson.Options{}, c.want...)
		become(t, c.name+", heartbeats dropped", c.entry, drop, c.drop...)
	}

	// Only what is skipped may be unreadable, and then only its storeValue.
	become(t, "unreadable heartbeat, dropped", of(4, wrong), drop)
	become(t, "unreadable gtidlog, dropped", of(5, wrong), drop)
	fail(t, "unreadable heartbeat", of(4, wrong), fastjson.Options{}, wire.ErrType)
	fail(t, "unreadable gtidlog", of(5, wrong), fastjson.Options{}, wire.ErrType)
	fail(t, "unreadable rows", of(2, wrong), drop, wire.ErrType)
	fail(t, "begin, then rows, unreadable", Num(of(1, wrong), 2, 2), drop, wire.ErrType)
	fail(t, "begin with an unreadable header", Sub(Num(nil, 2, 1), 1, wrong), drop, wire.ErrType)
	fail(t, "end with an unreadable field", Sub(Num(nil, 2, 3), 3, nil)[:3], drop, wire.ErrTruncated)
	fail(t, "dropped heartbeat with an unreadable header", Sub(Num(nil, 2, 4), 1, wrong), drop, wire.ErrType)
}

// TestRule4NoRows has every type with rows that must show or must not.
func TestRule4NoRows(t *testing.T) {
	for n, name := range canalpb.EventType_name {
		c := Change(canalpb.EventType(n), Row(
			Columns{Col("a", "1", Key, Typed(4, "int"))},
			Columns{Col("a", "2", Key, Changed, Typed(5, "smallint"))}))
		c.Sql = proto.String("x")
		typ := `"` + name + `"`
		without := EntryOf(nil, c)

		var want text
		switch name {
		case "INSERT":
			want = text{data: `[{"a":"2"}]`, mysqlType: `{"a":"smallint"}`, sqlType: `{"a":5}`, pkNames: `["a"]`}
		case "UPDATE":
			want = text{data: `[{"a":"2"}]`, mysqlType: `{"a":"smallint"}`, sqlType: `{"a":5}`, pkNames: `["a"]`, old: `[{"a":"1"}]`}
		case "DELETE":
			want = text{data: `[{"a":"1"}]`, mysqlType: `{"a":"int"}`, sqlType: `{"a":4}`, pkNames: `["a"]`}
		}
		want.sql, want.typ = `"x"`, typ
		become(t, name, without, fastjson.Options{}, want.String())

		c.IsDdl = proto.Bool(false)
		become(t, name+", isDdl false", EntryOf(nil, c), fastjson.Options{}, want.String())
		c.IsDdl = proto.Bool(true)
		become(t, name+", isDdl true", EntryOf(nil, c), fastjson.Options{}, text{isDDL: "true", sql: `"x"`, typ: typ}.String())
	}
	// What does not show is read all the same.
	unreadable := Sub(nil, 12, Sub(nil, 2, []byte{0x0f}))
	fail(t, "unreadable rows of a DDL", EntryHolding(Num(unreadable, 10, 1)), fastjson.Options{}, wire.ErrType)
	fail(t, "unreadable rows of a query", EntryHolding(Num(unreadable, 2, 7)), fastjson.Options{}, wire.ErrType)
}
