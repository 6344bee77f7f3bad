package cdcodec_test

import (
	"bytes"
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/fastjson"
	. "github.com/cdcodec/cdcodec/internal/canaltest"
	"github.com/cdcodec/cdcodec/internal/corpus/golden"
	"github.com/cdcodec/cdcodec/internal/pb/canalpb"
	"github.com/cdcodec/cdcodec/internal/pb/packetpb"
	"github.com/cdcodec/cdcodec/internal/reference"
	"github.com/cdcodec/cdcodec/wire"
	"github.com/cdcodec/cdcodec/wire/canal"
)

func TestFieldCasesT21EntryTypes(t *testing.T) {
	store := Encode(Change(Insert, Row(nil, Columns{Col("a", "1")})))
	inserted := anInsert(`"a"`, `"1"`).String()
	for _, c := range []struct {
		typ  canalpb.EntryType
		want []string
		drop []string
	}{
		{canalpb.EntryType_TRANSACTIONBEGIN, nil, nil},
		{canalpb.EntryType_ROWDATA, []string{inserted}, []string{inserted}},
		{canalpb.EntryType_TRANSACTIONEND, nil, nil},
		{canalpb.EntryType_HEARTBEAT, []string{inserted}, nil},
		{canalpb.EntryType_GTIDLOG, []string{inserted}, nil},
	} {
		entry := Encode(&canalpb.Entry{EntryType: &c.typ, StoreValue: store})
		become(t, c.typ.String(), entry, fastjson.Options{}, c.want...)
		become(t, c.typ.String()+" with heartbeats dropped", entry, fastjson.Options{DropHeartbeats: true}, c.drop...)
	}
	// As Canal sends them: a heartbeat holds nothing, a GTIDLOG a Pair.
	become(t, "heartbeat", Num(Sub(nil, 1, Num(nil, 11, 15)), 2, 4), fastjson.Options{}, text{}.String())
	become(t, "gtidlog", Sub(Num(nil, 2, 5), 3, Text(Text(nil, 1, "gtid"), 2, "g:1")), fastjson.Options{}, text{}.String())
}

func TestFieldCasesT22EventTypes(t *testing.T) {
	header := Sub(nil, 1, Num(nil, 11, 3)) // eventType DELETE, which is not used
	for _, c := range []struct {
		name  string
		store []byte
		want  text
	}{
		{"absent", nil, text{}},
		{"0", Num(nil, 2, 0), text{}},
		{"99", Num(nil, 2, 99), text{}},
		{"INSERT, 0", Num(Num(nil, 2, 1), 2, 0), text{typ: `"INSERT"`}},
		{"INSERT, 99", Num(Num(nil, 2, 1), 2, 99), text{typ: `"INSERT"`}},
	} {
		become(t, c.name, Sub(slices.Clone(header), 3, c.store), fastjson.Options{}, c.want.String())
	}
}

// packetCase checks what becomes of a Packet. path is that of the error, which
// is one of kind.
func packetCase(t *testing.T, tr *cdcodec.Transcoder, name string, packet []byte, want []string, kind error, path string, offset int) {
	t.Helper()
	out, msgs, err := tr.Append(nil, nil, packet, goldenMeta)
	ref, refErr := reference.Packet(packet, fastjson.Options{}, goldenMeta, false)
	if kind != nil {
		var at *wire.ParseError
		if !errors.As(err, &at) || !errors.Is(err, kind) || at.Path != path || at.Offset != offset {
			t.Errorf("%s: error is %v, want %v in %q at %d", name, err, kind, path, offset)
		}
		if refErr == nil || out != nil || msgs != nil {
			t.Errorf("%s: reference says %v, and there are %d messages", name, refErr, len(msgs))
		}
		return
	}
	if err != nil || refErr != nil {
		t.Errorf("%s: %v, and the reference says %v", name, err, refErr)
	}
	if got, all := string(out), strings.Join(want, ""); got != all || string(bytes.Join(ref, nil)) != all || len(msgs) != len(want) {
		t.Errorf("%s: %d messages\n      got %s\nreference %s\n     want %s", name, len(msgs), got, bytes.Join(ref, nil), all)
	}
}

