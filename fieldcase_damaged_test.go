package cdcodec_test

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/fastjson"
	. "github.com/cdcodec/cdcodec/internal/canaltest"
	"github.com/cdcodec/cdcodec/internal/pb/changedatasetpb"
	"github.com/cdcodec/cdcodec/internal/pb/tidbbinlogpb"
	"github.com/cdcodec/cdcodec/wire"
	"github.com/cdcodec/cdcodec/wire/changedataset"
	"github.com/cdcodec/cdcodec/wire/tidbbinlog"
)

// Field cases of what is damaged, or left over from another record, in the sources
// other than Canal's.

// TestFieldCasesT12TextSources has text that is not UTF-8 in values of the other
// sources: repaired as each dialect does it, or an error.
func TestFieldCasesT12TextSources(t *testing.T) {
	for _, c := range []struct{ value, canal, ticdc string }{
		{"😀", "😀", "😀"},
		{"\u2028", "\u2028", `\u2028`},
		{"\xff\xfe", "\uFFFD\uFFFD", `\ufffd\ufffd`},
		{"\xed\xa0\x80", "\uFFFD", `\ufffd\ufffd\ufffd`},
	} {
		name := fmt.Sprintf("%x", c.value)
		binlog := Sub(Text(Text(nil, 1, "test"), 2, "t"), 3, Text(Text(nil, 1, "v"), 2, "text"))
		binlog = Sub(binlog, 4, Sub(Num(nil, 1, 0), 2, Sub(nil, 1, Text(nil, 6, c.value))))
		binlog = Sub(Num(nil, 2, fieldTSO), 3, Sub(nil, 1, binlog))
		fromBinlog(t, name, binlog, []string{binlogTI("INSERT", `[]`, `{"v":2005}`, `{"v":"text"}`, "null", `[{"v":"`+c.ticdc+`"}]`)},
			[]string{binlogOFF(text{data: `[{"v":"` + c.canal + `"}]`, mysqlType: `{"v":"text"}`, sqlType: `{"v":2005}`, typ: `"INSERT"`})})
		set := Sub(Text(nil, 1, "test.t"), 2, Text(Text(nil, 1, "v"), 2, "text"))
		set = Sub(Sub(Num(nil, 7, 1668673476), 3, set), 4, Sub(Text(nil, 1, "test.t"), 3, Text(nil, 1, c.value)))
		fromSet(t, name, set, tiText("INSERT", `[]`, `{"v":2005}`, `{"v":"text"}`, "null", `[{"v":"`+c.ticdc+`"}]`),
			text{data: `[{"v":"` + c.canal + `"}]`, mysqlType: `{"v":"text"}`, sqlType: `{"v":2005}`, typ: `"INSERT"`})
		for from, record := range map[cdcodec.Source][]byte{cdcodec.FromTiDBBinlog: binlog, cdcodec.FromChangeDataSet: set} {
			out, _, err := newTranscoder(t, cdcodec.Options{From: from, JSON: fastjson.Options{RejectInvalidUTF8: true}}).Append(nil, nil, record, goldenMeta)
			if bad := strings.ContainsRune(c.canal, '\uFFFD'); (err != nil) != bad || bad && out != nil {
				t.Errorf("%s, source %d, rejecting: %v, %s", name, from, err, out)
			}
		}
	}
}

