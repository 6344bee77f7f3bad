package fastjson_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/wire"
)

// TestOneRow has the messages of Events of dialect canal, one for each row.
func TestOneRow(t *testing.T) {
	message := func(typ, data, old, types, sqlTypes, pkNames string) string {
		return `{"data":` + data + `,"database":"shop","es":1690000000000,"gtid":"u:5","id":1,"isDdl":false,"mysqlType":` + types + `,"old":` + old +
			`,"pkNames":` + pkNames + `,"sql":"update orders set note = 'x'","sqlType":` + sqlTypes + `,"table":"orders","ts":1700000000000,"type":"` + typ + `"}`
	}
	a := func(value string, marks ...mark) change.Column { return col("a", value, marks...) }
	row := func(before, after columns) change.Row { return change.Row{Before: before, After: after} }
	const types, sqlTypes = `{"a":""}`, `{"a":0}`
	for _, c := range []struct {
		name string
		ev   *change.Event
		o    fastjson.Options
		want []string
	}{
		{"one row", rowsOf(change.Update, row(columns{a("1")}, columns{a("2", updated)})), fastjson.Options{}, []string{
			message("UPDATE", `[{"a":"2"}]`, `[{"a":"1"}]`, types, sqlTypes, "null")}},
		{"what all rows say is in each", rowsOf(change.Insert, row(nil, columns{a("1", key, typed(4, "int"))}), row(nil, columns{a("2", typed(5, "char")), col("b", "3", key, typed(6, "text"))})), fastjson.Options{}, []string{
			message("INSERT", `[{"a":"1"}]`, "null", `{"a":"char","b":"text"}`, `{"a":5,"b":6}`, `["a"]`),
			message("INSERT", `[{"a":"2","b":"3"}]`, "null", `{"a":"char","b":"text"}`, `{"a":5,"b":6}`, `["a"]`)}},
		{"DELETE", rowsOf(change.Delete, row(columns{a("1")}, nil), row(columns{a("2")}, columns{col("x", "")})), fastjson.Options{}, []string{
			message("DELETE", `[{"a":"1"}]`, "null", types, sqlTypes, "null"), message("DELETE", `[{"a":"2"}]`, "null", types, sqlTypes, "null")}},
		{"once updated, always shown", rowsOf(change.Update, row(columns{a("1")}, columns{a("1")}), row(columns{a("2")}, columns{a("3", updated)}), row(columns{a("4")}, columns{a("4")})), fastjson.Options{}, []string{
			message("UPDATE", `[{"a":"1"}]`, `[{}]`, types, sqlTypes, "null"), message("UPDATE", `[{"a":"3"}]`, `[{"a":"2"}]`, types, sqlTypes, "null"), message("UPDATE", `[{"a":"4"}]`, `[{"a":"4"}]`, types, sqlTypes, "null")}},
		{"per row", rowsOf(change.Update, row(columns{a("2")}, columns{a("3", updated)}), row(columns{a("4")}, columns{a("4")})), fastjson.Options{OldPerRow: true}, []string{
			message("UPDATE", `[{"a":"3"}]`, `[{"a":"2"}]`, types, sqlTypes, "null"), message("UPDATE", `[{"a":"4"}]`, `[{}]`, types, sqlTypes, "null")}},
		{"rows of an INSERT without columns", rowsOf(change.Insert, row(nil, nil), row(nil, columns{a("1")}), row(columns{a("0")}, nil), row(nil, columns{a("2")})), fastjson.Options{}, []string{
			message("INSERT", `[{"a":"1"}]`, "null", types, sqlTypes, "null"), message("INSERT", `[{"a":"2"}]`, "null", types, sqlTypes, "null")}},
		{"rows of an UPDATE without columns", rowsOf(change.Update, row(columns{a("1")}, columns{a("2", updated)}), row(columns{a("3")}, nil), row(nil, nil)), fastjson.Options{}, []string{
			message("UPDATE", `[{"a":"2"}]`, `[{"a":"1"}]`, types, sqlTypes, "null"), message("UPDATE", "null", `[{"a":"3"}]`, types, sqlTypes, "null"), message("UPDATE", "null", `[{}]`, types, sqlTypes, "null")}},
		{"no row with columns", rowsOf(change.Insert, row(nil, nil), row(nil, nil)), fastjson.Options{}, []string{message("INSERT", "null", "null", "null", "null", "null")}},
		{"no row with columns, UPDATE", rowsOf(change.Update, row(nil, nil), row(nil, nil)), fastjson.Options{}, []string{
			message("UPDATE", "null", `[{}]`, "null", "null", "null"), message("UPDATE", "null", `[{}]`, "null", "null", "null")}},
		{"no rows", rowsOf(change.Update), fastjson.Options{}, []string{message("UPDATE", "null", "null", "null", "null", "null")}},
		{"nil", &change.Event{Type: change.Update}, fastjson.Options{}, []string{message("UPDATE", "null", "null", "null", "null", "null")}},
		{"a query with rows", &change.Event{Type: change.Query, Rows: rowsOf(1, row(nil, columns{a("1")}), row(nil, columns{a("2")})).Rows}, fastjson.Options{}, []string{
			message("QUERY", "null", "null", "null", "null", "null")}},
	} {
		c.o.OneRow = true
		if got := messagesOf(t, c.o, shop(c.ev), meta); strings.Join(got, "\n") != strings.Join(c.want, "\n") {
			t.Errorf("%s:\n got %s\nwant %s", c.name, strings.Join(got, "\n     "), strings.Join(c.want, "\n     "))
		}
	}
}

