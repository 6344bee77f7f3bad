package fuzz

import (
	"bytes"
	"testing"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/wire/canal"
)

// scan holds the Scanner of an Entry to the iterators, which read one field after the
// other: the same columns of each image, or an error where these find one.
func (l *laws) scan(t *testing.T, record []byte) {
	t.Helper()
	e, err := canal.ParseEntry(l.edge.put(t, record))
	if err != nil || e.IsTransactionMark() {
		return
	}
	c, err := e.RowChange()
	bad := err != nil
	var want [2][]canal.Column
	var rowOf [2][]int
	for im := range want {
		rows := c.Rows()
		for row := 0; rows.Next(); row++ {
			cols := rows.RowData().Columns(change.Image(im))
			for cols.Next() {
				want[im] = append(want[im], cols.Column())
				rowOf[im] = append(rowOf[im], row)
			}
			bad = bad || cols.Err() != nil
		}
		bad = bad || rows.Err() != nil
	}
	s := e.Scan()
	var n [2]int
	for s.Next() {
		im := s.Image
		if n[im] == len(want[im]) {
			if !bad {
				t.Fatalf("image %d has %d columns, the Scanner finds more", im, n[im])
			}
			continue // the iterators have stopped, and the Scanner will
		}
		if w := &want[im][n[im]]; rowOf[im][n[im]] != s.Row || !sameColumn(w, &s.Column) {
			t.Fatalf("image %d, column %d: %+v of row %d, want %+v of row %d", im, n[im], s.Column, s.Row, *w, rowOf[im][n[im]])
		}
		n[im]++
	}
	switch {
	case bad && s.Err() == nil || !bad && s.Err() != nil:
		t.Fatalf("the Scanner ends with %v, the iterators found an error: %v", s.Err(), bad)
	case !bad && (n[0] != len(want[0]) || n[1] != len(want[1])):
		t.Fatalf("the Scanner finds %d columns, want %d and %d", n, len(want[0]), len(want[1]))
	}
}

func sameColumn(a, b *canal.Column) bool {
	pairs := 0
	for p := a.Props(); p.Next(); {
		pairs++
	}
	for p := b.Props(); p.Next(); {
		pairs--
	}
	return a.Index == b.Index && a.SQLType == b.SQLType && bytes.Equal(a.Name, b.Name) && a.IsKey == b.IsKey && a.Updated == b.Updated &&
		a.IsNull == b.IsNull && bytes.Equal(a.Value, b.Value) && a.Length == b.Length && bytes.Equal(a.MySQLType, b.MySQLType) && pairs == 0
}
