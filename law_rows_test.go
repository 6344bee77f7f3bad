package cdcodec_test

import (
	"fmt"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/cdcodec/cdcodec/fastjson"
	. "github.com/cdcodec/cdcodec/internal/canaltest"
	"github.com/cdcodec/cdcodec/internal/pb/canalpb"
)

func TestRule5Data(t *testing.T) {
	both := Row(Columns{Col("b", "1")}, Columns{Col("a", "2")})
	hold(t, []law{
		{name: "insert takes after", entry: EntryOf(nil, Change(Insert, both)),
			want: text{data: `[{"a":"2"}]`, mysqlType: `{"a":""}`, sqlType: `{"a":0}`, typ: `"INSERT"`}},
		{name: "update takes after", entry: EntryOf(nil, Change(Update, both)),
			want: text{data: `[{"a":"2"}]`, mysqlType: `{"a":""}`, sqlType: `{"a":0}`, old: `[{}]`}},
		{name: "delete takes before", entry: EntryOf(nil, Change(Delete, both)),
			want: text{data: `[{"b":"1"}]`, mysqlType: `{"b":""}`, sqlType: `{"b":0}`, typ: `"DELETE"`}},
		{name: "type behind the rows", entry: EntryHolding(Num(Sub(nil, 12, Encode(both)), 2, 3)),
			want: text{data: `[{"b":"1"}]`, mysqlType: `{"b":""}`, sqlType: `{"b":0}`, typ: `"DELETE"`}},
		{name: "images mixed on the wire", entry: EntryHolding(Num(Sub(nil, 12,
			Sub(Sub(Sub(Sub(nil, 2, Text(nil, 3, "a")), 1, Text(nil, 3, "b")), 2, Text(nil, 3, "c")), 1, Text(nil, 3, "d"))), 2, 1)),
			want: text{data: `[{"a":"","c":""}]`, mysqlType: `{"a":"","c":""}`, sqlType: `{"a":0,"c":0}`, typ: `"INSERT"`}},

		{name: "values", entry: EntryOf(nil, Change(Insert, Row(nil, Columns{
			Col("a", "x"), Col("b", ""), Col("c", "", NoValue), Col("d", "", Null), Col("e", "x", Null), Col("f", "", Null, NoValue), Col("g", "null")}))),
			want: text{data: `[{"a":"x","b":"","c":"","d":null,"e":null,"f":null,"g":"null"}]`,
				mysqlType: `{"a":"","b":"","c":"","d":"","e":"","f":"","g":""}`,
				sqlType:   `{"a":0,"b":0,"c":0,"d":0,"e":0,"f":0,"g":0}`, typ: `"INSERT"`}},
		{name: "isNull behind the value and taken back", entry: EntryHolding(Num(Sub(nil, 12, Sub(Sub(nil,
			2, Num(Text(Text(nil, 3, "a"), 8, "x"), 6, 1)), 2, Num(Num(Text(Text(nil, 3, "b"), 8, "y"), 6, 1), 6, 0))), 2, 1)),
			want: text{data: `[{"a":null,"b":"y"}]`, mysqlType: `{"a":"","b":""}`, sqlType: `{"a":0,"b":0}`, typ: `"INSERT"`}},

		{name: "no rows", entry: EntryOf(nil, Change(Insert)), want: text{typ: `"INSERT"`}},
		{name: "a row without columns", entry: EntryOf(nil, Change(Insert, Row(nil, nil))), want: text{typ: `"INSERT"`}},
		{name: "columns in the other image only", entry: EntryOf(nil, Change(Insert, Row(Columns{Col("a", "1", Key, Typed(1, "x"))}, nil))),
			want: text{typ: `"INSERT"`}},
		{name: "delete with after only", entry: EntryOf(nil, Change(Delete, Row(nil, Columns{Col("a", "1", Key, Typed(1, "x"))}))),
			want: text{typ: `"DELETE"`}},
		{name: "rows without columns between others", entry: EntryOf(nil, Change(Insert, Row(nil, nil), Row(nil, Columns{Col("a", "1")}),
			Row(Columns{Col("a", "2")}, nil), Row(nil, Columns{Col("a", "3")}), Row(nil, nil))),
			want: text{data: `[{"a":"1"},{"a":"3"}]`, mysqlType: `{"a":""}`, sqlType: `{"a":0}`, typ: `"INSERT"`}},
		{name: "a column of no bytes", entry: EntryOf(nil, Change(Insert, Row(nil, Columns{{}}))),
			want: text{data: `[{"":""}]`, mysqlType: `{"":""}`, sqlType: `{"":0}`, typ: `"INSERT"`}},
	})
}

