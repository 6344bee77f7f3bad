package tidbbinlog

import (
	"bytes"
	"hash/maphash"

	"github.com/cdcodec/cdcodec/wire"
)

// What can be known only from all columns of a table: which are the last ones of
// their name, and which are keys.

// flags is that of one column.
type flags uint8

const (
	isLast   flags = 1 << iota // no column behind it has its name
	isKey                      // of the primary key, and the first such column of its name
	isHandle                   // of the unique key that stands in for a primary key
	wasKey                     // isKey, or a column before it of that name was
)

// farFlags holds the flags of the columns that are not in memory, four bits for
// each place where one can be: every other byte.
type farFlags struct {
	base, end int // the tags of the first and the last of them
	bits      []byte
}

// reset makes room for them, and all 0.
func (f *farFlags) reset() {
	n := (f.end-f.base)/4 + 1
	if cap(f.bits) < n {
		f.bits = make([]byte, n)
	}
	f.bits = f.bits[:n]
	clear(f.bits)
}

func (f *farFlags) release() {
	f.base, f.end, f.bits = 0, 0, f.bits[:0]
	if cap(f.bits) > keepLong {
		f.bits = nil
	}
}

// of returns the flags of the column whose tag is at p.
func (f *farFlags) of(p int) flags {
	i := (p - f.base) / 2
	if p < f.base || i/2 >= len(f.bits) {
		return 0
	}
	return flags(f.bits[i/2]>>(i%2*4)) & 0xf
}

func (f *farFlags) set(p int, to flags) {
	i := (p - f.base) / 2
	shift := i % 2 * 4
	f.bits[i/2] = f.bits[i/2]&^(0xf<<shift) | byte(to)<<shift
}

// A place is where a column is: its number if it is near, else where its tag is in
// the table. That is at least 2*maxNear, so that the two do not meet.

func (t *table) setFlags(place int, f flags) {
	if place < maxNear {
		t.near[place].flags = f
	} else {
		t.flags.set(place, f)
	}
}

func (t *table) flagsOf(place int) flags {
	if place < maxNear {
		return t.near[place].flags
	}
	return t.flags.of(place)
}

func (t *table) nameOf(place int) []byte {
	if place < maxNear {
		return t.near[place].name
	}
	in, _ := t.far(place, &t.tmp)
	return in.name
}

// index finds out the flags of all columns. Who may be a key is who says so; if no
// one does it is, of each name, the first column, until keys has been seen.
func (t *table) index() {
	if t.columns > len(t.near) {
		t.flags.reset()
	}
	byKeys := t.primary == 0 && t.keys > 0
	t.byName.reset(t.columns)
	var w infoWalk
	w.start(t)
	for in := w.next(); in != nil; in = w.next() {
		f := isLast
		if in.primary || byKeys {
			f |= isKey | wasKey
		}
		slot := t.byName.home(in.name)
		for ; *slot != 0; slot = t.byName.behind() {
			before := int(*slot - 1)
			if !bytes.Equal(t.nameOf(before), in.name) {
				continue
			}
			g := t.flagsOf(before)
			t.setFlags(before, g&^isLast)
			if g&wasKey != 0 {
				f = f&^isKey | wasKey
			}
			break
		}
		if *slot == 0 && len(in.name) > 0 {
			t.distinct++
		}
		*slot = uint32(w.at + 1)
		t.setFlags(w.at, f)
	}
	if byKeys && !t.keyColumns() {
		t.handleColumns()
	}
}

// keyColumns leaves isKey to the columns that the unique key PRIMARY names, and
// reports whether there are any.
func (t *table) keyColumns() (any bool) {
	t.collect(true)
	var w infoWalk
	w.start(t)
	for in := w.next(); in != nil; in = w.next() {
		f := in.flags
		if f&isKey != 0 && !t.isInKey(in.name) {
			t.setFlags(w.at, f&^isKey)
		}
		any = any || t.flagsOf(w.at)&isKey != 0
	}
	return any
}

// handleColumns gives isHandle to the columns of the first unique key that is not
// PRIMARY.
func (t *table) handleColumns() {
	t.collect(false)
	var w infoWalk
	w.start(t)
	for in := w.next(); in != nil; in = w.next() {
		if t.isInKey(in.name) {
			t.setFlags(w.at, in.flags|isHandle)
		}
	}
}

// collect makes inKey the set of the names in the unique keys called PRIMARY, or
// of those in the first that is called otherwise.
func (t *table) collect(primary bool) {
	t.inKey.reset(t.eachInKey(primary, func(int, []byte) {}))
	t.eachInKey(primary, func(p int, name []byte) {
		slot := t.inKey.home(name)
		for ; *slot != 0; slot = t.inKey.behind() {
			if bytes.Equal(t.inKeyAt(*slot), name) {
				return
			}
		}
		*slot = uint32(p + 1)
	})
}

// eachInKey calls f for each such name and where its tag is in the table, and counts
// them.
func (t *table) eachInKey(primary bool, f func(p int, name []byte)) (n int) {
	for r := wire.NewReader(t.buf); r.Next(); {
		if r.Tag != tableUniqueKeys {
			continue
		}
		k, _ := parseKey(r.Message())
		if (string(k.Name) == "PRIMARY") != primary {
			continue
		}
		for names := k.msg.Reader(); names.Next(); {
			if names.Tag == keyColumnNames {
				f(names.Offset, names.Bytes)
				n++
			}
		}
		if !primary {
			break
		}
	}
	return n
}

// inKeyAt returns the name that a slot of inKey is of.
func (t *table) inKeyAt(slot uint32) []byte {
	r := wire.NewReader(t.buf[slot-1:])
	r.Next()
	return r.Bytes
}

func (t *table) isInKey(name []byte) bool {
	for slot := t.inKey.home(name); *slot != 0; slot = t.inKey.behind() {
		if bytes.Equal(t.inKeyAt(*slot), name) {
			return true
		}
	}
	return false
}

// nameSet finds by name what is numbered: slots of a number + 1, 0 where free, with
// open addressing, 7/8 full at most. It takes less than 5 bytes for each name.
type nameSet struct {
	seed   maphash.Seed
	seeded bool
	slots  []uint32
	at     int // the slot that was returned last
}

// keepNames is how many slots stay from one record to the next.
const keepNames = 16 << 10

// reset empties s, for at most n names.
func (s *nameSet) reset(n int) {
	if !s.seeded {
		s.seed, s.seeded = maphash.MakeSeed(), true
	}
	n = max(n+n/7+1, 16)
	if cap(s.slots) < n {
		s.slots = make([]uint32, n)
	}
	s.slots = s.slots[:n]
	clear(s.slots)
}

func (s *nameSet) release() {
	s.slots = s.slots[:0]
	if cap(s.slots) > keepNames {
		s.slots = nil
	}
}

// home returns the slot where the search for a name begins.
func (s *nameSet) home(name []byte) *uint32 {
	s.at = int(maphash.Bytes(s.seed, name) & 0xffffffff * uint64(len(s.slots)) >> 32)
	return &s.slots[s.at]
}

// behind returns the slot behind the one that was returned last.
func (s *nameSet) behind() *uint32 {
	if s.at++; s.at == len(s.slots) {
		s.at = 0
	}
	return &s.slots[s.at]
}
