package reference

import (
	"slices"
	"strings"
)

// This file names the type of a DDL by its statement: ticdc.md 13. It looks at
// no more of it than that takes.

// ddlType returns the name of the type of a statement.
func ddlType(sql string) string {
	s := statement(tokensOf(sql))
	switch {
	case s.begins("CREATE", "TABLE"), s.begins("CREATE", "TEMPORARY", "TABLE"):
		return "CREATE"
	case s.begins("RENAME", "TABLE"), s.begins("RENAME", "TABLES"):
		return "RENAME"
	case s.begins("DROP", "TABLE"), s.begins("DROP", "TABLES"):
		return "ERASE"
	case s.begins("TRUNCATE"):
		return "TRUNCATE"
	case s.begins("CREATE", "INDEX"):
		return "CINDEX"
	case s.begins("CREATE") && s[1:].beginsWithOneOf(kindsOfIndex...) && s[2:].begins("INDEX"):
		return "CINDEX"
	case s.begins("DROP", "INDEX"):
		return "DINDEX"
	case s.begins("ALTER", "TABLE"):
		return alterType(s[2:])
	case s.begins("ALTER", "IGNORE", "TABLE"):
		return alterType(s[3:])
	}
	return "QUERY"
}

// kindsOfIndex stand before the word INDEX.
var kindsOfIndex = []string{"UNIQUE", "FULLTEXT", "SPATIAL", "VECTOR"}

// statement is the tokens of a statement, or those from some place on.
type statement []token

// begins reports whether the next tokens are those words, none of them quoted.
func (s statement) begins(words ...string) bool {
	if len(s) < len(words) {
		return false
	}
	for i, w := range words {
		if s[i].quoted || s[i].upper() != w {
			return false
		}
	}
	return true
}

func (s statement) beginsWithOneOf(words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return s.begins(w) })
}

// alterType returns the type of an ALTER TABLE by what follows these words.
func alterType(s statement) string {
	// The name: one part, or two with a dot between them.
	if len(s) == 0 || slices.Contains(s, broken) {
		return "QUERY"
	}
	s = s[1:]
	if s.begins(".") {
		s = s[min(2, len(s)):]
	}

	var changes []statement
	for _, change := range split(s) {
		if !change.beginsWithOneOf("ALGORITHM", "LOCK") { // how it is done, not what
			changes = append(changes, change)
		}
	}
	switch len(changes) {
	case 0:
		return "ALTER"
	case 1:
		return changeType(changes[0])
	}
	return "ALTER"
}

// split splits a list at its commas, but for those in parentheses. There is
// nothing in an empty one.
func split(s statement) []statement {
	if len(s) == 0 {
		return nil
	}
	var parts []statement
	depth, begin := 0, 0
	for i := range s {
		switch {
		case s[i].quoted:
		case s[i].text == "(":
			depth++
		case s[i].text == ")":
			depth--
		case s[i].text == "," && depth == 0:
			parts = append(parts, s[begin:i])
			begin = i + 1
		}
	}
	return append(parts, s[begin:])
}

