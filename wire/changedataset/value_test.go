package changedataset_test

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/wire"
	"github.com/cdcodec/cdcodec/wire/changedataset"
)

const null = "\x00null" // the value of a column that is null

// one decodes the INSERT of one column.
func one(t *testing.T, d *changedataset.Decoder, column []byte, data ...[]byte) change.Column {
	t.Helper()
	events, err := open(t, d, join(schema("d.t", column), row("d.t", after(data...))))
	fatal(t, err)
	if len(events) != 1 || len(events[0].after) != 1 {
		t.Fatalf("%+v", events)
	}
	return events[0].after[0]
}

// TestValue is the rules of what a value is and how it prints, and of sqlType.
func TestValue(t *testing.T) {
	s := func(v string) []byte { return str(1, v) }
	i32 := func(v int64) []byte { return num(2, v) }
	i64 := func(v int64) []byte { return num(3, v) }
	f := func(v float32) []byte { return f32(4, v) }
	b := func(v string) []byte { return str(5, v) }
	isNull := func(v string) []byte { return str(6, v) }
	type fields [][]byte
	all := fields{b("\xff"), f(2.5), i32(32), i64(64), s("str")}
	for _, c := range []struct {
		name    string
		typ     string
		bitmap  int64
		data    fields
		want    string
		sqlType int32
	}{
		// "Value: the one field on the wire", whatever the type.
		{"string", "varchar(256)", 0, fields{s("text")}, "text", 12},
		{"empty string", "varchar(256)", 0, fields{s("")}, "", 12},
		{"string of an int", "int(10)", 0, fields{s("007")}, "007", 4},
		{"string of a bit", "bit(8)", 0, fields{s("b'1'")}, "b'1'", -7},
		{"string of a blob is as is", "blob", 0, fields{s("\xe6\x88\x91")}, "\xe6\x88\x91", 2004},
		{"string that is not UTF-8", "char(3)", 0, fields{s("\xff\xfe")}, "\xff\xfe", 1},
		{"int32", "int(10)", 0, fields{i32(-5)}, "-5", 4},
		{"int32 of a varchar", "varchar(3)", 0, fields{i32(12)}, "12", 12},
		{"int32 takes the low 32 bits", "int(10)", 0, fields{i32(1<<32 + 7)}, "7", 4},
		{"int32 low 32 bits, negative", "int(10)", 0, fields{i32(0xffffffff)}, "-1", 4},
		{"int32 min", "int", 0, fields{i32(math.MinInt32)}, "-2147483648", 4},
		{"int64", "bigint(20)", 0, fields{i64(math.MinInt64)}, "-9223372036854775808", -5},
		{"int64 max", "bigint(20)", 0, fields{i64(math.MaxInt64)}, "9223372036854775807", -5},
		{"int64 of a year", "year(4)", 0, fields{i64(2024)}, "2024", 12},
		{"int64 of an enum", "enum('a','b')", 0, fields{i64(2)}, "2", 4},
		{"int64 of a set", "set('a','b')", 0, fields{i64(5)}, "5", -7},
		{"bytes of an int are widened", "int", 0, fields{b("\x31\x80")}, "1\xc2\x80", 4},
		{"bytes of a date", "date", 0, fields{b("2024-02-29")}, "2024-02-29", 91},
		{"none", "int", 0, nil, null, 4},
		{"only sqlType", "int", 0, fields{str(7, "4")}, null, 4},
		{"a value's number with another type", "int", 0, fields{num(1, 5), str(2, "x"), f32(5, 1)}, null, 4},
		{"the last of two", "int", 0, fields{i32(1), i32(2)}, "2", 4},

		// "several set: the one that columnType wants".
		{"all of a tinyint", "tinyint(3)", 0, all, "64", -6},
		{"all of an int", "INTEGER", 0, all, "64", 4},
		{"all of a bool", "Bool", 0, all, "64", -6},
		{"all of a bigint", "BIGINT(20) UNSIGNED", 0, all, "64", -5},
		{"int32 beside others of an int", "int", 0, fields{s("x"), i32(32), f(1)}, "32", 4},
		{"all of a float", "float", 0, all, "2.5", 7},
		{"all of a double", "double", 0, all, "2.5", 8},
		{"all of a real", "real", 0, all, "2.5", 8},
		{"all of a decimal", "decimal(10,2)", 0, all, "str", 3},
		{"all of a bit", "bit(8)", 0, all, "255", -7},
		{"all of a binary", "binary(1)", 0, all, "ÿ", 2004},
		{"all of a varbinary", "varbinary(1)", 0, all, "ÿ", 2004},
		{"all of a tinyblob", "tinyblob", 0, all, "ÿ", 2004},
		{"all of a longblob", "longblob", 0, all, "ÿ", 2004},
		{"all of a text", "text", 0, all, "str", 2005},
		{"all of a json", "json", 0, all, "str", 12},
		{"all of a year", "year", 0, all, "str", 12},
		{"all of an enum", "enum('x')", 0, all, "str", 4},
		{"all of no type", "", 0, all, "str", 12},
		{"all of a type nobody knows", "geometry", 0, all, "str", 12},
		// "else string, int64, int32, float, bytes in this order".
		{"int without ints", "int", 0, fields{b("x"), f(1.5), s("9")}, "9", 4},
		{"int without ints and string", "int", 0, fields{b("x"), f(1.5)}, "1.5", 4},
		{"float without float", "float", 0, fields{b("x"), i32(3), i64(4)}, "4", 7},
		{"double with int32 and bytes", "double", 0, fields{b("x"), i32(3)}, "3", 8},
		{"blob without bytes", "blob", 0, fields{f(1), i32(3), i64(4), s("s")}, "s", 2004},
		{"blob with numbers", "blob", 0, fields{f(1), i32(3), i64(4)}, "4", 2004},
		{"varchar with numbers", "varchar(3)", 0, fields{b("x"), f(1), i32(3), i64(4)}, "4", 12},
		{"varchar with float and bytes", "varchar(3)", 0, fields{b("x"), f(1)}, "1", 12},

		// isNull is text.
		{"isNull 1", "int", 0, fields{i32(5), isNull("1")}, null, 4},
		{"isNull true", "int", 0, fields{i32(5), isNull("true")}, null, 4},
		{"isNull TRUE", "int unsigned", 0, fields{i64(1 << 40), isNull("TRUE")}, null, 4},
		{"isNull tRuE", "int", 0, fields{i32(5), isNull("tRuE")}, null, 4},
		{"isNull y", "int", 0, fields{i32(5), isNull("y")}, null, 4},
		{"isNull Y", "int", 0, fields{i32(5), isNull("Y")}, null, 4},
		{"isNull yes", "int", 0, fields{i32(5), isNull("yes")}, null, 4},
		{"isNull yEs", "int", 0, fields{i32(5), isNull("yEs")}, null, 4},
		{"isNull empty", "int", 0, fields{i32(5), isNull("")}, "5", 4},
		{"isNull 0", "int", 0, fields{i32(5), isNull("0")}, "5", 4},
		{"isNull false", "int", 0, fields{i32(5), isNull("false")}, "5", 4},
		{"isNull utf8_bin", "int", 0, fields{i32(5), isNull("utf8_bin")}, "5", 4},
		{"isNull with a space", "int", 0, fields{i32(5), isNull("1 ")}, "5", 4},
		{"isNull no", "int", 0, fields{i32(5), isNull("no")}, "5", 4},
		{"isNull 11", "int", 0, fields{i32(5), isNull("11")}, "5", 4},
		{"isNull Q", "int", 0, fields{i32(5), isNull("\x11")}, "5", 4},
		{"isNull null", "int", 0, fields{i32(5), isNull("null")}, "5", 4},
		{"isNull, the last counts", "int", 0, fields{isNull("1"), i32(5), isNull("no")}, "5", 4},
		{"isNull no, and no value", "int", 0, fields{isNull("no")}, null, 4},

		// Two's complement of the column's width.
		{"int unsigned", "int(10) unsigned", 0, fields{i32(-1)}, "4294967295", -5},
		{"int unsigned, int64", "int(10) unsigned", 0, fields{i64(-1)}, "4294967295", -5},
		{"int unsigned min", "int(10) unsigned", 0, fields{i32(math.MinInt32)}, "2147483648", -5},
		{"int unsigned, large int64", "int(10) unsigned", 0, fields{i64(4294967295)}, "4294967295", -5},
		{"INT UNSIGNED in any case", "INT(10) UNSIGNED", 0, fields{i32(-2)}, "4294967294", -5},
		{"zerofill is unsigned", "int(5) zerofill", 0, fields{i32(-1)}, "4294967295", -5},
		{"tinyint unsigned", "tinyint(3) unsigned", 0, fields{i32(-1)}, "255", 5},
		{"tinyint unsigned min", "tinyint unsigned", 0, fields{i32(-128)}, "128", 5},
		{"smallint unsigned", "smallint unsigned", 0, fields{i32(-1)}, "65535", 4},
		{"mediumint unsigned", "mediumint unsigned", 0, fields{i32(-1)}, "16777215", 4},
		{"bigint unsigned", "bigint(20) unsigned", 0, fields{i64(-1)}, "18446744073709551615", 3},
		{"bigint unsigned, int32", "bigint(20) unsigned", 0, fields{i32(-1)}, "18446744073709551615", 3},
		{"bigint unsigned min", "bigint unsigned", 0, fields{i64(math.MinInt64)}, "9223372036854775808", 3},
		{"bigint unsigned max of signed", "bigint unsigned", 0, fields{i64(math.MaxInt64)}, "9223372036854775807", -5},
		{"by the bitmap", "int(10)", 0x20, fields{i32(-1)}, "4294967295", -5},
		{"by the bitmap among others", "bigint(20)", 0xff, fields{i64(-1)}, "18446744073709551615", 3},
		{"another bit of the bitmap", "int(10)", 0xdf, fields{i32(-1)}, "-1", 4},
		{"no integer", "decimal(10,2) unsigned", 0x20, fields{i32(-1)}, "-1", 3},
		{"a year is none either", "year", 0x20, fields{i32(-1)}, "-1", 12},
		{"a bit neither", "bit(64)", 0x20, fields{i64(-1)}, "-1", -7},
		{"text of an unsigned", "int unsigned", 0, fields{s("-1")}, "-1", 4},

		// sqlType by type and value.
		{"tinyint unsigned 127", "tinyint unsigned", 0, fields{i32(127)}, "127", -6},
		{"tinyint unsigned 128", "tinyint unsigned", 0, fields{i32(128)}, "128", 5},
		{"tinyint 128", "tinyint", 0, fields{i32(128)}, "128", -6},
		{"tinyint by the bitmap 128", "tinyint", 0x20, fields{i32(128)}, "128", 5},
		{"smallint unsigned 32767", "smallint unsigned", 0, fields{i32(32767)}, "32767", 5},
		{"smallint unsigned 32768", "smallint unsigned", 0, fields{i32(32768)}, "32768", 4},
		{"int unsigned 2147483647", "int unsigned", 0, fields{i64(2147483647)}, "2147483647", 4},
		{"int unsigned 2147483648", "int unsigned", 0, fields{i64(2147483648)}, "2147483648", -5},
		{"bigint unsigned as text", "bigint unsigned", 0, fields{s("9223372036854775808")}, "9223372036854775808", 3},
		{"unsigned null", "bigint unsigned", 0, nil, null, -5},
		{"unsigned float", "int unsigned", 0, fields{f(4e9)}, "4000000000", -5},
		{"unsigned fraction", "int unsigned", 0, fields{f(4e9 + 0.5), s("4000000000.5")}, "4000000000.5", 4},

		// floatValue.
		{"float", "float", 0, fields{f(345.6789)}, "345.6789", 7},
		{"float of a double", "double", 0, fields{f(0.1)}, "0.1", 8},
		{"1e21", "float", 0, fields{f(1e21)}, "1000000000000000000000", 7},
		{"1e-7", "float", 0, fields{f(1e-7)}, "0.0000001", 7},
		{"largest", "float", 0, fields{f(math.MaxFloat32)}, "340282350000000000000000000000000000000", 7},
		{"smallest", "float", 0, fields{f(-math.SmallestNonzeroFloat32)}, "-0.000000000000000000000000000000000000000000001", 7},
		{"zero", "float", 0, fields{f(0)}, "0", 7},
		{"negative zero", "float", 0, fields{f(float32(math.Copysign(0, -1)))}, "-0", 7},
		{"NaN", "float", 0, fields{f(float32(math.NaN()))}, "NaN", 7},
		{"+Inf", "float", 0, fields{f(float32(math.Inf(1)))}, "+Inf", 7},
		{"-Inf", "float", 0, fields{f(float32(math.Inf(-1)))}, "-Inf", 7},

		// T30: bit bytes are a big-endian number.
		{"bit", "bit(9)", 0, fields{b("\x01\xff")}, "511", -7},
		{"bit empty", "bit(1)", 0, fields{b("")}, "0", -7},
		{"bit zero", "bit(1)", 0, fields{b("\x00\x00")}, "0", -7},
		{"bit 64", "bit(64)", 0, fields{b("\xff\xff\xff\xff\xff\xff\xff\xff")}, "18446744073709551615", -7},
		{"bit with zeros before", "bit(64)", 0, fields{b(strings.Repeat("\x00", 300) + "\x80\x00\x00\x00\x00\x00\x00\x00")}, "9223372036854775808", -7},
		{"bit too long but null", "bit(64)", 0, fields{b("123456789"), isNull("1")}, null, -7},

		// Bytes that are text, and T10: bytes that are widened.
		{"bytes of char", "char(1)", 0, fields{b("\xe6\x88\x91")}, "我", 1},
		{"bytes of varchar", "VARCHAR(1)", 0, fields{b("\xe6\x88\x91")}, "我", 12},
		{"bytes of var_string", "var_string", 0, fields{b("\xe6\x88\x91")}, "我", 12},
		{"bytes of tinytext", "tinytext", 0, fields{b("\xe6\x88\x91")}, "我", 2005},
		{"bytes of longtext", "longtext", 0, fields{b("\xe6\x88\x91")}, "我", 2005},
		{"bytes of json", "json", 0, fields{b(`{"k":"我"}`)}, `{"k":"我"}`, 12},
		{"bytes of longblob", "longblob", 0, fields{b("\xe6\x88\x91")}, "\xc3\xa6\xc2\x88\xc2\x91", 2004},
		{"bytes of varbinary, T11", "varbinary(16)", 0, fields{b("\x05\x07\n\x0f$2+cx<&\xff\xfe-7F")}, "\x05\x07\n\x0f$2+cx<&ÿþ-7F", 2004},
		{"bytes of no type", "", 0, fields{b("\x80")}, "\xc2\x80", 12},
		{"bytes of a type nobody knows", "geometry", 0, fields{b("\x00\xbf")}, "\x00\xc2\xbf", 12},
		{"bytes of a timestamp", "timestamp", 0, fields{b("\xe9")}, "é", 93},
		{"bytes of a blob, empty", "blob", 0, fields{b("")}, "", 2004},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := one(t, new(changedataset.Decoder), col("c", c.typ, bitmap(c.bitmap)), c.data...)
			value := string(got.Value)
			if got.Null {
				value = null
			}
			if value != c.want || got.SQLType != c.sqlType {
				t.Errorf("value %q, sqlType %d; want %q, %d", value, got.SQLType, c.want, c.sqlType)
			}
			if string(got.MySQLType) != c.typ || string(got.Name) != "c" {
				t.Errorf("column %q of type %q, want c, %q", got.Name, got.MySQLType, c.typ)
			}
		})
	}
}

