package fastjson_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/fastjson"
)

// TestParts has the messages and what is told of them, of Events by hand.
func TestParts(t *testing.T) {
	a := func(value string, marks ...mark) change.Column { return col("a", value, marks...) }
	row := func(before, after columns) change.Row { return change.Row{Before: before, After: after} }
	insert := rowsOf(change.Insert, row(nil, columns{a("1", key, typed(4, "int"))}), row(nil, columns{a("2")}), row(nil, nil), row(nil, columns{a("3"), col("b", "x", key)}), row(nil, columns{a("4", typed(5, "char"))}))
	update := rowsOf(change.Update, row(columns{a("1")}, columns{a("2", updated)}), row(columns{a("3")}, nil), row(nil, nil), row(columns{a("4")}, columns{a("5")}))
	const header = `"database":"shop","es":1690000000000,"gtid":"u:5","id":1,"isDdl":false,"mysqlType":`
	message := func(typ, data, old string) string {
		types, keys, numbers := `{"a":"char","b":""}`, `["a"]`, `{"a":5,"b":0}`
		if typ == "UPDATE" {
			types, keys, numbers = `{"a":""}`, "null", `{"a":0}`
		}
		return `{"data":` + data + "," + header + types + `,"old":` + old + `,"pkNames":` + keys + `,"sql":"update orders set note = 'x'","sqlType":` + numbers + `,"table":"orders","ts":1700000000000,"type":"` + typ + `"}`
	}
	ins := func(data string) string { return message("INSERT", data, "null") }
	upd := func(data, old string) string { return message("UPDATE", data, old) }
	one, two := len(ins(`[{"a":"1"}]`)), len(ins(`[{"a":"1"},{"a":"2"}]`))
	type parts = []fastjson.Part
	for _, c := range []struct {
		name  string
		ev    *change.Event
		o     fastjson.Options
		part  []int32
		want  []string
		parts parts
	}{
		{"all in one", insert, fastjson.Options{}, nil, []string{ins(`[{"a":"1"},{"a":"2"},{"a":"3","b":"x"},{"a":"4"}]`)}, parts{{0, 0}}},
		{"all in another", insert, fastjson.Options{}, []int32{7, 7, 0, 7, 7}, []string{ins(`[{"a":"1"},{"a":"2"},{"a":"3","b":"x"},{"a":"4"}]`)}, parts{{7, 0}}},
		{"two", insert, fastjson.Options{}, []int32{5, 3, 1, 3, 5}, []string{ins(`[{"a":"1"},{"a":"4"}]`), ins(`[{"a":"2"},{"a":"3","b":"x"}]`)}, parts{{5, 0}, {3, 1}}},
		{"few are told", insert, fastjson.Options{}, []int32{1}, []string{ins(`[{"a":"1"}]`), ins(`[{"a":"2"},{"a":"3","b":"x"},{"a":"4"}]`)}, parts{{1, 0}, {0, 1}}},
		{"more than there are", insert, fastjson.Options{}, []int32{2, 2, 2, 2, 0, 9, 9}, []string{ins(`[{"a":"1"},{"a":"2"},{"a":"3","b":"x"}]`), ins(`[{"a":"4"}]`)}, parts{{2, 0}, {0, 4}}},
		{"by size", insert, fastjson.Options{MaxMessage: two, Split: true}, nil, []string{ins(`[{"a":"1"},{"a":"2"}]`), ins(`[{"a":"3","b":"x"}]`), ins(`[{"a":"4"}]`)}, parts{{0, 0}, {0, 3}, {0, 4}}},
		{"one byte less", insert, fastjson.Options{MaxMessage: two - 1, Split: true}, nil, []string{ins(`[{"a":"1"}]`), ins(`[{"a":"2"}]`), ins(`[{"a":"3","b":"x"}]`), ins(`[{"a":"4"}]`)}, parts{{0, 0}, {0, 1}, {0, 3}, {0, 4}}},
		{"both", insert, fastjson.Options{MaxMessage: two, Split: true}, []int32{1, 2, 0, 1, 1}, []string{ins(`[{"a":"1"}]`), ins(`[{"a":"3","b":"x"}]`), ins(`[{"a":"4"}]`), ins(`[{"a":"2"}]`)}, parts{{1, 0}, {1, 3}, {1, 4}, {2, 1}}},
		{"one row a message", insert, fastjson.Options{OneRow: true, MaxMessage: one + 10, Split: true}, []int32{1, 2, 3, 4, 5}, []string{ins(`[{"a":"1"}]`), ins(`[{"a":"2"}]`), ins(`[{"a":"3","b":"x"}]`), ins(`[{"a":"4"}]`)}, parts{{1, 0}, {2, 1}, {4, 3}, {5, 4}}},
		{"UPDATE", update, fastjson.Options{}, []int32{1, 2, 2, 1}, []string{upd(`[{"a":"2"},{"a":"5"}]`, `[{"a":"1"},{"a":"4"}]`), upd("null", `[{"a":"3"},{}]`)}, parts{{1, 0}, {2, 1}}},
		{"old follows data, and is longer", update, fastjson.Options{MaxMessage: len(upd(`[{"a":"2"}]`, `[{"a":"1"},{"a":"3"}]`)), Split: true}, nil, []string{upd(`[{"a":"2"}]`, `[{"a":"1"},{"a":"3"}]`), upd(`[{"a":"5"}]`, `[{},{"a":"4"}]`)}, parts{{0, 0}, {0, 2}}},
		{"old without data", update, fastjson.Options{MaxMessage: len(upd(`[{"a":"2"}]`, `[{"a":"1"}]`)), Split: true}, nil, []string{upd(`[{"a":"2"}]`, `[{"a":"1"}]`), upd("null", `[{"a":"3"},{}]`), upd(`[{"a":"5"}]`, `[{"a":"4"}]`)}, parts{{0, 0}, {0, 1}, {0, 3}}},
	} {
		for _, separator := range []string{"", "\r\n"} {
			c.o.Separator = separator
			w := newWriter(t, c.o)
			out, err := w.AppendParts([]byte("there"), shop(c.ev), meta, c.part)
			if want := "there" + strings.Join(c.want, separator); err != nil || string(out) != want || !slices.Equal(w.Parts(), c.parts) {
				t.Errorf("%s: %v, %v\n got %s\nwant %s", c.name, err, w.Parts(), out, want)
			}
			end := len("there") - len(separator)
			for i, text := range c.want {
				if end += len(separator) + len(text); i >= len(w.Ends()) || w.Ends()[i] != end {
					t.Errorf("%s: ends are %v", c.name, w.Ends())
					break
				}
			}
		}
	}
}

