package fastjson_test

import (
	"fmt"
	"testing"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/fastjson"
)

// counting is Rows that counts the calls that take time.
type counting struct {
	change.Rows
	calls *int
}

func (c counting) Next() bool                   { *c.calls++; return c.Rows.Next() }
func (c counting) Column() *change.Column       { *c.calls++; return c.Rows.Column() }
func (c counting) At(ref uint32) *change.Column { *c.calls++; return c.Rows.At(ref) }

// TestTiCDCLinear reads each column a few times at most, however many there are: in one
// row or in many, with names that are all equal or all distinct.
func TestTiCDCLinear(t *testing.T) {
	image := func(count, from int, distinct bool) (out columns) {
		for i := range count {
			name := "name"
			if distinct {
				name = fmt.Sprint("name ", from+i)
			}
			out = append(out, col(name, fmt.Sprint(i), typed(4, "int")))
		}
		return out
	}
	for _, o := range []fastjson.Options{ticdc(tiOptions{}), ticdc(tiOptions{OnlyUpdated: true}), {OneRow: true}, {}} {
		for _, partial := range []bool{false, true} {
			for _, distinct := range []bool{false, true} {
				for _, perRow := range []int{1, 10, 20_000} {
					if o.OneRow && distinct && perRow < 20_000 {
						continue // each message repeats all names: the output is the square
					}
					for _, count := range []int{1000, 20_000} {
						var rows []change.Row
						for from := 0; from < count; from += perRow {
							n := min(perRow, count-from)
							rows = append(rows, change.Row{Before: image(n, from, distinct), After: image(n, from, distinct)})
						}
						calls := 0
						ev := rowsOf(change.Update, rows...)
						ev.Rows, ev.Partial = counting{ev.Rows, &calls}, partial
						messagesOf(t, o, ev, meta)
						if most := 8 * (2*count + 2*len(rows)); calls > most {
							t.Errorf("%+v, partial %v, %d columns, %d in a row, distinct %v: %d calls, more than %d", o, partial, count, perRow, distinct, calls, most)
						}
					}
				}
			}
		}
	}
}

// TestTiCDCManyNames has more names than a Writer holds columns of, in rows that have
// them in other orders and some of them: as rows one by one.
func TestTiCDCManyNames(t *testing.T) {
	image := func(from, to, step int) (out columns) {
		for i := from; (to-i)*step > 0; i += step {
			out = append(out, col(fmt.Sprint("name ", i), fmt.Sprint(i*i), typed(4, []string{"int(11)", "text", "", "tinyint unsigned"}[i%4])))
			out[len(out)-1].Key, out[len(out)-1].Heavy = i%7 == 0, i%5 == 0
		}
		return out
	}
	var rows []change.Row
	for _, im := range []columns{image(0, 600, 1), image(599, -1, -1), image(0, 600, 3), image(300, 900, 1), image(300, 900, 1), image(0, 300, 1), append(image(200, 400, 1), image(300, 200, -1)...)} {
		rows = append(rows, change.Row{Before: im, After: im}, change.Row{Before: image(0, 500, 2), After: im})
	}
	for _, o := range []tiOptions{{}, {OnlyUpdated: true}, {ContentCompatible: true}} {
		for typ := change.Insert; typ <= change.Delete; typ++ {
			for _, partial := range []bool{false, true} {
				ev := rowsOf(typ, rows...)
				ev.Partial = partial
				got := messagesOf(t, ticdc(o), ev, meta)
				for i, row := range rows {
					one := rowsOf(typ, row)
					one.Partial = partial
					if want := messagesOf(t, ticdc(o), one, meta); len(want) != 1 || got[i] != want[0] {
						t.Fatalf("%v, %+v, partial %v: row %d\n got %.300s\nwant %.300s", typ, o, partial, i, got[i], want)
					}
				}
			}
		}
	}
}
