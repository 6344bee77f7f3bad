package mysqltype

// byName finds a Base, other names that MySQL has for it too.
var byName = func() map[string]Base {
	m := map[string]Base{
		"integer": Int, "bool": TinyInt, "boolean": TinyInt,
		"numeric": Decimal, "dec": Decimal, "real": Double,
	}
	for b := TinyInt; b < bases; b++ {
		m[b.String()] = b
	}
	return m
}()

const longest = len("mediumblob") // of all names

// Parse reads the name of a column type, in any case, with or without parameters:
// the first word is the type, and behind its parameters the words unsigned and
// zerofill mean something.
func Parse(s []byte) Type {
	word, rest := Word(s)
	t := Type{Base: base(word)}
	if !t.Base.signs() {
		return t
	}
	for len(rest) > 0 {
		if word, rest = Word(parameters(rest)); len(word) == 0 {
			if len(rest) > 0 {
				rest = rest[1:]
			}
			continue
		}
		switch {
		case is(word, "unsigned"):
			t.Unsigned = true
		case is(word, "zerofill"):
			t.Unsigned, t.Zerofill = true, true
		}
	}
	return t
}

// Word returns the word at the beginning of s, behind white space: letters, digits and
// underscores, maybe none.
func Word(s []byte) (word, rest []byte) {
	for len(s) > 0 && (s[0] == ' ' || s[0] >= '\t' && s[0] <= '\r') {
		s = s[1:]
	}
	n := 0
	for n < len(s) && (s[n]|0x20 >= 'a' && s[n]|0x20 <= 'z' || s[n] >= '0' && s[n] <= '9' || s[n] == '_' || s[n] >= 0x80) {
		n++
	}
	return s[:n], s[n:]
}

// parameters returns what follows a list in parentheses at the beginning of s.
// What is in quotes there, as the members of an enum are, does not end it.
func parameters(s []byte) []byte {
	if len(s) == 0 || s[0] != '(' {
		return s
	}
	quoted := false
	for i, c := range s {
		switch {
		case c == '\'':
			quoted = !quoted
		case c == ')' && !quoted:
			return s[i+1:]
		}
	}
	return nil
}

// base finds a name in any case.
func base(word []byte) Base {
	var lower [longest]byte
	if len(word) > longest {
		return Unknown
	}
	for i, c := range word {
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		lower[i] = c
	}
	return byName[string(lower[:len(word)])]
}

// is reports whether word is that one, of lower case, in any case.
func is(word []byte, lower string) bool {
	if len(word) != len(lower) {
		return false
	}
	for i, c := range word {
		if c|0x20 != lower[i] {
			return false
		}
	}
	return true
}
