package canal_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/internal/pb/canalpb"
	"github.com/cdcodec/cdcodec/internal/pb/packetpb"
	"github.com/cdcodec/cdcodec/wire"
	"github.com/cdcodec/cdcodec/wire/canal"
)

// TestDefaults is the table of spec/canal.md 1: what an absent field means.
func TestDefaults(t *testing.T) {
	e, err := canal.ParseEntry(nil)
	fatal(t, err)
	h, err := canal.ParseHeader(nil)
	fatal(t, err)
	c, err := canal.ParseRowChange(nil)
	fatal(t, err)
	col, err := canal.ParseColumn(nil)
	fatal(t, err)
	inEntry, err := e.RowChange()
	fatal(t, err)
	for _, c := range []struct {
		what      string
		got, want any
	}{
		{"Entry.entryType", e.Type, canal.RowDataEntry},
		{"Header.version of an Entry", e.Header.Version, int32(1)},
		{"Header.sourceType of an Entry", e.Header.SourceType, canal.MySQL},
		{"Header.eventType of an Entry", e.Header.EventType, change.Update},
		{"Header.version", h.Version, int32(1)},
		{"Header.sourceType", h.SourceType, canal.MySQL},
		{"Header.eventType", h.EventType, change.Update},
		{"RowChange.eventType", c.EventType, change.Update},
		{"RowChange.eventType of no storeValue", inEntry.EventType, change.Update},
		{"RowChange.isDdl", c.IsDDL, false},
		{"Column.isNull", col.IsNull, false},
	} {
		if c.got != c.want {
			t.Errorf("absent %s reads %v, want %v", c.what, c.got, c.want)
		}
	}
	// What is there counts: a zero where the default is another, too.
	if h, err := canal.ParseHeader(num(1, 0)); err != nil || h.Version != 0 {
		t.Errorf("version 0 reads %d, %v", h.Version, err)
	}
}

// TestClosedEnums gives each enum numbers that it has and that it lacks: those
// leave the value before. Enums are the low 32 bits of their varint.
func TestClosedEnums(t *testing.T) {
	entryType := func(b []byte) (int, error) { e, err := canal.ParseEntry(b); return int(e.Type), err }
	sourceType := func(b []byte) (int, error) { h, err := canal.ParseHeader(b); return int(h.SourceType), err }
	headerType := func(b []byte) (int, error) { h, err := canal.ParseHeader(b); return int(h.EventType), err }
	changeType := func(b []byte) (int, error) { c, err := canal.ParseRowChange(b); return int(c.EventType), err }
	eventType := func(b []byte) (int, error) {
		var d canal.Decoder
		var ev change.Event
		e, err := canal.ParseEntry(sub(3, b))
		if err == nil {
			err = d.Decode(&ev, &e)
		}
		return int(ev.Type), err
	}
	for _, c := range []struct {
		name           string
		number         wire.Number
		highest, usual int
		read           func([]byte) (int, error)
	}{
		{"Entry.entryType", 2, 5, 2, entryType},
		{"Header.sourceType", 7, 3, 2, sourceType},
		{"Header.eventType", 11, 15, 2, headerType},
		{"RowChange.eventType", 2, 15, 2, changeType},
		{"Event.Type", 2, 15, 2, eventType},
	} {
		expect := func(want int, in ...[]byte) {
			t.Helper()
			if got, err := c.read(slices.Concat(in...)); err != nil || got != want {
				t.Errorf("%s of %x reads %d, %v; want %d", c.name, slices.Concat(in...), got, err, want)
			}
		}
		for v := 1; v <= c.highest; v++ {
			expect(v, num(c.number, int64(v)))
			expect(v, num(c.number, 1), num(c.number, int64(v)))   // the last wins
			expect(v, num(c.number, int64(v)+1<<32))               // the low 32 bits
			expect(v, num(c.number, int64(v)), wire.AppendFixed32( // another wire type is another field
				wire.AppendTag(nil, c.number, wire.Fixed32), 1))
			for _, lacks := range []int64{0, int64(c.highest) + 1, -1, 255, 256, 256 + 1, 1 << 31, 1 << 32} {
				expect(v, num(c.number, int64(v)), num(c.number, lacks))
			}
		}
		for _, lacks := range []int64{0, int64(c.highest) + 1, 16, -1, 256 + 1, -1 << 32} {
			expect(c.usual, num(c.number, lacks))
		}
	}
	// Packet is proto3: its enums keep what they are given.
	p, err := canal.ParsePacket(join(num(3, 99), num(4, -7), num(3, 1<<32+98)))
	if err != nil || p.Type != 98 || p.Compression != -7 {
		t.Errorf("type %d, compression %d, %v", p.Type, p.Compression, err)
	}
}