// sticky is an UPDATE whose rows flag a, then b, then nothing.
func sticky() []byte {
	before := func() Columns { return Columns{Col("a", "1"), Col("b", "2"), Col("c", "3")} }
	return EntryOf(nil, Change(Update,
		Row(before(), Columns{Col("a", "10", Changed), Col("b", "2"), Col("c", "3")}),
		Row(before(), Columns{Col("a", "1"), Col("b", "20", Changed), Col("c", "3")}),
		Row(before(), Columns{Col("a", "1"), Col("b", "2"), Col("c", "3")})))
}

func TestRule6Old(t *testing.T) {
	flagged := Columns{Col("a", "9", Changed)}
	a := func(x text) text { // a message of rows that have a column a
		x.mysqlType, x.sqlType = `{"a":""}`, `{"a":0}`
		return x
	}
	ab := func(x text) text {
		x.mysqlType, x.sqlType = `{"a":"","b":""}`, `{"a":0,"b":0}`
		return x
	}
	perRow := fastjson.Options{OldPerRow: true}
	three := text{
		data:      `[{"a":"10","b":"2","c":"3"},{"a":"1","b":"20","c":"3"},{"a":"1","b":"2","c":"3"}]`,
		mysqlType: `{"a":"","b":"","c":""}`, sqlType: `{"a":0,"b":0,"c":0}`,
	}
	never, cleared := three, three
	never.old = `[{"a":"1"},{"a":"1","b":"2"},{"a":"1","b":"2"}]`
	cleared.old = `[{"a":"1"},{"b":"2"},{}]`
	hold(t, []law{
		{name: "never cleared", entry: sticky(), want: never},
		{name: "cleared per row", entry: sticky(), want: cleared, options: perRow},
		{name: "the same column in several rows, per row", options: perRow,
			want: a(text{data: `[{"a":"9"},{"a":"9"},{"a":"2"},{"a":"9"}]`, old: `[{"a":"1"},{"a":"1"},{},{"a":"1"}]`}),
			entry: EntryOf(nil, Change(Update, Row(Columns{Col("a", "1")}, flagged), Row(Columns{Col("a", "1")}, flagged),
				Row(Columns{Col("a", "1")}, Columns{Col("a", "2")}), Row(Columns{Col("a", "1")}, flagged)))},
		{name: "not back in time", want: ab(text{data: `[{"a":"1","b":"2"},{"a":"1","b":"3"}]`, old: `[{},{"b":"2"}]`}),
			entry: EntryOf(nil, Change(Update,
				Row(Columns{Col("a", "1"), Col("b", "2")}, Columns{Col("a", "1"), Col("b", "2")}),
				Row(Columns{Col("a", "1"), Col("b", "2")}, Columns{Col("a", "1"), Col("b", "3", Changed)})))},
		{name: "a flag lasts where after is missing", want: a(text{data: `[{"a":"9"}]`, old: `[{},{"a":"1"}]`}),
			entry: EntryOf(nil, Change(Update, Row(nil, flagged), Row(Columns{Col("a", "1")}, nil)))},
		{name: "but not per row", want: a(text{data: `[{"a":"9"}]`, old: `[{},{}]`}), options: perRow,
			entry: EntryOf(nil, Change(Update, Row(nil, flagged), Row(Columns{Col("a", "1")}, nil)))},

		{name: "nothing flagged", want: a(text{data: `[{"a":"2"}]`, old: `[{}]`}),
			entry: EntryOf(nil, Change(Update, Row(Columns{Col("a", "1")}, Columns{Col("a", "2")})))},
		{name: "flags of before columns do not count", want: a(text{data: `[{"a":"2"}]`, old: `[{}]`}),
			entry: EntryOf(nil, Change(Update, Row(Columns{Col("a", "1", Changed)}, Columns{Col("a", "2")})))},
		{name: "flagged but not there before", want: a(text{data: `[{"a":"9"}]`, old: `[{}]`}),
			entry: EntryOf(nil, Change(Update, Row(Columns{Col("b", "1")}, flagged)))},
		{name: "flagged though it is the same", want: a(text{data: `[{"a":"9"}]`, old: `[{"a":"9"}]`}),
			entry: EntryOf(nil, Change(Update, Row(Columns{Col("a", "9")}, flagged)))},
		{name: "no rows", want: text{}, entry: EntryOf(nil, Change(Update))},
		{name: "a row of nothing", want: text{old: `[{}]`}, entry: EntryOf(nil, Change(Update, Row(nil, nil)))},
		{name: "before only: old without data", want: text{old: `[{},{}]`},
			entry: EntryOf(nil, Change(Update, Row(Columns{Col("a", "1", Key)}, nil), Row(Columns{Col("a", "2")}, nil)))},
		{name: "old is longer than data", want: a(text{data: `[{"a":"9"}]`, old: `[{},{"a":"1"},{}]`}),
			entry: EntryOf(nil, Change(Update, Row(nil, nil), Row(Columns{Col("a", "1")}, flagged), Row(nil, nil)))},

		{name: "before order", want: ab(text{data: `[{"a":"3","b":"4"}]`, old: `[{"b":"2","a":"1"}]`}),
			entry: EntryOf(nil, Change(Update, Row(Columns{Col("b", "2"), Col("a", "1")}, Columns{Col("a", "3", Changed), Col("b", "4", Changed)})))},
		{name: "null before", want: a(text{data: `[{"a":"9"}]`, old: `[{"a":null}]`}),
			entry: EntryOf(nil, Change(Update, Row(Columns{Col("a", "1", Null)}, flagged)))},
		{name: "no value before", want: a(text{data: `[{"a":"9"}]`, old: `[{"a":""}]`}),
			entry: EntryOf(nil, Change(Update, Row(Columns{Col("a", "", NoValue)}, flagged)))},
		{name: "a name twice before: first position, last value", want: ab(text{data: `[{"a":"9","b":"8"}]`, old: `[{"a":"3","b":"2"}]`}),
			entry: EntryOf(nil, Change(Update, Row(Columns{Col("a", "1"), Col("b", "2"), Col("a", "3")}, Columns{Col("a", "9", Changed), Col("b", "8", Changed)})))},
		{name: "three times, the last null", want: a(text{data: `[{"a":"9"}]`, old: `[{"a":null}]`}),
			entry: EntryOf(nil, Change(Update, Row(Columns{Col("a", "1"), Col("a", "2"), Col("a", "3", Null)}, flagged)))},
		{name: "twice before, in each of two rows", want: a(text{data: `[{"a":"9"},{"a":"9"}]`, old: `[{"a":"2"},{"a":"4"}]`}),
			entry: EntryOf(nil, Change(Update, Row(Columns{Col("a", "1"), Col("a", "2")}, flagged), Row(Columns{Col("a", "3"), Col("a", "4")}, flagged)))},
		{name: "twice before and not flagged", want: a(text{data: `[{"a":"9"}]`, old: `[{"a":"3"}]`}),
			entry: EntryOf(nil, Change(Update, Row(Columns{Col("b", "1"), Col("b", "2"), Col("a", "3"), Col("b", "4")}, flagged)))},
		{name: "a flag on either of two of one name", want: a(text{data: `[{"a":"4"}]`, old: `[{"a":"1"}]`}),
			entry: EntryOf(nil, Change(Update, Row(Columns{Col("a", "1")}, Columns{Col("a", "3", Changed), Col("a", "4")})))},
		{name: "the same per row", want: a(text{data: `[{"a":"4"},{"a":"6"}]`, old: `[{"a":"1"},{}]`}), options: perRow,
			entry: EntryOf(nil, Change(Update, Row(Columns{Col("a", "1")}, Columns{Col("a", "3", Changed), Col("a", "4")}),
				Row(Columns{Col("a", "5")}, Columns{Col("a", "6")})))},

		{name: "names are equal only after repair", want: text{data: "[{\"a\uFFFD\":\"4\"}]", old: "[{\"a\uFFFD\":\"1\"}]", mysqlType: "{\"a\uFFFD\":\"\"}", sqlType: "{\"a\uFFFD\":0}"},
			entry: EntryOf(nil, Change(Update, Row(Columns{Col("a\xff", "1")}, Columns{Col("a\xfe", "4", Changed)})))},
		{name: "three ways to write one name", want: text{data: "[{\"a\uFFFD\":\"4\"}]", old: "[{\"a\uFFFD\":null}]", mysqlType: "{\"a\uFFFD\":\"\"}", sqlType: "{\"a\uFFFD\":0}"},
			entry: EntryOf(nil, Change(Update, Row(Columns{Col("a\xff", "1"), Col("a\uFFFD", "2"), Col("a\xed\xa0\x80", "3", Null)}, Columns{Col("a\xf0\x9f\x98", "4", Changed)})))},
		{name: "two replacements are not one", want: text{data: "[{\"a\uFFFD\":\"4\"}]", old: "[{}]", mysqlType: "{\"a\uFFFD\":\"\"}", sqlType: "{\"a\uFFFD\":0}"},
			entry: EntryOf(nil, Change(Update, Row(Columns{Col("a\xff\xff", "1")}, Columns{Col("a\xfe", "4", Changed)})))},
		{name: "case matters", want: text{data: `[{"A":"4"}]`, old: `[{}]`, mysqlType: `{"A":""}`, sqlType: `{"A":0}`},
			entry: EntryOf(nil, Change(Update, Row(Columns{Col("a", "1")}, Columns{Col("A", "4", Changed)})))},
		{name: "no name is a name", want: text{data: `[{"":"4"}]`, old: `[{"":"1"}]`, mysqlType: `{"":""}`, sqlType: `{"":0}`},
			entry: EntryOf(nil, Change(Update, Row(Columns{Col("", "1")}, Columns{Col("", "4", Changed)})))},

		{name: "not for an insert", want: a(text{data: `[{"a":"9"}]`, typ: `"INSERT"`}),
			entry: EntryOf(nil, Change(Insert, Row(Columns{Col("a", "1")}, flagged)))},
		{name: "nor for a delete", want: a(text{data: `[{"a":"1"}]`, typ: `"DELETE"`}),
			entry: EntryOf(nil, Change(Delete, Row(Columns{Col("a", "1", Changed)}, flagged)))},
	})
}

