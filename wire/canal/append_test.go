package canal_test

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/internal/corpus"
	"github.com/cdcodec/cdcodec/wire/canal"
)

// listOf returns Rows in memory.
func listOf(rows ...change.Row) change.Rows { return change.NewList(rows...) }

// TestAppendEntryBytes has the Entries of small Events, worked out by hand.
func TestAppendEntryBytes(t *testing.T) {
	const (
		anonymous = "\x0a\x0c" + "\x08\x01" + "\x30\x00" + "\x38\x02" + "\x42\x00" + "\x4a\x00" // a header up to eventType, that is 5801 to 580f
		rowData   = "\x10\x02"
	)
	column := func(c change.Column) *change.Event {
		return &change.Event{Type: change.Insert, Rows: listOf(change.Row{After: []change.Column{c}})}
	}
	for _, c := range []struct {
		name string
		ev   *change.Event
		want string
	}{
		{"header in Canal's order", &change.Event{
			Kind: change.KindQuery, Type: change.Query, Database: []byte("db"), Table: []byte("tbl"), GTID: []byte("g:1"), ES: 300,
		}, "\x0a\x17" + "\x08\x01" + "\x30\xac\x02" + "\x38\x02" + "\x42\x02db" + "\x4a\x03tbl" + "\x58\x07" + "\x6a\x03g:1" +
			rowData + "\x1a\x04" + "\x10\x07" + "\x50\x00"},
		{"negative executeTime", &change.Event{Kind: change.KindQuery, Type: change.Query, ES: -1},
			"\x0a\x15" + "\x08\x01" + "\x30\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01" + "\x38\x02" + "\x42\x00" + "\x4a\x00" + "\x58\x07" +
				rowData + "\x1a\x04" + "\x10\x07" + "\x50\x00"},
		{"ddl", &change.Event{Kind: change.KindDDL, Type: change.Create, IsDDL: true, Database: []byte("db"), SQL: []byte("create")},
			"\x0a\x0e" + "\x08\x01" + "\x30\x00" + "\x38\x02" + "\x42\x02db" + "\x4a\x00" + "\x58\x04" +
				rowData + "\x1a\x10" + "\x10\x04" + "\x50\x01" + "\x5a\x06create" + "\x72\x02db"},
		{"ddl without a database", &change.Event{Kind: change.KindDDL, Type: change.Create, IsDDL: true, SQL: []byte("x")},
			anonymous + "\x58\x04" + rowData + "\x1a\x07" + "\x10\x04" + "\x50\x01" + "\x5a\x01x"},
		{"query has no ddlSchemaName", &change.Event{Kind: change.KindQuery, Type: change.Truncate, Database: []byte("d"), SQL: []byte("x")},
			"\x0a\x0d" + "\x08\x01" + "\x30\x00" + "\x38\x02" + "\x42\x01d" + "\x4a\x00" + "\x58\x08" +
				rowData + "\x1a\x07" + "\x10\x08" + "\x50\x00" + "\x5a\x01x"},
		{"heartbeat", &change.Event{Kind: change.KindHeartbeat, Type: change.MHeartbeat},
			anonymous + "\x58\x0f" + "\x10\x04" + "\x1a\x04" + "\x10\x0f" + "\x50\x00"},
		{"gtidlog", &change.Event{Kind: change.KindGTIDLog, Type: change.GTID},
			anonymous + "\x58\x0c" + "\x10\x05" + "\x1a\x04" + "\x10\x0c" + "\x50\x00"},
		{"rows without Rows", &change.Event{Type: change.Delete},
			anonymous + "\x58\x03" + rowData + "\x1a\x04" + "\x10\x03" + "\x50\x00"},
		{"row without columns", &change.Event{Type: change.Update, Rows: listOf(change.Row{}, change.Row{})},
			anonymous + "\x58\x02" + rowData + "\x1a\x08" + "\x10\x02" + "\x50\x00" + "\x62\x00" + "\x62\x00"},
		{"rows of a DDL do not count", &change.Event{Kind: change.KindDDL, Type: change.Insert, IsDDL: true, Rows: listOf(change.Row{})},
			anonymous + "\x58\x01" + rowData + "\x1a\x04" + "\x10\x01" + "\x50\x01"},
		{"rows of a query do not count", &change.Event{Kind: change.KindQuery, Type: change.Alter, Rows: listOf(change.Row{})},
			anonymous + "\x58\x05" + rowData + "\x1a\x04" + "\x10\x05" + "\x50\x00"},
		{"bigint", column(change.Column{Name: []byte("id"), SQLType: -5, Key: true, Updated: true, Value: []byte("7"), MySQLType: []byte("bigint")}),
			anonymous + "\x58\x01" + rowData + "\x1a\x2a" + "\x10\x01" + "\x50\x00" + "\x62\x24" + "\x12\x22" +
				"\x08\x00" + "\x10\xfb\xff\xff\xff\xff\xff\xff\xff\xff\x01" + "\x1a\x02id" + "\x20\x01\x28\x01\x30\x00" + "\x42\x017" + "\x52\x06bigint"},
		{"null has no value", column(change.Column{Name: []byte("n"), SQLType: 12, Null: true, Value: []byte("left over")}),
			anonymous + "\x58\x01" + rowData + "\x1a\x17" + "\x10\x01" + "\x50\x00" + "\x62\x11" + "\x12\x0f" +
				"\x08\x00" + "\x10\x0c" + "\x1a\x01n" + "\x20\x00\x28\x00\x30\x01" + "\x52\x00"},
		{"empty value, type of two bytes", column(change.Column{SQLType: 2004}),
			anonymous + "\x58\x01" + rowData + "\x1a\x19" + "\x10\x01" + "\x50\x00" + "\x62\x13" + "\x12\x11" +
				"\x08\x00" + "\x10\xd4\x0f" + "\x1a\x00" + "\x20\x00\x28\x00\x30\x00" + "\x42\x00" + "\x52\x00"},
		{"both images, each numbered from 0", &change.Event{Type: change.Update, Rows: listOf(change.Row{
			Before: []change.Column{{Null: true}}, After: []change.Column{{Null: true}, {Null: true}},
		})},
			anonymous + "\x58\x02" + rowData + "\x1a\x36" + "\x10\x02" + "\x50\x00" + "\x62\x30" +
				"\x0a\x0e" + "\x08\x00" + "\x10\x00" + "\x1a\x00" + "\x20\x00\x28\x00\x30\x01" + "\x52\x00" +
				"\x12\x0e" + "\x08\x00" + "\x10\x00" + "\x1a\x00" + "\x20\x00\x28\x00\x30\x01" + "\x52\x00" +
				"\x12\x0e" + "\x08\x01" + "\x10\x00" + "\x1a\x00" + "\x20\x00\x28\x00\x30\x01" + "\x52\x00"},
	} {
		got, err := canal.AppendEntry(nil, c.ev, 0)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %v\n got %x\nwant %x", c.name, err, got, c.want)
		}
	}
}

