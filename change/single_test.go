package change_test

import (
	"reflect"
	"testing"

	"github.com/cdcodec/cdcodec/change"
)

// TestSingle gives rows on one by one: each is all there is to who walks it, and
// can be walked as often as wanted.
func TestSingle(t *testing.T) {
	all := change.NewList(threeRows()...)
	one := change.Single{Rows: all}
	var got [][]string
	for all.Rewind(); all.Next(); {
		for range 2 {
			n := 0
			for one.Rewind(); one.Next(); n++ {
				got = append(got, append(names(&one, before), names(&one, after)...))
			}
			if n != 1 {
				t.Errorf("a Single of %d rows", n)
			}
		}
	}
	want := [][]string{{"a", "b", "c", "d", "e"}, {"a", "b", "c", "d", "e"}, {}, {}, {"f", "f"}, {"f", "f"}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
