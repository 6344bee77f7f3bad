package changedataset_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/wire"
	"github.com/cdcodec/cdcodec/wire/changedataset"
)

var errBad = errors.New("bad text")

// TestLocate finds each text of an Event in its record again. The text to be found
// begins with "BAD", and is in the last change.
func TestLocate(t *testing.T) {
	s := func(v string) []byte { return str(1, v) }
	ab := schema("d.t", col("a", "varchar(9)"), col("b", "blob"))
	good := row("d.t", after(s("x")), after(s("y")))
	for _, c := range []struct {
		name   string
		in     []byte
		text   change.Text
		at     []byte
		path   string
		number wire.Number
		table  string
	}{
		{"database", join(schema("BAD.t", col("a", "int")), row("BAD.t", after())), change.TextDatabase, str(1, "BAD.t"), "tableChange[0].tableName", 1, "BAD.t"},
		{"table", join(ab, schema("d.BAD", col("a", "int")), good, row("d.BAD", after())), change.TextTable, str(1, "d.BAD"), "tableChange[1].tableName", 1, "d.BAD"},
		{"table without a dot, the last of two", join(schema("BAD", col("a", "int")), sub(4, s("x"), after(), s("BAD"))), change.TextTable, str(1, "BAD"), "tableChange[0].tableName", 1, "opt.BAD"},
		{"database of the options", join(schema("t", col("a", "int")), row("t", after(s("BAD")))), change.TextDatabase, row("t", after(s("BAD"))), "tableChange[0]", 4, "opt.t"},
		{"gtid", join(sub(2, str(3, "one"), str(3, "BAD")), ab, good), change.TextGTID, str(3, "one"), "syncPoint.gtId[0]", 3, "d.t"},
		{"gtid that is no UTF-8", join(sub(2, str(3, "one")), ab, sub(2, num(1, 1), str(3, "two"), str(3, "BAD\xff"), str(3, "\xff")), good), change.TextGTID, str(3, "BAD\xff"), "syncPoint.gtId[1]", 3, "d.t"},
		{"no gtid", join(ab, good), change.TextGTID, good, "tableChange[0]", 4, "d.t"},
		{"name", join(schema("d.t", col("a", "int")), schema("d.t", col("a", "int"), sub(2, str(1, "x"), str(1, "BAD"))), good), change.TextName, str(1, "BAD"), "tableSchema[1].columns[1].columnName", 1, "d.t"},
		{"a long name", join(schema("d.t", sub(9), col("a", "int"), col("BAD and longer", "int"), col("a", "int")), row("d.t", after(), after(), after())), change.TextName, str(1, "BAD and longer"), "tableSchema[0].columns[1].columnName", 1, "d.t"},
		{"type", join(schema("d.t", col("a", "int"), col("b", "BAD(1)")), good), change.TextMySQLType, str(2, "BAD(1)"), "tableSchema[0].columns[1].columnType", 2, "d.t"},
		{"type first", join(schema("d.t", col("a", "int"), sub(2, str(2, "BAD"), str(1, "b"))), good), change.TextMySQLType, str(2, "BAD"), "tableSchema[0].columns[1].columnType", 2, "d.t"},
		{"value", join(ab, good, row("d.t", after(), num(2, 5), after(num(2, 9), s("no"), s("BAD")))), change.TextValue, s("BAD"), "tableChange[1].afterData[1].stringValue", 1, "d.t"},
		{"value before", join(good, row("d.t", after(), after(), before(s("BAD")), before()), ab), change.TextValue, s("BAD"), "tableChange[1].beforeData[0].stringValue", 1, "d.t"},
		{"value of bytes", join(schema("d.t", col("a", "text")), row("d.t", after(str(5, "BAD"), num(7, 1)))), change.TextValue, str(5, "BAD"), "tableChange[0].afterData[0].bytesValue", 5, "d.t"},
		{"value of a name twice", join(schema("d.t", col("a", "int"), col("b", "int"), col("a", "int")), row("d.t", after(s("x")), after(), after(s("BAD")))), change.TextValue, s("BAD"), "tableChange[0].afterData[2].stringValue", 1, "d.t"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := changedataset.Decoder{Options: changedataset.Options{Database: "opt"}}
			fatal(t, d.Open(c.in))
			var ev change.Event
			ref := uint32(0)
			for d.Next(&ev) {
				ref = refOfBad(ev.Rows, ref)
				if d.Index() == changes(c.in)-1 {
					break
				}
			}
			got := d.Locate(&change.ValueError{Text: c.text, Ref: ref, Err: errBad})
			want := wire.ParseError{Offset: strings.LastIndex(string(c.in), string(c.at)), Path: c.path, Number: c.number, Table: c.table, Err: errBad}
			if *got != want {
				t.Errorf("got  %+v\nwant %+v", *got, want)
			}
			if !errors.Is(got, errBad) {
				t.Error("errors.Is does not find the cause")
			}
		})
	}
}

// changes returns how many changes a set has.
func changes(set []byte) (n int) {
	for r := wire.NewReader(set); r.Next(); {
		if r.Tag.Number() == 4 {
			n++
		}
	}
	return n
}

// refOfBad returns the Ref of the column that says "BAD" somewhere, ref if none
// does.
func refOfBad(rows change.Rows, ref uint32) uint32 {
	for rows.Next() {
		for _, im := range []change.Image{change.Before, change.After} {
			rows.Select(im)
			for c := rows.Column(); c != nil; c = rows.Column() {
				if strings.Contains(string(c.Name)+"|"+string(c.Value)+"|"+string(c.MySQLType), "BAD") {
					return c.Ref
				}
			}
		}
	}
	return ref
}

// TestLocateNumbers finds a value that is made of a number, a null one, and says
// little where there is no Event.
func TestLocateNumbers(t *testing.T) {
	var d changedataset.Decoder
	v := &change.ValueError{Text: change.TextValue, Err: errBad}
	wantError(t, d.Locate(v), wire.ParseError{Err: errBad})
	for path, data := range map[string][]byte{
		".int32Value": num(2, 5), ".int64Value": num(3, 5), ".floatValue": f32(4, 1), "": str(6, "1"),
	} {
		in := join(schema("t", col("a", "int")), row("t", after(data)))
		fatal(t, d.Open(in))
		var ev change.Event
		d.Next(&ev)
		ev.Rows.Next()
		ev.Rows.Select(change.After)
		v.Ref = ev.Rows.Column().Ref
		got := d.Locate(v)
		at := place(t, in, data)
		if path == "" {
			at -= 2 // the datum itself
		}
		if got.Path != "tableChange[0].afterData[0]"+path || got.Offset != at {
			t.Errorf("%s: %+v", path, got)
		}
	}
}
