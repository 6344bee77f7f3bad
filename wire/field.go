package wire

// Type is a wire type, the low three bits of a tag. Part of the format.
type Type uint8

// The wire types; 6 and 7 do not exist.
const (
	Varint     Type = 0
	Fixed64    Type = 1
	Bytes      Type = 2 // a string, bytes or a message, behind its length
	StartGroup Type = 3
	EndGroup   Type = 4
	Fixed32    Type = 5
)

// Number is a field number. Part of the format.
type Number uint32

// MaxNumber is the highest field number.
const MaxNumber Number = 1<<29 - 1

// Tag is a field number and a wire type in one, as they stand on the wire. To
// switch on whole tags makes a known number with another wire type an unknown
// field, as it should be.
type Tag uint32

// MakeTag returns the tag of a field.
func MakeTag(n Number, t Type) Tag { return Tag(n)<<3 | Tag(t) }

// Number returns the field number of t.
func (t Tag) Number() Number { return Number(t >> 3) }

// Type returns the wire type of t.
func (t Tag) Type() Type { return Type(t & 7) }

// Field is one field as it stands on the wire. Of Uint and Bytes the one that the
// tag's type speaks of has the value.
type Field struct {
	Tag    Tag
	Offset int    // of the tag's first byte, from the start of the record
	Uint   uint64 // the value of a Varint, Fixed32 or Fixed64; else without meaning
	Bytes  []byte // the value of type Bytes, a view cut to its length; else without meaning
}

// Int64 returns a varint as an int64.
func (f Field) Int64() int64 { return int64(f.Uint) }

// Int32 returns a varint as an int32 or an enum: its low 32 bits.
func (f Field) Int32() int32 { return int32(f.Uint) }

// Bool returns a varint as a bool: true when any of its 64 bits is set.
func (f Field) Bool() bool { return f.Uint != 0 }

// ZigZag returns a varint as an sint32 or sint64.
func (f Field) ZigZag() int64 { return DecodeZigZag(f.Uint) }

// DecodeZigZag undoes [EncodeZigZag].
//
//	Input:  …,  5,  3,  1, 0, 2, 4, 6, …
//	Output: …, -3, -2, -1, 0, 1, 2, 3, …
func DecodeZigZag(u uint64) int64 { return int64(u>>1) ^ -int64(u&1) }

// EncodeZigZag maps signed numbers of small size to small unsigned ones.
//
//	Input:  …, -3, -2, -1, 0, 1, 2, 3, …
//	Output: …,  5,  3,  1, 0, 2, 4, 6, …
func EncodeZigZag(v int64) uint64 { return uint64(v)<<1 ^ uint64(v>>63) }
