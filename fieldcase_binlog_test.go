package cdcodec_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/fastjson"
	. "github.com/cdcodec/cdcodec/internal/canaltest"
	"github.com/cdcodec/cdcodec/internal/pb/tidbbinlogpb"
	"github.com/cdcodec/cdcodec/wire"
	"github.com/cdcodec/cdcodec/wire/tidbbinlog"
)

// Field cases of TiDB Binlog, in both dialects.

// fieldTSO is a TSO, and fieldTSOMillis the time in it.
const (
	fieldTSO       = 429918007904436226
	fieldTSOMillis = "1640007049196"
)

// A tiColumn describes a column of a table of TiDB, a tiValue is one value.
type (
	tiColumn = tidbbinlogpb.ColumnInfo
	tiValue  = tidbbinlogpb.Column
)

func ofType(name, mysqlType string) *tiColumn { return &tiColumn{Name: &name, MysqlType: &mysqlType} }

func keyOf(name, mysqlType string) *tiColumn {
	return &tiColumn{Name: &name, MysqlType: &mysqlType, IsPrimaryKey: proto.Bool(true)}
}

func tiInt(v int64) *tiValue      { return &tiValue{Int64Value: &v} }
func tiUint(v uint64) *tiValue    { return &tiValue{Uint64Value: &v} }
func tiDouble(v float64) *tiValue { return &tiValue{DoubleValue: &v} }
func tiBytes(v string) *tiValue   { return &tiValue{BytesValue: []byte(v)} }
func tiString(v string) *tiValue  { return &tiValue{StringValue: &v} }
func tiNull() *tiValue            { return &tiValue{IsNull: proto.Bool(true)} }

// tiRow is one mutation: before and after, either of which may be nil.
func tiRow(before, after []*tiValue) *tidbbinlogpb.TableMutation {
	row := func(v []*tiValue) *tidbbinlogpb.Row { return &tidbbinlogpb.Row{Columns: v} }
	switch {
	case before == nil:
		return &tidbbinlogpb.TableMutation{Type: tidbbinlogpb.MutationType_Insert.Enum(), Row: row(after)}
	case after == nil:
		return &tidbbinlogpb.TableMutation{Type: tidbbinlogpb.MutationType_Delete.Enum(), Row: row(before)}
	}
	return &tidbbinlogpb.TableMutation{Type: tidbbinlogpb.MutationType_Update.Enum(), Row: row(after), ChangeRow: row(before)}
}

// tiTable is table test.t.
func tiTable(columns []*tiColumn, rows ...*tidbbinlogpb.TableMutation) *tidbbinlogpb.Table {
	return &tidbbinlogpb.Table{SchemaName: proto.String("test"), TableName: proto.String("t"), ColumnInfo: columns, Mutations: rows}
}

// binlogOf is a transaction, committed at fieldTSO.
func binlogOf(tables ...*tidbbinlogpb.Table) []byte {
	return Encode(&tidbbinlogpb.Binlog{
		Type: tidbbinlogpb.BinlogType_DML.Enum(), CommitTs: proto.Int64(fieldTSO), DmlData: &tidbbinlogpb.DMLData{Tables: tables}})
}

// converts checks what becomes of a record, which the reference has to agree with.
func converts(t *testing.T, name string, o cdcodec.Options, record []byte, want ...string) {
	t.Helper()
	out, msgs, err := newTranscoder(t, o).Append(nil, nil, record, goldenMeta)
	if got, all := string(out), strings.Join(want, ""); err != nil || got != all || len(msgs) != len(want) {
		t.Errorf("%s: %d messages, %v\n got %s\nwant %s", name, len(msgs), err, got, all)
	}
	if o.From == cdcodec.FromCanalJSON || o.To != cdcodec.ToJSON {
		return
	}
	ref, err := expected(o, record, goldenMeta)
	if got, all := string(bytes.Join(ref, nil)), strings.Join(want, ""); err != nil || got != all {
		t.Errorf("%s: the reference says %v\n has %s\nwant %s", name, err, got, all)
	}
}

// tiDialect is dialect ticdc with these options of its own.
func tiDialect(o fastjson.TiCDCOptions) fastjson.Options {
	return fastjson.Options{Dialect: fastjson.TiCDC, TiCDC: o}
}

