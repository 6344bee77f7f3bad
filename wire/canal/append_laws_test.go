package canal_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/internal/corpus"
	"github.com/cdcodec/cdcodec/internal/corpus/golden"
	"github.com/cdcodec/cdcodec/internal/pb/canalpb"
	"github.com/cdcodec/cdcodec/wire/canal"
)

// pbEntry builds by hand the Entry that says what ev says.
func pbEntry(ev *change.Event) (*canalpb.Entry, *canalpb.RowChange) {
	typ := canalpb.EventType(ev.Type)
	h := &canalpb.Header{
		Version: proto.Int32(1), SourceType: canalpb.Type_MYSQL.Enum(), ExecuteTime: &ev.ES,
		SchemaName: proto.String(string(ev.Database)), TableName: proto.String(string(ev.Table)), EventType: &typ,
	}
	if len(ev.GTID) > 0 {
		h.Gtid = proto.String(string(ev.GTID))
	}
	c := &canalpb.RowChange{EventType: &typ, IsDdl: &ev.IsDDL}
	if len(ev.SQL) > 0 {
		c.Sql = proto.String(string(ev.SQL))
	}
	if ev.IsDDL && len(ev.Database) > 0 {
		c.DdlSchemaName = proto.String(string(ev.Database))
	}
	for _, row := range rowsOf(ev) {
		c.RowDatas = append(c.RowDatas, &canalpb.RowData{BeforeColumns: pbImageOf(row.Before), AfterColumns: pbImageOf(row.After)})
	}
	entryType := canalpb.EntryType_ROWDATA
	switch ev.Kind {
	case change.KindHeartbeat:
		entryType = canalpb.EntryType_HEARTBEAT
	case change.KindGTIDLog:
		entryType = canalpb.EntryType_GTIDLOG
	}
	return &canalpb.Entry{Header: h, EntryType: &entryType}, c
}

func pbImageOf(in []change.Column) (out []*canalpb.Column) {
	for i, c := range in {
		col := &canalpb.Column{
			Index: proto.Int32(int32(i)), SqlType: proto.Int32(c.SQLType), Name: proto.String(string(c.Name)),
			IsKey: proto.Bool(c.Key), Updated: proto.Bool(c.Updated), IsNull: proto.Bool(c.Null), MysqlType: proto.String(string(c.MySQLType)),
		}
		if !c.Null {
			col.Value = proto.String(string(c.Value))
		}
		out = append(out, col)
	}
	return out
}

// rowsOf copies the rows of ev that count.
func rowsOf(ev *change.Event) []change.Row {
	if ev.Rows == nil || !ev.HasRows() {
		return nil
	}
	return change.CopyRows(ev.Rows)
}

// held returns what of ev an Entry has a place for, in one form.
func held(ev *change.Event) change.Event {
	out := change.Event{
		Kind: ev.Kind, Type: ev.Type, IsDDL: ev.IsDDL, ES: ev.ES,
		Database: solid(ev.Database), Table: solid(ev.Table), SQL: solid(ev.SQL), GTID: solid(ev.GTID),
	}
	rows := rowsOf(ev)
	for i := range rows {
		for _, image := range [][]change.Column{rows[i].Before, rows[i].After} {
			for j := range image {
				c := &image[j]
				c.Handle, c.Heavy = false, false
				c.Name, c.Value, c.MySQLType = solid(c.Name), solid(c.Value), solid(c.MySQLType)
				if c.Null {
					c.Value = nil
				}
			}
		}
	}
	out.Rows = change.NewList(rows...) // which numbers them anew
	return out
}

// solid makes nil of what is empty.
func solid(b []byte) []byte {
	if len(b) == 0 {
		return nil
	}
	return b
}

// decodeEntry reads what we wrote, to the last byte.
func decodeEntry(t testing.TB, entry []byte) *change.Event {
	t.Helper()
	e, err := canal.ParseEntry(entry)
	if err != nil {
		t.Fatalf("%.2000x: %v", entry, err)
	}
	ev := new(change.Event)
	if err := new(canal.Decoder).Decode(ev, &e); err != nil {
		t.Fatalf("%.2000x: %v", entry, err)
	}
	return ev
}

