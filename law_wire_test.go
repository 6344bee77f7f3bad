package cdcodec_test

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/cdcodec/cdcodec/fastjson"
	. "github.com/cdcodec/cdcodec/internal/canaltest"
	"github.com/cdcodec/cdcodec/wire"
)

// inColumn returns an INSERT of one column, which these bytes are; inRow one of
// one row, which they are.
func inColumn(b []byte) []byte { return inRow(Sub(nil, 2, b)) }
func inRow(b []byte) []byte    { return EntryHolding(Num(Sub(nil, 12, b), 2, 1)) }

// anInsert is the message of an INSERT of one column, without types.
func anInsert(name, value string) text {
	return text{data: "[{" + name + ":" + value + "}]", mysqlType: "{" + name + `:""}`, sqlType: "{" + name + ":0}", typ: `"INSERT"`}
}

const minus1 = math.MaxUint64 // as a varint

func TestWireEnums(t *testing.T) {
	nums := func(values []uint64) (b []byte) { // field 2, in both messages
		for _, v := range values {
			b = Num(b, 2, v)
		}
		return b
	}
	for _, c := range []struct {
		name   string
		values []uint64 // of eventType, one behind the other
		want   string
	}{
		{"absent", nil, "UPDATE"},
		{"0", []uint64{0}, "UPDATE"},
		{"a number it lacks", []uint64{16}, "UPDATE"},
		{"99", []uint64{99}, "UPDATE"},
		{"-1", []uint64{minus1}, "UPDATE"},
		{"known", []uint64{1}, "INSERT"},
		{"the last known one", []uint64{15}, "MHEARTBEAT"},
		{"the last wins", []uint64{1, 3}, "DELETE"},
		{"0 keeps", []uint64{1, 0}, "INSERT"},
		{"99 keeps", []uint64{3, 99}, "DELETE"},
		{"-1 keeps", []uint64{3, minus1}, "DELETE"},
		{"unknown, then known", []uint64{99, 3}, "DELETE"},
		{"known, unknown, known", []uint64{1, 0, 3, 99}, "DELETE"},
		{"low 32 bits", []uint64{1<<32 + 3}, "DELETE"},
		{"high bits alone are 0", []uint64{1, 1 << 32}, "INSERT"},
		{"2^31 + 1 is negative", []uint64{1<<31 + 1}, "UPDATE"},
		{"257 is not 1", []uint64{257}, "UPDATE"},
	} {
		become(t, "eventType "+c.name, EntryHolding(nums(c.values)), fastjson.Options{}, text{typ: `"` + c.want + `"`}.String())
	}
	for _, c := range []struct {
		name    string
		values  []uint64 // of entryType
		skipped bool
	}{
		{"absent", nil, false},
		{"0", []uint64{0}, false},
		{"6", []uint64{6}, false},
		{"-1", []uint64{minus1}, false},
		{"BEGIN", []uint64{1}, true},
		{"BEGIN, 0", []uint64{1, 0}, true},
		{"BEGIN, 99", []uint64{1, 99}, true},
		{"99, BEGIN", []uint64{99, 1}, true},
		{"BEGIN, ROWDATA", []uint64{1, 2}, false},
		{"ROWDATA, END", []uint64{2, 3}, true},
		{"2^32 + 1", []uint64{1<<32 + 1}, true},
		{"BEGIN, 2^32", []uint64{1, 1 << 32}, true},
		{"257", []uint64{257}, false},
	} {
		if entry := nums(c.values); c.skipped {
			become(t, "entryType "+c.name, entry, fastjson.Options{})
		} else {
			become(t, "entryType "+c.name, entry, fastjson.Options{}, text{}.String())
		}
	}
}

