package fastjson

import (
	"math/bits"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/cdcodec/cdcodec/internal/mem"
)

// How the fused path writes: into f.out, which is dst to its capacity, at f.n.
// room is asked for first, with slack bytes more, so that texts can be copied in
// whole words.

const slack = 16

// room makes space for n bytes and slack more.
func (f *fused) room(n int) {
	if len(f.out)-f.n < n+slack {
		f.grow(n + slack)
	}
}

func (f *fused) grow(n int) {
	out := slices.Grow(f.out[:f.n], n)
	f.out = out[:cap(out)]
}

// byte writes c.
func (f *fused) byte(c byte) {
	f.room(1)
	f.out[f.n] = c
	f.n++
}

// text writes s.
func (f *fused) text(s string) {
	f.room(len(s))
	f.n += copy(f.out[f.n:], s)
}

// copy writes a text of the arena.
func (f *fused) copy(s span) {
	f.room(int(s.n))
	f.n += copy(f.out[f.n:], f.cache.text[s.off:s.off+s.n])
}

// tail writes the section behind old, with the types that are not the layout's.
func (f *fused) tail(tail span, cols []columnLayout) {
	for _, o := range f.odd {
		number := cols[o.column].number
		f.copy(span{tail.off, number.off - tail.off})
		f.int(int64(o.sqlType))
		after := number.off + number.n
		tail = span{after, tail.off + tail.n - after}
	}
	f.copy(tail)
}

// int writes v.
func (f *fused) int(v int64) {
	f.room(20)
	f.n = len(strconv.AppendInt(f.out[:f.n], v, 10))
}

// member writes the name of a column and its value, n bytes of the Entry at v, at
// a place behind f.n, and returns where it ends; -1 where the value may not be
// shown.
//
// That place goes from call to call as a number of its own and not by way of
// f.n: through memory it would cost five cycles at each step, and all that is
// written waits for it (BenchmarkConvert: bulk -15 %).
func (f *fused) member(c *columnLayout, v, n, flags, at int) int {
	name := int(c.name.n)
	if len(f.out)-at < name+n+2+8+slack {
		f.growTo(at, name+n+2+8+slack)
	}
	out, text := f.out, f.cache.text
	for i := 0; i < name; i += 16 {
		mem.Copy16(out, at+i, text, int(c.name.off)+i)
	}
	at += name
	if flags&flagNull != 0 {
		mem.Store64(out, at, 'n'|'u'<<8|'l'<<16|'l'<<24)
		return at + 4
	}
	return f.quote(v, n, at)
}

// growTo is grow where what has been written ends at.
func (f *fused) growTo(at, n int) {
	out := slices.Grow(f.out[:at], n)
	f.out = out[:cap(out)]
}

// quote writes n bytes of the Entry at v as a JSON string, at a place, and returns
// where it ends. There is room for it if nothing needs an escape.
func (f *fused) quote(v, n, at int) int {
	if haveBlocks && n >= fusedBlocksFrom {
		return f.quoteBlocks(v, n, at)
	}
	return f.quoteWords(v, n, at)
}

// fusedBlocksFrom is the length from which escapeBlocks is faster than eight
// bytes at a time. It is shorter than blocksFrom because here, where the rest of
// the Entry lies behind the value, one call is enough for all of it.
const fusedBlocksFrom = 12

// quoteBlocks is quote with escapeBlocks.
func (f *fused) quoteBlocks(v, n, at int) int {
	b := f.b
	end := v + n
	if len(f.out)-at < n+n/8+96 {
		f.growTo(at, n+n/8+96)
	}
	out := f.out
	out[at] = '"'
	at++
	d, s := escapeBlocks(&out[at], len(out)-at, &b[v], n, len(b)-v, ignoring(highs))
	if d == n && s == n {
		// Not at + d: that would wait for what escapeBlocks finds.
		out[at+n] = '"'
		return at + n + 1
	}
	at += d
	v += s
	watch := uint64(highs)
	for v < end {
		switch c := b[v]; {
		case c >= 0x80 && watch != 0 && utf8.Valid(b[v:end]):
			watch = 0
		case c < 0x20 && v+1 < end:
			f.growTo(at, 6)
			at = len(appendEscaped(f.out[:at], c))
			v++
		default: // too near the end of the Entry, or not UTF-8
			return f.quoteRest(v, end, at, watch)
		}
		f.growTo(at, end-v+(end-v)/8+96)
		d, s := escapeBlocks(&f.out[at], len(f.out)-at, &b[v], end-v, len(b)-v, ignoring(watch))
		at += d
		v += s
	}
	f.growTo(at, 1+slack)
	f.out[at] = '"'
	return at + 1
}

// quoteWords is quote for values that are mostly short and have nothing to
// escape. It may read what follows the value in the Entry, and write into the
// slack.
func (f *fused) quoteWords(v, n, at int) int {
	b, out := f.b, f.out
	out[at] = '"'
	at++
	end := v + n
	for v+8 <= end {
		w := f.v.U64(v)
		mem.Store64(out, at, w)
		if m := toEscape(w) | w&highs; m != 0 {
			k := bits.TrailingZeros64(m) / 8
			return f.quoteRest(v+k, end, at+k, highs)
		}
		v += 8
		at += 8
	}
	if v+8 <= len(b) {
		w := f.v.U64(v)
		mem.Store64(out, at, w)
		if m := (toEscape(w) | w&highs) & (1<<(8*uint(end-v)&63) - 1); m != 0 {
			k := bits.TrailingZeros64(m) / 8
			return f.quoteRest(v+k, end, at+k, highs)
		}
		at += end - v
		out[at] = '"'
		return at + 1
	}
	return f.quoteRest(v, end, at, highs)
}

// quoteRest writes the rest of a string, b[v:end], and its closing quote.
func (f *fused) quoteRest(v, end, at int, watch uint64) int {
	out, valid := appendRest(f.out[:at], f.b[v:end], watch)
	f.out = out[:cap(out)]
	if !valid && f.reject {
		return -1
	}
	return len(out)
}
