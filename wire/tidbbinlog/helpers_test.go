package tidbbinlog_test

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/wire"
	"github.com/cdcodec/cdcodec/wire/tidbbinlog"
)

// bytesOf encodes a generated message, its required fields set or not.
func bytesOf(m proto.Message) []byte {
	b, err := proto.MarshalOptions{AllowPartial: true, Deterministic: true}.Marshal(m)
	if err != nil {
		panic(err)
	}
	return b
}

// sub returns the concatenation of parts as one field of wire type 2.
func sub(number wire.Number, parts ...[]byte) []byte {
	return wire.AppendBytes(wire.AppendTag(nil, number, wire.Bytes), slices.Concat(parts...))
}

// str is sub of a string.
func str(number wire.Number, s string) []byte { return sub(number, []byte(s)) }

// num returns a field of wire type 0.
func num(number wire.Number, v int64) []byte {
	return wire.AppendVarint(wire.AppendTag(nil, number, wire.Varint), uint64(v))
}

// dbl returns a field of wire type 1.
func dbl(number wire.Number, v float64) []byte {
	return wire.AppendFixed64(wire.AppendTag(nil, number, wire.Fixed64), math.Float64bits(v))
}

// join puts fields behind one another.
func join(parts ...[]byte) []byte { return slices.Concat(parts...) }

// times repeats fields.
func times(n int, field []byte) []byte { return bytes.Repeat(field, n) }

// The messages of a Binlog, made of fields.

// binlog is a DML Binlog of these tables, with the commit_ts of the spec's example.
func binlog(tables ...[]byte) []byte {
	return join(num(1, 0), num(2, 429918007904436226), sub(3, tables...))
}

// table is a Table shop.orders with these fields.
func table(fields ...[]byte) []byte {
	return sub(1, str(1, "shop"), str(2, "orders"), join(fields...))
}

// info is a ColumnInfo: a name, a type, and more fields.
func info(name, mysqlType string, more ...[]byte) []byte {
	return sub(3, str(1, name), str(2, mysqlType), join(more...))
}

// pk is is_primary_key.
var pk = num(3, 1)

func mutation(fields ...[]byte) []byte { return sub(4, fields...) }

// insert, update and remove are mutations of rows of Columns.
func insert(row ...[]byte) []byte { return mutation(num(1, 0), sub(2, row...)) }
func remove(row ...[]byte) []byte { return mutation(num(1, 2), sub(2, row...)) }
func update(row, change []byte) []byte {
	return mutation(num(1, 1), sub(2, row), sub(3, change))
}

// The Columns, by their field.
func null() []byte         { return sub(1, num(1, 1)) }
func i64(v int64) []byte   { return sub(1, num(2, v)) }
func u64(v uint64) []byte  { return sub(1, num(3, int64(v))) }
func f64(v float64) []byte { return sub(1, dbl(4, v)) }
func raw(b string) []byte  { return sub(1, str(5, b)) }
func text(s string) []byte { return sub(1, str(6, s)) }
func key(name string, columns ...string) []byte {
	b := str(1, name)
	for _, c := range columns {
		b = append(b, str(2, c)...)
	}
	return sub(5, b)
}

// show is one Event as text: its type, table, and columns by image, each with name,
// value, type, and what it is:
//
//	INSERT shop.orders +(id="1" bigint -5 key)
//
// upd stands for updated, hdl for handle. The columns are asked for again by their
// Refs, and walked twice.
func show(t testing.TB, ev *change.Event) string {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "%v %s.%s", ev.Type, ev.Database, ev.Table)
	if ev.IsDDL {
		fmt.Fprintf(&b, " ddl %s", ev.SQL)
	}
	if ev.Rows == nil {
		return b.String()
	}
	first := showRows(t, ev.Rows)
	if again := showRows(t, ev.Rows); again != first {
		t.Errorf("walked once\n%s\nwalked again\n%s", first, again)
	}
	return b.String() + first
}

