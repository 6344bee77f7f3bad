package fastjson_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/fastjson"
)

// tiSection returns the value of a key of a message of rows of dialect ticdc.
func tiSection(t testing.TB, msg, key string) string {
	t.Helper()
	order := []string{"sqlType", "mysqlType", "old", "data", ""}
	for i, k := range order[:4] {
		if k != key {
			continue
		}
		_, rest, ok := strings.Cut(msg, `,"`+k+`":`)
		value := strings.TrimSuffix(rest, "}")
		if order[i+1] != "" {
			value, _, _ = strings.Cut(rest, `,"`+order[i+1]+`":`)
		}
		if ok {
			return value
		}
	}
	t.Fatalf("no %s in %s", key, msg)
	return ""
}

// tiSections returns the values of a key of all messages of ev, separated by spaces.
func tiSections(t testing.TB, o fastjson.Options, ev *change.Event, key string) string {
	t.Helper()
	var all []string
	for _, m := range messagesOf(t, o, ev, meta) {
		all = append(all, tiSection(t, m, key))
	}
	return strings.Join(all, " ")
}

// TestTiCDC_4_Old has old in full, and of what differs.
func TestTiCDC_4_Old(t *testing.T) {
	update := func(before, after columns) *change.Event {
		return rowsOf(change.Update, change.Row{Before: before, After: after})
	}
	for _, c := range []struct {
		name        string
		ev          *change.Event
		full, short string
	}{
		{"T03: null to a value", update(columns{col("id", "1", key), col("c", "", null)}, columns{col("id", "1", key), col("c", "x", updated)}),
			`[{"id":"1","c":null}]`, `[{"c":null}]`},
		{"a value to null", update(columns{col("c", "x")}, columns{col("c", "", null)}), `[{"c":"x"}]`, `[{"c":"x"}]`},
		{"null to nothing", update(columns{col("c", "", null)}, columns{col("c", "")}), `[{"c":null}]`, `[{"c":null}]`},
		{"null to null, with other values", update(columns{col("c", "x", null)}, columns{col("c", "y", null)}), `[{"c":null}]`, `[{}]`},
		{"T04: nothing differs", update(columns{col("a", "1"), col("b", "")}, columns{col("a", "1"), col("b", "")}), `[{"a":"1","b":""}]`, `[{}]`},
		{"flags do not count", update(columns{col("a", "1"), col("b", "2", updated)}, columns{col("a", "1", updated), col("b", "3")}),
			`[{"a":"1","b":"2"}]`, `[{"b":"2"}]`},
		{"T05: each row its own", rowsOf(change.Update,
			change.Row{Before: columns{col("x", "1"), col("y", "a")}, After: columns{col("x", "2", updated), col("y", "a")}},
			change.Row{Before: columns{col("x", "5"), col("y", "b")}, After: columns{col("x", "5"), col("y", "c", updated)}}),
			`[{"x":"1","y":"a"}] [{"x":"5","y":"b"}]`, `[{"x":"1"}] [{"y":"b"}]`},
		{"T08: a minimal image", update(columns{col("id", "7", key)}, columns{col("students", "20", updated)}), `[{"id":"7"}]`, `[{"id":"7"}]`},
		{"nothing before", update(nil, columns{col("a", "1")}), `[{}]`, `[{}]`},
		{"in before order", update(columns{col("b", "1"), col("c", "2"), col("a", "3")}, columns{col("a", "x"), col("b", "x"), col("c", "2")}),
			`[{"b":"1","c":"2","a":"3"}]`, `[{"b":"1","a":"3"}]`},
		{"a name twice before", update(columns{col("a", "1"), col("b", "2"), col("a", "3")}, columns{col("a", "1"), col("b", "2")}),
			`[{"a":"3","b":"2"}]`, `[{"a":"3"}]`},
		{"twice before, the last is as it was", update(columns{col("a", "1"), col("b", "2"), col("a", "3")}, columns{col("a", "3"), col("b", "4")}),
			`[{"a":"3","b":"2"}]`, `[{"b":"2"}]`},
		{"a name twice after", update(columns{col("a", "1"), col("b", "2")}, columns{col("a", "1"), col("b", "2"), col("a", "3")}),
			`[{"a":"1","b":"2"}]`, `[{"a":"1"}]`},
		{"twice after, the last is as it was", update(columns{col("a", "1")}, columns{col("a", "3"), col("a", "1")}), `[{"a":"1"}]`, `[{}]`},
		{"twice in both", update(columns{col("a", "1"), col("a", "2")}, columns{col("a", "2"), col("a", "2")}), `[{"a":"2"}]`, `[{}]`},
		{"twice before and not after", update(columns{col("z", "1"), col("z", "", null)}, columns{col("a", "2")}), `[{"z":null}]`, `[{"z":null}]`},
		{"in one row and not in the next", rowsOf(change.Update,
			change.Row{Before: columns{col("a", "1"), col("b", "2")}, After: columns{col("a", "1"), col("b", "2")}},
			change.Row{Before: columns{col("a", "1"), col("b", "2")}, After: columns{col("a", "1")}},
			change.Row{Before: columns{col("b", "2")}, After: columns{col("a", "1"), col("b", "2")}}),
			`[{"a":"1","b":"2"}] [{"a":"1","b":"2"}] [{"b":"2"}]`, `[{}] [{"b":"2"}] [{}]`},
		{"names differ in their bytes", update(columns{col("\xff", "1"), col("\xfe", "2")}, columns{col("\xff", "1"), col("\xfe", "3")}),
			`[{"\ufffd":"1","\ufffd":"2"}]`, `[{"\ufffd":"2"}]`},
		{"names differ in case", update(columns{col("A", "1")}, columns{col("a", "1")}), `[{"A":"1"}]`, `[{"A":"1"}]`},
		{"INSERT", rowsOf(change.Insert, change.Row{Before: columns{col("a", "1")}, After: columns{col("a", "2")}}), "null", "null"},
		{"DELETE", rowsOf(change.Delete, change.Row{Before: columns{col("a", "1")}, After: columns{col("a", "2")}}), "null", "null"},
	} {
		for _, o := range []struct {
			tiOptions
			want string
		}{{tiOptions{}, c.full}, {tiOptions{OnlyUpdated: true}, c.short}, {tiOptions{ContentCompatible: true}, c.short}} {
			if got := tiSections(t, ticdc(o.tiOptions), c.ev, "old"); got != o.want {
				t.Errorf("%s, %+v: old is %s, want %s", c.name, o.tiOptions, got, o.want)
			}
		}
	}
}

