package canal_test

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/internal/corpus"
	"github.com/cdcodec/cdcodec/internal/pb/canalpb"
	"github.com/cdcodec/cdcodec/wire"
	"github.com/cdcodec/cdcodec/wire/canal"
)

// pbImage is what an Event shows of generated columns; Refs are left out.
func pbImage(in []*canalpb.Column) (out []change.Column) {
	for _, c := range in {
		out = append(out, change.Column{
			Name: text(c.Name), Value: text(c.Value), MySQLType: text(c.MysqlType), SQLType: c.GetSqlType(),
			Key: c.GetIsKey(), Updated: c.GetUpdated(), Null: c.GetIsNull(),
		})
	}
	return out
}

// text is nil where the field is absent.
func text(s *string) []byte {
	if s == nil {
		return nil
	}
	return []byte(*s)
}

// imageOf walks one image of the current row, and asks for each column again by
// its Ref.
func imageOf(t *testing.T, rows change.Rows, im change.Image) (out []change.Column) {
	t.Helper()
	rows.Select(im)
	for c := rows.Column(); c != nil; c = rows.Column() {
		col := *c
		if again := rows.At(col.Ref); !reflect.DeepEqual(*again, col) || !reflect.DeepEqual(*c, col) {
			t.Errorf("At(%d) gives %+v, and Column has become %+v; it was %+v", col.Ref, again, c, col)
		}
		col.Ref = 0
		out = append(out, col)
	}
	if rows.Column() != nil {
		t.Error("a column after the last one")
	}
	return out
}

// TestDecoderRows has the rows of good Entries be those of Decode.
func TestDecoderRows(t *testing.T) {
	c, err := corpus.Make("stream", 60, 1)
	if err != nil {
		t.Fatal(err)
	}
	var decoding, rowing canal.Decoder
	var ev change.Event
	for _, b := range c.Entries {
		e, err := canal.ParseEntry(b)
		if err != nil || e.IsTransactionMark() || decoding.Decode(&ev, &e) != nil || ev.Rows == nil {
			continue
		}
		rows := rowing.Rows(&e)
		if got, want := change.CopyRows(rows), change.CopyRows(ev.Rows); !reflect.DeepEqual(got, want) {
			t.Fatalf("%+v, want %+v", got, want)
		}
		for _, image := range []change.Image{change.Before, change.After} {
			if got, least := rows.MaxNames(image), ev.Rows.MaxNames(image); got < least || got > len(b) {
				t.Errorf("MaxNames is %d, of an Entry of %d bytes; it was %d", got, len(b), least)
			}
		}
	}
}

// TestDecodeAgainstGenerated has one Decoder and one Event read random Entries
// in a row: whatever the last one left must not show.
func TestDecodeAgainstGenerated(t *testing.T) {
	rnd := rand.New(rand.NewPCG(4, 5))
	var d canal.Decoder
	var ev change.Event
	for range 3000 {
		var pb canalpb.Entry
		var c canalpb.RowChange
		randomMessage(rnd, pb.ProtoReflect())
		randomMessage(rnd, c.ProtoReflect())
		if rnd.IntN(2) == 0 {
			c.EventType = canalpb.EventType(1 + rnd.IntN(3)).Enum()
			c.IsDdl = nil
		}
		pb.StoreValue = scramble(rnd, bytesOf(&c), c.ProtoReflect().Descriptor())
		in := scramble(rnd, bytesOf(&pb), pb.ProtoReflect().Descriptor())
		c.Reset() // scramble has moved columns
		fatal(t, proto.Unmarshal(pb.StoreValue, &c))
		pb.Reset()
		fatal(t, proto.Unmarshal(in, &pb))

		before := bytes.Clone(in)
		e, err := canal.ParseEntry(in)
		fatal(t, err)
		fatal(t, d.Decode(&ev, &e))
		hasRows := !c.GetIsDdl() && c.GetEventType() <= canalpb.EventType_DELETE
		if ev.HasRows() != hasRows || (ev.Rows != nil) != hasRows {
			t.Fatalf("%x: has rows: %v, rows are there: %v, want %v", in, ev.HasRows(), ev.Rows != nil, hasRows)
		}
		got, h := ev, pb.GetHeader()
		got.Rows, got.Kind = nil, 0
		want := change.Event{
			Type: change.Type(c.GetEventType()), IsDDL: c.GetIsDdl(), SQL: text(c.Sql), ES: h.GetExecuteTime(),
		}
		if h != nil {
			want.Database, want.Table, want.GTID = text(h.SchemaName), text(h.TableName), text(h.Gtid)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%x\n got %+v\nwant %+v", in, got, want)
		}
		if hasRows {
			compareRows(t, ev.Rows, c.RowDatas)
		}
		if !bytes.Equal(in, before) {
			t.Fatalf("%x: the input was written to", before)
		}
		if t.Failed() {
			t.Fatalf("%x", in)
		}
	}
}

