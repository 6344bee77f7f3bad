package fastjson

import (
	"math/rand/v2"
	"testing"

	"github.com/cdcodec/cdcodec/internal/repair"
)

// repaired returns what our own code makes of s.
func repaired(s []byte) string {
	var b []byte
	for len(s) > 0 {
		var char []byte
		char, s = repair.Next(s)
		b = append(b, char...)
	}
	return string(b)
}

// TestRepairTable is rule 11 as it can be read.
func TestRepairTable(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"plain, é, 張, 😀, \u2028, \uffff, \ufffd", "plain, é, 張, 😀, \u2028, \uffff, \ufffd"},
		// the examples of the rule
		{"\xed\xa0\x80", "�"},
		{"\xed\xa0b", "�b"},
		{"\xe2\x82a", "�a"},
		{"\xf0\x9f\x98", "�"},
		{"\xc0\x80", "��"},
		// surrogates: a pair, the last one, cut, before what is no tail
		{"\xed\xa0\xbd\xed\xb8\x80", "��"},
		{"\xed\xbf\xbf\x80", "��"},
		{"\xed\xa0", "�"},
		{"\xed\xa0\xed\xa0\x80", "��"},
		{"\xed\xa0é", "�é"},
		{"\xed\x9f", "�"},
		{"\xed", "�"},
		{"\xedé", "�é"},
		// bytes that begin nothing, seconds that do not fit, the highest plus one
		{"\x80\xbf", "��"},
		{"\xc1\xbf", "��"},
		{"\xe0\x9f\xbf", "���"},
		{"\xf0\x8f\xbf\xbf", "����"},
		{"\xf4\x90\x80\x80", "����"},
		{"\xf5\x80\x80\x80", "����"},
		{"\xff\xfe", "��"},
		// cut late
		{"\xf4\x8f\xbf", "�"},
		{"\xf4\x8f\xbfa", "�a"},
		{"\xf1\x80\xe1\x80\xc3", "���"},
	} {
		if got := repaired([]byte(c.in)); got != c.want {
			t.Errorf("%q is repaired to %q, want %q", c.in, got, c.want)
		}
		if got := slowRepair([]byte(c.in)); got != c.want {
			t.Errorf("the reference repairs %q to %q, want %q", c.in, got, c.want)
		}
	}
}

// interesting are the bytes that are the first or the last of a range in UTF-8,
// and some that are not high.
const interesting = "\x00\"a\x7f\x80\x8f\x90\x9f\xa0\xbf\xc0\xc1\xc2\xdf\xe0\xe1\xec\xed\xee\xef\xf0\xf1\xf3\xf4\xf5\xff"

// forEachSequence calls f with all sequences of 1 to n interesting bytes.
func forEachSequence(n int, f func(s []byte)) {
	var extend func(s []byte)
	extend = func(s []byte) {
		if len(s) > 0 {
			f(s)
		}
		if len(s) == n {
			return
		}
		for i := range len(interesting) {
			extend(append(s[:len(s):len(s)], interesting[i]))
		}
	}
	extend(nil)
}

// TestRepairAll repairs all short sequences of bytes that matter, alone and where
// other text is around them.
func TestRepairAll(t *testing.T) {
	check := func(s []byte) {
		if got, want := repaired(s), slowRepair(s); got != want {
			t.Fatalf("%q is repaired to %q, want %q", s, got, want)
		}
		want, valid := slowQuote(s)
		if got, ok := appendQuoted(nil, s); string(got) != want || ok != valid {
			t.Fatalf("%q is quoted as %s, valid: %v; want %s, %v", s, got, ok, want, valid)
		}
		if n := quotedLen(s); n != len(want) {
			t.Fatalf("quotedLen(%q) = %d, want %d", s, n, len(want))
		}
	}
	forEachSequence(3, func(s []byte) {
		check(s)
		check(append([]byte("1234567"), s...)) // over the end of a word
		check(append([]byte("é2345"), append(s[:len(s):len(s)], "tail of it"...)...))
	})
	if !testing.Short() {
		forEachSequence(4, check)
	}
}

// TestSameText holds equality and hashes to equality after repair, for all pairs
// of sequences of two bytes and random pairs of longer ones.
func TestSameText(t *testing.T) {
	var hash textHash
	hash.init()
	same, differ := 0, 0
	check := func(a, b []byte, ra, rb string) {
		want := ra == rb
		if got := repair.Same(a, b); got != want {
			t.Fatalf("sameText(%q, %q) = %v", a, b, got)
		}
		if want && hash.of(a, false) != hash.of(b, false) {
			t.Fatalf("%q and %q have two hashes", a, b)
		}
		if want && string(a) != string(b) {
			same++
		}
		if !want {
			differ++
		}
	}
	var all [][]byte
	var texts []string
	forEachSequence(2, func(s []byte) {
		all, texts = append(all, s), append(texts, slowRepair(s))
	})
	for i, a := range all {
		for j, b := range all {
			check(a, b, texts[i], texts[j])
		}
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 30_000 {
		a := randomText(rnd, 6, true)
		b := randomText(rnd, 6, true)
		switch rnd.IntN(3) {
		case 0:
			b = []byte(slowRepair(a))
		case 1:
			b = append(a[:len(a):len(a)], b...)
		}
		check(a, b, slowRepair(a), slowRepair(b))
	}
	if same < 1000 || differ < 1000 {
		t.Errorf("only %d pairs are the same after repair alone, and %d are not: this tested little", same, differ)
	}
}

// TestHashText wants a text that is not valid to have the hash of what it is
// repaired to, and few others to have it.
func TestHashText(t *testing.T) {
	var hash textHash
	hash.init()
	texts := map[uint32]string{}
	collisions := 0
	forEachSequence(3, func(s []byte) {
		r := slowRepair(s)
		h := hash.of(s, false)
		if h != hash.of([]byte(r), false) {
			t.Fatalf("%q has another hash than %q", s, r)
		}
		if other, ok := texts[h]; ok && other != r {
			collisions++
		}
		texts[h] = r
	})
	if collisions > 5 {
		t.Errorf("%d collisions among %d texts", collisions, len(texts))
	}
}