// TestTiCDC_4_Partial completes old where the before image holds only what changed.
func TestTiCDC_4_Partial(t *testing.T) {
	for _, c := range []struct {
		name          string
		before, after columns
		full, short   string
	}{
		{"some", columns{col("b", "1")}, columns{col("a", "x"), col("b", "2"), col("c", "", null)}, `[{"a":"x","b":"1","c":null}]`, `[{"b":"1"}]`},
		{"none", nil, columns{col("a", "x"), col("b", "2")}, `[{"a":"x","b":"2"}]`, `[{}]`},
		{"all", columns{col("b", "1"), col("a", "y")}, columns{col("a", "x"), col("b", "2")}, `[{"a":"y","b":"1"}]`, `[{"b":"1","a":"y"}]`},
		{"in the order of after", columns{col("c", "3"), col("a", "1")}, columns{col("a", "x"), col("b", "y"), col("c", "z")}, `[{"a":"1","b":"y","c":"3"}]`, `[{"c":"3","a":"1"}]`},
		{"what has not changed", columns{col("a", "x")}, columns{col("a", "x"), col("b", "y")}, `[{"a":"x","b":"y"}]`, `[{}]`},
		{"a column that is no more", columns{col("z", "9"), col("a", "1")}, columns{col("a", "x")}, `[{"a":"1","z":"9"}]`, `[{"z":"9","a":"1"}]`},
		{"a null", columns{col("a", "", null)}, columns{col("a", "x")}, `[{"a":null}]`, `[{"a":null}]`},
		{"twice", columns{col("a", "1"), col("z", "2"), col("a", "3"), col("z", "4")}, columns{col("b", "y"), col("a", "x"), col("b", "z")}, `[{"b":"z","a":"3","z":"4"}]`, `[{"a":"3","z":"4"}]`},
	} {
		ev := rowsOf(change.Update, change.Row{Before: c.before, After: c.after}, change.Row{Before: c.before, After: c.after})
		ev.Partial = true
		if got := tiSections(t, ticdc(tiOptions{}), ev, "old"); got != c.full+" "+c.full {
			t.Errorf("%s: old is %s, want %s", c.name, got, c.full)
		}
		if got := tiSections(t, ticdc(tiOptions{OnlyUpdated: true}), ev, "old"); got != c.short+" "+c.short {
			t.Errorf("%s: short old is %s, want %s", c.name, got, c.short)
		}
		ev.Type = change.Insert
		if got := tiSections(t, ticdc(tiOptions{}), ev, "old"); got != "null null" {
			t.Errorf("%s: old of an INSERT is %s", c.name, got)
		}
	}
}

