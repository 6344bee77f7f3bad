package cdcodec_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/fastjson"
	. "github.com/cdcodec/cdcodec/internal/canaltest"
	"github.com/cdcodec/cdcodec/internal/pb/changedatasetpb"
	"github.com/cdcodec/cdcodec/internal/pb/tidbbinlogpb"
	"github.com/cdcodec/cdcodec/wire/frame"
)

// The files in testdata that README.md and testdata/README.md convert: records of
// TiDB Binlog behind the examples that the page of TiCDC's Canal-JSON has, and a
// ChangeDataSet that has every field. They are made here:
//
//	go test . -run TestSeedRecords -update
var updateSeeds = flag.Bool("update", false, "rewrite the .bin files in testdata")

// tso is the timestamp of a transaction at that millisecond. (The page's own
// commitTs do not fit their es: a digit of each was lost in print.)
func tso(ms int64) *int64 { return proto.Int64(ms << 18) }

// tpInt is the table of the page, without its rows.
func tpInt(rows ...*tidbbinlogpb.TableMutation) *tidbbinlogpb.Table {
	table := tiTable([]*tiColumn{keyOf("id", "int"), ofType("c_tinyint", "tinyint"), ofType("c_smallint", "smallint"),
		ofType("c_mediumint", "mediumint"), ofType("c_int", "int"), ofType("c_bigint", "bigint")}, rows...)
	table.TableName = proto.String("tp_int")
	table.UniqueKeys = []*tidbbinlogpb.Key{{Name: proto.String("PRIMARY"), ColumnNames: []string{"id"}}}
	return table
}

func ints(v ...int64) (row []*tiValue) {
	for _, n := range v {
		row = append(row, tiInt(n))
	}
	return row
}

// seedBinlogs is a DDL, and an INSERT, UPDATE and DELETE of one row.
func seedBinlogs() [][]byte {
	dml := func(ms int64, row *tidbbinlogpb.TableMutation) []byte {
		return Encode(&tidbbinlogpb.Binlog{Type: tidbbinlogpb.BinlogType_DML.Enum(), CommitTs: tso(ms), DmlData: &tidbbinlogpb.DMLData{Tables: []*tidbbinlogpb.Table{tpInt(row)}}})
	}
	full, less := ints(2, 127, 32767, 8388607, 2147483647, 9223372036854775807), ints(2, 0, 32767, 8388607, 0, 9223372036854775807)
	return [][]byte{
		Encode(&tidbbinlogpb.Binlog{Type: tidbbinlogpb.BinlogType_DDL.Enum(), CommitTs: tso(1639633094670),
			DdlData: &tidbbinlogpb.DDLData{SchemaName: proto.String("test"), TableName: proto.String(""), DdlQuery: []byte("drop database if exists test")}}),
		dml(1639633141221, tiRow(nil, full)), dml(1639633141971, tiRow(full, less)), dml(1639633142721, tiRow(less, nil)),
	}
}

// seedTypes is a transaction of two tables: ints has the ends of the ranges on the
// page, signed and unsigned, types a column of each other type.
func seedTypes() [][]byte {
	u := func(tiny, small, medium, normal, big uint64) []*tiValue {
		return []*tiValue{tiUint(tiny), tiUint(small), tiUint(medium), tiUint(normal), tiUint(big)}
	}
	least := ints(-128, -32768, -8388608, -2147483648, -9223372036854775808)
	most := ints(127, 32767, 8388607, 2147483647, 9223372036854775807)
	var columns []*tiColumn
	for _, sign := range []string{"s", "u"} {
		for _, typ := range []string{"tinyint", "smallint", "mediumint", "int", "bigint"} {
			columns = append(columns, ofType(sign+"_"+typ, typ))
		}
	}
	join := func(a, b []*tiValue) []*tiValue { return append(a[:len(a):len(a)], b...) }
	integers := tiTable(columns,
		tiRow(nil, join(least, u(0, 0, 0, 0, 0))), tiRow(nil, join(most, u(127, 32767, 8388607, 2147483647, 9223372036854775807))),
		tiRow(nil, join(most, u(128, 32768, 8388608, 2147483648, 9223372036854775808))), tiRow(nil, join(most, u(255, 65535, 16777215, 4294967295, 18446744073709551615))))
	integers.TableName = proto.String("ints")

	var row []*tiValue
	columns = nil
	add := func(typ string, v *tiValue) { columns, row = append(columns, ofType("c_"+typ, typ)), append(row, v) }
	add("float", tiDouble(float64(float32(345.6789))))
	add("double", tiDouble(123.456))
	add("decimal", tiString("123.4560"))
	add("char", tiString("abc"))
	add("varchar", tiString("abc"))
	add("binary", tiBytes("abc"))
	add("varbinary", tiBytes("\xca\xfe"))
	for _, size := range []string{"tiny", "", "medium", "long"} {
		add(size+"text", tiString("我"))
		add(size+"blob", tiBytes("\xff"))
	}
	add("date", tiString("2021-12-16"))
	add("datetime", tiString("2021-12-16 13:38:14.67"))
	add("timestamp", tiString("0000-00-00 00:00:00"))
	add("time", tiString("-838:59:59"))
	add("year", tiString("2021"))
	add("enum", tiUint(1))
	add("set", tiUint(3))
	add("bit", tiBytes("\x41"))
	add("json", tiBytes(`{"a": "<b>"}`))
	others := tiTable(columns, tiRow(nil, row))
	others.TableName = proto.String("types")
	return [][]byte{Encode(&tidbbinlogpb.Binlog{CommitTs: tso(1639633141221), DmlData: &tidbbinlogpb.DMLData{Tables: []*tidbbinlogpb.Table{integers, others}}})}
}