// compareRows walks rows several times, with the images in either order.
func compareRows(t *testing.T, rows change.Rows, want []*canalpb.RowData) {
	t.Helper()
	for walk := range 3 {
		if walk > 0 { // a Decoder leaves it rewound
			rows.Rewind()
		}
		for i, w := range want {
			if !rows.Next() {
				t.Fatalf("%d rows, want %d", i, len(want))
			}
			if rows.Column() != nil {
				t.Error("a column before any Select")
			}
			images := []change.Image{change.Before, change.After, change.Before}
			for _, im := range images[walk%2:] {
				columns := w.GetBeforeColumns()
				if im == change.After {
					columns = w.GetAfterColumns()
				}
				if got := imageOf(t, rows, im); !reflect.DeepEqual(got, pbImage(columns)) {
					t.Errorf("row %d image %d\n got %+v\nwant %+v", i, im, got, pbImage(columns))
				}
			}
		}
		for range 2 {
			if rows.Next() {
				t.Errorf("more than %d rows", len(want))
			}
		}
	}
	for _, im := range []change.Image{change.Before, change.After} {
		names, named := map[string]bool{}, 0
		for _, w := range want {
			columns := w.GetBeforeColumns()
			if im == change.After {
				columns = w.GetAfterColumns()
			}
			for _, c := range columns {
				names[c.GetName()] = true
				if c.GetName() != "" {
					named++
				}
			}
		}
		if n := rows.MaxNames(im); n < len(names) || n > named+1 {
			t.Errorf("MaxNames(%d) is %d, with %d names in %d columns that have one", im, n, len(names), named)
		}
	}
}

// TestMaxNamesCountsColumns gives one column its name over and over: it is one
// column with a name, and a table of names sized for more would not be bounded
// by the input.
func TestMaxNamesCountsColumns(t *testing.T) {
	e, err := canal.ParseEntry(sub(3, num(2, 1), sub(12, sub(2, bytes.Repeat(str(3, "a"), 1000)))))
	fatal(t, err)
	var d canal.Decoder
	var ev change.Event
	fatal(t, d.Decode(&ev, &e))
	if n := ev.Rows.MaxNames(change.After); n < 1 || n > 2 {
		t.Errorf("MaxNames is %d for one column", n)
	}
}

// TestRowsSelect moves the cursor with columns left: after Next and Rewind none is
// selected, after Select the first one comes again.
func TestRowsSelect(t *testing.T) {
	e, err := canal.ParseEntry(goodEntry)
	fatal(t, err)
	var d canal.Decoder
	var ev change.Event
	fatal(t, d.Decode(&ev, &e))
	for i, move := range []func(){func() { ev.Rows.Next() }, ev.Rows.Rewind} {
		ev.Rows.Rewind()
		ev.Rows.Next()
		ev.Rows.Select(change.After)
		first := *ev.Rows.Column()
		ev.Rows.Select(change.After)
		if c := ev.Rows.Column(); c == nil || c.Ref != first.Ref {
			t.Errorf("Select again gives %+v, want %+v", c, first)
		}
		move()
		if c := ev.Rows.Column(); c != nil {
			t.Errorf("move %d: a column without Select: %+v", i, c)
		}
	}
}

func TestKinds(t *testing.T) {
	for _, c := range []struct {
		name      string
		entryType int64
		store     []byte
		want      change.Kind
		rows      bool
	}{
		{"insert", 2, num(2, 1), change.KindRows, true},
		{"update", 2, num(2, 2), change.KindRows, true},
		{"delete", 2, num(2, 3), change.KindRows, true},
		{"nothing said", 2, nil, change.KindRows, true},
		{"create", 2, join(num(2, 4), num(10, 1)), change.KindDDL, false},
		{"an insert that is a DDL", 2, join(num(2, 1), num(10, 1)), change.KindDDL, false},
		{"create that is no DDL", 2, num(2, 4), change.KindQuery, false},
		{"query", 2, num(2, 7), change.KindQuery, false},
		{"mheartbeat", 2, num(2, 15), change.KindQuery, false},
		{"heartbeat", 4, nil, change.KindHeartbeat, true},
		{"heartbeat with a DDL", 4, join(num(2, 4), num(10, 1)), change.KindHeartbeat, false},
		{"gtidlog", 5, num(2, 12), change.KindGTIDLog, false},
		{"gtidlog with rows", 5, join(num(2, 1), sub(12)), change.KindGTIDLog, true},
	} {
		e, err := canal.ParseEntry(join(num(2, c.entryType), sub(3, c.store)))
		fatal(t, err)
		var d canal.Decoder
		var ev change.Event
		fatal(t, d.Decode(&ev, &e))
		if ev.Kind != c.want || (ev.Rows != nil) != c.rows {
			t.Errorf("%s: kind %v with rows: %v, want %v with rows: %v", c.name, ev.Kind, ev.Rows != nil, c.want, c.rows)
		}
	}
}

