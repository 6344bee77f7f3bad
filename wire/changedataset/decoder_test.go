package changedataset_test

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/wire"
	"github.com/cdcodec/cdcodec/wire/changedataset"
)

// show writes an Event as a line: type, database|table, and its columns, those of
// the before image first. A key has a *, a handle a #, an updated one a +.
func show(e event) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v %s|%s", e.Type, e.Database, e.Table)
	for im, cols := range [][]change.Column{e.before, e.after} {
		if len(cols) > 0 {
			b.WriteString([]string{" before", " after"}[im])
		}
		for _, c := range cols {
			b.WriteString(" " + string(c.Name))
			for _, f := range []struct {
				is   bool
				mark string
			}{{c.Key, "*"}, {c.Handle, "#"}, {c.Updated, "+"}} {
				if f.is {
					b.WriteString(f.mark)
				}
			}
			b.WriteString("=")
			if c.Null {
				b.WriteString("null")
			} else {
				b.Write(c.Value)
			}
		}
	}
	return b.String()
}

// TestRules is the page, spec/baidu-changedataset.md, beyond values.
func TestRules(t *testing.T) {
	ab := schema("d.t", col("a", "int"), col("b", "int"))
	v := func(n int64) []byte { return num(2, n) }
	for _, c := range []struct {
		name string
		in   []byte
		want string // lines of show
	}{
		{"nothing", nil, ""},
		{"no change", ab, ""},
		{"insert, update, delete", join(ab, row("d.t", after(v(1)), after(v(2))), row("d.t", before(v(1)), before(v(2)), after(v(1)), after(v(3))), row("d.t", before(v(1)), before(v(3)))),
			"INSERT d|t after a=1 b=2\nUPDATE d|t before a=1 b+=2 after a=1 b+=3\nDELETE d|t before a=1 b=3"},
		{"the images in any order", join(ab, row("d.t", after(v(1)), before(v(5)), after(v(2)), before(v(2)))), "UPDATE d|t before a+=5 b=2 after a+=1 b=2"},
		{"the schema behind the change", join(row("d.t", after(v(1)), after(v(2))), ab), "INSERT d|t after a=1 b=2"},
		{"the last schema counts", join(schema("d.t", col("x", "int")), ab, row("d.t", after(v(1)), after(v(2))), schema("d.t", col("p", "int"), col("q", "int"))), "INSERT d|t after p=1 q=2"},
		{"schemas are not merged", join(schema("d.t", col("p", "int"), col("q", "int")), schema("d.t", col("a", "int")), row("d.t", after(v(1)))), "INSERT d|t after a=1"},
		{"a tableName behind the columns", sub(3, col("a", "int"), str(1, "x"), str(1, "d.t")), ""},
		{"the last tableName counts", join(sub(3, str(1, "x"), col("a", "int"), str(1, "d.t")), sub(4, str(1, "y"), after(v(1)), str(1, "d.t"))), "INSERT d|t after a=1"},
		{"several tables", join(schema("d.u", col("u", "int")), ab, row("d.u", after(v(1))), row("d.t", after(v(1)), after(v(2))), row("d.u", before(v(3)))),
			"INSERT d|u after u=1\nINSERT d|t after a=1 b=2\nDELETE d|u before u=3"},
		{"equal changes stay apart", join(ab, row("d.t", after(v(1)), after(v(2))), row("d.t", after(v(1)), after(v(2)))), "INSERT d|t after a=1 b=2\nINSERT d|t after a=1 b=2"},
		{"a schema without a name matches nothing", join(sub(3, col("a", "int")), schema("", col("a", "int")), schema("t", col("b", "int")), row("t", after(v(1)))), "INSERT |t after b=1"},

		{"no dot", join(schema("t", col("a", "int")), row("t", after(v(1)))), "INSERT |t after a=1"},
		{"two dots", join(schema("a.b.c", col("a", "int")), row("a.b.c", after(v(1)))), "INSERT a|b.c after a=1"},
		{"a dot at the beginning", join(schema(".t", col("a", "int")), row(".t", after(v(1)))), "INSERT |t after a=1"},
		{"a dot at the end", join(schema("d.", col("a", "int")), row("d.", after(v(1)))), "INSERT d| after a=1"},
		{"a dot", join(schema(".", col("a", "int")), row(".", after(v(1)))), "INSERT | after a=1"},
		{"names are compared with their case", join(schema("d.T", col("T", "int")), schema("d.t", col("t", "int")), row("d.T", after(v(1)))), "INSERT d|T after T=1"},

		{"a key by keyFlag", join(schema("t", col("a", "int", key("PRI")), col("b", "int", key("MUL")), col("c", "int", key("UNI")), col("d", "int", key("pri"))), row("t", after(v(1)), after(v(2)), after(v(3)), after(v(4)))),
			"INSERT |t after a*=1 b=2 c=3 d=4"},
		{"a key by the bitmap", join(schema("t", col("a", "int", bitmap(0xfd)), col("b", "int", bitmap(0x02)), col("c", "int", bitmap(-1))), row("t", after(v(1)), after(v(2)), after(v(3)))),
			"INSERT |t after a=1 b*=2 c*=3"},
		{"a handle", join(schema("t", col("a", "int", key("UNI")), col("b", "int", key("UNI"), str(4, "YES")), col("c", "int", key("UNI"), notNull()), col("d", "int", notNull())), row("t", before(v(1)), before(v(2)), before(v(3)), before(v(4)))),
			"DELETE |t before a=1 b=2 c#=3 d=4"},
		{"no handle beside a key", join(schema("t", col("a", "int", key("UNI"), notNull()), col("b", "int", bitmap(2))), row("t", after(v(1)), after(v(2)))), "INSERT |t after a=1 b*=2"},
		{"a handle in a short schema", join(schema("t", sub(2, str(5, "UNI"), str(4, "NO"))), row("t", after(v(1)))), "INSERT |t after #=1"},

		{"a column without a name", join(schema("t", sub(2), sub(2, str(1, "b"))), row("t", after(v(1)), after(v(2)))), "INSERT |t after =1 b=2"},
		{"a name twice", join(schema("t", col("a", "int"), col("b", "int"), col("a", "int")), row("t", after(v(1)), after(v(2)), after(v(3)))), "INSERT |t after a=3 b=2"},
		{"a name three times", join(schema("t", col("a", "int"), col("a", "int"), col("a", "int")), row("t", after(v(1)), after(v(2)), after(v(3)))), "INSERT |t after a=3"},
		{"names twice, crossed", join(schema("t", col("a", "int"), col("b", "int"), col("b", "int"), col("a", "int"), col("c", "int")), row("t", after(v(1)), after(v(2)), after(v(3)), after(v(4)), after(v(5)))), "INSERT |t after a=4 b=3 c=5"},
		{"no name twice", join(schema("t", sub(2), col("a", "int"), sub(2), str(9, "?"), col("", "int")), row("t", after(v(1)), after(v(2)), after(v(3)), after(v(4)))), "INSERT |t after =4 a=2"},
		{"a name twice, the last null", join(schema("t", col("a", "int"), col("a", "int")), row("t", after(v(1)), after())), "INSERT |t after a=null"},
		{"a key twice, once in pkNames", join(schema("t", col("a", "int", key("PRI")), col("a", "int", key("PRI"))), row("t", after(v(1)), after(v(2)))), "INSERT |t after a*=2"},
		{"a key and not", join(schema("t", col("a", "int", key("PRI")), col("a", "int"), col("a", "int")), row("t", after(v(1)), after(v(2)), after(v(3)))), "INSERT |t after a*=3"},
		{"not a key and a key", join(schema("t", col("a", "int"), col("a", "int", key("PRI")), col("a", "int")), row("t", after(v(1)), after(v(2)), after(v(3)))), "INSERT |t after a*=3"},
		{"compared after that: same", join(schema("t", col("a", "int"), col("a", "int")), row("t", before(v(1)), before(v(2)), after(v(3)), after(v(2)))), "UPDATE |t before a=2 after a=2"},
		{"compared after that: other", join(schema("t", col("a", "int"), col("a", "int")), row("t", before(v(1)), before(v(2)), after(v(1)), after(v(3)))), "UPDATE |t before a+=2 after a+=3"},
		{"the last one's type", join(schema("t", col("a", "varchar(20)"), col("a", "tinyint unsigned")), row("t", after(v(-1)), after(v(-1)))), "INSERT |t after a=255"},
		{"a bit that is not shown", join(schema("t", col("a", "bit(8)"), col("a", "int")), row("t", after(str(5, "12345678")), after(v(1)))), "INSERT |t after a=1"},
		{"fields nobody knows", join(num(99, 1), sub(3, num(1, 1), str(1, "t"), sub(7), sub(2, str(1, "a"), f32(2, 1), str(20, "?"))), sub(4, num(3, 7), str(1, "t"), sub(8), after(num(30, 1), v(1)))), "INSERT |t after a=1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			events, err := open(t, new(changedataset.Decoder), c.in)
			fatal(t, err)
			var got []string
			for _, e := range events {
				got = append(got, show(e))
				if e.Kind != change.KindRows || !e.Promoted || e.CommitTS != 0 || e.IsDDL || e.SQL != nil || e.Partial {
					t.Errorf("%+v", e)
				}
			}
			if got := strings.Join(got, "\n"); got != c.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, c.want)
			}
		})
	}
}