// fromBinlog checks what a transaction becomes in dialect ticdc and in dialect canal.
func fromBinlog(t *testing.T, name string, record []byte, ticdc, canal []string) {
	t.Helper()
	converts(t, name+", ticdc", cdcodec.Options{From: cdcodec.FromTiDBBinlog, JSON: tiDialect(fastjson.TiCDCOptions{})}, record, ticdc...)
	converts(t, name+", canal", cdcodec.Options{From: cdcodec.FromTiDBBinlog}, record, canal...)
}

// binlogTI and binlogOFF are messages of test.t at fieldTSO.
func binlogTI(typ, pkNames, sqlType, mysqlType, old, data string) string {
	return strings.Replace(tiText(typ, pkNames, sqlType, mysqlType, old, data), "1668673476000", fieldTSOMillis, 1)
}

func binlogOFF(x text) string {
	x.database, x.table, x.es = `"test"`, `"t"`, fieldTSOMillis
	return x.String()
}

// oneColumn checks what one value of an INSERT becomes, in both dialects.
func oneColumn(t *testing.T, name, mysqlType string, v *tiValue, want, wantMySQL, wantSQL string) {
	t.Helper()
	data, mysql, sql := `[{"v":`+want+`}]`, `{"v":"`+wantMySQL+`"}`, `{"v":`+wantSQL+`}`
	fromBinlog(t, name, binlogOf(tiTable([]*tiColumn{ofType("v", mysqlType)}, tiRow(nil, []*tiValue{v}))),
		[]string{binlogTI("INSERT", `[]`, sql, mysql, "null", data)},
		[]string{binlogOFF(text{data: data, mysqlType: mysql, sqlType: sql, typ: `"INSERT"`})})
}

func TestFieldCasesT01Binlog(t *testing.T) {
	columns := []*tiColumn{ofType("a", "varchar"), ofType("b", "varchar"), ofType("c", "varchar"), ofType("d", "varchar"), ofType("e", "varchar")}
	null := tiString("x")
	null.IsNull = proto.Bool(true)
	const data = `[{"a":null,"b":"","c":"null","d":"","e":null}]`
	const sql, mysql = `{"a":12,"b":12,"c":12,"d":12,"e":12}`, `{"a":"varchar","b":"varchar","c":"varchar","d":"varchar","e":"varchar"}`
	fromBinlog(t, "null, empty, \"null\", absent, null with a value",
		binlogOf(tiTable(columns, tiRow(nil, []*tiValue{tiNull(), tiString(""), tiString("null"), {}, null}))),
		[]string{binlogTI("INSERT", `[]`, sql, mysql, "null", data)},
		[]string{binlogOFF(text{data: data, mysqlType: mysql, sqlType: sql, typ: `"INSERT"`})})
}

func TestFieldCasesT02PKNamesBinlog(t *testing.T) {
	row := tiRow(nil, []*tiValue{tiInt(1), tiInt(2)})
	const data, sql, mysql = `[{"b":"1","a":"2"}]`, `{"b":4,"a":4}`, `{"b":"int","a":"int"}`
	both := func(name string, table *tidbbinlogpb.Table, ti, off string) {
		t.Helper()
		fromBinlog(t, name, binlogOf(table), []string{binlogTI("INSERT", ti, sql, mysql, "null", data)},
			[]string{binlogOFF(text{data: data, mysqlType: mysql, sqlType: sql, pkNames: off, typ: `"INSERT"`})})
	}
	bare := []*tiColumn{ofType("b", "int"), ofType("a", "int")}
	both("no key", tiTable(bare, row), `[]`, "null")
	both("two keys, in column order", tiTable([]*tiColumn{keyOf("b", "int"), keyOf("a", "int")}, row), `["b","a"]`, `["b","a"]`)
	named := tiTable(bare, row)
	named.UniqueKeys = []*tidbbinlogpb.Key{{Name: proto.String("u"), ColumnNames: []string{"a"}}, {Name: proto.String("PRIMARY"), ColumnNames: []string{"a", "b"}}}
	both("a key that only unique_keys names", named, `["b","a"]`, `["b","a"]`)
}