func TestWireScalars(t *testing.T) {
	col := func(b []byte) []byte { return inColumn(append(Text(Text(nil, 3, "a"), 8, "x"), b...)) }
	hold(t, []law{
		{name: "isNull false", entry: col(Num(nil, 6, 0)), want: anInsert(`"a"`, `"x"`)},
		{name: "isNull true", entry: col(Num(nil, 6, 1)), want: anInsert(`"a"`, "null")},
		{name: "isNull 2", entry: col(Num(nil, 6, 2)), want: anInsert(`"a"`, "null")},
		{name: "isNull 2^32: any of 64 bits", entry: col(Num(nil, 6, 1<<32)), want: anInsert(`"a"`, "null")},
		{name: "isNull 2^63", entry: col(Num(nil, 6, 1<<63)), want: anInsert(`"a"`, "null")},
		{name: "isNull, the last wins", entry: col(Num(Num(nil, 6, 1), 6, 0)), want: anInsert(`"a"`, `"x"`)},
		{name: "isDdl 2^40", entry: EntryHolding(Num(nil, 10, 1<<40)), want: text{isDDL: "true"}},
		{name: "isDdl, the last wins", entry: EntryHolding(Num(Num(nil, 10, 1), 10, 0)), want: text{}},
		{name: "isKey 2^63 and updated 2^63", entry: EntryHolding(Sub(nil, 12, Sub(Sub(nil, 1, Text(nil, 3, "a")), 2, Num(Num(Text(nil, 3, "a"), 4, 1<<63), 5, 1<<63)))),
			want: text{data: `[{"a":""}]`, mysqlType: `{"a":""}`, sqlType: `{"a":0}`, pkNames: `["a"]`, old: `[{"a":""}]`}},
		{name: "sqlType: low 32 bits", entry: inColumn(Num(nil, 2, 1<<32+4)),
			want: text{data: `[{"":""}]`, mysqlType: `{"":""}`, sqlType: `{"":4}`, typ: `"INSERT"`}},
		{name: "sqlType -5 in five bytes", entry: inColumn(Num(nil, 2, 1<<32-5)),
			want: text{data: `[{"":""}]`, mysqlType: `{"":""}`, sqlType: `{"":-5}`, typ: `"INSERT"`}},
		{name: "executeTime: all 64 bits", entry: Sub(nil, 1, Num(nil, 6, 1<<32+4)), want: text{es: "4294967300"}},
		{name: "executeTime -1", entry: Sub(nil, 1, Num(nil, 6, minus1)), want: text{es: "-1"}},
	})
}

func TestWireLastWins(t *testing.T) {
	insert := func(v string) []byte { return Num(Sub(nil, 12, Sub(nil, 2, Text(Text(nil, 3, "a"), 8, v))), 2, 1) }
	hold(t, []law{
		{name: "all of a column", want: text{data: `[{"b":"y"}]`, mysqlType: `{"b":"v"}`, sqlType: `{"b":2}`, pkNames: `["b"]`, typ: `"INSERT"`},
			entry: inColumn(slices.Concat(
				Text(Num(Num(Num(Text(Text(nil, 3, "a"), 8, "x"), 2, 1), 4, 0), 6, 1), 10, "u"),
				Text(Num(Num(Num(Text(Text(nil, 3, "b"), 8, "y"), 2, 2), 4, 1), 6, 0), 10, "v")))},
		{name: "the last is empty", want: anInsert(`""`, `""`),
			entry: inColumn(Text(Num(Text(Text(Text(Num(Text(Text(nil, 3, "a"), 8, "x"), 2, 1), 10, "u"), 3, ""), 8, ""), 2, 0), 10, ""))},
		{name: "sql", want: text{sql: `"b"`}, entry: EntryHolding(Text(Text(nil, 11, "a"), 11, "b"))},
		{name: "sql, the last is empty", want: text{}, entry: EntryHolding(Text(Text(nil, 11, "a"), 11, ""))},
		{name: "storeValue is replaced", want: anInsert(`"a"`, `"2"`), entry: Sub(Sub(nil, 3, insert("1")), 3, insert("2"))},
		{name: "by nothing, too", want: text{}, entry: Sub(Sub(nil, 3, insert("1")), 3, nil)},
		{name: "a bad one by a good one", want: anInsert(`"a"`, `"2"`), entry: Sub(Sub(nil, 3, []byte{0x0f}), 3, insert("2"))},
		{name: "the header is merged", want: text{database: `"d2"`, table: `"t1"`, es: "1", gtid: `"g2"`},
			entry: Sub(Sub(Num(nil, 2, 2), 1, Num(Text(Text(nil, 8, "d1"), 9, "t1"), 6, 1)), 1, Text(Text(nil, 8, "d2"), 13, "g2"))},
		{name: "around the storeValue", want: func() text { x := anInsert(`"a"`, `"1"`); x.database, x.table = `"d"`, `"t"`; return x }(),
			entry: Sub(Sub(Sub(nil, 1, Text(nil, 8, "d")), 3, insert("1")), 1, Text(nil, 9, "t"))},
		{name: "by an empty one", want: text{database: `"d"`}, entry: Sub(Sub(nil, 1, Text(nil, 8, "d")), 1, nil)},
		{name: "within one part", want: text{database: `"e"`}, entry: Sub(nil, 1, Text(Text(nil, 8, "d"), 8, "e"))},
		{name: "columns are not merged", want: text{data: `[{"a":"","":"x"}]`, mysqlType: `{"a":"","":""}`, sqlType: `{"a":0,"":0}`, typ: `"INSERT"`},
			entry: inRow(Sub(Sub(nil, 2, Text(nil, 3, "a")), 2, Text(nil, 8, "x")))},
	})
}

