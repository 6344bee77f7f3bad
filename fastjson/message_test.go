package fastjson

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cdcodec/cdcodec/internal/corpus/golden"
)

// keys are those of a message, in the order of dialect canal.
const keys = "data,database,es,gtid,id,isDdl,mysqlType,old,pkNames,sql,sqlType,table,ts,type"

// keysOf returns the keys of a JSON object in the order in which they stand there.
func keysOf(t *testing.T, msg []byte) string {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(msg))
	var names []string
	if _, err := d.Token(); err != nil {
		t.Fatalf("%s: %v", msg, err)
	}
	for d.More() {
		name, err := d.Token()
		var value json.RawMessage
		if err == nil {
			err = d.Decode(&value)
		}
		if err != nil {
			t.Fatalf("%s: %v", msg, err)
		}
		names = append(names, name.(string))
	}
	return strings.Join(names, ",")
}

// valueOf returns JSON as encoding/json has it, numbers as they are written.
func valueOf(t *testing.T, b []byte) (v any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%s: %v", b, err)
	}
	return v
}

// TestMessageGolden takes every message that Canal wrote apart and puts it
// together again: the same value, the same keys in the same order.
func TestMessageGolden(t *testing.T) {
	messages := 0
	for _, c := range slices.Concat(golden.Entries(), golden.Packets(), golden.Messages(), golden.Random()) {
		if c.IsError() {
			continue
		}
		var all []json.RawMessage
		if err := json.Unmarshal(c.Want, &all); err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		for _, want := range all {
			messages++
			in := bytes.Clone(want)
			var m Message
			if err := m.Unmarshal(in); err != nil {
				t.Errorf("%s: %v", c.Name, err)
				continue
			}
			if !bytes.Equal(in, want) {
				t.Errorf("%s: the input was written to", c.Name)
			}
			for i := range in {
				in[i] = '#' // m must keep nothing of it
			}
			got, err := m.Marshal()
			if err != nil {
				t.Errorf("%s: %v", c.Name, err)
				continue
			}
			if !reflect.DeepEqual(valueOf(t, got), valueOf(t, want)) {
				t.Errorf("%s\n got %s\nwant %s", c.Name, got, want)
			}
			if order := keysOf(t, got); order != keys {
				t.Errorf("%s: keys %s", c.Name, order)
			}
			// Where no object has a second column, nothing can stand elsewhere.
			if len(m.SQLType) < 2 && len(got) != len(want) {
				t.Errorf("%s\n got %s\nwant %s", c.Name, got, want)
			}
			var again Message
			if err := again.Unmarshal(got); err != nil || !reflect.DeepEqual(again, m) {
				t.Errorf("%s: read again it is %+v, %v; want %+v", c.Name, again, err, m)
			}
		}
	}
	if messages < 1000 {
		t.Errorf("only %d messages", messages)
	}
}

// TestMessageNull tells null from empty, both ways, and an absent gtid.
func TestMessageNull(t *testing.T) {
	text := func(s string) *string { return &s }
	for _, c := range []struct {
		name string
		m    Message
		want string
	}{
		{"zero", Message{},
			`{"data":null,"database":"","es":0,"id":0,"isDdl":false,"mysqlType":null,"old":null,"pkNames":null,"sql":"","sqlType":null,"table":"","ts":0,"type":""}`},
		{"empty", Message{Data: []map[string]*string{}, GTID: text(""), MySQLType: map[string]string{}, Old: []map[string]*string{}, PKNames: []string{}, SQLType: map[string]int32{}},
			`{"data":[],"database":"","es":0,"gtid":"","id":0,"isDdl":false,"mysqlType":{},"old":[],"pkNames":[],"sql":"","sqlType":{},"table":"","ts":0,"type":""}`},
		{"in lists", Message{Data: []map[string]*string{nil, {}, {"b": nil, "a": text("")}}, Old: []map[string]*string{{}, nil}, PKNames: []string{""}},
			`{"data":[null,{},{"a":"","b":null}],"database":"","es":0,"id":0,"isDdl":false,"mysqlType":null,"old":[{},null],"pkNames":[""],"sql":"","sqlType":null,"table":"","ts":0,"type":""}`},
		{"full", Message{
			Data: []map[string]*string{{"id": text("1")}}, Database: "d", ES: -1 << 63, GTID: text("g"), ID: 1<<63 - 1, IsDDL: true,
			MySQLType: map[string]string{"id": "int", "": "x"}, Old: []map[string]*string{{"id": nil}}, PKNames: []string{"id", "id"},
			SQL: "s", SQLType: map[string]int32{"id": -1 << 31, "": 1<<31 - 1}, Table: "t", TS: 1700000000000, Type: "UPDATE"},
			`{"data":[{"id":"1"}],"database":"d","es":-9223372036854775808,"gtid":"g","id":9223372036854775807,"isDdl":true,"mysqlType":{"":"x","id":"int"},` +
				`"old":[{"id":null}],"pkNames":["id","id"],"sql":"s","sqlType":{"":2147483647,"id":-2147483648},"table":"t","ts":1700000000000,"type":"UPDATE"}`},
	} {
		got, err := c.m.Marshal()
		if err != nil || string(got) != c.want {
			t.Errorf("%s\n got %s, %v\nwant %s", c.name, got, err, c.want)
		}
		m := Message{SQL: "left over", PKNames: []string{"left over"}, GTID: text("left over"), SQLType: map[string]int32{"left over": 1}}
		if err := m.Unmarshal([]byte(c.want)); err != nil || !reflect.DeepEqual(m, c.m) {
			t.Errorf("%s: read as %+v, %v; want %+v", c.name, m, err, c.m)
		}
	}
}