func TestFieldCasesT03NullToValueBinlog(t *testing.T) {
	const data, sql, mysql = `[{"id":"1","c":"x"}]`, `{"id":4,"c":12}`, `{"id":"int","c":"varchar"}`
	fromBinlog(t, "null before", binlogOf(tiTable([]*tiColumn{keyOf("id", "int"), ofType("c", "varchar")},
		tiRow([]*tiValue{tiInt(1), tiNull()}, []*tiValue{tiInt(1), tiString("x")}))),
		[]string{binlogTI("UPDATE", `["id"]`, sql, mysql, `[{"id":"1","c":null}]`, data)},
		[]string{binlogOFF(text{data: data, old: `[{"c":null}]`, mysqlType: mysql, sqlType: sql, pkNames: `["id"]`})})
	const empty = `[{"id":"1","c":""}]`
	fromBinlog(t, "null is not empty", binlogOf(tiTable([]*tiColumn{keyOf("id", "int"), ofType("c", "varchar")},
		tiRow([]*tiValue{tiInt(1), tiNull()}, []*tiValue{tiInt(1), tiString("")}))),
		[]string{binlogTI("UPDATE", `["id"]`, sql, mysql, `[{"id":"1","c":null}]`, empty)},
		[]string{binlogOFF(text{data: empty, old: `[{"c":null}]`, mysqlType: mysql, sqlType: sql, pkNames: `["id"]`})})
}

func TestFieldCasesT04NothingChangedBinlog(t *testing.T) {
	same := []*tiValue{tiInt(1), tiString("x")}
	record := binlogOf(tiTable([]*tiColumn{ofType("a", "int"), ofType("b", "varchar")}, tiRow(same, same)))
	const data, sql, mysql = `[{"a":"1","b":"x"}]`, `{"a":4,"b":12}`, `{"a":"int","b":"varchar"}`
	fromBinlog(t, "all the same", record, []string{binlogTI("UPDATE", `[]`, sql, mysql, data, data)},
		[]string{binlogOFF(text{data: data, old: `[{}]`, mysqlType: mysql, sqlType: sql})})
	converts(t, "only updated", cdcodec.Options{From: cdcodec.FromTiDBBinlog, JSON: tiDialect(fastjson.TiCDCOptions{OnlyUpdated: true})}, record,
		binlogTI("UPDATE", `[]`, sql, mysql, `[{}]`, data))
}

func TestFieldCasesT05SeveralRowsBinlog(t *testing.T) {
	record := binlogOf(tiTable([]*tiColumn{ofType("x", "int"), ofType("y", "char")},
		tiRow([]*tiValue{tiInt(1), tiString("a")}, []*tiValue{tiInt(2), tiString("a")}),
		tiRow([]*tiValue{tiInt(5), tiString("b")}, []*tiValue{tiInt(5), tiString("c")})))
	const sql, mysql = `{"x":4,"y":1}`, `{"x":"int","y":"char"}`
	fromBinlog(t, "a message for each row, old exact", record,
		[]string{
			binlogTI("UPDATE", `[]`, sql, mysql, `[{"x":"1","y":"a"}]`, `[{"x":"2","y":"a"}]`),
			binlogTI("UPDATE", `[]`, sql, mysql, `[{"x":"5","y":"b"}]`, `[{"x":"5","y":"c"}]`)},
		[]string{
			binlogOFF(text{data: `[{"x":"2","y":"a"}]`, old: `[{"x":"1"}]`, mysqlType: mysql, sqlType: sql}),
			binlogOFF(text{data: `[{"x":"5","y":"c"}]`, old: `[{"y":"b"}]`, mysqlType: mysql, sqlType: sql})})
}

func TestFieldCasesT09UnsignedBinlog(t *testing.T) {
	for _, c := range promotions {
		var v uint64
		for _, digit := range c.value {
			v = v*10 + uint64(digit-'0')
		}
		oneColumn(t, c.typ+" "+c.value, c.typ, tiUint(v), `"`+c.value+`"`, c.typ+" unsigned", c.sqlType)
	}
}

// control is the bytes of T11.
const control = "\x05\x07\n\x0f$2+cx<&\xff\xfe-7F"

func TestFieldCasesT11ControlBytesBinlog(t *testing.T) {
	record := binlogOf(tiTable([]*tiColumn{ofType("v", "varbinary")}, tiRow(nil, []*tiValue{tiBytes(control + "\b\f\x00")})))
	const sql, mysql = `{"v":2004}`, `{"v":"varbinary"}`
	fromBinlog(t, "varbinary", record,
		[]string{binlogTI("INSERT", `[]`, sql, mysql, "null", `[{"v":"\u0005\u0007\n\u000f$2+cx\u003c\u0026ÿþ-7F\u0008\u000c\u0000"}]`)},
		[]string{binlogOFF(text{data: `[{"v":"\u0005\u0007\n\u000f$2+cx<&ÿþ-7F\b\f\u0000"}]`, mysqlType: mysql, sqlType: sql, typ: `"INSERT"`})})
}

