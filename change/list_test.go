package change_test

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/cdcodec/cdcodec/change"
)

// col returns a column of that name, its value made of it.
func col(name string) change.Column {
	return change.Column{Name: []byte(name), Value: []byte("value of " + name), MySQLType: []byte("text"), SQLType: 2005}
}

// names walks an image of the current row.
func names(rows change.Rows, im change.Image) []string {
	out := []string{}
	rows.Select(im)
	for c := rows.Column(); c != nil; c = rows.Column() {
		out = append(out, string(c.Name))
	}
	return out
}

var (
	before = change.Before
	after  = change.After
)

// threeRows is rows of all shapes: an update, one without columns, an insert.
func threeRows() []change.Row {
	return []change.Row{
		{Before: []change.Column{col("a"), col("b")}, After: []change.Column{col("c"), col("d"), col("e")}},
		{},
		{After: []change.Column{col("f"), col("f")}},
	}
}

// TestList is the contract of Rows.
func TestList(t *testing.T) {
	var rows change.Rows = change.NewList(threeRows()...)
	for walk := range 3 {
		if walk > 0 { // a new List is rewound
			rows.Rewind()
		}
		var got []string
		for rows.Next() {
			if rows.Column() != nil {
				t.Error("a column before any Select")
			}
			got = append(got, fmt.Sprint(names(rows, after), names(rows, before), names(rows, after)))
			if rows.Column() != nil {
				t.Error("a column after the last one")
			}
		}
		want := []string{"[c d e] [a b] [c d e]", "[] [] []", "[f f] [] [f f]"}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("walk %d: %q, want %q", walk, got, want)
		}
		if rows.Next() {
			t.Error("a row after the last one")
		}
	}

	// Select goes before the first column, Rewind before the first row, from
	// wherever the cursor is.
	rows.Rewind()
	rows.Next()
	rows.Select(after)
	rows.Column()
	rows.Select(after)
	if c := rows.Column(); string(c.Name) != "c" {
		t.Errorf("Select again gives %s", c.Name)
	}
	rows.Rewind()
	if rows.Column() != nil {
		t.Error("a column before the first row")
	}
	rows.Next()
	rows.Select(after)
	rows.Column()
	rows.Next() // with columns left
	if c := rows.Column(); c != nil {
		t.Errorf("after Next, without Select, there is column %s", c.Name)
	}
	rows.Rewind()
	rows.Next()
	if got := names(rows, before); len(got) != 2 {
		t.Errorf("after Rewind the first row has %q before", got)
	}
}

// TestListAt finds every column by its Ref, without moving the cursor.
func TestListAt(t *testing.T) {
	rows := change.NewList(threeRows()...)
	type seen struct {
		ref  uint32
		name string
	}
	var all []seen
	refs := map[uint32]bool{}
	for rows.Next() {
		for _, im := range []change.Image{before, after} {
			rows.Select(im)
			for c := rows.Column(); c != nil; c = rows.Column() {
				all = append(all, seen{c.Ref, string(c.Name)})
				refs[c.Ref] = true
				for _, s := range all {
					if at := rows.At(s.ref); string(at.Name) != s.name || at.Ref != s.ref {
						t.Errorf("At(%d) is %s, want %s", s.ref, at.Name, s.name)
					}
				}
				if string(c.Name) != all[len(all)-1].name {
					t.Errorf("At has overwritten what Column gave: %s", c.Name)
				}
			}
		}
	}
	if len(all) != 7 || len(refs) != 7 {
		t.Errorf("%d columns with %d refs, want 7", len(all), len(refs))
	}
}

// TestMaxNames wants a bound that holds, and that the number of columns bounds.
func TestMaxNames(t *testing.T) {
	for _, rows := range [][]change.Row{nil, {{}}, threeRows(), {{After: []change.Column{{}, {}}}}} {
		for _, im := range []change.Image{before, after} {
			distinct, named := map[string]bool{}, 0
			for _, r := range rows {
				cols := r.Before
				if im == after {
					cols = r.After
				}
				for _, c := range cols {
					distinct[string(c.Name)] = true
					if len(c.Name) > 0 {
						named++
					}
				}
			}
			if got := change.NewList(rows...).MaxNames(im); got < len(distinct) || got > named+1 {
				t.Errorf("%d rows, image %d: MaxNames %d, want %d to %d", len(rows), im, got, len(distinct), named+1)
			}
		}
	}
}

// TestEmptyList has no rows; a zero List is not promised to work.
func TestEmptyList(t *testing.T) {
	rows := change.NewList()
	if rows.Next() || rows.Column() != nil {
		t.Error("an empty List has rows")
	}
	rows.Rewind()
	if rows.Next() {
		t.Error("an empty List has rows when rewound")
	}
	if got := change.CopyRows(rows); len(got) != 0 {
		t.Errorf("a copy has %d rows", len(got))
	}
}

func TestImageOf(t *testing.T) {
	for typ := range change.Type(20) {
		want := after
		if typ == change.Delete {
			want = before
		}
		if change.ImageOf(typ) != want {
			t.Errorf("the data of %v is in image %d", typ, change.ImageOf(typ))
		}
	}
}

func TestListDoesNotAllocate(t *testing.T) {
	rows := change.NewList(threeRows()...)
	n := 0
	if allocs := testing.AllocsPerRun(100, func() {
		for rows.Rewind(); rows.Next(); {
			rows.Select(after)
			for c := rows.Column(); c != nil; c = rows.Column() {
				n += len(rows.At(c.Ref).Value)
			}
		}
	}); allocs != 0 || n == 0 {
		t.Errorf("%v allocations, %d bytes seen", allocs, n)
	}
}
