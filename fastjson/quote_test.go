package fastjson

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cdcodec/cdcodec/change"
)

// checkQuoted holds appendQuoted to slowQuote: the bytes, the verdict and the
// length foreseen. What is in dst, and what lies before and behind it in the same
// memory, must stay; so must s.
func checkQuoted(t *testing.T, s []byte) {
	t.Helper()
	want, valid := slowQuote(s)
	if n := quotedLen(s); n != len(want) {
		t.Fatalf("quotedLen(%q) = %d, want %d", s, n, len(want))
	}
	const guard = "<guard>"
	rooms := [...]int{0, 1, len(s) + 2, len(want), len(want) + 200}
	turn++
	for _, room := range []int{rooms[turn%len(rooms)], rooms[(turn+2)%len(rooms)]} {
		memory := []byte(guard + strings.Repeat("~", room) + guard)
		dst := memory[len(guard)-1 : len(guard) : len(guard)+room]
		in := append(append([]byte(guard), s...), guard...)
		got, ok := appendQuoted(dst, in[len(guard):len(guard)+len(s):len(guard)+len(s)])
		if string(got) != ">"+want || ok != valid {
			t.Fatalf("%d bytes of room: %q\n got %s valid %v\nwant %s valid %v", room, s, got, ok, ">"+want, valid)
		}
		if string(memory[:len(guard)]) != guard || string(memory[len(memory)-len(guard):]) != guard {
			t.Fatalf("%d bytes of room: %q: memory that is not dst's was written to: %q", room, s, memory)
		}
		if string(in) != guard+string(s)+guard {
			t.Fatalf("%q was written to", s)
		}
	}
}

// turn picks the rooms of a check: all would take too long.
var turn int

// fillers are what is around the bytes that matter: a filler of high bytes too,
// as they change how the rest is scanned.
var fillers = []string{"abcdefgh", "张伟é"}

// filled returns n bytes of a filler, cut at a character and made up with "x".
func filled(filler string, n int) []byte {
	s := []byte(strings.Repeat(filler, n/len(filler)+1))[:n]
	for !utf8.Valid(s) {
		s = s[:len(s)-1]
	}
	return append(s, "xxx"[:n-len(s)]...)
}

// TestQuoteEveryByte puts every byte at every place of strings of up to 40 bytes.
func TestQuoteEveryByte(t *testing.T) {
	for _, filler := range fillers {
		for n := range 41 {
			s := filled(filler, n)
			checkQuoted(t, s)
			for i := range s {
				was := s[i]
				for c := range 256 {
					s[i] = byte(c)
					checkQuoted(t, s)
				}
				s[i] = was
			}
		}
	}
}

// special are the bytes where the rules turn, and their neighbours.
const special = "\x00\x07\b\t\n\v\f\r\x0e\x1f !\"#[\\]\x7f\x80\xa0\xbf\xc0\xc3\xe2\xed\xf0\xff"

// TestQuotePairs puts all pairs of special bytes around the ends of words.
func TestQuotePairs(t *testing.T) {
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
						checkQuoted(t, s)
					}
				}
				s[i], s[j] = a, b
			}
		}
	}
}

// TestQuoteLong puts bytes around the ends of blocks of 64, in strings for which
// other code may be chosen: all of them or special ones, and special ones in pairs.
func TestQuoteLong(t *testing.T) {
	for _, filler := range fillers {
		for _, n := range []int{127, 128, 191, 192, 193, 255, 256, 257, 320, 511, 1023, 1024, 1025} {
			s := filled(filler, n)
			checkQuoted(t, s)
			places := []int{0, 1, 31, 32, 62, 63, 64, 65, 127, 128, n - 193, n - 192, n - 129, n - 128, n - 127, n - 65, n - 64, n - 63, n - 33, n - 8, n - 1}
			for _, i := range places {
				if i < 0 || i >= n {
					continue
				}
				was := s[i]
				for c := range 256 {
					if n < 192 || n == 256 || strings.IndexByte(special, byte(c)) >= 0 {
						s[i] = byte(c)
						checkQuoted(t, s)
					}
				}
				if j := i + 1 + i%5; j < n {
					other := s[j]
					for x := range len(special) {
						s[i], s[j] = special[x], special[(x*5+i)%len(special)]
						checkQuoted(t, s)
					}
					s[j] = other
				}
				s[i] = was
			}
		}
	}
}

// TestQuoteVeryLong has strings around and beyond what escapeBlocks takes at once.
func TestQuoteVeryLong(t *testing.T) {
	const block = 1 << 20
	for _, n := range []int{block - 1, block, block + 1, block + 63, 3*block + 5} {
		s := filled(fillers[0], n)
		for _, at := range []int{0, block - 65, block - 2, block - 1, block, block + 1, 2*block - 1, n - 1} {
			for _, c := range []string{"", `"`, "\x01", "\xff", "中"} {
				if at+len(c) > n {
					continue
				}
				was := string(s[at : at+len(c)])
				copy(s[at:], c)
				got, valid := appendQuoted(nil, s)
				if want, ok := slowQuote(s); valid != ok || string(got) != want {
					t.Errorf("%d bytes, %q at %d: not quoted as it should be", n, c, at)
				}
				copy(s[at:], was)
			}
		}
	}
}