// seedSet is a set that has every field that the schema knows.
func seedSet() [][]byte {
	column := func(name, typ, charset, null, key, byDefault, extra string, bitmap int32) *setColumn {
		return &setColumn{ColumnName: &name, ColumnType: &typ, Charset: &charset, NullFlag: &null, KeyFlag: &key, IfNullValue: &byDefault, Extra: &extra,
			MetaValue: proto.Int32(0), DatabusColumnBitmap: &bitmap}
	}
	data := func(id int32, status int64, price float32, token string, note *setValue) []*setValue {
		return []*setValue{
			{Int32Value: &id, SqlType: proto.String("4")}, {Int64Value: &status, SqlType: proto.String("-6")}, {FloatValue: &price, SqlType: proto.String("7")},
			{BytesValue: []byte(token), SqlType: proto.String("2004")}, note}
	}
	table := proto.String("shop.orders")
	before, after := data(-1, 1, 9.5, "\xca\xfe", setNull()), data(-1, 2, 9.5, "\xca\xfe", setString("paid"))
	return [][]byte{Encode(&changedatasetpb.ChangeDataSet{
		DbInstanceName: proto.String("producer00"),
		SyncPoint: &changedatasetpb.SyncPoint{SyncType: changedatasetpb.SyncPoint_GTID.Enum(), GroupId: proto.Int64(7),
			GtId: []string{"3e11fa47-71ca-11e1-9e33-c80aa9429562:23"}, BinlogFileName: proto.String("mysql-bin.000003"), Position: proto.Int32(4711)},
		TableSchema: []*changedatasetpb.TableSchema{{TableName: table, Columns: []*setColumn{
			column("id", "int(10) unsigned", "", "NO", "PRI", "", "auto_increment", 0x22), column("status", "tinyint(4)", "", "NO", "MUL", "0", "", 0),
			column("price", "float", "", "NO", "", "", "", 0), column("token", "varbinary(8)", "", "NO", "", "", "", 0),
			column("note", "varchar(256)", "utf8_bin", "YES", "", "", "", 0)}}},
		TableChange: []*changedatasetpb.TableChange{
			{TableName: table, AfterData: before}, {TableName: table, BeforeData: before, AfterData: after}, {TableName: table, BeforeData: after}},
		SrcDbHost: proto.String("10.0.0.1:3306"), DataSize: proto.Int32(512), BirthTime: proto.Int64(1668673476), SendTime: proto.Int64(1668673477),
	})}
}