// TestAppendEntryBoundaries has lengths, indexes and numbers on both sides of
// where they take a byte more.
func TestAppendEntryBoundaries(t *testing.T) {
	sizes := []int{0, 1, 100, 110, 126, 127, 128, 129, 16_200, 16_383, 16_384}
	for size := range 140 {
		sizes = append(sizes, size) // so that columns, rows and stores pass 127
	}
	for _, size := range sizes {
		s := []byte(strings.Repeat("s", size))
		for _, c := range []change.Column{
			{Name: s}, {Value: s}, {MySQLType: s}, {Value: s, Null: true}, {Name: s, Value: s, MySQLType: s, SQLType: -5},
		} {
			entryLaws(t, &change.Event{Type: change.Insert, Rows: listOf(change.Row{After: []change.Column{c}})})
			entryLaws(t, &change.Event{Type: change.Update, Rows: listOf(
				change.Row{}, change.Row{Before: []change.Column{c}, After: []change.Column{c}}, change.Row{}, change.Row{After: []change.Column{c}},
			)})
		}
		for _, ev := range []change.Event{{Database: s}, {Table: s}, {GTID: s}, {SQL: s}, {Database: s, Table: s, GTID: s, SQL: s}} {
			ev.Kind, ev.Type, ev.IsDDL = change.KindDDL, change.Create, true
			entryLaws(t, &ev)
		}
	}
	for shift := range 32 {
		for _, v := range []int32{1 << shift, 1<<shift - 1, -1 << shift, -1<<shift - 1} {
			entryLaws(t, &change.Event{Type: change.Delete, ES: int64(v) << 31, Rows: listOf(change.Row{Before: []change.Column{{SQLType: v}}})})
		}
	}
	for _, es := range []int64{math.MinInt64, math.MaxInt64, 1_700_000_000_000} {
		entryLaws(t, &change.Event{Type: change.Delete, ES: es})
	}
	for _, columns := range []int{127, 128, 129, 16_384, 16_385} { // the last index takes a byte more
		entryLaws(t, &change.Event{Type: change.Insert, Rows: listOf(change.Row{After: make([]change.Column, columns)})})
	}
	// A storeValue, and an Entry, of 2 MiB, of one row and of many.
	mega := []byte(strings.Repeat("m", 1<<20-40))
	entryLaws(t, &change.Event{Type: change.Insert, Rows: listOf(change.Row{After: []change.Column{{Value: mega}, {Value: mega}}})})
	many := make([]change.Row, 100_000)
	for i := range many {
		many[i].After = []change.Column{{Name: []byte("n")}}
	}
	entryLaws(t, &change.Event{Type: change.Insert, Rows: listOf(many...)})
}

