package canal_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/cdcodec/cdcodec/wire"
)

// bytesOf encodes a generated message.
func bytesOf(m proto.Message) []byte {
	b, err := proto.Marshal(m)
	if err != nil {
		panic(err)
	}
	return b
}

// sub returns the concatenation of parts as one field of wire type 2.
func sub(number wire.Number, parts ...[]byte) []byte {
	return wire.AppendBytes(wire.AppendTag(nil, number, wire.Bytes), slices.Concat(parts...))
}

// str is sub of a string.
func str(number wire.Number, s string) []byte { return sub(number, []byte(s)) }

// num returns a field of wire type 0.
func num(number wire.Number, v int64) []byte {
	return wire.AppendVarint(wire.AppendTag(nil, number, wire.Varint), uint64(v))
}

// join puts fields behind one another.
func join(parts ...[]byte) []byte { return slices.Concat(parts...) }

// cut is a field of wire type 2 that promises 99 bytes and has three of them.
// It is found again in what it is put into with place.
func cut(number wire.Number) []byte {
	return append(wire.AppendTag(nil, number, wire.Bytes), "\x63CUT"...)
}

// place returns the offset of the one field in b that cut(number) made.
func place(t *testing.T, b []byte, number wire.Number) int {
	t.Helper()
	if n := bytes.Count(b, cut(number)); n != 1 {
		t.Fatalf("%d cut fields with number %d in the input", n, number)
	}
	return bytes.Index(b, cut(number))
}

// randomMessage sets a random half of m's fields, repeated ones to up to three
// elements. Text is valid UTF-8 only where the schema asks for it (proto3).
func randomMessage(rnd *rand.Rand, m protoreflect.Message) {
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		switch fd := fields.Get(i); {
		case rnd.IntN(2) == 0:
		case fd.IsList():
			list := m.Mutable(fd).List()
			for range rnd.IntN(4) {
				if fd.Message() == nil {
					list.Append(randomValue(rnd, fd))
					continue
				}
				randomMessage(rnd, list.AppendMutable().Message())
			}
		case fd.Kind() == protoreflect.MessageKind:
			randomMessage(rnd, m.Mutable(fd).Message())
		default:
			m.Set(fd, randomValue(rnd, fd))
		}
	}
}

func randomValue(rnd *rand.Rand, fd protoreflect.FieldDescriptor) protoreflect.Value {
	switch fd.Kind() {
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(rnd.IntN(2) == 0)
	case protoreflect.EnumKind:
		members := fd.Enum().Values()
		return protoreflect.ValueOfEnum(members.Get(rnd.IntN(members.Len())).Number())
	case protoreflect.Int32Kind:
		return protoreflect.ValueOfInt32(int32(rnd.Uint32()) >> rnd.IntN(32))
	case protoreflect.Int64Kind:
		return protoreflect.ValueOfInt64(int64(rnd.Uint64()) >> rnd.IntN(64))
	}
	size := rnd.IntN(20)
	switch rnd.IntN(300) { // lengths of two and of three bytes
	case 0:
		size = 1<<14 - 5 + rnd.IntN(10)
	case 1, 2, 3, 4, 5, 6, 7, 8:
		size = rnd.IntN(400)
	}
	b := make([]byte, size)
	for i := range b {
		b[i] = byte(rnd.Uint32())
		if fd.Kind() == protoreflect.StringKind && fd.ParentFile().Syntax() == protoreflect.Proto3 {
			b[i] &= 0x7f
		}
	}
	if fd.Kind() == protoreflect.StringKind {
		return protoreflect.ValueOfString(string(b))
	}
	return protoreflect.ValueOfBytes(b)
}

// scramble writes the fields of an encoded message in another order, those of
// the messages in it too, and puts between them fields that nobody knows and
// known numbers with another wire type.
func scramble(rnd *rand.Rand, b []byte, d protoreflect.MessageDescriptor) []byte {
	var parts [][]byte
	for len(b) > 0 {
		number, typ, size := protowire.ConsumeField(b)
		part := b[:size]
		if fd := d.Fields().ByNumber(number); fd != nil && fd.Message() != nil && typ == protowire.BytesType {
			_, _, tag := protowire.ConsumeTag(part)
			in, _ := protowire.ConsumeBytes(part[tag:])
			part = protowire.AppendBytes(protowire.AppendTag(nil, number, typ), scramble(rnd, in, fd.Message()))
		}
		parts = append(parts, part)
		b = b[size:]
	}
	for range rnd.IntN(3) {
		parts = append(parts, strange(rnd, d))
	}
	rnd.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	return slices.Concat(parts...)
}

// strange returns a field that is none of d's.
func strange(rnd *rand.Rand, d protoreflect.MessageDescriptor) []byte {
	number := protowire.Number(1 + rnd.IntN(20))
	if rnd.IntN(4) == 0 {
		number = protowire.Number(1 + rnd.IntN(int(wire.MaxNumber)))
	}
	own := protowire.Type(-1)
	if fd := d.Fields().ByNumber(number); fd != nil {
		own = protowire.BytesType
		switch fd.Kind() {
		case protoreflect.BoolKind, protoreflect.EnumKind, protoreflect.Int32Kind, protoreflect.Int64Kind:
			own = protowire.VarintType
		}
	}
	types := []protowire.Type{protowire.VarintType, protowire.Fixed32Type, protowire.Fixed64Type, protowire.BytesType, protowire.StartGroupType}
	typ := types[rnd.IntN(len(types))]
	if typ == own {
		typ = protowire.Fixed32Type
	}
	b := protowire.AppendTag(nil, number, typ)
	switch typ {
	case protowire.VarintType:
		return protowire.AppendVarint(b, rnd.Uint64()>>rnd.IntN(64))
	case protowire.Fixed32Type:
		return protowire.AppendFixed32(b, rnd.Uint32())
	case protowire.Fixed64Type:
		return protowire.AppendFixed64(b, rnd.Uint64())
	case protowire.StartGroupType:
		b = protowire.AppendVarint(protowire.AppendTag(b, 1, protowire.VarintType), 7)
		return protowire.AppendTag(b, number, protowire.EndGroupType)
	}
	return protowire.AppendString(b, "strange")
}

// wantParseError holds err to a ParseError of that kind, place and path.
func wantParseError(t *testing.T, err error, kind error, offset int, path string) {
	t.Helper()
	p, ok := err.(*wire.ParseError)
	if !ok || p.Err != kind || p.Offset != offset || p.Path != path {
		t.Errorf("error %T %v, want %s at byte %d: %v", err, err, path, offset, kind)
	}
}