func TestWireOrder(t *testing.T) {
	want := text{data: `[{"a":"1"}]`, database: `"d"`, table: `"t"`, es: "5", gtid: `"g"`, mysqlType: `{"a":"int"}`, sqlType: `{"a":4}`, pkNames: `["a"]`, typ: `"DELETE"`}
	column := Num(Num(Text(Text(Text(nil, 10, "int"), 8, "1"), 3, "a"), 2, 4), 4, 1)
	store := Num(Sub(nil, 12, Sub(nil, 1, column)), 2, 3)
	header := Num(Text(Text(Text(nil, 13, "g"), 9, "t"), 8, "d"), 6, 5)
	become(t, "backwards", Sub(Num(Sub(nil, 3, store), 2, 2), 1, header), fastjson.Options{}, want.String())
	header = Text(Text(Text(Num(nil, 6, 5), 8, "d"), 9, "t"), 13, "g")
	column = Text(Text(Num(Text(Num(nil, 2, 4), 3, "a"), 4, 1), 8, "1"), 10, "int")
	store = Sub(Num(nil, 2, 3), 12, Sub(nil, 1, column))
	become(t, "forwards", Sub(Num(Sub(nil, 1, header), 2, 2), 3, store), fastjson.Options{}, want.String())
	become(t, "no bytes", []byte{}, fastjson.Options{}, text{}.String())
	become(t, "nil", nil, fastjson.Options{}, text{}.String())
}

// padded is v as a varint of so many bytes.
func padded(v uint64, size int) []byte {
	var b []byte
	for range size - 1 {
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v))
}

func TestWireVarints(t *testing.T) {
	for size := 1; size <= 10; size++ {
		tag := func(number, typ uint64) []byte { return padded(number<<3|typ, size) }
		value := slices.Concat(tag(8, 2), padded(1, size), []byte("x"))
		column := slices.Concat(tag(3, 2), padded(1, size), []byte("a"), value, tag(2, 0), padded(7, size), tag(6, 0), padded(0, size))
		if size > 1 { // else too long for a length of one byte
			column = slices.Concat(column, tag(10, 2), padded(0, size))
		}
		row := slices.Concat(tag(2, 2), padded(uint64(len(column)), max(size, 2)), column)
		store := slices.Concat(tag(2, 0), padded(1, size), tag(12, 2), padded(uint64(len(row)), max(size, 2)), row)
		entry := slices.Concat(tag(3, 2), padded(uint64(len(store)), max(size, 2)), store, tag(2, 0), padded(2, size))
		want := anInsert(`"a"`, `"x"`)
		want.sqlType = `{"a":7}`
		become(t, "all of "+string(rune('0'+size%10))+" bytes", entry, fastjson.Options{}, want.String())
	}
	become(t, "tenth byte 1", slices.Concat([]byte{0x0a, 11, 0x30}, padded(1<<63|5, 10)), fastjson.Options{}, text{es: "-9223372036854775803"}.String())
	tenth := func(b byte) []byte { return append(padded(5, 10)[:9:9], b) }
	for _, c := range []struct {
		name  string
		entry []byte
		kind  error
	}{
		{"tenth byte 2", append([]byte{0x10}, tenth(2)...), wire.ErrVarint},
		{"tenth byte 7f", append([]byte{0x10}, tenth(0x7f)...), wire.ErrVarint},
		{"tenth byte 81", append([]byte{0x10}, tenth(0x81)...), wire.ErrVarint},
		{"eleven bytes", append([]byte{0x10}, padded(1, 11)...), wire.ErrVarint},
		{"eleven bytes of -1", append(bytes.Repeat([]byte{0xff}, 10), 1), wire.ErrVarint},
		{"ten bytes and no end", append([]byte{0x10}, bytes.Repeat([]byte{0x80}, 10)...), wire.ErrVarint},
		{"nine bytes and no end", append([]byte{0x10}, bytes.Repeat([]byte{0x80}, 9)...), wire.ErrTruncated},
		{"a length of eleven bytes", append([]byte{0x1a}, padded(0, 11)...), wire.ErrVarint},
		{"a tag of eleven bytes", append(padded(2<<3, 11), 1), wire.ErrVarint},
		{"a tag with its tenth byte 2", append(append(padded(2<<3, 10)[:9:9], 2), 1), wire.ErrVarint},
		{"of an unknown field", append([]byte{0xf8, 0x3e}, tenth(2)...), wire.ErrVarint},
		{"executeTime", Sub(nil, 1, append([]byte{0x30}, tenth(2)...)), wire.ErrVarint},
		{"sqlType, nearly -5", inColumn([]byte{0x10, 0xfb, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2}), wire.ErrVarint},
	} {
		fail(t, c.name, c.entry, fastjson.Options{}, c.kind)
	}
}

