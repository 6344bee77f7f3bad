package mysqltype

// byName finds a Base, by other names that MySQL has for it too: a hash table with
// open addressing, as a map takes three times as long.
var byName = func() (t [64]struct {
	name string
	base Base
}) {
	names := map[string]Base{
		"integer": Int, "bool": TinyInt, "boolean": TinyInt,
		"numeric": Decimal, "dec": Decimal, "real": Double,
	}
	for b := TinyInt; b < bases; b++ {
		names[b.String()] = b
	}
	for name, b := range names {
		i := slotOf([]byte(name))
		for t[i].name != "" {
			i = (i + 1) % len(t)
		}
		t[i].name, t[i].base = name, b
	}
	return t
}()

// slotOf returns where the search for a name, which is not empty, begins.
func slotOf(name []byte) int {
	n := len(name)
	return (int(name[0])*7 + int(name[n-1])*3 + int(name[n/2]) + n*5) % 64
}

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
	name := lower[:len(word)]
	if len(name) == 0 {
		return Unknown
	}
	for i := slotOf(name); byName[i].name != ""; i = (i + 1) % len(byName) {
		if byName[i].name == string(name) {
			return byName[i].base
		}
	}
	return Unknown
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
