package fastjson

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cdcodec/cdcodec/change"
)

// modelTypes are types, what dialect ticdc calls them, and their sqlType; for unsigned
// ones also the largest value that has it, and the sqlType beyond.
var modelTypes = []struct {
	in, name string
	sqlType  int32
	above    uint64
	becomes  int32
}{
	{"varchar(20)", "varchar", 12, 0, 0}, {"text", "text", 2005, 0, 0}, {"", "", 0, 0, 0}, {"Point(1)", "point", 0, 0, 0},
	{"tinyint(3) unsigned", "tinyint unsigned", -6, 127, 5}, {"INT UNSIGNED zerofill", "int unsigned zerofill", 4, 2147483647, -5},
	{"bigint(20) unsigned", "bigint unsigned", -5, 1<<63 - 1, 3}, {"bigint(20)", "bigint", -5, 0, 0}, {"\x80x", `\ufffdx`, 0, 0, 0},
}

// model is what TiCDC's dialect makes of one row, said with maps and sorted by nothing:
// a list of names beside each.
type model struct {
	names   []string // of data, each once
	data    map[string]change.Column
	keys    []string
	handles []string
	before  []string
	old     map[string]change.Column
}

func modelOf(ev *change.Event, row change.Row) model {
	m := model{data: map[string]change.Column{}, old: map[string]change.Column{}}
	image := row.After
	if ev.Type == change.Delete {
		image = row.Before
	}
	for _, c := range image {
		name := string(c.Name)
		if _, ok := m.data[name]; !ok {
			m.names = append(m.names, name)
		}
		m.data[name] = c
		if c.Key && !slices.Contains(m.keys, name) {
			m.keys = append(m.keys, name)
		}
		if c.Handle {
			m.handles = append(m.handles, name)
		}
	}
	for _, c := range row.Before {
		if _, ok := m.old[string(c.Name)]; !ok {
			m.before = append(m.before, string(c.Name))
		}
		m.old[string(c.Name)] = c
	}
	return m
}

