package fastjson_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"
	"unicode/utf8"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/wire"
)

// readLaws is what holds for any bytes.
type readLaws struct {
	reused  fastjson.Reader
	writers []*fastjson.Writer
}

func newReadLaws(t testing.TB) *readLaws {
	var l readLaws
	for _, o := range lawOptions {
		l.writers = append(l.writers, newWriter(t, o))
	}
	return &l
}

// check reads b. The verdict and the values are those of slowRead; a reused Reader
// says the same as a fresh one; b is not written to; what is read can be written,
// and that can be read and written again.
func (l *readLaws) check(t testing.TB, b []byte) {
	t.Helper()
	in := bytes.Clone(b)
	var ev, again change.Event
	var meta, metaAgain fastjson.Meta
	var fresh fastjson.Reader
	err := fresh.Read(&ev, &meta, b)
	errAgain := l.reused.Read(&again, &metaAgain, b)
	if !bytes.Equal(in, b) {
		t.Fatalf("%q: has been written to", in)
	}
	want, wantMeta, odd, ok := slowRead(b)
	if err != nil {
		var p *wire.ParseError
		if !errors.As(err, &p) || p.Err == nil || p.Offset < 0 || p.Offset > len(b) {
			t.Fatalf("%q: %#v", b, err)
		}
		if errAgain == nil || errAgain.Error() != err.Error() || ev.Rows != nil || ev.Type != 0 || ev.Kind != 0 || ev.Database != nil {
			t.Fatalf("%q: %v, reused %v, %+v", b, err, errAgain, ev)
		}
		if ok && p.Err != fastjson.ErrDepth {
			t.Fatalf("%q: %v, but it is a message", b, err)
		}
		return
	}
	if !ok || errAgain != nil {
		t.Fatalf("%q: read, should be %v; reused %v", b, ok, errAgain)
	}
	text := describe(&ev)
	for range 2 { // also when walked again
		if got := describe(&again); got != text || metaAgain != meta {
			t.Fatalf("%q\nfresh  %s\nreused %s", b, text, got)
		}
	}
	if utf8.Valid(b) && !odd {
		if w := describe(want); text != w || meta != wantMeta {
			t.Fatalf("%q\n got %s %+v\nwant %s %+v", b, text, meta, w, wantMeta)
		}
	}
	checkRows(t, &ev)
	if ev.Kind == change.KindWatermark {
		return
	}
	for _, w := range l.writers {
		msg, err := w.AppendEvent(nil, &ev, meta)
		if err != nil {
			t.Fatalf("%q: %v", b, err)
		}
		holdLawOf(t, &l.reused, w, msg)
	}
}

// checkRows asks for each column again by its Ref, and holds MaxNames to its
// promise.
func checkRows(t testing.TB, ev *change.Event) {
	t.Helper()
	if ev.Rows == nil {
		return
	}
	rows := ev.Rows
	for _, im := range []change.Image{change.Before, change.After} {
		names := map[string]bool{}
		for rows.Rewind(); rows.Next(); {
			if c := rows.Column(); c != nil {
				t.Fatalf("%s without Select", c.Name)
			}
			rows.Select(im)
			for c := rows.Column(); c != nil; c = rows.Column() {
				col := *c
				names[string(c.Name)] = true
				at := *rows.At(col.Ref)
				if describeColumn(&at) != describeColumn(&col) || describeColumn(c) != describeColumn(&col) || at.Ref != col.Ref || at.Heavy != col.Heavy {
					t.Fatalf("At gives %s, Column %s", describeColumn(&at), describeColumn(&col))
				}
				if cap(c.Name) != len(c.Name) || cap(c.Value) != len(c.Value) || cap(c.MySQLType) != len(c.MySQLType) {
					t.Fatalf("%s: a slice that is not capped", describeColumn(c))
				}
			}
			if rows.Column() != nil {
				t.Fatal("a column after the last")
			}
		}
		if rows.Next() {
			t.Fatal("a row after the last")
		}
		if n := rows.MaxNames(im); n < len(names) {
			t.Fatalf("MaxNames %d for %d names", n, len(names))
		}
	}
}

