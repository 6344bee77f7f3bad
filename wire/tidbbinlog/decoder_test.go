package tidbbinlog_test

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/internal/pb/tidbbinlogpb"
	"github.com/cdcodec/cdcodec/wire"
	"github.com/cdcodec/cdcodec/wire/tidbbinlog"
)

// TestSeed is the messages of the seed, as drainer fills them: one transaction of
// two tables.
func TestSeed(t *testing.T) {
	pb := &tidbbinlogpb.Binlog{
		Type:     tidbbinlogpb.BinlogType_DML.Enum(),
		CommitTs: proto.Int64(429918007904436226),
		DmlData: &tidbbinlogpb.DMLData{Tables: []*tidbbinlogpb.Table{
			{
				SchemaName: proto.String("test"), TableName: proto.String("person"),
				ColumnInfo: []*tidbbinlogpb.ColumnInfo{
					{Name: proto.String("id"), MysqlType: proto.String("int"), IsPrimaryKey: proto.Bool(true)},
					{Name: proto.String("name"), MysqlType: proto.String("varchar"), IsPrimaryKey: proto.Bool(false)},
				},
				Mutations: []*tidbbinlogpb.TableMutation{
					{
						Type: tidbbinlogpb.MutationType_Insert.Enum(),
						Row:  pbRow(&tidbbinlogpb.Column{Int64Value: proto.Int64(1)}, &tidbbinlogpb.Column{StringValue: proto.String("a")}),
					},
					{
						Type:      tidbbinlogpb.MutationType_Update.Enum(),
						Row:       pbRow(&tidbbinlogpb.Column{Int64Value: proto.Int64(1)}, &tidbbinlogpb.Column{StringValue: proto.String("b")}),
						ChangeRow: pbRow(&tidbbinlogpb.Column{Int64Value: proto.Int64(1)}, &tidbbinlogpb.Column{StringValue: proto.String("a")}),
					},
				},
			},
			{
				SchemaName: proto.String("test"), TableName: proto.String("t2"),
				ColumnInfo: []*tidbbinlogpb.ColumnInfo{{Name: proto.String("f"), MysqlType: proto.String("float")}},
				Mutations: []*tidbbinlogpb.TableMutation{
					{Type: tidbbinlogpb.MutationType_Delete.Enum(), Row: pbRow(&tidbbinlogpb.Column{DoubleValue: proto.Float64(float64(float32(345.6789)))})},
				},
			},
		}},
	}
	var d tidbbinlog.Decoder
	record := bytesOf(pb)
	got := events(t, &d, record)
	want(t, strings.Join(got, "\n"), strings.Join([]string{
		`INSERT test.person +(id="1" int 4 key) +(name="a" varchar 12)`,
		`UPDATE test.person -(id="1" int 4 key) -(name="a" varchar 12 upd) +(id="1" int 4 key) +(name="b" varchar 12 upd)`,
		`DELETE test.t2 -(f="345.6789" float 7)`,
	}, "\n"))
	fatal(t, d.Open(record))
	var ev change.Event
	for d.Next(&ev) { // T31
		if ev.ES != 1640007049196 || ev.CommitTS != 429918007904436226 || ev.Kind != change.KindRows || ev.IsDDL {
			t.Errorf("%+v", ev)
		}
	}
}

func pbRow(c ...*tidbbinlogpb.Column) *tidbbinlogpb.Row { return &tidbbinlogpb.Row{Columns: c} }

