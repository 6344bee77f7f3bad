//go:build (amd64 || arm64) && !purego

package fastjson

import (
	"bytes"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/bytedance/sonic"
	"github.com/bytedance/sonic/encoder"
)

// TestSonicIsNative looks whether sonic is what we think it is. On a Go that it
// does not know it turns into encoding/json without a word: all still works, but
// Message and long strings are several times slower, and no figure of ours holds.
func TestSonicIsNative(t *testing.T) {
	if sonic.APIKind != sonic.UseSonicJSON {
		t.Errorf("sonic is not native code with %s on %s but falls back to encoding/json (APIKind %d): "+
			"move to a version of github.com/bytedance/sonic that knows this Go, or build with -tags purego",
			runtime.Version(), runtime.GOARCH, sonic.APIKind)
	}
}

// TestSonicReadsOurs has sonic read what we quote: an outside opinion of our
// escapes and of our repair.
func TestSonicReadsOurs(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	check := func(s []byte) {
		quoted, _ := appendQuoted(nil, s)
		var got string
		if err := sonic.Unmarshal(quoted, &got); err != nil {
			t.Fatalf("sonic cannot read %s: %v", quoted, err)
		}
		if want := slowRepair(s); got != want {
			t.Fatalf("sonic reads %s as %q, want %q", quoted, got, want)
		}
	}
	for range 20_000 {
		check(randomText(rnd, 20, true))
	}
	for range 200 {
		check(bytes.Repeat(randomText(rnd, 20, true), 100))
	}
	forEachSequence(2, check)
}

// TestSonicWritesOurs holds our quoting to sonic's, where the two agree on the
// rules: text without \b, \f and bad UTF-8.
func TestSonicWritesOurs(t *testing.T) {
	rnd := rand.New(rand.NewPCG(9, 10))
	check := func(s []byte) {
		if bytes.ContainsAny(s, "\b\f") || !utf8.Valid(s) {
			return
		}
		want, err := encoder.Encode(string(s), 0)
		if err != nil {
			t.Fatal(err)
		}
		if got, valid := appendQuoted(nil, s); !bytes.Equal(got, want) || !valid {
			t.Fatalf("%q: ours %s, sonic's %s", s, got, want)
		}
	}
	for range 20_000 {
		check(randomText(rnd, 20, false))
	}
	for range 200 {
		check(bytes.Repeat(randomText(rnd, 20, false), 100))
	}
	for c := range rune(0x3000) {
		check([]byte(strings.Repeat("x", int(c%9)) + string(c) + "y"))
	}
}

// TestTiCDC_8_SonicWritesOurs holds our quoting in dialect ticdc to sonic's on any
// text: with these options the rules are the same.
func TestTiCDC_8_SonicWritesOurs(t *testing.T) {
	rnd := rand.New(rand.NewPCG(13, 14))
	invalid := 0
	check := func(s []byte) {
		want, err := encoder.Encode(string(s), encoder.EscapeHTML|encoder.ValidateString)
		if err != nil {
			t.Fatal(err)
		}
		got, valid := appendTiCDCQuoted(nil, s)
		if !bytes.Equal(got, want) || valid != utf8.Valid(s) {
			t.Fatalf("%q: ours %s, sonic's %s", s, got, want)
		}
		if !valid {
			invalid++
		}
	}
	for range 20_000 {
		s := randomText(rnd, 20, true)
		check(append(s, ticdcPieces[rnd.IntN(len(ticdcPieces))]...))
	}
	for range 200 {
		check(bytes.Repeat(randomText(rnd, 20, true), 100))
	}
	for c := range rune(0x3000) {
		check([]byte(strings.Repeat("x", int(c%9)) + string(c) + "y"))
	}
	forEachSequence(2, check)
	if invalid < 5000 {
		t.Errorf("only %d texts were invalid: this tested little", invalid)
	}
}

// TestLongQuoter has sonic append strings of lengths around sonicFrom, with dst
// full or roomy: the bytes must be ours, or it must say no and leave dst alone.
func TestLongQuoter(t *testing.T) {
	rnd := rand.New(rand.NewPCG(11, 12))
	var q longQuoter
	yes, no := 0, 0
	for _, n := range []int{0, 1, 100, sonicFrom - 1, sonicFrom, sonicFrom + 1, sonicFrom + 63, 3 * sonicFrom, 64 << 10} {
		for range 60 {
			s := bytes.Repeat(randomText(rnd, 30, true), 1+n/20)
			s = s[:min(n, len(s))] // may cut a character
			for _, room := range []int{0, 16, 6*n + 64} {
				dst := append(make([]byte, 0, 7+room), "prefix:"...)
				out, ok := q.append(dst, s)
				want, valid := slowQuote(s)
				if safe := valid && !bytes.ContainsAny(s, "\b\f"); ok != safe {
					t.Fatalf("%d bytes: ok %v, want %v", len(s), ok, safe)
				}
				if !ok {
					want = ""
					no++
				} else {
					yes++
				}
				if string(out) != "prefix:"+want {
					t.Fatalf("%d bytes, %d of room: got %.200q want %.200q", len(s), room, out, "prefix:"+want)
				}
				if q.s != "" || q.buf != nil {
					t.Fatal("it keeps what it was given")
				}
			}
		}
	}
	if yes < 200 || no < 200 {
		t.Errorf("%d times yes, %d times no: this tested little", yes, no)
	}
}
