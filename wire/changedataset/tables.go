package changedataset

import (
	"bytes"
	"hash/maphash"

	"github.com/cdcodec/cdcodec/internal/fields"
	"github.com/cdcodec/cdcodec/internal/mysqltype"
	"github.com/cdcodec/cdcodec/wire"
)

// How this file is arranged: tables is what a Decoder knows of the schemas of a
// set. A set may have a hundred thousand of them, or one of a hundred thousand
// columns that as many changes read, so each is read once, and what is kept of
// it is bounded by what it takes on the wire: less than four times as much, half
// of that for columns.
//
//	slots    hash of a tableName → where in words its table is; open addressing,
//	         3/4 full at most
//	words    table after table: where its tableName's tag is; how many columns it
//	         has, and flags; of a table that has a name twice, how many different
//	         ones; then a word for each column, in their order
//	metas    what a column's schema says, where that is 12 bytes or more; a shorter
//	         one has six fields at most and is as quickly read again
//
// The word of a column:
//
//	bit 31 30 29 28        0
//	    │  0  │  └─ number of its meta (31 set), else where in the record it is
//	    │  0  └──── an earlier column has its name: it is not shown
//	    │  1  │  └─ number of the last column of its name, which is shown in its
//	    │  1  │     place; 28 set: one of that name is a key
//	    └─ 1 ────── it is of type bit itself
const (
	wordMeta  = 1 << 31
	wordBit   = 1 << 31 // of a moved one
	wordMoved = 1 << 30
	wordSkip  = 1 << 29
	wordKey   = 1 << 28 // of a moved one

	wordPlace = 1<<29 - 1 // the place of others
	wordLast  = 1<<28 - 1 // the number in a moved one

	maxRecord = 1 << 29 // bytes: places in it must fit
	metaFrom  = 12      // bytes
	nameFrom  = 3       // bytes of a ColumnMeta that has a name
)

// The flags beside the number of columns.
const (
	tableTwice = 1 << 31 // a name is there twice
	tableBits  = 1 << 30 // a column is of type bit
	tableKeyed = 1 << 29 // a column is a key
	tableCount = 1<<29 - 1
)

type tables struct {
	rec   []byte
	seed  maphash.Seed
	slots []slot
	words []uint32
	metas []meta

	guess   uint32 // the table that was found last, 0 for none
	guessed []byte // its name
	short   meta   // of the column that was read again last
}

type slot struct{ hash, table uint32 } // 0 is no table

// meta is what is kept of a ColumnMeta. The texts are places in the record.
type meta struct {
	name, nameLen uint32
	typ, typLen   uint32
	base          mysqltype.Base
	flags         metaFlags
}

type metaFlags uint8

const (
	metaUnsigned metaFlags = 1 << iota
	metaKey
	metaUnique // and not null
)

// table is a view of one table of tables.
type table struct {
	words    []uint32 // of its columns
	distinct int      // names
	flags    uint32
}

// sizes is how much of everything the schemas of a set need.
type sizes struct {
	tables, words, metas int
	named                int // columns that can have a name, of one schema at most
}

// measure counts what a schema needs, which it does not look into.
func (s *sizes) measure(m wire.Message) bool {
	words, metas, named := 0, 0, 0
	var name []byte
	r := m.Reader()
	for r.Next() {
		switch r.Tag {
		case schemaTableName:
			name = r.Bytes
		case schemaColumns:
			words++
			if len(r.Bytes) >= metaFrom {
				metas++
			}
			if len(r.Bytes) >= nameFrom {
				named++
			}
		}
	}
	if len(name) > 0 {
		s.tables++
		s.words += 2 + min(words, 2)/2 + words
		s.metas += metas
		s.named = max(s.named, named)
	}
	return r.Err() == nil
}

// open makes room for the schemas of a record.
func (t *tables) open(rec []byte, s sizes) {
	if t.seed == (maphash.Seed{}) {
		t.seed = maphash.MakeSeed()
	}
	t.rec, t.guess = rec, 0
	t.slots = sized(t.slots, s.tables+s.tables/3+1)
	clear(t.slots)
	t.words = append(sized(t.words, 1+s.words)[:0], 0) // no table is 0
	t.metas = sized(t.metas, s.metas)[:0]
}