// TestSeedDDL is the other kind of Binlog.
func TestSeedDDL(t *testing.T) {
	pb := &tidbbinlogpb.Binlog{
		Type:     tidbbinlogpb.BinlogType_DDL.Enum(),
		CommitTs: proto.Int64(429918007904436226),
		DdlData:  &tidbbinlogpb.DDLData{SchemaName: proto.String("test"), TableName: proto.String("person"), DdlQuery: []byte("CREATE TABLE person (id INT)")},
	}
	var d tidbbinlog.Decoder
	want(t, strings.Join(events(t, &d, bytesOf(pb)), "\n"), "CREATE test.person ddl CREATE TABLE person (id INT)")
	fatal(t, d.Open(bytesOf(pb)))
	var ev change.Event
	if !d.Next(&ev) || ev.Kind != change.KindDDL || !ev.IsDDL || ev.Rows != nil || ev.ES != 1640007049196 || ev.CommitTS != 429918007904436226 {
		t.Errorf("%+v", ev)
	}
}

// TestValueField is the rule of which field holds the value, and that of how it
// prints: the field a type wants, then the first in the order of their numbers.
func TestValueField(t *testing.T) {
	all := join(num(2, 1), num(3, 2), dbl(4, 3), str(5, "\x04"), str(6, "5"))
	for _, c := range []struct {
		typ    string
		fields []byte
		want   string
	}{
		{"tinyint", all, `"1" tinyint -6`}, {"smallint", all, `"1" smallint 5`}, {"mediumint", all, `"1" mediumint 4`},
		{"int", all, `"1" int 4`}, {"bigint", all, `"1" bigint -5`},
		{"float", all, `"3" float 7`}, {"double", all, `"3" double 8`},
		{"decimal", all, `"5" decimal 3`}, {"date", all, `"5" date 91`}, {"time", all, `"5" time 92`},
		{"datetime", all, `"5" datetime 93`}, {"timestamp", all, `"5" timestamp 93`}, {"year", all, `"5" year 12`},
		{"char", all, `"5" char 1`}, {"varchar", all, `"5" varchar 12`}, {"var_string", all, `"5" var_string 12`},
		{"tinytext", all, `"5" tinytext 2005`}, {"text", all, `"5" text 2005`}, {"mediumtext", all, `"5" mediumtext 2005`},
		{"longtext", all, `"5" longtext 2005`}, {"geometry", all, `"5" geometry 12`}, {"", all, `"5"  12`},
		{"bit", all, `"4" bit -7`}, {"tinyblob", all, `"\x04" tinyblob 2004`}, {"blob", all, `"\x04" blob 2004`},
		{"mediumblob", all, `"\x04" mediumblob 2004`}, {"longblob", all, `"\x04" longblob 2004`}, {"binary", all, `"\x04" binary 2004`},
		{"varbinary", all, `"\x04" varbinary 2004`}, {"json", all, `"\x04" json 12`},
		{"enum", all, `"2" enum 4`}, {"set", all, `"2" set -7`},
		{"vector", all, `"5" vector 12`},
		// Without the wanted field.
		{"int", num(3, 2), `"2" int unsigned 4`}, {"int", dbl(4, 3), `"3" int 4`}, {"int", str(5, "4"), `"4" int 4`}, {"int", str(6, "5"), `"5" int 4`},
		{"double", join(str(6, "5"), num(3, 2)), `"2" double 8`}, {"double", join(str(6, "5"), str(5, "4")), `"4" double 8`},
		{"varchar", join(str(5, "4"), dbl(4, 3)), `"3" varchar 12`}, {"varchar", join(dbl(4, 3), num(2, 1)), `"1" varchar 12`},
		{"blob", join(str(6, "5"), num(2, 1)), `"1" blob 2004`}, {"enum", join(str(6, "5"), dbl(4, 1)), `"1" enum 4`},
		{"enum", num(2, -1), `"-1" enum 4`}, {"bit", num(3, 511), `"511" bit -7`}, {"bit", str(6, "b'1'"), `"b'1'" bit -7`},
		{"int", nil, `"" int 4`}, {"varchar", nil, `"" varchar 12`}, {"bit", nil, `"" bit -7`}, {"double", nil, `"" double 8`},
		// is_null wins over all.
		{"int", join(num(2, 1), num(1, 1)), `NULL int 4`}, {"int", join(num(1, 1), num(2, 1)), `NULL int 4`}, {"bigint", join(num(3, -1), num(1, 1)), `NULL bigint -5`},
		{"varchar", join(num(1, 0), str(6, "a")), `"a" varchar 12`}, {"varchar", join(num(1, 1), num(1, 0), str(6, "a")), `"a" varchar 12`},
		{"varchar", num(1, 1<<40), `NULL varchar 12`}, {"bit", join(num(1, 1), str(5, "123456789")), `NULL bit -7`},
		// The last scalar wins; other wire types are other fields.
		{"int", join(num(2, 1), num(2, 7)), `"7" int 4`}, {"varchar", join(str(6, "a"), str(6, "")), `"" varchar 12`},
		{"int", join(str(2, "x"), num(9, 1), str(6, "5")), `"5" int 4`}, {"double", num(4, 3), `"" double 8`},
		// Any way to write a varint.
		{"bigint", []byte{0x10, 0x81, 0x80, 0x80, 0}, `"1" bigint -5`}, {"bigint", []byte{0x90, 0x80, 0, 0x81, 0}, `"1" bigint -5`},
		// mysql_type in any case, with parameters.
		{"VARCHAR(20)", str(6, "a"), `"a" varchar 12`}, {"Decimal(10,2)", str(6, "1.50"), `"1.50" decimal 3`}, {"INTEGER", num(2, 1), `"1" int 4`},
		{"Geometry(3)", str(6, "a"), `"a" geometry 12`}, {"POINT", str(6, "a"), `"a" point 12`}, {" Öl ", str(6, "a"), `"a" Öl 12`},
		{"enum('a','b')", num(3, 1), `"1" enum 4`}, {"bigint(20) UNSIGNED", num(2, 1), `"1" bigint unsigned -5`},
		{"int(5) zerofill", num(2, 1), `"1" int unsigned zerofill 4`}, {"int(5) zerofill", num(3, 1<<31), `"2147483648" int unsigned zerofill -5`},
	} {
		want(t, c.typ+" "+column(t, c.typ, c.fields), c.typ+" "+c.want)
	}
}