// twin is what Marshal writes by encoding/json, as it does with the tag purego.
func twin(t *testing.T, m *Message) []byte {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(m); err != nil {
		t.Fatal(err)
	}
	return canalEscapes(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

// messageOf returns a Message with s wherever a string can be.
func messageOf(s string) *Message {
	return &Message{
		Data: []map[string]*string{{s: &s, "other": nil}}, Database: s, GTID: &s, MySQLType: map[string]string{s: s}, Old: []map[string]*string{{s: &s}},
		PKNames: []string{s, s}, SQL: s, SQLType: map[string]int32{s: 1}, Table: s, Type: s,
	}
}

// TestMessageEscapes quotes everywhere as rule 10 of spec/canal.md 2 says, with
// the same bytes whether sonic or encoding/json does the work. What is not UTF-8
// becomes U+FFFD, byte by byte.
func TestMessageEscapes(t *testing.T) {
	check := func(s string) {
		t.Helper()
		m := messageOf(s)
		got, err := m.Marshal()
		if err != nil {
			t.Fatalf("%q: %v", s, err)
		}
		if want := twin(t, m); !bytes.Equal(got, want) {
			t.Fatalf("%q\n     got %s\ntwin has %s", s, got, want)
		}
		var fixed []byte
		for _, r := range s {
			fixed = utf8.AppendRune(fixed, r)
		}
		quoted, _ := slowQuote(fixed)
		if n := bytes.Count(got, []byte(quoted)); n < 14 {
			t.Fatalf("%q: %s is there %d times: %s", s, quoted, n, got)
		}
		var again Message
		if err := again.Unmarshal(got); err != nil || !reflect.DeepEqual(&again, messageOf(string(fixed))) {
			t.Fatalf("%q: %s is read as %+v, %v", s, got, again, err)
		}
	}
	check("\b\f\u2028\u2029\ufffd\x00\x1f\x7f\"\\/<>&'")
	check(`\b \u0008 \\u000c " \u2028 \`) // escapes that are text
	check("\xff\xed\xa0\x80a\xe2\x82")
	for c := range rune(0x180) {
		check(string(c) + "x" + string(c))
		check("a\\" + string(c) + "\b")
	}
	for c := range 256 {
		check("a" + string([]byte{byte(c)}))
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		check(string(randomText(rnd, 12, true)))
	}
	for range 50 {
		check(string(bytes.Repeat(randomText(rnd, 12, true), 200)))
	}
}

// TestMessageKeysSorted has columns by name, in the order of their bytes.
func TestMessageKeysSorted(t *testing.T) {
	m := Message{SQLType: map[string]int32{}}
	for i, name := range []string{"b", "a", "B", "", "a\x01", "é", "aa", "中", "😀", "Z", "_"} {
		m.SQLType[name] = int32(i)
	}
	got, err := m.Marshal()
	const want = `"sqlType":{"":3,"B":2,"Z":9,"_":10,"a":1,"a\u0001":4,"aa":6,"b":0,"é":5,"中":7,"😀":8}`
	if err != nil || !strings.Contains(string(got), want) {
		t.Errorf("%s, %v: want %s", got, err, want)
	}
}

// TestMessageErrors refuses what is no message. The verdicts, and the values of
// what passes, are those of encoding/json.
func TestMessageErrors(t *testing.T) {
	for _, in := range []string{
		``, ` `, `{`, `}`, `{]`, `nul`, `x`, `[]`, `1`, `"x"`, `{"id":1`, `{"id":1}}`, `{"id":1} x`, `{"id":1}{"id":2}`, "\xef\xbb\xbf{}",
		`{"id":"1"}`, `{"id":1.5}`, `{"id":1e2}`, `{"id":01}`, `{"id":+1}`, `{"id":-}`, `{"id":1.}`, `{"id":9223372036854775808}`,
		`{"sqlType":{"a":2147483648}}`, `{"sqlType":{"a":"1"}}`, `{"sqlType":[]}`, `{"mysqlType":{"a":1}}`, `{"isDdl":1}`, `{"isDdl":"true"}`,
		`{"data":{}}`, `{"data":[[]]}`, `{"data":[{"a":1}]}`, `{"old":[{"a":{}}]}`, `{"pkNames":"id"}`, `{"pkNames":[1]}`, `{"table":[]}`,
		`{"sql":'a'}`, `{"sql":"a}`, `{"sql":"\q"}`, `{"sql":"\u00zz"}`, "{\"sql\":\"a\x01b\"}", "{\"sql\":\"a\nb\"}", `{"sql":"a",}`, `{sql:"a"}`,
		`{"other":tru}`, `{"other":[1,2,{"y":nul}]}`, `{"other":"\q"}`, `{"other":[}`, `{"other":-}`,

		`null`, `{}`, ` {"id" : 1 } `, `{"id":-0}`, `{"id":null,"sql":null,"isDdl":null}`, `{"data":null}`, `{"data":[null]}`, `{"gtid":null}`, `{"pkNames":["a",null]}`,
		`{"other":{"a":[1,2.5e9,true,null,"\u00e9"]},"id":3}`, `{"id":1,"id":2}`, `{"sqlType":{"a":1,"a":2}}`, `{"sql":"\u2028\/\b\ud83d\ude00"}`,
		`{"sql":"\ud800"}`, `{"sql":"\ud800\u0041"}`, `{"sql":"\udc00\ud800"}`, "{\"sql\":\"\xff\xed\xa0\x80\"}", "{\"sqlType\":{\"\xff\":3}}", "{\"other\":\"\xff\"}",
		`{"ID":5,"Sql":"x"}`, `{"sqltype":{"a":1}}`,
	} {
		var want Message
		werr := json.Unmarshal([]byte(in), &want)
		got := Message{SQL: "left over"}
		err := got.Unmarshal([]byte(in))
		if (err == nil) != (werr == nil) {
			t.Errorf("%q: %v, encoding/json says %v", in, err, werr)
		} else if err == nil && !reflect.DeepEqual(got, want) {
			t.Errorf("%q is read as %+v, want %+v", in, got, want)
		}
		if err != nil && !strings.HasPrefix(err.Error(), "fastjson: ") {
			t.Errorf("%q: the error does not say whose it is: %v", in, err)
		}
		if got.SQL == "left over" {
			t.Errorf("%q: what was in m has stayed", in)
		}
	}
}

// TestMessageNumbers has values that are no strings, which a Message does not take,
// and a key of TiCDC's, which it leaves out.
func TestMessageNumbers(t *testing.T) {
	var m Message
	if err := m.Unmarshal([]byte(`{"type":"INSERT","data":[{"a":1}]}`)); err == nil {
		t.Errorf("a number is taken: %+v", m)
	}
	if err := m.Unmarshal([]byte(`{"type":"INSERT","data":[{"a":"1","b":null}],"_tidb":{"commitTs":7}}`)); err != nil ||
		len(m.Data) != 1 || *m.Data[0]["a"] != "1" || m.Data[0]["b"] != nil || m.Type != "INSERT" {
		t.Errorf("%+v, %v", m, err)
	}
}
