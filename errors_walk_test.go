package cdcodec_test

import (
	"encoding/hex"
	"io"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/cdcodec/cdcodec/internal/pb/canalpb"
	"github.com/cdcodec/cdcodec/internal/pb/packetpb"
	"github.com/cdcodec/cdcodec/wire"
)

// Two walks over a record that have nothing in common with package wire: they
// are built on protowire, and take names and types from the schemas. offsetOf
// goes to a path, faultOf looks for the first fault.

var (
	entryDesc  = (*canalpb.Entry)(nil).ProtoReflect().Descriptor()
	packetDesc = (*packetpb.Packet)(nil).ProtoReflect().Descriptor()

	// embedded has the messages that fields of type bytes hold.
	embedded = map[protoreflect.Name]protoreflect.MessageDescriptor{
		"storeValue": (*canalpb.RowChange)(nil).ProtoReflect().Descriptor(),
		"body":       (*packetpb.Messages)(nil).ProtoReflect().Descriptor(),
		"messages":   entryDesc,
	}
)

// inside returns the message that a field holds, nil if it is none.
func inside(f protoreflect.FieldDescriptor) protoreflect.MessageDescriptor {
	if m := f.Message(); m != nil {
		return m
	}
	return embedded[f.Name()]
}

// typeOf returns the wire type of a field.
func typeOf(f protoreflect.FieldDescriptor) protowire.Type {
	switch f.Kind() {
	case protoreflect.StringKind, protoreflect.BytesKind, protoreflect.MessageKind:
		return protowire.BytesType
	}
	return protowire.VarintType
}

// offsetOf returns where in a good record the tag is of the field at path; the
// last one, where it is there more than once. -1 means nowhere.
func offsetOf(record []byte, desc protoreflect.MessageDescriptor, path string) int {
	return search(record, 0, desc, strings.Split(path, "."))
}

func search(b []byte, base int, desc protoreflect.MessageDescriptor, path []string) int {
	name, index, repeated := strings.Cut(strings.TrimSuffix(path[0], "]"), "[")
	want := desc.Fields().ByName(protoreflect.Name(name))
	if want == nil || want.IsList() != repeated {
		return -1
	}
	found, n := -1, 0
	for pos := 0; pos < len(b); {
		at := base + pos
		num, typ, size := protowire.ConsumeTag(b[pos:])
		pos += size
		value := b[pos:]
		size = protowire.ConsumeFieldValue(num, typ, value)
		pos += size
		if num != want.Number() || typ != typeOf(want) {
			continue
		}
		n++
		if repeated && index != strconv.Itoa(n-1) {
			continue
		}
		if len(path) == 1 {
			found = at
			continue
		}
		v, whole := protowire.ConsumeBytes(value)
		if at := search(v, base+pos-whole+whole-len(v), inside(want), path[1:]); at >= 0 {
			found = at
		}
	}
	return found
}

// fault is what is wrong with a record.
type fault struct {
	offset int
	path   string
	err    error
}

// faultOf returns the first fault of an Entry that stands at base in its
// record, nil if it has none. Its storeValue is read last, and not at all in a
// transaction mark.
func faultOf(entry []byte, base int) *fault {
	if f := check(entry, base, entryDesc, 0); f != nil {
		return f
	}
	var store []byte
	at, typ := 0, uint64(2)
	for pos := 0; pos < len(entry); {
		num, wt, n := protowire.ConsumeTag(entry[pos:])
		value := entry[pos+n:]
		pos += n + protowire.ConsumeFieldValue(num, wt, value)
		switch {
		case num == 2 && wt == protowire.VarintType:
			v, _ := protowire.ConsumeVarint(value)
			if v = uint64(uint32(v)); v >= 1 && v <= 5 {
				typ = v
			}
		case num == 3 && wt == protowire.BytesType:
			store, _ = protowire.ConsumeBytes(value)
			at = base + pos - len(store)
		}
	}
	if typ == 1 || typ == 3 {
		return nil
	}
	f := check(store, at, embedded["storeValue"], 0)
	if f != nil {
		f.within("storeValue")
	}
	return f
}

func (f *fault) within(name string) {
	if f.path != "" {
		name += "." + f.path
	}
	f.path = name
}