func jsonOf(t testing.TB, ev *change.Event) []byte {
	t.Helper()
	out, err := new(fastjson.Writer).AppendEvent(nil, ev, fastjson.Meta{ID: 1, TS: 2})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// entryLaws holds the Entry of ev to the laws, and returns it.
func entryLaws(t testing.TB, ev *change.Event) []byte {
	t.Helper()
	const before = "what was there"
	out, err := canal.AppendEntry([]byte(before), ev, 0)
	if err != nil {
		t.Fatal(err)
	}
	got, kept := bytes.CutPrefix(out, []byte(before))
	if !kept {
		t.Fatalf("dst became %.100q", out)
	}

	// The runtime of protobuf reads the message that one would build by hand,
	// and writes the same bytes.
	want, wantChange := pbEntry(ev)
	var read canalpb.Entry
	var readChange canalpb.RowChange
	if err := proto.Unmarshal(got, &read); err != nil {
		t.Fatal(err)
	}
	if err := proto.Unmarshal(read.StoreValue, &readChange); err != nil {
		t.Fatal(err)
	}
	if !proto.Equal(&readChange, wantChange) {
		t.Fatalf("storeValue\n got %.2000v\nwant %.2000v", &readChange, wantChange)
	}
	want.StoreValue, _ = wantChange.MarshalVT()
	if !proto.Equal(&read, want) {
		t.Fatalf("entry\n got %.2000v\nwant %.2000v", &read, want)
	}
	if wantBytes, _ := want.MarshalVT(); !bytes.Equal(got, wantBytes) {
		t.Fatalf("bytes\n got %.2000x\nwant %.2000x", got, wantBytes)
	}

	// A Decoder makes the same Event of it, that Event the same Entry, and a
	// Writer the same JSON of both.
	again := decodeEntry(t, got)
	if h, w := held(again), held(ev); !reflect.DeepEqual(h, w) {
		t.Fatalf("event\n got %.2000v\nwant %.2000v", h, w)
	}
	if second, err := canal.AppendEntry(nil, again, 0); err != nil || !bytes.Equal(second, got) {
		t.Fatalf("the Entry of the Event of an Entry: %v\n got %.2000x\nwant %.2000x", err, second, got)
	}
	if j, w := jsonOf(t, again), jsonOf(t, ev); !bytes.Equal(j, w) {
		t.Fatalf("JSON\n got %.2000s\nwant %.2000s", j, w)
	}
	return got
}

// randomEvent returns an Event in memory of any kind but a watermark.
func randomEvent(rnd *rand.Rand) *change.Event {
	ev := &change.Event{
		Kind:     change.Kind(rnd.IntN(int(change.KindWatermark))),
		Type:     change.Type(1 + rnd.IntN(3)),
		Database: randomText(rnd), Table: randomText(rnd), GTID: randomText(rnd), SQL: randomText(rnd),
		ES: int64(rnd.Uint64()) >> rnd.IntN(64), CommitTS: rnd.Uint64(), Promoted: rnd.IntN(2) == 0, Partial: rnd.IntN(2) == 0,
	}
	switch ev.Kind {
	case change.KindDDL:
		ev.IsDDL = true
	case change.KindQuery:
		ev.Type = change.Create + change.Type(rnd.IntN(12))
		return ev
	case change.KindHeartbeat, change.KindGTIDLog:
		ev.Type = 1 + change.Type(rnd.IntN(15))
		ev.IsDDL = rnd.IntN(4) == 0
	}
	if rnd.IntN(10) == 0 {
		return ev // without Rows
	}
	var rows []change.Row
	for range rnd.IntN(5) {
		rows = append(rows, change.Row{Before: randomImage(rnd), After: randomImage(rnd)})
	}
	ev.Rows = change.NewList(rows...)
	return ev
}

func randomImage(rnd *rand.Rand) []change.Column {
	n := rnd.IntN(6)
	switch rnd.IntN(50) {
	case 0:
		n = 126 + rnd.IntN(5)
	case 1, 2, 3:
		n = 0
	}
	cols := make([]change.Column, n)
	for i := range cols {
		cols[i] = change.Column{
			Name: randomText(rnd), Value: randomText(rnd), MySQLType: randomText(rnd), SQLType: randomSQLType(rnd),
			Key: rnd.IntN(2) == 0, Handle: rnd.IntN(2) == 0, Updated: rnd.IntN(2) == 0, Null: rnd.IntN(3) == 0, Heavy: rnd.IntN(2) == 0,
		}
	}
	return cols
}

var sqlTypes = []int32{0, 1, -5, -6, -7, 12, 93, 2004, 2005, 1111, 127, 128, 16383, 16384, -1, math.MinInt32, math.MaxInt32, -1 << 28, -1<<28 - 1}

func randomSQLType(rnd *rand.Rand) int32 {
	if rnd.IntN(4) == 0 {
		return int32(rnd.Uint32()) >> rnd.IntN(32)
	}
	return sqlTypes[rnd.IntN(len(sqlTypes))]
}

// randomText returns a text of a kind that occurs: none, one that occurs again, any
// bytes, and now and then one whose length takes two bytes or three.
func randomText(rnd *rand.Rand) []byte {
	switch rnd.IntN(8) {
	case 0:
		return nil
	case 1:
		return []byte{}
	case 2, 3, 4, 5:
		return []byte([]string{"id", "a", "b", "name", "日本語", "varchar(255)", `"q"`, "\xff", "a\xed\xa0\x80", "\x00"}[rnd.IntN(10)])
	}
	n := rnd.IntN(30)
	switch rnd.IntN(80) {
	case 0:
		n = 1<<14 - 3 + rnd.IntN(6)
	case 1, 2, 3, 4:
		n = 124 + rnd.IntN(8)
	}
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rnd.Uint32())
	}
	return b
}

