package pb_test

import (
	"fmt"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/cdcodec/cdcodec/internal/pb/canalflatpb"
	"github.com/cdcodec/cdcodec/internal/pb/canalpb"
	"github.com/cdcodec/cdcodec/internal/pb/changedatasetpb"
	"github.com/cdcodec/cdcodec/internal/pb/packetpb"
	"github.com/cdcodec/cdcodec/internal/pb/tidbbinlogpb"
)

// vtMessage is what protoc-gen-go-vtproto adds to every message.
type vtMessage interface {
	proto.Message
	SizeVT() int
	MarshalVT() ([]byte, error)
	UnmarshalVT([]byte) error
	UnmarshalVTUnsafe([]byte) error
	ResetVT()
}

// TestRoundTrip sets every field of each package's outermost messages, and
// holds the generated code to protobuf-go's reflection, both ways.
func TestRoundTrip(t *testing.T) {
	for _, m := range []vtMessage{
		new(canalpb.Entry), new(canalpb.RowChange), new(canalpb.TransactionBegin), new(canalpb.TransactionEnd),
		new(canalflatpb.Entry),
		new(packetpb.Packet), new(packetpb.Messages), new(packetpb.Ack),
		new(tidbbinlogpb.Binlog),
		new(changedatasetpb.ChangeDataSet),
	} {
		name := string(m.ProtoReflect().Descriptor().FullName())
		t.Run(strings.TrimPrefix(name, "cdcodec.internal."), func(t *testing.T) {
			fresh := func() vtMessage { return m.ProtoReflect().New().Interface().(vtMessage) }
			n := 0
			fill(m.ProtoReflect(), &n)

			wire, err := m.MarshalVT()
			if err != nil {
				t.Fatal(err)
			}
			if len(wire) != m.SizeVT() {
				t.Errorf("SizeVT says %d, %d bytes written", m.SizeVT(), len(wire))
			}
			slow := fresh()
			if err := proto.Unmarshal(wire, slow); err != nil {
				t.Fatal(err)
			}
			if !proto.Equal(m, slow) {
				t.Errorf("proto.Unmarshal of what MarshalVT wrote:\n%v\nwant:\n%v", slow, m)
			}
			again, err := proto.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			copied, borrowed := fresh(), fresh()
			if err := copied.UnmarshalVT(again); err != nil || !proto.Equal(m, copied) {
				t.Errorf("UnmarshalVT of what proto.Marshal wrote: %v\n%v\nwant:\n%v", err, copied, m)
			}
			if err := borrowed.UnmarshalVTUnsafe(again); err != nil || !proto.Equal(m, borrowed) {
				t.Errorf("UnmarshalVTUnsafe of what proto.Marshal wrote: %v\n%v\nwant:\n%v", err, borrowed, m)
			}
			copied.ResetVT()
			if err := copied.UnmarshalVT(wire); err != nil || !proto.Equal(m, copied) {
				t.Errorf("after ResetVT: %v\n%v\nwant:\n%v", err, copied, m)
			}
		})
	}
}

// fill gives every field of m a value of its own: two elements to a list, the
// last member to an enum.
func fill(m protoreflect.Message, n *int) {
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		fd := fields.Get(i)
		switch {
		case fd.IsList() && fd.Message() != nil:
			list := m.Mutable(fd).List()
			for range 2 {
				fill(list.AppendMutable().Message(), n)
			}
		case fd.IsList():
			list := m.Mutable(fd).List()
			for range 2 {
				list.Append(scalar(fd, n))
			}
		case fd.Message() != nil:
			fill(m.Mutable(fd).Message(), n)
		default:
			m.Set(fd, scalar(fd, n))
		}
	}
}

func scalar(fd protoreflect.FieldDescriptor, n *int) protoreflect.Value {
	*n++
	switch fd.Kind() {
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(true)
	case protoreflect.EnumKind:
		members := fd.Enum().Values()
		return protoreflect.ValueOfEnum(members.Get(members.Len() - 1).Number())
	case protoreflect.Int32Kind:
		return protoreflect.ValueOfInt32(int32(-*n))
	case protoreflect.Int64Kind:
		return protoreflect.ValueOfInt64(int64(-*n) << 40)
	case protoreflect.Uint64Kind:
		return protoreflect.ValueOfUint64(^uint64(*n))
	case protoreflect.FloatKind:
		return protoreflect.ValueOfFloat32(float32(*n) + 0.5)
	case protoreflect.DoubleKind:
		return protoreflect.ValueOfFloat64(float64(*n) + 0.1)
	case protoreflect.StringKind:
		return protoreflect.ValueOfString(fmt.Sprint("值", *n))
	case protoreflect.BytesKind:
		return protoreflect.ValueOfBytes(fmt.Append(nil, "\xff", *n))
	}
	panic("no value for a field of kind " + fd.Kind().String())
}