// TestNumbers is ticdc.md 7.
func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		typ   string
		value []byte
		want  string
	}{
		{"bigint", num(2, math.MinInt64), `"-9223372036854775808" bigint -5`}, {"bigint", num(2, math.MaxInt64), `"9223372036854775807" bigint -5`},
		{"bigint", num(2, 0), `"0" bigint -5`}, {"int", num(2, -1), `"-1" int 4`},
		{"float", dbl(4, float64(float32(345.6789))), `"345.6789" float 7`}, {"float", dbl(4, 345.6789), `"345.6789" float 7`},
		{"float", dbl(4, 1e300), `"+Inf" float 7`}, {"float", dbl(4, -1e300), `"-Inf" float 7`}, {"float", dbl(4, 1e-300), `"0" float 7`},
		{"float", dbl(4, math.Copysign(0, -1)), `"-0" float 7`}, {"float", dbl(4, math.NaN()), `"NaN" float 7`},
		{"float", dbl(4, math.MaxFloat32), `"340282350000000000000000000000000000000" float 7`},
		{"double", dbl(4, 345.6789), `"345.6789" double 8`}, {"double", dbl(4, float64(float32(345.6789))), `"345.67889404296875" double 8`},
		{"double", dbl(4, 1e21), `"1000000000000000000000" double 8`}, {"double", dbl(4, 1e-7), `"0.0000001" double 8`},
		{"double", dbl(4, math.Copysign(0, -1)), `"-0" double 8`}, {"double", dbl(4, math.NaN()), `"NaN" double 8`},
		{"double", dbl(4, math.Inf(1)), `"+Inf" double 8`}, {"double", dbl(4, math.Inf(-1)), `"-Inf" double 8`},
		{"double", dbl(4, 5e-324), `"0.` + strings.Repeat("0", 323) + `5" double 8`},
		{"double", dbl(4, -math.MaxFloat64), `"-17976931348623157` + strings.Repeat("0", 292) + `" double 8`},
		{"double", dbl(4, -2.2250738585072011e-308), `"-0.` + strings.Repeat("0", 307) + `2225073858507201" double 8`},
		{"varchar", dbl(4, float64(float32(0.1))), `"0.10000000149011612" varchar 12`},
		// T30
		{"bit", str(5, "\x01\xff"), `"511" bit -7`}, {"bit", str(5, ""), `"0" bit -7`}, {"bit", str(5, "\x00\x00"), `"0" bit -7`},
		{"bit", str(5, "\xff\xff\xff\xff\xff\xff\xff\xff"), `"18446744073709551615" bit -7`},
		{"bit", str(5, "\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff"), `"18446744073709551615" bit -7`},
		{"enum", num(3, 2), `"2" enum 4`}, {"set", num(3, 5), `"5" set -7`}, {"set", num(3, -1), `"18446744073709551615" set -7`},
		{"json", str(5, `{"a":"ü"}`), `"{\"a\":\"ü\"}" json 12`}, {"json", str(5, "\xff"), `"\xff" json 12`},
		{"binary", str(5, "a\x00\x7f\x80\xff"), `"a\x00\x7f` + "\u0080ÿ" + `" binary 2004`},
	} {
		got := column(t, c.typ, c.value)
		// %q writes U+0080 as an escape.
		want(t, c.typ+" "+strings.ReplaceAll(got, `\u0080`, "\u0080"), c.typ+" "+c.want)
	}
}

