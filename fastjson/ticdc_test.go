package fastjson_test

import (
	"strings"
	"testing"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/fastjson"
)

// The tests of dialect ticdc, TestTiCDC_n…, go by the numbers of spec/ticdc.md:
//
//	ticdc_test.go         the harness; 1 to 3, 9 to 11, 13: the frame of a message
//	ticdcrows_test.go     4 to 7: old, types, values; names that are there twice
//	ticdcquote_test.go    8: escapes
//	largemessage_test.go  12
//	ticdcmodel_test.go    random Events against a plain version
//	ticdclimits_test.go   memory, time, MaxOutput

type tiOptions = fastjson.TiCDCOptions

func ticdc(o tiOptions) fastjson.Options {
	return fastjson.Options{Dialect: fastjson.TiCDC, TiCDC: o}
}

// splitAtEnds returns the messages of the last call of w, whose dst had start bytes before.
func splitAtEnds(t testing.TB, w *fastjson.Writer, out []byte, start int) (messages []string) {
	t.Helper()
	for _, end := range w.Ends() {
		if end <= start || end > len(out) {
			t.Fatalf("ends are %v, of %d bytes", w.Ends(), len(out))
		}
		messages = append(messages, string(out[start:end]))
		start = end
	}
	if start != len(out) {
		t.Fatalf("ends are %v, of %d bytes", w.Ends(), len(out))
	}
	return messages
}

// messagesOf returns what a new Writer makes of ev.
func messagesOf(t testing.TB, o fastjson.Options, ev *change.Event, m fastjson.Meta) []string {
	t.Helper()
	w := newWriter(t, o)
	const there = "what was there"
	out, err := w.AppendEvent([]byte(there), ev, m)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(out), there) {
		t.Fatalf("dst has become %.100q", out)
	}
	return splitAtEnds(t, w, out, len(there))
}

// tiMessage returns a message of a row, written out by hand, of table shop.orders.
func tiMessage(typ, pkNames, sqlType, mysqlType, old, data, tidb string) string {
	return `{"id":0,"database":"shop","table":"orders","pkNames":` + pkNames + `,"isDdl":false,"type":"` + typ +
		`","es":1690000000000,"ts":1700000000000,"sql":"","sqlType":` + sqlType + `,"mysqlType":` + mysqlType +
		`,"old":` + old + `,"data":` + data + tidb + `}`
}

// shop makes ev one of table shop.orders, with things set that no message of rows in
// dialect ticdc shows.
func shop(ev *change.Event) *change.Event {
	ev.Database, ev.Table, ev.ES = []byte("shop"), []byte("orders"), 1690000000000
	ev.GTID, ev.SQL = []byte("u:5"), []byte("update orders set note = 'x'")
	return ev
}

// becomeTiCDC checks all that becomes of ev.
func becomeTiCDC(t *testing.T, name string, o fastjson.Options, ev *change.Event, m fastjson.Meta, want ...string) {
	t.Helper()
	got := messagesOf(t, o, ev, m)
	if len(got) != len(want) {
		t.Errorf("%s: %d messages, want %d: %s", name, len(got), len(want), got)
		return
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%s: message %d\n got %s\nwant %s", name, i, got[i], want[i])
		}
	}
}

var (
	note     = typed(2005, "text")
	idBefore = col("id", "7", key, typed(-5, "bigint(20)"))
	oneShop  = change.Row{
		Before: columns{idBefore, col("note", "old", note)},
		After:  columns{idBefore, col("note", "new", updated, note)},
	}
)

const (
	oneKeys  = `["id"]`
	oneSQL   = `{"id":-5,"note":2005}`
	oneMySQL = `{"id":"bigint","note":"text"}`
	oneOld   = `[{"id":"7","note":"old"}]`
	oneNew   = `[{"id":"7","note":"new"}]`
)

