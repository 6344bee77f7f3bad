package reference

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestRepair(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"plain, é, 張, 😀, \u2028, \uffff, \uFFFD", "plain, é, 張, 😀, \u2028, \uffff, \uFFFD"},
		// as the rule has them
		{"\xED\xA0\x80", "�"},
		{"\xED\xA0b", "�b"},
		{"\xE2\x82a", "�a"},
		{"\xF0\x9F\x98", "�"},
		{"\xC0\x80", "��"},
		// surrogates, whole and cut
		{"\xED\xA0\x80\xED\xB0\x80", "��"},
		{"\xED\xBF\xBF\x80", "��"},
		{"\xED", "�"},
		{"\xED\xA0", "�"},
		{"\xED\xA0\xED\xA0\x80", "��"},
		{"\xED\x9F", "�"},
		{"\xED\x9F\xC3\xA9", "�é"},
		{"\xED\xC3\xA9", "�é"},
		// lead bytes that lead nothing, and second bytes that do not fit
		{"\x80\xBF", "��"},
		{"\xC1\xBF", "��"},
		{"\xE0\x9F\xBF", "���"},
		{"\xF0\x8F\xBF\xBF", "����"},
		{"\xF4\x90\x80\x80", "����"},
		{"\xF5\x80\x80\x80", "����"},
		{"\xFF\xFE", "��"},
		{"\xF4\x8F\xBF", "�"},
	} {
		if got := repair(c.in); got != c.want {
			t.Errorf("repair(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

// TestRepairAll holds repair to another wording of the same rule, for all
// strings of one and two bytes, and all of three and four over the bytes where
// the rule turns.
func TestRepairAll(t *testing.T) {
	compare := func(s string) {
		if got, want := repair(s), repairByDefinition(s); got != want {
			t.Fatalf("repair(%q) = %q, want %q", s, got, want)
		}
	}
	var all []byte
	for b := range 256 {
		all = append(all, byte(b))
	}
	edges := []byte("a\x7F\x80\x8F\x90\x9F\xA0\xBF\xC0\xC1\xC2\xDF\xE0\xE1\xEC\xED\xEE\xEF\xF0\xF1\xF3\xF4\xF5\xFF")
	forEachString(all, 2, compare)
	forEachString(edges, 4, compare)
}

// forEachString calls f with all strings of up to n of these bytes.
func forEachString(alphabet []byte, n int, f func(string)) {
	var extend func(prefix []byte)
	extend = func(prefix []byte) {
		f(string(prefix))
		if len(prefix) == n {
			return
		}
		for _, b := range alphabet {
			extend(append(prefix, b))
		}
	}
	extend(nil)
}

// repairByDefinition knows of UTF-8 only what package utf8 tells it. It cuts a
// string at each place into what may be the beginning of a character, found by
// trying all ends, and takes the longest.
func repairByDefinition(s string) string {
	var out strings.Builder
	for s != "" {
		if r, n := utf8.DecodeRuneInString(s); r != utf8.RuneError || n > 1 {
			out.WriteString(s[:n])
			s = s[n:]
			continue
		}
		n := 1
		for k := 2; k <= min(3, len(s)); k++ {
			if begins[s[:k]] || surrogate(s[:k]) {
				n = k
			}
		}
		out.WriteRune(utf8.RuneError)
		s = s[n:]
	}
	return out.String()
}

// begins holds the proper beginnings of all characters.
var begins = func() map[string]bool {
	m := map[string]bool{}
	for r := rune(0); r <= utf8.MaxRune; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		s := string(r)
		for n := 1; n < len(s); n++ {
			m[s[:n]] = true
		}
	}
	return m
}()

// surrogate reports whether s is ED, a byte A0 to BF, and perhaps one more of
// 80 to BF: the exception.
func surrogate(s string) bool {
	return s[0] == 0xED && s[1]&0xE0 == 0xA0 && (len(s) == 2 || s[2]&0xC0 == 0x80)
}