// TestReuse decodes a full Entry, then ones that say little, with one Decoder.
func TestReuse(t *testing.T) {
	full := join(
		sub(1, str(8, "shop"), str(9, "orders"), str(13, "gtid"), num(6, 5)), num(2, 5),
		sub(3, num(2, 1), str(11, "sql"), sub(12, sub(2, join(num(2, -5), str(3, "id"), num(4, 1), num(5, 1), num(6, 1), str(8, "v"), str(10, "t"))))))
	var d canal.Decoder
	var ev change.Event
	for _, little := range [][]byte{nil, sub(3, num(10, 1)), sub(3, sub(12, sub(2), sub(1)))} {
		for _, in := range [][]byte{full, little} {
			e, err := canal.ParseEntry(in)
			fatal(t, err)
			fatal(t, d.Decode(&ev, &e))
		}
		if ev.Database != nil || ev.Table != nil || ev.SQL != nil || ev.GTID != nil || ev.ES != 0 || ev.Type != change.Update {
			t.Errorf("%x: %+v", little, ev)
		}
		if ev.Rows == nil {
			continue
		}
		if n := ev.Rows.MaxNames(change.After); n != 1 {
			t.Errorf("%x: MaxNames %d", little, n)
		}
		for ev.Rows.Next() {
			for _, im := range []change.Image{change.Before, change.After} {
				for _, c := range imageOf(t, ev.Rows, im) {
					if !reflect.DeepEqual(c, change.Column{}) {
						t.Errorf("%x: %+v", little, c)
					}
				}
			}
		}
	}
}

// TestDecodeErrors breaks everything a Decoder has to look at, shown or not.
func TestDecodeErrors(t *testing.T) {
	row := func(parts ...[]byte) []byte { return sub(12, parts...) }
	for _, c := range []struct {
		name   string
		store  []byte
		number wire.Number // of the cut field
		path   string
	}{
		{"sql", join(num(2, 1), cut(11)), 11, "sql"},
		{"unknown field", cut(77), 77, ""},
		{"rowDatas", join(row(), num(12, 1), cut(12)), 12, "rowDatas[1]"},
		{"props", join(sub(13), sub(13, cut(2))), 2, "props[1].value"},
		{"column", join(row(sub(2)), row(sub(1), sub(2), cut(2))), 2, "rowDatas[1].afterColumns[1]"},
		{"name", row(sub(2), sub(1), sub(2, str(3, "a"), cut(3))), 3, "rowDatas[0].afterColumns[1].name"},
		{"value before", join(row(), row(), row(sub(2), sub(1), sub(1), sub(1, cut(8)))), 8, "rowDatas[2].beforeColumns[2].value"},
		{"unknown field of a column", row(sub(2, cut(11))), 11, "rowDatas[0].afterColumns[0]"},
		{"known number as bytes", row(sub(2, cut(2))), 2, "rowDatas[0].afterColumns[0]"},
		{"props of a column", row(sub(2, sub(7), num(7, 1), sub(7, str(1, "k"), cut(2)))), 2, "rowDatas[0].afterColumns[0].props[1].value"},
		{"props of a column before", row(sub(1, cut(7))), 7, "rowDatas[0].beforeColumns[0].props[0]"},
		{"props of a row", row(sub(3), sub(3, cut(1))), 1, "rowDatas[0].props[1].key"},
		{"unknown field of a row", join(row(), row(cut(4))), 4, "rowDatas[1]"},
		{"before image of an INSERT", join(num(2, 1), row(sub(1, cut(10)))), 10, "rowDatas[0].beforeColumns[0].mysqlType"},
		{"rows of a DDL", join(num(2, 4), num(10, 1), row(sub(2, cut(8)))), 8, "rowDatas[0].afterColumns[0].value"},
		{"rows of a QUERY", join(num(2, 7), row(sub(2, cut(8)))), 8, "rowDatas[0].afterColumns[0].value"},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := join(sub(1, str(9, "orders")), sub(1, str(8, "shop")), sub(3, c.store), num(2, 2))
			e, err := canal.ParseEntry(in)
			fatal(t, err)
			var d canal.Decoder
			var ev change.Event
			good, err := canal.ParseEntry(goodEntry)
			fatal(t, err)
			fatal(t, d.Decode(&ev, &good))

			path := "storeValue"
			if c.path != "" {
				path += "." + c.path
			}
			err = d.Decode(&ev, &e)
			wantParseError(t, err, wire.ErrTruncated, place(t, in, c.number), path)
			if p, ok := err.(*wire.ParseError); !ok || p.Table != "shop.orders" || p.Number != c.number {
				t.Errorf("table %q, number %d", p.Table, p.Number)
			}
			if !reflect.DeepEqual(ev, change.Event{}) {
				t.Errorf("with an error the Event is %+v", ev)
			}
			fatal(t, d.Decode(&ev, &good))
			if n := len(change.CopyRows(ev.Rows)); n != 2 {
				t.Errorf("%d rows after an error", n)
			}
		})
	}
}

// TestTableNotKnown has an error of an Entry without a header name no table.
func TestTableNotKnown(t *testing.T) {
	e, err := canal.ParseEntry(sub(3, cut(11)))
	fatal(t, err)
	var d canal.Decoder
	var ev change.Event
	if p, ok := d.Decode(&ev, &e).(*wire.ParseError); !ok || p.Table != "" {
		t.Errorf("%v of table %q, want none", p, p.Table)
	}
}