func TestEntryLawsRandom(t *testing.T) {
	rnd := rand.New(rand.NewPCG(11, 12))
	seen := map[change.Kind]int{}
	for range 4000 {
		ev := randomEvent(rnd)
		seen[ev.Kind]++
		entryLaws(t, ev)
	}
	if len(seen) != int(change.KindWatermark) {
		t.Errorf("kinds seen: %v", seen)
	}
}

// TestEntryLawsCorpora takes the Events of ordinary traffic.
func TestEntryLawsCorpora(t *testing.T) {
	for name, count := range map[string]int{"oltp": 400, "bulk": 3, "wide": 20, "blob": 3, "prose": 3, "stream": 600} {
		c, err := corpus.Make(name, count, 1)
		fatal(t, err)
		n := 0
		for _, record := range c.Entries {
			e, err := canal.ParseEntry(record)
			fatal(t, err)
			if !e.IsTransactionMark() {
				entryLaws(t, decodeEntry(t, record))
				n++
			}
		}
		if n < count/2 {
			t.Errorf("%s: %d Events of %d Entries", name, n, count)
		}
	}
}

// TestEntryLawsGolden takes the Events of all golden Entries that are good.
func TestEntryLawsGolden(t *testing.T) {
	n := 0
	eachGoldenEvent(func(ev *change.Event) {
		n++
		entryLaws(t, ev)
	})
	if n < 1000 {
		t.Errorf("%d Events", n)
	}
}

func eachGoldenEvent(do func(*change.Event)) {
	try := func(record []byte) {
		var ev change.Event
		e, err := canal.ParseEntry(record)
		if err == nil && !e.IsTransactionMark() && new(canal.Decoder).Decode(&ev, &e) == nil {
			do(&ev)
		}
	}
	for _, cases := range [][]golden.Case{golden.Entries(), golden.Messages(), golden.Random()} {
		for _, c := range cases {
			for _, record := range c.Records {
				try(record)
			}
		}
	}
	for _, c := range golden.Packets() {
		p, err := canal.ParsePacket(c.Records[0])
		if err != nil {
			continue
		}
		m, err := p.Messages()
		for err == nil && m.Next() {
			try(m.Bytes())
		}
	}
}

// TestEntryLawsCanalOwn: where an Entry holds no more than an Event does, as Canal
// writes it, we write the same bytes.
func TestEntryLawsCanalOwn(t *testing.T) {
	c, err := corpus.Make("oltp", 200, 3)
	fatal(t, err)
	for _, record := range c.Entries {
		var e canalpb.Entry
		var store canalpb.RowChange
		fatal(t, proto.Unmarshal(record, &e))
		fatal(t, proto.Unmarshal(e.StoreValue, &store))
		h := e.Header
		h.LogfileName, h.LogfileOffset, h.ServerId, h.ServerenCode, h.EventLength, h.Props = nil, nil, nil, nil, nil, nil
		store.TableId = nil
		e.StoreValue = bytesOf(&store)
		want := bytesOf(&e)
		got, err := canal.AppendEntry(nil, decodeEntry(t, record), 0)
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%v\n got %x\nwant %x", err, got, want)
		}
	}
}

// FuzzAppendEntry takes any bytes that are an Entry, and holds the Event in them to
// the laws.
func FuzzAppendEntry(f *testing.F) {
	for _, record := range corpus.Sample() {
		f.Add(record)
	}
	n := 0
	for _, cases := range [][]golden.Case{golden.Entries(), golden.Messages(), golden.Random()} {
		for _, c := range cases {
			for _, record := range c.Records {
				if n++; len(record) < 3000 && (n < 200 || n%8 == 0) {
					f.Add(record)
				}
			}
		}
	}
	rnd := rand.New(rand.NewPCG(13, 14))
	for range 50 {
		if entry, err := canal.AppendEntry(nil, randomEvent(rnd), 0); err == nil && len(entry) < 3000 {
			f.Add(entry)
		}
	}
	f.Add(join(sub(1, str(8, strings.Repeat("s", 200))), sub(3, sub(12, sub(2)), sub(12), sub(12, sub(1, num(2, -5))))))
	f.Fuzz(func(t *testing.T, record []byte) {
		var ev change.Event
		e, err := canal.ParseEntry(record)
		if err != nil || new(canal.Decoder).Decode(&ev, &e) != nil {
			return
		}
		before := bytes.Clone(record)
		entryLaws(t, &ev)
		if !bytes.Equal(record, before) {
			t.Errorf("%x: the record was written to", before)
		}
	})
}
