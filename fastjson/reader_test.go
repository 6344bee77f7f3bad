package fastjson_test

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/wire"
)

// TestReaderHabits reads what the different writers of Canal-JSON write.
func TestReaderHabits(t *testing.T) {
	for _, c := range []struct {
		name, msg, want string
		meta            fastjson.Meta
	}{
		{"Canal 1.1.7, UPDATE (canal.md 2)",
			`{"data":[{"id":"7","note":"new"}],"database":"shop","es":1690000000000,"gtid":"u:5","id":3,"isDdl":false,"mysqlType":{"id":"bigint(20)","note":"text"},"old":[{"note":"old"}],"pkNames":["id"],"sql":"","sqlType":{"id":-5,"note":2005},"table":"orders","ts":1700000000000,"type":"UPDATE"}`,
			`rows UPDATE ddl=false shop.orders es=1690000000000 gtid="u:5" sql="" commit=0 partial=true
  before note=old:text/2005 after id=7:bigint(20)/-5! note=new:text/2005*`,
			fastjson.Meta{ID: 3, TS: 1700000000000}},
		{"Canal 1.1.4, INSERT, no gtid",
			`{"data":[{"id":"1","c":null}],"database":"d","es":1,"id":2,"isDdl":false,"mysqlType":{"id":"int","c":"char(3)"},"old":null,"pkNames":["id"],"sql":"","sqlType":{"id":4,"c":1},"table":"t","ts":5,"type":"INSERT"}`,
			`rows INSERT ddl=false d.t es=1 gtid="" sql="" commit=0 partial=false
  before after id=1:int/4! c=NULL:char(3)/1`,
			fastjson.Meta{ID: 2, TS: 5}},
		{"Canal, DELETE of two rows",
			`{"data":[{"id":"1"},{"id":"2"}],"database":"d","es":1,"gtid":"","id":0,"isDdl":false,"mysqlType":{"id":"int"},"old":null,"pkNames":["id"],"sql":"","sqlType":{"id":4},"table":"t","ts":5,"type":"DELETE"}`,
			`rows DELETE ddl=false d.t es=1 gtid="" sql="" commit=0 partial=false
  before id=1:int/4! after
  before id=2:int/4! after`,
			fastjson.Meta{TS: 5}},
		{"Canal, DDL (T17)",
			`{"data":null,"database":"test","es":1,"gtid":"","id":0,"isDdl":true,"mysqlType":null,"old":null,"pkNames":null,"sql":"create table t2 (\r\n id int comment '中文')","sqlType":null,"table":"t2","ts":5,"type":"CREATE"}`,
			"ddl CREATE ddl=true test.t2 es=1 gtid=\"\" sql=\"create table t2 (\\r\\n id int comment '中文')\" commit=0 partial=false", fastjson.Meta{TS: 5}},
		{"Canal, QUERY (T19)",
			`{"data":null,"database":"","es":1,"gtid":"","id":0,"isDdl":false,"mysqlType":null,"old":null,"pkNames":null,"sql":"update t set x=1","sqlType":null,"table":"","ts":5,"type":"QUERY"}`,
			`query QUERY ddl=false . es=1 gtid="" sql="update t set x=1" commit=0 partial=false`, fastjson.Meta{TS: 5}},
		{"Canal, a statement as UPDATE (T19)",
			`{"data":null,"database":"d","es":1,"gtid":"","id":0,"isDdl":false,"mysqlType":null,"old":null,"pkNames":null,"sql":"update t set x=1","sqlType":null,"table":"","ts":5,"type":"UPDATE"}`,
			`rows UPDATE ddl=false d. es=1 gtid="" sql="update t set x=1" commit=0 partial=true`, fastjson.Meta{TS: 5}},
		{"Canal, two rows, the set of updated columns is not cleared (T05)",
			`{"data":[{"x":"2","y":"a"},{"x":"5","y":"c"}],"old":[{"x":"1"},{"x":"5","y":"b"}],"pkNames":null,"type":"UPDATE"}`,
			`rows UPDATE ddl=false . es=0 gtid="" sql="" commit=0 partial=true
  before x=1 after x=2* y=a
  before x=5 y=b after x=5* y=c*`, fastjson.Meta{}},
		{"Canal, null to value (T03)",
			`{"data":[{"id":"1","c":"x"}],"old":[{"c":null}],"pkNames":["id"],"type":"UPDATE"}`,
			`rows UPDATE ddl=false . es=0 gtid="" sql="" commit=0 partial=true
  before c=NULL after id=1! c=x*`, fastjson.Meta{}},
		{"Canal, nothing flagged (T04)", `{"data":[{"a":"1"}],"old":[{}],"type":"UPDATE"}`,
			`rows UPDATE ddl=false . es=0 gtid="" sql="" commit=0 partial=true
  before after a=1`, fastjson.Meta{}},
		{"TiCDC, old before data, full old, types in another order",
			`{"id":0,"database":"test","table":"t","pkNames":["id"],"isDdl":false,"type":"UPDATE","es":1640007049196,"ts":1640007050284,"sql":"","sqlType":{"id":4,"c":12,"d":12},"mysqlType":{"d":"varchar","c":"varchar","id":"int"},"old":[{"id":"1","c":"a","d":null}],"data":[{"id":"1","c":"b","d":null}],"_tidb":{"commitTs":429918007904436226}}`,
			`rows UPDATE ddl=false test.t es=1640007049196 gtid="" sql="" commit=429918007904436226 partial=false
  before id=1:int/4! c=a:varchar/12 d=NULL:varchar/12 after id=1:int/4! c=b:varchar/12* d=NULL:varchar/12`,
			fastjson.Meta{TS: 1640007050284}},
		{"TiCDC, data before old, without the extension",
			`{"id":0,"database":"test","table":"t","pkNames":[],"isDdl":false,"type":"UPDATE","es":1,"ts":2,"sql":"","sqlType":{"a":4,"b":4},"mysqlType":{"a":"int","b":"int"},"data":[{"a":null,"b":"2"}],"old":[{"a":"1","b":null}]}`,
			`rows UPDATE ddl=false test.t es=1 gtid="" sql="" commit=0 partial=false
  before a=1:int/4 b=NULL:int/4 after a=NULL:int/4* b=2:int/4*`, fastjson.Meta{TS: 2}},
		{"TiCDC, only updated columns",
			`{"id":0,"database":"test","table":"t","pkNames":["id"],"isDdl":false,"type":"UPDATE","es":1,"ts":2,"sql":"","sqlType":{"id":4,"c":12},"mysqlType":{"id":"int","c":"varchar(10)"},"old":[{"c":"a"}],"data":[{"id":"1","c":"b"}]}`,
			`rows UPDATE ddl=false test.t es=1 gtid="" sql="" commit=0 partial=true
  before c=a:varchar(10)/12 after id=1:int/4! c=b:varchar(10)/12*`, fastjson.Meta{TS: 2}},
		{"TiCDC before 6.2, data first as a key: _tidb tells",
			`{"data":[{"a":"1","b":"2"}],"old":[{"a":"1","b":"1"}],"type":"UPDATE","_tidb":{}}`,
			`rows UPDATE ddl=false . es=0 gtid="" sql="" commit=0 partial=false
  before a=1 b=1 after a=1 b=2*`, fastjson.Meta{}},
		{"TiCDC, watermark (T32), with the CRLF of 6.5",
			`{"id":0,"database":"","table":"","pkNames":null,"isDdl":false,"type":"TIDB_WATERMARK","es":1640007049196,"ts":1640007050284,"sql":"","sqlType":null,"mysqlType":null,"data":null,"old":null,"_tidb":{"watermarkTs":429918007904436226}}` + "\r\n",
			`watermark  ddl=false . es=1640007049196 gtid="" sql="" commit=429918007904436226 partial=false`, fastjson.Meta{TS: 1640007050284}},
		{"TiCDC, DDL", `{"id":0,"database":"test","table":"","pkNames":null,"isDdl":true,"type":"QUERY","es":1,"ts":2,"sql":"drop database test","sqlType":null,"mysqlType":null,"data":null,"old":null,"_tidb":{"commitTs":18446744073709551615}}`,
			`ddl QUERY ddl=true test. es=1 gtid="" sql="drop database test" commit=18446744073709551615 partial=false`, fastjson.Meta{TS: 2}},
		{"TiCDC, no stub", `{"id":0,"database":"d","table":"t","pkNames":["id"],"isDdl":false,"type":"INSERT","es":1,"ts":2,"sql":"","sqlType":{"id":4},"mysqlType":{"id":"int"},"old":null,"data":[{"id":"1"}],"_tidb":{"commitTs":5,"onlyHandleKey":false,"claimCheckLocation":null,"rowkey":"YQ=="}}`,
			`rows INSERT ddl=false d.t es=1 gtid="" sql="" commit=5 partial=false
  before after id=1:int/4!`, fastjson.Meta{TS: 2}},
		{"_tidb is null (consumers.md)", `{"type":"INSERT","data":[{"a":"1"}],"_tidb":null}`,
			`rows INSERT ddl=false . es=0 gtid="" sql="" commit=0 partial=false
  before after a=1`, fastjson.Meta{}},
		{"flink-cdc's sink: typed values, few keys",
			`{"old":[{"id":1,"p":1.50,"ok":true,"n":null,"j":{"a": [1]}}],"data":[{"id":1,"p":2e0,"ok":false,"n":null,"j":{"a": [2]}}],"type":"UPDATE","database":"d","table":"t","pkNames":["id"]}`,
			`rows UPDATE ddl=false d.t es=0 gtid="" sql="" commit=0 partial=false
  before id=1! p=1.50 ok=true n=NULL j={"a": [1]} after id=1! p=2e0* ok=false* n=NULL j={"a": [2]}*`, fastjson.Meta{}},
		{"flink-cdc's sink, INSERT", `{"old":null,"data":[{"id":-1}],"type":"INSERT","database":"d","table":"t","pkNames":[]}`,
			`rows INSERT ddl=false d.t es=0 gtid="" sql="" commit=0 partial=false
  before after id=-1`, fastjson.Meta{}},
		{"keys that nobody knows, in any order", `{"x":[{"data":[1,{"type":"DELETE"}]}],"type":"INSERT","Data":1,"ID":"x","data ":{},"":{"":[[],{}]}}`,
			`rows INSERT ddl=false . es=0 gtid="" sql="" commit=0 partial=false`, fastjson.Meta{}},
		{"white space everywhere", " \t\r\n{ \"data\" : [ { \"a\" : \"1\" , \"b\" : null } , { \"a\" : \"2\" , \"b\" : \"3\" } ] , \"type\" : \"INSERT\" , \"sqlType\" : { \"a\" : 4 , \"b\" : \"5\" } , \"mysqlType\" : { \"a\" : \"int\" , \"b\" : null } , \"pkNames\" : [ \"a\" , \"x\" ] , \"id\" : 7 }\n ",
			`rows INSERT ddl=false . es=0 gtid="" sql="" commit=0 partial=false
  before after a=1:int/4! b=NULL:/5
  before after a=2:int/4! b=3:/5`, fastjson.Meta{ID: 7}},
		{"all that may be null", `{"data":null,"old":null,"database":null,"table":null,"sql":null,"gtid":null,"es":null,"id":null,"ts":null,"isDdl":null,"mysqlType":null,"sqlType":null,"pkNames":null,"_tidb":null,"type":"UPDATE"}`,
			`rows UPDATE ddl=false . es=0 gtid="" sql="" commit=0 partial=false`, fastjson.Meta{}},
		{"rows of a DDL, and of a query, do not count", `{"type":"INSERT","isDdl":true,"data":[{"a":"1"}]}`, `ddl INSERT ddl=true . es=0 gtid="" sql="" commit=0 partial=false`, fastjson.Meta{}},
		{"the same", `{"type":"TRUNCATE","data":[{"a":"1"}]}`, `query TRUNCATE ddl=false . es=0 gtid="" sql="" commit=0 partial=false`, fastjson.Meta{}},
		{"old of an INSERT or DELETE is left out", `{"type":"DELETE","data":[{"a":"1"}],"old":[{"a":"2"},{"b":"3"}]}`,
			`rows DELETE ddl=false . es=0 gtid="" sql="" commit=0 partial=false
  before a=1 after`, fastjson.Meta{}},
	} {
		for _, msg := range []string{c.msg, " " + c.msg + "\r\n\t "} {
			var r fastjson.Reader
			var ev change.Event
			meta := fastjson.Meta{CommitTS: 8, KeySize: 9}
			c.meta.CommitTS, c.meta.KeySize = 8, 9 // what the message does not tell stays
			if err := r.Read(&ev, &meta, []byte(msg)); err != nil {
				t.Errorf("%s: %v", c.name, err)
				continue
			}
			if got := describe(&ev); got != c.want || meta != c.meta {
				t.Errorf("%s\n got %s %+v\nwant %s %+v", c.name, got, meta, c.want, c.meta)
			}
		}
	}
}