// TestTiCDC_5_MySQLType has types without their parameters, and with them.
func TestTiCDC_5_MySQLType(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"decimal(10, 4)", "decimal"}, {"char(16)", "char"}, {"varchar(16)", "varchar"}, {"binary(16)", "binary"}, {"varbinary(16)", "varbinary"},
		{"enum('a','b','c')", "enum"}, {"set('a','b','c')", "set"}, {"bit(64)", "bit"}, {"int(11)", "int"}, // seed 002
		{"int(10) unsigned", "int unsigned"}, {"INT(10) UNSIGNED", "int unsigned"}, {"int(5) zerofill", "int unsigned zerofill"},
		{"int(5) unsigned zerofill", "int unsigned zerofill"}, {"bigint unsigned", "bigint unsigned"}, {"tinyint(3) unsigned", "tinyint unsigned"},
		{"float unsigned", "float unsigned"}, {"double(10,2) unsigned", "double unsigned"}, {"decimal(10,2) unsigned zerofill", "decimal unsigned zerofill"},
		{"bit(8) unsigned", "bit"}, {"year(4) unsigned zerofill", "year"},
		{"integer", "int"}, {"bool", "tinyint"}, {"boolean", "tinyint"}, {"numeric(5)", "decimal"}, {"dec(5,2) unsigned", "decimal unsigned"}, {"REAL", "double"},
		{"enum('a,b','it''s',')','unsigned')", "enum"}, {"datetime(6)", "datetime"}, {"timestamp(3)", "timestamp"}, {"time(2)", "time"}, {"vector(3)", "vector"},
		{"varchar(255) CHARACTER SET utf8mb4", "varchar"},
		{"", ""}, {"geometry", "geometry"}, {"POINT srid 4326", "point"}, {" Int4(5) unsigned", "int4"}, {"(int)", ""}, {"Ünï_1(3)", "Ünï_1"},
		{"\xffA", `\ufffda`}, {"<x>", ""}, {strings.Repeat("Long", 300) + "(1)", strings.Repeat("long", 300)},
	} {
		// Three rows, so that the last repeats one and is copied.
		row := change.Row{After: columns{col("c", "", typed(0, c.in))}}
		other := change.Row{After: columns{col("c", "", typed(0, "other"))}}
		want := fmt.Sprintf(`{"c":"%s"}`, c.want)
		if got := tiSections(t, ticdc(tiOptions{}), rowsOf(change.Insert, other, row, row), "mysqlType"); got != `{"c":"other"} `+want+" "+want {
			t.Errorf("%q is %s, want %s", c.in, got, want)
		}
	}
	for _, c := range []struct{ in, want string }{
		{"decimal(10, 4)", "decimal(10, 4)"}, {"ENUM('a,b','it''s')", "ENUM('a,b','it''s')"}, {"int(5) zerofill", "int(5) zerofill"},
		{"", ""}, {"geometry", "geometry"}, {"set('<')", `set('\u003c')`},
	} {
		ev := rowsOf(change.Insert, change.Row{After: columns{col("c", "", typed(0, c.in))}})
		if got := tiSections(t, ticdc(tiOptions{ContentCompatible: true}), ev, "mysqlType"); got != `{"c":"`+c.want+`"}` {
			t.Errorf("content-compatible %q is %s, want %s", c.in, got, c.want)
		}
	}
}

