// Package mysqltype reads the names of MySQL's column types, as information_schema
// has them ("decimal(10,2) unsigned") or shorter, and knows what TiCDC makes of
// them (spec: ticdc.md 5 and 6).
package mysqltype

// Base is a type without its parameters and attributes.
type Base uint8

// The types. Unknown is every other name, VarString one that TiDB has beside
// varchar.
const (
	Unknown Base = iota
	TinyInt
	SmallInt
	MediumInt
	Int
	BigInt
	Float
	Double
	Decimal
	Char
	VarChar
	VarString
	JSON
	Year
	Vector
	Binary
	VarBinary
	TinyBlob
	Blob
	MediumBlob
	LongBlob
	TinyText
	Text
	MediumText
	LongText
	Date
	Time
	DateTime
	Timestamp
	Enum
	Set
	Bit
	bases
)

// facts is what is known of a Base.
var facts = [bases]struct {
	name    string
	sqlType int32  // of java.sql.Types
	above   uint64 // an unsigned value above this
	becomes int32  // has this sqlType
}{
	Unknown:    {"", 12, 0, 0},
	TinyInt:    {"tinyint", -6, 1<<7 - 1, 5},
	SmallInt:   {"smallint", 5, 1<<15 - 1, 4},
	MediumInt:  {"mediumint", 4, 0, 0},
	Int:        {"int", 4, 1<<31 - 1, -5},
	BigInt:     {"bigint", -5, 1<<63 - 1, 3},
	Float:      {"float", 7, 0, 0},
	Double:     {"double", 8, 0, 0},
	Decimal:    {"decimal", 3, 0, 0},
	Char:       {"char", 1, 0, 0},
	VarChar:    {"varchar", 12, 0, 0},
	VarString:  {"var_string", 12, 0, 0},
	JSON:       {"json", 12, 0, 0},
	Year:       {"year", 12, 0, 0},
	Vector:     {"vector", 12, 0, 0},
	Binary:     {"binary", 2004, 0, 0},
	VarBinary:  {"varbinary", 2004, 0, 0},
	TinyBlob:   {"tinyblob", 2004, 0, 0},
	Blob:       {"blob", 2004, 0, 0},
	MediumBlob: {"mediumblob", 2004, 0, 0},
	LongBlob:   {"longblob", 2004, 0, 0},
	TinyText:   {"tinytext", 2005, 0, 0},
	Text:       {"text", 2005, 0, 0},
	MediumText: {"mediumtext", 2005, 0, 0},
	LongText:   {"longtext", 2005, 0, 0},
	Date:       {"date", 91, 0, 0},
	Time:       {"time", 92, 0, 0},
	DateTime:   {"datetime", 93, 0, 0},
	Timestamp:  {"timestamp", 93, 0, 0},
	Enum:       {"enum", 4, 0, 0},
	Set:        {"set", -7, 0, 0},
	Bit:        {"bit", -7, 0, 0},
}

// String returns the name of b in lower case, "" for Unknown.
func (b Base) String() string { return facts[b%bases].name }

// IsInteger reports whether b is one of tinyint to bigint.
func (b Base) IsInteger() bool { return b >= TinyInt && b <= BigInt }

// IsText reports whether b is char, varchar or a text type: characters, not
// bytes.
func (b Base) IsText() bool { return b >= Char && b <= VarString || b >= TinyText && b <= LongText }

// IsBinary reports whether b is binary, varbinary or a blob type.
func (b Base) IsBinary() bool { return b >= Binary && b <= LongBlob }

// Bits returns the width of an integer type, 0 for any other.
func (b Base) Bits() int {
	if b.IsInteger() {
		return [...]int{8, 16, 24, 32, 64}[b-TinyInt]
	}
	return 0
}

// signs reports whether the type may be called unsigned: integers, float, double,
// decimal.
func (b Base) signs() bool { return b >= TinyInt && b <= Decimal }

// Type is a Base and its attributes.
type Type struct {
	Base     Base
	Unsigned bool // of an integer, float, double or decimal
	Zerofill bool // the same; it implies Unsigned
}

// SQLType returns the number of java.sql.Types for t and a value, as text, of that
// type: an unsigned integer that does not fit the signed type has the next larger
// one's. A NULL is a value of nil.
func (t Type) SQLType(value []byte) int32 {
	f := &facts[t.Base%bases]
	if f.above > 0 && t.Unsigned && above(value, f.above) {
		return f.becomes
	}
	return f.sqlType
}

// above reports whether a value is a plain number of at most 64 bits and greater
// than that.
func above(value []byte, limit uint64) bool {
	if len(value) == 0 {
		return false
	}
	n := uint64(0)
	for _, c := range value {
		d := uint64(c - '0')
		if d > 9 || n > (1<<64-1)/10 || n*10 > 1<<64-1-d {
			return false
		}
		n = n*10 + d
	}
	return n > limit
}

// Name returns t as TiCDC writes it: "bigint unsigned"; "" for Unknown.
func (t Type) Name() string {
	n := &names[t.Base%bases]
	switch {
	case t.Zerofill:
		return n[2]
	case t.Unsigned:
		return n[1]
	}
	return n[0]
}

// names has each name plain, unsigned, and zerofill.
var names = func() (n [bases][3]string) {
	for b := range bases {
		name := b.String()
		n[b] = [3]string{name, name, name}
		if b.signs() {
			n[b] = [3]string{name, name + " unsigned", name + " unsigned zerofill"}
		}
	}
	return n
}()