// rowsRead returns the rows of a message as describe prints them.
func rowsRead(t *testing.T, msg string) string {
	t.Helper()
	var r fastjson.Reader
	var ev change.Event
	if err := r.Read(&ev, nil, []byte(msg)); err != nil {
		t.Errorf("%s: %v", msg, err)
		return ""
	}
	_, rows, _ := strings.Cut(describe(&ev), "\n")
	return rows
}

// TestReaderRows is how rows come about, one rule each.
func TestReaderRows(t *testing.T) {
	for _, c := range []struct{ name, msg, want string }{
		{"null is an element without columns, and so is {}", `{"type":"INSERT","data":[null,{},{"a":"1"}]}`, "  before after\n  before after\n  before after a=1"},
		{"old[i] null is {}", `{"data":[{"a":"1"},{"a":"2"}],"old":[null,{"a":"0"}],"type":"UPDATE"}`, "  before after a=1\n  before a=0 after a=2*"},
		{"old shorter than data", `{"data":[{"a":"1"},{"a":"2"}],"old":[{"a":"0"}],"type":"UPDATE"}`, "  before a=0 after a=1*\n  before after a=2"},
		{"old null", `{"data":[{"a":"1"}],"old":null,"type":"UPDATE"}`, "  before after a=1"},
		{"old longer than data, of TiCDC's kind", `{"type":"UPDATE","data":[{"a":"1"}],"old":[{},{"a":"0"}]}`, "  before after a=1\n  before a=0 after"},
		{"old longer than data, empty behind it", `{"data":[{"a":"1"}],"old":[{"a":"0"},{}],"type":"UPDATE"}`, "  before a=0 after a=1*\n  before after"},
		{"old longer than data, an empty one may lack it", `{"data":[{"a":"1"}],"old":[{},{"a":"0"}],"type":"UPDATE"}`, "  before after\n  before a=0 after a=1*"},
		{"the same, of differing rows", `{"data":[{"a":"1"},{"b":"2"}],"old":[{"a":"0"},{},{"b":"1"}],"type":"UPDATE"}`, "  before a=0 after a=1*\n  before after\n  before b=1 after b=2*"},
		{"none may lack it: the last do, and a row before is marked", `{"data":[{"a":"1"}],"old":[{"a":"0"},{"a":"5"}],"type":"UPDATE"}`, "  before a=0 after a=1*\n  before a=5 after"},
		{"the first row has the keys", `{"data":[{"a":"1"}],"old":[{},{"a":"0"}],"pkNames":["a"],"type":"UPDATE"}`, "  before after a=1!*\n  before a=0! after"},
		{"data null, old not", `{"data":null,"old":[{},{"a":"0"}],"type":"UPDATE"}`, "  before after\n  before a=0 after"},
		{"a name in old that its row lacks marks a row before", `{"data":[{"a":"1","b":"2"},{"b":"3"}],"old":[{},{"a":"0"}],"type":"UPDATE"}`, "  before after a=1* b=2\n  before a=0 after b=3"},
		{"the last of them", `{"data":[{"a":"1"},{"a":"2"},{"b":"3"}],"old":[{},{},{"a":"0"}],"type":"UPDATE"}`, "  before after a=1\n  before after a=2*\n  before a=0 after b=3"},
		{"a name in old that no row has", `{"data":[{"a":"1"}],"old":[{"x":"0"}],"type":"UPDATE"}`, "  before x=0 after a=1"},
		{"in old's order", `{"data":[{"a":"1","b":"2"}],"old":[{"b":"0","a":"0"}],"type":"UPDATE"}`, "  before b=0 a=0 after a=1* b=2*"},
		{"TiCDC's kind: by value", `{"type":"UPDATE","data":[{"a":"1","b":"2","c":null,"d":null,"e":"5","f":"\u0036"}],"old":[{"a":"1","b":"0","c":null,"d":"4","e":null,"f":"6"}]}`,
			"  before a=1 b=0 c=NULL d=4 e=NULL f=6 after a=1 b=2* c=NULL d=NULL* e=5* f=6"},
		{"TiCDC's kind: a column old lacks, one it has more, another order", `{"type":"UPDATE","data":[{"a":"1","b":"2"}],"old":[{"x":"","b":"0"}]}`, "  before x= b=0 after a=1 b=2*"},
		{"a name twice: the first place, the last value", `{"type":"INSERT","data":[{"a":"1","b":"2","a":null}]}`, "  before after a=NULL b=2"},
		{"a name twice in old", `{"data":[{"a":"1","b":"2"}],"old":[{"b":"0","a":"0","b":null}],"type":"UPDATE"}`, "  before b=NULL a=0 after a=1* b=2*"},
		{"a name twice in mysqlType and sqlType", `{"type":"INSERT","data":[{"a":"1"}],"mysqlType":{"a":"x","a":"int"},"sqlType":{"a":12,"a":4}}`, "  before after a=1:int/4"},
		{"data twice", `{"type":"INSERT","data":[{"a":"1"}],"mysqlType":{"a":"x","b":"y"},"data":[{"b":"2"}]}`, "  before after b=2:y/0"},
		{"data, then null", `{"type":"INSERT","data":[{"a":"1"}],"data":null}`, ""},
		{"a name with escapes is the name", `{"type":"INSERT","data":[{"\u0061":"1"},{"a":"2"}],"mysqlType":{"a":"int"},"sqlType":{"\u0061":4},"pkNames":["\u0061"]}`, "  before after a=1:int/4!\n  before after a=2:int/4!"},
		{"an empty name", `{"type":"INSERT","data":[{"":"1"}],"mysqlType":{"":"int"},"pkNames":[""]}`, "  before after =1:int/0!"},
		{"types of names that are not there", `{"type":"INSERT","data":[{"b":"1"}],"mysqlType":{"a":"int","b":"char"},"sqlType":{"c":1}}`, "  before after b=1:char/0"},
		{"mysqlType null for a name, sqlType null and in quotes", `{"type":"INSERT","data":[{"a":"1","b":"2"}],"mysqlType":{"a":null,"b":"x"},"sqlType":{"a":null,"b":"-2147483648"}}`, "  before after a=1 b=2:x/-2147483648"},
		{"pkNames that no column has", `{"type":"INSERT","data":[{"b":"1"}],"pkNames":["a"]}`, "  before after b=1"},
		{"pkNames in another order: not Canal's kind", `{"type":"INSERT","data":[{"a":"1","b":"2"}],"pkNames":["b","a"]}`, "  before after a=1! b=2!"},
		{"pkNames in another order: a Writer must make them again", `{"data":[{"a":"1","b":"2","c":"3"},{"a":"4"}],"pkNames":["b","a"],"type":"INSERT"}`, "  before after a=1 b=2! a=1! c=3\n  before after a=4!"},
		{"pkNames twice: the same", `{"data":[{"a":"1","b":"2"}],"pkNames":["a","a"],"type":"DELETE"}`, "  before a=1! a=1! b=2 after"},
		{"names of the second row are other ones", `{"type":"INSERT","data":[{"a":"1","b":"2"},{"b":"3","c":"4"},{}],"mysqlType":{"a":"x","b":"y","c":"z"},"sqlType":{"a":1,"b":2,"c":3},"pkNames":["b"]}`,
			"  before after a=1:x/1 b=2:y/2!\n  before after b=3:y/2! c=4:z/3\n  before after"},
		{"DELETE shows Before", `{"type":"DELETE","data":[{"a":"1"}],"pkNames":["a"]}`, "  before a=1! after"},
		{"all escapes", `{"type":"INSERT","data":[{"a":"\"\\\/\b\f\n\r\t\u0041\u00e9\u20ac\ud83d\ude00\ud83dx\ude00"}]}`, "  before after a=\"\\/\b\f\n\r\tAé€😀\ufffdx\ufffd"},
		{"two high halves and a low one", `{"type":"INSERT","data":[{"a":"\ud83d\ud83d\ude00"}]}`, "  before after a=\ufffd😀"},
		{"bytes that are not UTF-8 stay", "{\"type\":\"INSERT\",\"data\":[{\"a\xff\":\"\xed\xa0\x80\\n\xff\"}]}", "  before after a\xff=\xed\xa0\x80\n\xff"},
		{"what is no string stays as it is written", `{"type":"INSERT","data":[{"a":-0.10E+5,"b":[ 1 , "]" ],"c":{"x":"\n"},"d":true,"e":false,"f":0}]}`, `  before after a=-0.10E+5 b=[ 1 , "]" ] c={"x":"\n"} d=true e=false f=0`},
	} {
		if got := rowsRead(t, c.msg); got != c.want {
			t.Errorf("%s\n%s\n got %q\nwant %q", c.name, c.msg, got, c.want)
		}
	}
}