// TestTiCDC_6_SQLType has every type, and unsigned values on both sides of each
// boundary.
func TestTiCDC_6_SQLType(t *testing.T) {
	const said = 1111 // what the column says of itself
	for _, c := range []struct {
		mysqlType, value string
		want             int
	}{
		{"tinyint(4)", "-128", -6}, {"tinyint(4)", "127", -6}, {"tinyint(1)", "1", -6}, {"boolean", "1", -6}, {"bool", "0", -6},
		{"smallint(6)", "-32768", 5}, {"smallint", "32767", 5}, {"mediumint(9)", "8388607", 4}, {"int(11)", "2147483647", 4}, {"integer", "1", 4},
		{"bigint(20)", "-9223372036854775808", -5}, {"bigint", "9223372036854775807", -5},
		{"float", "1.5", 7}, {"double", "1.5", 8}, {"real", "1", 8}, {"decimal(10,2)", "1.50", 3}, {"numeric", "1", 3},
		{"char(3)", "x", 1}, {"varchar(3)", "x", 12}, {"json", "{}", 12}, {"year(4)", "0000", 12}, {"vector(2)", "[1,2]", 12},
		{"binary(3)", "x", 2004}, {"varbinary(3)", "x", 2004}, {"tinyblob", "", 2004}, {"blob", "", 2004}, {"mediumblob", "", 2004}, {"longblob", "", 2004},
		{"tinytext", "", 2005}, {"text", "", 2005}, {"mediumtext", "", 2005}, {"longtext", "", 2005},
		{"date", "0000-00-00", 91}, {"time(3)", "-838:59:59", 92}, {"datetime", "2019-06-15 11:27:01.905", 93}, {"timestamp(6)", "0000-00-00 00:00:00", 93},
		{"enum('a','b')", "2", 4}, {"set('x','y')", "3", -7}, {"bit(64)", "511", -7}, // T16

		{"tinyint(3) unsigned", "0", -6}, {"tinyint(3) unsigned", "127", -6}, {"tinyint(3) unsigned", "128", 5}, {"tinyint(3) unsigned", "255", 5},
		{"smallint unsigned", "32767", 5}, {"smallint unsigned", "32768", 4}, {"smallint unsigned", "65535", 4},
		{"mediumint unsigned", "8388607", 4}, {"mediumint unsigned", "8388608", 4}, {"mediumint unsigned", "16777215", 4},
		{"int unsigned", "2147483647", 4}, {"int unsigned", "2147483648", -5}, {"int unsigned", "4294967295", -5},
		{"bigint unsigned", "9223372036854775807", -5}, {"bigint unsigned", "9223372036854775808", 3}, {"bigint unsigned", "18446744073709551615", 3},
		{"bigint unsigned", "18446744073709551616", -5}, {"tinyint unsigned", "99999999999999999999", -6},
		{"int(5) zerofill", "2147483648", -5}, {"tinyint(3) zerofill", "00200", 5}, {"INT UNSIGNED", "2147483648", -5},
		{"tinyint unsigned", "", -6}, {"tinyint unsigned", "-1", -6}, {"tinyint unsigned", "+200", -6}, {"tinyint unsigned", "200.0", -6}, {"tinyint unsigned", " 200", -6},
		{"tinyint", "200", -6}, {"int", "2147483648", 4}, {"bigint", "9223372036854775808", -5}, {"float unsigned", "1e39", 7}, {"bit(8) unsigned", "255", -7},

		{"", "1", said}, {"geometry", "x", said}, {"int4 unsigned", "2147483648", said}, {"point", "", said},
	} {
		for _, promoted := range []bool{false, true} {
			ev := rowsOf(change.Insert, change.Row{After: columns{col("c", c.value, typed(said, c.mysqlType))}})
			ev.Promoted = promoted
			want := c.want
			if promoted {
				want = said
			}
			if got := tiSections(t, ticdc(tiOptions{}), ev, "sqlType"); got != fmt.Sprintf(`{"c":%d}`, want) {
				t.Errorf("%s %q, promoted %v: %s, want %d", c.mysqlType, c.value, promoted, got, want)
			}
		}
		// A null has the base type, whatever its value says.
		ev := rowsOf(change.Insert, change.Row{After: columns{col("c", "18446744073709551615", null, typed(said, c.mysqlType))}})
		want := map[int]int{5: -6, 4: 5, -5: 4, 3: -5}
		base := c.want
		if strings.HasPrefix(strings.ToLower(c.mysqlType), "tinyint") {
			base = -6
		} else if strings.HasPrefix(c.mysqlType, "smallint") {
			base = 5
		} else if strings.HasPrefix(strings.ToLower(c.mysqlType), "int") && c.want != said {
			base = want[-5]
		} else if strings.HasPrefix(c.mysqlType, "bigint") {
			base = -5
		}
		if got := tiSections(t, ticdc(tiOptions{}), ev, "sqlType"); got != fmt.Sprintf(`{"c":%d}`, base) {
			t.Errorf("%s null: %s, want %d", c.mysqlType, got, base)
		}
	}
	// T09: each row by its own value; and a row that is like the one before it, but for
	// the value.
	var rows []change.Row
	for _, value := range []string{"200", "100", "101", "201", "202"} {
		rows = append(rows, change.Row{After: columns{col("u", value, typed(5, "tinyint(3) unsigned"))}})
	}
	if got := tiSections(t, ticdc(tiOptions{}), rowsOf(change.Insert, rows...), "sqlType"); got != `{"u":5} {"u":-6} {"u":-6} {"u":5} {"u":5}` {
		t.Errorf("T09: %s", got)
	}
}

