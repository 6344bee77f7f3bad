package canal_test

import (
	"strings"
	"testing"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/wire"
	"github.com/cdcodec/cdcodec/wire/canal"
)

// An element of a test: two columns of the one image, one of the other, props.
var (
	goodColumn = join(str(3, "id"), sub(7, str(1, "k")), str(8, "1"))
	goodRow    = join(sub(2, goodColumn), sub(1, goodColumn), sub(3, str(1, "p")), sub(2, goodColumn))
	goodChange = join(sub(12, goodRow), sub(13, str(1, "a")), sub(12, goodRow), sub(13, str(2, "b")))
	goodEntry  = join(sub(1, str(8, "shop"), sub(12, str(1, "x"))), num(2, 2), sub(3, goodChange))
)

// TestIteratorErrors breaks an element in the middle. Iterators give what is
// before it, then end, and stay ended; the path begins at the view that was
// asked, the offset counts from what was parsed.
func TestIteratorErrors(t *testing.T) {
	afters := func(b []byte) (int, error) {
		n, it := 0, canal.ParseRowData(b).Columns(change.After)
		for it.Next() {
			n++
		}
		if it.Next() {
			t.Error("goes on after the end")
		}
		return n, it.Err()
	}
	pairs := func(it canal.Pairs) (int, error) {
		n := 0
		for it.Next() {
			n++
		}
		if it.Next() {
			t.Error("goes on after the end")
		}
		return n, it.Err()
	}
	for _, c := range []struct {
		name   string
		in     []byte
		number wire.Number // of the cut field
		read   func([]byte) (int, error)
		good   int
		path   string
	}{
		{"column cut", join(sub(2), sub(1), cut(2)), 2, afters, 1, "afterColumns[1]"},
		{"name cut", join(sub(2), sub(1), sub(2, num(1, 1), cut(3)), sub(2)), 3, afters, 1, "afterColumns[1].name"},
		{"value cut", join(sub(2), sub(2), sub(2, cut(8))), 8, afters, 2, "afterColumns[2].value"},
		{"unknown field of a column", join(sub(2), sub(2, cut(11))), 11, afters, 1, "afterColumns[1]"},
		{"props of a column, not looked into", join(sub(2, sub(7, cut(1))), cut(3)), 3, afters, 1, "props[0]"},
		{"other image, not looked into", join(sub(1, cut(8)), sub(2), cut(9)), 9, afters, 1, ""},
		{"before columns", join(sub(2, cut(8)), sub(1), sub(1, cut(10))), 10, func(b []byte) (int, error) {
			n, it := 0, canal.ParseRowData(b).Columns(change.Before)
			for it.Next() {
				n++
			}
			return n, it.Err()
		}, 1, "beforeColumns[1].mysqlType"},
		{"props of a row", join(sub(2), sub(3), sub(3, str(1, "k"), cut(2))), 2, func(b []byte) (int, error) {
			return pairs(canal.ParseRowData(b).Props())
		}, 1, "props[1].value"},
		{"props of a column", join(sub(7), sub(7), sub(7, cut(1))), 1, func(b []byte) (int, error) {
			c, err := canal.ParseColumn(b)
			fatal(t, err)
			return pairs(c.Props())
		}, 2, "props[2].key"},
		{"props of a RowChange", join(sub(13), sub(13, cut(3))), 3, func(b []byte) (int, error) {
			c, err := canal.ParseRowChange(b)
			fatal(t, err)
			return pairs(c.Props())
		}, 1, "props[1]"},
		{"props of a TransactionBegin", join(sub(3), sub(3, cut(2))), 2, func(b []byte) (int, error) {
			v, err := canal.ParseTransactionBegin(b)
			fatal(t, err)
			return pairs(v.Props())
		}, 1, "props[1].value"},
		{"props of a TransactionEnd", join(sub(3), sub(3, cut(1))), 1, func(b []byte) (int, error) {
			v, err := canal.ParseTransactionEnd(b)
			fatal(t, err)
			return pairs(v.Props())
		}, 1, "props[1].key"},
		{"column in an Entry", join(sub(1), sub(3, sub(12), sub(12, sub(2), sub(2, cut(8))))), 8, func(b []byte) (n int, err error) {
			e, err := canal.ParseEntry(b)
			fatal(t, err)
			c, err := e.RowChange()
			fatal(t, err)
			rows := c.Rows()
			for rows.Next() {
				cols := rows.RowData().Columns(change.After)
				for cols.Next() {
					n++
				}
				err = cols.Err()
			}
			if rows.Err() != nil {
				t.Error("a row that is bad inside is the list's error:", rows.Err())
			}
			return n, err
		}, 1, "afterColumns[1].value"},
	} {
		t.Run(c.name, func(t *testing.T) {
			n, err := c.read(c.in)
			wantParseError(t, err, wire.ErrTruncated, place(t, c.in, c.number), c.path)
			if n != c.good {
				t.Errorf("%d good elements, want %d", n, c.good)
			}
		})
	}
}

