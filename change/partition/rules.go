package partition

import (
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Rules is a rule string that has been read. It may be shared.
type Rules []Rule

// Rule is one of them: what is hashed of the rows of the tables that Table matches.
type Rule struct {
	Table   string   // a name, or a regular expression, for "schema.table"
	By      By       // ByTable: its name; ByKey: the key columns; ByRules: Columns
	Columns []string // as written

	pattern *regexp.Regexp // nil: Table is a name
	names   [][]byte       // those of Columns that count, see oddOnes
	plain   bool           // all of names are, see isPlain
}

// A RuleError is a rule that cannot be read.
type RuleError struct {
	Rule string // of the rule string, or all of that
	Err  error
}

// Error tells the rule and what is wrong with it.
func (e *RuleError) Error() string {
	return "partition rule " + strconv.Quote(e.Rule) + ": " + e.Err.Error()
}

// Unwrap returns e.Err.
func (e *RuleError) Unwrap() error { return e.Err }

var errUTF8 = errors.New("not UTF-8")

// ParseRules reads a rule string as Canal does, see the package. No rules are none. The
// error is a *[RuleError]: an expression that package regexp cannot read (Canal's Perl5
// expressions can do more), or a string that is not UTF-8.
func ParseRules(s string) (Rules, error) {
	if !utf8.ValidString(s) {
		return nil, &RuleError{s, errUTF8}
	}
	var rules Rules
	for _, text := range strings.FieldsFunc(s, func(c rune) bool { return c == ';' || c == ',' }) {
		r := Rule{Table: text, By: ByTable, plain: true}
		if i := strings.LastIndexByte(text, ':'); i > 0 {
			r.Table, r.By = text[:i], ByKey
			if keys := text[i+1:]; !equalIgnoringCase(keys, []byte("$pk$")) {
				r.By = ByRules
				r.Columns = strings.FieldsFunc(keys, func(c rune) bool { return c == '^' })
				r.names = oddOnes(r.Columns)
				r.plain = !slices.ContainsFunc(r.names, func(name []byte) bool { return !isPlain(name) })
			}
		}
		if strings.ContainsAny(r.Table, `*?+|(){}[]\$^`) {
			// By itself first: "a)(b" is no expression, and in parentheses is one.
			_, err := regexp.Compile(r.Table)
			if err == nil {
				// As Canal's matcher is set: any case, and a dot is any character.
				r.pattern, err = regexp.Compile(`(?is)\A(?:` + r.Table + `)\z`)
			}
			if err != nil {
				return nil, &RuleError{text, err}
			}
		}
		rules = append(rules, r)
	}
	return rules, nil
}

// oddOnes returns the names that are there an odd number of times: hashes are XORed,
// and so two of a name are none.
func oddOnes(names []string) [][]byte {
	var odd [][]byte
	for _, name := range names {
		same := func(other []byte) bool { return string(other) == name }
		if i := slices.IndexFunc(odd, same); i >= 0 {
			odd = slices.Delete(odd, i, i+1)
		} else {
			odd = append(odd, []byte(name))
		}
	}
	return odd
}

// find returns the number of the first rule that matches "database.table", -1 if none
// does. The name is UTF-8.
func (r Rules) find(name []byte) int {
	for i := range r {
		if r[i].matches(name) {
			return i
		}
	}
	return -1
}

func (r *Rule) matches(name []byte) bool {
	if r.pattern != nil {
		return r.pattern.Match(name)
	}
	return equalIgnoringCase(r.Table, name)
}

// equalIgnoringCase is Java's equalsIgnoreCase: two characters are equal if they are in
// upper case, or if these are in lower case. (strings.EqualFold has other pairs: it does
// not take a dotless i for an i.)
func equalIgnoringCase(a string, b []byte) bool {
	for len(a) > 0 && len(b) > 0 {
		ra, n := utf8.DecodeRuneInString(a)
		rb, m := utf8.DecodeRune(b)
		if ra != rb {
			ra, rb = unicode.ToUpper(ra), unicode.ToUpper(rb)
			if ra != rb && unicode.ToLower(ra) != unicode.ToLower(rb) {
				return false
			}
		}
		a, b = a[n:], b[m:]
	}
	return len(a) == len(b)
}
