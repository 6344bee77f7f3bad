package fastjson_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/fastjson"
)

// A mark sets something on a column.
type mark func(*change.Column)

func key(c *change.Column)     { c.Key = true }
func updated(c *change.Column) { c.Updated = true }
func null(c *change.Column)    { c.Null = true }
func typed(sqlType int32, mysqlType string) mark {
	return func(c *change.Column) { c.SQLType, c.MySQLType = sqlType, []byte(mysqlType) }
}

func col(name, value string, marks ...mark) change.Column {
	c := change.Column{Name: []byte(name), Value: []byte(value)}
	for _, m := range marks {
		m(&c)
	}
	return c
}

// columns is one image of a row.
type columns = []change.Column

// rowsOf returns an Event of that type with those rows.
func rowsOf(typ change.Type, rows ...change.Row) *change.Event {
	return &change.Event{Type: typ, Rows: change.NewList(rows...)}
}

var meta = fastjson.Meta{ID: 1, TS: 1700000000000}

func newWriter(t testing.TB, o fastjson.Options) *fastjson.Writer {
	t.Helper()
	w, err := fastjson.NewWriter(o)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// write returns the message of ev.
func write(t testing.TB, o fastjson.Options, ev *change.Event) string {
	t.Helper()
	out, err := newWriter(t, o).AppendEvent(nil, ev, meta)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// section returns the value of a key of a message, which is followed by the key
// that comes after it.
func section(t testing.TB, msg, key string) string {
	t.Helper()
	order := strings.Split("data,database,es,gtid,id,isDdl,mysqlType,old,pkNames,sql,sqlType,table,ts,type,", ",")
	for i, k := range order[:len(order)-1] {
		if k != key {
			continue
		}
		_, rest, ok := strings.Cut(msg, `"`+key+`":`)
		end := `,"` + order[i+1] + `":`
		if order[i+1] == "" {
			end = "}"
		}
		value, _, ok2 := strings.Cut(rest, end)
		if ok && ok2 {
			return value
		}
	}
	t.Fatalf("no %s in %s", key, msg)
	return ""
}

// TestWholeMessages is the form of a message: all keys, in order, no white space.
func TestWholeMessages(t *testing.T) {
	full := rowsOf(change.Update, change.Row{
		Before: columns{col("id", "7", key, typed(-5, "bigint(20)")), col("note", "old", typed(2005, "text"))},
		After:  columns{col("id", "7", key, typed(-5, "bigint(20)")), col("note", `new "one"`, updated, typed(2005, "text"))},
	})
	full.Database, full.Table, full.GTID, full.ES = []byte("shop"), []byte("orders"), []byte("u:5"), 1690000000000
	for _, c := range []struct {
		name string
		o    fastjson.Options
		ev   *change.Event
		m    fastjson.Meta
		want string
	}{
		{"update", fastjson.Options{}, full, meta,
			`{"data":[{"id":"7","note":"new \"one\""}],"database":"shop","es":1690000000000,"gtid":"u:5","id":1,"isDdl":false,` +
				`"mysqlType":{"id":"bigint(20)","note":"text"},"old":[{"note":"old"}],"pkNames":["id"],"sql":"",` +
				`"sqlType":{"id":-5,"note":2005},"table":"orders","ts":1700000000000,"type":"UPDATE"}`},
		{"update, no gtid", fastjson.Options{OmitGTID: true}, full, fastjson.Meta{},
			`{"data":[{"id":"7","note":"new \"one\""}],"database":"shop","es":1690000000000,"id":0,"isDdl":false,` +
				`"mysqlType":{"id":"bigint(20)","note":"text"},"old":[{"note":"old"}],"pkNames":["id"],"sql":"",` +
				`"sqlType":{"id":-5,"note":2005},"table":"orders","ts":0,"type":"UPDATE"}`},
		{"ddl", fastjson.Options{}, &change.Event{Type: change.Create, IsDDL: true, SQL: []byte("create table `t`")}, fastjson.Meta{ID: -1 << 63, TS: 1<<63 - 1},
			`{"data":null,"database":"","es":0,"gtid":"","id":-9223372036854775808,"isDdl":true,"mysqlType":null,"old":null,` +
				"\"pkNames\":null,\"sql\":\"create table `t`\",\"sqlType\":null,\"table\":\"\",\"ts\":9223372036854775807,\"type\":\"CREATE\"}"},
		{"no rows", fastjson.Options{}, &change.Event{Type: change.Update}, meta,
			`{"data":null,"database":"","es":0,"gtid":"","id":1,"isDdl":false,"mysqlType":null,"old":null,` +
				`"pkNames":null,"sql":"","sqlType":null,"table":"","ts":1700000000000,"type":"UPDATE"}`},
	} {
		if got := write(t, c.o, c.ev); c.m == meta && got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.name, got, c.want)
		}
		out, err := newWriter(t, c.o).AppendEvent([]byte("before it "), c.ev, c.m)
		if err != nil || string(out) != "before it "+c.want {
			t.Errorf("%s behind other text\n got %s, %v\nwant %s", c.name, out, err, c.want)
		}
		if c.o == (fastjson.Options{}) {
			var zero fastjson.Writer
			if out, err := zero.AppendEvent(nil, c.ev, c.m); err != nil || string(out) != c.want {
				t.Errorf("%s by a zero Writer\n got %s, %v\nwant %s", c.name, out, err, c.want)
			}
		}
	}
}