// TestTiCDC_1_KeyOrder is the whole of a message of rows, of a DDL and of a query, and
// the older order.
func TestTiCDC_1_KeyOrder(t *testing.T) {
	becomeTiCDC(t, "insert", ticdc(tiOptions{}), shop(rowsOf(change.Insert, oneShop)), meta,
		tiMessage("INSERT", oneKeys, oneSQL, oneMySQL, "null", oneNew, ""))
	becomeTiCDC(t, "update", ticdc(tiOptions{}), shop(rowsOf(change.Update, oneShop)), meta,
		tiMessage("UPDATE", oneKeys, oneSQL, oneMySQL, oneOld, oneNew, ""))
	becomeTiCDC(t, "delete", ticdc(tiOptions{}), shop(rowsOf(change.Delete, oneShop)), meta,
		tiMessage("DELETE", oneKeys, oneSQL, oneMySQL, "null", oneOld, ""))

	const before = `{"id":0,"database":"shop","table":"orders","pkNames":["id"],"isDdl":false,"type":"UPDATE","es":1690000000000,` +
		`"ts":1700000000000,"sql":"","sqlType":` + oneSQL + `,"mysqlType":` + oneMySQL + `,`
	becomeTiCDC(t, "data first", ticdc(tiOptions{DataFirst: true}), shop(rowsOf(change.Update, oneShop)), meta,
		before+`"data":`+oneNew+`,"old":`+oneOld+`}`)
	becomeTiCDC(t, "data first, extension", ticdc(tiOptions{DataFirst: true, Extension: true}), shop(rowsOf(change.Update, oneShop)), fastjson.Meta{TS: meta.TS, CommitTS: 9},
		before+`"data":`+oneNew+`,"old":`+oneOld+`,"_tidb":{"commitTs":9}}`)

	ddl := shop(&change.Event{Kind: change.KindDDL, Type: change.Create, IsDDL: true})
	const asDDL = `{"id":0,"database":"shop","table":"orders","pkNames":null,"isDdl":true,"type":"CREATE","es":1690000000000,"ts":1700000000000,` +
		`"sql":"update orders set note = 'x'","sqlType":null,"mysqlType":null,"data":null,"old":null`
	becomeTiCDC(t, "ddl", ticdc(tiOptions{}), ddl, meta, asDDL+"}")
	becomeTiCDC(t, "ddl, data first", ticdc(tiOptions{DataFirst: true}), ddl, meta, asDDL+"}")
	ddl.Rows = rowsOf(change.Insert, oneShop).Rows
	becomeTiCDC(t, "ddl with rows", ticdc(tiOptions{}), ddl, meta, asDDL+"}")
	ddl.Type = change.Update
	becomeTiCDC(t, "ddl of type UPDATE", ticdc(tiOptions{}), ddl, meta, strings.Replace(asDDL, "CREATE", "UPDATE", 1)+"}")

	query := shop(&change.Event{Kind: change.KindQuery, Type: change.Truncate, Rows: ddl.Rows})
	becomeTiCDC(t, "query", ticdc(tiOptions{Extension: true}), query, fastjson.Meta{ID: 3, TS: meta.TS, CommitTS: 5},
		strings.NewReplacer(`"isDdl":true`, `"isDdl":false`, "CREATE", "TRUNCATE").Replace(asDDL)+`,"_tidb":{"commitTs":5}}`)
}

// TestTiCDC_2_Fields has the id 0 whatever the Meta says, and numbers at their ends.
func TestTiCDC_2_Fields(t *testing.T) {
	ev := rowsOf(change.Insert, change.Row{After: columns{col("a", "1")}})
	ev.ES = -1 << 63
	becomeTiCDC(t, "rows", ticdc(tiOptions{}), ev, fastjson.Meta{ID: -7, TS: 1<<63 - 1},
		`{"id":0,"database":"","table":"","pkNames":[],"isDdl":false,"type":"INSERT","es":-9223372036854775808,"ts":9223372036854775807,"sql":"","sqlType":{"a":0},"mysqlType":{"a":""},"old":null,"data":[{"a":"1"}]}`)
	becomeTiCDC(t, "nothing but a type", ticdc(tiOptions{}), &change.Event{Kind: change.KindQuery, Type: change.Query}, fastjson.Meta{ID: 8},
		`{"id":0,"database":"","table":"","pkNames":null,"isDdl":false,"type":"QUERY","es":0,"ts":0,"sql":"","sqlType":null,"mysqlType":null,"data":null,"old":null}`)
	// Canal's options have nothing to say here.
	o := fastjson.Options{Dialect: fastjson.TiCDC, OmitGTID: true, OldPerRow: true, OneRow: true}
	becomeTiCDC(t, "other options", o, shop(rowsOf(change.Update, oneShop)), meta, tiMessage("UPDATE", oneKeys, oneSQL, oneMySQL, oneOld, oneNew, ""))
}