// unknown are fields that no message of Canal knows, one of each kind.
func unknown() []byte {
	var b []byte
	b = Num(b, 500, minus1)
	b = Fixed64(b, 501, 1)
	b = Text(b, 502, "\x0f\xff")
	b = Group(b, 503, Group(Num(Text(nil, 1, "x"), 3, 7), 1, Fixed32(nil, 3, 1)))
	b = Fixed32(b, 504, 1)
	return Num(b, 1<<29-1, 1)
}

func TestWireSkipped(t *testing.T) {
	around := func(b []byte) []byte { return slices.Concat(unknown(), b, unknown()) }
	header := around(Text(nil, 8, "d"))
	pair := around(Text(nil, 1, "k"))
	column := around(Sub(Text(Text(nil, 3, "a"), 8, "1"), 7, pair))
	store := around(Num(Sub(nil, 12, around(Sub(nil, 2, column))), 2, 1))
	want := anInsert(`"a"`, `"1"`)
	want.database = `"d"`
	become(t, "unknown fields everywhere", around(Sub(Sub(nil, 1, header), 3, store)), fastjson.Options{}, want.String())

	// A known number with another wire type is an unknown field.
	a := Text(Text(nil, 3, "a"), 8, "1")
	for _, c := range []struct {
		name  string
		entry []byte
		want  text
	}{
		{"Entry.header varint", Num(EntryHolding(nil), 1, 5), text{}},
		{"Entry.header fixed64", Fixed64(EntryHolding(nil), 1, 5), text{}},
		{"Entry.header fixed32", Fixed32(EntryHolding(nil), 1, 5), text{}},
		{"Entry.header group", Group(EntryHolding(nil), 1, Text(nil, 8, "d")), text{}},
		{"Entry.entryType bytes", Sub(EntryHolding(nil), 2, []byte{1}), text{}},
		{"Entry.entryType fixed32", Fixed32(EntryHolding(nil), 2, 1), text{}},
		{"Entry.storeValue varint", Num(nil, 3, 1), text{}},
		{"Entry.storeValue group", Group(nil, 3, Text(nil, 11, "x")), text{}},
		{"Header.executeTime fixed64", Sub(nil, 1, Fixed64(nil, 6, 5)), text{}},
		{"Header.executeTime bytes", Sub(nil, 1, Text(nil, 6, "5")), text{}},
		{"Header.schemaName varint", Sub(nil, 1, Num(nil, 8, 5)), text{}},
		{"Header.props varint", Sub(nil, 1, Num(nil, 12, 5)), text{}},
		{"RowChange.eventType bytes", EntryHolding(Sub(nil, 2, []byte{1})), text{}},
		{"RowChange.isDdl bytes", EntryHolding(Sub(nil, 10, []byte{1})), text{}},
		{"RowChange.sql varint", EntryHolding(Num(nil, 11, 1)), text{}},
		{"RowChange.rowDatas varint", EntryHolding(Num(nil, 12, 1)), text{}},
		{"RowChange.rowDatas group", EntryHolding(Group(nil, 12, Sub(nil, 2, a))), text{}},
		{"RowData.afterColumns varint", inRow(Num(Sub(nil, 2, a), 2, 9)), anInsert(`"a"`, `"1"`)},
		{"RowData.afterColumns group", inRow(Group(Sub(nil, 2, a), 2, Text(nil, 3, "b"))), anInsert(`"a"`, `"1"`)},
		{"Column.name varint", inColumn(Num(slices.Clone(a), 3, 5)), anInsert(`"a"`, `"1"`)},
		{"Column.isNull bytes", inColumn(Text(slices.Clone(a), 6, "\x01")), anInsert(`"a"`, `"1"`)},
		{"Column.isNull fixed32", inColumn(Fixed32(slices.Clone(a), 6, 1)), anInsert(`"a"`, `"1"`)},
		{"Column.isKey group", inColumn(Group(slices.Clone(a), 4, nil)), anInsert(`"a"`, `"1"`)},
		{"Column.value varint", inColumn(Num(slices.Clone(a), 8, 5)), anInsert(`"a"`, `"1"`)},
		{"Column.sqlType fixed64", inColumn(Fixed64(slices.Clone(a), 2, 5)), anInsert(`"a"`, `"1"`)},
		{"Column.mysqlType fixed32", inColumn(Fixed32(slices.Clone(a), 10, 5)), anInsert(`"a"`, `"1"`)},
		{"Column.props varint", inColumn(Num(slices.Clone(a), 7, 5)), anInsert(`"a"`, `"1"`)},
	} {
		become(t, c.name, c.entry, fastjson.Options{}, c.want.String())
	}
}