// TestRules are rules 4 to 8 of spec/canal.md 2, one case each.
func TestRules(t *testing.T) {
	two := func(a, b string) change.Row {
		return change.Row{Before: columns{col("a", a), col("b", b)}, After: columns{col("a", a+"'", updated), col("b", b)}}
	}
	for _, c := range []struct {
		name, section, want string
		ev                  *change.Event
	}{
		{"4: a DDL has no rows to show", "data", "null", &change.Event{Type: change.Insert, IsDDL: true, Rows: rowsOf(1, two("1", "2")).Rows}},
		{"4: nor has a query", "sqlType", "null", &change.Event{Type: change.Query, Rows: rowsOf(1, two("1", "2")).Rows}},
		{"4: and it has no keys", "pkNames", "null", &change.Event{Type: change.Query, Rows: rowsOf(1, change.Row{After: columns{col("a", "", key)}}).Rows}},
		{"5: DELETE shows what was", "data", `[{"a":"1","b":"2"}]`, rowsOf(change.Delete, two("1", "2"))},
		{"5: INSERT shows what is", "data", `[{"a":"1'","b":"2"}]`, rowsOf(change.Insert, two("1", "2"))},
		{"5: null counts, even with a value", "data", `[{"a":null,"b":"","c":null}]`, rowsOf(change.Insert, change.Row{After: columns{col("a", "x", null), {Name: []byte("b")}, col("c", "", null)}})},
		{"5: a row without columns is no element", "data", `[{"a":"1"}]`, rowsOf(change.Insert, change.Row{}, change.Row{After: columns{col("a", "1")}}, change.Row{Before: columns{col("x", "")}})},
		{"5: no element at all", "data", "null", rowsOf(change.Insert, change.Row{}, change.Row{Before: columns{col("x", "")}})},
		{"6: only for UPDATE", "old", "null", rowsOf(change.Insert, two("1", "2"))},
		{"6: nor for DELETE", "old", "null", rowsOf(change.Delete, two("1", "2"))},
		{"6: an element for each row", "old", `[{"a":"1"},{},{}]`, rowsOf(change.Update, two("1", "2"), change.Row{}, change.Row{After: columns{col("b", "3")}})},
		{"6: nothing updated", "old", `[{}]`, rowsOf(change.Update, change.Row{Before: columns{col("a", "1")}, After: columns{col("a", "2")}})},
		{"6: before columns flagged themselves do not count", "old", `[{}]`, rowsOf(change.Update, change.Row{Before: columns{col("a", "1", updated)}, After: columns{col("a", "2")}})},
		{"6: in before order", "old", `[{"b":"1","a":"2"}]`, rowsOf(change.Update, change.Row{Before: columns{col("b", "1"), col("c", "0"), col("a", "2")}, After: columns{col("a", "", updated), col("b", "", updated)}})},
		{"6: once updated, always shown", "old", `[{"a":"1"},{"a":"3"}]`, rowsOf(change.Update, two("1", "2"), change.Row{Before: columns{col("a", "3"), col("b", "4")}, After: columns{col("a", "3"), col("b", "5")}})},
		{"6: not before it is updated", "old", `[{},{"b":"4"},{"b":"6"}]`, rowsOf(change.Update,
			change.Row{Before: columns{col("b", "2")}, After: columns{col("b", "2")}},
			change.Row{Before: columns{col("b", "4")}, After: columns{col("b", "5", updated)}},
			change.Row{Before: columns{col("b", "6")}, After: columns{col("b", "6")}})},
		{"6: a null before", "old", `[{"a":null}]`, rowsOf(change.Update, change.Row{Before: columns{col("a", "x", null)}, After: columns{col("a", "1", updated)}})},
		{"6: a name twice before", "old", `[{"a":"3","b":"2"}]`, rowsOf(change.Update, change.Row{Before: columns{col("a", "1"), col("b", "2"), col("a", "3")}, After: columns{col("a", "", updated), col("b", "", updated)}})},
		{"6: updated in the first of two of a name", "old", `[{"a":"1"}]`, rowsOf(change.Update, change.Row{Before: columns{col("a", "1")}, After: columns{col("a", "", updated), col("a", "")}})},
		{"6: names that are the same after repair", "old", "[{\"\ufffd\":\"1\"}]", rowsOf(change.Update, change.Row{Before: columns{col("\xff", "1")}, After: columns{col("\xfe", "", updated)}})},
		{"7: in wire order, twice if twice", "pkNames", `["b","a","b"]`, rowsOf(change.Insert, change.Row{After: columns{col("b", "", key), col("x", ""), col("a", "", key), col("b", "", key)}})},
		{"7: of the first row only", "pkNames", `["a"]`, rowsOf(change.Insert, change.Row{After: columns{col("a", "", key)}}, change.Row{After: columns{col("b", "", key)}})},
		{"7: even if that has no columns", "pkNames", "null", rowsOf(change.Insert, change.Row{}, change.Row{After: columns{col("b", "", key)}})},
		{"7: none", "pkNames", "null", rowsOf(change.Insert, two("1", "2"))},
		{"7: of a DELETE those before", "pkNames", `["a"]`, rowsOf(change.Delete, change.Row{Before: columns{col("a", "", key)}, After: columns{col("b", "", key)}})},
		{"8: first position, last value", "sqlType", `{"a":3,"b":2,"c":4}`, rowsOf(change.Insert,
			change.Row{After: columns{col("a", "", typed(1, "")), col("b", "", typed(2, ""))}},
			change.Row{After: columns{col("c", "", typed(4, "")), col("a", "", typed(3, ""))}})},
		{"8: the same for mysqlType", "mysqlType", `{"a":"","b":"x","c":"z"}`, rowsOf(change.Insert,
			change.Row{After: columns{col("a", "", typed(1, "y")), col("b", "", typed(2, "x"))}},
			change.Row{After: columns{col("c", "", typed(4, "z")), col("a", "")}})},
		{"8: and in a row", "data", `[{"a":"3","b":"2"}]`, rowsOf(change.Insert, change.Row{After: columns{col("a", "1"), col("b", "2"), col("a", "3")}})},
		{"8: three times, the last null", "data", `[{"a":null}]`, rowsOf(change.Insert, change.Row{After: columns{col("a", "1"), col("a", "2"), col("a", "3", null)}})},
		{"8: names differ in case", "sqlType", `{"a":1,"A":2}`, rowsOf(change.Insert, change.Row{After: columns{col("a", "", typed(1, "")), col("A", "", typed(2, ""))}})},
		{"8: names are the same after repair", "data", "[{\"\ufffd\":\"3\",\"\ufffd\ufffd\":\"2\"}]", rowsOf(change.Insert, change.Row{After: columns{col("\xff", "1"), col("\xc0\x80", "2"), col("\ufffd", "3")}})},
		{"8: only of the image that is shown", "sqlType", `{"a":0}`, rowsOf(change.Update, change.Row{Before: columns{col("x", "")}, After: columns{col("a", "")}})},
		{"9: numbers", "sqlType", `{"a":-2147483648,"b":2147483647}`, rowsOf(change.Insert, change.Row{After: columns{col("a", "", typed(-1<<31, "")), col("b", "", typed(1<<31-1, ""))}})},
		{"10: keys are escaped too", "data", `[{"\"\n\u0001":"\\"}]`, rowsOf(change.Insert, change.Row{After: columns{col("\"\n\x01", "\\")}})},
	} {
		if got := section(t, write(t, fastjson.Options{}, c.ev), c.section); got != c.want {
			t.Errorf("%s: %s is %s, want %s", c.name, c.section, got, c.want)
		}
	}
}

