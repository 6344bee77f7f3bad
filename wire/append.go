package wire

import "encoding/binary"

// AppendTag appends the tag of a field.
func AppendTag(dst []byte, n Number, t Type) []byte {
	return AppendVarint(dst, uint64(MakeTag(n, t)))
}

// AppendVarint appends v as a varint, in as few bytes as it takes. A negative
// int32, int64 or enum is converted to uint64 by way of int64 and takes ten.
func AppendVarint(dst []byte, v uint64) []byte { return binary.AppendUvarint(dst, v) }

// AppendFixed32 appends v as a fixed32.
func AppendFixed32(dst []byte, v uint32) []byte { return binary.LittleEndian.AppendUint32(dst, v) }

// AppendFixed64 appends v as a fixed64.
func AppendFixed64(dst []byte, v uint64) []byte { return binary.LittleEndian.AppendUint64(dst, v) }

// AppendBytes appends the length of v and v: a string, bytes or a message.
func AppendBytes(dst, v []byte) []byte {
	return append(AppendVarint(dst, uint64(len(v))), v...)
}

// AppendString is AppendBytes for a string.
func AppendString(dst []byte, v string) []byte {
	return append(AppendVarint(dst, uint64(len(v))), v...)
}
