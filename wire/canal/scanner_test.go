package canal_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/internal/corpus"
	"github.com/cdcodec/cdcodec/internal/corpus/golden"
	"github.com/cdcodec/cdcodec/wire/canal"
)

func line(row int, im change.Image, c *canal.Column) string {
	props := 0
	for p := c.Props(); p.Next(); {
		props++
	}
	return fmt.Sprintf("%d %d: %d %d %q %v %v %v %q %d %q %d\n",
		row, im, c.Index, c.SQLType, c.Name, c.IsKey, c.Updated, c.IsNull, c.Value, c.Length, c.MySQLType, props)
}

// sameScan holds the Scanner of an Entry to the iterators: the same columns (of
// each image: the Scanner has the order of the wire), and an error where either
// an iterator or the Decoder finds one.
func sameScan(t *testing.T, entry []byte) (columns int) {
	t.Helper()
	e, err := canal.ParseEntry(entry)
	if err != nil {
		return 0
	}
	got := [2]strings.Builder{}
	s := e.Scan()
	for s.Next() {
		got[s.Image].WriteString(line(s.Row, s.Image, &s.Column))
		columns++
	}
	want := [2]strings.Builder{}
	bad := false
	c, err := e.RowChange()
	if err != nil {
		bad = true
	}
	for _, im := range [...]change.Image{change.Before, change.After} {
		rows := c.Rows()
		for n := 0; rows.Next(); n++ {
			cols := rows.RowData().Columns(im)
			for cols.Next() {
				col := cols.Column()
				want[im].WriteString(line(n, im, &col))
			}
			bad = bad || cols.Err() != nil
		}
		bad = bad || rows.Err() != nil
	}
	if bad != (s.Err() != nil) {
		t.Fatalf("%x: Scanner ends with %v, the iterators found an error: %v", entry, s.Err(), bad)
	}
	if bad {
		var d canal.Decoder
		var ev change.Event
		if d.Decode(&ev, &e) == nil {
			t.Fatalf("%x: Scanner ends with %v, the Decoder finds nothing", entry, s.Err())
		}
		return 0
	}
	for im := range got {
		if got[im].String() != want[im].String() {
			t.Fatalf("%x\nScanner:\n%siterators:\n%s", entry, got[im].String(), want[im].String())
		}
	}
	return columns
}

func TestScanner(t *testing.T) {
	columns := 0
	for _, c := range append(golden.Entries(), golden.Random()...) {
		columns += sameScan(t, c.Records[0])
	}
	if columns < 10_000 {
		t.Errorf("only %d columns in the golden Entries", columns)
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, name := range []string{"oltp", "wide"} {
		made, err := corpus.Make(name, 30, 5)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range made.Entries {
			if sameScan(t, e) == 0 {
				t.Fatalf("%s: no columns in %x", name, e)
			}
			for range 60 {
				bad := bytes.Clone(e)
				at := rnd.IntN(len(bad))
				switch rnd.IntN(3) {
				case 0:
					bad[at] ^= 1 << rnd.IntN(8)
				case 1:
					bad[at] = byte(rnd.Uint32())
				case 2:
					bad = append(bad[:at], bad[min(at+1+rnd.IntN(3), len(bad)):]...)
				}
				sameScan(t, bad)
			}
		}
	}
}

// BenchmarkScan reads every column of both images, the one way and the other.
func BenchmarkScan(b *testing.B) {
	for _, name := range []string{"oltp", "bulk", "wide", "blob"} {
		made, err := corpus.Make(name, 0, 1)
		if err != nil {
			b.Fatal(err)
		}
		for _, impl := range []struct {
			name string
			read func(e *canal.Entry) (sum int, err error)
		}{{"scanner", readScanner}, {"iterators", readIterators}} {
			b.Run("corpus="+name+"/impl="+impl.name, func(b *testing.B) {
				b.ReportAllocs()
				b.SetBytes(int64(made.Size() / len(made.Entries)))
				var e canal.Entry
				for i := 0; b.Loop(); i++ {
					var err error
					e, err = canal.ParseEntry(made.Entries[i%len(made.Entries)])
					if err != nil {
						b.Fatal(err)
					}
					if _, err := impl.read(&e); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func readScanner(e *canal.Entry) (sum int, err error) {
	s := e.Scan()
	for s.Next() {
		c := &s.Column
		sum += int(c.Index) + int(c.SQLType) + len(c.Name) + len(c.Value) + len(c.MySQLType)
	}
	return sum, s.Err()
}

func readIterators(e *canal.Entry) (sum int, err error) {
	c, err := e.RowChange()
	if err != nil {
		return 0, err
	}
	for rows := c.Rows(); rows.Next(); {
		for _, im := range [...]change.Image{change.Before, change.After} {
			cols := rows.RowData().Columns(im)
			for cols.Next() {
				c := cols.Column()
				sum += int(c.Index) + int(c.SQLType) + len(c.Name) + len(c.Value) + len(c.MySQLType)
			}
			if cols.Err() != nil {
				return 0, cols.Err()
			}
		}
	}
	return sum, nil
}