// TestDefaults is canal.md's first table: what an absent field means.
func TestDefaults(t *testing.T) {
	var (
		entry  canalpb.Entry
		header canalpb.Header
		change canalpb.RowChange
		column canalpb.Column
	)
	for _, c := range []struct {
		what      string
		got, want any
	}{
		{"Entry.entryType", entry.GetEntryType(), canalpb.EntryType_ROWDATA},
		{"Header.version", header.GetVersion(), int32(1)},
		{"Header.sourceType", header.GetSourceType(), canalpb.Type_MYSQL},
		{"Header.eventType", header.GetEventType(), canalpb.EventType_UPDATE},
		{"RowChange.eventType", change.GetEventType(), canalpb.EventType_UPDATE},
		{"RowChange.isDdl", change.GetIsDdl(), false},
		{"Column.isNull", column.GetIsNull(), false},
	} {
		if c.got != c.want {
			t.Errorf("absent %s reads %v, want %v", c.what, c.got, c.want)
		}
	}
}

// TestFlatReadsCanal has the flat twin read what the faithful schema wrote,
// store value and all.
func TestFlatReadsCanal(t *testing.T) {
	change := &canalpb.RowChange{
		TableId:   proto.Int64(7),
		EventType: canalpb.EventType_INSERT.Enum(),
		IsDdl:     proto.Bool(false),
		RowDatas: []*canalpb.RowData{{AfterColumns: []*canalpb.Column{
			{Index: proto.Int32(0), SqlType: proto.Int32(-5), Name: proto.String("id"), IsKey: proto.Bool(true),
				Updated: proto.Bool(true), IsNull: proto.Bool(false), Value: proto.String("42"), MysqlType: proto.String("bigint")},
			{Index: proto.Int32(1), Name: proto.String("note"), IsNull: proto.Bool(true)},
		}}},
	}
	store, err := change.MarshalVT()
	if err != nil {
		t.Fatal(err)
	}
	wire, err := (&canalpb.Entry{
		Header:     &canalpb.Header{SchemaName: proto.String("shop"), ExecuteTime: proto.Int64(1690000000000)},
		EntryType:  canalpb.EntryType_ROWDATA.Enum(),
		StoreValue: store,
	}).MarshalVT()
	if err != nil {
		t.Fatal(err)
	}
	want := &canalflatpb.Entry{
		Header:    &canalflatpb.Header{SchemaName: "shop", ExecuteTime: 1690000000000},
		EntryType: canalflatpb.EntryType_ROWDATA,
		StoreValue: &canalflatpb.RowChange{
			TableId: 7, EventType: canalflatpb.EventType_INSERT,
			RowDatas: []*canalflatpb.RowData{{AfterColumns: []*canalflatpb.Column{
				{SqlType: -5, Name: "id", IsKey: true, Updated: true, Value: "42", MysqlType: "bigint"},
				{Index: 1, Name: "note", IsNull: true},
			}}},
		},
	}
	got := canalflatpb.EntryFromVTPool()
	defer got.ReturnToVTPool()
	if err := got.UnmarshalVTUnsafe(wire); err != nil {
		t.Fatal(err)
	}
	if !got.EqualVT(want) {
		t.Errorf("got:\n%v\nwant:\n%v", got, want)
	}
}

// TestOwnNames keeps what we register apart from what a user's program may
// register for the same formats.
func TestOwnNames(t *testing.T) {
	files := 0
	protoregistry.GlobalFiles.RangeFiles(func(fd protoreflect.FileDescriptor) bool {
		if strings.HasPrefix(string(fd.Package()), "cdcodec.internal.") {
			files++
			if !strings.HasPrefix(fd.Path(), "cdcodec/internal/pb/") {
				t.Errorf("%s is registered as %s", fd.Package(), fd.Path())
			}
		}
		return true
	})
	if files != 5 {
		t.Errorf("%d files of ours are registered, want 5", files)
	}
}
