package fastjson

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/wire"
)

// The table cache: what all Entries of a table have in common, as bytes to
// compare with and as JSON to copy. Of a column, Canal writes
//
//	index sqlType name isKey │ updated isNull │ value │ mysqlType
//	      the same each time │      this row's own    │ the same each time
//	           prefix                                       suffix
//
// and a layout holds prefix and suffix of each column, the ready `,"name":` that
// stands before its value, and the sections of the message that no row changes.
// (Canal gives some columns another sqlType where the value is NULL or large:
// the one part of a prefix that may differ, see oddPrefix.) A row that is not
// just so is no matter of the fused path; a table whose rows keep being
// different is learned anew.
//
// All layouts live in one arena that grows with the bytes read, to maxArena at
// most. When it is full it is emptied: 50,000 tables take no more memory than
// what fits, and allocate nothing. From then on a table is learned only when it
// is seen twice within a while, so that a stream of strangers does not pay for
// learning.

const (
	maxArena   = 4 << 20  // bytes of all layouts' texts
	maxLayouts = 4096     // tables
	maxColumns = 32 << 10 // of all tables; 96 bytes each
	maxFixed   = 1 << 10  // bytes of a column, or of a table's names, that a layout may hold
	lookAhead  = 32       // bytes behind a text of the arena that may be read, see mem.Copy16
	firstSlots = 64       // of the hash table, to begin with; it is half full at most
	seenSlots  = 1024     // tables remembered as seen once

	columnSize = 96 // of a columnLayout, about
	layoutSize = 64 // of a layout, about

	relearn      = 2   // misses in a row after which a table is learned anew, twice as many each time
	relearnUnfit = 200 // the same when it could not be learned, or
	maxLessons   = 7   // this many times
)

// span is a text in the arena.
type span struct{ off, n uint32 }

// columnLayout is what is known of a column, in the order of the wire.
type columnLayout struct {
	prefix, suffix  span
	typeAt, typeEnd uint16 // the varint of sqlType in prefix; both 0 if it has none
	name            span   // `,"name":`
	number          span   // sqlType in the section sqlType

	// prefix and suffix once more, for a comparison without a loop. The words of
	// begin stand in the prefix at 0, at[0], at[1], at[2]; those of end begin 8
	// and endFrom bytes before the end of the column, and so many of their low
	// bits as endShift says belong to what is before the suffix. Words overlap
	// where there are few bytes. long is a column for which that cannot be.
	begin    [4]uint64
	end      [2]uint64
	at       [3]uint8
	endFrom  uint8
	endShift uint8
	long     bool
}

// layout is what is known of a table.
type layout struct {
	key     span // the fields schemaName and tableName as they are in the header
	columns span // in tableCache.columns; empty for a table that could not be learned
	head    span // `,"database":"…","es":`
	types   span // `,"isDdl":false,"mysqlType":{…},"old":`
	tail    span // `,"pkNames":…,"sql":"","sqlType":{…},"table":"…","ts":`
	hash    uint32
	misses  uint8 // Entries since the last one whose rows were as learned
	lessons uint8 // times the table was learned anew
}

// tableCache holds the layouts of a Writer.
type tableCache struct {
	seed      maphash.Seed
	text      []byte // the arena; lookAhead bytes behind it are there
	columns   []columnLayout
	layouts   []layout
	slots     []uint16 // hash → number of a layout + 1, open addressing
	seen      []uint32 // hashes of tables, by their low bits, once the arena was full
	strangers uint32   // refused so far
	read      int      // bytes of all Entries so far, up to maxArena*4: see affords
}

// find returns the layout of a table by its key, nil when it is not known, and
// the key's hash.
func (c *tableCache) find(key []byte) (*layout, uint32) {
	if c.slots == nil {
		c.seed = maphash.MakeSeed()
		c.slots = make([]uint16, firstSlots)
	}
	hash := uint32(maphash.Bytes(c.seed, key))
	mask := len(c.slots) - 1
	for slot := int(hash) & mask; c.slots[slot] != 0; slot = (slot + 1) & mask {
		l := &c.layouts[c.slots[slot]-1]
		if l.hash == hash && bytes.Equal(c.bytes(l.key), key) {
			return l, hash
		}
	}
	return nil, hash
}

// bytes returns a text of the arena.
func (c *tableCache) bytes(s span) []byte { return c.text[s.off : s.off+s.n] }

// stranger reports whether a table that is not known is not to be learned yet.
func (c *tableCache) stranger(hash uint32) bool {
	if c.seen == nil || c.seen[hash%seenSlots] == hash {
		return false
	}
	c.seen[hash%seenSlots] = hash
	c.strangers++
	return c.strangers%16 != 0 // some are learned all the same: those that take turns too
}