// TestBytes is which bytes are text and which become characters.
func TestBytes(t *testing.T) {
	for _, c := range []struct{ types, want string }{
		{"json char varchar var_string tinytext text mediumtext longtext", `"\xff"`},
		{"tinyblob blob mediumblob longblob binary varbinary int double decimal date datetime enum set year geometry vector", `"ÿ"`},
	} {
		for _, typ := range strings.Fields(c.types) {
			got := column(t, typ, str(5, "\xff"))
			if !strings.HasPrefix(got, c.want) {
				t.Errorf("%s: bytes give %s, want %s", typ, got, c.want)
			}
			if got := column(t, typ, str(6, "ÿ\xff")); !strings.HasPrefix(got, `"ÿ\xff"`) {
				t.Errorf("%s: a string gives %s", typ, got)
			}
		}
	}
}

// TestUnsigned is T29, and the rule of a null.
func TestUnsigned(t *testing.T) {
	for _, c := range []struct {
		typ         string
		row, before []byte // before: an Update
		want        string
	}{
		{"bigint", u64(math.MaxUint64), nil, `+(c="18446744073709551615" bigint unsigned 3)`},
		{"bigint", u64(math.MaxInt64), nil, `+(c="9223372036854775807" bigint unsigned -5)`},
		{"int", u64(2147483648), nil, `+(c="2147483648" int unsigned -5)`}, {"int", u64(2147483647), nil, `+(c="2147483647" int unsigned 4)`},
		{"mediumint", u64(16777215), nil, `+(c="16777215" mediumint unsigned 4)`},
		{"smallint", u64(32768), nil, `+(c="32768" smallint unsigned 4)`}, {"tinyint", u64(128), nil, `+(c="128" tinyint unsigned 5)`},
		{"tinyint", i64(200), nil, `+(c="200" tinyint -6)`}, {"decimal", u64(1), nil, `+(c="1" decimal 3)`}, {"double", u64(1), nil, `+(c="1" double 8)`},
		{"bigint", null(), nil, `+(c=NULL bigint -5)`},
		{"bigint", null(), null(), `-(c=NULL bigint -5) +(c=NULL bigint -5)`},
		{"bigint", u64(1), null(), `-(c=NULL bigint unsigned -5 upd) +(c="1" bigint unsigned -5 upd)`},
		{"bigint", null(), u64(math.MaxUint64), `-(c="18446744073709551615" bigint unsigned 3 upd) +(c=NULL bigint unsigned -5 upd)`},
		{"tinyint", i64(200), u64(200), `-(c="200" tinyint unsigned 5) +(c="200" tinyint unsigned 5)`},
		{"tinyint", text("200"), u64(1), `-(c="1" tinyint unsigned -6 upd) +(c="200" tinyint unsigned 5 upd)`},
		{"tinyint", sub(1, num(1, 1), num(3, 200)), i64(1), `-(c="1" tinyint -6 upd) +(c=NULL tinyint -6 upd)`},
		{"tinyint", sub(1, num(2, 1), num(3, 200)), i64(1), `-(c="1" tinyint -6) +(c="1" tinyint -6)`},
	} {
		m := insert(c.row)
		if c.before != nil {
			m = update(c.row, c.before)
		}
		want(t, columns(t, binlog(table(info("c", c.typ), m))), c.want)
	}
}