func showRows(t testing.TB, rows change.Rows) string {
	t.Helper()
	var b strings.Builder
	n := 0
	for rows.Rewind(); rows.Next(); n++ {
		for _, im := range []change.Image{change.Before, change.After} {
			names, named := map[string]bool{"": true}, 1
			rows.Select(im)
			for c := rows.Column(); c != nil; c = rows.Column() {
				names[string(c.Name)] = true
				named += min(len(c.Name), 1)
				before, value := *c, bytes.Clone(c.Value)
				again := rows.At(c.Ref)
				if !reflect.DeepEqual(*again, before) || !reflect.DeepEqual(*c, before) || !bytes.Equal(value, c.Value) {
					t.Errorf("At(%d) gives %+v, and Column has become %+v; it was %+v", before.Ref, *again, *c, before)
				}
				fmt.Fprintf(&b, " %c(%s)", "-+"[im], showColumn(c))
			}
			if rows.Column() != nil {
				t.Error("a column after the last one")
			}
			if most := rows.MaxNames(im); most < len(names) || most > named {
				t.Errorf("image %d: at most %d names, but there are %d of %d columns", im, most, len(names), named-1)
			}
		}
	}
	if n != 1 {
		t.Errorf("%d rows", n)
	}
	if rows.Next() {
		t.Error("a row after the last one")
	}
	return b.String()
}

func showColumn(c *change.Column) string {
	value := "NULL"
	if !c.Null {
		value = fmt.Sprintf("%q", c.Value)
	} else if c.Value != nil {
		value = fmt.Sprintf("NULL with %q", c.Value)
	}
	s := fmt.Sprintf("%s=%s %s %d", c.Name, value, c.MySQLType, c.SQLType)
	for _, f := range []struct {
		is   bool
		name string
	}{{c.Key, " key"}, {c.Handle, " hdl"}, {c.Updated, " upd"}, {c.Heavy, " heavy"}} {
		if f.is {
			s += f.name
		}
	}
	return s
}

// events opens a record and shows all its Events.
func events(t testing.TB, d *tidbbinlog.Decoder, record []byte) (out []string) {
	t.Helper()
	before := bytes.Clone(record)
	if err := d.Open(record); err != nil {
		t.Fatalf("%x: %v", record, err)
	}
	if d.Index() != -1 {
		t.Errorf("index %d before the first Event", d.Index())
	}
	var ev change.Event
	for d.Next(&ev) {
		if d.Index() != len(out) {
			t.Errorf("index %d, want %d", d.Index(), len(out))
		}
		if ev.Promoted != (ev.Kind == change.KindRows) || ev.Partial || ev.GTID != nil {
			t.Errorf("%+v", ev)
		}
		out = append(out, show(t, &ev))
	}
	if d.Next(&ev) || !reflect.DeepEqual(ev, change.Event{}) {
		t.Errorf("an Event after the last one: %+v", ev)
	}
	if !bytes.Equal(record, before) {
		t.Errorf("the record was written to")
	}
	return out
}

// columns is the part of the one Event of a record that shows its columns.
func columns(t testing.TB, record []byte) string {
	t.Helper()
	var d tidbbinlog.Decoder
	all := events(t, &d, record)
	if len(all) != 1 {
		t.Fatalf("%d events, want 1: %q", len(all), all)
	}
	_, cols, _ := strings.Cut(all[0], "shop.orders ")
	return cols
}

// column is what shows of the one column of an INSERT: of this type, and of a Column
// of these fields.
func column(t testing.TB, mysqlType string, fields ...[]byte) string {
	t.Helper()
	s := columns(t, binlog(table(info("c", mysqlType), insert(sub(1, fields...)))))
	return strings.TrimSuffix(strings.TrimPrefix(s, "+(c="), ")")
}

// want holds what is shown to what should be.
func want(t testing.TB, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

func fatal(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