// TestAllBytes is T10: all 256 bytes are the code points of their number.
func TestAllBytes(t *testing.T) {
	var in []byte
	var want []rune
	for i := range 256 {
		in = append(in, byte(i))
		want = append(want, rune(i))
	}
	got := one(t, new(changedataset.Decoder), col("c", "varbinary(256)"), sub(5, in))
	if string(got.Value) != string(want) {
		t.Errorf("got %q", got.Value)
	}
}

// TestPassSQLType is the option.
func TestPassSQLType(t *testing.T) {
	for _, c := range []struct {
		sqlType string
		want    int32 // 4: not passed
	}{
		{"12", 12}, {"-5", -5}, {"+93", 93}, {"0", 0}, {"007", 7}, {"2147483647", math.MaxInt32}, {"-2147483648", math.MinInt32},
		{"2147483648", 4}, {"-2147483649", 4}, {"99999999999999999999", 4}, {"", 4}, {"-", 4}, {"+", 4}, {"int", 4}, {"1 ", 4}, {"0x1", 4},
		{"1.0", 4}, {"--1", 4}, {"00000000000000000000012", 12},
	} {
		for _, data := range [][]byte{num(2, 1), str(6, "1")} { // of a null too
			pass := &changedataset.Decoder{Options: changedataset.Options{PassSQLType: true}}
			if got := one(t, pass, col("c", "int"), data, str(7, c.sqlType)); got.SQLType != c.want {
				t.Errorf("sqlType %q is passed on as %d, want %d", c.sqlType, got.SQLType, c.want)
			}
			if got := one(t, new(changedataset.Decoder), col("c", "int"), data, str(7, c.sqlType)); got.SQLType != 4 {
				t.Errorf("sqlType %q is passed on as %d without the option", c.sqlType, got.SQLType)
			}
		}
		pass := &changedataset.Decoder{Options: changedataset.Options{PassSQLType: true}}
		if got := one(t, pass, col("c", "int"), num(2, 1)); got.SQLType != 4 {
			t.Errorf("without one it is %d", got.SQLType)
		}
	}
}

