package reference

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// maxDepth is how deep sub-messages and groups, counted together, may nest in
// a top-level message. It is part of the format, fixed for good.
const maxDepth = 100

var (
	errDepth       = errors.New("more than 100 nested messages and groups")
	errFieldNumber = errors.New("field number above 2^29-1")
	errWireType    = errors.New("wire type 6 or 7")
	errStrayEnd    = errors.New("end of a group that was not opened")
	errMismatch    = errors.New("group closed by another number")
	errUnclosed    = errors.New("group not closed")
)

// field is one field as it stands on the wire. The value includes its length
// where it has one; of a group it is all that follows the opening tag, with
// the closing one.
type field struct {
	number protowire.Number
	typ    protowire.Type
	value  []byte
}

// checkMessage returns what is wrong with b, which holds a message as desc
// describes it and is nested that deep. It reads all known sub-messages too,
// but no bytes field: what that holds is a matter of its own, at depth 0.
func checkMessage(b []byte, desc protoreflect.MessageDescriptor, depth int) error {
	if depth > maxDepth {
		return errDepth
	}
	for len(b) > 0 {
		f, rest, err := nextField(b, depth)
		if err != nil {
			return err
		}
		if f.typ == protowire.EndGroupType {
			return errStrayEnd
		}
		known := knownField(desc, f)
		if known != nil && known.Message() != nil {
			sub, _ := protowire.ConsumeBytes(f.value)
			if err := checkMessage(sub, known.Message(), depth+1); err != nil {
				return fmt.Errorf("%s: %w", known.Name(), err)
			}
		}
		b = rest
	}
	return nil
}

// nextField splits the first field off b, which is inside a message or group
// that is nested that deep.
func nextField(b []byte, depth int) (f field, rest []byte, err error) {
	number, typ, n := protowire.ConsumeTag(b)
	if n < 0 {
		return field{}, nil, protowire.ParseError(n)
	}
	if number > protowire.MaxValidNumber {
		return field{}, nil, errFieldNumber
	}
	b = b[n:]

	var size int
	switch typ {
	case protowire.VarintType:
		_, size = protowire.ConsumeVarint(b)
	case protowire.Fixed32Type:
		_, size = protowire.ConsumeFixed32(b)
	case protowire.Fixed64Type:
		_, size = protowire.ConsumeFixed64(b)
	case protowire.BytesType:
		_, size = protowire.ConsumeBytes(b)
	case protowire.StartGroupType:
		size, err = groupSize(b, number, depth+1)
	case protowire.EndGroupType:
		size = 0
	default:
		err = errWireType
	}
	if err != nil {
		return field{}, nil, err
	}
	if size < 0 {
		return field{}, nil, protowire.ParseError(size)
	}
	return field{number, typ, b[:size]}, b[size:], nil
}

// groupSize returns how many bytes the group takes whose opening tag, with
// this number, ends where b begins. The group itself is nested that deep.
func groupSize(b []byte, number protowire.Number, depth int) (int, error) {
	if depth > maxDepth {
		return 0, errDepth
	}
	whole := len(b)
	for len(b) > 0 {
		f, rest, err := nextField(b, depth)
		if err != nil {
			return 0, err
		}
		if f.typ == protowire.EndGroupType {
			if f.number != number {
				return 0, errMismatch
			}
			return whole - len(rest), nil
		}
		b = rest
	}
	return 0, errUnclosed
}

// knownField returns the field of desc that f is, or nil: a number that desc
// does not have is unknown, and so is a known number with another wire type.
func knownField(desc protoreflect.MessageDescriptor, f field) protoreflect.FieldDescriptor {
	known := desc.Fields().ByNumber(f.number)
	if known == nil || wireType(known.Kind()) != f.typ {
		return nil
	}
	return known
}

// wireType returns the wire type of the kinds of field that our sources use.
func wireType(k protoreflect.Kind) protowire.Type {
	switch k {
	case protoreflect.BoolKind, protoreflect.EnumKind, protoreflect.Int32Kind, protoreflect.Int64Kind, protoreflect.Uint64Kind:
		return protowire.VarintType
	case protoreflect.FloatKind:
		return protowire.Fixed32Type
	case protoreflect.DoubleKind:
		return protowire.Fixed64Type
	case protoreflect.StringKind, protoreflect.BytesKind, protoreflect.MessageKind:
		return protowire.BytesType
	}
	panic("reference: no source has a field of kind " + k.String())
}

// lastKnownEnum returns the last value of an enum field in b, a message that
// checkMessage has found good. Numbers that the enum does not have, 0 among
// them, leave what was set before; absent is what a message without the field
// has.
func lastKnownEnum(b []byte, number protowire.Number, desc protoreflect.MessageDescriptor, absent protoreflect.EnumNumber) protoreflect.EnumNumber {
	values := desc.Fields().ByNumber(number).Enum().Values()
	last := absent
	for _, f := range fieldsOf(b) {
		if f.number != number || f.typ != protowire.VarintType {
			continue
		}
		v, _ := protowire.ConsumeVarint(f.value)
		if e := protoreflect.EnumNumber(int32(v)); values.ByNumber(e) != nil {
			last = e
		}
	}
	return last
}

// fieldsOf returns the fields of b, a message that checkMessage has found good.
func fieldsOf(b []byte) []field {
	var all []field
	for len(b) > 0 {
		f, rest, err := nextField(b, 0)
		if err != nil {
			panic("reference: fieldsOf a message that was not checked: " + err.Error())
		}
		all = append(all, f)
		b = rest
	}
	return all
}
