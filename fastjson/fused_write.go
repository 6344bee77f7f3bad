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

// member writes the name of a column and its value: n bytes of the Entry at v.
// It returns false where the value may not be shown.
func (f *fused) member(c *columnLayout, v, n, flags int) bool {
	name := int(c.name.n)
	f.room(name + n + 2 + 8)
	out, text := f.out, f.cache.text
	for i := 0; i < name; i += 16 {
		mem.Copy16(out, f.n+i, text, int(c.name.off)+i)
	}
	f.n += name
	if flags&flagNull != 0 {
		mem.Store64(out, f.n, 'n'|'u'<<8|'l'<<16|'l'<<24)
		f.n += 4
		return true
	}
	return f.quote(v, n)
}

// quote writes n bytes of the Entry at v as a JSON string. There is room for it
// if nothing needs an escape.
func (f *fused) quote(v, n int) bool {
	if haveBlocks && n >= fusedBlocksFrom {
		return f.quoteBlocks(v, n)
	}
	return f.quoteWords(v, n)
}

// fusedBlocksFrom is the length from which escapeBlocks is faster than eight
// bytes at a time. It is shorter than blocksFrom because here, where the rest of
// the Entry lies behind the value, one call is enough for all of it.
const fusedBlocksFrom = 12

// quoteBlocks is quote with escapeBlocks.
func (f *fused) quoteBlocks(v, n int) bool {
	b, end := f.b, v+n
	watch := uint64(highs)
	f.byte('"')
	for {
		f.room(end - v + (end-v)/8 + 96)
		d, s := escapeBlocks(&f.out[f.n], len(f.out)-f.n, &b[v], end-v, len(b)-v, ignoring(watch))
		f.n += d
		v += s
		if v == end {
			f.out[f.n] = '"'
			f.n++
			return true
		}
		switch c := b[v]; {
		case c >= 0x80 && watch != 0 && utf8.Valid(b[v:end]):
			watch = 0
		case c < 0x20:
			f.room(6)
			f.n = len(appendEscaped(f.out[:f.n], c))
			if v++; v < end {
				continue
			}
			fallthrough
		default: // too near the end of the Entry, or not UTF-8
			out, valid := appendRest(f.out[:f.n], b[v:end], watch)
			f.out, f.n = out[:cap(out)], len(out)
			return valid || !f.reject
		}
	}
}

// quoteWords is quote for values that are mostly short and have nothing to
// escape. It may read what follows the value in the Entry, and write into the
// slack.
func (f *fused) quoteWords(v, n int) bool {
	b, out := f.b, f.out
	at := f.n // where the next byte goes
	out[at] = '"'
	at++
	end := v + n
	for v+8 <= end {
		w := f.v.U64(v)
		mem.Store64(out, at, w)
		if m := toEscape(w) | w&highs; m != 0 {
			k := bits.TrailingZeros64(m) / 8
			return f.quoteRest(v+k, end, at+k)
		}
		v += 8
		at += 8
	}
	if v+8 <= len(b) {
		w := f.v.U64(v)
		mem.Store64(out, at, w)
		if m := (toEscape(w) | w&highs) & (1<<(8*uint(end-v)) - 1); m != 0 {
			k := bits.TrailingZeros64(m) / 8
			return f.quoteRest(v+k, end, at+k)
		}
		at += end - v
		out[at] = '"'
		f.n = at + 1
		return true
	}
	return f.quoteRest(v, end, at)
}

// quoteRest writes the rest of a string, b[v:end], and its closing quote, at.
func (f *fused) quoteRest(v, end, at int) bool {
	out, valid := appendRest(f.out[:at], f.b[v:end], highs)
	f.out, f.n = out[:cap(out)], len(out)
	return valid || !f.reject
}