// TestAppendEntryKeepsText: what is not UTF-8 is written as it is, and proto2 reads
// it as it is (in entryLaws).
func TestAppendEntryKeepsText(t *testing.T) {
	bad := []byte("a\xff\xed\xa0\x80\xc0\x80")
	for _, ev := range []*change.Event{
		{Kind: change.KindDDL, Type: change.Alter, IsDDL: true, Database: bad, Table: bad, GTID: bad, SQL: bad},
		{Type: change.Insert, Rows: listOf(change.Row{After: []change.Column{{Name: bad, Value: bad, MySQLType: bad}}})},
	} {
		if got := entryLaws(t, ev); !bytes.Contains(got, bad) {
			t.Errorf("%x has no %x", got, bad)
		}
	}
}

// TestNoEntry has Events that no Entry can hold.
func TestNoEntry(t *testing.T) {
	for _, ev := range []*change.Event{
		{},
		{Type: 16},
		{Type: 255},
		{Kind: change.KindDDL, IsDDL: true},
		{Kind: change.KindWatermark, CommitTS: 1},
		{Kind: change.KindWatermark, Type: change.Insert},
		{Kind: change.KindWatermark + 1, Type: change.Insert},
	} {
		for name, write := range map[string]func([]byte, *change.Event, int) ([]byte, error){"entry": canal.AppendEntry, "packet": canal.AppendPacketEvent} {
			dst := append(make([]byte, 0, 100), "as it was"...)
			out, err := write(dst, ev, 0)
			if err != canal.ErrNoEntry || string(out) != "as it was" || &out[0] != &dst[0] || cap(out) != cap(dst) {
				t.Errorf("%s of %+v: %q, %v", name, ev, out, err)
			}
		}
	}
}

// TestAppendEntryDoesNotAllocate decodes and writes Entries of all corpora with one
// Decoder, one Event and one buffer.
func TestAppendEntryDoesNotAllocate(t *testing.T) {
	for _, name := range corpus.Names() {
		c, err := corpus.Make(name, 12, 1)
		fatal(t, err)
		var d canal.Decoder
		var ev change.Event
		var dst []byte
		round := func() {
			dst = canal.BeginPacket(dst[:0], 1<<40)
			for _, record := range c.Entries {
				e, err := canal.ParseEntry(record)
				if err != nil || e.IsTransactionMark() {
					continue
				}
				if d.Decode(&ev, &e) != nil {
					t.Fatal("bad Entry")
				}
				if dst, err = canal.AppendPacketEvent(dst, &ev, 0); err != nil {
					t.Fatal(err)
				}
			}
			if dst, err = canal.EndPacket(dst, 0); err != nil {
				t.Fatal(err)
			}
		}
		round()
		round() // gaps that are moved may need a little more
		if n := testing.AllocsPerRun(10, round); n != 0 || len(dst) < 1000 {
			t.Errorf("%s: %v allocations, %d bytes", name, n, len(dst))
		}
	}
}