// changeType returns the type of an ALTER TABLE that has this change only.
func changeType(s statement) string {
	if len(s) == 0 {
		return "QUERY"
	}
	rest := s[1:]
	switch {
	case s.begins("RENAME"):
		if rest.beginsWithOneOf("COLUMN", "INDEX", "KEY") {
			return "ALTER"
		}
		return "RENAME"

	case s.begins("ADD"):
		if rest.begins("CONSTRAINT") {
			rest = rest[1:]
			if !rest.beginsWithOneOf("UNIQUE", "FOREIGN", "PRIMARY", "CHECK") {
				rest = rest[min(1, len(rest)):] // it has a name
			}
		}
		switch {
		case rest.beginsWithOneOf("INDEX", "KEY", "UNIQUE", "FOREIGN", "PRIMARY", "FULLTEXT", "SPATIAL"), rest.begins("VECTOR", "INDEX"):
			return "CINDEX"
		case rest.begins("CHECK"):
			return "QUERY"
		}
	case s.begins("DROP"):
		switch {
		case rest.beginsWithOneOf("INDEX", "KEY", "FOREIGN", "PRIMARY"):
			return "DINDEX"
		case rest.beginsWithOneOf("CHECK", "CONSTRAINT"):
			return "QUERY"
		}
	case s.begins("ALTER"):
		if rest.beginsWithOneOf("CHECK", "CONSTRAINT") {
			return "QUERY"
		}

	case s.begins("SET", "TIFLASH"),
		s.begins("EXCHANGE", "PARTITION"),
		s.begins("REMOVE", "TTL"),
		s.begins("FORCE", "AUTO_RANDOM_BASE"),
		s.begins("DEFAULT", "PLACEMENT"),
		s.begins("PARTITION") && !s.begins("PARTITION", "BY") && s[min(2, len(s)):].begins("PLACEMENT"),
		s.beginsWithOneOf("AUTO_ID_CACHE", "AUTO_RANDOM_BASE", "SHARD_ROW_ID_BITS", "PLACEMENT", "CACHE", "NOCACHE",
			"TTL", "TTL_ENABLE", "TTL_JOB_INTERVAL"):
		return "QUERY"
	}
	return "ALTER"
}

// token is a word, something in quotes, or one other character.
type token struct {
	text   string
	quoted bool
}

// broken stands where something in quotes, or a comment, has no end.
var broken = token{quoted: true}

// upper returns the text with the letters of ASCII in upper case.
func (t token) upper() string {
	b := []byte(t.text)
	for i, c := range b {
		if 'a' <= c && c <= 'z' {
			b[i] = c - 'a' + 'A'
		}
	}
	return string(b)
}

// tokensOf returns the tokens of the first statement in sql. Comments are left
// out, but not what stands in /*! … */ behind a version number.
func tokensOf(sql string) []token {
	var tokens []token
	inText := false // within /*! … */
	for i := 0; i < len(sql); {
		rest := sql[i:]
		switch c := rest[0]; {
		case c == ';':
			return tokens
		case isSpace(c):
			i++
		case c == '#', strings.HasPrefix(rest, "--") && (len(rest) == 2 || isSpace(rest[2])):
			i += through(rest, 0, "\n")
		case strings.HasPrefix(rest, "/*!"):
			inText = true
			for i += 3; i < len(sql) && '0' <= sql[i] && sql[i] <= '9'; {
				i++
			}
		case strings.HasPrefix(rest, "/*"):
			n := through(rest, 2, "*/")
			if n < 4 || rest[n-2:n] != "*/" {
				return append(tokens, broken)
			}
			i += n
		case inText && strings.HasPrefix(rest, "*/"):
			inText = false
			i += 2
		case c == '\'', c == '"', c == '`':
			n := quotedSize(rest)
			tokens = append(tokens, token{rest[:n], true})
			if n == 1 || rest[n-1] != c {
				return append(tokens, broken)
			}
			i += n
		default:
			n := identifierSize(rest)
			if n == 0 {
				n = 1
			}
			tokens = append(tokens, token{rest[:n], false})
			i += n
		}
	}
	return tokens
}

func isSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }

// through returns how many bytes of s go up to and with end, which does not begin
// before from; all, if it is not there.
func through(s string, from int, end string) int {
	if at := strings.Index(s[from:], end); at >= 0 {
		return from + at + len(end)
	}
	return len(s)
}

// quotedSize returns how many bytes belong to what is in quotes at the beginning of
// s. A doubled quote is none, and neither, but in a name, is one behind a
// backslash.
func quotedSize(s string) int {
	quote := s[0]
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '\\' && quote != '`':
			i++
		case s[i] == quote && i+1 < len(s) && s[i+1] == quote:
			i++
		case s[i] == quote:
			return i + 1
		}
	}
	return len(s)
}

// identifierSize is wordSize with $, which names may have too.
func identifierSize(s string) int {
	n := 0
	for n < len(s) && (wordSize(s[n:n+1]) == 1 || s[n] == '$') {
		n++
	}
	return n
}