// TestDatabaseOption gives a database to names without a dot, to no others.
func TestDatabaseOption(t *testing.T) {
	d := &changedataset.Decoder{Options: changedataset.Options{Database: "opt"}}
	for name, want := range map[string]string{"t": "opt|t", "d.t": "d|t", ".t": "|t", "d.": "d|"} {
		events, err := open(t, d, join(schema(name, col("a", "int")), row(name, after())))
		fatal(t, err)
		if got := string(events[0].Database) + "|" + string(events[0].Table); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	d.Options = changedataset.Options{}
	events, err := open(t, d, join(schema("t", col("a", "int")), row("t", after())))
	fatal(t, err)
	if len(events[0].Database) != 0 {
		t.Errorf("the database of the last Options: %s", events[0].Database)
	}
}

// TestES is birthTime * 1000, saturating.
func TestES(t *testing.T) {
	for in, want := range map[int64]int64{
		0: 0, 1: 1000, -1: -1000, 1668673476: 1668673476000, math.MaxInt64: math.MaxInt64, math.MinInt64: math.MinInt64,
		9223372036854775: 9223372036854775000, 9223372036854776: math.MaxInt64, -9223372036854775: -9223372036854775000, -9223372036854776: math.MinInt64,
	} {
		set := join(num(7, 5), schema("t", col("a", "int")), row("t", after()), num(7, in))
		events, err := open(t, new(changedataset.Decoder), set)
		fatal(t, err)
		if events[0].ES != want {
			t.Errorf("birthTime %d: es %d, want %d", in, events[0].ES, want)
		}
	}
}

// TestGTID is gtId joined with ",", of a sync point in parts too.
func TestGTID(t *testing.T) {
	id := func(s string) []byte { return str(3, s) }
	for _, c := range []struct {
		sync []byte
		want string
	}{
		{nil, ""}, {sub(2), ""}, {sub(2, id("a")), "a"}, {sub(2, id("")), ""}, {sub(2, id("a"), id("b"), id("c")), "a,b,c"},
		{sub(2, id(""), id("")), ","}, {join(sub(2, id("a"), id("b")), sub(2), num(6, 1), sub(2, num(1, 1), id("c"))), "a,b,c"}, {sub(2, num(3, 1), num(2, 7), str(4, "f")), ""},
	} {
		for _, in := range [][]byte{join(c.sync, schema("t", col("a", "int")), row("t", after()), row("t", before())), join(row("t", after()), row("t", after()), c.sync, schema("t", col("a", "int")))} {
			events, err := open(t, new(changedataset.Decoder), in)
			fatal(t, err)
			for _, e := range events {
				if string(e.GTID) != c.want {
					t.Errorf("gtid %q, want %q", e.GTID, c.want)
				}
			}
		}
	}
}

// TestNoRow is the errors of changes that are no row of a table.
func TestNoRow(t *testing.T) {
	two := schema("d.t", col("a", "int"), col("b", "int"))
	good := row("d.t", after(num(2, 1)), after(num(2, 2)))
	bad := row("d.t", after(num(2, 5)))
	extra := after(num(2, 99))
	for _, c := range []struct {
		name   string
		in     []byte
		at     []byte // where the error is
		path   string
		table  string
		number wire.Number
		err    error
	}{
		{"fewer after", join(good, bad, two), bad, "tableChange[1]", "d.t", 4, changedataset.ErrColumns},
		{"fewer before", join(two, row("d.t", before())), row("d.t", before()), "tableChange[0]", "d.t", 4, changedataset.ErrColumns},
		{"fewer before of an update", join(two, row("d.t", after(), before(), after())), row("d.t", after(), before(), after()), "tableChange[0]", "d.t", 4, changedataset.ErrColumns},
		{"more after", join(two, good, row("d.t", after(), after(), extra)), extra, "tableChange[1].afterData[2]", "d.t", 3, changedataset.ErrColumns},
		{"more before", join(row("d.t", after(), after(), before(), before(), before(num(2, 99)), before()), two), before(num(2, 99)), "tableChange[0].beforeData[2]", "d.t", 2, changedataset.ErrColumns},
		{"data of a table without columns", join(schema("d.t"), row("d.t", extra)), extra, "tableChange[0].afterData[0]", "d.t", 3, changedataset.ErrColumns},
		{"by the last schema", join(two, good, schema("d.t", col("a", "int"))), after(num(2, 2)), "tableChange[0].afterData[1]", "d.t", 3, changedataset.ErrColumns},
		{"no data", join(good, two, row("d.t")), row("d.t"), "tableChange[1]", "d.t", 4, changedataset.ErrNoData},
		{"no data of no table's", row("x"), row("x"), "tableChange[0]", "x", 4, changedataset.ErrNoData},
		{"no schema", join(two, good, row("d.x", after(num(2, 5)))), row("d.x", after(num(2, 5))), "tableChange[1]", "d.x", 4, changedataset.ErrNoSchema},
		{"no schema at all", good, good, "tableChange[0]", "d.t", 4, changedataset.ErrNoSchema},
		{"a schema of another case", join(two, row("D.t", after(), after())), row("D.t", after(), after()), "tableChange[0]", "D.t", 4, changedataset.ErrNoSchema},
		{"no tableName", join(two, good, sub(4, after(num(2, 5)))), sub(4, after(num(2, 5))), "tableChange[1]", "", 4, changedataset.ErrNoTable},
		{"no tableName nor anything", join(two, sub(4)), sub(4), "tableChange[0]", "", 4, changedataset.ErrNoTable},
		{"an empty tableName", join(two, sub(4, after(), str(1, ""))), str(1, ""), "tableChange[0].tableName", "", 1, changedataset.ErrNoTable},
		{"an empty tableName at last", join(schema("", col("a", "int")), sub(4, str(1, "d.t"), after(), str(1, ""))), str(1, ""), "tableChange[0].tableName", "", 1, changedataset.ErrNoTable},
	} {
		t.Run(c.name, func(t *testing.T) {
			offset := strings.LastIndex(string(c.in), string(c.at))
			if offset < 0 {
				t.Fatal("not in the input")
			}
			var d changedataset.Decoder
			fatal(t, d.Open(join(two, good)))
			ev := change.Event{Table: []byte("of before")}
			wantError(t, d.Open(c.in), wire.ParseError{Offset: offset, Path: c.path, Table: c.table, Number: c.number, Err: c.err})
			if d.Next(&ev) || !reflect.DeepEqual(ev, change.Event{}) {
				t.Errorf("an Event comes out: %+v", ev)
			}
			events, err := open(t, &d, join(two, good))
			if err != nil || len(events) != 1 {
				t.Errorf("after an error: %v, %d events", err, len(events))
			}
		})
	}
	d := changedataset.Decoder{Options: changedataset.Options{Database: "opt"}}
	wantError(t, d.Open(row("t")), wire.ParseError{Path: "tableChange[0]", Table: "opt.t", Number: 4, Err: changedataset.ErrNoData})
}

// TestMalformed breaks each message, used or not. What is no protobuf is told
// before what is no row, wherever it is.
func TestMalformed(t *testing.T) {
	noRow := row("x")
	for _, c := range []struct {
		name   string
		part   []byte
		number wire.Number // of the cut field
		path   string
		table  string
	}{
		{"at the top", cut(1), 1, "dbInstanceName", ""},
		{"nobody knows it", cut(77), 77, "", ""},
		{"a schema", cut(3), 3, "tableSchema[1]", ""},
		{"a change", cut(4), 4, "tableChange[1]", ""},
		{"gtId", sub(2, str(3, "a"), cut(3)), 3, "syncPoint.gtId[1]", ""},
		{"sync point", sub(2, cut(9)), 9, "syncPoint", ""},
		{"a schema's name", sub(3, cut(1)), 1, "tableSchema[1].tableName", ""},
		{"an unused schema", schema("d.u", col("a", "int"), cut(2)), 2, "tableSchema[1].columns[1]", "d.u"},
		{"a schema's unknown field", schema("d.u", cut(3)), 3, "tableSchema[1]", "d.u"},
		{"columnType", schema("d.u", col("a", "int"), sub(2, str(1, "b"), cut(2))), 2, "tableSchema[1].columns[1].columnType", "d.u"},
		{"extra of a superseded schema", schema("d.t", sub(2, cut(7))), 7, "tableSchema[1].columns[0].extra", "d.t"},
		{"extra of a schema without a name", sub(3, sub(2, cut(7))), 7, "tableSchema[1].columns[0].extra", ""},
		{"unknown field of a column", schema("d.u", sub(2, cut(20))), 20, "tableSchema[1].columns[0]", "d.u"},
		{"a change's name", sub(4, cut(1)), 1, "tableChange[1].tableName", ""},
		{"data", row("d.t", after(), cut(3)), 3, "tableChange[1].afterData[1]", "d.t"},
		{"bytesValue", row("d.t", before(), before(num(2, 1), cut(5))), 5, "tableChange[1].beforeData[1].bytesValue", "d.t"},
		{"isNull", row("d.t", before(), after(cut(6)), before()), 6, "tableChange[1].afterData[0].isNull", "d.t"},
		{"unknown field of data", row("d.t", after(cut(8))), 8, "tableChange[1].afterData[0]", "d.t"},
		{"a known number with another type", row("d.t", after(cut(2))), 2, "tableChange[1].afterData[0]", "d.t"},
		{"the name behind the error", sub(4, after(cut(1)), str(1, "d.t")), 1, "tableChange[1].afterData[0].stringValue", "d.t"},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := join(noRow, schema("d.t", col("a", "int")), c.part)
			var d changedataset.Decoder
			wantError(t, d.Open(in), wire.ParseError{Offset: place(t, in, cut(c.number)), Path: c.path, Table: c.table, Number: c.number, Err: wire.ErrTruncated})
			if d.Next(new(change.Event)) {
				t.Error("an Event comes out")
			}
		})
	}
	for _, c := range []struct {
		name string
		data []byte
		want error
	}{
		{"varint of eleven bytes", append([]byte{0x10}, strings.Repeat("\x80", 10)+"\x00"...), wire.ErrVarint},
		{"tenth byte above 1", append([]byte{0x18}, strings.Repeat("\xff", 9)+"\x02"...), wire.ErrVarint},
		{"varint cut", []byte{0x10, 0x80}, wire.ErrTruncated},
		{"float cut", []byte{0x25, 1, 2, 3}, wire.ErrTruncated},
		{"no value", []byte{0x0a}, wire.ErrTruncated},
		{"number 0", []byte{0x02, 0}, wire.ErrNumber},
		{"wire type 7", []byte{0x0f}, wire.ErrType},
		{"stray end of a group", []byte{0x0c}, wire.ErrGroup},
		{"huge length", []byte{0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}, wire.ErrTruncated},
		{"nested too deep", []byte(strings.Repeat("\x53", 99)), wire.ErrDepth},
	} {
		in := join(schema("d.t", col("a", "int")), row("d.t", after(num(2, 1), c.data)))
		err, ok := new(changedataset.Decoder).Open(in).(*wire.ParseError)
		if !ok || err.Err != c.want || err.Table != "d.t" || !strings.HasPrefix(err.Path, "tableChange[0].afterData[0]") {
			t.Errorf("%s: %+v, want %v", c.name, err, c.want)
		}
	}
}