// TestOldPerRow clears the set of updated columns for each row.
func TestOldPerRow(t *testing.T) {
	row := func(a, b mark) change.Row {
		return change.Row{Before: columns{col("a", "1"), col("b", "2")}, After: columns{col("a", "", a), col("b", "", b)}}
	}
	no := func(*change.Column) {}
	ev := rowsOf(change.Update, row(updated, no), row(no, updated), row(no, no), row(updated, updated))
	const faithful = `[{"a":"1"},{"a":"1","b":"2"},{"a":"1","b":"2"},{"a":"1","b":"2"}]`
	const perRow = `[{"a":"1"},{"b":"2"},{},{"a":"1","b":"2"}]`
	if got := section(t, write(t, fastjson.Options{}, ev), "old"); got != faithful {
		t.Errorf("old is %s, want %s", got, faithful)
	}
	if got := section(t, write(t, fastjson.Options{OldPerRow: true}, ev), "old"); got != perRow {
		t.Errorf("per row old is %s, want %s", got, perRow)
	}
}

// TestDrops leaves out heartbeats and GTID logs where asked to, and nothing else.
func TestDrops(t *testing.T) {
	for kind := change.KindRows; kind <= change.KindGTIDLog; kind++ {
		for _, drop := range []bool{false, true} {
			want := drop && (kind == change.KindHeartbeat || kind == change.KindGTIDLog)
			w := newWriter(t, fastjson.Options{DropHeartbeats: drop})
			out, err := w.AppendEvent([]byte("x"), &change.Event{Kind: kind, Type: change.Update}, meta)
			if w.Drops(kind) != want || err != nil || (string(out) == "x") != want {
				t.Errorf("%v, DropHeartbeats %v: drops %v, gives %s, %v", kind, drop, w.Drops(kind), out, err)
			}
			// What is dropped is not looked at.
			if _, err := w.AppendEvent(nil, &change.Event{Kind: kind}, meta); (err == nil) != want {
				t.Errorf("%v without a type, DropHeartbeats %v: %v", kind, drop, err)
			}
		}
	}
}

