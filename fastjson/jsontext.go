package fastjson

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/cdcodec/cdcodec/internal/mem"
)

// Strings of a message that is read. One without a backslash is used where it
// lies. The others are unescaped once, into a textStore that keeps them as long
// as the message, and are found there by their place in the message.

// textRef is a string in a message: where its text begins, behind the quote, and
// how many bytes it has there. The zero textRef is no string.
type textRef struct{ at, n uint32 }

// escapedText is set in the n of a string that has a backslash.
const escapedText = 1 << 31

func (t textRef) isEscaped() bool { return t.n&escapedText != 0 }
func (t textRef) end() int        { return int(t.at) + int(t.n&^escapedText) }

// textStore holds the unescaped texts of the strings that have escapes, in their
// order in the message. An entry is
//
//	where the text begins in the message, its low byte
//	how many bytes it has there, and how many here: each uint16, little-endian
//	the same as uint32, if the first is 65535
//	the text
//
// Entries are grouped by blocks of 256 bytes of the message, so that the low byte
// tells them apart and few are to be looked at. All that is little more than what
// the strings take in the message.
type textStore struct {
	entries []byte
	blocks  []uint32 // by block of the message: where its first entry is
	block   int      // of the last entry; -1: there is none
	missing int      // bytes of entries that found no room
	from    int      // where the text of the first of those begins
}

const (
	keepTexts  = 128 << 10 // more room than that is given back
	leastTexts = 1 << 10   // room to begin with
)

// reset empties t.
func (t *textStore) reset() {
	t.entries, t.block, t.missing, t.from = t.entries[:0], -1, 0, 0
}

// release gives memory back that has become large.
func (t *textStore) release() {
	if cap(t.entries) > keepTexts {
		t.entries = nil
	}
	if cap(t.blocks) > keepTexts/4 {
		t.blocks = nil
	}
	t.reset()
}

// The bytes before the text of an entry.
const (
	entryPrefix     = 5
	longEntryPrefix = entryPrefix + 8
	longEntry       = 1<<16 - 1 // the length from which an entry is long
)

// add takes the string of b whose text begins at at and has its first escape at
// i, and returns where it ends. That is -1 where it is no string, and where there
// is no room for it.
func (t *textStore) add(b []byte, at, i int) (end int) {
	n := len(t.entries)
	if t.missing > 0 || cap(t.entries)-n < longEntryPrefix {
		return -1
	}
	out, end := appendUnescaped(t.entries[:n+entryPrefix], b, at, i, cap(t.entries)-8)
	if end >= 0 {
		t.finish(b, out, at, end)
	}
	return end
}

// finish makes an entry of what appendUnescaped has put behind the others, with
// room for 8 bytes more.
func (t *textStore) finish(b, out []byte, at, end int) {
	n := len(t.entries)
	if block := at >> 8; block != t.block {
		for len(t.blocks) <= block {
			t.blocks = append(t.blocks, 0)
		}
		t.blocks[block], t.block = uint32(n), block
	}
	out[n] = byte(at)
	raw, length := end-at, len(out)-n-entryPrefix
	if raw < longEntry {
		binary.LittleEndian.PutUint16(out[n+1:], uint16(raw))
		binary.LittleEndian.PutUint16(out[n+3:], uint16(length))
	} else {
		text := n + entryPrefix
		out = out[:len(out)+longEntryPrefix-entryPrefix]
		copy(out[text+8:], out[text:text+length])
		binary.LittleEndian.PutUint32(out[n+1:], 1<<32-1)
		binary.LittleEndian.PutUint32(out[text:], uint32(raw))
		binary.LittleEndian.PutUint32(out[text+4:], uint32(length))
	}
	t.entries = out
}

// lacks notes that there was no room for the string of b whose text is b[at:end].
func (t *textStore) lacks(at, end int) {
	if t.missing == 0 {
		t.from = at
	}
	// The text is shorter here than there.
	t.missing += end - at - 1 + entryPrefix
	if end-at >= longEntry {
		t.missing += longEntryPrefix - entryPrefix
	}
}

// complete takes what found no room, after all of b has been checked.
func (t *textStore) complete(b []byte) {
	if t.missing == 0 {
		return
	}
	missing := t.missing
	t.missing = 0
	// The room that add wants to see goes to the last entry only.
	grown := make([]byte, len(t.entries), max(len(t.entries)+missing+longEntryPrefix, leastTexts))
	copy(grown, t.entries)
	t.entries = grown
	for p := t.from; ; {
		end := textEnd(b, p)
		if b[end] == '\\' {
			if end = t.add(b, p, end); end < 0 {
				return // never: there is room
			}
		}
		quote := bytes.IndexByte(b[end+1:], '"')
		if quote < 0 {
			break
		}
		p = end + 1 + quote + 1
	}
}

