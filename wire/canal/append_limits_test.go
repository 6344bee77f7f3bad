package canal

import (
	"bytes"
	"strings"
	"testing"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/wire"
)

// TestEntryTooLarge lowers the limit of 2 GiB to each length that an Entry passes.
func TestEntryTooLarge(t *testing.T) {
	text := func(n int) []byte { return []byte(strings.Repeat("t", n)) }
	column := change.Column{Name: text(3), Value: text(5), MySQLType: text(7), SQLType: -5}
	for name, ev := range map[string]*change.Event{
		"ddl":          {Kind: change.KindDDL, Type: change.Create, IsDDL: true, Database: text(20), Table: text(9), SQL: text(50), GTID: text(30)},
		"no text":      {Type: change.Insert},
		"database":     {Type: change.Insert, Database: text(60)},
		"small row":    {Type: change.Insert, Rows: change.NewList(change.Row{After: []change.Column{{Null: true}}})},
		"small rows":   {Type: change.Insert, Rows: change.NewList(change.Row{}, change.Row{After: []change.Column{{}}}, change.Row{})},
		"both images":  {Type: change.Update, Rows: change.NewList(change.Row{Before: []change.Column{column}, After: []change.Column{column, column}})},
		"rows shrink":  {Type: change.Insert, Rows: change.NewList(change.Row{After: []change.Column{{Value: text(17_000)}}}, change.Row{After: []change.Column{column}})},
		"big null":     {Type: change.Insert, Rows: change.NewList(change.Row{After: []change.Column{{Value: text(9000), Null: true}}})},
		"value of 300": {Type: change.Delete, Rows: change.NewList(change.Row{Before: []change.Column{{Value: text(300)}}})},
	} {
		whole, err := AppendEntry(nil, ev, 0)
		if err != nil {
			t.Fatal(err)
		}
		limits := []int{0, 1, len(whole) - 3, len(whole) - 2, len(whole) - 1, len(whole), len(whole) + 1, len(whole) + 2}
		for limit := range min(len(whole), 600) {
			limits = append(limits, limit)
		}
		for _, limit := range limits {
			dst := append(make([]byte, 0, 16), "before"...)
			out, err := appendEntry(dst, ev, limit)
			switch {
			case limit < len(whole):
				if err != ErrTooLarge || string(out) != "before" || &out[0] != &dst[0] {
					t.Errorf("%s of %d bytes, limit %d: %v, %d bytes", name, len(whole), limit, err, len(out))
				}
			case err != nil || !bytes.Equal(out[len("before"):], whole):
				t.Errorf("%s of %d bytes, limit %d: %v", name, len(whole), limit, err)
			}
		}
	}
}

// counted counts the columns that a writer asks for.
type counted struct {
	change.Rows
	n int
}

func (c *counted) Column() *change.Column {
	c.n++
	return c.Rows.Column()
}

// TestEntryTooLargeStops: what does not fit is not written first, in one row or
// in many, so that memory stays bounded.
func TestEntryTooLargeStops(t *testing.T) {
	value := change.Column{Value: make([]byte, 84)} // of 101 bytes as a field of its row
	row := change.Row{}
	var rows []change.Row
	for range 1000 {
		row.After = append(row.After, value)
		rows = append(rows, change.Row{After: []change.Column{value}})
	}
	for name, list := range map[string]*change.List{"one row": change.NewList(row), "rows": change.NewList(rows...)} {
		c := counted{Rows: list}
		_, err := appendEntry(nil, &change.Event{Type: change.Insert, Rows: &c}, 1010)
		if err != ErrTooLarge || c.n < 10 || c.n > 33 { // a row of one takes three calls
			t.Errorf("%s: %v after %d columns", name, err, c.n)
		}
	}
}

// TestPacketTooLarge does the same with a Packet.
func TestPacketTooLarge(t *testing.T) {
	for _, size := range []int{0, 50, 123, 124, 125, 126, 127, 128, 300, 17_000} {
		dst := AppendPacketEntry(BeginPacket([]byte("before"), 5), make([]byte, size))
		whole, err := EndPacket(bytes.Clone(dst), len("before"))
		if err != nil {
			t.Fatal(err)
		}
		n := len(whole) - len("before")
		for limit := n - 3; limit < n+3; limit++ {
			out, err := endPacket(bytes.Clone(dst), len("before"), limit)
			switch {
			case limit < n:
				if err != ErrTooLarge || !bytes.Equal(out, dst) {
					t.Errorf("%d bytes, limit %d: %v", n, limit, err)
				}
			case err != nil || !bytes.Equal(out, whole):
				t.Errorf("%d bytes, limit %d: %v", n, limit, err)
			}
		}
	}
}

// TestGap closes gaps of all widths, once and again, over all numbers of bytes
// that a length takes.
func TestGap(t *testing.T) {
	for width := range 6 {
		for _, n := range []int{0, 1, 127, 128, 16_383, 16_384, 1<<21 - 1, 1 << 21} {
			for _, m := range []int{n, n + 1, n + 20_000} {
				body := bytes.Repeat([]byte("0123456"), m/7+1)[:m]
				g, out := openGap([]byte("before"), width)
				out = g.close(append(out, body[:n]...))
				out = append(out, body[n:]...)
				out = g.close(out)
				if want := wire.AppendBytes([]byte("before"), body); !bytes.Equal(out, want) {
					t.Fatalf("width %d, %d and %d bytes: %.40q, want %.40q", width, n, m, out, want)
				}
			}
		}
	}
}

// TestSizeVarint counts the bytes of all powers of two and their neighbours.
func TestSizeVarint(t *testing.T) {
	for shift := range 64 {
		for _, v := range []uint64{1 << shift, 1<<shift - 1, 1<<shift | 1} {
			if got, want := sizeVarint(v), len(wire.AppendVarint(nil, v)); got != want {
				t.Errorf("%#x: %d, want %d", v, got, want)
			}
		}
	}
}
