package fastjson_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/fastjson"
)

// A jsonCase is a text that stands where JSON wants a value. Names begin with y_ where
// every parser must take it (RFC 8259), n_ where none may, i_ where the standard leaves
// it open.
type jsonCase struct {
	name, text string
	ok         bool
}

func yes(name, text string) jsonCase { return jsonCase{"y_" + name, text, true} }
func no(name, text string) jsonCase  { return jsonCase{"n_" + name, text, false} }

// may is a case that is open, and what becomes of it here.
func may(name, text string, ok bool) jsonCase { return jsonCase{"i_" + name, text, ok} }

var jsonCases = []jsonCase{
	yes("array empty", `[]`), yes("array with a space", `[ ]`), yes("array of an array", `[[]]`), yes("array of everything", `[null, 1, "1", {}, [], true, false]`),
	yes("array with white space before its end", "[1\n]"), yes("array with white space before", " [1]"), yes("array with a tab and CR", "[\t1\r\n,\r2]"), yes("array of empty string", `[""]`),
	yes("array with several nulls", `[1,null,null,null,2]`), yes("array with trailing space", `[2] `),
	yes("object empty", `{}`), yes("object", `{"asd":"sdf"}`), yes("object with a name twice", `{"a":"b","a":"c"}`), yes("object with equal members", `{"a":"b","a":"b"}`),
	yes("object with an empty name", `{"":0}`), yes("object with an escaped null in a name", `{"foo\u0000bar": 42}`), yes("object with long strings", `{"x":"`+strings.Repeat("x", 200)+`"}`),
	yes("object with new lines", "{\n\"a\":\n\"b\"\n}"), yes("object with extreme numbers", `{ "min": -1.0e+28, "max": 1.0e+28 }`),
	yes("number", `123e65`), yes("number 0e+1", `0e+1`), yes("number 0e1", `0e1`), yes("number after a space", ` 4`), yes("number close to zero", `-0.000000000000000000000000000000000000000000000000000000000000000000000000000001`),
	yes("number with exponent", `20e1`), yes("minus zero", `-0`), yes("negative int", `-123`), yes("negative one", `-1`), yes("capital exponent", `1E22`), yes("capital exponent, minus", `1E-2`),
	yes("capital exponent, plus", `1E+2`), yes("exponent, minus", `1e-2`), yes("exponent, plus", `1e+2`), yes("fraction with exponent", `123.456e78`), yes("simple int", `123`), yes("simple real", `123.456789`), yes("one digit", `0`),
	yes("null", `null`), yes("true", `true`), yes("false", `false`),
	yes("string", `"asd"`), yes("string empty", `""`), yes("all short escapes", `"\"\\\/\b\f\n\r\t"`), yes("escaped quote", `"\""`), yes("double escape a", `"\\a"`), yes("double escape n", `"\\n"`),
	yes("escaped control character", `"\u0012"`), yes("escaped null", `"\u0000"`), yes("escaped noncharacter", `"\uFFFF"`), yes("surrogate pair", `"\ud83d\ude39\ud83d\udc8d"`), yes("last surrogate pair", `"\uDBFF\uDFFF"`),
	yes("escapes in either case", `"\uAbCd\uefEF"`), yes("comment in a string", `"a/*b*/c/*d//e"`), yes("DEL", "\"\x7f\""), yes("raw noncharacter", "\"\U0010ffff\""), yes("raw U+2028", "\"\u2028\u2029\""),
	yes("no-break space", "\"\u00a0\""), yes("two bytes", `"\u0123"`), yes("three bytes", `"\u0821"`), yes("raw UTF-8", "\"€𝄞\""), yes("blank", `" "`), yes("plus and minus in a string", `"-+"`), yes("backslash u in a string", `"\\u0041"`),
	yes("BOM inside a string", "\"\ufeff\""),

	no("nothing", ``), no("a space", ` `), no("array without commas", `[1 true]`), no("array not closed", `["x"`), no("array with a colon", `["": 1]`), no("array with a comma after it", `[""],`), no("array with a comma and no value", `[,1]`),
	no("array with two commas", `[1,,2]`), no("array with two commas at the end", `["x",,]`), no("array closed twice", `["x"]]`), no("array with a trailing comma", `["",]`), no("array with comma and number at start", `[,`), no("array with a minus", `[-]`),
	no("array missing a value", `[   , ""]`), no("array of new lines not closed", "[\"a\",\n4\n,1,"), no("array with a just a comma", `[,]`), no("array with a star", `[*]`), no("array not closed, with a number", `[1`), no("array not closed, with a comma", `[1,`),
	no("array not closed, with new lines", "[1,\n1\n,1"), no("array not closed, with an object", `[{}`), no("array closed with a brace", `[1}`), no("array with a form feed", "[\f]"), no("array with a vertical tab", "[\v1]"),
	no("incomplete false", `fals`), no("incomplete null", `nul`), no("incomplete true", `tru`), no("capitalised True", `True`), no("capital NULL", `NULL`), no("nulll", `nulll`), no("true with more", `truex`),
	no("number ++", `++1234`), no("number +1", `+1`), no("number +Inf", `+Inf`), no("number -01", `-01`), no("number -1.0.", `-1.0.`), no("number -2.", `-2.`), no("number -NaN", `-NaN`), no("number .-1", `.-1`), no("number .2e-3", `.2e-3`),
	no("number 0.1.2", `0.1.2`), no("number 0.3e", `0.3e`), no("number 0.3e+", `0.3e+`), no("number 0.e1", `0.e1`), no("number 0E", `0E`), no("number 0e+", `0e+`), no("number 1.0e", `1.0e`), no("number 1.0e-", `1.0e-`), no("number with a space", `1 000.0`),
	no("number 1eE2", `1eE2`), no("number 2.e3", `2.e3`), no("number 2.e-3", `2.e-3`), no("number 9.e+", `9.e+`), no("Inf", `Inf`), no("NaN", `NaN`), no("full-width digit", "１"), no("expression", `1+2`), no("hex", `0x42`), no("infinity", `Infinity`),
	no("-Infinity", `-Infinity`), no("minus alone", `-`), no("minus and a letter", `-foo`), no("minus with a space", `- 1`), no("012", `012`), no("-012", `-012`), no("number and a letter", `1a`), no("number with an accent", "1\xc3\xa5"), no("real without int", `.123`),
	no("real without fraction", `1.`), no("real with a letter", `1.2a-3`), no("underscore", `1_000`),
	no("object with a bad value", `{"x": truth}`), no("object with a bracket", `{"x": ]}`), no("object with a comma for a colon", `{"x", null}`), no("object with two colons", `{"x"::"b"}`), no("object with an emoji", `{🇨🇭}`),
	no("object with garbage at its end", `{"a":"a" 123}`), no("object with single quotes", `{'a':0}`), no("object without a colon", `{"a" b}`), no("object without a name", `{:"b"}`), no("object without a value", `{"a":`), no("object without a value or colon", `{"a"`),
	no("object with a number for a name", `{1:1}`), no("object with a word for a name", `{a: "b"}`), no("object with a null name", `{null:null}`), no("object with several trailing commas", `{"id":0,,,,,}`), no("object with a trailing comma", `{"id":0,}`),
	no("object with a trailing comment", `{"a":"b"}/**/`), no("object with a comment", `{/**/"a":1}`), no("object with a line comment", "{//\n}"), no("object with two commas", `{"a":"b",,"c":"d"}`), no("object not closed", `{"a":"a"`), no("object closed with a bracket", `{"a":"a"]`), no("object with an array for a name", `{[]:1}`),
	no("string with one quote", `"`), no("string with single quotes", `'a'`), no("string without quotes", `abc`), no("string not closed", `"abc`), no("string with a trailing backslash", `"\`), no("string with an escaped quote at its end", `"abc\"`),
	no("escape x", `"\x00"`), no("escape a", `"\a"`), no("escape 0", `"\0"`), no("escape capital U", `"\U0041"`), no("escape of a raw tab", "\"\\\t\""), no("escape of an emoji", "\"\\🌀\""), no("escape of a bad byte", "\"\\\xe5\""),
	no("u and one digit", `"\u1"`), no("u and three digits", `"\u00A"`), no("u and none", `"\u"`), no("u and a letter", `"\u00Ag0"`), no("u with a plus", `"\u+041"`), no("u cut at the end", `"\u004`), no("surrogate and half an escape", `"\uD834\u"`), no("surrogate and a bad escape", `"\uD800\x"`),
	no("raw new line", "\"new\nline\""), no("raw tab", "\"\t\""), no("raw null", "\"a\x00a\""), no("raw 0x1f", "\"\x1f\""), no("raw control behind eight bytes", "\"12345678\x01\""), no("raw control before an escape", "\"\x01\\n\""),
	no("angle bracket", `<`), no("angle null", `<null>`), no("a single star", `*`), no("a byte 0", "\x00"), no("no-break space for white space", "\u00a01"), no("BOM", "\ufeff1"), no("half a BOM", "\xef\xbb1"), no("a lone quote behind a number", `1"`), no("word joiner", "\u2060"),
	no("two values", `1 2`), no("two strings", `"a""b"`), no("a brace to close", `}`), no("a bracket to close", `]`), no("a comma", `,`), no("a colon", `:`), no("a comment", `/* */ 1`), no("many open arrays", strings.Repeat("[", 500)), no("open arrays and objects", strings.Repeat(`[{"":`, 100)),

	may("number of huge exponent", `0.4e00669999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999969999999006`, true),
	may("number of many digits", strings.Repeat("9", 500), true), may("number that overflows", `1.5e+9999`, true), may("negative number that underflows", `-1e-9999`, true),
	may("lone high surrogate", `"\uDADA"`, true), may("lone low surrogate", `"\uDd1ea"`, true), may("surrogates in the wrong order", `"\uDd1e\uD834"`, true), may("two high surrogates and a low", `"\ud83d\ud83d\ude00"`, true), may("high surrogate and a letter", `"\uD888\u1234"`, true),
	may("invalid UTF-8 FF", "\"\xff\"", true), may("an encoded surrogate", "\"\xed\xa0\x80\"", true), may("an overlong form", "\"\xc0\xaf\"", true), may("a cut character", "\"\xe0\xff\"", true), may("a lone continuation", "\"\x81\"", true), may("above U+10FFFF", "\"\xf4\xbf\xbf\xbf\"", true), may("ISO-8859-1", "\"\xe9\"", true),
	may("arrays nested 990 deep", strings.Repeat("[", 990)+strings.Repeat("]", 990), true), may("arrays nested 1001 deep", strings.Repeat("[", 1001)+strings.Repeat("]", 1001), false),
	may("objects nested 1001 deep", strings.Repeat(`{"":`, 1001)+"0"+strings.Repeat("}", 1001), false), may("arrays nested 100,000 deep", strings.Repeat("[", 100_000), false),
}

// TestJSON has each case as the value of a key that is unknown, of a column, of a
// member of an unknown object, and as the whole message, which only an object
// with a type can be.
func TestJSON(t *testing.T) {
	var r fastjson.Reader
	for _, c := range jsonCases {
		if c.name[0] != 'i' && json.Valid([]byte(c.text)) != c.ok {
			t.Errorf("%s: encoding/json says otherwise", c.name)
		}
		for _, around := range [][2]string{
			{`{"type":"QUERY","x":`, `}`},
			{`{"x":`, `,"type":"QUERY"}`},
			{`{"type":"QUERY","x": `, " \r\n\t}\r\n"},
			{`{"type":"INSERT","data":[{"a":`, `}]}`},
			{`{"type":"INSERT","data":[{"a":1,"b":`, `},{"b": `}, // cut: an error

			{`{"type":"UPDATE","old":[{"a":`, `,"b":""}]}`},
			{`{"type":"QUERY","_tidb":{"x":`, `}}`},
			{`{"type":"QUERY","x":{"y":[0,`, `]}}`},
		} {
			want := c.ok && !strings.HasSuffix(around[1], `"b": `)
			var ev change.Event
			err := r.Read(&ev, nil, []byte(around[0]+c.text+around[1]))
			if (err == nil) != want {
				t.Errorf("%s, in %q: %v", c.name, around, err)
			}
		}
		var ev change.Event
		if err := r.Read(&ev, nil, []byte(c.text)); err == nil {
			t.Errorf("%s: read as a message", c.name)
		}
	}
}

// TestDepth has exactly 1000 levels pass, in all places that can be deep.
func TestDepth(t *testing.T) {
	var r fastjson.Reader
	for _, c := range []struct {
		before, after string
		outer         int // levels that before opens
	}{
		{`{"type":"INSERT","x":`, `}`, 1},
		{`{"type":"INSERT","_tidb":{"x":`, `}}`, 2},
		{`{"type":"INSERT","data":[{"a":`, `}]}`, 3},
		{`{"type":"INSERT","old":[{"a":`, `}]}`, 3},
	} {
		for _, open := range []string{"[", `{"":`, `[{"":`} {
			for inner := 990; inner <= 1003; inner++ {
				var b strings.Builder
				depth := 0
				var closing []byte
				b.WriteString(c.before)
				for depth+strings.Count(open, "[")+strings.Count(open, "{") <= inner {
					b.WriteString(open)
					for _, o := range open {
						if o == '[' || o == '{' {
							depth++
							closing = append(closing, byte(o)+2)
						}
					}
				}
				b.WriteString("1")
				for i := len(closing) - 1; i >= 0; i-- {
					b.WriteByte(closing[i])
				}
				b.WriteString(c.after)
				var ev change.Event
				err := r.Read(&ev, nil, []byte(b.String()))
				if want := depth+c.outer <= 1000; (err == nil) != want {
					t.Errorf("%s: %d levels: %v", c.before, depth+c.outer, err)
				}
			}
		}
	}
}