// TestTiCDC_3_PKNames takes the keys of each row's own image.
func TestTiCDC_3_PKNames(t *testing.T) {
	pk := func(ev *change.Event) (all []string) {
		for _, m := range messagesOf(t, ticdc(tiOptions{}), ev, meta) {
			_, rest, _ := strings.Cut(m, `"pkNames":`)
			names, _, _ := strings.Cut(rest, `,"isDdl"`)
			all = append(all, names)
		}
		return all
	}
	for _, c := range []struct {
		name string
		ev   *change.Event
		want string
	}{
		{"none", rowsOf(change.Insert, change.Row{After: columns{col("a", "")}}), `[]`},
		{"in wire order", rowsOf(change.Insert, change.Row{After: columns{col("b", "", key), col("x", ""), col("a", "", key)}}), `["b","a"]`}, // T02
		{"of each row", rowsOf(change.Insert,
			change.Row{After: columns{col("a", "", key), col("b", "")}}, change.Row{After: columns{col("a", ""), col("b", "", key)}},
			change.Row{After: columns{col("a", ""), col("b", "")}}, change.Row{After: columns{col("a", ""), col("b", "")}},
			change.Row{After: columns{col("a", "", key), col("b", "", key)}}), `["a"] ["b"] [] [] ["a","b"]`},
		{"once", rowsOf(change.Insert, change.Row{After: columns{col("a", "", key), col("b", "", key), col("a", "", key)}}), `["a","b"]`},
		{"once, where it is a key", rowsOf(change.Insert, change.Row{After: columns{col("a", ""), col("b", "", key), col("a", "", key)}}), `["b","a"]`},
		{"once, a key first only", rowsOf(change.Insert, change.Row{After: columns{col("a", "", key), col("a", "")}}), `["a"]`},
		{"twice, then as before", rowsOf(change.Insert,
			change.Row{After: columns{col("a", ""), col("b", "", key), col("a", "", key)}},
			change.Row{After: columns{col("a", "", key), col("b", "", key)}}), `["b","a"] ["a","b"]`},
		{"of a DELETE those before", rowsOf(change.Delete, change.Row{Before: columns{col("a", "", key)}, After: columns{col("b", "", key)}}), `["a"]`},
		{"of an UPDATE those after", rowsOf(change.Update, change.Row{Before: columns{col("a", "", key)}, After: columns{col("b", "")}}), `[]`}, // T08
		{"a handle is no primary key", rowsOf(change.Insert, change.Row{After: columns{col("a", "", asHandle)}}), `[]`},
		{"escaped", rowsOf(change.Insert, change.Row{After: columns{col("<\b\xff", "", key)}}), `["\u003c\u0008\ufffd"]`},
	} {
		if got := strings.Join(pk(c.ev), " "); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func asHandle(c *change.Column) { c.Handle = true }

// TestTiCDC_9_Extension is the key _tidb, in all messages and with all timestamps.
func TestTiCDC_9_Extension(t *testing.T) {
	row := rowsOf(change.Insert, change.Row{After: columns{col("a", "1")}})
	for _, c := range []struct {
		name     string
		ev       change.Event
		commitTS uint64 // of Meta
		want     string
	}{
		{"rows", change.Event{Type: change.Insert, Rows: row.Rows, CommitTS: 429918007904436226}, 0, `{"commitTs":429918007904436226}`},
		{"rows, 0", change.Event{Type: change.Insert, Rows: row.Rows}, 0, `{"commitTs":0}`},
		{"rows, of Meta", change.Event{Type: change.Insert, Rows: row.Rows}, 1<<64 - 1, `{"commitTs":18446744073709551615}`},
		{"rows, of both", change.Event{Type: change.Insert, Rows: row.Rows, CommitTS: 3}, 4, `{"commitTs":3}`},
		{"ddl", change.Event{Kind: change.KindDDL, Type: change.Erase, IsDDL: true, CommitTS: 3}, 4, `{"commitTs":3}`},
		{"ddl, 0", change.Event{Kind: change.KindDDL, Type: change.Erase, IsDDL: true}, 0, `{}`},
		{"query", change.Event{Kind: change.KindQuery, Type: change.Query}, 4, `{"commitTs":4}`},
		{"query, 0", change.Event{Kind: change.KindQuery, Type: change.Query}, 0, `{}`},
		{"watermark", change.Event{Kind: change.KindWatermark, CommitTS: 1<<64 - 1}, 0, `{"watermarkTs":18446744073709551615}`},
		{"watermark, 0", change.Event{Kind: change.KindWatermark}, 0, `{}`},
		// It would be a promise that nobody has made.
		{"watermark, nothing of Meta", change.Event{Kind: change.KindWatermark}, 4, `{}`},
	} {
		m := fastjson.Meta{TS: 1, CommitTS: c.commitTS}
		got := messagesOf(t, ticdc(tiOptions{Extension: true}), &c.ev, m)
		if len(got) != 1 || !strings.HasSuffix(got[0], `,"_tidb":`+c.want+`}`) {
			t.Errorf("%s: %s, want _tidb %s", c.name, got, c.want)
		}
		without := messagesOf(t, ticdc(tiOptions{}), &c.ev, m)
		if c.ev.Kind == change.KindWatermark {
			if len(without) != 0 {
				t.Errorf("%s, without the extension: %s", c.name, without)
			}
			continue
		}
		if want := strings.TrimSuffix(got[0], `,"_tidb":`+c.want+`}`) + "}"; len(without) != 1 || without[0] != want {
			t.Errorf("%s, without the extension: %s, want %s", c.name, without, want)
		}
	}
	// In dialect canal it does nothing, and there is no watermark.
	o := fastjson.Options{TiCDC: tiOptions{Extension: true}}
	becomeTiCDC(t, "canal", o, row, meta, write(t, fastjson.Options{}, row))
	becomeTiCDC(t, "canal", o, &change.Event{Kind: change.KindWatermark, CommitTS: 5}, meta)
}

// TestTiCDC_10_Watermark is T32; what else an Event may hold does not show.
func TestTiCDC_10_Watermark(t *testing.T) {
	ev := shop(&change.Event{Kind: change.KindWatermark, CommitTS: 429918007904436226})
	becomeTiCDC(t, "watermark", ticdc(tiOptions{Extension: true}), ev, fastjson.Meta{ID: 4, TS: 1640007050284},
		`{"id":0,"database":"","table":"","pkNames":null,"isDdl":false,"type":"TIDB_WATERMARK","es":1640007049196,"ts":1640007050284,`+
			`"sql":"","sqlType":null,"mysqlType":null,"data":null,"old":null,"_tidb":{"watermarkTs":429918007904436226}}`)
	ev.Type, ev.IsDDL, ev.CommitTS, ev.Rows = change.Insert, true, 1<<64-1, rowsOf(change.Insert, oneShop).Rows
	becomeTiCDC(t, "the last one there can be", ticdc(tiOptions{Extension: true}), ev, fastjson.Meta{TS: 2},
		`{"id":0,"database":"","table":"","pkNames":null,"isDdl":false,"type":"TIDB_WATERMARK","es":70368744177663,"ts":2,`+
			`"sql":"","sqlType":null,"mysqlType":null,"data":null,"old":null,"_tidb":{"watermarkTs":18446744073709551615}}`)
}

// TestTiCDC_11_OneRow has a message for each row that has something to show, and none
// for the others.
func TestTiCDC_11_OneRow(t *testing.T) {
	row := func(before, after string) (r change.Row) {
		if before != "" {
			r.Before = columns{col("a", before)}
		}
		if after != "" {
			r.After = columns{col("a", after)}
		}
		return r
	}
	rows := []change.Row{{}, row("1", "2"), row("", "3"), row("4", ""), row("", ""), row("5", "6"), {}}
	for _, c := range []struct {
		typ  change.Type
		want []string // old and data
	}{
		{change.Insert, []string{`null,"data":[{"a":"2"}]`, `null,"data":[{"a":"3"}]`, `null,"data":[{"a":"6"}]`}},
		{change.Update, []string{`[{"a":"1"}],"data":[{"a":"2"}]`, `[{}],"data":[{"a":"3"}]`, `[{"a":"5"}],"data":[{"a":"6"}]`}},
		{change.Delete, []string{`null,"data":[{"a":"1"}]`, `null,"data":[{"a":"4"}]`, `null,"data":[{"a":"5"}]`}},
	} {
		got := messagesOf(t, ticdc(tiOptions{}), rowsOf(c.typ, rows...), meta)
		if len(got) != len(c.want) {
			t.Fatalf("%v: %d messages, want %d: %s", c.typ, len(got), len(c.want), got)
		}
		for i, want := range c.want {
			want = `{"id":0,"database":"","table":"","pkNames":[],"isDdl":false,"type":"` + c.typ.String() +
				`","es":0,"ts":1700000000000,"sql":"","sqlType":{"a":0},"mysqlType":{"a":""},"old":` + want + `}`
			if got[i] != want {
				t.Errorf("%v: message %d\n got %s\nwant %s", c.typ, i, got[i], want)
			}
		}
	}
	for name, ev := range map[string]*change.Event{
		"no rows":                {Type: change.Insert},
		"an empty list":          rowsOf(change.Update),
		"rows without columns":   rowsOf(change.Update, change.Row{}, change.Row{}),
		"columns that are past":  rowsOf(change.Insert, row("1", "")),
		"columns still to come":  rowsOf(change.Delete, row("", "1")),
		"nothing after":          rowsOf(change.Update, row("1", "")),
		"a heartbeat":            {Kind: change.KindHeartbeat, Type: change.Update},
		"a heartbeat of no type": {Kind: change.KindHeartbeat},
		"a GTID log":             {Kind: change.KindGTIDLog, Type: change.Update, Rows: rowsOf(change.Insert, oneShop).Rows},
	} {
		becomeTiCDC(t, name, ticdc(tiOptions{Extension: true}), ev, meta)
	}
}

// TestTiCDC_13_TypeNames has the type an Event has.
func TestTiCDC_13_TypeNames(t *testing.T) {
	for typ := change.Create; typ.Valid(); typ++ {
		for _, isDDL := range []bool{false, true} {
			got := messagesOf(t, ticdc(tiOptions{}), &change.Event{Kind: change.KindDDL, Type: typ, IsDDL: isDDL}, meta)
			if len(got) != 1 || !strings.Contains(got[0], `,"type":"`+typ.String()+`",`) || !strings.Contains(got[0], `"pkNames":null`) {
				t.Errorf("%v: %s", typ, got)
			}
		}
	}
	// T17, in this dialect.
	sql := "/* app */ create table t2 (\r\n id int comment '中文')"
	ev := &change.Event{Kind: change.KindDDL, Type: change.Create, IsDDL: true, Database: []byte("test"), Table: []byte("t2"), SQL: []byte(sql), ES: 1668673476000}
	becomeTiCDC(t, "T17", ticdc(tiOptions{}), ev, meta,
		`{"id":0,"database":"test","table":"t2","pkNames":null,"isDdl":true,"type":"CREATE","es":1668673476000,"ts":1700000000000,`+
			`"sql":"/* app */ create table t2 (\r\n id int comment '中文')","sqlType":null,"mysqlType":null,"data":null,"old":null}`)
	// The document's own DDL.
	ev = &change.Event{Kind: change.KindDDL, Type: change.Query, IsDDL: true, Database: []byte("test"), SQL: []byte("drop database if exists test"), ES: 1639633094670, CommitTS: 163963309467037594}
	becomeTiCDC(t, "seed 002", ticdc(tiOptions{Extension: true}), ev, fastjson.Meta{TS: 1639633095489},
		`{"id":0,"database":"test","table":"","pkNames":null,"isDdl":true,"type":"QUERY","es":1639633094670,"ts":1639633095489,`+
			`"sql":"drop database if exists test","sqlType":null,"mysqlType":null,"data":null,"old":null,"_tidb":{"commitTs":163963309467037594}}`)
}

// TestTiCDCErrors has an Event that has no type, and one whose text is not UTF-8 where
// that is to be an error.
func TestTiCDCErrors(t *testing.T) {
	w := newWriter(t, ticdc(tiOptions{Extension: true}))
	for _, typ := range []change.Type{0, 16, 255} {
		for kind := change.KindRows; kind <= change.KindQuery; kind++ {
			if out, err := w.AppendEvent([]byte("x"), &change.Event{Kind: kind, Type: typ}, meta); err != fastjson.ErrType || string(out) != "x" || len(w.Ends()) != 0 {
				t.Errorf("%v of type %d: %s, %v", kind, typ, out, err)
			}
		}
	}
	const bad = "x\xffy"
	insert := func(cols ...change.Column) *change.Event { return rowsOf(change.Insert, change.Row{After: cols}) }
	update := func(before, after columns) *change.Event {
		return rowsOf(change.Update, change.Row{Before: before, After: after})
	}
	none := change.ValueError{Text: 255}
	for _, c := range []struct {
		name string
		ev   *change.Event
		want change.ValueError
	}{
		{"database", &change.Event{Type: change.Query, Database: []byte(bad)}, change.ValueError{Text: change.TextDatabase}},
		{"table", &change.Event{Type: change.Query, Table: []byte(bad)}, change.ValueError{Text: change.TextTable}},
		{"sql", &change.Event{Type: change.Query, SQL: []byte(bad)}, change.ValueError{Text: change.TextSQL}},
		{"name", insert(col("a", ""), col(bad, "")), change.ValueError{Text: change.TextName, Ref: 1}},
		{"value", insert(col("a", ""), col("b", ""), col("c", bad)), change.ValueError{Text: change.TextValue, Ref: 2}},
		{"type that is none of MySQL's", insert(col("a", ""), col("b", "", typed(0, bad))), change.ValueError{Text: change.TextMySQLType, Ref: 1}},
		{"old", update(columns{col("b", bad)}, columns{col("a", "")}), change.ValueError{Text: change.TextValue}},
		{"old, the last of a name twice", update(columns{col("a", ""), col("a", bad)}, columns{col("a", "")}), change.ValueError{Text: change.TextValue, Ref: 1}},
		{"second row", rowsOf(change.Delete, change.Row{Before: columns{col("a", "")}}, change.Row{Before: columns{col("a", bad)}}), change.ValueError{Text: change.TextValue, Ref: 1}},

		{"gtid", func() *change.Event { ev := insert(col("a", "")); ev.GTID = []byte(bad); return ev }(), none},
		{"sql of rows", func() *change.Event { ev := insert(col("a", "")); ev.SQL = []byte(bad); return ev }(), none},
		{"value of a null", insert(col("a", bad, null)), none},
		{"value that another takes the place of", insert(col("a", bad), col("a", "good")), none},
		{"value in old that another takes the place of", update(columns{col("a", bad), col("a", "")}, columns{col("a", "")}), none},
		{"parameters of a type", insert(col("a", "", typed(0, "enum('"+bad+"')"))), none},
		{"behind the first word of a type", insert(col("a", "", typed(0, "point "+bad))), none},
		{"before image of an INSERT", rowsOf(change.Insert, change.Row{Before: columns{col(bad, bad)}, After: columns{col("a", "")}}), none},
	} {
		o := ticdc(tiOptions{})
		o.RejectInvalidUTF8 = true
		w := newWriter(t, o)
		out, err := w.AppendEvent([]byte("x"), c.ev, meta)
		if c.want == none {
			if err != nil || len(w.Ends()) != 1 {
				t.Errorf("%s: %q, %v", c.name, out, err)
			}
			continue
		}
		v, ok := err.(*change.ValueError)
		if !ok || v.Text != c.want.Text || v.Ref != c.want.Ref || v.Err != fastjson.ErrInvalidUTF8 || string(out) != "x" || len(w.Ends()) != 0 {
			t.Errorf("%s: %q, %#v, want %#v", c.name, out, err, c.want)
		}
		if got := messagesOf(t, ticdc(tiOptions{}), c.ev, meta); !strings.Contains(strings.Join(got, ""), `\ufffd`) || strings.Contains(strings.Join(got, ""), "\xff") {
			t.Errorf("%s: not repaired where it may be: %q", c.name, got)
		}
	}
}
