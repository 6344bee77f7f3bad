package fastjson

import (
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

// decimal writes v, from d if that is what it holds.
func (f *fused) decimal(d *decimal, v int64) {
	d.set(v)
	f.room(len(d.text))
	mem.Copy16(f.out, f.n, d.text[:], 0)
	mem.Copy16(f.out, f.n+16, d.text[:], 16)
	f.n += d.n
}

// member writes the name of a column and its value, n bytes of the Entry at v, at
// a place behind f.n, and returns where it ends; -1 where the value may not be
// shown.
//
// That place goes from call to call as a number of its own and not by way of
// f.n: through memory it would cost five cycles at each step, and all that is
// written waits for it (BenchmarkConvert: bulk -3 %).
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
	if n <= fusedWords {
		return f.quoteWords(v, n, at)
	}
	return f.quoteLong(v, n, at)
}

// shortMember is member for nearly all columns: those with a name and a value of up to
// 32 bytes each of which nothing needs care. It returns -1 for any other, and where the
// end of the Entry or of dst is near. It calls nothing and has no stack frame (bulk -10 %).
func (f *fused) shortMember(c *columnLayout, v, n, flags, at int) int {
	out, text, b := f.out, f.cache.text, f.v
	name := int(c.name.n)
	if n > fusedWords || name > 32 || len(out)-at < 32+fusedWords+2+slack {
		return -1
	}
	mem.Copy16(out, at, text, int(c.name.off))
	mem.Copy16(out, at+16, text, int(c.name.off)+16)
	at += name
	if flags&flagNull != 0 {
		mem.Store64(out, at, 'n'|'u'<<8|'l'<<16|'l'<<24)
		return at + 4
	}
	mem.Store8(out, at, '"')
	at++
	to := at + n
	var m uint64
	switch {
	case n > 16:
		w0, w1, w2, w3 := b.U64(v), b.U64(v+8), b.U64(v+n-16), b.U64(v+n-8)
		mem.Store64(out, at, w0)
		mem.Store64(out, at+8, w1)
		mem.Store64(out, to-16, w2)
		mem.Store64(out, to-8, w3)
		m = needsCare(w0) | needsCare(w1) | needsCare(w2) | needsCare(w3)
	case n >= 8:
		w0, w1 := b.U64(v), b.U64(v+n-8)
		mem.Store64(out, at, w0)
		mem.Store64(out, to-8, w1)
		m = needsCare(w0) | needsCare(w1)
	case v+8 <= len(f.b):
		w := b.U64(v)
		mem.Store64(out, at, w)
		m = needsCare(w) & (1<<(8*uint(n)&63) - 1)
	default:
		return -1
	}
	if m&highs != 0 {
		return -1
	}
	mem.Store8(out, to, '"')
	return to + 1
}

// growTo is grow where what has been written ends at.
func (f *fused) growTo(at, n int) {
	out := slices.Grow(f.out[:at], n)
	f.out = out[:cap(out)]
}

// quote writes n bytes of the Entry at v as a JSON string, at a place, and returns
// where it ends. There is room for it if nothing needs an escape.
func (f *fused) quote(v, n, at int) int {
	if n <= fusedWords {
		return f.quoteWords(v, n, at)
	}
	return f.quoteLong(v, n, at)
}

// quoteLong is quote for more than fusedWords bytes.
func (f *fused) quoteLong(v, n, at int) int {
	if haveBlocks && n <= maxBlocks {
		return f.quoteBlocks(v, n, at)
	}
	f.out[at] = '"'
	return f.quoteRest(v, v+n, at+1, highs)
}

// fusedWords is the length up to which a string is taken as four words.
const fusedWords = 32

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

// quoteWords is quote for up to 32 bytes: as words that overlap, so that there is
// no loop whose end depends on the length, and one test for all of them.
func (f *fused) quoteWords(v, n, at int) int {
	b, out := f.v, f.out
	out[at] = '"'
	at++
	end, to := v+n, at+n
	var m uint64
	switch {
	case n > 16:
		w0, w1, w2, w3 := b.U64(v), b.U64(v+8), b.U64(end-16), b.U64(end-8)
		mem.Store64(out, at, w0)
		mem.Store64(out, at+8, w1)
		mem.Store64(out, to-16, w2)
		mem.Store64(out, to-8, w3)
		m = needsCare(w0) | needsCare(w1) | needsCare(w2) | needsCare(w3)
	case n >= 8:
		w0, w1 := b.U64(v), b.U64(end-8)
		mem.Store64(out, at, w0)
		mem.Store64(out, to-8, w1)
		m = needsCare(w0) | needsCare(w1)
	case v+8 <= len(f.b):
		w := b.U64(v)
		mem.Store64(out, at, w)
		m = needsCare(w) & (1<<(8*uint(n)&63) - 1)
	default:
		return f.quoteRest(v, end, at, highs)
	}
	if m&highs != 0 {
		if s := f.b[v:end]; plain(s, 0) < n || !utf8.Valid(s) {
			return f.quoteRest(v, end, at, highs)
		}
	}
	out[to] = '"'
	return to + 1
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
