package tidbbinlog_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/wire"
	"github.com/cdcodec/cdcodec/wire/tidbbinlog"
)

var errBad = errors.New("bad text")

// TestLocate finds each text of an Event in its record again. The text to be found
// is always "BAD", and the Event the first that has it.
func TestLocate(t *testing.T) {
	a := info("a", "varchar")
	first := table(a, insert(text("x")))
	row := func(fields ...[]byte) []byte { return sub(1, fields...) }
	for _, c := range []struct {
		name   string
		in     []byte
		text   change.Text
		number wire.Number
		path   string
		table  string
	}{
		{"database", binlog(first, sub(1, str(1, "x"), str(1, "BAD"), str(2, "t"), a, insert(null()))), change.TextDatabase, 1, "dml_data.tables[1].schema_name", "BAD.t"},
		{"table", binlog(first, sub(1, str(1, "s"), a, insert(null()), str(2, "BAD"))), change.TextTable, 2, "dml_data.tables[1].table_name", "s.BAD"},
		{"table in the second part", join(sub(3, first, first), num(2, 1), sub(3, first, sub(1, str(2, "BAD"), a, insert(null())))), change.TextTable, 2, "dml_data.tables[3].table_name", ".BAD"},
		{"name", binlog(table(a, insert(null(), null()), sub(3, str(1, "x"), str(1, "BAD")), insert(null(), null()))), change.TextName, 1, "dml_data.tables[0].column_info[1].name", "shop.orders"},
		{"mysqlType", binlog(table(a, sub(3, str(2, "bad"), str(2, "BAD")), insert(null(), null()))), change.TextMySQLType, 2, "dml_data.tables[0].column_info[1].mysql_type", "shop.orders"},
		{"value", binlog(first, table(a, insert(text("x")), insert(text("BAD")))), change.TextValue, 6, "dml_data.tables[1].mutations[1].row.columns[0].string_value", "shop.orders"},
		{"value in bytes", binlog(table(a, insert(row(str(5, "x"), str(5, "BAD"), dbl(9, 1))))), change.TextValue, 5, "dml_data.tables[0].mutations[0].row.columns[0].bytes_value", "shop.orders"},
		{"value of several", binlog(table(a, insert(row(str(6, "x"), str(5, "y"), str(6, "BAD"))))), change.TextValue, 6, "dml_data.tables[0].mutations[0].row.columns[0].string_value", "shop.orders"},
		{"value before", binlog(table(a, a, update(join(null(), null()), join(null(), text("BAD"))))), change.TextValue, 6, "dml_data.tables[0].mutations[0].change_row.columns[1].string_value", "shop.orders"},
		{"value in the second part", binlog(table(a, a, a, mutation(num(1, 1), sub(2, null(), null()), sub(3, times(3, null())), sub(2, num(9, 9), text("BAD"))))), change.TextValue, 6, "dml_data.tables[0].mutations[0].row.columns[2].string_value", "shop.orders"},
		{"value far behind", binlog(table(times(300, a), mutation(num(1, 2), sub(2, times(299, null()), text("BAD"))))), change.TextValue, 6, "dml_data.tables[0].mutations[0].row.columns[299].string_value", "shop.orders"},
		{"sql", join(num(1, 1), sub(4, str(1, "s"), str(3, "x"), str(3, "BAD"))), change.TextSQL, 3, "ddl_data.ddl_query", "s."},
		{"sql in the first part", join(num(1, 1), sub(4, str(3, "BAD"), str(2, "t")), sub(4, str(1, "s"))), change.TextSQL, 3, "ddl_data.ddl_query", "s.t"},
		{"database of a DDL", join(num(1, 1), sub(4, str(1, "x")), sub(4, str(1, "BAD"))), change.TextDatabase, 1, "ddl_data.schema_name", "BAD."},
		{"table of a DDL", join(num(1, 1), sub(4, str(2, "BAD"))), change.TextTable, 2, "ddl_data.table_name", ".BAD"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var d tidbbinlog.Decoder
			fatal(t, d.Open(c.in))
			var ev change.Event
			for d.Next(&ev) {
				ref, there := findBad(&ev)
				if !there {
					continue
				}
				got := d.Locate(&change.ValueError{Text: c.text, Ref: ref, Err: errBad})
				wanted := wire.ParseError{Offset: bytes.Index(c.in, str(c.number, "BAD")), Path: c.path, Table: c.table, Number: c.number, Err: errBad}
				if *got != wanted {
					t.Errorf("\n got %+v\nwant %+v", *got, wanted)
				}
				return
			}
			t.Error("no Event has it")
		})
	}
}

// findBad returns the Ref of the column that says "BAD" somewhere, 0 if the Event
// says it.
func findBad(ev *change.Event) (ref uint32, there bool) {
	for _, s := range [][]byte{ev.Database, ev.Table, ev.SQL} {
		if string(s) == "BAD" {
			return 0, true
		}
	}
	for ev.Rows != nil && ev.Rows.Next() {
		for _, im := range []change.Image{change.Before, change.After} {
			ev.Rows.Select(im)
			for c := ev.Rows.Column(); c != nil; c = ev.Rows.Column() {
				if string(c.Name) == "BAD" || string(c.Value) == "BAD" || string(c.MySQLType) == "bad" {
					return c.Ref, true
				}
			}
		}
	}
	return 0, false
}

// TestLocateNothing asks for what the record does not have: it is at what lacks it.
func TestLocateNothing(t *testing.T) {
	a := info("a", "int")
	record := binlog(table(a, insert(null())), sub(1, sub(3), sub(3, num(9, 77)), insert(null(), sub(1, num(9, 78)))))
	var d tidbbinlog.Decoder
	var ev change.Event
	fatal(t, d.Open(record))
	d.Next(&ev)
	d.Next(&ev)
	ev.Rows.Next()
	ev.Rows.Select(change.After)
	ev.Rows.Column()
	ref := ev.Rows.Column().Ref
	second := bytes.LastIndex(record, []byte{0x0a, byte(len(record) - bytes.LastIndex(record, sub(3, num(9, 77))) + 2)})
	info, value := bytes.Index(record, sub(3, num(9, 77))), bytes.Index(record, sub(1, num(9, 78)))
	mutation := bytes.LastIndex(record, insert(null(), sub(1, num(9, 78))))
	for _, c := range []struct {
		text change.Text
		at   int
		path string
	}{
		{change.TextDatabase, second, "dml_data.tables[1]"},
		{change.TextGTID, second, "dml_data.tables[1]"},
		{change.TextNone, mutation, "dml_data.tables[1].mutations[0]"},
		{change.TextName, info, "dml_data.tables[1].column_info[1]"},
		{change.TextMySQLType, info, "dml_data.tables[1].column_info[1]"},
		{change.TextValue, value, "dml_data.tables[1].mutations[0].row.columns[1]"},
	} {
		got := d.Locate(&change.ValueError{Text: c.text, Ref: ref, Err: errBad})
		if got.Offset != c.at || got.Path != c.path || got.Err != errBad {
			t.Errorf("%v: %+v, want %s at byte %d", c.text, *got, c.path, c.at)
		}
	}
	fatal(t, d.Open(join(num(1, 1), sub(4))))
	d.Next(&ev)
	if got := d.Locate(&change.ValueError{Text: change.TextSQL, Err: errBad}); got.Offset != 0 || got.Err != errBad {
		t.Errorf("%+v", got)
	}
}
