package change_test

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/cdcodec/cdcodec/change"
)

// TestWhole completes what an UPDATE changed to the row as it was.
func TestWhole(t *testing.T) {
	value := func(name, v string) change.Column { return change.Column{Name: []byte(name), Value: []byte(v)} }
	changed := func(c change.Column) change.Column { c.Updated = true; return c }
	rows := change.NewList(
		change.Row{Before: []change.Column{value("b", "old"), value("x", "gone"), value("a", "0")}, After: []change.Column{value("a", "1"), changed(value("b", "new")), value("c", "3")}},
		change.Row{After: []change.Column{changed(value("a", "1"))}},
		change.Row{Before: []change.Column{value("a", "0")}},
	)
	whole := change.Whole{Rows: rows}
	for range 2 {
		var got []string
		for whole.Rewind(); whole.Next(); {
			for _, im := range []change.Image{before, after, before} {
				text := ""
				whole.Select(im)
				for c := whole.Column(); c != nil; c = whole.Column() {
					text += fmt.Sprintf("%s=%s %v,", c.Name, c.Value, c.Updated)
				}
				got = append(got, text)
			}
		}
		first := "b=old false,c=3 false,x=gone false,a=0 false,"
		want := []string{first, "a=1 false,b=new true,c=3 false,", first, "a=1 false,", "a=1 true,", "a=1 false,", "a=0 false,", "", "a=0 false,"}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
	if n := whole.MaxNames(before); n < 4 {
		t.Errorf("MaxNames %d", n)
	}

	// More than can be looked at: as it is.
	var many []change.Column
	for i := range 65 {
		many = append(many, value(fmt.Sprint(i), "v"))
	}
	whole = change.Whole{Rows: change.NewList(change.Row{Before: many, After: many[:1]})}
	whole.Next()
	if got := names(&whole, before); len(got) != 65 {
		t.Errorf("%d columns", len(got))
	}
}