// TestOneRowAgainstWhole puts the messages of random Events together again: they show
// what the one message shows, and each repeats the rest of it.
func TestOneRowAgainstWhole(t *testing.T) {
	rnd := rand.New(rand.NewPCG(41, 42))
	writers := map[fastjson.Options]*fastjson.Writer{}
	type message struct {
		Data, Old []json.RawMessage
	}
	rest := func(msg string) string {
		data, old := section(t, msg, "data"), section(t, msg, "old")
		return strings.Replace(strings.Replace(msg, `{"data":`+data, `{"data":`, 1), `,"old":`+old+`,"pkNames`, `,"old":,"pkNames`, 1)
	}
	many, refused := 0, 0
	for range 5000 {
		o := fastjson.Options{OldPerRow: rnd.IntN(2) == 0, OmitGTID: rnd.IntN(8) == 0, RejectInvalidUTF8: rnd.IntN(4) == 0}
		if o.OmitGTID {
			o.OmitGTID = false // section knows one order
		}
		var rows []change.Row
		for range rnd.IntN(5) {
			rows = append(rows, change.Row{Before: randomColumns(rnd), After: randomColumns(rnd)})
		}
		ev := rowsOf(change.Type(1+rnd.IntN(3)), rows...)
		whole, werr := newWriter(t, o).AppendEvent(nil, ev, meta)
		o.OneRow = true
		w := writers[o]
		if w == nil {
			w = newWriter(t, o)
			writers[o] = w
		}
		out, err := w.AppendEvent([]byte("x"), ev, meta)
		if (err == nil) != (werr == nil) {
			t.Fatalf("%+v\n%+v: %v, whole %v", o, rows, err, werr)
		}
		if err != nil {
			refused++
			if string(out) != "x" || len(w.Ends()) > 0 {
				t.Fatalf("dst has become %q, %v", out, w.Ends())
			}
			continue
		}
		var data, old []json.RawMessage
		got := splitAtEnds(t, w, out, 1)
		for _, msg := range got {
			var m message
			if err := json.Unmarshal([]byte(msg), &m); err != nil {
				t.Fatalf("%v: %s", err, msg)
			}
			if len(m.Data) > 1 || len(m.Old) > 1 || rest(msg) != rest(string(whole)) {
				t.Fatalf("%+v\n got %s\nwhole %s", rows, msg, whole)
			}
			data, old = append(data, m.Data...), append(old, m.Old...)
		}
		var m message
		if err := json.Unmarshal(whole, &m); err != nil {
			t.Fatal(err)
		}
		if fmt.Sprintf("%s %s", data, old) != fmt.Sprintf("%s %s", m.Data, m.Old) {
			t.Fatalf("%+v\n got %s\nwhole %s", rows, out, whole)
		}
		if len(got) > 1 {
			many++
		}
	}
	if many < 2000 || refused < 100 {
		t.Errorf("%d Events of several messages, %d refused: this tested little", many, refused)
	}
}

