package reference

import "strings"

// span is a range of byte values, both ends included.
type span struct{ low, high byte }

func (s span) has(b byte) bool { return s.low <= b && b <= s.high }

// form is one way a character can look in UTF-8: a first byte and what has to
// follow it.
type form struct {
	first  span
	follow []span
	bad    bool // no character, though it looks like one
}

var tail = span{0x80, 0xBF}

// forms are the well-formed byte sequences, as in the Unicode standard's table
// 3-7, and one that is none: a surrogate. Canal takes that together as one
// mistake, where the standard would count each byte.
var forms = []form{
	{first: span{0x00, 0x7F}},
	{first: span{0xC2, 0xDF}, follow: []span{tail}},
	{first: span{0xE0, 0xE0}, follow: []span{{0xA0, 0xBF}, tail}},
	{first: span{0xE1, 0xEC}, follow: []span{tail, tail}},
	{first: span{0xED, 0xED}, follow: []span{{0x80, 0x9F}, tail}},
	{first: span{0xED, 0xED}, follow: []span{{0xA0, 0xBF}, tail}, bad: true},
	{first: span{0xEE, 0xEF}, follow: []span{tail, tail}},
	{first: span{0xF0, 0xF0}, follow: []span{{0x90, 0xBF}, tail, tail}},
	{first: span{0xF1, 0xF3}, follow: []span{tail, tail, tail}},
	{first: span{0xF4, 0xF4}, follow: []span{{0x80, 0x8F}, tail, tail}},
}

// repair returns s in valid UTF-8: the longest run of bytes that begins some
// form but does not end it becomes one U+FFFD, and so does a byte that begins
// none.
func repair(s string) string {
	var out strings.Builder
	for len(s) > 0 {
		size, good := firstChar(s)
		if good {
			out.WriteString(s[:size])
		} else {
			out.WriteString("\uFFFD")
		}
		s = s[size:]
	}
	return out.String()
}

// firstChar returns how many bytes at the beginning of s belong together, at
// least one, and whether they are a character.
func firstChar(s string) (size int, good bool) {
	size = 1
	for _, f := range forms {
		if !f.first.has(s[0]) {
			continue
		}
		n := 1
		for n < len(s) && n <= len(f.follow) && f.follow[n-1].has(s[n]) {
			n++
		}
		if n == 1+len(f.follow) && !f.bad {
			return n, true
		}
		size = max(size, n)
	}
	return size, false
}
