//go:build !purego

package fastjson

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"
)

// setBlocks turns the use of escapeBlocks on or off and returns whether it was on.
func setBlocks(on bool) (was bool) {
	was, haveBlocks = haveBlocks, on
	return was
}

// TestEscapeBlocks calls it with every relation of string, memory behind it and
// room: what it says it has done is done, nothing else is written, and it stops
// only where it may.
func TestEscapeBlocks(t *testing.T) {
	if !haveBlocks {
		t.Skip("this machine has not the instructions")
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	const guard = 300
	done := 0
	for range 30_000 {
		src := append(randomText(rnd, 40, true), make([]byte, 1+rnd.IntN(100))...)
		avail := 1 + rnd.IntN(len(src))
		n := 1 + rnd.IntN(avail)
		if rnd.IntN(2) == 0 {
			n = avail
		}
		room := 1 + rnd.IntN(2*n+300)
		var ignoreHigh uint64
		if rnd.IntN(2) == 0 {
			ignoreHigh = math.MaxUint64
		}

		in := bytes.Clone(src)
		memory := bytes.Repeat([]byte{'~'}, room+guard)
		d, s := escapeBlocks(&memory[0], room, &in[0], n, avail, ignoreHigh)
		if !bytes.Equal(in, src) {
			t.Fatalf("the string was written to: %q", src)
		}
		if d < 0 || s < 0 || d > room || s > n {
			t.Fatalf("%d of %d bytes read, %d of %d written", s, n, d, room)
		}
		if i := bytes.IndexFunc(memory[room:], func(r rune) bool { return r != '~' }); i >= 0 {
			t.Fatalf("room of %d: byte %d was written", room, room+i)
		}
		var want []byte
		for _, c := range src[:s] {
			if !short(c, ignoreHigh) {
				t.Fatalf("it has read %#x in %q", c, src[:s])
			}
			if c < 0x20 || c == '"' || c == '\\' {
				want = appendEscaped(want, c)
			} else {
				want = append(want, c)
			}
		}
		if !bytes.Equal(memory[:d], want) {
			t.Fatalf("%q\n got %q\nwant %q", src[:s], memory[:d], want)
		}
		if s < n && short(src[s], ignoreHigh) && avail-s >= 64 && room-d >= 96 {
			t.Fatalf("%d of %d bytes (%d there) read, %d of %d written: it could go on at %q", s, n, avail, d, room, src[s:n])
		}
		done += s
	}
	if done < 500_000 {
		t.Errorf("only %d bytes were quoted: this tested little", done)
	}
}

// short reports whether escapeBlocks takes c.
func short(c byte, ignoreHigh uint64) bool {
	return c >= 0x80 && ignoreHigh != 0 || c < 0x80 && (c >= 0x20 || len(appendEscaped(nil, c)) == 2)
}