// TestTiCDC_7_Values has values as they are.
func TestTiCDC_7_Values(t *testing.T) {
	for _, c := range []struct{ mysqlType, value, want string }{
		{"json", `{"k":"a\nb","p":"x\\.y"}`, `{\"k\":\"a\\nb\",\"p\":\"x\\\\.y\"}`}, // T13
		{"json", "null", "null"},
		{"longblob", "\u00e6\u0088\u0091", "\u00e6\u0088\u0091"}, // T10
		{"varbinary(16)", "\x05\x07\n\x0f$2+cx<&\u00ff\u00fe-7F", `\u0005\u0007\n\u000f$2+cx\u003c\u0026ÿþ-7F`}, // T11
		{"text", "😀", "😀"}, {"text", "\u2028", `\u2028`}, // T12
		{"datetime", "0000-00-00 00:00:00", "0000-00-00 00:00:00"}, {"time", "-00:00:00.12", "-00:00:00.12"}, {"year", "0000", "0000"}, // T14
		{"decimal(10,2)", "500.00", "500.00"}, {"double", "1.0E10", "1.0E10"}, {"double", "-0", "-0"}, {"float", "+Inf", "+Inf"}, // T16b
		{"enum('a','b')", "2", "2"}, {"set('x','y')", "3", "3"}, // T16
	} {
		ev := rowsOf(change.Delete, change.Row{Before: columns{col("c", c.value, typed(1, c.mysqlType)), col("n", c.value, null), {Name: []byte("e")}}})
		if got, want := tiSections(t, ticdc(tiOptions{}), ev, "data"), `[{"c":"`+c.want+`","n":null,"e":""}]`; got != want {
			t.Errorf("%q: data is %s, want %s", c.value, got, want)
		}
	}
}

