package fields_test

import (
	"errors"
	"testing"

	"github.com/cdcodec/cdcodec/internal/fields"
	"github.com/cdcodec/cdcodec/wire"
)

// TestPath numbers the elements of a repeated field among their like.
func TestPath(t *testing.T) {
	r := wire.NewReader([]byte("\x08\x01\x10\x01\x08\x02\x08\xff"))
	want := []string{"a[2]", "a[0]", "a[3]"}
	for i := 0; r.Next(); i++ {
		if got := fields.Path("a[]", &r, []int{2, 0, 2}[i]); got != want[i] {
			t.Errorf("field %d is %s, want %s", i, got, want[i])
		}
		if got := fields.Path("a", &r, 2); got != "a" {
			t.Errorf("a single field is %s", got)
		}
	}
	if got := fields.Path("a[]", &r, 0); r.Err() == nil || got != "a[2]" {
		t.Errorf("the field that stopped the reader is %s, %v", got, r.Err())
	}
}

func TestError(t *testing.T) {
	if err := fields.Error(nil); err != nil {
		t.Error(err)
	}
	if err := fields.Error(&wire.ParseError{Err: wire.ErrDepth}); !errors.Is(err, wire.ErrDepth) {
		t.Error(err)
	}
}

func TestLength(t *testing.T) {
	for _, c := range []struct {
		in          string
		start, stop int
	}{
		{"", 0, 0}, {"\x00", 1, 1}, {"\x7f", 1, 128}, {"\x80", 0, 0}, {"\x80\x01", 2, 130}, {"\xff\x7f", 2, 2 + 1<<14 - 1}, {"\x80\x80\x01", 0, 0},
	} {
		if start, stop := fields.Length([]byte("?"+c.in), 1); c.start == 0 && start != 0 || c.start > 0 && (start != c.start+1 || stop != c.stop+1) {
			t.Errorf("%x: %d to %d", c.in, start, stop)
		}
	}
}

func TestLongLength(t *testing.T) {
	for _, c := range []struct {
		in string
		n  int // of what follows; -1 if it is not such a length
	}{
		{"", -1}, {"\x01", -1}, {"\x80\x01", -1}, {"\xff\x7f\x00\x00", -1},
		{"\x80\x80\x01", 1 << 14}, {"\x81\x80\x00", 1}, {"\xff\xff\x7f", 1<<21 - 1},
		{"\x80\x80\x80\x01", 1 << 21}, {"\xff\xff\xff\x0f", 1<<25 - 1}, {"\x80\x80\x80\x80\x00", -1},
	} {
		for _, room := range []int{c.n - 1, c.n, c.n + 1} {
			b := append([]byte("?"+c.in), make([]byte, max(room, 0))...)
			start, stop := fields.LongLength(b, 1)
			if want := 1 + len(c.in); c.n < 0 || room < c.n {
				if start != 0 || stop != 0 {
					t.Errorf("%x and %d bytes: %d to %d", c.in, room, start, stop)
				}
			} else if len(b) > 4 && (start != want || stop != want+c.n) {
				t.Errorf("%x and %d bytes: %d to %d, want %d to %d", c.in, room, start, stop, want, want+c.n)
			}
		}
	}
}
