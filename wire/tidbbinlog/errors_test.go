package tidbbinlog_test

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/wire"
	"github.com/cdcodec/cdcodec/wire/tidbbinlog"
)

// badRecord is a record and what its error should be.
type badRecord struct {
	name   string
	record []byte
	bad    []byte // the field that is bad: it is in the record once
	number wire.Number
	path   string
	table  string
	kind   error
}

// badRecords is the last rule of tidb-binlog.md, and what is not well formed.
func badRecords() []badRecord {
	a, b := info("a", "int"), info("b", "bit")
	wide := raw("\x01BADBITS!") // nine significant bytes
	first := table(a, insert(i64(1)))
	const shop = "shop.orders"
	cut := func(n wire.Number) []byte { return append(wire.AppendTag(nil, n, wire.Bytes), "\x63CUT"...) }
	tab := func(fields ...[]byte) []byte { return binlog(first, table(fields...)) }
	mut := func(fields ...[]byte) ([]byte, []byte) {
		m := mutation(fields...)
		return binlog(first, table(a, b, insert(null(), null()), m)), m
	}
	var all []badRecord
	add := func(name string, record, bad []byte, number wire.Number, path, table string, kind error) {
		all = append(all, badRecord{name, record, bad, number, path, table, kind})
	}
	const second = "dml_data.tables[1].mutations[1]"

	add("nothing", nil, nil, 3, "dml_data", "", tidbbinlog.ErrNoData)
	add("no dml_data", join(num(1, 0), sub(4, str(3, "x"))), nil, 3, "dml_data", "", tidbbinlog.ErrNoData)
	add("no ddl_data", join(num(1, 1), sub(3, first)), nil, 4, "ddl_data", "", tidbbinlog.ErrNoData)
	record, m := mut(sub(2, i64(77), null()))
	add("no type", record, m, 1, second+".type", shop, tidbbinlog.ErrMissing)
	record, m = mut(num(1, 2))
	add("no row", record, m, 2, second+".row", shop, tidbbinlog.ErrMissing)
	record, m = mut(num(1, 0), sub(3, i64(77), null()))
	add("change_row is no row", record, m, 2, second+".row", shop, tidbbinlog.ErrMissing)
	record, m = mut(num(1, 1), sub(2, i64(77), null()))
	add("no change_row", record, m, 3, second+".change_row", shop, tidbbinlog.ErrNoChangeRow)
	record, _ = mut(num(1, 0), sub(2, i64(1), null()), num(1, 77))
	add("an unknown type at the end", record, num(1, 77), 1, second+".type", shop, tidbbinlog.ErrMutationType)
	record, _ = mut(num(1, -77), sub(2, i64(1), null()))
	add("a negative type", record, num(1, -77), 1, second+".type", shop, tidbbinlog.ErrMutationType)
	record, _ = mut(num(1, 0), sub(2, i64(77)))
	add("a value too few", record, sub(2, i64(77)), 2, second+".row", shop, tidbbinlog.ErrColumns)
	record, _ = mut(num(1, 0), sub(2, null(), null(), i64(77)))
	add("a value too many", record, i64(77), 1, second+".row.columns[2]", shop, tidbbinlog.ErrColumns)
	record, _ = mut(num(1, 0), sub(2, null()), sub(2), sub(2, num(9, 9), null(), i64(77)))
	add("a value too many in parts", record, i64(77), 1, second+".row.columns[2]", shop, tidbbinlog.ErrColumns)
	record, _ = mut(num(1, 0), sub(2), sub(2, num(9, 77)))
	add("no values in parts", record, sub(2, num(9, 77)), 2, second+".row", shop, tidbbinlog.ErrColumns)
	record, _ = mut(num(1, 1), sub(2, null(), null()), sub(3, i64(77)))
	add("a value too few in change_row", record, sub(3, i64(77)), 3, second+".change_row", shop, tidbbinlog.ErrColumns)
	record, _ = mut(num(1, 1), sub(3, null(), null(), i64(77)), sub(2, null(), null()))
	add("a value too many in change_row", record, i64(77), 1, second+".change_row.columns[2]", shop, tidbbinlog.ErrColumns)
	record = tab(insert(i64(77)), a, insert(i64(1)), b)
	add("a value too few before column_info", record, sub(2, i64(77)), 2, "dml_data.tables[1].mutations[0].row", shop, tidbbinlog.ErrColumns)
	add("a value of no column", tab(insert(i64(77))), i64(77), 1, "dml_data.tables[1].mutations[0].row.columns[0]", shop, tidbbinlog.ErrColumns)
	record, _ = mut(num(1, 0), sub(2, null(), wide))
	add("a bit too long", record, wide[2:], 5, second+".row.columns[1].bytes_value", shop, tidbbinlog.ErrBit)
	record, _ = mut(num(1, 2), sub(2, null(), wide))
	add("a bit too long of a Delete", record, wide[2:], 5, second+".row.columns[1].bytes_value", shop, tidbbinlog.ErrBit)
	record, _ = mut(num(1, 1), sub(2, null(), null()), sub(3, null()), sub(3, wide))
	add("a bit too long in change_row", record, wide[2:], 5, second+".change_row.columns[1].bytes_value", shop, tidbbinlog.ErrBit)
	record = binlog(first, table(sub(3, str(2, "BIT(64)")), sub(3), insert(sub(1, str(6, "x"), wide[2:], num(1, 0)), null())))
	add("a bit too long of several fields", record, wide[2:], 5, "dml_data.tables[1].mutations[0].row.columns[0].bytes_value", shop, tidbbinlog.ErrBit)
	record = join(sub(3, first, table(a)), num(2, 1), sub(3, table(a), sub(1, a, insert(i64(77), i64(78)))))
	add("in the second part, of a table without a name", record, i64(78), 1, "dml_data.tables[3].mutations[0].row.columns[1]", "", tidbbinlog.ErrColumns)

	// What is not well formed, in what does not count too.
	add("type", join(num(2, 1), []byte{1 << 3, 0xff}), []byte{1 << 3, 0xff}, 1, "type", "", wire.ErrTruncated)
	add("dml_data", cut(3), cut(3), 3, "dml_data", "", wire.ErrTruncated)
	add("time_zone", join(sub(3), cut(5)), cut(5), 5, "time_zone", "", wire.ErrTruncated)
	add("ddl_data", join(sub(3), sub(4, str(1, "s"), cut(3))), cut(3), 3, "ddl_data.ddl_query", "s.", wire.ErrTruncated)
	add("a table", binlog(first, cut(1)), cut(1), 1, "dml_data.tables[1]", "", wire.ErrTruncated)
	add("a table of a DDL", join(num(1, 1), sub(4), sub(3, first), sub(3, cut(1))), cut(1), 1, "dml_data.tables[1]", "", wire.ErrTruncated)
	add("schema_name", binlog(sub(1, str(2, "t"), cut(1))), cut(1), 1, "dml_data.tables[0].schema_name", ".t", wire.ErrTruncated)
	add("column_info", tab(a, cut(3)), cut(3), 3, "dml_data.tables[1].column_info[1]", shop, wire.ErrTruncated)
	add("mysql_type", tab(a, sub(3, str(1, "b"), cut(2))), cut(2), 2, "dml_data.tables[1].column_info[1].mysql_type", shop, wire.ErrTruncated)
	add("flen", tab(a, sub(3, []byte{4 << 3, 0x80})), []byte{4 << 3, 0x80}, 4, "dml_data.tables[1].column_info[1].flen", shop, wire.ErrTruncated)
	add("unique_keys", tab(key("u"), sub(5, str(2, "a"), cut(2))), cut(2), 2, "dml_data.tables[1].unique_keys[1].column_names[1]", shop, wire.ErrTruncated)
	add("mutations", tab(a, insert(null()), cut(4)), cut(4), 4, "dml_data.tables[1].mutations[1]", shop, wire.ErrTruncated)
	add("row", tab(a, insert(null()), mutation(num(1, 0), cut(2))), cut(2), 2, "dml_data.tables[1].mutations[1].row", shop, wire.ErrTruncated)
	add("columns", tab(a, a, a, mutation(sub(2, null()), sub(2, null(), cut(1)))), cut(1), 1, "dml_data.tables[1].mutations[0].row.columns[2]", shop, wire.ErrTruncated)
	add("change_row of an Insert", tab(a, mutation(num(1, 0), sub(2, null()), sub(3, sub(1, num(1, 1), cut(6))))), cut(6), 6, "dml_data.tables[1].mutations[0].change_row.columns[0].string_value", shop, wire.ErrTruncated)
	add("bytes_value, behind 200 good ones", tab(a, mutation(num(1, 0), sub(2, times(200, null()), sub(1, cut(5))))), cut(5), 5, "dml_data.tables[1].mutations[0].row.columns[200].bytes_value", shop, wire.ErrTruncated)
	double := append(wire.AppendTag(nil, 4, wire.Fixed64), "1234567"...)
	add("double_value", tab(a, insert(sub(1, double))), double, 4, "dml_data.tables[1].mutations[0].row.columns[0].double_value", shop, wire.ErrTruncated)
	long := append(num(2, -1)[:10], 2)
	add("int64_value", tab(a, insert(sub(1, long))), long, 2, "dml_data.tables[1].mutations[0].row.columns[0].int64_value", shop, wire.ErrVarint)
	add("number 0", tab(a, insert(sub(1, []byte{0, 77}))), []byte{0, 77}, 0, "dml_data.tables[1].mutations[0].row.columns[0]", shop, wire.ErrNumber)
	add("wire type 7", tab(a, insert(sub(1, []byte{0x0f, 77}))), []byte{0x0f, 77}, 1, "dml_data.tables[1].mutations[0].row.columns[0]", shop, wire.ErrType)
	add("a stray end", tab(a, []byte{0x34}), []byte{0x34}, 6, "dml_data.tables[1]", shop, wire.ErrGroup)
	deep := times(95, wire.AppendTag(nil, 15, wire.StartGroup)) // 5 levels down already
	add("95 groups in a Column", tab(a, insert(sub(1, str(6, "BAD"), deep, times(95, wire.AppendTag(nil, 15, wire.EndGroup))))), nil, 0, "", "", nil)
	deep = times(96, wire.AppendTag(nil, 15, wire.StartGroup))
	add("96 groups in a Column", tab(a, insert(sub(1, str(6, "BAD"), deep, times(96, wire.AppendTag(nil, 15, wire.EndGroup))))), nil, 15, "dml_data.tables[1].mutations[0].row.columns[0]", shop, wire.ErrDepth)

	// What is not well formed goes first.
	add("a missing row before", join(sub(3, table(a, mutation(num(1, 0)))), cut(4)), cut(4), 4, "ddl_data", "", wire.ErrTruncated)
	return all
}

