package codec

import "math/bits"

// A sum is what decoding comes to. It depends on every column and on their
// order, and takes some nanoseconds a column, the same for all codecs.
type sum uint64

// image begins an image of a row.
func (s *sum) image() { s.mix(1) }

// column adds the eight scalars of a column. Of a text it takes the length, the
// first and the last byte: who has these has had to find the text.
func column[T string | []byte](s *sum, index, sqlType int32, name T, isKey, updated, isNull bool, value, mysqlType T) {
	s.mix(uint64(uint32(index))<<32 | uint64(uint32(sqlType)))
	s.mix(text(name) ^
		bits.RotateLeft64(text(value), 16) ^
		bits.RotateLeft64(text(mysqlType), 32) ^
		bit(isKey)<<61 ^ bit(updated)<<62 ^ bit(isNull)<<63)
}

func text[T string | []byte](t T) uint64 {
	n := len(t)
	if n == 0 {
		return 0
	}
	return uint64(n)<<16 | uint64(t[0])<<8 | uint64(t[n-1])
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func (s *sum) mix(v uint64) {
	*s = (sum(bits.RotateLeft64(uint64(*s), 23)) ^ sum(v)) * 0x9e3779b97f4a7c15
}
