package fastjson

// The grammar of JSON (RFC 8259), and nothing but it. A function is given the
// position where something begins, checks it, and returns the position behind
// it; -1 after fail. The functions of reader_walk.go read what these have
// checked.

// maxDepth is how many objects and arrays may be open at a time, the message's
// own among them.
const maxDepth = 1000

// space returns the first position from p on that is not white space.
func space(b []byte, p int) int {
	for p < len(b) && b[p] <= ' ' && (b[p] == ' ' || b[p] == '\n' || b[p] == '\r' || b[p] == '\t') {
		p++
	}
	return p
}

// value checks any value, which depth objects and arrays are around.
func (r *Reader) value(p, depth int) int {
	if p < len(r.b) {
		switch c := r.b[p]; {
		case c == '"':
			_, p = r.str(p + 1)
			return p
		case c-'0' < 10 || c == '-':
			return r.number(p)
		case c == '{' || c == '[':
			return r.nested(p, depth)
		case c == 'n':
			return r.literal(p, "null")
		case c == 't':
			return r.literal(p, "true")
		case c == 'f':
			return r.literal(p, "false")
		}
	}
	return r.unexpected(p)
}

// literal checks a word, whose first letter is there.
func (r *Reader) literal(p int, word string) int {
	for i := range len(word) {
		if p+i >= len(r.b) || r.b[p+i] != word[i] {
			return r.unexpected(p + i)
		}
	}
	return p + len(word)
}

// number checks a number, whose first byte is there.
func (r *Reader) number(p int) int {
	b := r.b
	if b[p] == '-' {
		p++
	}
	if p < len(b) && b[p] == '0' {
		p++
	} else if p = r.digits(p); p < 0 {
		return -1
	}
	if p < len(b) && b[p] == '.' {
		if p = r.digits(p + 1); p < 0 {
			return -1
		}
	}
	if p < len(b) && b[p]|0x20 == 'e' {
		if p++; p < len(b) && (b[p] == '+' || b[p] == '-') {
			p++
		}
		return r.digits(p)
	}
	return p
}

// digits checks one digit or more.
func (r *Reader) digits(p int) int {
	if p >= len(r.b) || r.b[p]-'0' >= 10 {
		return r.unexpected(p)
	}
	for p < len(r.b) && r.b[p]-'0' < 10 {
		p++
	}
	return p
}

// name checks the name of a member and its colon, and returns it and where the
// value begins.
func (r *Reader) name(p int) (textRef, int) {
	if p >= len(r.b) || r.b[p] != '"' {
		return textRef{}, r.unexpected(p)
	}
	ref, p := r.str(p + 1)
	if p < 0 {
		return ref, -1
	}
	return ref, r.colon(p)
}

// colon checks a colon and returns where the value behind it begins.
func (r *Reader) colon(p int) int {
	if p < len(r.b) && r.b[p] != ':' {
		p = space(r.b, p)
	}
	if p >= len(r.b) || r.b[p] != ':' {
		return r.unexpected(p)
	}
	return space(r.b, p+1)
}

// more checks what is behind a value: a comma, and then it returns where the next
// member or element begins, or the end of what is closed that way.
func (r *Reader) more(p int, closing byte) (next int, more bool) {
	p = space(r.b, p)
	if p < len(r.b) {
		switch r.b[p] {
		case ',':
			return space(r.b, p+1), true
		case closing:
			return p + 1, false
		}
	}
	return r.unexpected(p), false
}

// nested checks an object or array, which depth others are around. It takes no
// stack: one bit tells of each level whether it is an object.
func (r *Reader) nested(p, depth int) int {
	var objects [maxDepth/64 + 1]uint64
	outer := depth
	for {
		if c := r.peek(p); c != '{' && c != '[' {
			p = r.value(p, depth)
		} else {
			if depth == maxDepth {
				return r.fail(p, ErrDepth)
			}
			depth++
			if objects[depth/64] &^= 1 << (depth % 64); c == '{' {
				objects[depth/64] |= 1 << (depth % 64)
			}
			p = space(r.b, p+1)
			if r.peek(p) != c+2 { // { } and [ ] are two apart
				if c == '{' {
					_, p = r.name(p)
				}
				if p < 0 {
					return -1
				}
				continue
			}
			p++
			depth--
		}
		more := false
		for p >= 0 && depth > outer && !more {
			isObject := objects[depth/64]>>(depth%64)&1 > 0
			closing := byte(']')
			if isObject {
				closing = '}'
			}
			if p, more = r.more(p, closing); !more {
				depth--
			} else if isObject {
				_, p = r.name(p)
			}
		}
		if p < 0 || depth == outer {
			return p
		}
	}
}

// peek returns the byte at p, 0 at the end.
func (r *Reader) peek(p int) byte {
	if p < len(r.b) {
		return r.b[p]
	}
	return 0
}

// integer checks a value that must be an integer, as a number or in quotes, or
// null, which is 0. What is between low and high it returns.
func (r *Reader) integer(p int, low int64, high uint64) (v uint64, next int) {
	c := r.peek(p)
	var text []byte
	var short [32]byte // all that can be in range
	switch {
	case c == '"':
		var ref textRef
		if ref, next = r.str(p + 1); next < 0 {
			return 0, -1
		}
		text = r.shortText(short[:0], ref)
	case c == '-' || c-'0' < 10:
		if next = r.number(p); next < 0 {
			return 0, -1
		}
		text = r.b[p:next]
	case c == 'n':
		return 0, r.literal(p, "null")
	default:
		return 0, r.wrong(p)
	}
	v, err := parseInteger(text, low, high)
	if err != nil {
		return 0, r.fail(p, err)
	}
	return v, next
}

// parseInteger reads an integer in JSON's form. A fraction or an exponent is an
// error even where the number is whole.
func parseInteger(text []byte, low int64, high uint64) (v uint64, err error) {
	digits := text
	negative := len(text) > 0 && text[0] == '-'
	if negative {
		digits = text[1:]
	}
	if len(digits) == 0 || digits[0] == '0' && len(digits) > 1 {
		return 0, ErrValue
	}
	over := false
	for _, c := range digits {
		if c -= '0'; c >= 10 {
			return 0, ErrValue
		}
		over = over || v > (1<<64-1-uint64(c))/10
		v = v*10 + uint64(c)
	}
	switch {
	case over, !negative && v > high, negative && v > -uint64(low):
		return 0, ErrRange
	case negative:
		return -v, nil
	}
	return v, nil
}

// wrong fails for a value that its key must not have, and for what is none.
func (r *Reader) wrong(p int) int {
	switch c := r.peek(p); {
	case c == '"', c == '{', c == '[', c == '-', c-'0' < 10, c == 't', c == 'f', c == 'n':
		return r.fail(p, ErrValue)
	}
	return r.unexpected(p)
}