// TestWireDepth has nested groups up to the limit and beyond, at each depth
// that Canal's own messages reach.
func TestWireDepth(t *testing.T) {
	for _, c := range []struct {
		name  string
		depth int // of the message that holds the groups
		in    func([]byte) []byte
		want  text
	}{
		{"Entry", 0, func(b []byte) []byte { return b }, text{}},
		{"Header", 1, func(b []byte) []byte { return Sub(nil, 1, b) }, text{}},
		{"Pair of a Header", 2, func(b []byte) []byte { return Sub(nil, 1, Sub(nil, 12, b)) }, text{}},
		{"RowChange, from 0 again", 0, EntryHolding, text{}},
		{"Pair of a RowChange", 1, func(b []byte) []byte { return EntryHolding(Sub(nil, 13, b)) }, text{}},
		{"RowData", 1, inRow, text{typ: `"INSERT"`}},
		{"Pair of a RowData", 2, func(b []byte) []byte { return inRow(Sub(nil, 3, b)) }, text{typ: `"INSERT"`}},
		{"Column", 2, inColumn, anInsert(`""`, `""`)},
		{"Pair of a Column", 3, func(b []byte) []byte { return inColumn(Sub(nil, 7, b)) }, anInsert(`""`, `""`)},
	} {
		become(t, c.name, c.in(Groups(100-c.depth)), fastjson.Options{}, c.want.String())
		become(t, c.name+", side by side", c.in(bytes.Repeat(Groups(100-c.depth), 3)), fastjson.Options{}, c.want.String())
		entry := c.in(Groups(101 - c.depth))
		at := fail(t, c.name, entry, fastjson.Options{}, wire.ErrDepth)
		// The tag that goes too deep: each has two bytes, and 77 is not known.
		if want := bytes.Index(entry, Groups(101-c.depth)) + 2*(100-c.depth); at.Offset != want {
			t.Errorf("%s: error at %d, want %d", c.name, at.Offset, want)
		}
		fail(t, c.name+", far too deep", c.in(Groups(5000)), fastjson.Options{}, wire.ErrDepth)
		fail(t, c.name+", no end", c.in(bytes.Repeat([]byte{0xeb, 0x04}, 100_000)), fastjson.Options{}, wire.ErrDepth)
	}
}