// readSeeds are messages of all who write them, and a few that are odd.
var readSeeds = []string{
	`{"data":[{"id":"7","note":"new \"one\""}],"database":"shop","es":1690000000000,"gtid":"u:5","id":1,"isDdl":false,"mysqlType":{"id":"bigint(20)","note":"text"},"old":[{"note":"old"}],"pkNames":["id"],"sql":"","sqlType":{"id":-5,"note":2005},"table":"orders","ts":1700000000000,"type":"UPDATE"}`,
	`{"id":0,"database":"test","table":"t","pkNames":["id"],"isDdl":false,"type":"UPDATE","es":1,"ts":2,"sql":"","sqlType":{"id":4,"c":12},"mysqlType":{"c":"varchar","id":"int"},"old":[{"id":"1","c":"a"}],"data":[{"id":"1","c":"b"}],"_tidb":{"commitTs":429918007904436226}}`,
	`{"id":0,"database":"","table":"","pkNames":null,"isDdl":false,"type":"TIDB_WATERMARK","es":1640007049196,"ts":1,"sql":"","sqlType":null,"mysqlType":null,"data":null,"old":null,"_tidb":{"watermarkTs":429918007904436226}}` + "\r\n",
	`{"old":[{"id":1,"d":1.50,"f":true,"n":null}],"data":[{"id":1,"d":2.50,"f":false,"n":null}],"type":"UPDATE","database":"d","table":"t","pkNames":["id"]}`,
	`{"data":null,"database":"","es":0,"gtid":"","id":1,"isDdl":true,"mysqlType":null,"old":null,"pkNames":null,"sql":"create table t (x int)","sqlType":null,"table":"t","ts":1,"type":"CREATE"}`,
	` {"type":"INSERT" , "data":[ {"a":{"b":[1,"]"]},"c":[ ],"a":"\ud83d\ude00\ud83d"} , null, {} ],"x":[[{}],{"y":1e5}] } `,
	`{"data":[{"a":"1"},{"b":"2"}],"old":[{},{"a":"0"},{"b":"1","a":"3"}],"pkNames":["a","b","a"],"type":"UPDATE"}`,
	`{"data":[{"b":"1","a":"2","c":"3"}],"pkNames":["a","b","a"],"type":"DELETE"}`,
	`{"data":[{"\u0061":"1","a":"2"}],"\u0064ata":[{"a\n":"1"}],"mysqlType":{"a\n":"t","a\u000a":"\t"},"sqlType":{"a\n":"12"},"type":"INSERT"}`,
}

// FuzzRead holds the laws for any bytes.
func FuzzRead(f *testing.F) {
	for _, s := range readSeeds {
		f.Add([]byte(s))
	}
	for _, c := range jsonCases {
		f.Add([]byte(`{"type":"INSERT","data":[{"a":` + c.text + `}]}`))
	}
	l := newReadLaws(f)
	f.Fuzz(func(t *testing.T, b []byte) { l.check(t, b) })
}

// TestReadMutations holds the laws for messages of all shapes that have been
// damaged, cut, mixed.
func TestReadMutations(t *testing.T) {
	rnd := rand.New(rand.NewPCG(9, 10))
	l := newReadLaws(t)
	w := newWriter(t, fastjson.Options{})
	parts := []string{`"`, `{`, `}`, `[`, `]`, `,`, `:`, `null`, `true`, `0`, `-1`, `1.5`, `"a"`, `"a":"b"`, `\`, `\u00e9`, `\ud83d`, " ", "\n", "\x01", "é", "\xff", `"data":`, `"old":[{}]`, `"_tidb":{}`, `{"a":"1"},`, `"type":"INSERT"`, `"id"`, `"name":"x",`}
	n := 10_000
	if !giant() {
		n = 1000
	}
	for i := range n {
		var b []byte
		if i%2 == 0 {
			b = []byte(readSeeds[rnd.IntN(len(readSeeds))])
		} else {
			var err error
			if b, err = w.AppendEvent(nil, randomEvent(rnd), meta); err != nil {
				t.Fatal(err)
			}
		}
		for range rnd.IntN(4) {
			p := rnd.IntN(len(b) + 1)
			q := min(len(b), p+rnd.IntN(8))
			switch rnd.IntN(4) {
			case 0:
				b = append(b[:p:p], b[q:]...)
			case 1:
				b = append(b[:p:p], append([]byte(parts[rnd.IntN(len(parts))]), b[p:]...)...)
			case 2:
				b = append(b[:p:p], append([]byte(parts[rnd.IntN(len(parts))]), b[q:]...)...)
			case 3:
				from := rnd.IntN(len(b) + 1)
				to := min(len(b), from+rnd.IntN(40))
				b = append(b[:p:p], append(bytes.Clone(b[from:to]), b[p:]...)...)
			}
		}
		l.check(t, b)
	}
}