// TestParseErrors breaks what each Parse function reads itself.
func TestParseErrors(t *testing.T) {
	for _, c := range []struct {
		name  string
		parse func([]byte) error
		cut   wire.Number
		path  string
	}{
		{"RowChange", func(b []byte) error { _, err := canal.ParseRowChange(b); return err }, 14, "ddlSchemaName"},
		{"Column", func(b []byte) error { _, err := canal.ParseColumn(b); return err }, 10, "mysqlType"},
		{"Pair", func(b []byte) error { _, err := canal.ParsePair(b); return err }, 2, "value"},
		{"TransactionBegin", func(b []byte) error { _, err := canal.ParseTransactionBegin(b); return err }, 2, "transactionId"},
		{"TransactionEnd", func(b []byte) error { _, err := canal.ParseTransactionEnd(b); return err }, 3, "props[0]"},
		{"Packet", func(b []byte) error { _, err := canal.ParsePacket(b); return err }, 5, "body"},
		{"Messages", func(b []byte) error { _, err := canal.ParseMessages(b); return err }, 2, "messages[0]"},
		{"Ack", func(b []byte) error { _, err := canal.ParseAck(b); return err }, 2, "error_message"},
		{"unknown", func(b []byte) error { _, err := canal.ParseAck(b); return err }, 3, ""},
	} {
		if err := c.parse(nil); err != nil {
			t.Errorf("%s of no bytes: %v", c.name, err)
		}
		wantParseError(t, c.parse(join(num(50, 1), cut(c.cut))), wire.ErrTruncated, 3, c.path)
		if err := c.parse([]byte("\x0b")); err == nil || !strings.Contains(err.Error(), "at byte 0: input ends") {
			t.Errorf("%s of a group that is not ended: %v", c.name, err)
		}
	}
}

// TestDepth nests a group in a column of an Entry as deep as it may be: the
// levels of storeValue count from 0 again, and a RowChange has two of its own.
func TestDepth(t *testing.T) {
	group := func(n int) []byte { return []byte(strings.Repeat("\x9b\x06", n) + strings.Repeat("\x9c\x06", n)) } // number 99
	for _, c := range []struct {
		levels int
		ok     bool
	}{{0, true}, {98, true}, {99, false}, {200, false}} {
		in := join(sub(3, sub(12, sub(2, group(c.levels)))))
		e, err := canal.ParseEntry(in)
		fatal(t, err)
		var d canal.Decoder
		var ev change.Event
		err = d.Decode(&ev, &e)
		if (err == nil) != c.ok {
			t.Errorf("%d groups in a column: %v", c.levels, err)
		}
		if err != nil {
			first := len(in) - 4*c.levels
			wantParseError(t, err, wire.ErrDepth, first+2*98, "storeValue.rowDatas[0].afterColumns[0]")
		}
	}
	if _, err := canal.ParseEntry(sub(1, group(99))); err != nil {
		t.Error(err)
	}
	if _, err := canal.ParseEntry(sub(1, group(100))); err == nil {
		t.Error("101 levels in a header pass")
	}
}

// TestNoAllocations walks all there is of a good Entry.
func TestNoAllocations(t *testing.T) {
	packet := join(num(3, 7), sub(5, sub(2, goodEntry), sub(2, goodEntry)))
	var d canal.Decoder
	var ev change.Event
	pairs := func(it canal.Pairs) (n int) {
		for it.Next() {
			n += len(it.Pair().Key)
		}
		return n
	}
	columns := 0
	for _, c := range []struct {
		name string
		run  func()
	}{
		{"views", func() {
			columns = 0
			e, _ := canal.ParseEntry(goodEntry)
			c, _ := e.RowChange()
			pairs(e.Header.Props())
			pairs(c.Props())
			for rows := c.Rows(); rows.Next(); {
				row := rows.RowData()
				pairs(row.Props())
				for _, im := range []change.Image{change.Before, change.After} {
					for cols := row.Columns(im); cols.Next(); {
						col := cols.Column()
						columns += pairs(col.Props())
					}
				}
			}
		}},
		{"packet", func() {
			p, _ := canal.ParsePacket(packet)
			m, _ := p.Messages()
			for m.Next() {
				e, _ := m.Entry()
				columns += len(e.Header.SchemaName)
			}
		}},
		{"decoder", func() {
			e, _ := canal.ParseEntry(goodEntry)
			if err := d.Decode(&ev, &e); err != nil {
				t.Fatal(err)
			}
			for ev.Rows.Rewind(); ev.Rows.Next(); {
				for _, im := range []change.Image{change.Before, change.After} {
					ev.Rows.Select(im)
					for c := ev.Rows.Column(); c != nil; c = ev.Rows.Column() {
						columns += len(ev.Rows.At(c.Ref).Name)
					}
				}
			}
		}},
		{"transaction", func() {
			b, _ := canal.ParseTransactionBegin(sub1)
			pairs(b.Props())
			e, _ := canal.ParseTransactionEnd(sub1)
			pairs(e.Props())
		}},
	} {
		if n := testing.AllocsPerRun(100, c.run); n != 0 {
			t.Errorf("%s: %v allocations", c.name, n)
		}
		if c.name == "views" && columns != 6 {
			t.Errorf("%d columns were walked, want 6", columns)
		}
	}
}

var sub1 = join(num(1, 5), sub(3, str(1, "k"), str(2, "v")))