// TestQuoteDense has strings that get up to six times as long.
func TestQuoteDense(t *testing.T) {
	for n := 0; n < 700; n += 1 + n/64 {
		for _, c := range []string{"\x01", "\n", `"`, "\xff", "\b\f", "a\x00", "\"\\\u2028"} {
			checkQuoted(t, []byte(strings.Repeat(c, n/len(c))))
		}
	}
}

// TestQuoteRandom mixes plain text, escapes, and characters of all lengths, whole
// and broken.
func TestQuoteRandom(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	valid, invalid := 0, 0
	for i := range 20_000 {
		size := 12
		if i%20 == 0 {
			size = 200
		}
		s := randomText(rnd, size, true)
		checkQuoted(t, s)
		if utf8.Valid(s) {
			valid++
		} else {
			invalid++
		}
	}
	if valid < 2000 || invalid < 2000 {
		t.Errorf("only %d valid and %d invalid texts: this tested little", valid, invalid)
	}
}

// TestQuoteTable is rule 10 as it can be read.
func TestQuoteTable(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", `""`},
		{`say "hi"`, `"say \"hi\""`},
		{`C:\temp`, `"C:\\temp"`},
		{"\b\t\n\f\r", `"\b\t\n\f\r"`},
		{"\x00\x01\x0b\x1f", `"\u0000\u0001\u000b\u001f"`},
		{"\x7f\u0080\u009f", "\"\x7f\u0080\u009f\""},
		{"/<>&'", `"/<>&'"`},
		{"\u2028\u2029\ufffe\uffff", "\"\u2028\u2029\ufffe\uffff\""},
		{"😀\U0010ffff", "\"😀\U0010ffff\""},
	} {
		if got, valid := appendQuoted(nil, []byte(c.in)); string(got) != c.want || !valid {
			t.Errorf("%q is quoted as %s, valid: %v; want %s", c.in, got, valid, c.want)
		}
		checkQuoted(t, []byte(c.in))
	}
}

// TestQuoteDoesNotAllocate wants nothing where dst has room for the longest form.
func TestQuoteDoesNotAllocate(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		s := randomText(rnd, 100, true)
		dst := make([]byte, 0, 6*len(s)+1000)
		if n := testing.AllocsPerRun(10, func() { dst, _ = appendQuoted(dst[:0], s) }); n != 0 {
			t.Fatalf("%v allocations for %q", n, s)
		}
	}
}

// TestLongText has a Writer quote texts of lengths at which another way may be
// taken, sonic's among them: the bytes and the verdict are the same.
func TestLongText(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	for _, reject := range []bool{false, true} {
		w, err := NewWriter(Options{RejectInvalidUTF8: reject})
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{100, 191, 192, 193, 1022, 1023, 1024, 1025, 1026, 1100, 5000, 64 << 10} {
			for range 40 {
				s := bytes.Repeat(randomText(rnd, 30, true), 1+n/20)
				s = s[:min(n, len(s))] // may cut a character
				w.end, w.err = 1<<30, nil
				out := w.text([]byte("prefix:"), s, change.TextSQL, 0)
				want, valid := slowQuote(s)
				if refuse := reject && !valid; refuse != (w.err != nil) {
					t.Fatalf("%d bytes, reject %v: %v", len(s), reject, w.err)
				} else if !refuse && string(out) != "prefix:"+want {
					t.Fatalf("%d bytes: got %.200q want %.200q", len(s), out, "prefix:"+want)
				}
			}
		}
	}
}

// TestEachWay runs the tests of quoting again as they would run on a machine
// without the instructions of this one.
func TestEachWay(t *testing.T) {
	if !setBlocks(false) {
		t.Skip("there is one way only")
	}
	defer setBlocks(true)
	t.Run("long", TestQuoteLong)
	t.Run("dense", TestQuoteDense)
	t.Run("random", TestQuoteRandom)
	t.Run("text", TestLongText)
}

// TestToEscape holds the word-wise test to the rule, in its lowest set byte.
func TestToEscape(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	for range 200_000 {
		var b [8]byte
		for i := range b {
			b[i] = byte(rnd.Uint32())
			if rnd.IntN(3) == 0 {
				b[i] = special[rnd.IntN(len(special))]
			}
		}
		want := -1
		for i, c := range b {
			if c < 0x20 || c == '"' || c == '\\' {
				want = i
				break
			}
		}
		if got := lowest(toEscape(load(b))); got != want {
			t.Fatalf("%x: byte %d, want %d", b, got, want)
		}
	}
}

// load returns b as the word that appendQuoted sees.
func load(b [8]byte) (w uint64) {
	for i, c := range b {
		w |= uint64(c) << (8 * i)
	}
	return w
}

// lowest returns the number of the lowest byte of m that has its high bit set,
// -1 where m is 0.
func lowest(m uint64) int {
	for i := range 8 {
		if m>>(8*i)&0x80 != 0 {
			return i
		}
	}
	return -1
}