func TestFieldCasesT23Packet(t *testing.T) {
	tr := newTranscoder(t, cdcodec.Options{From: cdcodec.FromPacket})
	entry := EntryOf(nil, Change(Insert, Row(nil, Columns{Col("a", "1")})))
	one := anInsert(`"a"`, `"1"`)
	one.id = "5"
	id0 := anInsert(`"a"`, `"1"`)
	id0.id = "0"
	body := BatchOf(5, entry)
	packet := func() []byte { return Sub(Num(nil, 3, 7), 5, body) } // type at 0, body at 2
	good := []string{one.String()}
	for _, c := range []struct {
		name   string
		packet []byte
		want   []string
	}{
		{"as it is", packet(), good},
		{"compression 0", Num(packet(), 4, 0), good},
		{"compression NONE", Num(packet(), 4, 1), good},
		{"compression GZIP, then NONE", Num(Num(packet(), 4, 3), 4, 1), good},
		{"magic number and version", Num(Num(packet(), 1, 17), 2, 1), good},
		{"odd ones", Num(Num(packet(), 1, minus1), 2, 99), good},
		{"type HEARTBEAT, then MESSAGES", Sub(Num(Num(nil, 3, 11), 3, 7), 5, body), good},
		{"low 32 bits of type", Sub(Num(nil, 3, 1<<32+7), 5, body), good},
		{"body before type", Num(Sub(nil, 5, body), 3, 7), good},
		{"the last body", Sub(Sub(Num(nil, 3, 7), 5, []byte{0x0f}), 5, body), good},
		{"type as bytes is not type", Sub(packet(), 3, []byte{1}), good},
		{"unknown fields", slices.Concat(unknown(), packet(), unknown()), good},
		{"no batch id", Sub(Num(nil, 3, 7), 5, Sub(nil, 2, entry)), []string{id0.String()}},
		{"no entries", Sub(Num(nil, 3, 7), 5, Num(nil, 1, 5)), nil},
		{"empty body", Sub(Num(nil, 3, 7), 5, nil), nil},
		{"no body", Num(nil, 3, 7), nil},
		{"entries as varint", Sub(Num(nil, 3, 7), 5, Num(nil, 2, 1)), nil},
	} {
		packetCase(t, tr, c.name, c.packet, c.want, nil, "", 0)
	}

	at := len(packet()) // where what is appended begins
	for _, c := range []struct {
		name   string
		packet []byte
		kind   error
		path   string
		offset int
	}{
		{"ZLIB", Num(packet(), 4, 2), canal.ErrCompression, "compression", at},
		{"GZIP", Num(packet(), 4, 3), canal.ErrCompression, "compression", at},
		{"LZF", Num(packet(), 4, 4), canal.ErrCompression, "compression", at},
		{"compression 99", Num(packet(), 4, 99), canal.ErrCompression, "compression", at},
		{"compression -1", Num(packet(), 4, minus1), canal.ErrCompression, "compression", at},
		{"NONE, then GZIP", Num(Num(packet(), 4, 1), 4, 3), canal.ErrCompression, "compression", at + 2},
		{"HEARTBEAT", Num(packet(), 3, 11), canal.ErrPacketType, "type", at},
		{"GET", Num(packet(), 3, 6), canal.ErrPacketType, "type", at},
		{"type 99", Num(packet(), 3, 99), canal.ErrPacketType, "type", at},
		{"type 0", Num(packet(), 3, 0), canal.ErrPacketType, "type", at},
		{"no type", Sub(nil, 5, body), canal.ErrPacketType, "type", 0},
		{"nothing", nil, canal.ErrPacketType, "type", 0},
		{"body past the end", []byte{0x18, 7, 0x2a, 1}, wire.ErrTruncated, "body", 2},
		{"batch_id cut", []byte{0x18, 7, 0x2a, 2, 0x08, 0x80}, wire.ErrTruncated, "body.batch_id", 4},
		{"entry past the end of the body", []byte{0x18, 7, 0x2a, 4, 0x12, 0, 0x12, 5, 0x32, 3, 0, 0, 0}, wire.ErrTruncated, "body.messages[1]", 6},
	} {
		packetCase(t, tr, c.name, c.packet, nil, c.kind, c.path, c.offset)
	}

	// An ACK carries what the server said.
	for _, c := range []struct {
		name string
		body []byte
		want canal.AckError
	}{
		{"code and message", Encode(&packetpb.Ack{ErrorCode: 401, ErrorMessage: `auth failed "x"`}), canal.AckError{Code: 401, Message: `auth failed "x"`}},
		{"code 0", []byte{8, 0}, canal.AckError{}},
		{"nothing", nil, canal.AckError{}},
		{"negative", Num(nil, 1, minus1), canal.AckError{Code: -1}},
		{"the last wins", Text(Num(Text(Num(nil, 1, 1), 2, "a"), 1, 2), 2, "b"), canal.AckError{Code: 2, Message: "b"}},
	} {
		_, msgs, err := tr.Append(nil, nil, PacketOf(AckPacket, c.body), goldenMeta)
		var ack *canal.AckError
		if !errors.As(err, &ack) || *ack != c.want || msgs != nil {
			t.Errorf("ACK, %s: %v", c.name, err)
		}
		if err != nil && !strings.Contains(err.Error(), "ACK") {
			t.Errorf("ACK, %s: %v", c.name, err)
		}
	}
	packetCase(t, tr, "bad ACK", []byte{0x18, 3, 0x2a, 2, 0x12, 9}, nil, wire.ErrTruncated, "body.error_message", 4)
}

