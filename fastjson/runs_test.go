package fastjson

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"
)

// TestEscapeRuns calls it with every relation of string and room: what it says it has done
// is done, nothing else is written, and it stops only where it may.
func TestEscapeRuns(t *testing.T) {
	rnd := rand.New(rand.NewPCG(15, 16))
	const guard = 300
	done, stopped := 0, 0
	check := func(src []byte, room int, ignoreHigh uint64) {
		in := bytes.Clone(src)
		memory := bytes.Repeat([]byte{'~'}, room+guard)
		n, i := escapeRuns(memory[:room:room], in[:len(in):len(in)], ignoreHigh)
		if !bytes.Equal(in, src) {
			t.Fatalf("the string was written to: %q", src)
		}
		if at := bytes.IndexFunc(memory[room:], func(r rune) bool { return r != '~' }); at >= 0 {
			t.Fatalf("room of %d: byte %d was written", room, room+at)
		}
		var want []byte
		for _, c := range src[:i] {
			if shortEscapes[c] == 0 && (c < 0x80 || ignoreHigh == 0) {
				t.Fatalf("it has read %#x in %q", c, src[:i])
			}
			if c < 0x20 || c == '"' || c == '\\' {
				want = appendEscaped(want, c)
			} else {
				want = append(want, c)
			}
		}
		if !bytes.Equal(memory[:n], want) {
			t.Fatalf("%q\n got %q\nwant %q", src[:i], memory[:n], want)
		}
		if len(src)-i >= 2*runsFrom && room-n >= 3*runsFrom {
			if c := src[i]; shortEscapes[c] != 0 || c >= 0x80 && ignoreHigh != 0 {
				t.Fatalf("%d of %d bytes read, %d of %d written: it could go on", i, len(src), n, room)
			}
			stopped++
		}
		done += i
	}
	for range 10_000 {
		src := randomText(rnd, 1+rnd.IntN(200), true)
		if rnd.IntN(3) == 0 {
			src = bytes.Repeat(src, 20)
		}
		room := 2*len(src) + 3*runsFrom
		if rnd.IntN(4) == 0 {
			room = rnd.IntN(room)
		}
		check(src, room, 0)
		check(src, room, math.MaxUint64)
	}
	// Every byte behind every other one that is escaped, at each place of a group; and runs
	// that are longer than backslashes are looked for.
	for c := range 256 {
		for at := range 70 {
			src := bytes.Repeat([]byte("#]"), 200)
			src[at], src[at+1+at%3] = special[at%len(special)], byte(c)
			check(src, 1000, 0)
			check(src, 1000, math.MaxUint64)
		}
		src := bytes.Repeat([]byte("plain text"), 2000)
		src[slashAhead-100+c] = '\\'
		src[2*slashAhead+c] = special[c%len(special)]
		check(src, 2*len(src), 0)
		check(src, 2*len(src), math.MaxUint64)
	}
	if done < 500_000 || stopped < 1000 {
		t.Errorf("%d bytes were quoted, %d times it stopped: this tested little", done, stopped)
	}
}
