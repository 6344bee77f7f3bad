package fastjson

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"unicode/utf8"
)

// This file is what the tests of this package hold the fast code to: quoting, one
// character at a time, said as plainly as can be (spec: canal.md 2, rules 10 and
// 11), and text to try it on.

// slowQuote returns s as a JSON string, and whether it was valid UTF-8.
func slowQuote(s []byte) (quoted string, valid bool) {
	var b strings.Builder
	valid = true
	b.WriteByte('"')
	for len(s) > 0 {
		n, ok := slowChar(s)
		switch c := s[0]; {
		case !ok:
			b.WriteString("\uFFFD")
			valid = false
		case c == '"' || c == '\\':
			b.WriteString(`\` + string(c))
		case c == '\b':
			b.WriteString(`\b`)
		case c == '\t':
			b.WriteString(`\t`)
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\f':
			b.WriteString(`\f`)
		case c == '\r':
			b.WriteString(`\r`)
		case c < 0x20:
			fmt.Fprintf(&b, `\u%04x`, c)
		default:
			b.Write(s[:n])
		}
		s = s[n:]
	}
	b.WriteByte('"')
	return b.String(), valid
}

// slowRepair returns s with one U+FFFD for each bad sequence.
func slowRepair(s []byte) string {
	var b strings.Builder
	for len(s) > 0 {
		n, ok := slowChar(s)
		if ok {
			b.Write(s[:n])
		} else {
			b.WriteRune(utf8.RuneError)
		}
		s = s[n:]
	}
	return b.String()
}

// slowChar returns the length of the first character of s, or, not ok, of the
// bytes that one U+FFFD stands for: as many as may begin a character, at least
// one. Those that more bytes could complete are what utf8.FullRune calls not
// full. A surrogate, two or three bytes of it, is one mistake.
func slowChar(s []byte) (n int, ok bool) {
	if r, n := utf8.DecodeRune(s); r != utf8.RuneError || n > 1 {
		return n, true
	}
	if len(s) >= 2 && s[0] == 0xed && s[1] >= 0xa0 && s[1] <= 0xbf {
		if len(s) >= 3 && s[2] >= 0x80 && s[2] <= 0xbf {
			return 3, false
		}
		return 2, false
	}
	for n = 1; n < len(s) && !utf8.FullRune(s[:n+1]); n++ {
	}
	return n, false
}

// pieces are the kinds of text that randomText mixes.
var pieces = []struct {
	name string
	text []string
}{
	{"ASCII", []string{"a", "quick brown fox ", "0123456789", "~", " ", "\x7f", "/", "<>&'", "longer than a block of sixty-four bytes, so that one of them has nothing to do. "}},
	{"escapes", []string{`"`, `\`, "\n", "\t", "\r", "\b", "\f", "\x00", "\x01", "\x1f", "\v", "\x1b"}},
	{"CJK", []string{"中", "张伟", "データベース", "변경", "，", "礼品已经发出，请注意查收"}},
	{"others", []string{"é", "ß", "\u0080", "\u07ff", "\u0800", "\u2028", "\u2029", "\ufeff", "\uffff", "\ufffd", "\ud7ff", "\ue000"}},
	{"emoji", []string{"😀", "🎁", "👩‍👩‍👧", "\U00010000", "\U0010ffff"}},
	{"invalid", []string{"\x80", "\xbf", "\xff", "\xfe", "\xc0\x80", "\xc3", "\xe2\x82", "\xed\xa0\x80", "\xed\xa0", "\xed", "\xf0\x9f\x98", "\xf0\x90", "\xf4\x90\x80\x80", "\xf5"}},
}

// randomText mixes up to n pieces of some kinds; invalid ones only if they may be.
func randomText(rnd *rand.Rand, n int, invalid bool) []byte {
	kinds := rnd.IntN(1 << len(pieces))
	if !invalid {
		kinds &^= 1 << (len(pieces) - 1)
	}
	var s []byte
	for range rnd.IntN(n + 1) {
		k := rnd.IntN(len(pieces))
		if kinds>>k&1 == 0 {
			k = 0
		}
		s = append(s, pieces[k].text[rnd.IntN(len(pieces[k].text))]...)
	}
	return s
}
