package frame

import (
	"bytes"
	"encoding/binary"
	"math"
)

// Append appends one record in its frame to dst and returns the longer slice.
// What it appends, a [Reader] of the same kind gives back.
//
// It fails, and returns dst as it was, for a record that U32BE cannot hold
// ([ErrTooLarge]), for one that is not a single line under Lines
// ([ErrLineBreak]) and for a kind that does not exist ([ErrKind]). Single adds
// nothing around the record, so that only one makes sense in a stream.
func Append(dst []byte, kind Kind, record []byte) ([]byte, error) {
	switch kind {
	case U32BE:
		if uint64(len(record)) > math.MaxUint32 {
			return dst, ErrTooLarge
		}
		dst = binary.BigEndian.AppendUint32(dst, uint32(len(record)))
		return append(dst, record...), nil
	case Uvarint:
		dst = binary.AppendUvarint(dst, uint64(len(record)))
		return append(dst, record...), nil
	case Single:
		return append(dst, record...), nil
	case Lines:
		if bytes.IndexByte(record, '\n') >= 0 || bytes.HasSuffix(record, crByte) {
			return dst, ErrLineBreak
		}
		dst = append(dst, record...)
		return append(dst, '\n'), nil
	}
	return dst, ErrKind
}

var crByte = []byte{'\r'}
