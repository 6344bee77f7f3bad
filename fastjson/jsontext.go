package fastjson

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
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
//	how many bytes it has there, and how many here   uvarints
//	the text
//
// Entries are grouped by blocks of 256 bytes of the message, so that the low byte
// tells them apart and few are to be looked at. That comes to less than what
// the strings take in the message, with what is there to find them.
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

// add takes the string of b whose text is b[at:end], if there is room.
func (t *textStore) add(b []byte, at, end int) {
	// The text is shorter here than there.
	size := 1 + 2*uvarintLen(end-at) + end - at - 1
	if t.missing > 0 || cap(t.entries)-len(t.entries) < size {
		if t.missing == 0 {
			t.from = at
		}
		t.missing += size
		return
	}
	t.put(b, at, end)
}

// put is add where there is room.
func (t *textStore) put(b []byte, at, end int) {
	if block := at >> 8; block != t.block {
		for len(t.blocks) <= block {
			t.blocks = append(t.blocks, 0)
		}
		t.blocks[block], t.block = uint32(len(t.entries)), block
	}
	t.entries = append(t.entries, byte(at))
	t.entries = binary.AppendUvarint(t.entries, uint64(end-at))
	// How many bytes it will be is known afterwards; there is room to move it.
	n := len(t.entries)
	t.entries, _ = appendUnescaped(t.entries, b, at)
	length := len(t.entries) - n
	var prefix [binary.MaxVarintLen64]byte
	k := binary.PutUvarint(prefix[:], uint64(length))
	t.entries = append(t.entries, prefix[:k]...)
	copy(t.entries[n+k:], t.entries[n:n+length])
	copy(t.entries[n:], prefix[:k])
}

// complete takes what found no room, after all of b has been checked.
func (t *textStore) complete(b []byte) {
	if t.missing == 0 {
		return
	}
	grown := make([]byte, len(t.entries), max(len(t.entries)+t.missing, leastTexts))
	copy(grown, t.entries)
	t.entries = grown
	for p := t.from; ; {
		end := stringEnd(b, p)
		if bytes.IndexByte(b[p:end], '\\') >= 0 {
			t.put(b, p, end)
		}
		quote := bytes.IndexByte(b[end+1:], '"')
		if quote < 0 {
			break
		}
		p = end + 1 + quote + 1
	}
	t.missing = 0
}

// get returns the text of the string of b whose text begins at at, capped, and
// where it ends there. ok is false if it has no escapes, as far as t knows.
func (t *textStore) get(b []byte, at int) (text []byte, end int, ok bool) {
	if at>>8 >= len(t.blocks) {
		return nil, 0, false
	}
	p := int(t.blocks[at>>8])
	for p < len(t.entries) {
		low := t.entries[p]
		raw, k := binary.Uvarint(t.entries[p+1:])
		n, l := binary.Uvarint(t.entries[p+1+k:])
		if p += 1 + k + l; low == byte(at) {
			return t.entries[p : p+int(n) : p+int(n)], at + int(raw), true
		} else if low > byte(at) {
			break
		}
		p += int(n)
	}
	return nil, 0, false
}

func uvarintLen(n int) int { return (bits.Len(uint(n|1)) + 6) / 7 }

// textEnd returns the position, from p on, of the first quote, backslash or
// control character of b; len(b) if there is none.
func textEnd(b []byte, p int) int {
	for p+8 <= len(b) {
		if m := toEscape(binary.LittleEndian.Uint64(b[p:])); m != 0 {
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
	for i < len(b) && b[i] != '"' {
		if b[i] != '\\' {
			return textRef{}, r.fail(i, ErrControl)
		}
		n := escapeLen(b, i)
		if n == 0 {
			if i+1 >= len(b) || b[i+1] == 'u' && len(b)-i < 6 && bytes.IndexByte(b[i:], '"') < 0 {
				return textRef{}, r.fail(len(b), ErrEnd)
			}
			return textRef{}, r.fail(i, ErrEscape)
		}
		i = textEnd(b, i+n)
	}
	if i >= len(b) {
		return textRef{}, r.fail(len(b), ErrEnd)
	}
	r.store.add(b, p, i)
	return textRef{uint32(p), uint32(i-p) | escapedText}, i + 1
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

// appendUnescaped appends the text of a string that begins at p and has been
// checked, and returns the position of the quote that ends it. A surrogate that
// has no other half becomes U+FFFD.
func appendUnescaped(dst, b []byte, p int) (out []byte, end int) {
	for {
		i := textEnd(b, p)
		dst = append(dst, b[p:i]...)
		if i+1 >= len(b) || b[i] != '\\' {
			return dst, i
		}
		p = i + 2
		switch c := b[i+1]; c {
		case 'b':
			dst = append(dst, '\b')
		case 'f':
			dst = append(dst, '\f')
		case 'n':
			dst = append(dst, '\n')
		case 'r':
			dst = append(dst, '\r')
		case 't':
			dst = append(dst, '\t')
		case 'u':
			v, _ := hex4(b, p)
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
			p = min(p, len(b))
		default:
			dst = append(dst, c)
		}
	}
}