// randomColumns returns an image with few names.
func randomColumns(rnd *rand.Rand) (out []change.Column) {
	names := []string{"a", "b", "c", "d", "", "\xff", "\xfe", "\ufffd"}
	few := 1 + rnd.IntN(len(names))
	at := rnd.IntN(few)
	for range rnd.IntN(6) {
		if at++; rnd.IntN(6) == 0 {
			at = rnd.IntN(few)
		}
		c := col(names[at%few], []string{"", "v", "\n", "\xff"}[rnd.IntN(4)], typed(rnd.Int32N(9), []string{"int", "text"}[rnd.IntN(2)]))
		c.Key, c.Updated, c.Null = rnd.IntN(4) == 0, rnd.IntN(3) == 0, rnd.IntN(5) == 0
		out = append(out, c)
	}
	return out
}

// TestOneRowMaxOutput has exactly the length of all messages pass.
func TestOneRowMaxOutput(t *testing.T) { maxOutput(t, fastjson.Options{OneRow: true}) }

// TestTiCDCMaxOutput is the same for dialect ticdc.
func TestTiCDCMaxOutput(t *testing.T) {
	maxOutput(t, ticdc(tiOptions{Extension: true}))
	maxOutput(t, ticdc(tiOptions{OnlyUpdated: true}))
}

// maxOutput is TestMaxOutput for other options; what is in dst, and its capacity, must
// stay after an error.
func maxOutput(t *testing.T, o fastjson.Options) {
	for name, ev := range limited() {
		w := newWriter(t, o)
		full, err := w.AppendEvent(nil, ev, meta)
		if err != nil {
			t.Fatal(err)
		}
		for limit := 1; limit < len(full)+3; limit++ {
			if limit > 300 && limit < len(full)-300 && limit%97 > 0 {
				continue
			}
			w.SetMaxOutput(limit)
			dst := append(make([]byte, 0, 100), "what was there"...)
			out, err := w.AppendEvent(dst, ev, meta)
			if limit >= len(full) {
				if err != nil || string(out) != "what was there"+string(full) {
					t.Fatalf("%s: %d bytes allowed for %d: %v, %.200s", name, limit, len(full), err, out)
				}
				continue
			}
			if err != fastjson.ErrMaxOutput || len(out) != len(dst) || cap(out) != cap(dst) || &out[0] != &dst[0] || string(out) != "what was there" || len(w.Ends()) != 0 {
				t.Fatalf("%s: %d bytes allowed for %d: %v, %.200s", name, limit, len(full), err, out)
			}
		}
	}
}