// TestPartsOfNothing: Events without a row to show have one message, which is of
// partition 0, and dialect ticdc has none.
func TestPartsOfNothing(t *testing.T) {
	some := []change.Row{{After: columns{col("a", "1")}}, {After: columns{col("a", "2")}}}
	for name, ev := range map[string]*change.Event{
		"nil":     {Type: change.Update},
		"no row":  rowsOf(change.Insert),
		"no cols": rowsOf(change.Insert, change.Row{}, change.Row{}),
		"ddl":     {Kind: change.KindDDL, Type: change.Alter, IsDDL: true, SQL: []byte("alter"), Rows: change.NewList(some...)},
		"query":   {Kind: change.KindQuery, Type: change.Query, Rows: change.NewList(some...)},
	} {
		want := write(t, fastjson.Options{}, ev)
		for _, o := range []fastjson.Options{{}, {OneRow: true}, {MaxMessage: len(want), Split: true}, {MaxMessage: len(want)}} {
			w := newWriter(t, o)
			out, err := w.AppendParts([]byte("x"), ev, meta, []int32{3, 4})
			if err != nil || string(out) != "x"+want || fmt.Sprint(w.Parts()) != "[{0 0}]" {
				t.Errorf("%s, %+v: %v, %v, %s", name, o, err, w.Parts(), out)
			}
			if o.MaxMessage == 0 {
				continue
			}
			o.MaxMessage--
			w = newWriter(t, o)
			for range 2 {
				out, err = w.AppendEvent([]byte("x"), ev, meta)
				var large *fastjson.TooLargeError
				if !errors.As(err, &large) || large.Size != len(want) || large.Limit != o.MaxMessage || string(out) != "x" || len(w.Ends())+len(w.Parts()) > 0 {
					t.Errorf("%s, one byte less: %v, %s", name, err, out)
				}
			}
		}
	}
	w := newWriter(t, ticdc(tiOptions{}))
	none := rowsOf(change.Insert, change.Row{}, some[0], change.Row{}, some[1])
	if _, err := w.AppendParts(nil, none, meta, []int32{1, 2, 3, 4}); err != nil || fmt.Sprint(w.Parts()) != "[{2 1} {4 3}]" || len(w.Ends()) != 2 {
		t.Errorf("ticdc: %v, %v", err, w.Parts())
	}
	if _, err := w.AppendEvent(nil, none, meta); err != nil || len(w.Parts()) != 0 || len(w.Ends()) != 2 {
		t.Errorf("ticdc: %v, %v", err, w.Parts())
	}
	w = newWriter(t, fastjson.Options{})
	for _, part := range [][]int32{{0, -1}, {fastjson.MaxPartition + 1}} {
		if out, err := w.AppendParts([]byte("x"), none, meta, part); err != fastjson.ErrPartition || string(out) != "x" || len(w.Ends())+len(w.Parts()) > 0 {
			t.Errorf("%v: %v, %s", part, err, out)
		}
	}
	if _, err := w.AppendParts(nil, none, meta, []int32{0, fastjson.MaxPartition, 0, 1}); err != nil || fmt.Sprint(w.Parts()) != fmt.Sprintf("[{%d 1} {1 3}]", fastjson.MaxPartition) {
		t.Errorf("the largest: %v, %v", err, w.Parts())
	}
}

