package change_test

import (
	"errors"
	"io"
	"reflect"
	"testing"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/internal/pb/canalpb"
	"github.com/cdcodec/cdcodec/wire"
	"github.com/cdcodec/cdcodec/wire/canal"
)

// TestTypes holds the types to the enum of Canal's schema.
func TestTypes(t *testing.T) {
	if len(canalpb.EventType_name) != int(change.MHeartbeat) {
		t.Errorf("Canal has %d types", len(canalpb.EventType_name))
	}
	for n := range 256 {
		typ := change.Type(n)
		name, valid := canalpb.EventType_name[int32(n)]
		if typ.String() != name || typ.Valid() != valid {
			t.Errorf("type %d is %q, valid: %v; want %q, %v", n, typ, typ.Valid(), name, valid)
		}
		rows := name == "INSERT" || name == "UPDATE" || name == "DELETE"
		for _, ddl := range []bool{false, true} {
			e := change.Event{Type: typ, IsDDL: ddl}
			if typ.HasRows() != rows || e.HasRows() != (rows && !ddl) {
				t.Errorf("type %d has rows: %v, its Event, DDL %v: %v", n, typ.HasRows(), ddl, e.HasRows())
			}
		}
	}
	for _, c := range []struct {
		typ  change.Type
		name string
	}{
		{change.Insert, "INSERT"}, {change.Update, "UPDATE"}, {change.Delete, "DELETE"}, {change.Create, "CREATE"}, {change.Alter, "ALTER"},
		{change.Erase, "ERASE"}, {change.Query, "QUERY"}, {change.Truncate, "TRUNCATE"}, {change.Rename, "RENAME"}, {change.CIndex, "CINDEX"},
		{change.DIndex, "DINDEX"}, {change.GTID, "GTID"}, {change.XACommit, "XACOMMIT"}, {change.XARollback, "XAROLLBACK"}, {change.MHeartbeat, "MHEARTBEAT"},
	} {
		if int32(c.typ) != canalpb.EventType_value[c.name] {
			t.Errorf("%s is %d, Canal has %d", c.name, c.typ, canalpb.EventType_value[c.name])
		}
	}
}

func TestKindNames(t *testing.T) {
	for kind, want := range []string{
		change.KindRows: "rows", change.KindDDL: "ddl", change.KindQuery: "query",
		change.KindHeartbeat: "heartbeat", change.KindGTIDLog: "gtidlog", change.KindWatermark: "watermark",
	} {
		if got := change.Kind(kind).String(); got != want {
			t.Errorf("kind %d is called %q, want %q", kind, got, want)
		}
	}
	for _, k := range []change.Kind{change.KindWatermark + 1, 255} {
		if k.String() != "unknown" {
			t.Errorf("kind %d is called %q", k, k)
		}
	}
}

func TestValueError(t *testing.T) {
	for text, want := range []string{
		change.TextDatabase: "database: bad", change.TextTable: "table: bad", change.TextGTID: "gtid: bad", change.TextSQL: "sql: bad",
		change.TextName: "column name: bad", change.TextValue: "column value: bad", change.TextMySQLType: "column mysqlType: bad",
		change.TextNone: "change: bad", change.TextNone + 1: "unknown: bad",
	} {
		e := &change.ValueError{Text: change.Text(text), Err: errors.New("bad")}
		if e.Error() != want {
			t.Errorf("prints %q, want %q", e, want)
		}
	}
	if !errors.Is(&change.ValueError{Err: io.EOF}, io.EOF) {
		t.Error("errors.Is does not find the cause")
	}
}