func TestErrors(t *testing.T) {
	var d tidbbinlog.Decoder // one for all
	for _, c := range badRecords() {
		t.Run(c.name, func(t *testing.T) {
			before := bytes.Clone(c.record)
			err := d.Open(c.record)
			if c.kind == nil {
				fatal(t, err)
				return
			}
			at := 0
			if c.bad != nil {
				if bytes.Count(c.record, c.bad) != 1 {
					t.Fatalf("%x is %d times in %x", c.bad, bytes.Count(c.record, c.bad), c.record)
				}
				at = bytes.Index(c.record, c.bad)
			}
			if c.kind == wire.ErrDepth {
				at = bytes.Index(c.record, []byte("BAD")) + 3 + 95
			}
			p, ok := err.(*wire.ParseError)
			if !ok {
				t.Fatalf("error %T %v", err, err)
			}
			if wanted := (wire.ParseError{Offset: at, Path: c.path, Table: c.table, Number: c.number, Err: c.kind}); *p != wanted {
				t.Errorf("\n got %+v\nwant %+v", *p, wanted)
			}
			if !errors.Is(err, c.kind) {
				t.Error("errors.Is does not find the kind")
			}
			ev := change.Event{SQL: []byte("x")}
			if d.Next(&ev) || !reflect.DeepEqual(ev, change.Event{}) {
				t.Errorf("an Event of a bad record: %+v", ev)
			}
			if !bytes.Equal(c.record, before) {
				t.Error("the record was written to")
			}
			good := binlog(table(info("a", "int"), insert(i64(1))))
			want(t, strings.Join(events(t, &d, good), "\n"), `INSERT shop.orders +(a="1" int 4)`)
		})
	}
}