// TestOneRowTooLarge has the second of three rows too large for a message of its own.
func TestOneRowTooLarge(t *testing.T) {
	ev := shop(rowsOf(change.Insert, change.Row{After: columns{col("a", "1")}}, change.Row{After: columns{col("a", "123")}}, change.Row{After: columns{col("a", "3")}}))
	each := messagesOf(t, fastjson.Options{OneRow: true}, ev, meta)
	for _, split := range []bool{false, true} {
		o := fastjson.Options{OneRow: true, MaxMessage: len(each[1]), Split: split, Separator: "\n"}
		if out, err := newWriter(t, o).AppendEvent(nil, ev, meta); err != nil || string(out) != strings.Join(each, "\n") {
			t.Errorf("all fit: %v, %s", err, out)
		}
		o.MaxMessage--
		w := newWriter(t, o)
		out, err := w.AppendEvent([]byte("x"), ev, meta)
		var large *fastjson.TooLargeError
		if !errors.As(err, &large) || *large != (fastjson.TooLargeError{Table: "shop.orders", Size: len(each[1]), Limit: o.MaxMessage}) || string(out) != "x" || len(w.Ends()) > 0 {
			t.Errorf("split %v: %v, %s", split, err, out)
		}
	}
}

// TestPartsOptions has the options that make no sense.
func TestPartsOptions(t *testing.T) {
	for _, c := range []struct {
		o    fastjson.Options
		want string
	}{
		{fastjson.Options{MaxMessage: -1}, "fastjson: MaxMessage is negative"},
		{fastjson.Options{Split: true}, "fastjson: Split needs MaxMessage"},
		{fastjson.Options{Dialect: fastjson.TiCDC, MaxMessage: 1}, "fastjson: MaxMessage and Split are of dialect canal, ticdc has TiCDC.MaxMessage"},
		{fastjson.Options{Dialect: fastjson.TiCDC, Split: true}, "fastjson: MaxMessage and Split are of dialect canal, ticdc has TiCDC.MaxMessage"},
	} {
		if _, err := fastjson.NewWriter(c.o); err == nil || err.Error() != c.want {
			t.Errorf("%+v: %v", c.o, err)
		}
	}
}