// TestUpdated is what differs between the images.
func TestUpdated(t *testing.T) {
	for _, c := range []struct {
		typ           string
		before, after []byte
		updated       bool
	}{
		{"int", i64(1), i64(1), false}, {"int", i64(1), i64(2), true}, {"int", i64(1), null(), true}, {"int", null(), i64(0), true}, {"int", null(), null(), false},
		{"int", i64(1), u64(1), false}, {"int", i64(-1), u64(math.MaxUint64), true}, {"int", i64(1), text("1"), false}, {"int", text("01"), i64(1), true},
		{"int", sub(1), i64(0), true}, {"int", sub(1), text(""), false}, {"int", null(), text(""), true}, {"int", sub(1), sub(1), false},
		{"int", sub(1, num(1, 1), num(2, 1)), sub(1, num(1, 1), num(2, 2)), false},
		{"double", f64(1), f64(1), false}, {"double", f64(0), f64(math.Copysign(0, -1)), true},
		{"double", f64(math.NaN()), f64(math.Float64frombits(math.Float64bits(math.NaN()) ^ 2)), false},
		{"double", f64(1.5), text("1.5"), false}, {"double", f64(0.1), f64(float64(float32(0.1))), true},
		{"float", f64(0.1), f64(float64(float32(0.1))), false}, {"float", f64(1e300), f64(math.Inf(1)), false}, {"float", f64(1), f64(2), true},
		{"bit", raw("\x00\x01"), raw("\x01"), false}, {"bit", raw(""), raw("\x00"), false}, {"bit", raw("\x01"), raw("\x02"), true}, {"bit", raw("\x01\xff"), u64(511), false},
		{"bit", raw("\x01\xff"), text("511"), false}, {"bit", raw("\xff"), text("\xc3\xbf"), true},
		{"blob", raw("\xff"), raw("\xff"), false}, {"blob", raw("\xff"), raw("\xfe"), true}, {"blob", raw("\xffa"), text("ÿa"), false}, {"blob", text("ÿa"), raw("\xffa"), false},
		{"blob", raw("\xff"), text("\xff"), true}, {"blob", raw("\xff"), text("ÿa"), true}, {"blob", raw("a\xff"), text("a"), true}, {"blob", raw("a\xff"), text("a\xc3"), true},
		{"varchar", raw("\xff"), text("\xff"), false}, {"varchar", raw("\xff"), text("ÿ"), true}, {"varchar", text("a"), text("A"), true},
		{"json", raw(`{}`), raw(`{}`), false}, {"json", raw(`{}`), raw(`{ }`), true},
	} {
		got := columns(t, binlog(table(info("c", c.typ), update(c.after, c.before))))
		if n := strings.Count(got, " upd)"); n != 0 && n != 2 || (n == 2) != c.updated {
			t.Errorf("%s, want updated %v", got, c.updated)
		}
	}
}