func TestFieldCasesT16bDoubles(t *testing.T) {
	for _, c := range []struct {
		typ, want string
		value     float64
	}{
		{"double", "1000000000000000000000", 1e21}, {"double", "4.5600000000000005", 4.5600000000000005}, {"double", "0.0000001", 1e-7},
		{"float", "345.6789", float64(float32(345.6789))}, {"double", "345.67889404296875", float64(float32(345.6789))},
	} {
		oneColumn(t, c.typ+" "+c.want, c.typ, tiDouble(c.value), `"`+c.want+`"`, c.typ, map[string]string{"float": "7", "double": "8"}[c.typ])
	}
	oneColumn(t, "decimal", "decimal", tiString("500.00"), `"500.00"`, "decimal", "3")
}

func TestFieldCasesT29Unsigned(t *testing.T) {
	oneColumn(t, "the largest", "bigint", tiUint(1<<64-1), `"18446744073709551615"`, "bigint unsigned", "3")
	oneColumn(t, "a null has no sign to be seen", "bigint", tiNull(), "null", "bigint", "-5")
	oneColumn(t, "an int64 is signed", "bigint", tiInt(-1), `"-1"`, "bigint", "-5")
	oneColumn(t, "an enum is a uint64 and not unsigned", "enum", tiUint(2), `"2"`, "enum", "4")
	oneColumn(t, "nor is a set", "set", tiUint(1<<63), `"9223372036854775808"`, "set", "-7")
	// In an UPDATE the other image tells.
	const sql, mysql = `{"v":-5}`, `{"v":"bigint unsigned"}`
	fromBinlog(t, "null before", binlogOf(tiTable([]*tiColumn{ofType("v", "bigint")}, tiRow([]*tiValue{tiUint(1)}, []*tiValue{tiNull()}))),
		[]string{binlogTI("UPDATE", `[]`, sql, mysql, `[{"v":"1"}]`, `[{"v":null}]`)},
		[]string{binlogOFF(text{data: `[{"v":null}]`, old: `[{"v":"1"}]`, mysqlType: mysql, sqlType: sql})})
}

func TestFieldCasesT30Kinds(t *testing.T) {
	oneColumn(t, "enum", "enum", tiUint(2), `"2"`, "enum", "4")
	oneColumn(t, "set", "set", tiUint(5), `"5"`, "set", "-7")
	oneColumn(t, "bit", "bit", tiBytes("\x01\xff"), `"511"`, "bit", "-7")
	oneColumn(t, "json", "json", tiBytes(`{"k":"a\nb"}`), `"{\"k\":\"a\\nb\"}"`, "json", "12")
	oneColumn(t, "decimal", "decimal", tiString("-1.10"), `"-1.10"`, "decimal", "3")
	for _, typ := range []string{"binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob"} {
		oneColumn(t, typ, typ, tiBytes("\xe6\x88\x91"), "\"\xc3\xa6\xc2\x88\xc2\x91\"", typ, "2004")
	}
	for typ, sqlType := range map[string]string{"char": "1", "varchar": "12", "tinytext": "2005", "text": "2005", "mediumtext": "2005", "longtext": "2005"} {
		oneColumn(t, typ, typ, tiString("我"), `"我"`, typ, sqlType)
	}
	for _, c := range []struct{ typ, value, sqlType string }{
		{"date", "0000-00-00", "91"}, {"time", "-838:59:59", "92"}, {"datetime", "2019-06-15 11:27:01.905", "93"},
		{"timestamp", "2019-06-15 11:27:01", "93"}, {"year", "0000", "12"},
	} {
		oneColumn(t, c.typ, c.typ, tiString(c.value), `"`+c.value+`"`, c.typ, c.sqlType)
	}
}