// reset drops what t borrows, and memory if it is much.
func (t *tables) reset() {
	t.rec, t.guess, t.guessed = nil, 0, nil
	t.slots = keep(t.slots, keepBytes/8)
	t.words = keep(t.words, keepBytes/4)
	t.metas = keep(t.metas, keepBytes/20)
}

// seenSize is how much scratch so many names take: two thirds of it are used.
func seenSize(names int) int { return names + names/2 + 1 }

// sized returns s, or one in its place, with a length of n.
func sized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// add reads a schema and makes it the one of its name; one without a name is
// read and forgotten. seen is scratch for the names of its columns, see seenSize.
func (t *tables) add(m wire.Message, seen []uint32) bool {
	head := len(t.words)
	name, named := uint32(0), false
	r := m.Reader()
	for r.Next() {
		if r.Tag == schemaTableName {
			name, named = uint32(r.Offset), len(r.Bytes) > 0
		}
	}
	if r.Err() != nil {
		return false
	}
	if named {
		t.words = append(t.words, name, 0)
	}
	flags, columns, can := uint32(0), 0, 0
	r = m.Reader()
	for r.Next() {
		if r.Tag != schemaColumns {
			continue
		}
		in := r.Message()
		k, ok := t.read(in)
		switch {
		case !ok:
			return false
		case !named:
			continue
		}
		columns++
		if len(in.Bytes()) >= nameFrom {
			can++
		}
		if k.flags&metaKey != 0 {
			flags |= tableKeyed
		}
		if k.base == mysqltype.Bit {
			flags |= tableBits
		}
		if len(in.Bytes()) < metaFrom {
			t.words = append(t.words, uint32(r.Offset))
			continue
		}
		t.words = append(t.words, wordMeta|uint32(len(t.metas)))
		t.metas = append(t.metas, k)
	}
	if !named {
		return true
	}
	if n := t.merge(t.words[head+2:], seen[:seenSize(can)]); n < columns {
		flags |= tableTwice
		t.words = append(t.words, 0)
		copy(t.words[head+3:], t.words[head+2:])
		t.words[head+2] = uint32(n)
	}
	t.words[head+1] = flags | uint32(columns)
	t.insert(uint32(head))
	return true
}

// read reads a ColumnMeta.
func (t *tables) read(m wire.Message) (meta, bool) {
	c, err := parseColumnMeta(m)
	if err != nil {
		return meta{}, false
	}
	typ := mysqltype.Parse(c.ColumnType)
	k := meta{
		name: uint32(c.nameAt), nameLen: uint32(len(c.ColumnName)),
		typ: uint32(c.typeAt), typLen: uint32(len(c.ColumnType)), base: typ.Base,
	}
	if typ.Unsigned || c.DatabusColumnBitmap&BitmapUnsigned != 0 {
		k.flags |= metaUnsigned
	}
	if string(c.KeyFlag) == "PRI" || c.DatabusColumnBitmap&BitmapKey != 0 {
		k.flags |= metaKey
	}
	if string(c.KeyFlag) == "UNI" && string(c.NullFlag) == "NO" {
		k.flags |= metaUnique
	}
	return k, true
}

// insert makes the table whose words begin at head the one of its name.
func (t *tables) insert(head uint32) {
	name := t.name(head)
	hash := t.hash(name)
	s := t.find(name, hash)
	*s = slot{hash, head}
}

// lookup returns the table of that name.
func (t *tables) lookup(name []byte) (table, bool) {
	if t.guess == 0 || !bytes.Equal(name, t.guessed) {
		t.guess = t.find(name, t.hash(name)).table
		if t.guess == 0 {
			return table{}, false
		}
		t.guessed = name
	}
	w := t.words[t.guess+1:]
	n := w[0] & tableCount
	if w[0]&tableTwice == 0 {
		return table{w[1 : 1+n : 1+n], int(n), w[0]}, true
	}
	return table{w[2 : 2+n : 2+n], int(w[1]), w[0]}, true
}