// gogo579 is what crashed another library: a field whose length is 2^63-1,
// below fields that make it look deep.
const gogo579 = "2\x12\x12\x10\x12\x00\x12\x00\x12\x002\xf1\xff\xff\xff\xff\xff\xff\xff\x7f"

func TestFieldCasesT24Malformed(t *testing.T) {
	insert := func(b []byte) []byte { return inColumn(append(Text(nil, 3, "a"), b...)) }
	a := anInsert(`"a"`, `""`)
	for _, c := range []struct {
		name  string
		entry []byte
		want  text
	}{
		{"gogo579, one unknown field to an Entry", []byte(gogo579), text{}},
		{"and to a RowChange", EntryHolding([]byte(gogo579)), text{}},
		{"matched group", insert([]byte{0x63, 0x08, 0x01, 0x64}), a},
		{"wrong wire type for a known field", insert([]byte{0x40, 0x01}), a},
		{"duplicate scalar", insert([]byte{0x1a, 0x01, 'b', 0x1a, 0x01, 'a'}), a},
		{"duplicate header", Sub(Sub(nil, 1, Text(nil, 8, "d")), 1, Text(nil, 9, "t")), text{database: `"d"`, table: `"t"`}},
		{"unknown fields", insert(unknown()), a},
		{"empty string value", insert([]byte{0x42, 0x00}), a},
		{"empty storeValue", []byte{0x1a, 0x00}, text{}},
	} {
		become(t, c.name, c.entry, fastjson.Options{}, c.want.String())
	}
	for _, c := range []struct {
		name  string
		entry []byte
		kind  error
	}{
		{"gogo579, its inside as a row", EntryHolding(Sub(nil, 12, []byte(gogo579[2:]))), wire.ErrTruncated},
		{"truncated varint", insert([]byte{0x10, 0x80}), wire.ErrTruncated},
		{"varint of eleven bytes", insert(append([]byte{0x10}, padded(1, 11)...)), wire.ErrVarint},
		{"length past the end", insert([]byte{0x42, 0x02, 'x'}), wire.ErrTruncated},
		{"length 2^63-1", insert(append([]byte{0x42}, "\xff\xff\xff\xff\xff\xff\xff\xff\x7f"...)), wire.ErrTruncated},
		{"field number 0", insert([]byte{0x00, 0x00}), wire.ErrNumber},
		{"unmatched group", insert([]byte{0x63}), wire.ErrTruncated},
		{"unmatched end", insert([]byte{0x64}), wire.ErrGroup},
	} {
		fail(t, c.name, c.entry, fastjson.Options{}, c.kind)
	}
}