// TestKeys is pkNames and the handle key.
func TestKeys(t *testing.T) {
	row := insert(i64(1), i64(2), i64(3))
	abc := func(first, second, third []byte) []byte {
		return join(info("a", "int", first), info("b", "int", second), info("c", "int", third))
	}
	for _, c := range []struct {
		name   string
		fields []byte
		want   string // of a, b, c
	}{
		{"none", abc(nil, nil, nil), "- - -"},
		{"is_primary_key", abc(pk, nil, pk), "key - key"},
		{"is_primary_key wins over PRIMARY", join(abc(nil, pk, nil), key("PRIMARY", "a"), key("u", "c")), "- key -"},
		{"PRIMARY", join(abc(nil, nil, nil), key("PRIMARY", "c", "a")), "key - key"},
		{"PRIMARY behind another", join(key("u", "b"), abc(nil, nil, nil), key("PRIMARY", "c")), "- - key"},
		{"PRIMARY in two", join(abc(nil, nil, nil), key("PRIMARY", "c"), key("PRIMARY", "a")), "key - key"},
		{"primary is another name", join(abc(nil, nil, nil), key("primary", "c")), "- - hdl"},
		{"a unique key", join(abc(nil, nil, nil), key("u", "b", "c"), key("v", "a")), "- hdl hdl"},
		{"a unique key without columns", join(abc(nil, nil, nil), key("u"), key("v", "a")), "- - -"},
		{"PRIMARY of no column", join(abc(nil, nil, nil), key("PRIMARY", "x"), key("v", "a")), "hdl - -"},
		{"a name twice in a key", join(abc(nil, nil, nil), key("PRIMARY", "b", "b")), "- key -"},
		{"the name of a key given twice", join(abc(nil, nil, nil), sub(5, str(1, "u"), str(2, "b"), str(1, "PRIMARY"))), "- key -"},
		{"a column twice, both keys", join(info("a", "int", pk), info("b", "int"), info("a", "int", pk)), "key - -"},
		{"a column twice, the second a key", join(info("a", "int"), info("b", "int", pk), info("a", "int", pk)), "- key key"},
		{"a column twice, the first a key", join(info("a", "int", pk), info("b", "int"), info("a", "int")), "key - -"},
		{"a column twice, named by PRIMARY", join(info("a", "int"), info("b", "int"), info("a", "int"), key("PRIMARY", "a")), "key - -"},
		{"a column twice, named by a unique key", join(info("a", "int"), info("b", "int"), info("a", "int"), key("u", "a")), "hdl - hdl"},
	} {
		got := columns(t, binlog(table(c.fields, row)))
		var flags []string
		for col := range strings.SplitSeq(got, ") ") {
			switch {
			case strings.Contains(col, " key"):
				flags = append(flags, "key")
			case strings.Contains(col, " hdl"):
				flags = append(flags, "hdl")
			default:
				flags = append(flags, "-")
			}
		}
		want(t, c.name+": "+strings.Join(flags, " "), c.name+": "+c.want)
	}
}

// TestTwice is columns of one name: the images are compared at the last one.
func TestTwice(t *testing.T) {
	infos := join(info("a", "int"), info("b", "int"), info("a", "int"))
	want(t, columns(t, binlog(table(infos, update(join(i64(1), i64(5), i64(3)), join(i64(2), i64(5), i64(3)))))),
		`-(a="2" int 4) -(b="5" int 4) -(a="3" int 4) +(a="1" int 4) +(b="5" int 4) +(a="3" int 4)`)
	want(t, columns(t, binlog(table(infos, update(join(i64(1), i64(5), i64(4)), join(i64(1), i64(5), i64(3)))))),
		`-(a="1" int 4) -(b="5" int 4) -(a="3" int 4 upd) +(a="1" int 4) +(b="5" int 4) +(a="4" int 4 upd)`)
	infos = join(info("", "int"), info("", "int"))
	want(t, columns(t, binlog(table(infos, update(join(i64(1), i64(5)), join(i64(2), i64(6)))))),
		`-(="2" int 4) -(="6" int 4 upd) +(="1" int 4) +(="5" int 4 upd)`)
}