// TestFieldCasesT24Sources has what is wrong with fields in a value of TiDB Binlog
// and of ChangeDataSet.
func TestFieldCasesT24Sources(t *testing.T) {
	binlog := func(value []byte) []byte { // test.t, one column v, one INSERT
		row := Sub(nil, 1, value)
		table := Sub(Text(Text(nil, 1, "test"), 2, "t"), 3, Text(Text(nil, 1, "v"), 2, "text"))
		return Sub(Num(nil, 2, fieldTSO), 3, Sub(nil, 1, Sub(table, 4, Sub(Num(nil, 1, 0), 2, row))))
	}
	set := func(value []byte) []byte {
		schema := Sub(Text(nil, 1, "test.t"), 2, Text(Text(nil, 1, "v"), 2, "text"))
		return Sub(Sub(Num(nil, 7, 1668673476), 3, schema), 4, Sub(Text(nil, 1, "test.t"), 3, value))
	}
	for _, s := range []struct {
		name   string
		from   cdcodec.Source
		record func(value []byte) []byte
		text   byte // the tag of the field that holds text
		want   func(value string) string
	}{
		{"binlog", cdcodec.FromTiDBBinlog, binlog, 0x32, func(v string) string {
			return binlogOFF(text{data: `[{"v":"` + v + `"}]`, mysqlType: `{"v":"text"}`, sqlType: `{"v":2005}`, typ: `"INSERT"`})
		}},
		{"set", cdcodec.FromChangeDataSet, set, 0x0a, func(v string) string {
			return text{data: `[{"v":"` + v + `"}]`, mysqlType: `{"v":"text"}`, sqlType: `{"v":2005}`, typ: `"INSERT"`, database: `"test"`, table: `"t"`, es: "1668673476000"}.String()
		}},
	} {
		x := []byte{s.text, 1, 'x'}
		for _, c := range []struct {
			name  string
			value []byte
			want  string
		}{
			{"matched group", slices.Concat(x, []byte{0x63, 0x08, 0x01, 0x64}), "x"},
			{"wrong wire type for a known field", slices.Concat(x, []byte{s.text - 2, 1}), "x"},
			{"duplicate scalar", slices.Concat([]byte{s.text, 1, 'y'}, x), "x"},
			{"unknown fields", slices.Concat(unknown(), x, unknown()), "x"},
			{"empty string", []byte{s.text, 0}, ""},
		} {
			converts(t, s.name+", "+c.name, cdcodec.Options{From: s.from}, s.record(c.value), s.want(c.want))
		}
		for _, c := range []struct {
			name  string
			value []byte
			kind  error
		}{
			{"truncated varint", []byte{0x10, 0x80}, wire.ErrTruncated},
			{"varint of eleven bytes", append([]byte{0x10}, padded(1, 11)...), wire.ErrVarint},
			{"length past the end", []byte{s.text, 2, 'x'}, wire.ErrTruncated},
			{"length 2^63-1", append([]byte{s.text}, "\xff\xff\xff\xff\xff\xff\xff\xff\x7f"...), wire.ErrTruncated},
			{"field number 0", []byte{0, 0}, wire.ErrNumber},
			{"unmatched group", []byte{0x63}, wire.ErrTruncated},
			{"unmatched end", []byte{0x64}, wire.ErrGroup},
		} {
			failsIn(t, s.name+", "+c.name, s.from, s.record(c.value), c.kind, "test.t")
		}
	}
	failsIn(t, "no schema", cdcodec.FromChangeDataSet, Sub(nil, 4, Sub(Text(nil, 1, "test.t"), 3, nil)), changedataset.ErrNoSchema, "test.t")
	// gogo579 is one unknown field to a Binlog, which then has no dml_data, and to a
	// set, where it has another wire type than dataSize.
	failsIn(t, "gogo579, binlog", cdcodec.FromTiDBBinlog, []byte(gogo579), tidbbinlog.ErrNoData, "")
	converts(t, "gogo579, set", cdcodec.Options{From: cdcodec.FromChangeDataSet}, []byte(gogo579))
	// A dml_data given in parts is one.
	whole := binlog([]byte{0x32, 1, 'x'})
	converts(t, "parts", cdcodec.Options{From: cdcodec.FromTiDBBinlog}, append(whole, Sub(nil, 3, nil)...),
		binlogOFF(text{data: `[{"v":"x"}]`, mysqlType: `{"v":"text"}`, sqlType: `{"v":2005}`, typ: `"INSERT"`}))
}

// failsIn checks that a record gives nothing and an error of that kind and table.
func failsIn(t *testing.T, name string, from cdcodec.Source, record []byte, kind error, table string) {
	t.Helper()
	const prefix = "what was there"
	out, msgs, err := newTranscoder(t, cdcodec.Options{From: from}).Append([]byte(prefix), nil, record, goldenMeta)
	var at *wire.ParseError
	if !errors.As(err, &at) || !errors.Is(err, kind) || at.Table != table || at.Offset > len(record) {
		t.Errorf("%s: error is %v, want %v of %q", name, err, kind, table)
	}
	if string(out) != prefix || msgs != nil {
		t.Errorf("%s: output beside an error: %s", name, out)
	}
	if from == cdcodec.FromCanalJSON {
		return
	}
	if _, err := expected(cdcodec.Options{From: from}, record, goldenMeta); err == nil {
		t.Errorf("%s: no error of the reference\nin %x", name, record)
	}
}

