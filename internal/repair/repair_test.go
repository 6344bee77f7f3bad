package repair

import (
	"testing"
	"unicode/utf8"
)

// The examples of the rule; package fastjson holds all sequences of up to four
// bytes to a second, plain way of repair.
func TestAppend(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"plain, é, 張, 😀, \u2028", "plain, é, 張, 😀, \u2028"},
		{"\xed\xa0\x80", "�"},
		{"\xed\xa0b", "�b"},
		{"\xe2\x82a", "�a"},
		{"\xf0\x9f\x98", "�"},
		{"\xc0\x80", "��"},
		{"\xf4\x90\x80\x80", "����"},
	} {
		got := string(Append([]byte("x"), []byte(c.in)))
		if got != "x"+c.want || !utf8.ValidString(got) {
			t.Errorf("%q is repaired to %q, want %q", c.in, got, "x"+c.want)
		}
		if !Same([]byte(c.in), []byte(c.want)) {
			t.Errorf("%q and %q are not the same", c.in, c.want)
		}
	}
	for _, c := range [][2]string{{"a", "b"}, {"\xff", "a"}, {"\xff", "��"}, {"\xffa", "�b"}, {"", "\xff"}} {
		if Same([]byte(c[0]), []byte(c[1])) {
			t.Errorf("%q and %q are the same", c[0], c[1])
		}
	}
}