// TestMerge is sub-messages given in parts, and the order of fields.
func TestMerge(t *testing.T) {
	a, b := info("a", "int", pk), info("b", "varchar")
	whole := `UPDATE shop.orders -(a="1" int 4 key) -(b="x" varchar 12 upd) +(a="1" int 4 key) +(b="y" varchar 12 upd)`
	row, old := [2][]byte{i64(1), text("y")}, [2][]byte{i64(1), text("x")}
	good := binlog(table(a, b, update(join(row[0], row[1]), join(old[0], old[1]))))
	unknown := join(num(77, 1), str(1000, "x"), wire.AppendTag(nil, 43, wire.StartGroup), str(1, "y"), wire.AppendTag(nil, 43, wire.EndGroup), num(1<<20, 3))
	for _, c := range []struct {
		name   string
		record []byte
		want   string
	}{
		{"as drainer has it", good, whole},
		{"dml_data in parts", join(sub(3, table(a, insert(i64(1)))), num(2, 4), sub(3), sub(3, table(b, insert(text("z"))))),
			"INSERT shop.orders +(a=\"1\" int 4 key)\nINSERT shop.orders +(b=\"z\" varchar 12)"},
		{"rows in parts", binlog(table(a, b, mutation(sub(3, old[0]), sub(2), sub(2, row[0]), num(1, 1), sub(3, old[1]), sub(2), sub(2, row[1])))), whole},
		{"column_info behind the mutations", binlog(table(update(join(row[0], row[1]), join(old[0], old[1])), a, b)), whole},
		{"column_info around the mutations", binlog(table(a, update(join(row[0], row[1]), join(old[0], old[1])), b)), whole},
		{"the type last", binlog(table(a, b, mutation(sub(2, row[0], row[1]), sub(3, old[0], old[1]), num(1, 1)))), whole},
		{"the type twice", binlog(table(a, b, mutation(num(1, 7), sub(2, row[0], row[1]), sub(3, old[0], old[1]), num(1, 0), num(1, 1)))), whole},
		{"names twice", binlog(sub(1, str(1, "x"), a, b, update(join(row[0], row[1]), join(old[0], old[1])), str(2, "y"), str(1, "shop"), str(2, "orders"))), whole},
		{"a column's facts twice", binlog(table(sub(3, str(1, "x"), str(2, "bit"), pk, str(1, "a"), str(2, "int")), b, update(join(row[0], row[1]), join(old[0], old[1])))), whole},
		{"is_primary_key twice", binlog(table(sub(3, pk, str(1, "a"), str(2, "int"), num(3, 0)), insert(i64(1)))), `INSERT shop.orders +(a="1" int 4)`},
		{"unknown fields", binlog(unknown, table(unknown, a, unknown, b, mutation(unknown, num(1, 1), sub(2, unknown, row[0], unknown, row[1], unknown), unknown, sub(3, unknown, old[0], old[1])), unknown)), whole},
		{"other wire types", binlog(num(1, 3), table(num(3, 1), a, num(4, 1), b, mutation(num(2, 2), num(1, 1), num(3, 3), sub(2, num(1, 1), row[0], row[1]), sub(3, old[0], old[1]), str(1, "x")), num(5, 1))), whole},
		{"the type of a Binlog is unknown", join(good, num(1, 2), num(1, -1)), whole},
		{"the type of a Binlog is another one first", join(num(1, 1), good), whole},
		{"no type and no commit_ts", sub(3, table(a, insert(i64(1)))), `INSERT shop.orders +(a="1" int 4 key)`},
		{"later fields", join(str(5, "UTC"), sub(3, table(sub(3, str(1, "a"), str(2, "int"), num(4, 11), num(5, 0)), insert(i64(1))))), `INSERT shop.orders +(a="1" int 4)`},
		{"change_row of an Insert and a Delete is ignored", binlog(table(info("c", "bit"), mutation(num(1, 0), sub(2, raw("\x01")), sub(3, raw("123456789"), null())), mutation(num(1, 2), sub(2, null()), sub(3, raw("1"))))),
			"INSERT shop.orders +(c=\"1\" bit -7)\nDELETE shop.orders -(c=NULL bit -7)"},
		{"tables without columns or mutations", binlog(table(), table(a), table(insert(), update(nil, nil), remove()), table(a, insert(i64(1)))), `INSERT shop.orders +(a="1" int 4 key)`},
		{"no tables", binlog(), ""},
		{"ddl_data in parts", join(num(1, 1), sub(4, str(1, "shop"), str(3, "x")), sub(4, str(2, "orders"), str(3, "DROP TABLE orders"))), "ERASE shop.orders ddl DROP TABLE orders"},
		{"ddl_data empty", join(num(1, 1), sub(4)), "QUERY . ddl "},
		{"a DDL ignores rows", join(num(1, 1), sub(4, str(3, "TRUNCATE t")), sub(3, table(a, insert(), mutation()))), "TRUNCATE . ddl TRUNCATE t"},
		{"a DML ignores a DDL", join(sub(4, str(3, "TRUNCATE t")), good), whole},
	} {
		var d tidbbinlog.Decoder
		want(t, c.name+": "+strings.Join(events(t, &d, c.record), "\n"), c.name+": "+c.want)
	}
}