// check returns the first fault of a message, sub-messages included; what
// fields of type bytes hold is not looked at.
func check(b []byte, base int, desc protoreflect.MessageDescriptor, depth int) *fault {
	seen := map[protowire.Number]int{}
	for pos := 0; pos < len(b); {
		at := base + pos
		num, typ, value, next, f := step(b, pos, base, depth)
		known := desc.Fields().ByNumber(num)
		name := ""
		if known != nil {
			name = string(known.Name())
			if known.IsList() {
				name = wire.Element(name, seen[num])
			}
		}
		switch {
		case f != nil && known != nil && typ == typeOf(known):
			f.within(name)
			return f
		case f != nil:
			return f
		case typ == protowire.EndGroupType:
			return &fault{offset: at, err: wire.ErrGroup}
		}
		if known != nil && typ == typeOf(known) {
			seen[num]++
			if known.Message() != nil {
				if f := check(value, base+next-len(value), known.Message(), depth+1); f != nil {
					f.within(name)
					return f
				}
			}
		}
		pos = next
	}
	return nil
}

// step reads one field of a message or group that is nested that deep. value is
// set for type bytes.
func step(b []byte, pos, base, depth int) (num protowire.Number, typ protowire.Type, value []byte, next int, f *fault) {
	bad := func(err error) (protowire.Number, protowire.Type, []byte, int, *fault) {
		return num, typ, nil, 0, &fault{offset: base + pos, err: err}
	}
	tag, n := protowire.ConsumeVarint(b[pos:])
	if n < 0 {
		return bad(short(n))
	}
	if tag>>3 == 0 || tag>>3 >= 1<<29 {
		return bad(wire.ErrNumber)
	}
	num, typ = protowire.Number(tag>>3), protowire.Type(tag&7)
	next = pos + n
	switch typ {
	case protowire.VarintType:
		_, n = protowire.ConsumeVarint(b[next:])
	case protowire.Fixed32Type:
		_, n = protowire.ConsumeFixed32(b[next:])
	case protowire.Fixed64Type:
		_, n = protowire.ConsumeFixed64(b[next:])
	case protowire.BytesType:
		value, n = protowire.ConsumeBytes(b[next:])
	case protowire.EndGroupType:
		return num, typ, nil, next, nil
	case protowire.StartGroupType:
		if depth == 100 {
			return bad(wire.ErrDepth)
		}
		for next < len(b) {
			at := base + next
			inNum, inTyp, _, behind, f := step(b, next, base, depth+1)
			if f != nil {
				return num, typ, nil, 0, f
			}
			next = behind
			if inTyp == protowire.EndGroupType {
				if inNum != num {
					return num, typ, nil, 0, &fault{offset: at, err: wire.ErrGroup}
				}
				return num, typ, nil, next, nil
			}
		}
		return bad(wire.ErrTruncated) // the group itself is what is cut
	default:
		return bad(wire.ErrType)
	}
	if n < 0 {
		return bad(short(n))
	}
	return num, typ, value, next + n, nil
}

// short tells what a negative size of protowire means where a varint or what
// is as long as one says cannot be read.
func short(n int) error {
	if protowire.ParseError(n) == io.ErrUnexpectedEOF {
		return wire.ErrTruncated
	}
	return wire.ErrVarint
}

// TestWalks holds the two walks to what can be seen with the naked eye.
func TestWalks(t *testing.T) {
	record := unhex(t, utf8Record)
	for path, want := range map[string]int{
		"header": 0, "header.tableName": 7, "storeValue": 17, "storeValue.rowDatas[1]": 76,
		"storeValue.rowDatas[0].afterColumns[1].name": 61, "storeValue.rowDatas[2]": -1, "storeValue.nothing": -1, "entryType": -1,
	} {
		if got := offsetOf(record, entryDesc, path); got != want {
			t.Errorf("%s is at %d, want %d", path, got, want)
		}
	}
	if f := faultOf(record, 0); f != nil {
		t.Errorf("%+v", f)
	}
	if f := faultOf(record[:20], 100); f == nil || *f != (fault{offset: 117, path: "storeValue", err: wire.ErrTruncated}) {
		t.Errorf("%+v", f)
	}
}

// unhex reads bytes as they are written in tests: hex, text in single quotes,
// and remarks from # to the end of the line.
func unhex(t *testing.T, s string) []byte {
	t.Helper()
	var out []byte
	for line := range strings.Lines(s) {
		line, _, _ = strings.Cut(line, "#")
		for i, part := range strings.Split(line, "'") {
			if i%2 == 1 {
				out = append(out, part...)
				continue
			}
			b, err := hex.DecodeString(strings.Join(strings.Fields(part), ""))
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			out = append(out, b...)
		}
	}
	return out
}
