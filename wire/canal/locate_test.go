package canal_test

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/wire"
	"github.com/cdcodec/cdcodec/wire/canal"
)

var errBad = errors.New("bad text")

// TestLocate finds each text of an Event in its Entry again. The text to be found
// is always "BAD".
func TestLocate(t *testing.T) {
	row := func(parts ...[]byte) []byte { return sub(12, parts...) }
	header := sub(1, str(8, "shop"), str(9, "orders"), str(13, "g"))
	entry := func(store ...[]byte) []byte { return join(header, num(2, 2), sub(3, store...)) }
	for _, c := range []struct {
		name   string
		in     []byte
		text   change.Text
		number wire.Number
		path   string
		table  string
	}{
		{"database", join(num(2, 2), sub(1, num(1, 1), str(8, "BAD"), str(9, "t"))), change.TextDatabase, 8, "header.schemaName", "BAD.t"},
		{"table", sub(1, str(8, "s"), str(9, "BAD")), change.TextTable, 9, "header.tableName", "s.BAD"},
		{"gtid", sub(1, str(8, "s"), str(9, "t"), str(13, "BAD")), change.TextGTID, 13, "header.gtid", "s.t"},
		{"database, the last of two", sub(1, str(8, "s"), str(9, "t"), str(8, "BAD")), change.TextDatabase, 8, "header.schemaName", "BAD.t"},
		{"database in the first part", join(sub(1, str(8, "BAD")), sub(1, str(9, "t")), sub(1)), change.TextDatabase, 8, "header.schemaName", "BAD.t"},
		{"database in the last part", join(sub(1, str(8, "s")), sub(1, str(9, "t"), str(8, "BAD"))), change.TextDatabase, 8, "header.schemaName", "BAD.t"},
		{"sql", entry(num(2, 7), str(11, "BAD")), change.TextSQL, 11, "storeValue.sql", "shop.orders"},
		{"sql, the last of two", entry(str(11, "one"), str(11, "BAD"), num(2, 7)), change.TextSQL, 11, "storeValue.sql", "shop.orders"},
		{"sql in the last storeValue", join(header, sub(3, str(11, "one")), sub(3, num(1, 1), str(11, "BAD"))), change.TextSQL, 11, "storeValue.sql", "shop.orders"},
		{"name", entry(row(sub(2, num(1, 1), str(3, "BAD")))), change.TextName, 3, "storeValue.rowDatas[0].afterColumns[0].name", "shop.orders"},
		{"value", entry(row(sub(2)), row(sub(1), sub(2), sub(2, str(3, "a"), str(8, "BAD")), sub(2)), row(sub(2))), change.TextValue, 8, "storeValue.rowDatas[1].afterColumns[1].value", "shop.orders"},
		{"value before", entry(row(sub(1), sub(2), sub(1, str(8, "BAD")))), change.TextValue, 8, "storeValue.rowDatas[0].beforeColumns[1].value", "shop.orders"},
		{"value, the last of two", entry(row(sub(2, str(8, "one"), str(8, "BAD"), str(7, "")))), change.TextValue, 8, "storeValue.rowDatas[0].afterColumns[0].value", "shop.orders"},
		{"mysqlType", entry(num(12, 1), row(), str(13, ""), row(num(2, 1), sub(3), sub(2, str(10, "BAD")))), change.TextMySQLType, 10, "storeValue.rowDatas[1].afterColumns[0].mysqlType", "shop.orders"},
	} {
		t.Run(c.name, func(t *testing.T) {
			check := func(in []byte, e *canal.Entry, shift int) {
				t.Helper()
				v := &change.ValueError{Text: c.text, Ref: refOfBad(t, e), Err: errBad}
				got := e.Locate(v)
				want := wire.ParseError{
					Offset: shift + bytes.Index(c.in, str(c.number, "BAD")), Path: c.path, Table: c.table, Number: c.number, Err: errBad,
				}
				if *got != want {
					t.Errorf("got %+v\nwant %+v", *got, want)
				}
				if !errors.Is(got, errBad) {
					t.Error("errors.Is does not find the cause")
				}
			}
			e, err := canal.ParseEntry(c.in)
			fatal(t, err)
			check(c.in, &e, 0)

			packet := join(num(3, 7), sub(5, num(1, 1), sub(2, goodEntry), sub(2, c.in)))
			m := messagesOf(t, packet)
			m.Next()
			m.Next()
			e, err = m.Entry()
			fatal(t, err)
			if e.Offset() != len(packet)-len(c.in) {
				t.Errorf("the Entry begins at %d, want %d", e.Offset(), len(packet)-len(c.in))
			}
			check(packet, &e, e.Offset())
		})
	}
}

// refOfBad returns the Ref of the column that says "BAD" somewhere, 0 if none
// does.
func refOfBad(t *testing.T, e *canal.Entry) uint32 {
	var d canal.Decoder
	var ev change.Event
	fatal(t, d.Decode(&ev, e))
	if ev.Rows == nil {
		return 0
	}
	for ev.Rows.Next() {
		for _, im := range []change.Image{change.Before, change.After} {
			ev.Rows.Select(im)
			for c := ev.Rows.Column(); c != nil; c = ev.Rows.Column() {
				if slices.Contains([]string{string(c.Name), string(c.Value), string(c.MySQLType)}, "BAD") {
					return c.Ref
				}
			}
		}
	}
	return 0
}

// messagesOf parses a Packet and the Messages in it.
func messagesOf(t *testing.T, packet []byte) canal.Messages {
	t.Helper()
	p, err := canal.ParsePacket(packet)
	fatal(t, err)
	m, err := p.Messages()
	fatal(t, err)
	return m
}