// TestReset has a Decoder let go of a record: what is left of its Events is empty.
func TestReset(t *testing.T) {
	var d tidbbinlog.Decoder
	var ev, none change.Event
	if d.Next(&ev) || d.Index() != -1 {
		t.Error("an Event of no record")
	}
	fatal(t, d.Open(orders(3)))
	d.Next(&ev)
	ev.Rows.Next()
	ev.Rows.Select(change.After)
	ev.Rows.Column()
	d.Reset()
	if ev.Rows.Column() != nil || ev.Rows.Next() || ev.Rows.MaxNames(change.After) != 1 || d.Next(&none) || d.Index() != -1 {
		t.Error("something is left")
	}
	if ev.Rows.Select(change.After); ev.Rows.Column() != nil {
		t.Error("a column is left")
	}
	fatal(t, d.Open(orders(3)))
	n := 0
	for d.Next(&ev) {
		n++
	}
	if n != 3 || d.Index() != 2 {
		t.Errorf("%d events, the last is %d", n, d.Index())
	}
}

// TestLifetimes is what the Decoder promises of an Event's texts: names and types
// last, and so do values that are in the record; what At wrote is At's to overwrite.
func TestLifetimes(t *testing.T) {
	infos := join(info("a", "GEO"), info("b", "bigint"), times(150, info("c", "Blob")), info("d", "Point"), info("e", "varchar"))
	row := join(text("x"), u64(7), times(150, raw("\xff")), text("y"), text("z"))
	var d tidbbinlog.Decoder
	fatal(t, d.Open(binlog(table(infos, insert(row)))))
	var ev change.Event
	d.Next(&ev)
	var names, types, values [][]byte
	ev.Rows.Next()
	ev.Rows.Select(change.After)
	var first *change.Column
	for c := ev.Rows.Column(); c != nil; c = ev.Rows.Column() {
		names, types = append(names, c.Name), append(types, c.MySQLType)
		if string(c.MySQLType) != "bigint unsigned" && string(c.MySQLType) != "blob" {
			values = append(values, c.Value)
		}
		if first == nil {
			first = ev.Rows.At(3) // bigint, of which the value is in the scratch of At
		}
	}
	all := func(b [][]byte) string { return string(bytes.Join(b, []byte(" "))) }
	want(t, all(names), "a b "+strings.Repeat("c ", 150)+"d e")
	want(t, all(types), "geo bigint unsigned "+strings.Repeat("blob ", 150)+"point varchar")
	want(t, all(values), "x y z")
	want(t, string(first.Value), "7")
}