// TestUpdated is the rule for old: a column whose value differs, as it prints.
func TestUpdated(t *testing.T) {
	type fields = [][]byte
	f := func(parts ...[]byte) fields { return parts }
	for _, c := range []struct {
		name          string
		typ           string
		before, after fields
		want          bool
	}{
		{"same", "int", f(num(2, 5)), f(num(2, 5)), false},
		{"other", "int", f(num(2, 5)), f(num(2, 6)), true},
		{"null and a value", "int", f(str(6, "1")), f(num(2, 5)), true},
		{"a value and null", "int", f(num(2, 5)), f(num(2, 5), str(6, "1")), true},
		{"null and empty", "varchar(9)", f(), f(str(1, "")), true},
		{"two ways of null", "int", f(), f(num(2, 5), str(6, "yes")), false},
		{"the same from other fields", "int", f(num(2, 5)), f(num(3, 5)), false},
		{"the same number, once as text", "int", f(str(1, "5")), f(num(3, 5)), false},
		{"two's complement", "int unsigned", f(num(2, -1)), f(num(3, 4294967295)), false},
		{"two's complement of a signed", "int", f(num(2, -1)), f(num(3, 4294967295)), true},
		{"non-minimal varint", "int", f(num(2, 5)), f([]byte{0x10, 0x85, 0x00}), false},
		{"0 and -0", "float", f(f32(4, 0)), f(f32(4, float32(math.Copysign(0, -1)))), true},
		{"NaN and NaN", "float", f(f32(4, float32(math.NaN())), str(7, "7")), f(f32(4, float32(math.NaN()))), false},
		{"bits with zeros before", "bit(9)", f(str(5, "\x01\xff")), f(str(5, "\x00\x01\xff")), false},
		{"bits and their number", "bit(9)", f(str(5, "\x01\xff")), f(num(3, 511)), false},
		{"other bits", "bit(9)", f(str(5, "\x01\xff")), f(str(5, "\x01\xfe")), true},
		{"bytes", "blob", f(str(5, "\xe6")), f(str(5, "\xe6"), str(7, "x")), false},
		{"other bytes", "blob", f(str(5, "\xe6")), f(str(5, "\xe7")), true},
		{"bytes and their text", "blob", f(str(5, "a\xe6")), f(str(1, "aæ")), false},
		{"text and its bytes", "blob", f(str(1, "aæ")), f(str(5, "a\xe6")), false},
		{"bytes and longer text", "blob", f(str(5, "a\xe6")), f(str(1, "aæ.")), true},
		{"bytes and shorter text", "blob", f(str(5, "a\xe6")), f(str(1, "a")), true},
		{"bytes and other text", "blob", f(str(5, "a\xe6")), f(str(1, "aç")), true},
		{"bytes and text cut in a character", "blob", f(str(5, "\xe6")), f(str(1, "\xc3")), true},
		{"a field that does not count", "int", f(num(3, 5), str(1, "a")), f(num(3, 5), str(1, "b")), false},
		{"sqlType", "int", f(num(2, 5), str(7, "4")), f(num(2, 5), str(7, "5")), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			events, err := open(t, new(changedataset.Decoder), join(schema("t", col("c", c.typ)), row("t", before(c.before...), after(c.after...))))
			fatal(t, err)
			for _, cols := range [][]change.Column{events[0].before, events[0].after} {
				if len(cols) != 1 || cols[0].Updated != c.want {
					t.Errorf("%+v, want Updated to be %v", cols, c.want)
				}
			}
		})
	}
	// Neither an INSERT nor a DELETE has it.
	events, err := open(t, new(changedataset.Decoder), join(schema("t", col("c", "int")), row("t", before(num(2, 1))), row("t", after(num(2, 1)))))
	fatal(t, err)
	if events[0].before[0].Updated || events[1].after[0].Updated {
		t.Errorf("%+v", events)
	}
}