func TestRule7PKNames(t *testing.T) {
	ab := func(data, pkNames string) text {
		return text{data: data, mysqlType: `{"a":"","b":""}`, sqlType: `{"a":0,"b":0}`, pkNames: pkNames, typ: `"INSERT"`}
	}
	one := func(x text) text {
		x.data, x.mysqlType, x.sqlType = `[{"a":""}]`, `{"a":""}`, `{"a":0}`
		return x
	}
	hold(t, []law{
		{name: "none", want: ab(`[{"a":"","b":""}]`, "null"),
			entry: EntryOf(nil, Change(Insert, Row(nil, Columns{Col("a", ""), Col("b", "")})))},
		{name: "one", want: ab(`[{"a":"","b":""}]`, `["a"]`),
			entry: EntryOf(nil, Change(Insert, Row(nil, Columns{Col("a", "", Key), Col("b", "")})))},
		{name: "two in wire order", want: text{data: `[{"b":"","a":""}]`, mysqlType: `{"b":"","a":""}`, sqlType: `{"b":0,"a":0}`, pkNames: `["b","a"]`, typ: `"INSERT"`},
			entry: EntryOf(nil, Change(Insert, Row(nil, Columns{Col("b", "", Key), Col("a", "", Key)})))},
		{name: "another key in the second row", want: ab(`[{"a":"","b":""},{"a":"","b":""}]`, `["b"]`),
			entry: EntryOf(nil, Change(Insert, Row(nil, Columns{Col("a", ""), Col("b", "", Key)}), Row(nil, Columns{Col("a", "", Key), Col("b", "")})))},
		{name: "a key in the second row only", want: ab(`[{"a":"","b":""},{"a":"","b":""}]`, "null"),
			entry: EntryOf(nil, Change(Insert, Row(nil, Columns{Col("a", ""), Col("b", "")}), Row(nil, Columns{Col("a", "", Key), Col("b", "")})))},
		{name: "a null key", want: ab(`[{"a":null,"b":""}]`, `["a"]`),
			entry: EntryOf(nil, Change(Insert, Row(nil, Columns{Col("a", "", Null, Key), Col("b", "")})))},
		{name: "the first row has no columns", want: one(text{typ: `"INSERT"`}),
			entry: EntryOf(nil, Change(Insert, Row(nil, nil), Row(nil, Columns{Col("a", "", Key)})))},
		{name: "the first row has none in this image", want: one(text{typ: `"INSERT"`}),
			entry: EntryOf(nil, Change(Insert, Row(Columns{Col("a", "", Key)}, nil), Row(nil, Columns{Col("a", "", Key)})))},
		{name: "the key of an update is in after", want: one(text{pkNames: `["a"]`, old: `[{}]`}),
			entry: EntryOf(nil, Change(Update, Row(Columns{Col("b", "", Key)}, Columns{Col("a", "", Key)})))},
		{name: "and not in before", want: one(text{old: `[{}]`}),
			entry: EntryOf(nil, Change(Update, Row(Columns{Col("a", "", Key)}, Columns{Col("a", "")})))},
		{name: "the key of a delete is in before", want: one(text{pkNames: `["a"]`, typ: `"DELETE"`}),
			entry: EntryOf(nil, Change(Delete, Row(Columns{Col("a", "", Key)}, Columns{Col("a", "")})))},
		{name: "and not in after", want: one(text{typ: `"DELETE"`}),
			entry: EntryOf(nil, Change(Delete, Row(Columns{Col("a", "")}, Columns{Col("a", "", Key)})))},
		{name: "a key twice", want: one(text{pkNames: `["a","a"]`, typ: `"INSERT"`}),
			entry: EntryOf(nil, Change(Insert, Row(nil, Columns{Col("a", "", Key), Col("a", "", Key)})))},
		{name: "a key and another of its name", want: one(text{pkNames: `["a"]`, typ: `"INSERT"`}),
			entry: EntryOf(nil, Change(Insert, Row(nil, Columns{Col("a", "x", Key), Col("a", "")})))},
		{name: "the other of its name is the key", want: one(text{pkNames: `["a"]`, typ: `"INSERT"`}),
			entry: EntryOf(nil, Change(Insert, Row(nil, Columns{Col("a", "x"), Col("a", "", Key)})))},
		{name: "a key twice around others", entry: EntryOf(nil, Change(Delete, Row(Columns{Col("z", "", Key), Col("a", "", Key), Col("z", "", Key)}, nil))),
			want: text{data: `[{"z":"","a":""}]`, mysqlType: `{"z":"","a":""}`, sqlType: `{"z":0,"a":0}`, pkNames: `["z","a","z"]`, typ: `"DELETE"`}},
		{name: "a key without a name", entry: EntryOf(nil, Change(Insert, Row(nil, Columns{{IsKey: proto.Bool(true)}}))),
			want: text{data: `[{"":""}]`, mysqlType: `{"":""}`, sqlType: `{"":0}`, pkNames: `[""]`, typ: `"INSERT"`}},
		{name: "keys that are one name after repair", entry: EntryOf(nil, Change(Insert, Row(nil, Columns{Col("\xff", "1", Key), Col("\xfe", "2", Key)}))),
			want: text{data: "[{\"\uFFFD\":\"2\"}]", mysqlType: "{\"\uFFFD\":\"\"}", sqlType: "{\"\uFFFD\":0}", pkNames: "[\"\uFFFD\",\"\uFFFD\"]", typ: `"INSERT"`}},
	})
}