// TestTiCDCNamesTwice has the first position and the last of all else. Names are told
// apart by their bytes.
func TestTiCDCNamesTwice(t *testing.T) {
	row := change.Row{After: columns{
		col("a", "1", typed(1, "int")), col("b", "2", typed(2, "text")), col("a", "300", typed(3, "smallint(6)")), col("", "4", typed(4, "")), col("", "5", null, typed(5, "")),
	}}
	ev := rowsOf(change.Insert, row, change.Row{After: columns{col("b", "9", typed(2, "text"))}}, row, row)
	for key, want := range map[string]string{
		"sqlType":   `{"a":5,"b":2005,"":5}`,
		"mysqlType": `{"a":"smallint","b":"text","":""}`,
		"data":      `[{"a":"300","b":"2","":null}]`,
	} {
		second := map[string]string{"sqlType": `{"b":2005}`, "mysqlType": `{"b":"text"}`, "data": `[{"b":"9"}]`}[key]
		if got := tiSections(t, ticdc(tiOptions{}), ev, key); got != want+" "+second+" "+want+" "+want {
			t.Errorf("%s is %s", key, got)
		}
	}
	ev = rowsOf(change.Insert, change.Row{After: columns{col("\xff", "1"), col("\ufffd", "2"), col("\xfe", "3"), col("\xff", "4")}})
	if got := tiSections(t, ticdc(tiOptions{}), ev, "data"); got != "[{\"\\ufffd\":\"4\",\"\ufffd\":\"2\",\"\\ufffd\":\"3\"}]" {
		t.Errorf("names that only repair makes equal: %s", got)
	}
}

// oddSizer finds messages of an odd number of bytes too large, but no stub.
type oddSizer struct{}

func (oddSizer) SizeOf(message []byte) int {
	if strings.Contains(string(message), "onlyHandleKey") {
		return 0
	}
	return len(message) % 2 * 1000
}

// TestTiCDCRowsInTurn has rows that are like the one before them and rows that are
// not, in all that could be copied wrongly.
func TestTiCDCRowsInTurn(t *testing.T) {
	a := func(value string, marks ...mark) change.Column {
		return col("a", value, append([]mark{typed(4, "int")}, marks...)...)
	}
	b := func(marks ...mark) change.Column {
		return col("b", "x", append([]mark{typed(12, "varchar(9)")}, marks...)...)
	}
	images := []columns{
		{a("1"), b()}, {a("2"), b()}, {a("3", key), b()}, {a("3", key), b()}, {a("4"), b()}, {a("4")}, {}, {a("4")}, {a("4"), b()}, {b(), a("4")}, {b(), a("4")},
		{a("5"), b(typed(12, "varchar(8)"))}, {a("5"), b(typed(1, "char(8)"))}, {a("6", typed(4, "int unsigned")), b(typed(1, "char(8)"))},
		{a("3000000000", typed(4, "int unsigned")), b(typed(1, "char(8)"))}, {a("3000000001", typed(4, "int unsigned")), b(typed(1, "char(8)"))},
		{a("1"), b(), a("1")}, {a("1"), b(), a("1")}, {a("1"), b()}, {a("1", asHandle), b()}, {a("1"), b(), col("c", "")}, {a("1"), b(), col("c", "")},
		{a("1"), b(key), col("c", "", key)}, {a("1"), b(key), col("c", "")},
	}
	var rows []change.Row
	for _, image := range images {
		rows = append(rows, change.Row{Before: image, After: image})
	}
	for _, o := range []tiOptions{{}, {ContentCompatible: true}, {Extension: true, DataFirst: true}, {Extension: true, MaxMessage: 100, Large: fastjson.HandleKeyOnly, Sizer: oddSizer{}}} {
		for typ := change.Insert; typ <= change.Delete; typ++ {
			ev := shop(rowsOf(typ, rows...))
			if o.MaxMessage > 0 {
				for i := range rows {
					for j := range images[i] {
						images[i][j].Handle = string(images[i][j].Name) == "a"
					}
				}
			}
			got := messagesOf(t, ticdc(o), ev, meta)
			var want []string
			for i := range rows {
				want = append(want, messagesOf(t, ticdc(o), shop(rowsOf(typ, rows[i])), meta)...)
			}
			if stubs := strings.Count(strings.Join(got, ""), "onlyHandleKey"); o.MaxMessage > 0 && (stubs < 3 || stubs > len(got)-3) {
				t.Errorf("%v: %d messages of %d are stubs: this tested little", typ, stubs, len(got))
			}
			if len(got) != len(images)-1 || strings.Join(got, "\n") != strings.Join(want, "\n") {
				t.Errorf("%v, %+v: together\n%s\none by one\n%s", typ, o, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		}
	}
}
