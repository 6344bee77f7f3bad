package corpus

import (
	"slices"
	"strconv"
)

// This file has the tables of tidb and baidu, whose values have types on the
// wire, where Canal has text for all of them.

// A typedTable is a table with a key first.
type typedTable struct {
	schema, name string
	firstKey     int64
	columns      []typedColumn
}

// A typedColumn has values of one kind, or in `null` rows of a hundred none. Its
// type is the full one, as Baidu has it; TiDB has the first word.
type typedColumn struct {
	name, mysqlType string
	kind            typedKind
	null            int
}

// A typedKind says what the values of a column look like, and by that, in which
// field they travel.
type typedKind int

const (
	typedKey      typedKind = iota // bigint: counts up
	typedInt                       // int: up to 7 digits
	typedTiny                      // tinyint: 0 to 4
	typedNegative                  // smallint: -999 to 999
	typedUnsigned                  // bigint unsigned: in one of eight beyond 2^63
	typedCount                     // int unsigned: in one of eight beyond 2^31
	typedDouble                    // double: with up to three digits behind the point
	typedFloat                     // float: with up to two
	typedMoney                     // decimal
	typedTitle                     // varchar: of three one in Chinese
	typedPerson                    // varchar: of three one in Chinese
	typedCode                      // char: 16 letters and digits
	typedNote                      // text: some 120 bytes with quotes
	typedMoment                    // datetime
	typedInstant                   // timestamp: with milliseconds
	typedDay                       // date
	typedYear                      // year
	typedDocument                  // json: as text
	typedBlob                      // blob: 16 to 64 bytes, any
	typedDigest                    // varbinary: 16 bytes, any
	typedEnum                      // enum: 1 to 5
	typedSet                       // set: 0 to 7
	typedBits                      // bit: two bytes
)

// A typedCell is a value, or NULL. Which field it is in depends on the kind.
type typedCell struct {
	null     bool
	signed   int64   // integers
	unsigned uint64  // unsigned ones, enum and set
	float    float64 // of a float, one of the float32
	text     string  // text, and bytes
}

// A typedRow is the cells of a row, in the order of its columns.
type typedRow []typedCell

// typedTables is frozen, order and all, as are the values of its columns.
var typedTables = []typedTable{
	{"shop", "orders", 4_503_599_627_000_001, []typedColumn{
		{"id", "bigint(20)", typedKey, 0},
		{"customer_id", "int(11)", typedInt, 0},
		{"trace", "bigint(20) unsigned", typedUnsigned, 0},
		{"amount", "decimal(12,2)", typedMoney, 0},
		{"title", "varchar(128)", typedTitle, 0},
		{"status", "tinyint(4)", typedTiny, 0},
		{"rate", "double", typedDouble, 0},
		{"weight", "float", typedFloat, 20},
		{"channel", "enum('web','app','store','phone','desk')", typedEnum, 0},
		{"extra", "json", typedDocument, 30},
		{"coupon", "varchar(32)", typedCode, 75},
		{"created_at", "datetime", typedMoment, 0},
	}},
	{"shop", "customers", 3_100_001, []typedColumn{
		{"id", "bigint(20)", typedKey, 0},
		{"display_name", "varchar(64)", typedPerson, 0},
		{"points", "int(10) unsigned", typedCount, 0},
		{"balance", "decimal(14,2)", typedMoney, 0},
		{"about", "text", typedNote, 0},
		{"options", "set('gift','express','insured')", typedSet, 0},
		{"avatar", "blob", typedBlob, 40},
		{"score", "double", typedDouble, 25},
		{"level", "tinyint(4)", typedTiny, 0},
		{"birthday", "date", typedDay, 75},
		{"seen_at", "timestamp(3)", typedInstant, 0},
	}},
	{"warehouse", "stock", 990_001, []typedColumn{
		{"id", "bigint(20)", typedKey, 0},
		{"item", "varchar(128)", typedTitle, 0},
		{"moved", "smallint(6)", typedNegative, 0},
		{"pieces", "int(10) unsigned", typedCount, 0},
		{"serial", "bigint(20) unsigned", typedUnsigned, 10},
		{"price", "decimal(10,2)", typedMoney, 0},
		{"temperature", "float", typedFloat, 0},
		{"digest", "varbinary(16)", typedDigest, 0},
		{"since", "year(4)", typedYear, 0},
		{"expires_on", "date", typedDay, 75},
	}},
	{"device", "readings", 1_730_000_000_001, []typedColumn{
		{"id", "bigint(20)", typedKey, 0},
		{"device", "char(16)", typedCode, 0},
		{"sequence", "bigint(20) unsigned", typedUnsigned, 0},
		{"delta", "smallint(6)", typedNegative, 0},
		{"voltage", "float", typedFloat, 0},
		{"latitude", "double", typedDouble, 10},
		{"flags", "bit(16)", typedBits, 0},
		{"payload", "blob", typedBlob, 0},
		{"settings", "json", typedDocument, 0},
		{"kind", "enum('new','open','paid','sent','closed')", typedEnum, 75},
		{"remark", "varchar(255)", typedNote, 50},
		{"read_at", "datetime(3)", typedInstant, 0},
	}},
}