// insert makes a layout for a table that has none.
func (c *tableCache) insert(hash uint32) *layout {
	c.layouts = append(c.layouts, layout{hash: hash})
	if 2*len(c.layouts) > len(c.slots) {
		c.slots = make([]uint16, 2*len(c.slots))
		for n := range c.layouts[:len(c.layouts)-1] {
			c.place(n)
		}
	}
	c.place(len(c.layouts) - 1)
	return &c.layouts[len(c.layouts)-1]
}

func (c *tableCache) place(n int) {
	mask := len(c.slots) - 1
	slot := int(c.layouts[n].hash) & mask
	for c.slots[slot] != 0 {
		slot = (slot + 1) & mask
	}
	c.slots[slot] = uint16(n + 1)
}

// empty forgets all tables.
func (c *tableCache) empty() {
	c.text, c.columns, c.layouts = c.text[:0], c.columns[:0], c.layouts[:0]
	clear(c.slots)
	if c.seen == nil {
		c.seen = make([]uint32, seenSlots)
	}
}

// A lesson is what a table is learned from: its names, and the first row of an
// Entry, from the first column with that tag on.
type lesson struct {
	hash                 uint32
	key, database, table []byte
	row                  []byte
	tag                  wire.Tag
}

// learn makes the layout of a table, or old anew, and returns it; nil when its
// columns are not such as the fused path can read, which is learned too. names
// is scratch.
func (c *tableCache) learn(old *layout, from *lesson, names *nameTable) *layout {
	size, columns := c.measure(from, names)
	if !c.affords(size, columns) {
		return nil
	}
	if len(c.text)+size > maxArena || len(c.columns)+columns > maxColumns || old == nil && len(c.layouts) == maxLayouts {
		c.empty()
		old = nil
	}
	if old == nil {
		old = c.insert(from.hash)
	} else if columns == 0 && old.columns.n > 0 && old.lessons < maxLessons {
		old.lessons++ // what was learned may still be the rule
		return nil
	}
	*old = layout{hash: from.hash, key: old.key, lessons: min(old.lessons+1, maxLessons)}
	if old.key.n == 0 {
		old.key = c.append(from.key)
	}
	if columns == 0 {
		return nil
	}
	c.text = slices.Grow(c.text, size+lookAhead)
	old.columns = span{uint32(len(c.columns)), uint32(columns)}
	r := wire.NewReader(from.row)
	for n := 0; n < columns && r.Next(); n++ {
		c.column(readColumn(r.Bytes))
	}
	c.sections(old, from, names.last)
	return old
}

// affords reports whether what is known of tables may grow by that much: it must
// stay in proportion to what has been read, so that a Writer's memory is bounded
// by its input from the first record on. The slices may be twice as long as what
// is in them.
func (c *tableCache) affords(size, columns int) bool {
	after := len(c.text) + size + (len(c.columns)+columns)*columnSize +
		(len(c.layouts)+1)*layoutSize + 2*len(c.slots)
	return after <= 12<<10+c.read/2
}

// measure returns how many columns there are to be learned, 0 if it cannot be,
// and a bound for the texts. It leaves the columns in names.
func (c *tableCache) measure(from *lesson, names *nameTable) (size, columns int) {
	names.reset(nil, maxLast)
	size = 2*len(from.key) + len(from.database) + len(from.table) + 256
	if !ready(from.database) || !ready(from.table) {
		return len(from.key), 0
	}
	r := wire.NewReader(from.row)
	for r.Next() && r.Tag == from.tag {
		col := readColumn(r.Bytes)
		if !col.ok || columns == maxLast || names.find(col.Name) != nil {
			return len(from.key), 0
		}
		names.add(&col.Column)
		// prefix and suffix; `,"name":` four times and `"mysqlType"`; a number.
		size += col.prefix + len(r.Bytes) - col.suffix + 4*(len(col.Name)+4) + len(col.MySQLType) + 2 + 11
		columns++
	}
	if r.Err() != nil {
		return len(from.key), 0
	}
	return size, columns
}

// ready reports whether s is what it becomes between quotes.
func ready(s []byte) bool { return plain(s, 0) == len(s) && utf8.Valid(s) }

// learned is one column, as learn reads it.
type learned struct {
	change.Column
	wire           []byte
	prefix, suffix int // prefix is wire[:prefix], suffix is wire[suffix:]
	typeAt         int // of the varint of sqlType; 0 if there is none
	typeEnd        int
	ok             bool
}

