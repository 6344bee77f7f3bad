package fastjson_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/wire"
)

// TestReaderErrors holds each error to its kind, offset, path and table. The offset
// is where the mark ¶ stands in the message, which is taken out.
func TestReaderErrors(t *testing.T) {
	long := strings.Repeat("x", 250)
	for _, c := range []struct {
		msg, path, table string
		err              error
	}{
		// No JSON.
		{"¶", "", "", fastjson.ErrEnd},
		{"  ¶", "", "", fastjson.ErrEnd},
		{"{¶", "", "", fastjson.ErrEnd},
		{`{"type":"INSERT"¶`, "", "", fastjson.ErrEnd},
		{`{"type":"INSERT",¶`, "", "", fastjson.ErrEnd},
		{`{"type"¶`, "", "", fastjson.ErrEnd},
		{`{"type":¶`, "type", "", fastjson.ErrEnd},
		{`{"type":"INS¶`, "type", "", fastjson.ErrEnd},
		{`{"type":"INS\¶`, "type", "", fastjson.ErrEnd},
		{`{"type":"INS\u00¶`, "type", "", fastjson.ErrEnd},
		{`{"type":¶tru`, "type", "", fastjson.ErrValue},
		{`{"x":tru¶`, "x", "", fastjson.ErrEnd},
		{`{"x":-¶`, "x", "", fastjson.ErrEnd},
		{`{"x":[1,{"a":[¶`, "x", "", fastjson.ErrEnd},
		{`¶}`, "", "", fastjson.ErrSyntax},
		{"¶\ufeff{}", "", "", fastjson.ErrSyntax},
		{`{¶x:1}`, "", "", fastjson.ErrSyntax},
		{`{"type":"INSERT",¶}`, "", "", fastjson.ErrSyntax},
		{`{"type":"INSERT",¶,}`, "", "", fastjson.ErrSyntax},
		{`{"type" ¶"INSERT"}`, "", "", fastjson.ErrSyntax},
		{`{"type":"INSERT" ¶"x":1}`, "", "", fastjson.ErrSyntax},
		{`{"x":[1 ¶2]}`, "x", "", fastjson.ErrSyntax},
		{`{"x":0¶1}`, "", "", fastjson.ErrSyntax},
		{`{"x":nu¶x}`, "x", "", fastjson.ErrSyntax},
		{`{"x":1.¶}`, "x", "", fastjson.ErrSyntax},
		{`{"x":¶'a'}`, "x", "", fastjson.ErrSyntax},
		{`{"es":1¶x}`, "", "", fastjson.ErrSyntax},
		{`{"es":¶x}`, "es", "", fastjson.ErrSyntax},
		{`{"data":[{"a":1},{"b":2,¶}]}`, "data[1]", "", fastjson.ErrSyntax},
		{`{"data":[{"a":1},{"b":¶}]}`, "data[1].b", "", fastjson.ErrSyntax},
		{`{"data":[{"a":1},{"b"¶,}]}`, "data[1].b", "", fastjson.ErrSyntax},
		{`{"data":[{"a":1} ¶x]}`, "data", "", fastjson.ErrSyntax},
		{`{"data":[]¶`, "", "", fastjson.ErrEnd},
		{`{"data":[{"a":1},¶]}`, "data[1]", "", fastjson.ErrSyntax},
		{`{"old":[{"a":1},{"b":¶x}]}`, "old[1].b", "", fastjson.ErrSyntax},
		{`{"mysqlType":{"a":¶}}`, "mysqlType.a", "", fastjson.ErrSyntax},
		{`{"pkNames":["a",¶]}`, "pkNames[1]", "", fastjson.ErrSyntax},
		{"{\"x\":\"a¶\nb\"}", "x", "", fastjson.ErrControl},
		{"{\"data\":[{\"a\":\"12345678¶\x00\"}]}", "data[0].a", "", fastjson.ErrControl},
		{"{\"data\":[{\"a¶\t\":\"\"}]}", "data[0]", "", fastjson.ErrControl},
		{`{"x":"¶\x"}`, "x", "", fastjson.ErrEscape},
		{`{"x":"a\n¶\u12g4"}`, "x", "", fastjson.ErrEscape},
		{`{"x":` + strings.Repeat("[", 999) + `¶[`, "x", "", fastjson.ErrDepth},
		{`{"data":[{"a":` + strings.Repeat("[", 997) + `¶[`, "data[0].a", "", fastjson.ErrDepth},
		{`{"type":"INSERT"}¶x`, "", "", fastjson.ErrTrailing},
		{`{"type":"INSERT"} ¶{"type":"INSERT"}`, "", "", fastjson.ErrTrailing},
		// The wrong shape.
		{`{"table":"t","_tidb":{"commitTs":1,"onlyHandleKey":¶true}}`, "_tidb.onlyHandleKey", ".t", fastjson.ErrStub},
		{`{"_tidb":{"claimCheckLocation":¶"s3://x"},"table":"t"}`, "_tidb.claimCheckLocation", ".t", fastjson.ErrStub},
		{`¶[]`, "", "", fastjson.ErrObject},
		{` ¶null`, "", "", fastjson.ErrObject},
		{` ¶"a"`, "", "", fastjson.ErrObject},
		{`{"type":¶1}`, "type", "", fastjson.ErrValue},
		{`{"database":¶1}`, "database", "", fastjson.ErrValue},
		{`{"table":¶{}}`, "table", "", fastjson.ErrValue},
		{`{"sql":¶true}`, "sql", "", fastjson.ErrValue},
		{`{"gtid":¶[]}`, "gtid", "", fastjson.ErrValue},
		{`{"isDdl":¶"false"}`, "isDdl", "", fastjson.ErrValue},
		{`{"isDdl":¶0}`, "isDdl", "", fastjson.ErrValue},
		{`{"es":¶1.5}`, "es", "", fastjson.ErrValue},
		{`{"ts":¶"x"}`, "ts", "", fastjson.ErrValue},
		{`{"id":¶99999999999999999999}`, "id", "", fastjson.ErrRange},
		{`{"data":¶{}}`, "data", "", fastjson.ErrValue},
		{`{"data":¶"x"}`, "data", "", fastjson.ErrValue},
		{`{"data":[{},¶[]]}`, "data[1]", "", fastjson.ErrValue},
		{`{"data":[¶"x"]}`, "data[0]", "", fastjson.ErrValue},
		{`{"old":¶1}`, "old", "", fastjson.ErrValue},
		{`{"old":[null,¶1]}`, "old[1]", "", fastjson.ErrValue},
		{`{"mysqlType":¶[]}`, "mysqlType", "", fastjson.ErrValue},
		{`{"mysqlType":{"a":"x","b":¶5}}`, "mysqlType.b", "", fastjson.ErrValue},
		{`{"sqlType":¶""}`, "sqlType", "", fastjson.ErrValue},
		{`{"sqlType":{"a":4,"id":¶"x"}}`, "sqlType.id", "", fastjson.ErrValue},
		{`{"sqlType":{"a":4,"id":¶2147483648}}`, "sqlType.id", "", fastjson.ErrRange},
		{`{"sqlType":{"a\n\"":¶1e1}}`, "sqlType.a\n\"", "", fastjson.ErrValue},
		{`{"pkNames":¶"a"}`, "pkNames", "", fastjson.ErrValue},
		{`{"pkNames":["a",¶null]}`, "pkNames[1]", "", fastjson.ErrValue},
		{`{"_tidb":¶[]}`, "_tidb", "", fastjson.ErrValue},
		{`{"_tidb":{"x":{},"commitTs":¶-1}}`, "_tidb.commitTs", "", fastjson.ErrRange},
		{`{"_tidb":{"watermarkTs":¶true}}`, "_tidb.watermarkTs", "", fastjson.ErrValue},
		{`{"\u0065s":¶true}`, "es", "", fastjson.ErrValue},
		{`{"type":¶"insert"}`, "type", "", fastjson.ErrTypeName},
		{`{"type":"INSERT","type":¶null}`, "type", "", fastjson.ErrTypeName},
		{` ¶{"database":"d"}`, "", "d.", fastjson.ErrTypeName},
		// The table, before and behind the fault; not behind what is no JSON.
		{`{"data":[{"a":1}],"database":"shop","table":"t","es":¶{}}`, "es", "shop.t", fastjson.ErrValue},
		{`{"data":¶{},"database":"sh\u006fp","table":"t"}`, "data", "shop.t", fastjson.ErrValue},
		{`{"database":"shop","x":¶x,"table":"t"}`, "x", "shop.", fastjson.ErrSyntax},
		{`{"type":¶"no","table":"t"}`, "type", ".t", fastjson.ErrTypeName},
		{`{"table":"a","table":"t","database":null,"type":¶"no"}`, "type", ".t", fastjson.ErrTypeName},
		// Long names are cut.
		{`{"data":[{"` + long + `":¶x}]}`, "data[0]." + long[:200] + "…", "", fastjson.ErrSyntax},
		{`{"` + long + `":¶x}`, long[:200] + "…", "", fastjson.ErrSyntax},
	} {
		var r fastjson.Reader
		ev := change.Event{ES: 1, Database: []byte("x")}
		m := fastjson.Meta{ID: 5}
		at := strings.Index(c.msg, "¶")
		want := wire.ParseError{Offset: at, Path: c.path, Table: c.table, Err: c.err}
		msg := strings.Replace(c.msg, "¶", "", 1)
		err := r.Read(&ev, &m, []byte(msg))
		var p *wire.ParseError
		if !errors.As(err, &p) || *p != want {
			t.Errorf("%q\n got %+v\nwant %+v", msg, err, &want)
		}
		if !reflect.DeepEqual(ev, change.Event{}) || m != (fastjson.Meta{ID: 5}) {
			t.Errorf("%q: leaves %+v %+v", msg, ev, m)
		}
	}
}