// typedValue makes one value; now is the time of the record, in seconds. Keys are
// not made here.
func (r *random) typedValue(k typedKind, now int64) typedCell {
	switch k {
	case typedInt:
		return typedCell{signed: int64(r.between(1, 2_000_000))}
	case typedTiny:
		return typedCell{signed: int64(r.below(5))}
	case typedNegative:
		return typedCell{signed: int64(r.between(-999, 999))}
	case typedUnsigned:
		n := r.next() >> 1
		if r.oneIn(8) {
			n |= 1 << 63
		}
		return typedCell{unsigned: n}
	case typedCount:
		if r.oneIn(8) {
			return typedCell{unsigned: 1<<31 + r.next()>>33}
		}
		return typedCell{unsigned: uint64(r.between(1, 99_999))}
	case typedDouble:
		return typedCell{float: float64(r.between(-100_000_000, 100_000_000)) / 1000}
	case typedFloat:
		return typedCell{float: float64(float32(r.between(0, 100_000)) / 100)}
	case typedMoney:
		return typedCell{text: r.value(money, now)}
	case typedTitle:
		return typedCell{text: r.title()}
	case typedPerson:
		return typedCell{text: r.person()}
	case typedCode:
		return typedCell{text: r.code()}
	case typedNote:
		return typedCell{text: r.note()}
	case typedMoment:
		return typedCell{text: r.value(moment, now)}
	case typedInstant:
		return typedCell{text: r.value(instant, now)}
	case typedDay:
		return typedCell{text: r.value(day, now)}
	case typedYear:
		return typedCell{text: r.value(year, now)}
	case typedDocument:
		return typedCell{text: r.value(document, now)}
	case typedBlob:
		return typedCell{text: r.bytes(r.between(16, 64))}
	case typedDigest:
		return typedCell{text: r.bytes(16)}
	case typedEnum:
		return typedCell{unsigned: uint64(r.between(1, 5))}
	case typedSet:
		return typedCell{unsigned: uint64(r.below(8))}
	case typedBits:
		return typedCell{text: r.bytes(2)}
	}
	panic("no value of typed kind " + strconv.Itoa(int(k)))
}

// bytes returns n bytes.
func (r *random) bytes(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.next() >> 56)
	}
	return string(b)
}

// A typedGenerator is the state of a database with those tables.
type typedGenerator struct {
	random
	nextKey []int64 // by table
	order   [3]int  // of the types of three rows
	made    int     // rows so far
	clock   int64   // ms
}

func newTypedGenerator(seed uint64) *typedGenerator {
	g := &typedGenerator{random: random{seed}, clock: 1_690_000_000_000}
	for _, t := range typedTables {
		g.nextKey = append(g.nextKey, t.firstKey+10_000) // which were there before
	}
	return g
}

// The types of changes, as TiDB numbers them.
const (
	typedInsert = iota
	typedUpdate
	typedDelete
)

// someTables picks n tables, each once.
func (g *typedGenerator) someTables(n int) []int {
	all := make([]int, len(typedTables))
	for i := range all {
		all[i] = i
	}
	for i := range n {
		j := i + g.below(len(all)-i)
		all[i], all[j] = all[j], all[i]
	}
	return all[:n]
}

// change makes the next change of a table: no before for an INSERT, no after for
// a DELETE. Of three changes one each is of each type; chance picks their order.
func (g *typedGenerator) change(ti int) (before, after typedRow) {
	if g.made%3 == 0 {
		g.order = [3]int{typedInsert, typedUpdate, typedDelete}
		for k := 2; k > 0; k-- {
			j := g.below(k + 1)
			g.order[k], g.order[j] = g.order[j], g.order[k]
		}
	}
	typ := g.order[g.made%3]
	g.made++

	t := &typedTables[ti]
	switch typ {
	case typedInsert:
		g.nextKey[ti]++
		return nil, g.row(t, g.nextKey[ti]-1)
	case typedDelete:
		return g.row(t, g.oldKey(ti)), nil
	}
	before = g.row(t, g.oldKey(ti))
	after = slices.Clone(before)
	for range g.between(1, 3) { // some column may be drawn twice
		i := g.between(1, len(after)-1)
		for after[i] == before[i] {
			after[i] = g.cell(&t.columns[i])
		}
	}
	return before, after
}

// oldKey picks a row that is there.
func (g *typedGenerator) oldKey(ti int) int64 {
	first := typedTables[ti].firstKey
	return first + int64(g.below(int(g.nextKey[ti]-first)))
}

// row makes a row by its key.
func (g *typedGenerator) row(t *typedTable, id int64) typedRow {
	r := make(typedRow, len(t.columns))
	r[0].signed = id
	for i := 1; i < len(r); i++ {
		r[i] = g.cell(&t.columns[i])
	}
	return r
}

func (g *typedGenerator) cell(c *typedColumn) typedCell {
	if g.below(100) < c.null {
		return typedCell{null: true}
	}
	return g.typedValue(c.kind, g.clock/1000)
}