// TestWireErrors has each way to be malformed in each message that is read,
// shown or not.
func TestWireErrors(t *testing.T) {
	ddl := func(rows []byte) []byte { return EntryHolding(Num(rows, 10, 1)) }
	for _, place := range []struct {
		path string
		in   func([]byte) []byte
	}{
		{"", func(b []byte) []byte { return b }},
		{"header", func(b []byte) []byte { return Sub(nil, 1, b) }},
		{"header.props[1]", func(b []byte) []byte { return Sub(nil, 1, Sub(Sub(nil, 12, nil), 12, b)) }},
		{"header", func(b []byte) []byte { return Sub(Sub(Sub(nil, 1, nil), 1, b), 3, nil) }},
		{"storeValue", EntryHolding},
		{"storeValue.props[0]", func(b []byte) []byte { return EntryHolding(Sub(nil, 13, b)) }},
		{"storeValue.rowDatas[1]", func(b []byte) []byte { return EntryHolding(Sub(Sub(nil, 12, nil), 12, b)) }},
		{"storeValue.rowDatas[0].props[0]", func(b []byte) []byte { return inRow(Sub(nil, 3, b)) }},
		{"storeValue.rowDatas[0].afterColumns[0]", inColumn},
		{"storeValue.rowDatas[0].afterColumns[0].props[2]", func(b []byte) []byte { return inColumn(Sub(Sub(Sub(nil, 7, nil), 7, nil), 7, b)) }},
		{"storeValue.rowDatas[0].beforeColumns[1]", func(b []byte) []byte { return inRow(Sub(Sub(Sub(nil, 2, nil), 1, nil), 1, b)) }}, // of an INSERT
		{"storeValue.rowDatas[0].afterColumns[0]", func(b []byte) []byte { return ddl(Sub(nil, 12, Sub(nil, 2, b))) }},
		{"storeValue.rowDatas[0].beforeColumns[0].props[0]", func(b []byte) []byte { return ddl(Sub(nil, 12, Sub(nil, 1, Sub(nil, 7, b)))) }},
	} {
		for _, c := range []struct {
			name, bad string
			at        int // of the bad tag in it
			kind      error
		}{
			{"tag of number 0", "\x00\x01", 0, wire.ErrNumber},
			{"tag of number 0, bytes", "\x02\x00", 0, wire.ErrNumber},
			{"number 2^29", "\x80\x80\x80\x80\x10\x01", 0, wire.ErrNumber},
			{"number 2^29, cut", "\x80\x80\x80\x80\x10", 0, wire.ErrNumber},
			{"number beyond 32 bits", "\x80\x80\x80\x80\x80\x01\x01", 0, wire.ErrNumber},
			{"wire type 6", "\xa6\x06", 0, wire.ErrType},
			{"wire type 7 behind a good field", "\xa0\x06\x01\xa7\x06\x01", 3, wire.ErrType},
			{"tag cut", "\xa0\x06\x01\xa0", 3, wire.ErrTruncated},
			{"tag alone", "\xa0\x06", 0, wire.ErrTruncated},
			{"varint cut", "\xa0\x06\xff", 0, wire.ErrTruncated},
			{"length cut", "\xa2\x06\xff", 0, wire.ErrTruncated},
			{"length without a length", "\xa2\x06", 0, wire.ErrTruncated},
			{"length past the end", "\xa2\x06\x02a", 0, wire.ErrTruncated},
			{"length 2^31-1", "\xa2\x06\xff\xff\xff\xff\x07a", 0, wire.ErrTruncated},
			{"length 2^32+1", "\xa2\x06\x81\x80\x80\x80\x10a", 0, wire.ErrTruncated},
			{"length 2^63-1", "\xa2\x06\xff\xff\xff\xff\xff\xff\xff\xff\x7fa", 0, wire.ErrTruncated},
			{"length 2^64-1", "\xa2\x06\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01a", 0, wire.ErrTruncated},
			{"fixed32 cut", "\xa5\x06abc", 0, wire.ErrTruncated},
			{"fixed64 cut", "\xa1\x06abcdefg", 0, wire.ErrTruncated},
			{"end of a group, never begun", "\xa0\x06\x01\xa4\x06", 3, wire.ErrGroup},
			{"group ended by another number", "\xa3\x06\xac\x06", 2, wire.ErrGroup},
			{"group cut", "\xa0\x06\x01\xa3\x06\xa0\x06\x01", 3, wire.ErrTruncated},
			{"inner group cut", "\xa3\x06\xab\x06", 2, wire.ErrTruncated},
			{"number 0 in a group", "\xa3\x06\x00\xa4\x06", 2, wire.ErrNumber},
			{"wire type 7 in a group", "\xa3\x06\xa0\x06\x01\xa7\x06\xa4\x06", 5, wire.ErrType},
			{"length past the end in a group", "\xa3\x06\xa2\x06\x7f", 2, wire.ErrTruncated},
			{"varint of eleven bytes", "\xa0\x06" + strings.Repeat("\x80", 10) + "\x00", 0, wire.ErrVarint},
		} {
			entry := place.in([]byte(c.bad))
			at := fail(t, place.path+": "+c.name, entry, fastjson.Options{}, c.kind)
			if want := bytes.LastIndex(entry, []byte(c.bad)) + c.at; at.Offset != want || at.Path != place.path {
				t.Errorf("%s: %s: error is %v; want %s at byte %d\nin %x", place.path, c.name, at, place.path, want, entry)
			}
		}
	}
}
