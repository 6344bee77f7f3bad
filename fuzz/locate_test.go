package fuzz

import (
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/cdcodec/cdcodec/internal/pb/canalpb"
	"github.com/cdcodec/cdcodec/internal/pb/changedatasetpb"
	"github.com/cdcodec/cdcodec/internal/pb/packetpb"
	"github.com/cdcodec/cdcodec/internal/pb/tidbbinlogpb"
)

// This file finds the place where a record is malformed, for a second time:
// with protowire and the descriptors of the generated code, counting as it
// goes.

var (
	entryDesc    = new(canalpb.Entry).ProtoReflect().Descriptor()
	changeDesc   = new(canalpb.RowChange).ProtoReflect().Descriptor()
	columnDesc   = new(canalpb.Column).ProtoReflect().Descriptor()
	packetDesc   = new(packetpb.Packet).ProtoReflect().Descriptor()
	messagesDesc = new(packetpb.Messages).ProtoReflect().Descriptor()

	binlogDesc    = new(tidbbinlogpb.Binlog).ProtoReflect().Descriptor()
	changeSetDesc = new(changedatasetpb.ChangeDataSet).ProtoReflect().Descriptor()
)

// fault is where a record stops making sense: the tag of the bad field, and
// its path.
type fault struct {
	offset int
	path   string
}

func (f *fault) within(name string) *fault {
	switch {
	case f == nil || name == "":
	case f.path == "":
		f.path = name
	default:
		f.path = name + "." + f.path
	}
	return f
}

// part is a message somewhere in a record.
type part struct {
	bytes []byte
	at    int // offset in the record
}

// faultOfEntry returns what is wrong with an Entry, nil if nothing is. What
// drops says is skipped is not looked into.
func faultOfEntry(e part, dropHeartbeats bool) *fault {
	if f := e.check(entryDesc, 0); f != nil {
		return f
	}
	store, kind := part{}, protoreflect.EnumNumber(2)
	e.each(func(num protowire.Number, typ protowire.Type, value part, v uint64) {
		switch {
		case num == 3 && typ == protowire.BytesType:
			store = value
		case num == 2 && typ == protowire.VarintType && int32(v) >= 1 && int32(v) <= 5:
			kind = protoreflect.EnumNumber(int32(v))
		}
	})
	if kind == 1 || kind == 3 || kind >= 4 && dropHeartbeats {
		return nil
	}
	return store.check(changeDesc, 0).within("storeValue")
}

// faultOfPacket returns what is wrong with a Packet of type MESSAGES.
func faultOfPacket(p part, dropHeartbeats bool) *fault {
	if f := p.check(packetDesc, 0); f != nil {
		return f
	}
	body := p.body()
	f := body.check(messagesDesc, 0)
	n := 0
	if f == nil {
		body.each(func(num protowire.Number, typ protowire.Type, value part, _ uint64) {
			if f == nil && num == 2 && typ == protowire.BytesType {
				f = faultOfEntry(value, dropHeartbeats).within("messages[" + strconv.Itoa(n) + "]")
				n++
			}
		})
	}
	return f.within("body")
}

// body returns the body of a Packet that is good.
func (p part) body() (body part) {
	p.each(func(num protowire.Number, typ protowire.Type, value part, _ uint64) {
		if num == 5 && typ == protowire.BytesType {
			body = value
		}
	})
	return body
}

// entries returns the Entries of a Packet that is good.
func (p part) entries() (entries [][]byte) {
	p.body().each(func(num protowire.Number, typ protowire.Type, value part, _ uint64) {
		if num == 2 && typ == protowire.BytesType {
			entries = append(entries, value.bytes)
		}
	})
	return entries
}

// each calls f for every field of a message that check has found good.
func (p part) each(f func(num protowire.Number, typ protowire.Type, value part, v uint64)) {
	for at := 0; at < len(p.bytes); {
		num, typ, n := protowire.ConsumeTag(p.bytes[at:])
		at += n
		size := protowire.ConsumeFieldValue(num, typ, p.bytes[at:])
		value, v := part{}, uint64(0)
		switch typ {
		case protowire.BytesType:
			b, all := protowire.ConsumeBytes(p.bytes[at:])
			value = part{b, p.at + at + all - len(b)}
		case protowire.VarintType:
			v, _ = protowire.ConsumeVarint(p.bytes[at:])
		}
		f(num, typ, value, v)
		at += size
	}
}

const deepest = 100

// check returns the first fault of a message, that many levels down: fewer
// than deepest, as Canal's messages do not nest in themselves.
func (p part) check(desc protoreflect.MessageDescriptor, depth int) *fault {
	before := map[protowire.Number]int{} // elements of repeated fields
	for at := 0; at < len(p.bytes); {
		num, typ, n := protowire.ConsumeTag(p.bytes[at:])
		if n < 0 || num > protowire.MaxValidNumber {
			return &fault{offset: p.at + at}
		}
		name := ""
		known := desc.Fields().ByNumber(num)
		if known != nil && typ != wireType(known.Kind()) {
			known = nil
		}
		if known != nil {
			name = string(known.Name())
			if known.IsList() {
				name += "[" + strconv.Itoa(before[num]) + "]"
			}
		}
		next, bad := field(p.bytes, at, depth)
		if bad >= 0 {
			return (&fault{offset: p.at + bad}).within(name)
		}
		if known != nil {
			before[num]++
			if known.Message() != nil {
				b, _ := protowire.ConsumeBytes(p.bytes[at+n:])
				sub := part{b, p.at + next - len(b)}
				if f := sub.check(known.Message(), depth+1); f != nil {
					return f.within(name)
				}
			}
		}
		at = next
	}
	return nil
}

// wireType returns the wire type of the kinds of field that the sources have.
func wireType(k protoreflect.Kind) protowire.Type {
	switch k {
	case protoreflect.DoubleKind:
		return protowire.Fixed64Type
	case protoreflect.FloatKind:
		return protowire.Fixed32Type
	case protoreflect.StringKind, protoreflect.BytesKind, protoreflect.MessageKind:
		return protowire.BytesType
	}
	return protowire.VarintType
}

// field returns the position behind the field at position at of b, or, if it
// is bad, that of the tag to blame: the innermost one, of nested groups. No bad
// one is -1.
func field(b []byte, at, depth int) (next, bad int) {
	num, typ, n := protowire.ConsumeTag(b[at:])
	if n < 0 || num > protowire.MaxValidNumber {
		return 0, at
	}
	next = at + n
	switch typ {
	case protowire.StartGroupType:
		if depth+1 > deepest {
			return 0, at
		}
		for next < len(b) {
			end, t, n := protowire.ConsumeTag(b[next:])
			if n > 0 && t == protowire.EndGroupType && end == num {
				return next + n, -1
			}
			if next, bad = field(b, next, depth+1); bad >= 0 {
				return 0, bad
			}
		}
		return 0, at // the group does not end
	case protowire.EndGroupType:
		return 0, at
	}
	n = protowire.ConsumeFieldValue(num, typ, b[next:])
	if n < 0 {
		return 0, at
	}
	return next + n, -1
}
