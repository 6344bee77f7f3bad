package fastjson

import (
	"bytes"
	"hash/maphash"
	"math/bits"
)

// nameSet finds names of a message by their hash. A slot holds the position of the
// name, or of the last one like it, and above that as many bits of the hash as
// there is room for; 0 is free (a message does not begin with a name). 7/8 of the
// slots are used at most: 4.6 bytes a name.
type nameSet struct {
	slots []uint32
	bits  int // of a slot that are a position
}

// keepSlots is how many slots are kept from message to message.
const keepSlots = 16 << 10

// reset empties s for that many names of a message of length bytes. room is for
// how many names there will ever be some to find.
func (s *nameSet) reset(most, room, length int) {
	s.bits = bits.Len(uint(length))
	size := most + most/7 + 2
	if cap(s.slots) < size {
		s.slots = make([]uint32, max(room+room/7+2, size))
	}
	s.slots = s.slots[:size]
	clear(s.slots)
}

func (s *nameSet) release() {
	if cap(s.slots) > keepSlots {
		s.slots = nil
	}
	s.slots = s.slots[:0]
}

// fill makes s the set of the members or strings of a section.
func (s *nameSet) fill(r *Reader, from *section) {
	s.reset(from.count, from.count, len(r.b))
	p := from.at
	for range from.count {
		name, next := r.nameAt(p)
		s.put(r, name, p)
		if next = space(r.b, next); r.peek(next) == ':' {
			next = r.behind(behindColon(r.b, next))
		}
		p, _ = follow(r.b, next)
	}
}

// put adds a name and returns the position of the one like it that was there, 0
// if there was none.
func (s *nameSet) put(r *Reader, name []byte, p int) (before int) {
	hash := r.hash(name)
	slot, found := s.slot(r, name, hash)
	if found {
		before = s.at(slot)
	}
	s.slots[slot] = uint32(p) | uint32(hash)<<s.bits
	return before
}

// find returns the position of the last name like that, 0 if there is none.
func (s *nameSet) find(r *Reader, name []byte) int {
	if len(s.slots) == 0 {
		return 0
	}
	if slot, found := s.slot(r, name, r.hash(name)); found {
		return s.at(slot)
	}
	return 0
}

func (r *Reader) hash(name []byte) uint64 { return maphash.Bytes(r.seed, name) }

func (s *nameSet) at(slot int) int { return int(s.slots[slot] & (1<<s.bits - 1)) }

// slot returns the slot of a name, or the free one that would be its.
func (s *nameSet) slot(r *Reader, name []byte, hash uint64) (slot int, found bool) {
	slot = int((hash >> 32) * uint64(len(s.slots)) >> 32)
	tag := uint32(hash) << s.bits >> s.bits
	for range s.slots {
		if s.slots[slot] == 0 {
			break
		}
		if s.slots[slot]>>s.bits == tag {
			if other, _ := r.nameAt(s.at(slot)); bytes.Equal(other, name) {
				return slot, true
			}
		}
		if slot++; slot == len(s.slots) {
			slot = 0
		}
	}
	return slot, false
}