func TestFieldCasesT24CanalJSON(t *testing.T) {
	const good = `{"type":"INSERT","database":"d","table":"t","data":[{"v":"x"}]}`
	want := text{data: `[{"v":"x"}]`, database: `"d"`, table: `"t"`, mysqlType: `{"v":""}`, sqlType: `{"v":0}`, typ: `"INSERT"`}.String()
	for name, in := range map[string]string{
		"as it is":     good,
		"unknown keys": strings.Replace(good, `{"type"`, `{"x":[{"data":[1,2]},null],"type"`, 1),
		"a key twice":  strings.Replace(good, `{"type"`, `{"data":[{"v":"y"},{"w":null}],"type"`, 1),
		"null keys":    strings.Replace(good, `{"type"`, `{"es":null,"sql":null,"old":null,"pkNames":null,"type"`, 1),
	} {
		converts(t, name, cdcodec.Options{From: cdcodec.FromCanalJSON}, []byte(in), want)
	}
	converts(t, "nothing", cdcodec.Options{From: cdcodec.FromCanalJSON}, nil)
	converts(t, "two", cdcodec.Options{From: cdcodec.FromCanalJSON}, []byte(good+"\n"+good), want, want)
	for _, c := range []struct {
		name, in, table string
		kind            error
	}{
		{"cut", good[:len(good)-1], "d.t", fastjson.ErrEnd},
		{"cut in a string", good[:len(good)-6], "d.t", fastjson.ErrEnd},
		{"no JSON", good[:len(good)-1] + `,}`, "d.t", fastjson.ErrSyntax},
		{"a raw newline", strings.Replace(good, `"x"`, "\"\n\"", 1), "d.t", fastjson.ErrControl},
		{"an escape there is not", strings.Replace(good, `"x"`, `"\x"`, 1), "d.t", fastjson.ErrEscape},
		{"depth", strings.Replace(good, `"x"`, strings.Repeat("[", 2000), 1), "d.t", fastjson.ErrDepth},
		{"data is text", strings.Replace(good, `[{"v":"x"}]`, `"x"`, 1), "d.t", fastjson.ErrValue},
		{"es of 65 bits", strings.Replace(good, `{"type"`, `{"es":9223372036854775808,"type"`, 1), "", fastjson.ErrRange},
		{"type unknown", strings.Replace(good, "INSERT", "UPSERT", 1), "", fastjson.ErrTypeName},
		{"no type", `{"data":null}`, "", fastjson.ErrTypeName},
	} {
		out, msgs, err := newTranscoder(t, cdcodec.Options{From: cdcodec.FromCanalJSON}).Append(nil, nil, []byte(good+c.in), goldenMeta)
		var at *wire.ParseError
		if !errors.As(err, &at) || !errors.Is(err, c.kind) || at.Offset < len(good) || at.Offset > len(good)+len(c.in) || c.table != "" && at.Table != c.table {
			t.Errorf("%s: %v, want %v", c.name, err, c.kind)
		}
		if out != nil || msgs != nil {
			t.Errorf("%s: output beside an error: %s", c.name, out)
		}
	}
}

// TestFieldCasesT25StaleSources has a record with much in it, maybe a bad one, and
// then one with little: of the first nothing may show.
func TestFieldCasesT25StaleSources(t *testing.T) {
	full := []*tiColumn{ofType("a", "varchar"), keyOf("b", "varbinary")}
	secret := []*tiValue{tiNull(), tiBytes("SECRET\xff")}
	large := tiTable(full, tiRow(nil, secret), tiRow(secret, secret), tiRow(secret, nil))
	large.SchemaName, large.TableName = proto.String("SECRET"), proto.String("SECRET")
	setFull := []*setColumn{setOf("a", "int(11)", ""), setOf("b", "varbinary(9) SECRET", "PRI")}
	setSecret := []*setValue{setNull(), setBytes("SECRET\xff")}
	syncPoint := Sub(nil, 2, Text(nil, 3, "SECRET"))
	for _, s := range []struct {
		name         string
		from         cdcodec.Source
		large, small []byte
	}{
		{"binlog", cdcodec.FromTiDBBinlog, binlogOf(large, large), Encode(&tidbbinlogpb.Binlog{DmlData: &tidbbinlogpb.DMLData{Tables: []*tidbbinlogpb.Table{{
			ColumnInfo: []*tiColumn{{Name: proto.String("p")}, {Name: proto.String("q")}}, Mutations: []*tidbbinlogpb.TableMutation{tiRow(nil, []*tiValue{tiString("1"), {}})}}}}})},
		{"set", cdcodec.FromChangeDataSet, append(changeSet(setFull, setSecret, setSecret), syncPoint...), Encode(&changedatasetpb.ChangeDataSet{
			TableSchema: []*changedatasetpb.TableSchema{{TableName: proto.String("s"), Columns: []*setColumn{{ColumnName: proto.String("p")}, {ColumnName: proto.String("q")}}}},
			TableChange: []*changedatasetpb.TableChange{{TableName: proto.String("s"), AfterData: []*setValue{setString("1"), {}}}}})},
		{"Canal-JSON", cdcodec.FromCanalJSON,
			[]byte(text{database: `"SECRET"`, table: `"SECRET"`, gtid: `"SECRET"`, sql: `"SECRET"`, data: `[{"a":null,"b":"SECRET\n"},{"b":"SECRET"}]`, old: `[{"b":"SECRET"},{"b":"\u0053ECRET"}]`,
				mysqlType: `{"b":"SECRET"}`, sqlType: `{"b":12}`, pkNames: `["b"]`}.String()),
			[]byte(`{"type":"UPDATE","data":[{"p":"1","q":""}]}`)},
	} {
		for _, o := range []fastjson.Options{{}, tiDialect(fastjson.TiCDCOptions{Extension: true})} {
			fresh := func(record []byte) string {
				out, _, err := newTranscoder(t, cdcodec.Options{From: s.from, JSON: o}).Append(nil, nil, record, goldenMeta)
				if err != nil {
					t.Fatalf("%s: %v", s.name, err)
				}
				return string(out)
			}
			large, small := fresh(s.large), fresh(s.small)
			if !strings.Contains(large, "SECRET") || strings.Contains(small, "SECRET") || !strings.Contains(small, `"p":"1"`) {
				t.Fatalf("%s: the case is wrong: %s, %s", s.name, large, small)
			}
			for _, bad := range [][]byte{nil, s.large[:len(s.large)-1], append(s.large[:len(s.large):len(s.large)], 0x1a, 0x7f), s.small[:len(s.small)-1]} {
				tr := newTranscoder(t, cdcodec.Options{From: s.from, JSON: o})
				for turn, want := range []string{large, small, large} {
					record := s.large
					if turn == 1 {
						record = s.small
					}
					if out, _, err := tr.Append(nil, nil, record, goldenMeta); err != nil || string(out) != want {
						t.Errorf("%s, turn %d: %v\n got %s\nwant %s", s.name, turn, err, out, want)
					}
					if bad == nil {
						continue
					}
					if _, _, err := tr.Append(nil, nil, bad, goldenMeta); err == nil {
						t.Errorf("%s: %q is no error", s.name, bad)
					}
				}
			}
		}
	}
}

