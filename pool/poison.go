package pool

// poisonByte is what returned bytes become: never valid in UTF-8, and as a varint it goes on.
const poisonByte = 0xdb

// poison fills b.
func poison(b []byte) {
	if len(b) == 0 {
		return
	}
	b[0] = poisonByte
	for n := 1; n < len(b); n *= 2 {
		copy(b[n:], b[:n])
	}
}