// TestRowsContract moves the cursor with columns left.
func TestRowsContract(t *testing.T) {
	var d changedataset.Decoder
	var ev change.Event
	fatal(t, d.Open(join(schema("t", col("a", "int"), col("b", "int")), row("t", after(num(2, 1)), after(num(2, 2))))))
	if d.Index() != -1 {
		t.Errorf("before the first Next the index is %d", d.Index())
	}
	if !d.Next(&ev) || ev.Rows.Column() != nil {
		t.Fatal("no Event, or a column before the first row")
	}
	for walk := range 3 {
		if walk > 0 {
			ev.Rows.Rewind()
		}
		if ev.Rows.Column() != nil || !ev.Rows.Next() || ev.Rows.Column() != nil {
			t.Fatal("a column before any Select, or no row")
		}
		ev.Rows.Select(change.After)
		ev.Rows.Column()
		ev.Rows.Select(change.After)
		if c := ev.Rows.Column(); string(c.Name) != "a" {
			t.Errorf("Select again gives %s", c.Name)
		}
		if ev.Rows.Next() {
			t.Error("a second row")
		}
	}
	ev.Rows.Rewind()
	ev.Rows.Next()
	ev.Rows.Select(change.Before)
	if ev.Rows.Column() != nil || ev.Rows.MaxNames(change.Before) != 0 || ev.Rows.MaxNames(change.After) != 2 {
		t.Error("an INSERT has a before image")
	}
	for range 2 {
		if d.Next(&ev) || ev.Rows != nil {
			t.Error("a second Event")
		}
	}
	d.Reset()
	if d.Next(&ev) || d.Index() != -1 {
		t.Error("an Event after Reset")
	}
	if new(changedataset.Decoder).Next(&ev) {
		t.Error("an Event of a zero Decoder")
	}
}