// TestFieldCasesT27GiantThenSmall is a giant record and then many small ones: the
// memory that the giant one took is not kept.
func TestFieldCasesT27GiantThenSmall(t *testing.T) {
	if !giant() {
		t.Skip("seconds")
	}
	const columns, size = 20_000, 8 << 20
	var tiColumns []*tiColumn
	var tiValues []*tiValue
	var setColumns []*setColumn
	var setValues []*setValue
	for i := range columns {
		name := fmt.Sprint("column", i)
		tiColumns, tiValues = append(tiColumns, ofType(name, "varbinary")), append(tiValues, tiBytes("\xff"))
		setColumns, setValues = append(setColumns, setOf(name, "varbinary(9)", "")), append(setValues, setBytes("\xff"))
	}
	large := strings.Repeat("\xff", size)
	tiColumns, tiValues = append(tiColumns, ofType("v", "blob")), append(tiValues, tiBytes(large))
	setColumns, setValues = append(setColumns, setOf("v", "blob", "")), append(setValues, setBytes(large))
	var message bytes.Buffer
	message.WriteString(`{"type":"UPDATE","data":[{"v":"` + strings.Repeat(`\n`, size/2) + `"`)
	for i := range columns {
		fmt.Fprintf(&message, `,"column%d":"\u00ff"`, i)
	}
	message.WriteString(`}],"old":[{}]}`)

	for _, c := range []struct {
		name         string
		from         cdcodec.Source
		giant, small []byte
	}{
		{"binlog", cdcodec.FromTiDBBinlog, binlogOf(tiTable(tiColumns, tiRow(tiValues, tiValues))), binlogOf(tiTable([]*tiColumn{ofType("a", "int")}, tiRow(nil, []*tiValue{tiInt(1)})))},
		{"set", cdcodec.FromChangeDataSet, changeSet(setColumns, setValues, setValues), changeSet([]*setColumn{setOf("a", "int", "")}, nil, []*setValue{setInt(1)})},
		{"Canal-JSON", cdcodec.FromCanalJSON, message.Bytes(), []byte(`{"type":"INSERT","data":[{"a":"1"}]}`)},
	} {
		for _, o := range []fastjson.Options{{}, tiDialect(fastjson.TiCDCOptions{Extension: true})} {
			tr := newTranscoder(t, cdcodec.Options{From: c.from, JSON: o})
			before := live()
			if _, msgs, err := tr.Append(nil, nil, c.giant, goldenMeta); err != nil || len(msgs) != 1 {
				t.Fatalf("%s: %v", c.name, err)
			}
			var dst []byte
			var msgs []cdcodec.Message
			for range 1000 {
				var err error
				if dst, msgs, err = tr.Append(dst[:0], msgs[:0], c.small, goldenMeta); err != nil || len(msgs) != 1 {
					t.Fatalf("%s: %v", c.name, err)
				}
			}
			if kept := live() - before; kept > 1<<20 {
				t.Errorf("%s, dialect %d: %d bytes are kept", c.name, o.Dialect, kept)
			}
			runtime.KeepAlive(tr)
			runtime.KeepAlive(c)
		}
	}
}