// TestErrType gives a type that is none, and all that are.
func TestErrType(t *testing.T) {
	var w fastjson.Writer
	for typ := range 256 {
		valid := change.Type(typ).Valid()
		out, err := w.AppendEvent([]byte("x"), &change.Event{Type: change.Type(typ)}, meta)
		if valid != (err == nil) || !valid && (err != fastjson.ErrType || string(out) != "x") {
			t.Errorf("type %d: %s, %v", typ, out, err)
		}
		if valid && section(t, string(out), "type") != fmt.Sprintf("%q", change.Type(typ)) {
			t.Errorf("type %d: %s", typ, out)
		}
	}
}

// TestRejectInvalidUTF8 puts a bad byte in each text that is shown, and in some
// that are not. An error tells which text, and the Ref of its column.
func TestRejectInvalidUTF8(t *testing.T) {
	const bad = "x\xffy"
	insert := func(cols ...change.Column) *change.Event { return rowsOf(change.Insert, change.Row{After: cols}) }
	long := strings.Repeat("long ", 400) + bad
	for _, c := range []struct {
		name string
		ev   *change.Event
		want change.ValueError // Err 0: none
	}{
		{"database", &change.Event{Type: change.Update, Database: []byte(bad)}, change.ValueError{Text: change.TextDatabase}},
		{"table", &change.Event{Type: change.Update, Table: []byte(bad)}, change.ValueError{Text: change.TextTable}},
		{"gtid", &change.Event{Type: change.Update, GTID: []byte(bad)}, change.ValueError{Text: change.TextGTID}},
		{"sql", &change.Event{Type: change.Query, SQL: []byte(bad)}, change.ValueError{Text: change.TextSQL}},
		{"sql, long", &change.Event{Type: change.Query, SQL: []byte(long)}, change.ValueError{Text: change.TextSQL}},
		{"name", insert(col("a", ""), col(bad, "")), change.ValueError{Text: change.TextName, Ref: 1}},
		{"value", insert(col("a", ""), col("b", ""), col("c", bad)), change.ValueError{Text: change.TextValue, Ref: 2}},
		{"value, long", insert(col("a", ""), col("b", long)), change.ValueError{Text: change.TextValue, Ref: 1}},
		{"mysqlType", insert(col("a", ""), col("b", "", typed(0, bad))), change.ValueError{Text: change.TextMySQLType, Ref: 1}},
		{"name of a second column like it", insert(col("\ufffd", "1"), col("\xff", "2")), change.ValueError{Text: change.TextName, Ref: 1}},
		{"old", rowsOf(change.Update, change.Row{Before: columns{col("a", bad)}, After: columns{col("a", "", updated)}}), change.ValueError{Text: change.TextValue, Ref: 0}},
		{"old, the last of a name twice", rowsOf(change.Update, change.Row{Before: columns{col("a", ""), col("a", bad)}, After: columns{col("a", "", updated)}}), change.ValueError{Text: change.TextValue, Ref: 1}},
		{"name in old, like one that is good", rowsOf(change.Update, change.Row{Before: columns{col("\xff", "")}, After: columns{col("\ufffd", "", updated)}}), change.ValueError{Text: change.TextName, Ref: 0}},
		{"second row", rowsOf(change.Delete, change.Row{Before: columns{col("a", "")}}, change.Row{Before: columns{col("a", ""), col("b", bad)}}), change.ValueError{Text: change.TextValue, Ref: 2}},

		{"value of a null", insert(col("a", bad, null)), change.ValueError{Text: 255}},
		{"value that another takes the place of", insert(col("a", bad), col("a", "good")), change.ValueError{Text: 255}},
		{"mysqlType that another takes the place of", rowsOf(change.Insert, change.Row{After: columns{col("a", "", typed(0, bad))}}, change.Row{After: columns{col("a", "", typed(0, "int"))}}), change.ValueError{Text: 255}},
		{"before image of an INSERT", rowsOf(change.Insert, change.Row{Before: columns{col(bad, bad)}}), change.ValueError{Text: 255}},
		{"before column that is not updated", rowsOf(change.Update, change.Row{Before: columns{col("a", bad), col(bad, "")}, After: columns{col("a", "")}}), change.ValueError{Text: 255}},
		{"mysqlType of a before column", rowsOf(change.Update, change.Row{Before: columns{col("a", "", typed(0, bad))}, After: columns{col("a", "", updated)}}), change.ValueError{Text: 255}},
		{"value in old that another takes the place of", rowsOf(change.Update, change.Row{Before: columns{col("a", bad), col("a", "")}, After: columns{col("a", "", updated)}}), change.ValueError{Text: 255}},
		{"rows of a DDL", &change.Event{Type: change.Create, IsDDL: true, Rows: insert(col(bad, bad)).Rows}, change.ValueError{Text: 255}},
	} {
		w := newWriter(t, fastjson.Options{RejectInvalidUTF8: true})
		out, err := w.AppendEvent([]byte("x"), c.ev, meta)
		if c.want.Text == 255 {
			if err != nil || !strings.HasPrefix(string(out), `x{"data":`) {
				t.Errorf("%s: %q, %v", c.name, out, err)
			}
			continue
		}
		var v *change.ValueError
		if !errors.As(err, &v) || v.Text != c.want.Text || v.Ref != c.want.Ref || v.Err != fastjson.ErrInvalidUTF8 || string(out) != "x" {
			t.Errorf("%s: %q, %#v, want %#v", c.name, out, err, c.want)
		}
		if _, err := w.AppendEvent(nil, rowsOf(change.Insert, change.Row{After: columns{col("a", "b")}}), meta); err != nil {
			t.Errorf("%s: the next Event: %v", c.name, err)
		}
		if got := write(t, fastjson.Options{}, c.ev); strings.Contains(got, "\xff") || !strings.Contains(got, "\ufffd") {
			t.Errorf("%s: not repaired where it may be: %q", c.name, got)
		}
	}
}

// TestNewWriter refuses options that make no sense, and says which.
func TestNewWriter(t *testing.T) {
	for _, c := range []struct {
		o    fastjson.Options
		want string
	}{
		{fastjson.Options{}, ""},
		{fastjson.Options{OmitGTID: true, OldPerRow: true, DropHeartbeats: true, RejectInvalidUTF8: true, MaxOutput: 1}, ""},
		{fastjson.Options{Dialect: fastjson.Canal}, ""},
		{fastjson.Options{Dialect: 200}, "fastjson: unknown Dialect 200"},
		{fastjson.Options{MaxOutput: -1}, "fastjson: MaxOutput is negative"},
	} {
		w, err := fastjson.NewWriter(c.o)
		if c.want == "" {
			if err != nil || w == nil {
				t.Errorf("%+v: %v", c.o, err)
			}
			continue
		}
		if err == nil || err.Error() != c.want || w != nil {
			t.Errorf("%+v: %v, want %s", c.o, err, c.want)
		}
	}
}
