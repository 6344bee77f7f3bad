package reference

import (
	"math/big"
	"slices"
	"strings"
)

// mysqlType is the type of a column in the words of MySQL.
type mysqlType struct {
	base     string // in lower case, "int" for "integer" and so on; any word, if it is not known
	unsigned bool
	zerofill bool
}

// sqlTypes is ticdc.md 6: all types that are known, and their numbers.
var sqlTypes = map[string]int32{
	"tinyint": -6, "smallint": 5, "mediumint": 4, "int": 4, "bigint": -5,
	"float": 7, "double": 8, "decimal": 3,
	"char": 1, "varchar": 12, "var_string": 12, "json": 12, "year": 12, "vector": 12,
	"binary": 2004, "varbinary": 2004, "tinyblob": 2004, "blob": 2004, "mediumblob": 2004, "longblob": 2004,
	"tinytext": 2005, "text": 2005, "mediumtext": 2005, "longtext": 2005,
	"date": 91, "time": 92, "datetime": 93, "timestamp": 93,
	"enum": 4, "set": -7, "bit": -7,
}

const otherSQLType = 12

// promotions is ticdc.md 6: which sqlType an unsigned integer has whose value is
// greater than that.
var promotions = map[string]struct {
	above   uint64
	sqlType int32
}{
	"tinyint":  {127, 5},
	"smallint": {32767, 4},
	"int":      {2147483647, -5},
	"bigint":   {9223372036854775807, 3},
}

// sameType is other names of types (ticdc.md 5).
var sameType = map[string]string{
	"integer": "int",
	"bool":    "tinyint", "boolean": "tinyint",
	"numeric": "decimal", "dec": "decimal",
	"real": "double",
}

var (
	integerBits = map[string]uint{"tinyint": 8, "smallint": 16, "mediumint": 24, "int": 32, "bigint": 64}
	numberTypes = []string{"tinyint", "smallint", "mediumint", "int", "bigint", "float", "double", "decimal"}
	textTypes   = []string{"char", "varchar", "var_string", "tinytext", "text", "mediumtext", "longtext"}
	binaryTypes = []string{"binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob"}
)

// parseType reads a type: its first word says which one it is; behind the
// parameters in parentheses may be the words unsigned and zerofill.
func parseType(s string) mysqlType {
	s = strings.TrimLeft(s, whiteSpace)
	base := s[:wordSize(s)]
	rest := s[len(base):]
	base = lower(base)
	if name, ok := sameType[base]; ok {
		base = name
	}
	t := mysqlType{base: base}
	if !slices.Contains(numberTypes, base) {
		return t
	}
	for _, word := range words(withoutParameters(rest)) {
		switch lower(word) {
		case "unsigned":
			t.unsigned = true
		case "zerofill":
			t.unsigned, t.zerofill = true, true
		}
	}
	return t
}

const whiteSpace = " \t\n\v\f\r"

// wordSize returns how many bytes of letters, digits, underscores and anything
// that is not ASCII s begins with.
func wordSize(s string) int {
	for i := range len(s) {
		c := s[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_', c >= 0x80:
		default:
			return i
		}
	}
	return len(s)
}

// words returns all words of s.
func words(s string) []string {
	var all []string
	for len(s) > 0 {
		n := wordSize(s)
		if n > 0 {
			all = append(all, s[:n])
		} else {
			n = 1
		}
		s = s[n:]
	}
	return all
}

// withoutParameters takes each part in parentheses out of s. A parenthesis in
// single quotes ends none; one that does not end goes to the end.
func withoutParameters(s string) string {
	var out []byte
	inside, quoted := false, false
	for _, c := range []byte(s) {
		switch {
		case !inside && c == '(':
			inside = true
			out = append(out, ' ')
		case !inside:
			out = append(out, c)
		case c == '\'':
			quoted = !quoted
		case c == ')' && !quoted:
			inside = false
		}
	}
	return string(out)
}

// lower is lower case for ASCII; all else stays.
func lower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// known reports whether t is a type that the pages speak of.
func (t mysqlType) known() bool {
	_, ok := sqlTypes[t.base]
	return ok
}

// integer reports whether t is one of tinyint to bigint.
func (t mysqlType) integer() bool { return integerBits[t.base] > 0 }

// name is ticdc.md 5.
func (t mysqlType) name() string {
	s := t.base
	if t.unsigned {
		s += " unsigned"
	}
	if t.zerofill {
		s += " zerofill"
	}
	return s
}

// sqlType is ticdc.md 6. A value is a string, or nil.
func (t mysqlType) sqlType(value any) int32 {
	number, ok := sqlTypes[t.base]
	if !ok {
		return otherSQLType
	}
	promotion, ok := promotions[t.base]
	if !ok || !t.unsigned {
		return number
	}
	if n, ok := plainNumber(value); ok && n > promotion.above {
		return promotion.sqlType
	}
	return number
}

// plainNumber returns what a value says that is nothing but digits and not
// beyond 64 bits.
func plainNumber(value any) (uint64, bool) {
	s, ok := value.(string)
	if !ok || s == "" || strings.Trim(s, "0123456789") != "" {
		return 0, false
	}
	n, ok := new(big.Int).SetString(s, 10)
	if !ok || !n.IsUint64() {
		return 0, false
	}
	return n.Uint64(), true
}
