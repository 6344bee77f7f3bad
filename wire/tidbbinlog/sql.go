package tidbbinlog

// sqlReader reads the tokens of an SQL text, as far as ddl.go needs to tell them
// apart. It steps over white space and comments:
//
//	/* … */   -- …   # …      left out; behind -- must be white space or nothing
//	/*!40101 … */             read as text, behind the version number
//
// It looks at each byte once, whatever the text, and keeps none of it.
type sqlReader struct {
	sql  []byte
	pos  int
	open bool // inside of /*! … */

	token token
	text  []byte // of a word, as it stands there
}

// token is a kind of token.
type token uint8

const (
	endToken    token = iota // the end of the text, or of the statement: ';'
	badToken                 // a quote or a comment that does not end; nothing follows
	wordToken                // a keyword, a name without quotes, a number
	quotedToken              // a name or a text in quotes
	otherToken               // one byte of anything else
)

// next reads the next token.
func (r *sqlReader) next() token {
	r.token, r.text = r.read()
	return r.token
}

func (r *sqlReader) read() (token, []byte) {
	if !r.skip() {
		r.pos = len(r.sql)
		return badToken, nil
	}
	if r.pos == len(r.sql) {
		return endToken, nil
	}
	start := r.pos
	switch c := r.sql[start]; {
	case c == ';':
		return endToken, nil // and stays there
	case c == '\'' || c == '"' || c == '`':
		if !r.quoted(c) {
			return badToken, nil
		}
		return quotedToken, nil
	case isWordByte(c):
		for r.pos < len(r.sql) && isWordByte(r.sql[r.pos]) {
			r.pos++
		}
		return wordToken, r.sql[start:r.pos:r.pos]
	}
	r.pos++
	return otherToken, r.sql[start:r.pos:r.pos]
}

func isWordByte(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '_' || c == '$' || c >= 0x80
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// skip steps over white space and comments. It returns false where one does not
// end.
func (r *sqlReader) skip() bool {
	for r.pos < len(r.sql) {
		rest := r.sql[r.pos:]
		switch {
		case isSpace(rest[0]):
			r.pos++
		case rest[0] == '#' || len(rest) > 1 && rest[0] == '-' && rest[1] == '-' && (len(rest) == 2 || isSpace(rest[2])):
			for r.pos < len(r.sql) && r.sql[r.pos] != '\n' {
				r.pos++
			}
		case r.open && len(rest) > 1 && rest[0] == '*' && rest[1] == '/':
			r.open = false
			r.pos += 2
		case len(rest) > 2 && rest[0] == '/' && rest[1] == '*' && rest[2] == '!' && !r.open:
			r.open = true
			for r.pos += 3; r.pos < len(r.sql) && r.sql[r.pos] >= '0' && r.sql[r.pos] <= '9'; {
				r.pos++
			}
		case len(rest) > 1 && rest[0] == '/' && rest[1] == '*':
			if !r.comment() {
				return false
			}
		default:
			return true
		}
	}
	return !r.open
}

// comment steps over a comment.
func (r *sqlReader) comment() bool {
	for r.pos += 2; r.pos+1 < len(r.sql); r.pos++ {
		if r.sql[r.pos] == '*' && r.sql[r.pos+1] == '/' {
			r.pos += 2
			return true
		}
	}
	return false
}

// quoted steps over what stands in quotes. In it the quote is doubled or, but for a
// name's, behind a backslash.
func (r *sqlReader) quoted(quote byte) bool {
	for r.pos++; r.pos < len(r.sql); r.pos++ {
		switch c := r.sql[r.pos]; {
		case c == '\\' && quote != '`':
			r.pos++
		case c != quote:
		case r.pos+1 < len(r.sql) && r.sql[r.pos+1] == quote:
			r.pos++
		default:
			r.pos++
			return true
		}
	}
	r.pos = len(r.sql)
	return false
}

// is reports whether the current token is one of these keywords, of upper case, in
// any case.
func (r *sqlReader) is(keywords ...string) bool {
	if r.token != wordToken {
		return false
	}
	for _, k := range keywords {
		if len(k) == len(r.text) && equalFold(r.text, k) {
			return true
		}
	}
	return false
}

func equalFold(word []byte, upper string) bool {
	for i, c := range word {
		if c >= 'a' && c <= 'z' {
			c -= 'a' - 'A'
		}
		if c != upper[i] {
			return false
		}
	}
	return true
}

// isOther reports whether the current token is that byte.
func (r *sqlReader) isOther(c byte) bool { return r.token == otherToken && r.text[0] == c }

// isName reports whether the current token can be a name.
func (r *sqlReader) isName() bool { return r.token == wordToken || r.token == quotedToken }

// skips steps over the current token if it is that keyword.
func (r *sqlReader) skips(keyword string) bool {
	if !r.is(keyword) {
		return false
	}
	r.next()
	return true
}
