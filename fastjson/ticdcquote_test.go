package fastjson

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cdcodec/cdcodec/change"
)

// slowTiCDCQuote returns s as a JSON string of dialect ticdc, and whether it was
// valid UTF-8: ticdc.md 8 as plainly as can be.
func slowTiCDCQuote(s []byte) (quoted string, valid bool) {
	var b strings.Builder
	valid = true
	b.WriteByte('"')
	for len(s) > 0 {
		r, n := utf8.DecodeRune(s)
		switch {
		case r == utf8.RuneError && n == 1:
			b.WriteString(`\ufffd`)
			valid = false
		case r == '"' || r == '\\':
			b.WriteString(`\` + string(r))
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r < 0x20 || r == '<' || r == '>' || r == '&' || r == '\u2028' || r == '\u2029':
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.Write(s[:n])
		}
		s = s[n:]
	}
	b.WriteByte('"')
	return b.String(), valid
}

// checkTiCDCQuoted holds the ways of quoting to slowTiCDCQuote; see checkQuoted.
func checkTiCDCQuoted(t *testing.T, w *Writer, s []byte) {
	t.Helper()
	want, valid := slowTiCDCQuote(s)
	if n := ticdcQuotedLen(s); n != len(want) {
		t.Fatalf("ticdcQuotedLen(%q) = %d, want %d", s, n, len(want))
	}
	const guard = "<guard>"
	rooms := [...]int{0, 1, len(s) + 2, len(want), len(want) + 200}
	turn++
	room := rooms[turn%len(rooms)]
	for i, quote := range []func(dst, s []byte) ([]byte, bool){appendTiCDCQuoted, w.ticdcText} {
		memory := []byte(guard + strings.Repeat("~", room) + guard)
		dst := memory[len(guard)-1 : len(guard) : len(guard)+room]
		in := append(append([]byte(guard), s...), guard...)
		got, ok := quote(dst, in[len(guard):len(guard)+len(s):len(guard)+len(s)])
		if string(got) != ">"+want || ok != valid {
			t.Fatalf("way %d, %d bytes of room: %q\n got %s valid %v\nwant %s valid %v", i, room, s, got, ok, ">"+want, valid)
		}
		if string(memory[:len(guard)]) != guard || string(memory[len(memory)-len(guard):]) != guard {
			t.Fatalf("way %d, %d bytes of room: %q: memory that is not dst's was written to: %q", i, room, s, memory)
		}
		if string(in) != guard+string(s)+guard {
			t.Fatalf("%q was written to", s)
		}
	}
}

// ticdcPieces are what only dialect ticdc escapes, what looks like it, and what it
// does not escape short.
var ticdcPieces = []string{
	"<", ">", "&", "<b>", "=", ";", "'", "/", "\u2028", "\u2029", "\u2027", "\u202a", "\u2068", "\u3028", "—", "“", "\xe2", "\xe2\x80", "\xe2\x80\xa8\xa8",
	"\b", "\f", "\v", "\x7f", "\u0080", "\ufffd", "\xed\xa0\x80", "\xe2\x82", "\xff", "\"", "\\", "\t\r\n", "\x00",
}

// TestTiCDC_8_Table is rule 8 as it can be read.
func TestTiCDC_8_Table(t *testing.T) {
	w := new(Writer)
	for _, c := range []struct{ in, want string }{
		{"", `""`},
		{`say "hi" C:\temp`, `"say \"hi\" C:\\temp"`},
		{"\b\t\n\f\r", `"\u0008\t\n\u000c\r"`},
		{"\x00\x01\x0b\x1f", `"\u0000\u0001\u000b\u001f"`},
		{"a<b>&c", `"a\u003cb\u003e\u0026c"`},
		{"\u2027\u2028\u2029\u202a", "\"\u2027\\u2028\\u2029\u202a\""},
		{"\x7f\u0080\u009f/'", "\"\x7f\u0080\u009f/'\""},
		{"😀\ufffe\uffff\ufffd", "\"😀\ufffe\uffff\ufffd\""},
		{"\xed\xa0\x80", `"\ufffd\ufffd\ufffd"`},
		{"\xe2\x82", `"\ufffd\ufffd"`},
		{"\xff\xfe", `"\ufffd\ufffd"`},
		{"\xff<\u2028\xe2\x80", `"\ufffd\u003c\u2028\ufffd\ufffd"`},
		{"\x05\x07\n\x0f$2+cx<&\u00ff\u00fe-7F", "\"\\u0005\\u0007\\n\\u000f$2+cx\\u003c\\u0026\u00ff\u00fe-7F\""}, // T11
	} {
		if got, _ := appendTiCDCQuoted(nil, []byte(c.in)); string(got) != c.want {
			t.Errorf("%q is quoted as %s, want %s", c.in, got, c.want)
		}
		checkTiCDCQuoted(t, w, []byte(c.in))
	}
}

// TestTiCDC_8_EveryByte puts every byte at every place of strings of up to 34 bytes,
// and every piece.
func TestTiCDC_8_EveryByte(t *testing.T) {
	w := new(Writer)
	for _, filler := range fillers {
		for n := range 35 {
			s := filled(filler, n)
			checkTiCDCQuoted(t, w, s)
			for i := range s {
				was := s[i]
				for c := range 256 {
					s[i] = byte(c)
					checkTiCDCQuoted(t, w, s)
				}
				s[i] = was
			}
			for _, piece := range ticdcPieces {
				for i := 0; i+len(piece) <= n; i++ {
					checkTiCDCQuoted(t, w, append(append(bytes.Clone(s[:i]), piece...), s[i+len(piece):]...))
				}
			}
		}
	}
}

// TestTiCDC_8_Pairs puts all pairs of special bytes around the ends of words.
func TestTiCDC_8_Pairs(t *testing.T) {
	w := new(Writer)
	const special = special + "&;<=>\xa8\xa9"
	for _, n := range []int{8, 15, 17, 24} {
		s := filled(fillers[0], n)
		for _, i := range []int{0, 1, 6, 7, 8, 9, 14, 15, 16} {
			for _, j := range []int{1, 2, 7, 8, 9, 15, 16, 17, 23} {
				if i >= j || j >= n {
					continue
				}
				a, b := s[i], s[j]
				for x := range len(special) {
					for y := range len(special) {
						s[i], s[j] = special[x], special[y]
						checkTiCDCQuoted(t, w, s)
					}
				}
				s[i], s[j] = a, b
			}
		}
	}
}

// TestTiCDC_8_Random mixes plain text, escapes and characters of all lengths, whole
// and broken, of lengths at which another way may be taken too.
func TestTiCDC_8_Random(t *testing.T) {
	rnd := rand.New(rand.NewPCG(21, 22))
	w := new(Writer)
	same, other := 0, 0
	for i := range 20_000 {
		s := randomText(rnd, 12, i%2 == 0)
		for range rnd.IntN(3) {
			at := rnd.IntN(len(s) + 1)
			s = append(append(bytes.Clone(s[:at]), ticdcPieces[rnd.IntN(len(ticdcPieces))]...), s[at:]...)
		}
		if i%10 == 0 {
			n := []int{191, 192, 193, 511, 512, 513, 1023, 1024, 1025, 5000}[rnd.IntN(10)]
			s = bytes.Repeat(s, n/(len(s)+1)+1)
			s = s[:min(n, len(s))]
		}
		checkTiCDCQuoted(t, w, s)
		canal, _ := slowQuote(s)
		if ours, _ := slowTiCDCQuote(s); ours == canal {
			same++
		} else {
			other++
			if alike(s) {
				t.Fatalf("the dialects do not quote %q alike", s)
			}
		}
	}
	if same < 2000 || other < 2000 {
		t.Errorf("%d texts alike in both dialects, %d not: this tested little", same, other)
	}
}

// TestTiCDC_8_Long puts pieces around the ends of blocks, in strings that are else the
// same in both dialects.
func TestTiCDC_8_Long(t *testing.T) {
	w := new(Writer)
	for _, filler := range fillers {
		for _, n := range []int{191, 192, 193, 256, 511, 512, 513, 1024, 3000} {
			s := filled(filler, n)
			checkTiCDCQuoted(t, w, s)
			for _, piece := range ticdcPieces {
				for _, i := range []int{0, 1, 63, 64, 127, 128, n / 2, n - 65, n - 9, n - len(piece)} {
					checkTiCDCQuoted(t, w, append(append(bytes.Clone(s[:i]), piece...), s[i:]...))
				}
			}
		}
	}
}

// TestTiCDC_8_EachWay runs the tests of quoting again as they would run on a machine
// without the instructions of this one.
func TestTiCDC_8_EachWay(t *testing.T) {
	if !setBlocks(false) {
		t.Skip("there is one way only")
	}
	defer setBlocks(true)
	t.Run("random", TestTiCDC_8_Random)
	t.Run("long", TestTiCDC_8_Long)
	t.Run("text", TestTiCDC_8_Text)
}

// TestTiCDC_8_Text has a Writer quote, and reject where it is to.
func TestTiCDC_8_Text(t *testing.T) {
	rnd := rand.New(rand.NewPCG(23, 24))
	for _, reject := range []bool{false, true} {
		w, err := NewWriter(Options{Dialect: TiCDC, RejectInvalidUTF8: reject})
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{5, 100, 191, 192, 511, 512, 1023, 1024, 5000, 64 << 10} {
			for range 40 {
				s := bytes.Repeat(randomText(rnd, 30, true), 1+n/20)
				s = s[:min(n, len(s))] // may cut a character
				w.end, w.err = 1<<30, nil
				out := w.text([]byte("prefix:"), s, change.TextSQL, 0)
				want, valid := slowTiCDCQuote(s)
				if refuse := reject && !valid; refuse != (w.err != nil) {
					t.Fatalf("%d bytes, reject %v: %v", len(s), reject, w.err)
				} else if !refuse && string(out) != "prefix:"+want {
					t.Fatalf("%d bytes: got %.200q want %.200q", len(s), out, "prefix:"+want)
				}
				// Not a byte more than it needs.
				for _, room := range []int{len(want), len(want) - 1} {
					w.end, w.err = 7+room, nil
					w.text([]byte("prefix:"), s, change.TextSQL, 0)
					if fits := w.err != ErrMaxOutput; fits != (room == len(want)) {
						t.Fatalf("%d bytes of room for %d: %v", room, len(want), w.err)
					}
				}
			}
		}
	}
}

// TestTiCDC_8_ToCheck holds the word-wise test to the table, in its lowest set byte,
// and the table to the rule.
func TestTiCDC_8_ToCheck(t *testing.T) {
	for c := range 256 {
		quoted, _ := slowTiCDCQuote([]byte{byte(c)})
		if want := c < 0x80 && quoted != `"`+string(rune(c))+`"` || c == 0xe2; inCheck[c] != want {
			t.Errorf("%#x: %v", c, inCheck[c])
		}
	}
	rnd := rand.New(rand.NewPCG(25, 26))
	for range 200_000 {
		var b [8]byte
		want := -1
		for i := range b {
			b[i] = byte(rnd.Uint32())
			if rnd.IntN(3) == 0 {
				b[i] = (special + "&;<=>#%*:?")[rnd.IntN(len(special)+10)]
			}
			if want < 0 && inCheck[b[i]] {
				want = i
			}
		}
		if got := lowest(toCheck(load(b))); got != want {
			t.Fatalf("%x: byte %d, want %d", b, got, want)
		}
	}
}

// TestTiCDC_8_DoesNotAllocate wants nothing where dst has room for the longest form.
func TestTiCDC_8_DoesNotAllocate(t *testing.T) {
	rnd := rand.New(rand.NewPCG(27, 28))
	for range 50 {
		s := randomText(rnd, 100, true)
		dst := make([]byte, 0, 6*len(s)+1000)
		if n := testing.AllocsPerRun(10, func() { dst, _ = appendTiCDCQuoted(dst[:0], s) }); n != 0 {
			t.Fatalf("%v allocations for %q", n, s)
		}
	}
}
