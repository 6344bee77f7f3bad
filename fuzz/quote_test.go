package fuzz

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/internal/corpus/golden"
)

// quote returns s as a JSON string the slow way: encoding/json's, with the
// escapes put right that Canal has and it has not, one at a time.
func quote(s []byte) string {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(repair(s)); err != nil {
		panic(err)
	}
	text := strings.TrimSuffix(out.String(), "\n")
	var b strings.Builder
	for text != "" {
		n := 1
		if text[0] == '\\' {
			n = 2
			if text[1] == 'u' {
				n = 6
			}
		}
		switch text[:n] {
		case `\u0008`:
			b.WriteString(`\b`)
		case `\u000c`:
			b.WriteString(`\f`)
		case `\u2028`:
			b.WriteString("\u2028")
		case `\u2029`:
			b.WriteString("\u2029")
		default:
			b.WriteString(text[:n])
		}
		text = text[n:]
	}
	return b.String()
}

// FuzzQuote writes s, times times, as a name, a value, a MySQL type and the
// other strings of an Event, and holds each to quote. Repeated, the shortest
// strings reach the code that is for long ones.
func FuzzQuote(f *testing.F) {
	for _, s := range []string{
		"", "a", "12345678", "1234567\"", "\\", "\x00\x01\x1f\x20\x7f\u0080\u009f", "\b\t\n\f\r\v", "a\f", "a\b", "</script>&'", "\u2028\u2029", `\u2028`, "\ufffd\ufffe\uffff",
		"中文", "🎁", "\xed\xa0\x80", "\xed\xa0b", "\xe2\x82a", "\xf0\x9f\x98", "\xc0\x80", "\xf4\x90\x80\x80", "\xff", "\xed\x9f\xbf", "\xe0\x9f\xbf", "abcdefg\x80", "0123456789012345\x1f",
	} {
		for _, times := range []uint16{1, 3, 400, 2000} {
			f.Add([]byte(s), times)
		}
	}
	for i, c := range golden.Random() {
		if i%50 == 0 {
			f.Add(c.Records[0], uint16(i))
		}
	}
	w := [2]*fastjson.Writer{}
	for i := range w {
		var err error
		if w[i], err = fastjson.NewWriter(fastjson.Options{RejectInvalidUTF8: i == 1}); err != nil {
			f.Fatal(err)
		}
	}
	var e edge
	f.Fuzz(func(t *testing.T, s []byte, times uint16) {
		times %= uint16(min(2048, 1<<12/(len(s)+1)) + 2)
		long := bytes.Repeat(s, int(times))
		in := e.put(t, long)
		q := quote(long)
		ev := change.Event{Type: change.Insert, Database: in, Table: in, SQL: in, GTID: in, Rows: change.NewList(
			change.Row{After: []change.Column{{Name: in, Value: in, MySQLType: in, Key: true}}},
			change.Row{After: []change.Column{{Name: in, Null: true, Value: in, MySQLType: in}}},
		)}
		want := fmt.Sprintf(`{"data":[{%s:%s},{%s:null}],"database":%s,"es":0,"gtid":%s,"id":1,"isDdl":false,"mysqlType":{%s:%s},"old":null,"pkNames":[%s],"sql":%s,"sqlType":{%s:0},"table":%s,"ts":2,"type":"INSERT"}`,
			q, q, q, q, q, q, q, q, q, q, q)
		for _, room := range []int{0, len(want) / 2, len(want) - 1, len(want), len(want) + 300} {
			end := len(prefix) + room
			buf := append(slices.Grow([]byte(nil), end+len(guard))[:end], guard...)
			copy(buf, prefix)
			out, err := w[0].AppendEvent(buf[:len(prefix):end], &ev, fastjson.Meta{ID: 1, TS: 2})
			if err != nil {
				t.Fatal(err)
			}
			if got := string(out); got != prefix+want {
				t.Fatalf("room for %d bytes\n got %q\nwant %q", room, got, prefix+want)
			}
			if string(buf[:len(prefix)]) != prefix || string(buf[end:]) != guard {
				t.Fatalf("room for %d bytes: written outside of it", room)
			}
		}
		if !bytes.Equal(in, long) {
			t.Fatal("the string was written to")
		}
		switch out, err := w[1].AppendEvent(nil, &ev, fastjson.Meta{ID: 1, TS: 2}); {
		case utf8.Valid(long):
			if err != nil || string(out) != want {
				t.Fatalf("valid, but %v, or other bytes", err)
			}
		case !errors.Is(err, fastjson.ErrInvalidUTF8) || out != nil:
			t.Fatalf("not valid, but error %v", err)
		}
	})
}
