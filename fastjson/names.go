package fastjson

import (
	"bytes"
	"math"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/internal/repair"
)

// nameTable holds the distinct column names of an Event in first-seen order,
// and for each the column that had it last. It is sized once for the names
// there can be, and takes 21 bytes for each: less than 4 times the smallest
// column that has a name of its own on the wire.
//
//	slots    hash → number of an entry, open addressing, 7/8 full at most;
//	         as many as that takes, not a power of two
//	entries  first-seen order; a name is found in the record by ref
//	last     what the first entries' columns say, so that tables of usual size
//	         need not read a column again
//	heavy    the same of columns that take long to read, by number: to compare a
//	         name with one of those again and again would be quadratic
type nameTable struct {
	rows    change.Rows
	raw     bool // names are told apart by their bytes, not by what they are after repair
	hash    textHash
	slots   []uint32 // number of the entry + 1; 0 is free
	entries []nameEntry
	last    []lastColumn
	heavy   map[int]lastColumn
	guess   int // the entry that is likely to be looked up next
}

type nameEntry struct {
	hash  uint32
	ref   uint32 // the last column of that name
	stamp uint32 // the last walk over a row that met it; in dialect ticdc the row, and flags
	since uint32 // the first row that flags it as updated, counted from 1; in dialect ticdc a ref
}

// never is the since of a name that no row flags as updated.
const never = math.MaxUint32

// lastColumn is what the sections sqlType and mysqlType print of a name.
type lastColumn struct {
	name, mysqlType []byte
	sqlType         int32
	key             bool // of the first column of that name

	at, size int // where `"name":` is in dst; size is 0 if it is not known to be there
}

const (
	maxLast     = 256      // entries that have a lastColumn: 20 KiB
	keepEntries = 16 << 10 // a table larger than that is given back: 336 KiB
)

// reset empties t, for at most that many names of the columns of rows.
func (t *nameTable) reset(rows change.Rows, most int) {
	if t.last == nil {
		t.hash.init()
		t.last = make([]lastColumn, 0, maxLast)
	}
	t.rows, t.guess = rows, 0
	t.last = t.last[:0]
	most = max(most, 16)
	slots := most + most/7 + 1
	if cap(t.slots) < slots || cap(t.entries) < most || cap(t.entries) > keepEntries {
		t.slots, t.entries = make([]uint32, slots), make([]nameEntry, 0, most)
		return
	}
	t.slots = t.slots[:slots]
	clear(t.slots)
	t.entries = t.entries[:0]
}

// release drops what t borrows, and its memory if that has become large.
func (t *nameTable) release() {
	t.rows, t.heavy = nil, nil
	clear(t.last)
	t.last = t.last[:0]
	if cap(t.entries) > keepEntries {
		t.slots, t.entries = nil, nil
	}
}

// add makes c the last column of its name and returns its entry.
func (t *nameTable) add(c *change.Column) *nameEntry { return t.addAs(c, c.SQLType) }

// addAs is add for a column with that sqlType. (What column gives for those that are
// read from the record again is what they say there.)
func (t *nameTable) addAs(c *change.Column, sqlType int32) *nameEntry {
	n, hash, slot := t.lookup(c.Name)
	if n < 0 {
		n = len(t.entries)
		if (n+1)*8 > len(t.slots)*7 { // more names than reset was told of
			t.grow()
			_, _, slot = t.lookup(c.Name)
		}
		t.entries = append(t.entries, nameEntry{hash: hash, since: never})
		t.slots[slot] = uint32(n + 1)
		if n < maxLast {
			t.last = append(t.last, lastColumn{name: c.Name, key: c.Key})
		}
	}
	e := &t.entries[n]
	e.ref = c.Ref
	switch {
	case n < maxLast:
		t.last[n].mysqlType, t.last[n].sqlType = c.MySQLType, sqlType
	case c.Heavy:
		if t.heavy == nil {
			t.heavy = map[int]lastColumn{}
		}
		t.heavy[n] = lastColumn{name: c.Name, mysqlType: c.MySQLType, sqlType: sqlType}
	case t.heavy != nil:
		delete(t.heavy, n)
	}
	t.guess = n + 1
	return e
}

// wrote notes where `"name":` of entry n is in dst.
func (t *nameTable) wrote(n, at, end int) {
	if n < len(t.last) {
		t.last[n].at, t.last[n].size = at, end-at
	}
}

// forget notes that what dst has from there on is taken back.
func (t *nameTable) forget(from int) {
	for n := range t.last {
		if t.last[n].at >= from {
			t.last[n].size = 0
		}
	}
}

// find returns the entry of a name, nil if there is none.
func (t *nameTable) find(name []byte) *nameEntry {
	n, _, _ := t.lookup(name)
	if n < 0 {
		return nil
	}
	t.guess = n + 1
	return &t.entries[n]
}

// lookup returns the number of a name's entry; -1 if it has none, and then its
// hash and the slot that would be its.
func (t *nameTable) lookup(name []byte) (n int, hash uint32, slot int) {
	// Rows have their columns in the same order, as a rule: the name behind
	// the one found before needs no hash.
	if t.guess < len(t.last) && bytes.Equal(t.last[t.guess].name, name) {
		return t.guess, 0, 0
	}
	hash = t.hash.of(name, t.raw)
	for slot = t.home(hash); t.slots[slot] != 0; slot = t.behind(slot) {
		n := int(t.slots[slot] - 1)
		if t.entries[n].hash == hash && t.same(t.column(n).name, name) {
			return n, hash, slot
		}
	}
	return -1, hash, slot
}

// same reports whether a and b are the same name.
func (t *nameTable) same(a, b []byte) bool {
	if t.raw {
		return bytes.Equal(a, b)
	}
	return repair.Same(a, b)
}

// home returns the slot where the search for a hash begins.
func (t *nameTable) home(hash uint32) int { return int(uint64(hash) * uint64(len(t.slots)) >> 32) }

// behind returns the slot to look at after another.
func (t *nameTable) behind(slot int) int {
	if slot++; slot < len(t.slots) {
		return slot
	}
	return 0
}

// grow doubles the slots.
func (t *nameTable) grow() {
	t.slots = make([]uint32, 2*len(t.slots))
	for n, e := range t.entries {
		slot := t.home(e.hash)
		for t.slots[slot] != 0 {
			slot = t.behind(slot)
		}
		t.slots[slot] = uint32(n + 1)
	}
}

// column returns what entry n's last column says.
func (t *nameTable) column(n int) lastColumn {
	if n < len(t.last) {
		return t.last[n]
	}
	if c, ok := t.heavy[n]; ok {
		return c
	}
	c := t.rows.At(t.entries[n].ref)
	return lastColumn{name: c.Name, mysqlType: c.MySQLType, sqlType: c.SQLType}
}