func TestFieldCasesT31Update(t *testing.T) {
	columns := []*tiColumn{keyOf("id", "int"), ofType("c", "varchar")}
	const sql, mysql, data = `{"id":4,"c":12}`, `{"id":"int","c":"varchar"}`, `[{"id":"1","c":"b"}]`
	update := tiRow([]*tiValue{tiInt(1), tiString("a")}, []*tiValue{tiInt(1), tiString("b")})
	ti := binlogTI("UPDATE", `["id"]`, sql, mysql, `[{"id":"1","c":"a"}]`, data)
	off := binlogOFF(text{data: data, old: `[{"c":"a"}]`, mysqlType: mysql, sqlType: sql, pkNames: `["id"]`})
	fromBinlog(t, "one row", binlogOf(tiTable(columns, update)), []string{ti}, []string{off})

	// Several tables and mutations: one transaction, in order, at one time.
	other := tiTable(columns, tiRow(nil, []*tiValue{tiInt(2), tiNull()}), tiRow([]*tiValue{tiInt(3), tiString("z")}, nil))
	other.TableName = proto.String("u")
	inU := func(message string) string { return strings.Replace(message, `"table":"t"`, `"table":"u"`, 1) }
	fromBinlog(t, "a transaction", binlogOf(tiTable(columns, update), other, tiTable(columns, update)),
		[]string{ti,
			inU(binlogTI("INSERT", `["id"]`, sql, mysql, "null", `[{"id":"2","c":null}]`)),
			inU(binlogTI("DELETE", `["id"]`, sql, mysql, "null", `[{"id":"3","c":"z"}]`)), ti},
		[]string{off,
			inU(binlogOFF(text{data: `[{"id":"2","c":null}]`, mysqlType: mysql, sqlType: sql, pkNames: `["id"]`, typ: `"INSERT"`})),
			inU(binlogOFF(text{data: `[{"id":"3","c":"z"}]`, mysqlType: mysql, sqlType: sql, pkNames: `["id"]`, typ: `"DELETE"`})), off})

	bad := tiRow([]*tiValue{tiInt(1), tiString("a")}, []*tiValue{tiInt(1), tiString("b")})
	bad.ChangeRow = nil
	record := binlogOf(tiTable(columns, update, bad))
	out, msgs, err := newTranscoder(t, cdcodec.Options{From: cdcodec.FromTiDBBinlog}).Append(nil, nil, record, goldenMeta)
	var at *wire.ParseError
	if !errors.As(err, &at) || !errors.Is(err, tidbbinlog.ErrNoChangeRow) || at.Table != "test.t" || at.Path != "dml_data.tables[0].mutations[1].change_row" || out != nil || msgs != nil {
		t.Errorf("no change_row: %v, %q", err, out)
	}
}

func TestFieldCasesT34DDL(t *testing.T) {
	for _, c := range []struct{ typ, sql string }{
		{"QUERY", "create database d"}, {"QUERY", "drop database if exists test"}, {"QUERY", "create view v as select 1"}, {"QUERY", "drop view v"},
		{"QUERY", "create sequence s"}, {"QUERY", "recover table t"}, {"QUERY", "alter database d charset utf8mb4"},
		{"CREATE", "create table t (id int)"}, {"ERASE", "drop table t"}, {"TRUNCATE", "truncate table t"}, {"RENAME", "rename table t to u"}, {"RENAME", "alter table t rename to u"},
		{"CINDEX", "create unique index i on t (a)"}, {"CINDEX", "alter table t add index i (a)"}, {"CINDEX", "alter table t add primary key (a)"},
		{"CINDEX", "alter table t add constraint f foreign key (a) references u (a)"},
		{"DINDEX", "drop index i on t"}, {"DINDEX", "alter table t drop primary key"}, {"DINDEX", "alter table t drop foreign key f"},
		{"ALTER", "alter table t add column c int"}, {"ALTER", "alter table t drop column c"}, {"ALTER", "alter table t modify c bigint"},
		{"ALTER", "alter table t add partition (partition p values less than (1))"}, {"ALTER", "alter table t comment = 'x'"},
		{"ALTER", "alter table t rename index a to b"}, {"ALTER", "alter table t add column c int, add index i (c)"},
	} {
		record := Encode(&tidbbinlogpb.Binlog{Type: tidbbinlogpb.BinlogType_DDL.Enum(), CommitTs: proto.Int64(fieldTSO),
			DdlData: &tidbbinlogpb.DDLData{SchemaName: proto.String("test"), DdlQuery: []byte(c.sql)}})
		fromBinlog(t, c.sql, record, []string{tiStatement("test", "", "true", c.typ, fieldTSOMillis, c.sql, "")},
			[]string{strings.Replace(binlogOFF(text{isDDL: "true", sql: `"` + c.sql + `"`, typ: `"` + c.typ + `"`}), `"table":"t"`, `"table":""`, 1)})
		converts(t, c.sql, cdcodec.Options{From: cdcodec.FromTiDBBinlog, JSON: tiDialect(fastjson.TiCDCOptions{Extension: true})}, record,
			tiStatement("test", "", "true", c.typ, fieldTSOMillis, c.sql, `,"_tidb":{"commitTs":429918007904436226}`))
	}
}
