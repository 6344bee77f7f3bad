package partition

import (
	"bytes"
	"cmp"
	"hash/maphash"
	"slices"
	"unicode/utf8"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/internal/repair"
)

// keys is the columns by whose values rows are hashed, and what they hold in the row
// at hand. A name that would be there twice is not there: hashes are XORed.
type keys struct {
	few    []key
	length int       // of each name in few; -1 if they differ, 0 if there is none
	plain  bool      // no other bytes than those of few are their names, see isPlain
	many   []manyKey // instead of few where there are more than maxFew
	seed   maphash.Seed
}

type key struct {
	name []byte
	hash int32 // of the last value of that name in the row
}

// manyKey is a key by the hash of its name, in the order of these: to look for a name
// among the names of 100,000 key columns, again and again, must not take for ever, nor
// much memory. Two names of one hash would be taken for one, which is a chance of
// 2^-64 for each pair, with a key that nobody knows. MySQL allows 16 key columns, so
// that this is met by those who try.
type manyKey struct {
	name uint64
	hash int32
}

const (
	maxFew   = 16
	keepMany = 4 << 10 // what is kept from Event to Event: 64 KiB
)

// ofRule makes k the columns of a rule, none if that is about key columns.
func (k *keys) ofRule(r *Rule) {
	k.few, k.many, k.plain = k.few[:0], k.many[:0], r.plain
	k.length = 0
	for _, name := range r.names {
		k.few = append(k.few, key{name: name})
		k.noteLength(len(name))
	}
}

// noteLength takes the length of a name into k.length.
func (k *keys) noteLength(n int) {
	if len(k.few) == 1 {
		k.length = n
	} else if k.length != n {
		k.length = -1
	}
}

// ofRow makes k the key columns of the row that rows stands at.
func (k *keys) ofRow(rows change.Rows, image change.Image) {
	k.few, k.many, k.plain = k.few[:0], k.many[:0], true
	rows.Select(image)
	for c := rows.Column(); c != nil; c = rows.Column() {
		if !c.Key {
			continue
		}
		if i := k.find(c.Name); i >= 0 {
			k.few = slices.Delete(k.few, i, i+1)
		} else if len(k.few) < maxFew {
			k.few = append(k.few, key{name: c.Name})
			k.plain = k.plain && isPlain(c.Name)
		} else {
			k.ofManyKeys(rows, image)
			return
		}
	}
}

// ofManyKeys is ofRow where there are many.
func (k *keys) ofManyKeys(rows change.Rows, image change.Image) {
	k.few = k.few[:0]
	n := 0
	rows.Select(image)
	for c := rows.Column(); c != nil; c = rows.Column() {
		if c.Key {
			n++
		}
	}
	if k.seed == (maphash.Seed{}) {
		k.seed = maphash.MakeSeed()
	}
	k.many = slices.Grow(k.many, n)
	rows.Select(image)
	for c := rows.Column(); c != nil; c = rows.Column() {
		if c.Key {
			k.many = append(k.many, manyKey{name: k.hashName(c.Name)})
		}
	}
	slices.SortFunc(k.many, func(a, b manyKey) int { return cmp.Compare(a.name, b.name) })
	odd := k.many[:0]
	for _, m := range k.many {
		if n := len(odd); n > 0 && odd[n-1].name == m.name {
			odd = odd[:n-1]
		} else {
			odd = append(odd, m)
		}
	}
	k.many = odd
}

// hashName returns the hash of a name as it is after repair.
func (k *keys) hashName(name []byte) uint64 {
	if utf8.Valid(name) {
		return maphash.Bytes(k.seed, name)
	}
	var h maphash.Hash
	h.SetSeed(k.seed)
	for len(name) > 0 {
		var char []byte
		char, name = repair.Next(name)
		h.Write(char)
	}
	return h.Sum64()
}

// isPlain reports whether no other bytes are repaired to the same name as these are:
// what is repaired has a U+FFFD in it.
func isPlain(name []byte) bool {
	or := byte(0)
	for _, c := range name {
		or |= c
	}
	return or < utf8.RuneSelf || utf8.Valid(name) && !bytes.Contains(name, []byte(repair.Replacement))
}

// find returns the number of the one of few with that name, -1 if there is none.
func (k *keys) find(name []byte) int {
	for i := range k.few {
		if string(k.few[i].name) == string(name) {
			return i
		}
	}
	if k.plain {
		return -1
	}
	return slices.IndexFunc(k.few, func(f key) bool { return repair.Same(f.name, name) })
}

// note takes the value of a column if it is one of the keys.
func (k *keys) note(c *change.Column) {
	var hash *int32
	if len(k.many) > 0 {
		i, ok := slices.BinarySearchFunc(k.many, k.hashName(c.Name), func(m manyKey, name uint64) int { return cmp.Compare(m.name, name) })
		if !ok {
			return
		}
		hash = &k.many[i].hash
	} else {
		i := k.find(c.Name)
		if i < 0 {
			return
		}
		hash = &k.few[i].hash
	}
	if *hash = 0; !c.Null {
		*hash = Hash(c.Value)
	}
}

// sum returns the hash of the row, and forgets it.
func (k *keys) sum() (h int32) {
	for i := range k.few {
		h ^= k.few[i].hash
		k.few[i].hash = 0
	}
	for i := range k.many {
		h ^= k.many[i].hash
		k.many[i].hash = 0
	}
	return h
}

// release lets go of the Event, and of much memory.
func (k *keys) release() {
	clear(k.few)
	k.few, k.many = k.few[:0], k.many[:0]
	if cap(k.many) > keepMany {
		k.many = nil
	}
}