// TestNamesStay has names and types be good as long as the Event, and a value
// until the next Column.
func TestNamesStay(t *testing.T) {
	var d changedataset.Decoder
	var ev change.Event
	// short and long ones, see tables.go
	fatal(t, d.Open(join(schema("t", col("a", "int"), col("b", "bit(1)"), col("a long name", "varbinary(100)")), row("t", after(num(2, 1)), after(str(5, "\x01")), after(str(5, "\xff"))))))
	d.Next(&ev)
	ev.Rows.Next()
	ev.Rows.Select(change.After)
	var names, types [][]byte
	var refs []uint32
	for c := ev.Rows.Column(); c != nil; c = ev.Rows.Column() {
		names, types, refs = append(names, c.Name), append(types, c.MySQLType), append(refs, c.Ref)
		value := string(c.Value)
		for _, ref := range refs {
			ev.Rows.At(ref)
		}
		if string(c.Value) != value {
			t.Errorf("At has made %q of %q", c.Value, value)
		}
	}
	if got := fmt.Sprintf("%s %s", names, types); got != "[a b a long name] [int bit(1) varbinary(100)]" {
		t.Error(got)
	}
}

// TestHeavy marks what takes long to read, in either image.
func TestHeavy(t *testing.T) {
	many := func(n int) []byte { return after([]byte(strings.Repeat(string(num(2, 1)), n))) }
	for n, want := range map[int]bool{1: false, 63: false, 64: true, 1000: true} {
		events, err := open(t, new(changedataset.Decoder), join(schema("t", col("a", "int")), row("t", many(n)), row("t", before(), many(n))))
		fatal(t, err)
		for _, c := range []change.Column{events[0].after[0], events[1].before[0], events[1].after[0]} {
			if c.Heavy != want {
				t.Errorf("%d fields: heavy is %v", n, c.Heavy)
			}
		}
	}
}

// TestTooLarge refuses a record whose places would not fit.
func TestTooLarge(t *testing.T) {
	if testing.Short() {
		t.Skip("half a gigabyte of nothing")
	}
	err := new(changedataset.Decoder).Open(make([]byte, 1<<29))
	wantError(t, err, wire.ParseError{Err: changedataset.ErrTooLarge})
}

// TestWrittenTo overwrites a record that is open: nonsense may come out, and no
// panic.
func TestWrittenTo(t *testing.T) {
	record := usual(newRand(), 1, 4)[0]
	for i := range len(record) {
		var d changedataset.Decoder
		var ev change.Event
		in := append([]byte{}, record...)
		fatal(t, d.Open(in))
		d.Next(&ev)
		walkRows(ev.Rows)
		for j := i; j < len(in); j += 7 {
			in[j] = byte(i * j)
		}
		walkRows(ev.Rows)
		for d.Next(&ev) {
			walkRows(ev.Rows)
		}
	}
}