// pieces is a whole message taken to pieces with encoding/json.
type pieces struct {
	middle, tail string
	data, old    []string // by row; "" is no element
	update       bool
}

func takeApart(t *testing.T, whole string, ev *change.Event, rows []change.Row) *pieces {
	t.Helper()
	var values struct{ Data, Old json.RawMessage }
	var elements struct{ Data, Old []json.RawMessage }
	if err := errors.Join(json.Unmarshal([]byte(whole), &values), json.Unmarshal([]byte(whole), &elements)); err != nil {
		t.Fatalf("%v: %s", err, whole)
	}
	rest := strings.TrimPrefix(whole, `{"data":`+string(values.Data))
	middle, tail, ok := strings.Cut(rest, `,"old":`+string(values.Old)+`,"pkNames":`)
	if !ok {
		t.Fatalf("no old in %s", whole)
	}
	p := &pieces{middle: middle + `,"old":`, tail: `,"pkNames":` + tail, update: ev.Type == change.Update}
	for i, r := range rows {
		image := r.After
		if ev.Type == change.Delete {
			image = r.Before
		}
		d, o := "", ""
		if len(image) > 0 {
			d, elements.Data = string(elements.Data[0]), elements.Data[1:]
		}
		if p.update {
			o = string(elements.Old[i])
		}
		p.data, p.old = append(p.data, d), append(p.old, o)
	}
	if len(elements.Data) > 0 || len(elements.Old) > len(rows) {
		t.Fatalf("%d elements of data too many: %s", len(elements.Data), whole)
	}
	return p
}

// message puts some rows together.
func (p *pieces) message(rows []int) string {
	list := func(of []string) string {
		var all []string
		for _, i := range rows {
			if of[i] != "" {
				all = append(all, of[i])
			}
		}
		if all == nil {
			return "null"
		}
		return "[" + strings.Join(all, ",") + "]"
	}
	return `{"data":` + list(p.data) + p.middle + list(p.old) + p.tail
}

// parts is the law: what becomes of the whole. size is that of a message that is too
// large, 0 if there is none.
func (p *pieces) parts(o fastjson.Options, part []int32) (want []string, told []fastjson.Part, size int) {
	var order []int32
	of := map[int32][]int{}
	for i := range p.data {
		if p.data[i] == "" && p.old[i] == "" {
			continue
		}
		n := int32(0)
		if i < len(part) {
			n = part[i]
		}
		if of[n] == nil {
			order = append(order, n)
		}
		of[n] = append(of[n], i)
	}
	if order == nil {
		want, told = []string{p.message(nil)}, []fastjson.Part{{}}
	}
	for _, n := range order {
		for rows := of[n]; len(rows) > 0; {
			k := 1
			for k < len(rows) && (!o.Split || len(p.message(rows[:k+1])) <= o.MaxMessage) {
				k++
			}
			want, told = append(want, p.message(rows[:k])), append(told, fastjson.Part{Partition: n, Row: rows[0]})
			rows = rows[k:]
		}
	}
	for _, m := range want {
		if o.MaxMessage > 0 && len(m) > o.MaxMessage {
			return nil, nil, len(m)
		}
	}
	return want, told, 0
}

