package fastjson_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/internal/corpus/golden"
)

// The law of the Reader: of the Event that it makes of a message that a Writer of
// dialect canal wrote, the same Writer writes that message again.

// lawOptions are the options under which messages differ.
var lawOptions = []fastjson.Options{
	{}, {OmitGTID: true}, {OldPerRow: true}, {OmitGTID: true, OldPerRow: true},
}

// holdLaw writes ev, reads the message, and writes what was read. It returns the
// message.
func holdLaw(t testing.TB, r *fastjson.Reader, o fastjson.Options, ev *change.Event, m fastjson.Meta) []byte {
	t.Helper()
	w := newWriter(t, o)
	msg, err := w.AppendEvent(nil, ev, m)
	if err != nil {
		t.Fatal(err)
	}
	holdLawOf(t, r, w, msg)
	return msg
}

// holdLawOf reads msg and writes what was read with w.
func holdLawOf(t testing.TB, r *fastjson.Reader, w *fastjson.Writer, msg []byte) {
	t.Helper()
	var got change.Event
	var m fastjson.Meta
	if err := r.Read(&got, &m, msg); err != nil {
		t.Fatalf("%s\n%v", msg, err)
	}
	again, err := w.AppendEvent(nil, &got, m)
	if err != nil || !bytes.Equal(again, msg) {
		t.Fatalf("%v\n  wrote %s\n   read %s\n  again %s", err, msg, describe(&got), again)
	}
	if again, err = w.AppendEvent(nil, got.Clone(), m); err != nil || !bytes.Equal(again, msg) {
		t.Fatalf("%v\n  wrote %s\nof a copy %s", err, msg, again)
	}
}

// describe prints an Event for people.
func describe(ev *change.Event) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v %v ddl=%v %s.%s es=%d gtid=%q sql=%q commit=%d partial=%v", ev.Kind, ev.Type, ev.IsDDL, ev.Database, ev.Table, ev.ES, ev.GTID, ev.SQL, ev.CommitTS, ev.Partial)
	if ev.Rows == nil {
		return b.String()
	}
	for ev.Rows.Rewind(); ev.Rows.Next(); {
		b.WriteString("\n ")
		for _, im := range []change.Image{change.Before, change.After} {
			b.WriteString([]string{" before", " after"}[im])
			ev.Rows.Select(im)
			for c := ev.Rows.Column(); c != nil; c = ev.Rows.Column() {
				b.WriteByte(' ')
				b.WriteString(describeColumn(c))
			}
		}
	}
	return b.String()
}

// describeColumn prints a column as name=value:mysqlType/sqlType and its flags.
func describeColumn(c *change.Column) string {
	s := string(c.Name) + "=" + string(c.Value)
	if c.Null {
		s = string(c.Name) + "=NULL"
	}
	if len(c.MySQLType) > 0 || c.SQLType != 0 {
		s += fmt.Sprintf(":%s/%d", c.MySQLType, c.SQLType)
	}
	if c.Key {
		s += "!"
	}
	if c.Updated {
		s += "*"
	}
	return s
}

// randomEvent makes an Event that is odd in many ways.
func randomEvent(rnd *rand.Rand) *change.Event {
	texts := []string{"", "a", "b", "c", "id", "name", "\"", "\\", "\n", "\xff", "ü", "😀", "\x00", `\u0041`, "long " + strings.Repeat("x", 30)}
	text := func() []byte { return []byte(texts[rnd.IntN(len(texts))]) }
	names := texts[:1+rnd.IntN(len(texts))]
	if rnd.IntN(30) == 0 {
		names = nil
		for i := range 500 {
			names = append(names, fmt.Sprint("column_", i))
		}
	}
	even := rnd.IntN(2) == 0
	image := func() (cols columns) {
		n := rnd.IntN(2 * len(names))
		if even {
			n = len(names)
		}
		for i := range n {
			name := names[rnd.IntN(len(names))]
			if even && rnd.IntN(40) > 0 {
				name = names[i]
			}
			c := col(name, string(text()), typed(int32(rnd.IntN(5)-2), string(text())))
			c.Null, c.Key, c.Updated = rnd.IntN(4) == 0, rnd.IntN(3) == 0, rnd.IntN(3) == 0
			cols = append(cols, c)
		}
		return cols
	}
	var rows []change.Row
	for range rnd.IntN(6) {
		var row change.Row
		if rnd.IntN(4) > 0 {
			row.Before = image()
		}
		if rnd.IntN(4) > 0 {
			row.After = image()
		}
		rows = append(rows, row)
	}
	ev := rowsOf(change.Type(1+rnd.IntN(3)), rows...)
	switch rnd.IntN(20) {
	case 0:
		ev.IsDDL = true
	case 1:
		ev.Type = change.Type(1 + rnd.IntN(15))
	case 2:
		ev.Rows = nil
	}
	ev.Database, ev.Table, ev.SQL, ev.GTID = text(), text(), text(), text()
	ev.ES = int64(rnd.Uint64()) >> rnd.IntN(64)
	return ev
}

// TestReaderLaw holds the law for random Events.
func TestReaderLaw(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	var r fastjson.Reader
	n := 10_000
	if !giant() {
		n = 1000
	}
	for i := range n {
		ev := randomEvent(rnd)
		m := fastjson.Meta{ID: int64(rnd.Uint64()) >> rnd.IntN(64), TS: int64(rnd.Uint64()) >> rnd.IntN(64)}
		holdLaw(t, &r, lawOptions[i%len(lawOptions)], ev, m)
	}
}

// TestReaderLawGolden holds it for all messages that Canal itself wrote.
func TestReaderLawGolden(t *testing.T) {
	var r fastjson.Reader
	w := newWriter(t, fastjson.Options{})
	n := 0
	for _, cases := range [][]golden.Case{golden.Entries(), golden.Packets(), golden.Messages(), golden.Random()} {
		for _, c := range cases {
			if c.IsError() {
				continue
			}
			for rest := c.Want[1:]; len(rest) > 0 && rest[0] != ']'; {
				// The answer is an array of messages.
				rest = bytes.TrimPrefix(rest, []byte(","))
				var ev change.Event
				behind, err := r.Next(&ev, nil, rest)
				if err != nil {
					t.Fatalf("%s: %v", c.Name, err)
				}
				holdLawOf(t, &r, w, rest[:len(rest)-len(behind)])
				rest = behind
				n++
			}
		}
	}
	if n < 1000 {
		t.Errorf("%d messages", n)
	}
}
