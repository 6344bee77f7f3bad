package fastjson

import "bytes"

// Walking a message that has been checked. None of this can fail; where the bytes
// have been written to since, which is not allowed, it gives nonsense, but it
// ends and stays inside.

// textAt returns the text of the string that begins at p, behind its quote, and
// the position of the quote that ends it.
func (r *Reader) textAt(p int) (text []byte, end int) {
	end = textEnd(r.b, p)
	if end < len(r.b) && r.b[end] == '"' {
		return r.b[p:end:end], end
	}
	if text, end, ok := r.store.get(p); ok && end <= len(r.b) {
		return text, end
	}
	return nil, len(r.b)
}

// refAt is textAt for a reference.
func (r *Reader) refAt(p int) textRef {
	end := textEnd(r.b, p)
	if end < len(r.b) && r.b[end] == '"' {
		return textRef{uint32(p), uint32(end - p)}
	}
	return textRef{uint32(p), uint32(stringEnd(r.b, end)-p) | escapedText}
}

// nameAt returns the name of the member, or the string, at p and the position
// behind it.
func (r *Reader) nameAt(p int) (name []byte, next int) {
	name, end := r.textAt(min(p+1, len(r.b)))
	return name, min(end+1, len(r.b))
}

// behindColon returns where the value is of a name that p is behind.
func behindColon(b []byte, p int) int {
	if p+1 < len(b) && b[p] == ':' && b[p+1] > ' ' {
		return p + 1
	}
	p = space(b, p)
	return space(b, min(p+1, len(b)))
}

// valueBehind is valueAt for the value of a name that p is behind.
func (r *Reader) valueBehind(p int) (text []byte, null bool, next int) {
	if b := r.b; p+2 < len(b) && b[p] == ':' && b[p+1] == '"' {
		p += 2
		if end := textEnd(b, p); end < len(b) && b[end] == '"' {
			return b[p:end:end], false, end + 1
		}
		text, end := r.textAt(p)
		return text, false, min(end+1, len(b))
	}
	return r.valueAt(behindColon(r.b, p))
}

// valueAt returns what the value at p is for a column, and the position behind it.
func (r *Reader) valueAt(p int) (text []byte, null bool, next int) {
	switch c := r.peek(p); c {
	case '"':
		text, end := r.textAt(p + 1)
		return text, false, min(end+1, len(r.b))
	case 'n':
		return nil, true, min(p+4, len(r.b))
	}
	next = r.behind(p)
	return r.b[p:next:next], false, next
}

// behind returns the position behind the value at p.
func (r *Reader) behind(p int) int {
	b := r.b
	for depth := 0; p < len(b); {
		switch c := b[p]; c {
		case '"':
			p = min(stringEnd(b, p+1)+1, len(b))
		case '{', '[':
			p++
			depth++
			continue
		case '}', ']':
			p++
			depth--
		case ',', ':', ' ', '\n', '\r', '\t':
			p++
			continue
		default:
			for p++; p < len(b) && !endsWord[b[p]]; {
				p++
			}
		}
		if depth <= 0 {
			return p
		}
	}
	return len(b)
}

// endsWord has the bytes that may follow a number or a word.
var endsWord = [256]bool{',': true, ':': true, '}': true, ']': true, '"': true, '{': true, '[': true, ' ': true, '\n': true, '\r': true, '\t': true}

// follow returns the position of what follows a value that p is behind: the next
// member or element, or, where more is false, what follows the end of all.
func follow(b []byte, p int) (next int, more bool) {
	if p = space(b, p); p >= len(b) {
		return len(b), false
	}
	if b[p] == ',' {
		return space(b, p+1), true
	}
	return p + 1, false
}

// firstMember returns the position of the first member of the element at p, -1
// where that is null or has none.
func (r *Reader) firstMember(p int) int {
	if r.peek(p) != '{' {
		return -1
	}
	if p = space(r.b, p+1); r.peek(p) != '"' {
		return -1
	}
	return p
}

// behindElement returns the position of the element behind the one at p, or, if it
// is the last, the position behind the array.
func (r *Reader) behindElement(p int) int {
	p, _ = follow(r.b, r.behind(p))
	return p
}

// isTextAt reports whether the string that begins at p is t, which has no
// escapes, and ends there too.
func isTextAt(b []byte, p int, t textRef) bool {
	end := p + int(t.n)
	return end < len(b) && b[end] == '"' && bytes.Equal(b[p:end], b[t.at:t.end()])
}