// TestEnds has the ends of what each way of writing appends, and of nothing.
func TestEnds(t *testing.T) {
	w := newWriter(t, fastjson.Options{})
	if len(w.Ends()) != 0 {
		t.Errorf("of a new Writer: %v", w.Ends())
	}
	two := rowsOf(change.Insert, change.Row{After: columns{col("a", "1")}}, change.Row{After: columns{col("a", "2")}})
	out, err := w.AppendEvent([]byte("12345"), two, meta)
	if err != nil || len(splitAtEnds(t, w, out, 5)) != 1 {
		t.Errorf("whole: %v, %v", w.Ends(), err)
	}
	if _, err := w.AppendEvent(out, &change.Event{}, meta); err == nil || len(w.Ends()) != 0 {
		t.Errorf("an error: %v, %v", w.Ends(), err)
	}
	if _, err := w.AppendEvent(out, &change.Event{Kind: change.KindWatermark}, meta); err != nil || len(w.Ends()) != 0 {
		t.Errorf("a watermark: %v, %v", w.Ends(), err)
	}
	// The fused path: an Entry with one INSERT.
	sub := func(n wire.Number, b []byte) []byte { return wire.AppendBytes(wire.AppendTag(nil, n, wire.Bytes), b) }
	column := append(sub(3, []byte("name")), append(sub(8, []byte("some value of it")), sub(10, []byte("varchar(20)"))...)...)
	rowChange := append(wire.AppendVarint(wire.AppendTag(nil, 2, wire.Varint), 1), sub(12, sub(2, column))...)
	entry := append(sub(1, append(sub(8, []byte("shop")), sub(9, []byte("orders"))...)), sub(3, rowChange)...)
	var ev change.Event
	out, ok := w.AppendFromEntry([]byte("12345"), entry, meta, &ev)
	if !ok || len(splitAtEnds(t, w, out, 5)) != 1 {
		t.Errorf("fused: %v, %v", ok, w.Ends())
	}
	if out, ok = w.AppendFromEntry([]byte("12345"), entry[:len(entry)-1], meta, &ev); ok || len(w.Ends()) != 0 || string(out) != "12345" {
		t.Errorf("fused, damaged: %v, %v", ok, w.Ends())
	}
	// That of one row is the same with OneRow; of several it is not.
	if out, ok := newWriter(t, fastjson.Options{OneRow: true}).AppendFromEntry([]byte("12345"), entry, meta, &ev); !ok || string(out[:5]) != "12345" || len(out) < 100 {
		t.Errorf("one row: %v, %s", ok, out)
	}
	severalRows := append(sub(1, append(sub(8, []byte("shop")), sub(9, []byte("orders"))...)), sub(3, append(rowChange, sub(12, sub(2, column))...))...)
	if out, ok := newWriter(t, fastjson.Options{OneRow: true}).AppendFromEntry([]byte("12345"), severalRows, meta, &ev); ok || string(out) != "12345" {
		t.Errorf("several rows: %s", out)
	}
	for _, o := range []fastjson.Options{ticdc(tiOptions{}), {NoFused: true}} {
		if out, ok := newWriter(t, o).AppendFromEntry([]byte("12345"), entry, meta, &ev); ok || string(out) != "12345" {
			t.Errorf("%+v is no matter of the fused path: %s", o, out)
		}
	}
	// Of many rows, and then of few.
	w = newWriter(t, ticdc(tiOptions{}))
	var rows []change.Row
	for range 10_000 {
		rows = append(rows, change.Row{After: columns{col("a", "1")}})
	}
	many := rowsOf(change.Insert, rows...)
	if out, err := w.AppendEvent(nil, many, meta); err != nil || len(splitAtEnds(t, w, out, 0)) != 10_000 {
		t.Errorf("%d ends, %v", len(w.Ends()), err)
	}
	if out, err := w.AppendEvent(nil, two, meta); err != nil || len(splitAtEnds(t, w, out, 0)) != 2 || cap(w.Ends()) > 4096 {
		t.Errorf("%d ends, room for %d, %v", len(w.Ends()), cap(w.Ends()), err)
	}
	if !bytes.Equal(out[:5], []byte("12345")) {
		t.Errorf("dst has become %.10s", out)
	}
}

// TestOldComplete shows all of the row before: columns that did not change, names
// that data lacks, the last value of a name that is there twice, and what Canal-JSON
// leaves out because it stayed the same.
func TestOldComplete(t *testing.T) {
	c := func(name, value string) change.Column {
		return change.Column{Name: []byte(name), Value: []byte(value)}
	}
	changed := c("b", "new")
	changed.Updated = true
	after := []change.Column{c("a", "1"), changed}
	for _, tt := range []struct {
		before  []change.Column
		partial bool
		want    string
	}{
		{[]change.Column{c("a", "1"), c("b", "old")}, false, `[{"a":"1","b":"old"}]`},
		{[]change.Column{c("x", "9"), c("b", "old")}, false, `[{"x":"9","b":"old"}]`},
		{[]change.Column{c("a", "0"), c("b", "old"), c("a", "1")}, false, `[{"a":"1","b":"old"}]`},
		{nil, false, `[{}]`},
		{[]change.Column{c("b", "old")}, true, `[{"a":"1","b":"old"}]`},
	} {
		w, err := fastjson.NewWriter(fastjson.Options{OldComplete: true})
		if err != nil {
			t.Fatal(err)
		}
		ev := change.Event{Type: change.Update, Partial: tt.partial, Rows: change.NewList(change.Row{Before: tt.before, After: after})}
		out, err := w.AppendEvent(nil, &ev, fastjson.Meta{})
		if err != nil || !strings.Contains(string(out), `"old":`+tt.want+`,"pkNames"`) || !strings.Contains(string(out), `"sqlType":{"a":0,"b":0}`) {
			t.Errorf("want %s: %v, %s", tt.want, err, out)
		}
	}
}