// get returns the text of the string of b whose text begins at at, capped, and
// where it ends there. ok is false if it has no escapes, as far as t knows.
func (t *textStore) get(at int) (text []byte, end int, ok bool) {
	if at>>8 >= len(t.blocks) {
		return nil, 0, false
	}
	for p := int(t.blocks[at>>8]); p+entryPrefix <= len(t.entries); {
		e := t.entries[p:]
		raw, n := int(binary.LittleEndian.Uint16(e[1:])), int(binary.LittleEndian.Uint16(e[3:]))
		p += entryPrefix
		if raw == longEntry {
			raw, n = int(binary.LittleEndian.Uint32(e[5:])), int(binary.LittleEndian.Uint32(e[9:]))
			p += longEntryPrefix - entryPrefix
		}
		switch low := e[0]; {
		case low == byte(at):
			return t.entries[p : p+n : p+n], at + raw, true
		case low > byte(at):
			return nil, 0, false
		}
		p += n
	}
	return nil, 0, false
}

// textEnd returns the position, from p on, of the first quote, backslash or
// control character of b; len(b) if there is none.
func textEnd(b []byte, p int) int {
	v := mem.Of(b)
	for p+8 <= len(b) {
		if m := toEscape(v.U64(p)); m != 0 {
			return p + bits.TrailingZeros64(m)/8
		}
		p += 8
	}
	for p < len(b) && b[p] >= 0x20 && b[p] != '"' && b[p] != '\\' {
		p++
	}
	return p
}

// stringEnd returns the position of the quote that ends the string whose text
// begins at p, where all has been checked.
func stringEnd(b []byte, p int) int {
	for {
		p = textEnd(b, p)
		if p >= len(b) || b[p] == '"' {
			return min(p, len(b))
		}
		p += 1 + int(b[p]>>6&1) // a backslash and what it escapes; else the message has changed
	}
}

// str checks the string whose text begins at p, and returns it and the position
// behind its closing quote; -1 after fail.
func (r *Reader) str(p int) (textRef, int) {
	i := textEnd(r.b, p)
	if i < len(r.b) && r.b[i] == '"' {
		return textRef{uint32(p), uint32(i - p)}, i + 1
	}
	return r.strSlow(p, i)
}

// strSlow is str from i on, where the first byte is that is not plain text.
func (r *Reader) strSlow(p, i int) (textRef, int) {
	b := r.b
	end := -1
	if i < len(b) && b[i] == '\\' {
		end = r.store.add(b, p, i)
	}
	if end < 0 {
		if end = r.checkText(i); end < 0 {
			return textRef{}, -1
		}
		r.store.lacks(p, end)
	}
	return textRef{uint32(p), uint32(end-p) | escapedText}, end + 1
}

// checkText checks the text of a string from i on and returns where it ends.
func (r *Reader) checkText(i int) (end int) {
	b := r.b
	for i < len(b) && b[i] != '"' {
		if b[i] != '\\' {
			return r.fail(i, ErrControl)
		}
		n := escapeLen(b, i)
		if n == 0 {
			if i+1 >= len(b) || b[i+1] == 'u' && len(b)-i < 6 && bytes.IndexByte(b[i:], '"') < 0 {
				return r.fail(len(b), ErrEnd)
			}
			return r.fail(i, ErrEscape)
		}
		i = textEnd(b, i+n)
	}
	if i >= len(b) {
		return r.fail(len(b), ErrEnd)
	}
	return i
}

// escapeLen returns how many bytes the escape at i has, 0 if it is none.
func escapeLen(b []byte, i int) int {
	if i+1 >= len(b) {
		return 0
	}
	switch b[i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if _, ok := hex4(b, i+2); ok {
			return 6
		}
	}
	return 0
}

// hex4 reads four hex digits at i.
func hex4(b []byte, i int) (v rune, ok bool) {
	if i+4 > len(b) {
		return 0, false
	}
	for _, c := range b[i : i+4] {
		switch {
		case c-'0' < 10:
			c -= '0'
		case c|0x20-'a' < 6:
			c = c | 0x20 - 'a' + 10
		default:
			return 0, false
		}
		v = v<<4 | rune(c)
	}
	return v, true
}

// shortEscape has for each letter what it stands for behind a backslash; 0 for
// those that do not.
var shortEscape = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// appendUnescaped appends the text of the string that begins at p and has its
// first backslash at i, and returns the position of the quote that ends it; -1
// where there is none, an escape is none, there is a control character, or dst
// would become longer than most. A surrogate that has no other half becomes U+FFFD.
func appendUnescaped(dst, b []byte, p, i, most int) (out []byte, end int) {
	for {
		if len(dst)+i-p+utf8.UTFMax > most {
			return dst, -1
		}
		dst = append(dst, b[p:i]...)
		if i+1 >= len(b) || b[i] != '\\' {
			if i < len(b) && b[i] == '"' {
				return dst, i
			}
			return dst, -1
		}
		c := b[i+1]
		if p = i + 2; c != 'u' {
			if c = shortEscape[c]; c == 0 {
				return dst, -1
			}
			dst = append(dst, c)
		} else {
			v, ok := hex4(b, p)
			if !ok {
				return dst, -1
			}
			p += 4
			if utf16.IsSurrogate(v) {
				low := rune(-1)
				if p+6 <= len(b) && b[p] == '\\' && b[p+1] == 'u' {
					low, _ = hex4(b, p+2)
				}
				if v = utf16.DecodeRune(v, low); v != utf8.RuneError {
					p += 6
				}
			}
			dst = utf8.AppendRune(dst, v)
		}
		i = textEnd(b, p)
	}
}
