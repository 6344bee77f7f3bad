package fastjson

import (
	"math/bits"
	"slices"
	"strconv"
	"unicode/utf8"
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
		copy16(out, f.n+i, text, int(c.name.off)+i)
	}
	f.n += name
	if flags&flagNull != 0 {
		store64(out, f.n, 'n'|'u'<<8|'l'<<16|'l'<<24)
		f.n += 4
		return true
	}
	return f.quote(v, n)
}

// quoteAny writes a string of any length.
func (f *fused) quoteAny(s []byte) bool {
	out, valid := appendQuoted(f.out[:f.n], s)
	f.out, f.n = out[:cap(out)], len(out)
	return valid || !f.reject
}

// quote writes n bytes of the Entry at v as a JSON string. For short ones there
// is room if nothing needs an escape, and that is what this function is for: it
// may read what follows the value in the Entry, and write into the slack.
func (f *fused) quote(v, n int) bool {
	if n >= blocksFrom {
		return f.quoteAny(f.b[v : v+n])
	}
	b, out := f.b, f.out
	at := f.n // where the next byte goes
	out[at] = '"'
	at++
	end := v + n
	watch := uint64(highs)
	for {
		for v+8 <= end {
			w := load64(b, v)
			store64(out, at, w)
			if m := toEscape(w) | w&watch; m != 0 {
				k := bits.TrailingZeros64(m) / 8
				v += k
				at += k
				goto special
			}
			v += 8
			at += 8
		}
		if v+8 <= len(b) {
			w := load64(b, v)
			store64(out, at, w)
			m := (toEscape(w) | w&watch) & (1<<(8*uint(end-v)) - 1)
			k := end - v
			if m != 0 {
				k = bits.TrailingZeros64(m) / 8
			}
			v += k
			at += k
		}
		for v < end && b[v] >= 0x20 && b[v] != '"' && b[v] != '\\' && uint64(b[v])&watch == 0 {
			out[at] = b[v]
			v++
			at++
		}
		if v == end {
			out[at] = '"'
			f.n = at + 1
			return true
		}
	special:
		c := b[v]
		if c >= 0x80 {
			if !utf8.Valid(b[v:end]) {
				rest := appendRepaired(out[:at], b[v:end])
				f.out, f.n = rest[:cap(rest)], len(rest)
				return !f.reject
			}
			watch = 0
			continue
		}
		f.n = at
		f.room(end - v + 6)
		out = f.out
		at = len(appendEscaped(out[:at], c))
		v++
	}
}