// TestSeedRecords holds the files to what they are made of here, and that to what
// it must become.
func TestSeedRecords(t *testing.T) {
	const head, types = `{"id":0,"database":"test","table":"tp_int","pkNames":["id"],"isDdl":false,"type":`,
		`"sqlType":{"id":4,"c_tinyint":-6,"c_smallint":5,"c_mediumint":4,"c_int":4,"c_bigint":-5},"mysqlType":{"id":"int","c_tinyint":"tinyint","c_smallint":"smallint","c_mediumint":"mediumint","c_int":"int","c_bigint":"bigint"},`
	const full, less = `[{"id":"2","c_tinyint":"127","c_smallint":"32767","c_mediumint":"8388607","c_int":"2147483647","c_bigint":"9223372036854775807"}]`,
		`[{"id":"2","c_tinyint":"0","c_smallint":"32767","c_mediumint":"8388607","c_int":"0","c_bigint":"9223372036854775807"}]`
	intsOf := func(sqlType, data string) string {
		return `{"id":0,"database":"test","table":"ints","pkNames":[],"isDdl":false,"type":"INSERT","es":1639633141221,"ts":1639633142960,"sql":"","sqlType":{"s_tinyint":-6,"s_smallint":5,"s_mediumint":4,"s_int":4,"s_bigint":-5,` + sqlType +
			`},"mysqlType":{"s_tinyint":"tinyint","s_smallint":"smallint","s_mediumint":"mediumint","s_int":"int","s_bigint":"bigint","u_tinyint":"tinyint unsigned","u_smallint":"smallint unsigned","u_mediumint":"mediumint unsigned","u_int":"int unsigned","u_bigint":"bigint unsigned"},"old":null,"data":[{` +
			data + `}],"_tidb":{"commitTs":429819990172237824}}`
	}
	const most = `"s_tinyint":"127","s_smallint":"32767","s_mediumint":"8388607","s_int":"2147483647","s_bigint":"9223372036854775807",`
	const below, above = `"u_tinyint":-6,"u_smallint":5,"u_mediumint":4,"u_int":4,"u_bigint":-5`, `"u_tinyint":5,"u_smallint":4,"u_mediumint":4,"u_int":-5,"u_bigint":3`
	const orders = `"database":"shop","es":1668673476000,"gtid":"3e11fa47-71ca-11e1-9e33-c80aa9429562:23","id":1,"isDdl":false,"mysqlType":{"id":"int(10) unsigned","status":"tinyint(4)","price":"float","token":"varbinary(8)","note":"varchar(256)"},`
	const ordersTail = `"pkNames":["id"],"sql":"","sqlType":{"id":-5,"status":-6,"price":7,"token":2004,"note":12},"table":"orders","ts":1639633142960,"type":`
	const newOrder, paid = "[{\"id\":\"4294967295\",\"status\":\"1\",\"price\":\"9.5\",\"token\":\"Êþ\",\"note\":null}]", "[{\"id\":\"4294967295\",\"status\":\"2\",\"price\":\"9.5\",\"token\":\"Êþ\",\"note\":\"paid\"}]"

	extended := tiDialect(fastjson.TiCDCOptions{Extension: true})
	m := fastjson.Meta{ID: 1, TS: 1639633142960}
	for _, c := range []struct {
		file    string
		records [][]byte
		o       cdcodec.Options
		want    []string
	}{
		{"binlogs.bin", seedBinlogs(), cdcodec.Options{From: cdcodec.FromTiDBBinlog, JSON: extended}, []string{
			`{"id":0,"database":"test","table":"","pkNames":null,"isDdl":true,"type":"QUERY","es":1639633094670,"ts":1639633142960,"sql":"drop database if exists test","sqlType":null,"mysqlType":null,"data":null,"old":null,"_tidb":{"commitTs":429819977969172480}}`,
			head + `"INSERT","es":1639633141221,"ts":1639633142960,"sql":"",` + types + `"old":null,"data":` + full + `,"_tidb":{"commitTs":429819990172237824}}`,
			head + `"UPDATE","es":1639633141971,"ts":1639633142960,"sql":"",` + types + `"old":` + full + `,"data":` + less + `,"_tidb":{"commitTs":429819990368845824}}`,
			head + `"DELETE","es":1639633142721,"ts":1639633142960,"sql":"",` + types + `"old":null,"data":` + less + `,"_tidb":{"commitTs":429819990565453824}}`,
		}},
		{"types.bin", seedTypes(), cdcodec.Options{From: cdcodec.FromTiDBBinlog, JSON: extended}, []string{
			intsOf(below, `"s_tinyint":"-128","s_smallint":"-32768","s_mediumint":"-8388608","s_int":"-2147483648","s_bigint":"-9223372036854775808","u_tinyint":"0","u_smallint":"0","u_mediumint":"0","u_int":"0","u_bigint":"0"`),
			intsOf(below, most+`"u_tinyint":"127","u_smallint":"32767","u_mediumint":"8388607","u_int":"2147483647","u_bigint":"9223372036854775807"`),
			intsOf(above, most+`"u_tinyint":"128","u_smallint":"32768","u_mediumint":"8388608","u_int":"2147483648","u_bigint":"9223372036854775808"`),
			intsOf(above, most+`"u_tinyint":"255","u_smallint":"65535","u_mediumint":"16777215","u_int":"4294967295","u_bigint":"18446744073709551615"`),
			`{"id":0,"database":"test","table":"types","pkNames":[],"isDdl":false,"type":"INSERT","es":1639633141221,"ts":1639633142960,"sql":"",` +
				`"sqlType":{"c_float":7,"c_double":8,"c_decimal":3,"c_char":1,"c_varchar":12,"c_binary":2004,"c_varbinary":2004,"c_tinytext":2005,"c_tinyblob":2004,"c_text":2005,"c_blob":2004,` +
				`"c_mediumtext":2005,"c_mediumblob":2004,"c_longtext":2005,"c_longblob":2004,"c_date":91,"c_datetime":93,"c_timestamp":93,"c_time":92,"c_year":12,"c_enum":4,"c_set":-7,"c_bit":-7,"c_json":12},` +
				`"mysqlType":{"c_float":"float","c_double":"double","c_decimal":"decimal","c_char":"char","c_varchar":"varchar","c_binary":"binary","c_varbinary":"varbinary","c_tinytext":"tinytext","c_tinyblob":"tinyblob","c_text":"text","c_blob":"blob",` +
				`"c_mediumtext":"mediumtext","c_mediumblob":"mediumblob","c_longtext":"longtext","c_longblob":"longblob","c_date":"date","c_datetime":"datetime","c_timestamp":"timestamp","c_time":"time","c_year":"year","c_enum":"enum","c_set":"set","c_bit":"bit","c_json":"json"},` +
				`"old":null,"data":[{"c_float":"345.6789","c_double":"123.456","c_decimal":"123.4560","c_char":"abc","c_varchar":"abc","c_binary":"abc","c_varbinary":"Êþ","c_tinytext":"我","c_tinyblob":"ÿ","c_text":"我","c_blob":"ÿ",` +
				`"c_mediumtext":"我","c_mediumblob":"ÿ","c_longtext":"我","c_longblob":"ÿ","c_date":"2021-12-16","c_datetime":"2021-12-16 13:38:14.67","c_timestamp":"0000-00-00 00:00:00","c_time":"-838:59:59","c_year":"2021","c_enum":"1","c_set":"3","c_bit":"65","c_json":"{\"a\": \"\u003cb\u003e\"}"}],` +
				`"_tidb":{"commitTs":429819990172237824}}`,
		}},
		{"changedataset.bin", seedSet(), cdcodec.Options{From: cdcodec.FromChangeDataSet}, []string{
			`{"data":` + newOrder + `,` + orders + `"old":null,` + ordersTail + `"INSERT"}`,
			`{"data":` + paid + `,` + orders + `"old":[{"status":"1","note":null}],` + ordersTail + `"UPDATE"}`,
			`{"data":` + paid + `,` + orders + `"old":null,` + ordersTail + `"DELETE"}`,
		}},
	} {
		var stream, out []byte
		var messages []string
		tr := newTranscoder(t, c.o)
		for _, record := range c.records {
			var err error
			if stream, err = frame.Append(stream, frame.U32BE, record); err != nil {
				t.Fatal(err)
			}
			var msgs []cdcodec.Message
			if out, msgs, err = tr.Append(nil, nil, record, m); err != nil {
				t.Fatalf("%s: %v", c.file, err)
			}
			for _, msg := range msgs {
				messages = append(messages, string(out[msg.Start:msg.End]))
			}
		}
		for i, want := range c.want {
			if i >= len(messages) || messages[i] != want {
				t.Errorf("%s, message %d\n got %s\nwant %s", c.file, i, messages[min(i, len(messages)-1)], want)
			}
		}
		if len(messages) != len(c.want) {
			t.Errorf("%s: %d messages, want %d", c.file, len(messages), len(c.want))
		}
		path := filepath.Join("testdata", c.file)
		if *updateSeeds {
			if err := os.WriteFile(path, stream, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if file, err := os.ReadFile(path); err != nil || !bytes.Equal(file, stream) {
			t.Errorf("%s is not what it is made of: %v", path, err)
		}
	}
}