// modelMessage writes the message of a row, and "" where it has none.
func modelMessage(ev *change.Event, row change.Row, o TiCDCOptions, meta Meta, onlyHandleKey bool) string {
	m := modelOf(ev, row)
	if len(m.names) == 0 {
		return ""
	}
	str := func(s string) string { q, _ := slowTiCDCQuote([]byte(s)); return q }
	shown := func(string) bool { return true }
	if onlyHandleKey || o.DeleteOnlyHandleKey && ev.Type == change.Delete {
		handle := m.keys
		if len(handle) == 0 {
			handle = m.handles
			if slices.ContainsFunc(slices.Concat(row.Before, row.After), func(c change.Column) bool { return c.Handle && c.Null }) {
				handle = nil // it does not find the row
			}
		}
		if len(handle) == 0 {
			return "error"
		}
		shown = func(name string) bool { return slices.Contains(handle, name) }
	}
	object := func(names []string, value func(name string) string) string {
		var members []string
		for _, name := range names {
			if shown(name) {
				members = append(members, str(name)+":"+value(name))
			}
		}
		return "{" + strings.Join(members, ",") + "}"
	}
	valueOf := func(c change.Column) string {
		if c.Null {
			return "null"
		}
		return str(string(c.Value))
	}
	keys := []string{}
	for _, name := range m.keys {
		keys = append(keys, str(name))
	}
	sqlType := object(m.names, func(name string) string {
		c := m.data[name]
		if !ev.Promoted {
			for _, typ := range modelTypes {
				if typ.in != string(c.MySQLType) || typ.sqlType == 0 {
					continue
				}
				c.SQLType = typ.sqlType
				var n uint64
				if _, err := fmt.Sscan(string(c.Value), &n); err == nil && typ.above > 0 && !c.Null && n > typ.above {
					c.SQLType = typ.becomes
				}
			}
		}
		return fmt.Sprint(c.SQLType)
	})
	mysqlType := object(m.names, func(name string) string {
		in := string(m.data[name].MySQLType)
		if o.ContentCompatible {
			return str(in)
		}
		for _, typ := range modelTypes {
			if typ.in == in {
				return `"` + typ.name + `"`
			}
		}
		return "not one of modelTypes"
	})
	data := "[" + object(m.names, func(name string) string { return valueOf(m.data[name]) }) + "]"
	old := "null"
	if ev.Type == change.Update {
		names := m.before
		switch {
		case o.OnlyUpdated || o.ContentCompatible:
			names = slices.DeleteFunc(slices.Clone(names), func(name string) bool {
				was, is := m.old[name], m.data[name]
				return slices.Contains(m.names, name) && was.Null == is.Null && (was.Null || string(was.Value) == string(is.Value))
			})
		case ev.Partial:
			names = slices.Clone(m.names)
			for _, name := range m.before {
				if !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
			for _, name := range names {
				if _, ok := m.old[name]; !ok {
					m.old[name] = m.data[name]
				}
			}
		}
		old = "[" + object(names, func(name string) string { return valueOf(m.old[name]) }) + "]"
	}
	rows := `,"old":` + old + `,"data":` + data
	if o.DataFirst {
		rows = `,"data":` + data + `,"old":` + old
	}
	tidb := ""
	if o.Extension {
		flag := ""
		if onlyHandleKey {
			flag = `,"onlyHandleKey":true`
		}
		tidb = fmt.Sprintf(`,"_tidb":{"commitTs":%d%s}`, max(ev.CommitTS, meta.CommitTS), flag)
	}
	return fmt.Sprintf(`{"id":0,"database":%s,"table":%s,"pkNames":[%s],"isDdl":false,"type":"%s","es":%d,"ts":%d,"sql":"","sqlType":%s,"mysqlType":%s%s%s}`,
		str(string(ev.Database)), str(string(ev.Table)), strings.Join(keys, ","), ev.Type, ev.ES, meta.TS, sqlType, mysqlType, rows, tidb)
}

// modelImage returns up to n columns with few names, in order as a rule.
func modelImage(rnd *rand.Rand, n int) (out []change.Column) {
	names := []string{"a", "b", "c", "d", "", "\xff", "\xfe", "\ufffd", "<", "\u2028", "name"}
	values := []string{"", "v", "v", "1", "127", "128", "2147483648", "9223372036854775808", "\n", "\xff", "值", "<&>", "\b", strings.Repeat("long ", 150)}
	few := 1 + rnd.IntN(len(names))
	at := rnd.IntN(few)
	for range rnd.IntN(n + 1) {
		if at++; rnd.IntN(6) == 0 {
			at = rnd.IntN(few)
		}
		c := change.Column{
			Name: []byte(names[at%few]), Value: []byte(values[rnd.IntN(len(values))]), MySQLType: []byte(modelTypes[at%len(modelTypes)].in),
			SQLType: int32(at), Key: at%3 == 0, Handle: at%4 == 1, Updated: rnd.IntN(2) == 0, Null: rnd.IntN(5) == 0,
		}
		if rnd.IntN(8) == 0 {
			c.MySQLType, c.Key = []byte(modelTypes[rnd.IntN(len(modelTypes))].in), rnd.IntN(2) == 0
		}
		out = append(out, c)
	}
	return out
}

// modelRows returns a few rows, some of them like the one before.
func modelRows(rnd *rand.Rand) (rows []change.Row) {
	for range rnd.IntN(5) {
		row := change.Row{Before: modelImage(rnd, 6), After: modelImage(rnd, 6)}
		if n := len(rows); n > 0 && rnd.IntN(2) == 0 {
			row = change.Row{Before: slices.Clone(rows[n-1].Before), After: slices.Clone(rows[n-1].After)}
			for _, image := range [][]change.Column{row.Before, row.After} {
				if len(image) > 0 {
					image[rnd.IntN(len(image))].Value = []byte("128")
				}
			}
		} else if rnd.IntN(3) == 0 {
			row.Before = slices.Clone(row.After)
			if len(row.Before) > 0 {
				row.Before[rnd.IntN(len(row.Before))].Value = []byte("other")
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// TestTiCDCAgainstModel writes random Events, with one Writer for each set of options.
func TestTiCDCAgainstModel(t *testing.T) {
	rnd := rand.New(rand.NewPCG(31, 32))
	writers := map[TiCDCOptions]*Writer{}
	flip := func() bool { return rnd.IntN(2) == 0 }
	count, stubs, failed := 0, 0, 0
	for range 20_000 {
		o := TiCDCOptions{Extension: flip(), OnlyUpdated: flip(), ContentCompatible: rnd.IntN(4) == 0, DataFirst: flip(), DeleteOnlyHandleKey: rnd.IntN(4) == 0}
		if o.Extension && flip() {
			o.MaxMessage, o.Large, o.Sizer = 100, HandleKeyOnly, stubEveryThird{}
		}
		w := writers[o]
		if w == nil {
			var err error
			if w, err = NewWriter(Options{Dialect: TiCDC, TiCDC: o}); err != nil {
				t.Fatal(err)
			}
			writers[o] = w
		}
		reject, err := NewWriter(Options{Dialect: TiCDC, TiCDC: o, RejectInvalidUTF8: true})
		if err != nil {
			t.Fatal(err)
		}
		rows := modelRows(rnd)
		ev := &change.Event{
			Type: change.Type(1 + rnd.IntN(3)), Database: []byte("d<"), Table: []byte("t\u2028"), ES: rnd.Int64(), Promoted: flip(), Partial: rnd.IntN(4) == 0,
			Rows: change.NewList(rows...),
		}
		m := Meta{ID: 5, TS: 17}
		if flip() {
			ev.CommitTS = rnd.Uint64()
		} else {
			m.CommitTS = rnd.Uint64()
		}
		var want []string
		fails := false
		for _, row := range rows {
			message := modelMessage(ev, row, o, m, false)
			if message != "error" && o.MaxMessage > 0 && len(message)%3 == 1 {
				message = modelMessage(ev, row, o, m, true)
				stubs++
			}
			if message == "error" {
				fails = true
			} else if message != "" {
				want = append(want, message)
			}
		}
		out, err := w.AppendEvent([]byte("x"), ev, m)
		if fails {
			failed++
			if err != ErrNoHandleKey || string(out) != "x" || len(w.Ends()) > 0 {
				t.Fatalf("%+v\n%+v: %s, %v", o, rows, out, err)
			}
			continue
		}
		if err != nil || string(out) != "x"+strings.Join(want, "") {
			t.Fatalf("%+v\n%+v partial %v\n got %s, %v\nwant %s", o, rows, ev.Partial, out, err, "x"+strings.Join(want, ""))
		}
		// What has been repaired is an error where it may not be.
		if out, err := reject.AppendEvent(nil, ev, m); (err != nil) != strings.Contains(strings.Join(want, ""), `\ufffd`) || err != nil && (len(out)+len(reject.Ends()) > 0 || !errors.Is(err, ErrInvalidUTF8)) {
			// But not if it is not in the stub.
			if o.MaxMessage == 0 || !errors.Is(err, ErrInvalidUTF8) {
				t.Fatalf("%+v\n%+v: rejecting gives %v, repaired %s", o, rows, err, want)
			}
		}
		count += len(want)
		at := 1
		for i, end := range w.Ends() {
			if string(out[at:end]) != want[i] {
				t.Fatalf("ends are %v, of %s", w.Ends(), out)
			}
			checkJSON(t, out[at:end], ev, rows)
			at = end
		}
		if at != len(out) {
			t.Fatalf("ends are %v, of %d bytes", w.Ends(), len(out))
		}
	}
	if count < 20_000 || stubs < 500 || failed < 200 {
		t.Errorf("%d messages, %d of them stubs, %d errors: this tested little", count, stubs, failed)
	}
}

// stubEveryThird finds some messages too large, but no stub.
type stubEveryThird struct{}

func (stubEveryThird) SizeOf(message []byte) int {
	if strings.Contains(string(message), "onlyHandleKey") {
		return 0
	}
	return (len(message) % 3 % 2) * 1000
}

// checkJSON has encoding/json read a message: each value in data must be one that the
// rows have under that name.
func checkJSON(t *testing.T, message []byte, ev *change.Event, rows []change.Row) {
	t.Helper()
	if !utf8.Valid(message) {
		t.Fatalf("not UTF-8: %q", message)
	}
	var read struct {
		SQLType   map[string]int32  `json:"sqlType"`
		MySQLType map[string]string `json:"mysqlType"`
		Data, Old []map[string]*string
	}
	if err := json.Unmarshal(message, &read); err != nil {
		t.Fatalf("%v: %s", err, message)
	}
	if len(read.Data) != 1 || !reflect.DeepEqual(namesIn(read.Data[0]), namesIn(read.SQLType)) || !reflect.DeepEqual(namesIn(read.Data[0]), namesIn(read.MySQLType)) {
		t.Fatalf("not the same columns: %s", message)
	}
	if (ev.Type == change.Update) != (len(read.Old) == 1) {
		t.Fatalf("old: %s", message)
	}
	for name, value := range read.Data[0] {
		found := false
		for _, row := range rows {
			for _, c := range append(slices.Clone(row.Before), row.After...) {
				if string([]rune(string(c.Name))) == name && c.Null == (value == nil) && (c.Null || string([]rune(string(c.Value))) == *value) {
					found = true
				}
			}
		}
		if !found {
			t.Fatalf("%q has a value that no row has: %s", name, message)
		}
	}
}

func namesIn[V any](m map[string]V) map[string]bool {
	keys := map[string]bool{}
	for k := range m {
		keys[k] = true
	}
	return keys
}

// jumping is Rows that make a Writer believe it has passed all rows it can count,
// before the third row.
type jumping struct {
	change.Rows
	w *Writer
	n int
}

func (j *jumping) Next() bool {
	if j.n++; j.n == 3 {
		j.w.row = lastRow
	}
	return j.Rows.Next()
}

// TestTiCDCRowsBeyondCount has the number of a row begin at 1 again: nothing of the rows
// that had these numbers before may show.
func TestTiCDCRowsBeyondCount(t *testing.T) {
	key, plain := change.Column{Name: []byte("a"), Key: true}, change.Column{Name: []byte("a")}
	other := change.Column{Name: []byte("b")}
	rows := []change.Row{
		{Before: []change.Column{other}, After: []change.Column{key}}, {After: []change.Column{key}},
		{After: []change.Column{plain}}, {Before: []change.Column{other}, After: []change.Column{plain, other}}, {After: []change.Column{key}},
	}
	for skip := range 2 { // the number 1 again is that of the first row, or of none
		w, err := NewWriter(Options{Dialect: TiCDC})
		if err != nil {
			t.Fatal(err)
		}
		ev := &change.Event{Type: change.Update, Rows: change.NewList(rows[skip:]...)}
		want := ""
		for _, row := range rows[skip:] {
			want += modelMessage(ev, row, TiCDCOptions{}, Meta{}, false)
		}
		// Not counted: it is the walk that jumps.
		ev.Rows = &jumping{Rows: ev.Rows, w: w, n: -len(rows[skip:]) - 1}
		if got, err := w.AppendEvent(nil, ev, Meta{}); err != nil || string(got) != want {
			t.Errorf("%v\n got %s\nwant %s", err, got, want)
		}
	}
}