// TestViewErrors has the views find what is not well formed, at the same places.
func TestViewErrors(t *testing.T) {
	for _, c := range badRecords() {
		b, err := tidbbinlog.ParseBinlog(c.record)
		if err == nil {
			_, err = walkViews(&b)
		}
		var wanted *wire.ParseError
		var d tidbbinlog.Decoder
		if errors.As(d.Open(c.record), &wanted) && errors.Is(wanted, c.kind) {
			switch c.kind {
			case tidbbinlog.ErrNoData, tidbbinlog.ErrMissing, tidbbinlog.ErrNoChangeRow, tidbbinlog.ErrMutationType, tidbbinlog.ErrColumns, tidbbinlog.ErrBit:
				wanted = nil // the views do not ask for it
			}
		}
		if strings.HasPrefix(c.name, "change_row of an Insert") {
			wanted = nil // they do not show it
		}
		var got *wire.ParseError
		if errors.As(err, &got); (got == nil) != (wanted == nil) {
			t.Errorf("%s: %v, want %v", c.name, err, wanted)
		} else if got != nil && (got.Offset != wanted.Offset || got.Number != wanted.Number || got.Err != wanted.Err || !strings.HasSuffix(wanted.Path, got.Path)) {
			t.Errorf("%s: %+v, want %+v", c.name, *got, *wanted)
		}
	}
}