// TestFieldCasesT24Memory feeds bad records and looks at what is allocated for
// them: nothing that a length or count in them says.
func TestFieldCasesT24Memory(t *testing.T) {
	tr := newTranscoder(t, cdcodec.Options{})
	dst := make([]byte, 0, 1<<20)
	for _, c := range slices.Concat(golden.Entries(), golden.Random(), []golden.Case{
		{Name: "gogo579", Records: [][]byte{EntryHolding(Sub(nil, 12, []byte(gogo579[2:])))}},
		{Name: "storeValue of 2^62 bytes", Records: [][]byte{[]byte("\x1a\x80\x80\x80\x80\x80\x80\x80\x80\x40")}},
		{Name: "groups", Records: [][]byte{bytes.Repeat([]byte{0x0b}, 1<<16)}},
	}) {
		record := c.Records[0]
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _, _ = tr.Append(dst, nil, record, goldenMeta)
		runtime.ReadMemStats(&after)
		// 64 KiB are for the first use of the Transcoder, and for the error.
		if got, limit := after.TotalAlloc-before.TotalAlloc, uint64(64<<10+16*len(record)); got > limit {
			t.Errorf("%s: %d bytes allocated for %d", c.Name, got, len(record))
		}
	}
}

func TestFieldCasesT25Stale(t *testing.T) {
	a := func(typ canalpb.EventType) []byte {
		full := func(mark Mark) Columns {
			return Columns{Col("a", "", Null, NoValue), Col("b", "SECRET", Key, mark, Typed(12, "SECRET"))}
		}
		c := Change(typ)
		for range 3 {
			c.RowDatas = append(c.RowDatas, Row(full(Key), full(Changed)))
		}
		c.Sql = proto.String("SECRET")
		return EntryOf(&canalpb.Header{Gtid: proto.String("SECRET"), SchemaName: proto.String("SECRET"), TableName: proto.String("SECRET"), ExecuteTime: proto.Int64(7)}, c)
	}
	b := func(typ canalpb.EventType) []byte {
		columns := Columns{Col("p", "1"), Col("q", "", NoValue)}
		return EntryOf(nil, Change(typ, Row(columns, columns)))
	}
	wantB := map[canalpb.EventType]text{
		Insert: {data: `[{"p":"1","q":""}]`, mysqlType: `{"p":"","q":""}`, sqlType: `{"p":0,"q":0}`, typ: `"INSERT"`},
		Update: {data: `[{"p":"1","q":""}]`, mysqlType: `{"p":"","q":""}`, sqlType: `{"p":0,"q":0}`, old: `[{}]`},
		Delete: {data: `[{"p":"1","q":""}]`, mysqlType: `{"p":"","q":""}`, sqlType: `{"p":0,"q":0}`, typ: `"DELETE"`},
	}
	types := []canalpb.EventType{Insert, Update, Delete}
	for _, first := range types {
		for _, second := range types {
			whole := a(first)
			store := Encode(&canalpb.Entry{StoreValue: bytes.Repeat([]byte{0x62, 0x00}, 9)})
			for name, between := range map[string][]byte{
				"nothing": nil, "cut": whole[:len(whole)-1], "cut in the header": whole[:12], "rows, then bad": append(store[:len(store):len(store)], 0x0f),
				"bad rows": EntryHolding(append(Encode(Change(first, Row(Columns{Col("b", "SECRET", Changed)}, Columns{Col("b", "SECRET", Key, Changed)}))), 0x0f)),
			} {
				tr := newTranscoder(t, cdcodec.Options{})
				if _, _, err := tr.Append(nil, nil, whole, goldenMeta); err != nil {
					t.Fatal(err)
				}
				if between != nil {
					if _, _, err := tr.Append(nil, nil, between, goldenMeta); err == nil {
						t.Fatalf("%s is no error", name)
					}
				}
				out, _, err := tr.Append(nil, nil, b(second), goldenMeta)
				if want := wantB[second].String(); err != nil || string(out) != want {
					t.Errorf("%v, %s, %v: %v\n got %s\nwant %s", first, name, second, err, out, want)
				}
				// And back: the second with more columns than the first.
				fresh, _, _ := newTranscoder(t, cdcodec.Options{}).Append(nil, nil, whole, goldenMeta)
				if out, _, err := tr.Append(nil, nil, whole, goldenMeta); err != nil || !bytes.Equal(out, fresh) {
					t.Errorf("%v, %s, %v and back: %v\n got %s\nwant %s", first, name, second, err, out, fresh)
				}
			}
		}
	}
}