// source returns an encoded Entry, and an Event that a reader made of it and that
// borrows from it all there is.
func source(t *testing.T) (entry []byte, ev *change.Event) {
	t.Helper()
	str := func(b []byte, n wire.Number, s string) []byte {
		return wire.AppendString(wire.AppendTag(b, n, wire.Bytes), s)
	}
	num := func(b []byte, n wire.Number, v uint64) []byte {
		return wire.AppendVarint(wire.AppendTag(b, n, wire.Varint), v)
	}
	column := func(name, value string, more ...wire.Number) string {
		b := str(str(str(nil, 3, name), 8, value), 10, "varchar(20)")
		for _, n := range more {
			b = num(b, n, 1)
		}
		return string(b)
	}
	row := str(str(nil, 1, column("id", "1", 4)), 2, column("id", "1", 4))
	row = str(str(row, 1, column("note", "old")), 2, column("note", "new", 5))
	row = str(row, 2, column("", "", 6))
	header := num(str(str(str(nil, 8, "shop"), 9, "orders"), 13, "gtid:7"), 6, 1234)
	store := str(str(str(num(nil, 2, 2), 11, "update …"), 12, string(row)), 12, "")
	entry = str(str(nil, 1, string(header)), 3, string(store))

	e, err := canal.ParseEntry(entry)
	if err != nil {
		t.Fatal(err)
	}
	ev = new(change.Event)
	if err := new(canal.Decoder).Decode(ev, &e); err != nil {
		t.Fatal(err)
	}
	return entry, ev
}

// TestClone overwrites what a clone was made from.
func TestClone(t *testing.T) {
	_, same := source(t) // of bytes that stay
	entry, ev := source(t)
	got := ev.Clone()
	for i := range entry {
		entry[i] = '#'
	}
	ev.Reset()
	if !reflect.DeepEqual(*ev, change.Event{}) {
		t.Errorf("Reset leaves %+v", ev)
	}
	gotRows, wantRows := change.CopyRows(got.Rows), change.CopyRows(same.Rows)
	for _, rows := range [][]change.Row{gotRows, wantRows} {
		if len(rows) != 2 || len(rows[0].Before) != 2 || len(rows[0].After) != 3 {
			t.Fatalf("%+v", rows)
		}
		for _, cols := range [][]change.Column{rows[0].Before, rows[0].After} {
			for i := range cols {
				cols[i].Ref = 0 // numbers columns of another Rows
			}
		}
	}
	if !reflect.DeepEqual(gotRows, wantRows) {
		t.Errorf("got  %+v\nwant %+v", gotRows, wantRows)
	}
	got.Rows, same.Rows = nil, nil
	if !reflect.DeepEqual(got, same) {
		t.Errorf("got  %+v\nwant %+v", got, same)
	}
}

// TestCloneKeepsNil has absent and empty texts stay what they are, and an Event
// without rows without.
func TestCloneKeepsNil(t *testing.T) {
	for _, e := range []change.Event{
		{},
		{Type: change.Query, Kind: change.KindQuery, SQL: []byte{}, Table: []byte("t")},
		{Type: change.Create, IsDDL: true, ES: -1, Database: []byte("d"), GTID: []byte{}},
	} {
		if got := e.Clone(); !reflect.DeepEqual(*got, e) || got == &e {
			t.Errorf("got %#v, want %#v", *got, e)
		}
	}
	e := change.Event{Rows: change.NewList(change.Row{After: []change.Column{{Name: []byte{}}, {}}})}
	e.Clone().Rows.Next()
	rows := change.CopyRows(e.Clone().Rows)
	if c := rows[0].After; c[0].Name == nil || c[0].Value != nil || c[1].Name != nil {
		t.Errorf("%#v", c)
	}
}

// TestCopyRows copies from a cursor that stands anywhere, and copies columns
// themselves: what is done to the copy is not done to the rows.
func TestCopyRows(t *testing.T) {
	rows := change.NewList(threeRows()...)
	rows.Next()
	rows.Next()
	got := change.CopyRows(rows)
	want := threeRows()
	change.NewList(want...) // numbers the columns
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("got  %+v\nwant %+v", got, want)
	}
	for _, r := range got {
		for i := range r.After {
			r.After[i].Value[0], r.After[i].Name[0], r.After[i].MySQLType[0] = '#', '#', '#'
			r.After[i].Key = true
		}
	}
	if again := change.CopyRows(rows); !reflect.DeepEqual(again, want) {
		t.Errorf("the rows have become %+v", again)
	}
}

func TestName(t *testing.T) {
	for want, e := range map[string]change.Event{
		"": {}, "d.": {Database: []byte("d")}, ".t": {Table: []byte("t")}, "d.t": {Database: []byte("d"), Table: []byte("t")},
	} {
		if got := e.Name(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