// find returns the slot of a name, a free one if it has none.
func (t *tables) find(name []byte, hash uint32) *slot {
	for i := int(uint64(hash) * uint64(len(t.slots)) >> 32); ; i++ {
		if i == len(t.slots) {
			i = 0
		}
		s := &t.slots[i]
		if s.table == 0 || s.hash == hash && bytes.Equal(t.name(s.table), name) {
			return s
		}
	}
}

// hash is the upper half, which the home of a name is made of.
func (t *tables) hash(name []byte) uint32 { return uint32(maphash.Bytes(t.seed, name) >> 32) }

// name returns the name of a table.
func (t *tables) name(head uint32) []byte {
	start, stop := field(t.rec, t.words[head])
	return t.rec[start:stop]
}

// merge finds the names that several columns have and moves the first one of each
// to the last one. It returns how many names are left. seen is scratch.
func (t *tables) merge(words, seen []uint32) (distinct int) {
	clear(seen)
	empty := -1 // the first column without a name
	for i := range words {
		k := t.meta(words[i])
		name := t.text(k.name, k.nameLen)
		if len(name) == 0 {
			if empty < 0 {
				empty = i
				distinct++
			} else {
				t.move(words, empty, i)
			}
			continue
		}
		for at := int(uint64(t.hash(name)) * uint64(len(seen)) >> 32); ; at++ {
			if at == len(seen) {
				at = 0
			}
			if seen[at] == 0 {
				seen[at] = uint32(i + 1)
				distinct++
				break
			}
			first := int(seen[at] - 1)
			if bytes.Equal(name, t.columnName(words, first)) {
				t.move(words, first, i)
				break
			}
		}
	}
	return distinct
}

// move makes column i the one that is shown in the place of the first of its
// name.
func (t *tables) move(words []uint32, first, i int) {
	w := words[first]
	if w&wordMoved == 0 {
		k := t.meta(w)
		w = 0
		if k.flags&metaKey != 0 {
			w |= wordKey
		}
		if k.base == mysqltype.Bit {
			w |= wordBit
		}
	}
	if t.meta(words[i]).flags&metaKey != 0 {
		w |= wordKey
	}
	words[first] = w&(wordKey|wordBit) | wordMoved | uint32(i)
	words[i] |= wordSkip
}

// shown returns which column is shown in place of column i, and its word; whether
// one of its name is a key, where that is known.
func shown(words []uint32, i int) (last int, w uint32, key bool) {
	w = words[i]
	if w&wordMoved == 0 {
		return i, w, false
	}
	last = int(w & wordLast)
	return last, words[last], w&wordKey != 0
}

func (t *tables) columnName(words []uint32, i int) []byte {
	_, w, _ := shown(words, i)
	k := t.meta(w)
	return t.text(k.name, k.nameLen)
}

// text returns the text of so many bytes at p.
func (t *tables) text(p, n uint32) []byte { return t.rec[p : p+n : p+n] }

// meta returns what a column's word leads to; it is good until the next call.
func (t *tables) meta(w uint32) *meta {
	if w&wordMeta != 0 {
		return &t.metas[w&wordPlace]
	}
	start, stop := field(t.rec, w&wordPlace)
	t.short, _ = t.read(wire.NewMessage(t.rec).Part(start, stop, 0))
	return &t.short
}

// field returns where the value of the field of type Bytes at p begins and ends;
// nowhere, if there is none because the record was written to since it was
// checked.
func field(rec []byte, p uint32) (start, stop int) {
	if int(p) >= len(rec) {
		return 0, 0
	}
	if rec[p] < 0x80 {
		if start, stop = fields.Length(rec, int(p)+1); start > 0 && stop <= len(rec) {
			return start, stop
		}
	}
	r := wire.NewReader(rec[p:])
	if !r.Next() || r.Tag.Type() != wire.Bytes {
		return 0, 0
	}
	stop = len(rec) - len(r.Rest())
	return stop - len(r.Bytes), stop
}

// isBit reports whether column i itself is of type bit.
func (t *tables) isBit(words []uint32, i int) bool {
	if w := words[i]; w&wordMoved == 0 {
		return t.meta(w).base == mysqltype.Bit
	}
	return words[i]&wordBit != 0
}