// TestPartsLaw holds random Events, limits and partitions to the law.
func TestPartsLaw(t *testing.T) {
	rnd := rand.New(rand.NewPCG(71, 72))
	writers := map[fastjson.Options]*fastjson.Writer{}
	several, both, refused := 0, 0, 0
	for range 2500 {
		o := fastjson.Options{OldPerRow: rnd.IntN(4) == 0, OldComplete: rnd.IntN(4) == 0, OmitGTID: rnd.IntN(8) == 0}
		var rows []change.Row
		for range rnd.IntN(8) {
			r := change.Row{Before: randomColumns(rnd), After: randomColumns(rnd)}
			if rnd.IntN(8) == 0 {
				r.After = append(r.After, col("long", strings.Repeat("\n", rnd.IntN(300))))
			}
			rows = append(rows, r)
		}
		ev := shop(rowsOf(change.Type(1+rnd.IntN(3)), rows...))
		whole := write(t, o, ev)
		p := takeApart(t, whole, ev, rows)
		if rnd.IntN(3) > 0 {
			frame := len(p.message(nil))
			o.MaxMessage = frame + rnd.IntN(max(len(whole)-frame, 0)+20)
			o.Split = rnd.IntN(4) > 0
		}
		o.Separator = []string{"", "\n", ", "}[rnd.IntN(3)]
		var part []int32
		if rnd.IntN(2) == 0 {
			n := 1 + rnd.Int32N(4)
			for range rnd.IntN(9) {
				part = append(part, rnd.Int32N(n))
			}
		}
		want, told, size := p.parts(o, part)
		w := writers[o]
		if w == nil {
			if w = newWriter(t, o); len(writers) < 400 {
				writers[o] = w
			}
		}
		convert := func(dst []byte) ([]byte, error) { return w.AppendParts(dst, ev, meta, part) }
		if part == nil && rnd.IntN(2) == 0 {
			convert = func(dst []byte) ([]byte, error) { return w.AppendEvent(dst, ev, meta) }
			if len(want) < 2 {
				told = nil
			}
		}
		for range 2 {
			out, err := convert([]byte("x"))
			var large *fastjson.TooLargeError
			if size > 0 {
				if !errors.As(err, &large) || o.Split && large.Size <= o.MaxMessage || large.Table != "shop.orders" || large.Limit != o.MaxMessage || string(out) != "x" || len(w.Ends())+len(w.Parts()) > 0 {
					t.Fatalf("%+v, %v: %v, want %d\n%s", o, part, err, size, whole)
				}
				refused++
				continue
			}
			all := strings.Join(want, o.Separator)
			if err != nil || string(out) != "x"+all || !slices.Equal(w.Parts(), told) || len(w.Ends()) != len(want) {
				t.Fatalf("%+v, %v: %v, %v, want %v\n got %s\nwant %s\nwhole %s", o, part, err, w.Parts(), told, out, all, whole)
			}
			end := 1
			for i, text := range want {
				if w.Ends()[i] != end+len(text) {
					t.Fatalf("ends are %v: %s", w.Ends(), out)
				}
				end += len(text) + len(o.Separator)
			}
			w.SetMaxOutput(len(all))
			if out, err := convert([]byte("x")); err != nil || string(out) != "x"+all {
				t.Fatalf("exactly MaxOutput: %v", err)
			}
			if w.SetMaxOutput(len(all) - 1); len(all) > 1 {
				if out, err := convert([]byte("x")); err != fastjson.ErrMaxOutput || string(out) != "x" || len(w.Ends())+len(w.Parts()) > 0 || w.Wasted() == 0 {
					t.Fatalf("one byte less than MaxOutput: %v", err)
				}
			}
			w.SetMaxOutput(0)
			if len(want) > 1 {
				if several++; part != nil && o.Split {
					both++
				}
			}
		}
	}
	if several < 1000 || both < 200 || refused < 200 {
		t.Errorf("%d Events of several parts, %d of these by size and partition, %d refused: this tested little", several, both, refused)
	}
}
