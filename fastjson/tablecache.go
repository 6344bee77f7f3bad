package fastjson

import (
	"bytes"
	"hash/maphash"
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
// A row that is not just so is no matter of the fused path; a table whose rows
// keep being different is learned anew.
//
// All layouts live in one arena that grows with the tables seen, to maxArena at
// most. When it is full it is emptied: 50,000 tables take no more memory than
// what fits, and allocate nothing. A table is learned when it is seen twice
// within a while, so that a stream of strangers does not pay for learning.

const (
	maxArena   = 4 << 20 // bytes of all layouts' texts
	maxLayouts = 4096    // tables; 52 bytes each
	maxFixed   = 1 << 10 // bytes of a column, or of a table's names, that a layout may hold
	maxText    = 1 << 16 // of all columns of a layout; its sections are at most nine times that
	slotMask   = 2*maxLayouts - 1
	seenSlots  = 1024 // tables remembered as seen once
	pad        = 16   // bytes behind each text that may be read, see copy16

	relearn      = 2   // misses in a row after which a table is learned anew,
	relearnUnfit = 200 // when it could not be learned at all
)

// span is a text in the arena.
type span struct{ off, n uint32 }

// columnLayout is what is known of a column, in the order of the wire.
type columnLayout struct {
	prefix, suffix span
	name           span // `,"name":`
}

// layout is what is known of a table.
type layout struct {
	key     span // the fields schemaName and tableName as they are in the header
	columns span // in tableCache.columns
	head    span // `,"database":"…","es":`
	types   span // `,"isDdl":false,"mysqlType":{…},"old":`
	tail    span // `,"pkNames":…,"sql":"","sqlType":{…},"table":"…","ts":`
	hash    uint32
	misses  uint8 // since a row was as learned
}

// tableCache holds the layouts of a Writer.
type tableCache struct {
	seed    maphash.Seed
	text    []byte
	columns []columnLayout
	layouts []layout
	slots   []uint16 // hash → number of a layout + 1, open addressing
	seen    []uint32 // hashes of tables, by their low bits
	names   nameTable
}

// find returns the layout of a table by its key, nil when it is not known, and
// the key's hash.
func (c *tableCache) find(key []byte) (*layout, uint32) {
	if c.seen == nil {
		c.seed = maphash.MakeSeed()
		c.seen = make([]uint32, seenSlots)
	}
	h := uint32(maphash.Bytes(c.seed, key))
	if c.slots == nil {
		return nil, h
	}
	for slot := int(h) & slotMask; c.slots[slot] != 0; slot = (slot + 1) & slotMask {
		l := &c.layouts[c.slots[slot]-1]
		if l.hash == h && bytes.Equal(c.bytes(l.key), key) {
			return l, h
		}
	}
	return nil, h
}

// bytes returns a text of the arena.
func (c *tableCache) bytes(s span) []byte { return c.text[s.off : s.off+s.n] }

// sawBefore reports whether a table that is not known has been seen lately.
func (c *tableCache) sawBefore(hash uint32) bool {
	if c.seen[hash%seenSlots] == hash {
		return true
	}
	c.seen[hash%seenSlots] = hash
	return false
}

// learn makes or remakes the layout of a table after the first image of a row
// of it: the columns with that tag at the beginning of row. It returns nil when
// the columns are not as the fused path can read them, which is learned too.
func (c *tableCache) learn(old *layout, hash uint32, key, database, table, row []byte, tag wire.Tag) *layout {
	if c.slots == nil {
		c.slots = make([]uint16, slotMask+1)
	}
	if len(c.text) > maxArena-10*maxText || len(c.layouts) == maxLayouts || len(c.columns) > maxArena/64 {
		c.text, c.columns, c.layouts = c.text[:0], c.columns[:0], c.layouts[:0]
		clear(c.slots)
		old = nil
	}
	if old == nil {
		c.layouts = append(c.layouts, layout{hash: hash})
		slot := int(hash) & slotMask
		for c.slots[slot] != 0 {
			slot = (slot + 1) & slotMask
		}
		c.slots[slot] = uint16(len(c.layouts))
		old = &c.layouts[len(c.layouts)-1]
	}
	*old = layout{hash: hash}
	if len(key) > maxFixed {
		return nil
	}
	old.key = c.append(key)
	text, columns := len(c.text), len(c.columns)
	if !c.fill(old, database, table, row, tag) {
		c.text, c.columns = c.text[:text], c.columns[:columns]
		old.columns = span{}
		return nil
	}
	return old
}

// append puts a text into the arena.
func (c *tableCache) append(b []byte) span {
	s := span{uint32(len(c.text)), uint32(len(b))}
	c.text = append(c.text, b...)
	c.padding()
	return s
}

// since returns the text that was appended to the arena since off.
func (c *tableCache) since(off int) span {
	s := span{uint32(off), uint32(len(c.text) - off)}
	c.padding()
	return s
}

func (c *tableCache) padding() {
	var zeros [pad]byte
	c.text = append(c.text, zeros[:]...)
}

// fill learns the columns at the beginning of row, and makes the sections.
func (c *tableCache) fill(l *layout, database, table, row []byte, tag wire.Tag) bool {
	var keys [maxLast]bool
	l.columns.off = uint32(len(c.columns))
	c.names.reset(nil, maxLast)
	defer c.names.release()
	r := wire.NewReader(row)
	for n := 0; r.Next() && r.Tag == tag; n++ {
		if n == maxLast || len(c.text)-int(l.key.off) > maxText-10*maxFixed {
			return false
		}
		col, ok := c.column(r.Bytes)
		if !ok || c.names.find(col.Name) != nil {
			return false
		}
		c.names.add(&col)
		keys[n] = col.Key
		l.columns.n++
	}
	if l.columns.n == 0 || r.Err() != nil || !utf8.Valid(database) || !utf8.Valid(table) {
		return false
	}
	c.sections(l, database, table, c.names.last, keys[:])
	return true
}

// column learns one column. It must have its fields in the order of their
// numbers, and only those that Canal writes.
func (c *tableCache) column(b []byte) (col change.Column, ok bool) {
	prefix, suffix := len(b), len(b)
	last := wire.Tag(0)
	r := wire.NewReader(b)
	for r.Next() {
		if r.Tag <= last {
			return col, false
		}
		last = r.Tag
		switch r.Tag {
		case tagIndex:
		case tagSQLType:
			col.SQLType = r.Int32()
		case tagName:
			col.Name = r.Bytes
		case tagIsKey:
			col.Key = r.Bool()
		case tagUpdated, tagIsNull, tagValue, tagLength:
			prefix = min(prefix, r.Offset)
		case tagMySQLType:
			prefix = min(prefix, r.Offset)
			suffix = r.Offset
			col.MySQLType = r.Bytes
		default:
			return col, false
		}
	}
	if r.Err() != nil || !utf8.Valid(col.Name) || !utf8.Valid(col.MySQLType) {
		return col, false
	}
	if prefix+len(b)-suffix > maxFixed {
		return col, false
	}
	l := columnLayout{prefix: c.append(b[:prefix]), suffix: c.append(b[suffix:])}
	start := len(c.text)
	c.text = append(c.text, ',')
	c.text, _ = appendQuoted(c.text, col.Name)
	c.text = append(c.text, ':')
	l.name = c.since(start)
	c.columns = append(c.columns, l)
	return col, true
}

// sections makes the parts of the message that are the same for all rows.
func (c *tableCache) sections(l *layout, database, table []byte, columns []lastColumn, keys []bool) {
	start := len(c.text)
	c.text = append(c.text, `,"database":`...)
	c.text, _ = appendQuoted(c.text, database)
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
		if keys[i] {
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
		c.text = strconv.AppendInt(c.text, int64(columns[n].sqlType), 10)
	}
	c.text = append(c.text, `},"table":`...)
	c.text, _ = appendQuoted(c.text, table)
	c.text = append(c.text, `,"ts":`...)
	l.tail = c.since(start)
}