// readColumn reads a column. To be ok it must have its fields in the order of
// their numbers, only those that Canal writes, each behind a tag of one byte, and
// names to be shown as they are.
func readColumn(b []byte) learned {
	col := learned{wire: b, prefix: len(b), suffix: len(b)}
	last := wire.Tag(0)
	r := wire.NewReader(b)
	for r.Next() {
		if r.Tag <= last || b[r.Offset] != byte(r.Tag) {
			return col
		}
		if last == tagSQLType {
			col.typeEnd = r.Offset
		}
		last = r.Tag
		switch r.Tag {
		case tagIndex:
		case tagSQLType:
			col.SQLType = r.Int32()
			col.typeAt, col.typeEnd = r.Offset+1, len(b)
		case tagName:
			col.Name = r.Bytes
		case tagIsKey:
			col.Key = r.Bool()
		case tagUpdated, tagIsNull, tagValue, tagLength:
			col.prefix = min(col.prefix, r.Offset)
		case tagMySQLType:
			col.prefix = min(col.prefix, r.Offset)
			col.suffix = r.Offset
			col.MySQLType = r.Bytes
		default:
			return col
		}
	}
	col.ok = r.Err() == nil && ready(col.Name) && ready(col.MySQLType) && col.prefix+len(b)-col.suffix <= maxFixed
	return col
}

// column puts what a layout holds of a column into the arena.
func (c *tableCache) column(col learned) {
	l := columnLayout{
		prefix: c.append(col.wire[:col.prefix]), typeAt: uint16(col.typeAt), typeEnd: uint16(col.typeEnd),
		suffix: c.append(col.wire[col.suffix:]),
	}
	l.words(col.wire[:col.prefix], col.wire[col.suffix:])
	start := len(c.text)
	c.text = append(c.text, ',')
	c.text, _ = appendQuoted(c.text, col.Name)
	c.text = append(c.text, ':')
	l.name = c.since(start)
	c.columns = append(c.columns, l)
}

// patience returns how many misses in a row l takes before it is learned anew.
func (l *layout) patience() int {
	if l.columns.n == 0 || l.lessons == maxLessons {
		return relearnUnfit
	}
	return relearn << (l.lessons - 1)
}

// words sets what is there of prefix and suffix for a comparison without a loop.
func (l *columnLayout) words(prefix, suffix []byte) {
	n, m := len(prefix), len(suffix)
	if l.long = n < 8 || n > 32 || m < 1 || m > 16; l.long {
		return
	}
	l.at = [3]uint8{uint8(n - 8), 0, uint8(n - 8)}
	if n >= 16 {
		l.at = [3]uint8{8, uint8(n - 16), uint8(n - 8)}
	}
	l.begin[0] = binary.LittleEndian.Uint64(prefix)
	for i, at := range l.at {
		l.begin[i+1] = binary.LittleEndian.Uint64(prefix[at:])
	}
	var ends [16]byte
	copy(ends[16-m:], suffix)
	l.endFrom, l.endShift = uint8(max(m, 8)), uint8(64-8*min(m, 8))
	l.end[0] = binary.LittleEndian.Uint64(ends[8:])
	l.end[1] = binary.LittleEndian.Uint64(ends[16-l.endFrom:])
}

// append puts a text into the arena.
func (c *tableCache) append(b []byte) span {
	c.text = append(c.text, b...)
	return span{uint32(len(c.text) - len(b)), uint32(len(b))}
}

// since returns the text that was put into the arena since off.
func (c *tableCache) since(off int) span { return span{uint32(off), uint32(len(c.text) - off)} }

// sections makes the parts of the message that are the same for all rows.
func (c *tableCache) sections(l *layout, from *lesson, columns []lastColumn) {
	start := len(c.text)
	c.text = append(c.text, `,"database":`...)
	c.text, _ = appendQuoted(c.text, from.database)
	c.text = append(c.text, `,"es":`...)
	l.head = c.since(start)

	start = len(c.text)
	c.text = append(c.text, `,"isDdl":false,"mysqlType":`...)
	for n := range columns {
		c.text = append(c.text, separator('{', n))
		c.text, _ = appendQuoted(c.text, columns[n].name)
		c.text = append(c.text, ':')
		c.text, _ = appendQuoted(c.text, columns[n].mysqlType)
	}
	c.text = append(c.text, `},"old":`...)
	l.types = c.since(start)

	start = len(c.text)
	c.text = append(c.text, `,"pkNames":`...)
	n := 0
	for i := range columns {
		if columns[i].key {
			c.text = append(c.text, separator('[', n))
			c.text, _ = appendQuoted(c.text, columns[i].name)
			n++
		}
	}
	if n > 0 {
		c.text = append(c.text, ']')
	} else {
		c.text = append(c.text, "null"...)
	}
	c.text = append(c.text, `,"sql":"","sqlType":`...)
	for n := range columns {
		c.text = append(c.text, separator('{', n))
		c.text, _ = appendQuoted(c.text, columns[n].name)
		c.text = append(c.text, ':')
		number := len(c.text)
		c.text = strconv.AppendInt(c.text, int64(columns[n].sqlType), 10)
		c.columns[int(l.columns.off)+n].number = c.since(number)
	}
	c.text = append(c.text, `},"table":`...)
	c.text, _ = appendQuoted(c.text, from.table)
	c.text = append(c.text, `,"ts":`...)
	l.tail = c.since(start)
}