func TestRule8Types(t *testing.T) {
	hold(t, []law{
		{name: "union in first-seen order, last value", entry: EntryOf(nil, Change(Insert,
			Row(nil, Columns{Col("a", "1", Typed(1, "x")), Col("b", "2", Typed(2, "y"))}),
			Row(nil, Columns{Col("c", "3", Typed(3, "z")), Col("a", "4", Typed(-4, "w"))}))),
			want: text{data: `[{"a":"1","b":"2"},{"c":"3","a":"4"}]`, mysqlType: `{"a":"w","b":"y","c":"z"}`, sqlType: `{"a":-4,"b":2,"c":3}`, typ: `"INSERT"`}},
		{name: "the last is absent", entry: EntryOf(nil, Change(Insert,
			Row(nil, Columns{Col("a", "1", Typed(1, "x"))}), Row(nil, Columns{Col("a", "2")}))),
			want: text{data: `[{"a":"1"},{"a":"2"}]`, mysqlType: `{"a":""}`, sqlType: `{"a":0}`, typ: `"INSERT"`}},
		{name: "only the last has it", entry: EntryOf(nil, Change(Insert,
			Row(nil, Columns{Col("a", "1")}), Row(nil, Columns{Col("a", "2", Typed(1, "x"))}))),
			want: text{data: `[{"a":"1"},{"a":"2"}]`, mysqlType: `{"a":"x"}`, sqlType: `{"a":1}`, typ: `"INSERT"`}},
		{name: "types of null", entry: EntryOf(nil, Change(Insert, Row(nil, Columns{Col("a", "1", Null, Typed(1, "x"))}))),
			want: text{data: `[{"a":null}]`, mysqlType: `{"a":"x"}`, sqlType: `{"a":1}`, typ: `"INSERT"`}},
		{name: "a name twice in a row", entry: EntryOf(nil, Change(Insert,
			Row(nil, Columns{Col("a", "1", Typed(1, "x")), Col("b", "2", Typed(2, "y")), Col("a", "3", Typed(3, "z"))}))),
			want: text{data: `[{"a":"3","b":"2"}]`, mysqlType: `{"a":"z","b":"y"}`, sqlType: `{"a":3,"b":2}`, typ: `"INSERT"`}},
		{name: "null takes the place of a value", entry: EntryOf(nil, Change(Insert, Row(nil, Columns{Col("a", "1"), Col("b", "2"), Col("a", "3", Null)}))),
			want: text{data: `[{"a":null,"b":"2"}]`, mysqlType: `{"a":"","b":""}`, sqlType: `{"a":0,"b":0}`, typ: `"INSERT"`}},
		{name: "a value takes the place of null", entry: EntryOf(nil, Change(Insert, Row(nil, Columns{Col("a", "1", Null), Col("b", "2"), Col("a", "3")}))),
			want: text{data: `[{"a":"3","b":"2"}]`, mysqlType: `{"a":"","b":""}`, sqlType: `{"a":0,"b":0}`, typ: `"INSERT"`}},
		{name: "twice in the first row, once in the second, twice in the third", entry: EntryOf(nil, Change(Insert,
			Row(nil, Columns{Col("a", "1"), Col("a", "2", Typed(2, "y"))}),
			Row(nil, Columns{Col("a", "3", Typed(3, "z"))}),
			Row(nil, Columns{Col("b", "4"), Col("a", "5", Typed(5, "v")), Col("b", "6"), Col("a", "7", Typed(7, "w"))}))),
			want: text{data: `[{"a":"2"},{"a":"3"},{"b":"6","a":"7"}]`, mysqlType: `{"a":"w","b":""}`, sqlType: `{"a":7,"b":0}`, typ: `"INSERT"`}},
		{name: "columns in another order", entry: EntryOf(nil, Change(Insert,
			Row(nil, Columns{Col("a", "1"), Col("b", "2"), Col("c", "3")}), Row(nil, Columns{Col("c", "4"), Col("a", "5"), Col("b", "6")}))),
			want: text{data: `[{"a":"1","b":"2","c":"3"},{"c":"4","a":"5","b":"6"}]`, mysqlType: `{"a":"","b":"","c":""}`, sqlType: `{"a":0,"b":0,"c":0}`, typ: `"INSERT"`}},
		{name: "rows of other columns", entry: EntryOf(nil, Change(Delete,
			Row(Columns{Col("a", "1", Typed(1, "x"))}, nil), Row(Columns{Col("b", "2", Typed(2, "y"))}, nil))),
			want: text{data: `[{"a":"1"},{"b":"2"}]`, mysqlType: `{"a":"x","b":"y"}`, sqlType: `{"a":1,"b":2}`, typ: `"DELETE"`}},
		{name: "the other image has no say", entry: EntryOf(nil, Change(Update, Row(Columns{Col("b", "", Typed(1, "x")), Col("a", "", Typed(3, "z"))}, Columns{Col("a", "", Typed(2, "y"))}))),
			want: text{data: `[{"a":""}]`, mysqlType: `{"a":"y"}`, sqlType: `{"a":2}`, old: `[{}]`}},
		{name: "case matters", entry: EntryOf(nil, Change(Insert, Row(nil, Columns{Col("a", "1", Typed(1, "x")), Col("A", "2", Typed(2, "y"))}))),
			want: text{data: `[{"a":"1","A":"2"}]`, mysqlType: `{"a":"x","A":"y"}`, sqlType: `{"a":1,"A":2}`, typ: `"INSERT"`}},
		{name: "one letter, written in two ways", entry: EntryOf(nil, Change(Insert, Row(nil, Columns{Col("\u00e9", "1"), Col("e\u0301", "2")}))),
			want: text{data: "[{\"\u00e9\":\"1\",\"e\u0301\":\"2\"}]", mysqlType: "{\"\u00e9\":\"\",\"e\u0301\":\"\"}", sqlType: "{\"\u00e9\":0,\"e\u0301\":0}", typ: `"INSERT"`}},
		{name: "names meet after repair", entry: EntryOf(nil, Change(Insert, Row(nil, Columns{Col("\xff", "1", Typed(1, "x")), Col("\uFFFD", "2", Typed(2, "y"))}))),
			want: text{data: "[{\"\uFFFD\":\"2\"}]", mysqlType: "{\"\uFFFD\":\"y\"}", sqlType: "{\"\uFFFD\":2}", typ: `"INSERT"`}},
	})

	// More names than any small table holds, each flagged in one row of two.
	const many = 1000
	var rows [2]*canalpb.RowData
	var data, types, sqlTypes [2 * many]string
	for r := range rows {
		var before, after Columns
		for i := range 2 * many {
			if i < many || r == 1 { // the second row brings new ones
				name := fmt.Sprint("c", i)
				after = append(after, Col(name, "1", Typed(int32(i+r), fmt.Sprint("t", r))))
				before = append(before, Col(name, "0"))
			}
			data[i] = fmt.Sprintf(`"c%d":"1"`, i)
			types[i], sqlTypes[i] = fmt.Sprintf(`"c%d":"t1"`, i), fmt.Sprintf(`"c%d":%d`, i, i+1)
		}
		Changed(after[many-1+r])
		rows[r] = Row(before, after)
	}
	become(t, "2000 names", EntryOf(nil, Change(Update, rows[:]...)), fastjson.Options{}, text{
		data:      "[{" + strings.Join(data[:many], ",") + "},{" + strings.Join(data[:], ",") + "}]",
		mysqlType: "{" + strings.Join(types[:], ",") + "}", sqlType: "{" + strings.Join(sqlTypes[:], ",") + "}",
		old: `[{"c999":"0"},{"c999":"0","c1000":"0"}]`,
	}.String())
}