// TestEnumNames holds the names and numbers to those of the generated code.
func TestEnumNames(t *testing.T) {
	for n, name := range canalpb.EntryType_name {
		if got := canal.EntryType(n).String(); got != name {
			t.Errorf("entry type %d is called %q, want %q", n, got, name)
		}
	}
	for _, n := range []canal.EntryType{0, 6, 255} {
		if n.String() != "" {
			t.Errorf("entry type %d is called %q", n, n)
		}
	}
	for n, name := range canalpb.Type_name {
		if got := canal.SourceType(n).String(); got != name {
			t.Errorf("source type %d is called %q, want %q", n, got, name)
		}
	}
	for _, n := range []canal.SourceType{0, 4, 255} {
		if n.String() != "" {
			t.Errorf("source type %d is called %q", n, n)
		}
	}
	for _, c := range []struct{ got, want int32 }{
		{int32(canal.Oracle), int32(canalpb.Type_ORACLE)},
		{int32(canal.MySQL), int32(canalpb.Type_MYSQL)},
		{int32(canal.PGSQL), int32(canalpb.Type_PGSQL)},
		{int32(canal.AckPacket), int32(packetpb.PacketType_ACK)},
		{int32(canal.MessagesPacket), int32(packetpb.PacketType_MESSAGES)},
		{int32(canal.CompressionUnset), int32(packetpb.Compression_COMPRESSION_UNSET)},
		{int32(canal.CompressionNone), int32(packetpb.Compression_NONE)},
	} {
		if c.got != c.want {
			t.Errorf("%d, want %d", c.got, c.want)
		}
	}
}

// TestHeaderMerge gives a header in parts: scalars of a later part win, those it
// lacks stay, props add up.
func TestHeaderMerge(t *testing.T) {
	in := join(
		sub(1, str(8, "old"), str(9, "orders"), num(6, 1), str(12, ""), sub(12, str(1, "a"), str(2, "1")), num(11, 3)),
		num(2, 4),
		sub(1),
		sub(1, sub(12, str(1, "b")), str(8, "shop"), sub(12, str(2, "3")), num(11, 99)),
		sub(3, str(11, "DROP")),
		sub(1, num(6, 2)),
	)
	e, err := canal.ParseEntry(in)
	fatal(t, err)
	want := header{
		version: 1, executeTime: 2, sourceType: 2, schemaName: "shop", tableName: "orders", eventType: 3,
		props: []pair{{"", ""}, {"a", "1"}, {"b", ""}, {"", "3"}},
	}
	for range 2 { // an iterator is made anew each time
		if got := headerOf(t, &e.Header); !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v\nwant %+v", got, want)
		}
	}
	if e.Header.Name() != "shop.orders" || e.Type != canal.HeartbeatEntry {
		t.Errorf("%s, %v", e.Header.Name(), e.Type)
	}
}

// TestLastWins gives scalars twice, and storeValue, which is replaced and not
// merged.
func TestLastWins(t *testing.T) {
	e, err := canal.ParseEntry(join(sub(3, str(11, "one"), num(1, 7)), sub(3, str(14, "two"))))
	fatal(t, err)
	c, err := e.RowChange()
	fatal(t, err)
	if string(e.StoreValue) != string(str(14, "two")) || c.SQL != nil || c.TableID != 0 || string(c.DDLSchemaName) != "two" {
		t.Errorf("%x: %+v", e.StoreValue, c)
	}
	col, err := canal.ParseColumn(join(str(8, "one"), num(6, 1), str(8, ""), num(6, 0), num(2, 4), num(2, -5)))
	fatal(t, err)
	if col.Value == nil || len(col.Value) != 0 || col.IsNull || col.SQLType != -5 {
		t.Errorf("%+v", col)
	}
	col, err = canal.ParseColumn(num(6, 1<<32)) // a bool is all 64 bits
	if err != nil || !col.IsNull {
		t.Errorf("isNull 1<<32 reads %v, %v", col.IsNull, err)
	}
	p, err := canal.ParsePacket(join(sub(5, num(1, 1)), num(3, 1), sub(5, num(1, 2)), num(3, 7)))
	fatal(t, err)
	m, err := p.Messages()
	if err != nil || m.BatchID != 2 {
		t.Errorf("batch %d, %v", m.BatchID, err)
	}
}