// TestWidenedAgain has the two scratch buffers of a cursor hold their own: values
// of all lengths, in one row.
func TestWidenedAgain(t *testing.T) {
	var cols, data [][]byte
	for i := range 40 {
		cols = append(cols, col(string(rune('a'+i)), "blob"))
		data = append(data, after(sub(5, bytes.Repeat([]byte{0x80 + byte(i)}, i*i%97))))
	}
	events, err := open(t, new(changedataset.Decoder), join(schema("t", cols...), row("t", data...)))
	fatal(t, err)
	for i, c := range events[0].after {
		if want := strings.Repeat(string(rune(0x80+i)), i*i%97); string(c.Value) != want {
			t.Errorf("value %d is %q, want %q", i, c.Value, want)
		}
	}
}

// TestBitTooLong is the error of a value, and where it is.
func TestBitTooLong(t *testing.T) {
	bad := str(5, "\x01\x00\x00\x00\x00\x00\x00\x00\x00")
	for name, c := range map[string]struct {
		change []byte
		path   string
	}{
		"after":             {row("d.t", after(num(2, 1)), after(str(1, "x"), bad), after()), "tableChange[1].afterData[1].bytesValue"},
		"before":            {row("d.t", after(num(2, 1)), before(), before(bad), after(), before(), after()), "tableChange[1].beforeData[1].bytesValue"},
		"the last of two":   {row("d.t", before(), before(str(5, "ok"), str(1, "x"), bad), before()), "tableChange[1].beforeData[1].bytesValue"},
		"of a name twice":   {row("d.t", after(bad), after(), after()), "tableChange[1].afterData[0].bytesValue"},
		"the last of these": {row("d.t", after(), after(), after(bad)), "tableChange[1].afterData[2].bytesValue"},
	} {
		in := join(row("d.t", after(), after(), after()), c.change, schema("d.t", col("a", "bit(8)"), col("b", "BIT(64)"), col("a", "bit")))
		d := new(changedataset.Decoder)
		wantError(t, d.Open(in), wire.ParseError{Offset: place(t, in, bad), Path: c.path, Table: "d.t", Number: 5, Err: changedataset.ErrBit})
		if d.Next(new(change.Event)) {
			t.Errorf("%s: an Event comes out", name)
		}
	}
}

func wantError(t *testing.T, err error, want wire.ParseError) {
	t.Helper()
	if got, ok := err.(*wire.ParseError); !ok || *got != want {
		t.Errorf("error %T %+v\nwant %+v", err, err, want)
	}
}