// TestReaderLocate puts a bad byte in each text that a Writer shows: Locate finds
// it in the message.
func TestReaderLocate(t *testing.T) {
	w := newWriter(t, fastjson.Options{RejectInvalidUTF8: true})
	for _, c := range []struct{ msg, path string }{
		{`{"type":"INSERT","database":¶"@"}`, "database"},
		{`{"type":"INSERT","table":¶"x\n@"}`, "table"},
		{`{"type":"CREATE","isDdl":true,"table":"t","sql": ¶"@"}`, "sql"},
		{`{"gtid":¶"@","type":"INSERT"}`, "gtid"},
		{`{"type":"INSERT","table":"t","data":[{"a":"","b":"1"},{"a": ¶"@","b":"2"}]}`, "data[1].a"},
		{`{"type":"INSERT","table":"t","data":[{"a":"","b":"1"},null,{"b":"","c":¶"@"}]}`, "data[2].c"},
		{`{"type":"INSERT","table":"t","data":[{"a":"",¶"b@":"1"}]}`, "data[0].b\xff"},
		{`{"data":[{"a":"1"},{"a":"2"}],"old":[{"a":"3"},{"a":¶"@"}],"type":"UPDATE","table":"t"}`, "old[1].a"},
		{`{"type":"DELETE","table":"t","data":[{"a":"","b":"1"}],"mysqlType":{"a":"x","b": ¶"int@"}}`, "mysqlType.b"},
		{`{"type":"DELETE","table":"t","data":[{"a":"","b":"1"},{"c":""}],"mysqlType":{"a":"x","c":¶"int\n@"}}`, "mysqlType.c"},
	} {
		var r fastjson.Reader
		var ev change.Event
		msg := strings.ReplaceAll(c.msg, "@", "\xff")
		at := strings.Index(msg, "¶")
		if err := r.Read(&ev, nil, []byte(strings.Replace(msg, "¶", "", 1))); err != nil {
			t.Fatal(err)
		}
		_, err := w.AppendEvent(nil, &ev, meta)
		var v *change.ValueError
		if !errors.As(err, &v) {
			t.Errorf("%s: %v", msg, err)
			continue
		}
		want := wire.ParseError{Offset: at, Path: c.path, Err: fastjson.ErrInvalidUTF8}
		if strings.Contains(c.msg, `"table":"t"`) {
			want.Table = ".t"
		} else if strings.Contains(c.msg, "database") {
			want.Table = "\xff."
		} else if strings.Contains(c.msg, "table") {
			want.Table = ".x\n\xff"
		}
		if got := r.Locate(v); *got != want {
			t.Errorf("%s\n got %+v\nwant %+v", msg, got, &want)
		}
	}
	// What the message does not have is the message's.
	var r fastjson.Reader
	var ev change.Event
	if err := r.Read(&ev, nil, []byte(` {"type":"INSERT"}`)); err != nil {
		t.Fatal(err)
	}
	for text := change.TextDatabase; text <= change.TextSQL; text++ {
		if got := r.Locate(&change.ValueError{Text: text, Err: fastjson.ErrInvalidUTF8}); got.Offset != 1 || got.Path != "" {
			t.Errorf("%v: %+v", text, got)
		}
	}
}