// TestParseEntryLeavesStoreValue has anything in storeValue be no error before
// it is asked for.
func TestParseEntryLeavesStoreValue(t *testing.T) {
	for _, c := range []struct {
		store []byte
		path  string
		at    int // in storeValue
	}{
		{[]byte{0xff}, "storeValue", 0},
		{[]byte("\x0e"), "storeValue", 0}, // number 1, but of no type
		{join(num(1, 1), cut(11)), "storeValue.sql", 2},
		{join(sub(12), cut(12)), "storeValue.rowDatas[1]", 2},
		{join(str(13, ""), str(13, ""), cut(13)), "storeValue.props[2]", 4},
		{cut(99), "storeValue", 0},
	} {
		in := join(sub(1, str(8, "shop"), str(9, "orders")), num(2, 3), sub(3, c.store))
		e, err := canal.ParseEntry(in)
		if err != nil || string(e.Header.TableName) != "orders" || string(e.StoreValue) != string(c.store) || !e.IsTransactionMark() {
			t.Errorf("%x: %+v, %v", c.store, e, err)
		}
		got, err := e.RowChange()
		kind := wire.ErrTruncated
		if c.store[0] == 0x0e {
			kind = wire.ErrType
		}
		wantParseError(t, err, kind, len(in)-len(c.store)+c.at, c.path)
		if !reflect.DeepEqual(got, canal.RowChange{}) {
			t.Errorf("with an error: %+v", got)
		}
	}
	e, err := canal.ParseEntry(join(num(2, 1), sub(3, num(1, 5), cut(2))))
	fatal(t, err)
	if b, err := e.TransactionBegin(); !reflect.DeepEqual(b, canal.TransactionBegin{}) {
		t.Errorf("%+v", b)
	} else {
		wantParseError(t, err, wire.ErrTruncated, 6, "storeValue.transactionId")
	}
	if b, err := e.TransactionEnd(); !reflect.DeepEqual(b, canal.TransactionEnd{}) {
		t.Errorf("%+v", b)
	} else {
		wantParseError(t, err, wire.ErrTruncated, 6, "storeValue.transactionId")
	}
}

// TestTransactionMark asks all entry types.
func TestTransactionMark(t *testing.T) {
	for n, want := range []bool{false, true, false, true, false, false, false} { // 0 and 6 are none
		e, err := canal.ParseEntry(num(2, int64(n)))
		if err != nil || e.IsTransactionMark() != want || e.Offset() != 0 {
			t.Errorf("type %d: a mark: %v, at %d, %v", n, e.IsTransactionMark(), e.Offset(), err)
		}
	}
}

// TestEntryErrors breaks everything of an Entry that ParseEntry reads.
func TestEntryErrors(t *testing.T) {
	for _, c := range []struct {
		name   string
		in     []byte
		number wire.Number // of the cut field
		path   string
	}{
		{"header", join(num(2, 2), cut(1)), 1, "header"},
		{"storeValue", join(sub(1), cut(3)), 3, "storeValue"},
		{"unknown field", join(num(2, 2), cut(50)), 50, ""},
		{"schemaName", sub(1, num(1, 1), cut(8)), 8, "header.schemaName"},
		{"gtid", sub(1, num(1, 1), cut(13)), 13, "header.gtid"},
		{"unknown field of the header", sub(1, cut(14)), 14, "header"},
		{"second part of the header", join(sub(1, str(12, "")), sub(1, str(12, ""), cut(12))), 12, "header.props[1]"},
		{"props", sub(1, str(12, ""), num(12, 5), sub(12, str(1, "k"), cut(2))), 2, "header.props[1].value"},
		{"known number as bytes", sub(1, cut(7)), 7, "header"}, // as bytes it is no sourceType
		{"unknown field of props", sub(1, sub(12, cut(3))), 3, "header.props[0]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, err := canal.ParseEntry(c.in)
			wantParseError(t, err, wire.ErrTruncated, place(t, c.in, c.number), c.path)
			if !reflect.DeepEqual(e, canal.Entry{}) {
				t.Errorf("with an error: %+v", e)
			}
		})
	}
	if _, err := canal.ParseHeader(join(num(1, 2), cut(9))); err == nil {
		t.Error("a bad header passes")
	} else {
		wantParseError(t, err, wire.ErrTruncated, 2, "tableName")
	}
}