// TestReaderIntegers reads integers at their limits, plain and in quotes.
func TestReaderIntegers(t *testing.T) {
	for _, c := range []struct {
		key  string
		text string
		want error
	}{
		{"es", `9223372036854775807`, nil}, {"es", `-9223372036854775808`, nil}, {"es", `9223372036854775808`, fastjson.ErrRange}, {"es", `-9223372036854775809`, fastjson.ErrRange},
		{"id", `18446744073709551616`, fastjson.ErrRange}, {"id", `99999999999999999999999999999`, fastjson.ErrRange}, {"ts", `-0`, nil}, {"ts", `0`, nil},
		{"ts", `1.0`, fastjson.ErrValue}, {"ts", `1e3`, fastjson.ErrValue}, {"ts", `"1.0"`, fastjson.ErrValue}, {"ts", `true`, fastjson.ErrValue}, {"ts", `[]`, fastjson.ErrValue}, {"ts", `{}`, fastjson.ErrValue},
		{"ts", `""`, fastjson.ErrValue}, {"ts", `"-"`, fastjson.ErrValue}, {"ts", `"+1"`, fastjson.ErrValue}, {"ts", `" 1"`, fastjson.ErrValue}, {"ts", `"01"`, fastjson.ErrValue}, {"ts", `"1x"`, fastjson.ErrValue}, {"ts", `"null"`, fastjson.ErrValue},
		{"es", `"\u0031\u0032"`, nil}, {"es", `"\u0031\n"`, fastjson.ErrValue}, {"es", `"1` + strings.Repeat(`\u0030`, 40) + `"`, fastjson.ErrValue},
		{"commitTs", `18446744073709551615`, nil}, {"commitTs", `18446744073709551616`, fastjson.ErrRange}, {"commitTs", `-1`, fastjson.ErrRange}, {"commitTs", `-0`, nil}, {"watermarkTs", `"7"`, nil}, {"watermarkTs", `7.5`, fastjson.ErrValue},
		{"sqlType", `2147483647`, nil}, {"sqlType", `2147483648`, fastjson.ErrRange}, {"sqlType", `-2147483648`, nil}, {"sqlType", `-2147483649`, fastjson.ErrRange}, {"sqlType", `"12"`, nil}, {"sqlType", `"int"`, fastjson.ErrValue},
	} {
		msg := `{"type":"QUERY","` + c.key + `":` + c.text + `}`
		switch c.key {
		case "commitTs", "watermarkTs":
			msg = `{"type":"QUERY","_tidb":{"` + c.key + `":` + c.text + `}}`
		case "sqlType":
			msg = `{"type":"QUERY","sqlType":{"a":` + c.text + `}}`
		}
		var r fastjson.Reader
		var ev change.Event
		var m fastjson.Meta
		if err := r.Read(&ev, &m, []byte(msg)); !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
			t.Errorf("%s: %v, want %v", msg, err, c.want)
		}
		text := strings.Trim(c.text, `"`)
		if got := map[string]any{"es": ev.ES, "id": m.ID, "ts": m.TS, "commitTs": ev.CommitTS}[c.key]; c.want == nil && got != nil && !strings.Contains(text, `\`) && text != "-0" && fmt.Sprint(got) != text {
			t.Errorf("%s: %v", msg, got)
		}
	}
}

// TestReaderTypes reads the names of all types, and others.
func TestReaderTypes(t *testing.T) {
	var r fastjson.Reader
	for typ := change.Type(1); typ.Valid(); typ++ {
		var ev change.Event
		if err := r.Read(&ev, nil, []byte(`{"type":"`+typ.String()+`"}`)); err != nil || ev.Type != typ {
			t.Errorf("%v: %v %v", typ, ev.Type, err)
		}
	}
	for _, name := range []string{`""`, `"insert"`, `"INSERT "`, `"ROW"`, `"TIDB_WATERMARKS"`, `null`} {
		var ev change.Event
		if err := r.Read(&ev, nil, []byte(`{"type":`+name+`}`)); !errors.Is(err, fastjson.ErrTypeName) || ev.Type != 0 {
			t.Errorf("%s: %v %v", name, ev.Type, err)
		}
	}
	var ev change.Event
	if err := r.Read(&ev, nil, []byte(`{"type":"x","type":"\u0055PDATE"}`)); err != nil || ev.Type != change.Update {
		t.Errorf("the last type counts: %v %v", ev.Type, err)
	}
}

// TestReaderNext steps through messages that follow each other in all the ways
// there are.
func TestReaderNext(t *testing.T) {
	messages := []string{`{"type":"INSERT","database":"a"}`, `{"type":"UPDATE","database":"b\n"}`, `{"type":"QUERY","database":"c"}`}
	for _, between := range []string{"", "\n", "\r\n", " \t\r\n\n", " "} {
		for _, end := range []string{"", between} {
			all := between + strings.Join(messages, between) + end
			var r fastjson.Reader
			var ev change.Event
			rest, got := []byte(all), ""
			for {
				var err error
				rest, err = r.Next(&ev, nil, rest)
				if err == io.EOF {
					if rest != nil || !reflect.DeepEqual(ev, change.Event{}) {
						t.Errorf("%q: at the end: %q %+v", all, rest, ev)
					}
					break
				}
				if err != nil {
					t.Fatalf("%q: %v", all, err)
				}
				got += fmt.Sprintf("%v %s;", ev.Type, ev.Database)
			}
			if want := "INSERT a;UPDATE b\n;QUERY c;"; got != want {
				t.Errorf("%q: %q", all, got)
			}
		}
	}
}

// TestReaderNextError has errors in the middle of other messages: what is JSON is
// left behind, else there is no telling where the next one begins.
func TestReaderNextError(t *testing.T) {
	for _, c := range []struct {
		in, rest string
		offset   int
		err      error
	}{
		{` {"type":"no"} {"type":"INSERT"}`, ` {"type":"INSERT"}`, 9, fastjson.ErrTypeName},
		{`{"data":{},"x":[{}]}{}`, `{}`, 8, fastjson.ErrValue},
		{`{"es":1e5}` + "\n", "\n", 6, fastjson.ErrValue},
		{`{}`, ``, 0, fastjson.ErrTypeName},
		{`{"data":{} x}{"type":"INSERT"}`, "", 8, fastjson.ErrValue},
		{`{"a":1 x}{"type":"INSERT"}`, "", 7, fastjson.ErrSyntax},
		{`,{"type":"INSERT"}`, "", 0, fastjson.ErrSyntax},
		{`null {"type":"INSERT"}`, "", 0, fastjson.ErrObject},
	} {
		var r fastjson.Reader
		var ev change.Event
		rest, err := r.Next(&ev, nil, []byte(c.in))
		var p *wire.ParseError
		if !errors.As(err, &p) || p.Offset != c.offset || p.Err != c.err || string(rest) != c.rest {
			t.Errorf("%s: rest %q, %v", c.in, rest, err)
		}
	}
}

// TestReaderReuse is T25: what one message says must not show in the next one.
func TestReaderReuse(t *testing.T) {
	var r fastjson.Reader
	var ev change.Event
	var m fastjson.Meta
	full := []byte(`{"data":[{"a":null,"b":"SECRET\n"},{"a":"x","b":"y"},{"a":"x","b":"y"}],"database":"d","es":5,"gtid":"g","id":6,"isDdl":false,"mysqlType":{"a":"x\n","b":"y"},"old":[{"b":"0"},{},{}],"pkNames":["b"],"sql":"s","sqlType":{"a":1,"b":2},"table":"t","ts":7,"type":"UPDATE"}`)
	odd := []byte(`{"data":[{"a":"1"},{"b":"2"}],"old":[{},{"a":"0"},{"b":"SECRET"}],"pkNames":["b","a","b"],"type":"UPDATE","_tidb":{"commitTs":9}}`)
	for _, c := range []struct{ little, want string }{
		{`{"type":"INSERT","data":[{"p":"1","q":""}]}`, "rows INSERT ddl=false . es=0 gtid=\"\" sql=\"\" commit=0 partial=false\n  before after p=1 q="},
		{`{"data":[{"b":"1"}],"type":"UPDATE","old":[{}]}`, "rows UPDATE ddl=false . es=0 gtid=\"\" sql=\"\" commit=0 partial=true\n  before after b=1"},
		{`{"type":"UPDATE","data":[{"b":"1"},{"c":"\t"}]}`, "rows UPDATE ddl=false . es=0 gtid=\"\" sql=\"\" commit=0 partial=false\n  before after b=1\n  before after c=\t"},
		{`{"type":"INSERT"}`, "rows INSERT ddl=false . es=0 gtid=\"\" sql=\"\" commit=0 partial=false"},
		{`{"type":"CREATE"}`, "query CREATE ddl=false . es=0 gtid=\"\" sql=\"\" commit=0 partial=false"},
		{`{"type":"TIDB_WATERMARK"}`, "watermark  ddl=false . es=0 gtid=\"\" sql=\"\" commit=0 partial=false"},
	} {
		for _, before := range [][]byte{full, odd, full[:len(full)-1], []byte(`{"data":[{"p":"x"`), nil} {
			_ = r.Read(&ev, &m, before)
			if err := r.Read(&ev, &m, []byte(c.little)); err != nil || describe(&ev) != c.want || m != (fastjson.Meta{}) {
				t.Errorf("%s\nbehind %s\n got %s %+v, %v\nwant %s", c.little, before, describe(&ev), m, err, c.want)
			}
		}
	}
}

// TestReaderTextsLast keeps all slices of all columns while the rows are walked
// and asked for in any order: they are good as long as the Event.
func TestReaderTextsLast(t *testing.T) {
	for _, msg := range append(readSeeds, `{"data":[{"a\n":"\n1","b":"\n2"},{"a\n":"\n3","b":"`+strings.Repeat(`\t`, 70_000)+`"}],"mysqlType":{"a\n":"\n4","b":"\n5"},"old":[{"b":"\n6"},{"a\n":"7\n"}],"type":"UPDATE"}`) {
		var r fastjson.Reader
		var ev change.Event
		if err := r.Read(&ev, nil, []byte(msg)); err != nil {
			t.Fatal(err)
		}
		if ev.Rows == nil {
			continue
		}
		var kept []change.Column
		var texts []string
		for range 2 {
			for ev.Rows.Rewind(); ev.Rows.Next(); {
				for _, im := range []change.Image{change.After, change.Before} {
					ev.Rows.Select(im)
					for c := ev.Rows.Column(); c != nil; c = ev.Rows.Column() {
						kept = append(kept, *c, *ev.Rows.At(c.Ref))
						texts = append(texts, describeColumn(c), describeColumn(c))
					}
				}
			}
		}
		for i := range kept {
			if got := describeColumn(&kept[i]); got != texts[i] {
				t.Errorf("%.200s: %.100s has become %.100s", msg, texts[i], got)
			}
		}
	}
}

// TestReaderWrittenTo writes to a message while its rows are walked, which is not
// allowed: it gives nonsense, but no panic, no read outside, no endless walk.
func TestReaderWrittenTo(t *testing.T) {
	for _, seed := range append(readSeeds, string(shapes()[9].make(400)), string(shapes()[6].make(700))) {
		for _, junk := range []string{`"`, `\`, `{`, `}`, `,`, ` `, "x", "\x00", "1"} {
			for step := 1; step < 9; step += 3 {
				msg := []byte(seed)
				var r fastjson.Reader
				var ev change.Event
				if err := r.Read(&ev, nil, msg[:len(msg):len(msg)]); err != nil {
					t.Fatal(err)
				}
				if ev.Rows == nil {
					continue
				}
				var refs []uint32
				for walk := range 3 {
					n := 0
					for ev.Rows.Rewind(); ev.Rows.Next(); {
						for _, im := range []change.Image{change.After, change.Before} {
							ev.Rows.Select(im)
							for c := ev.Rows.Column(); c != nil; c = ev.Rows.Column() {
								refs = append(refs, c.Ref)
								if n++; n > 10*len(msg) {
									t.Fatalf("%s: endless", seed)
								}
								if walk == 1 {
									msg[(n*step*7)%len(msg)] = junk[0]
								}
							}
						}
					}
					for _, ref := range refs {
						ev.Rows.At(ref)
					}
				}
			}
		}
	}
}

// TestReaderMaxNames holds the bound for names to the columns that have one, and
// one more. (Of a name that is twice in a row both count.)
func TestReaderMaxNames(t *testing.T) {
	many := list(300, func(i int) string { return `"` + digits(i, 3) + `":0` })
	short := list(300, func(i int) string { return `"` + string(rune('a'+i%20)) + `":0` })
	for _, c := range []struct {
		msg           string
		before, after int
	}{
		{`{"type":"INSERT"}`, 1, 1},
		{`{"type":"INSERT","data":[{"":0},{"":1}]}`, 1, 1},
		{`{"type":"INSERT","data":[{"a":0,"bc":1,"def":2},{"a":0,"bc":1,"def":2}]}`, 1, 4},
		{`{"type":"DELETE","data":[{"a":0,"bc":1,"def":2},{"a":0,"bc":1}]}`, 6, 1},
		{`{"type":"INSERT","data":[{` + many + `},{` + many + `}]}`, 1, 601},
		{`{"type":"INSERT","data":[{` + short + `},{"x":0}]}`, 1, 257},
		{`{"type":"UPDATE","data":[{"a":0,"b":1}],"old":[{"abc":1},{"abc":2}]}`, 3, 3},
		{`{"type":"UPDATE","data":[{"a\n":0,"b":1}],"data":[{"b":1}],"old":null}`, 1, 2},
	} {
		var r fastjson.Reader
		var ev change.Event
		if err := r.Read(&ev, nil, []byte(c.msg)); err != nil {
			t.Fatal(err)
		}
		if before, after := ev.Rows.MaxNames(change.Before), ev.Rows.MaxNames(change.After); before != c.before || after != c.after {
			t.Errorf("%.200s: %d and %d names, want %d and %d", c.msg, before, after, c.before, c.after)
		}
	}
}
