package partition

import (
	"bytes"
	"hash/maphash"

	"github.com/cdcodec/cdcodec/internal/repair"
)

// tables remembers which rule the tables match that were met, up to maxTables of them
// and maxNames bytes of their names, which is 4 MiB in all; then it forgets them and
// begins anew. Names are hashed with a key that nobody who makes them up can know. To
// remember a table costs no more than once to match the rules.
type tables struct {
	seed  maphash.Seed
	slots []slot // open addressing, a power of two; 3/4 full at most
	used  int
	names []byte // database and table of each, one behind the other
	text  []byte // scratch: "database.table", repaired
}

type slot struct {
	hash            uint32
	at              uint32 // of its names
	database, table uint16 // how long they are
	rule            int32  // its number + 2; 0 is a free slot, 1 no rule
}

const (
	maxTables = 64 << 10 // slots are a third more, rounded up: 2 MiB
	maxNames  = 2 << 20
	maxName   = 4 << 10 // a longer one is not remembered; MySQL's have 256 bytes at most
)

// rule returns the number of the rule that a table matches, -1 if it matches none.
func (t *tables) rule(rules Rules, database, table []byte) int {
	if t.slots == nil {
		t.seed = maphash.MakeSeed()
		t.slots = make([]slot, 64)
	}
	if len(database) > maxName || len(table) > maxName {
		return t.match(rules, database, table)
	}
	// The two hashes are not simply XORed: of "a.a" and "b.b" they would be the same.
	h := maphash.Bytes(t.seed, database)*0x9e3779b97f4a7c15 ^ maphash.Bytes(t.seed, table)
	hash := uint32(h ^ h>>32)
	i := t.search(hash, database, table)
	if t.slots[i].rule > 0 {
		return int(t.slots[i].rule) - 2
	}
	rule := t.match(rules, database, table)
	if t.makeRoom(len(database) + len(table)) {
		i = t.search(hash, database, table)
	}
	t.slots[i] = slot{hash, uint32(len(t.names)), uint16(len(database)), uint16(len(table)), int32(rule) + 2}
	t.names = append(append(t.names, database...), table...)
	t.used++
	return rule
}

// search returns the slot of a table, or the free one where it would be.
func (t *tables) search(hash uint32, database, table []byte) int {
	mask := len(t.slots) - 1
	for i := int(hash) & mask; ; i = (i + 1) & mask {
		s := &t.slots[i]
		if s.rule == 0 {
			return i
		}
		if s.hash == hash && int(s.database) == len(database) && int(s.table) == len(table) {
			name := t.names[s.at:]
			if bytes.Equal(name[:len(database)], database) && bytes.Equal(name[len(database):len(database)+len(table)], table) {
				return i
			}
		}
	}
}

// makeRoom makes sure that there is a free slot more than needed, and room for so many
// bytes of names. It reports whether slots have moved.
func (t *tables) makeRoom(n int) bool {
	switch {
	case t.used >= maxTables || len(t.names)+n > maxNames:
		clear(t.slots)
		t.names, t.used = t.names[:0], 0
	case t.used*4 >= len(t.slots)*3:
		old := t.slots
		t.slots = make([]slot, 2*len(old))
		mask := len(t.slots) - 1
		for _, s := range old {
			if s.rule > 0 {
				i := int(s.hash) & mask
				for t.slots[i].rule > 0 {
					i = (i + 1) & mask
				}
				t.slots[i] = s
			}
		}
	default:
		return false
	}
	return true
}

// match is rule without a memory.
func (t *tables) match(rules Rules, database, table []byte) int {
	t.text = append(repair.Append(t.text[:0], database), '.')
	t.text = repair.Append(t.text, table)
	rule := rules.find(t.text)
	if cap(t.text) > 4*maxName {
		t.text = nil
	}
	return rule
}
