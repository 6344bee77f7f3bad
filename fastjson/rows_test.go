package fastjson_test

import (
	"math/rand/v2"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/internal/pb/canalpb"
	"github.com/cdcodec/cdcodec/internal/reference"
	"github.com/cdcodec/cdcodec/wire/canal"
)

// randomImage returns up to n columns with few names, some of which are the same
// only after repair.
func randomImage(rnd *rand.Rand, n int) (out []*canalpb.Column) {
	names := []string{"a", "b", "c", "d", "e", "f", "", "\xff", "\xfe", "\ufffd", "a\xed\xa0\x80", "a\xed\xa0"}
	few := 1 + rnd.IntN(len(names))
	at := rnd.IntN(few)
	for range rnd.IntN(n + 1) {
		if at++; rnd.IntN(4) == 0 {
			at = rnd.IntN(few) // else in order: no name twice for a while
		}
		c := &canalpb.Column{Name: proto.String(names[at%few]), Value: proto.String([]string{"", "v", "\n", "\xff", "值"}[rnd.IntN(5)])}
		if rnd.IntN(3) == 0 {
			c.IsKey, c.Updated = proto.Bool(rnd.IntN(2) == 0), proto.Bool(rnd.IntN(2) == 0)
		}
		if rnd.IntN(3) == 0 {
			c.IsNull = proto.Bool(rnd.IntN(3) == 0)
			c.SqlType, c.MysqlType = proto.Int32(rnd.Int32()-1<<30), proto.String([]string{"int", "", "\x80"}[rnd.IntN(3)])
		}
		out = append(out, c)
	}
	return out
}

// TestRowsAgainstReference converts random rows, many of them with names twice,
// and holds the result to the reference; and so does a copy of the Event in
// memory, which shares no cursor with the decoded one.
func TestRowsAgainstReference(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	writers := map[fastjson.Options]*fastjson.Writer{}
	var d canal.Decoder
	var ev change.Event
	errors := 0
	for range 10_000 {
		c := &canalpb.RowChange{EventType: canalpb.EventType(1 + rnd.IntN(4)).Enum()}
		if rnd.IntN(10) == 0 {
			c.IsDdl, c.Sql = proto.Bool(rnd.IntN(2) == 0), proto.String("sql\xff")
		}
		for range rnd.IntN(5) {
			c.RowDatas = append(c.RowDatas, &canalpb.RowData{BeforeColumns: randomImage(rnd, 8), AfterColumns: randomImage(rnd, 8)})
		}
		store, err := proto.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		entry, err := proto.Marshal(&canalpb.Entry{StoreValue: store, Header: &canalpb.Header{TableName: proto.String("t"), Gtid: proto.String("g")}})
		if err != nil {
			t.Fatal(err)
		}
		o := fastjson.Options{OldPerRow: rnd.IntN(2) == 0, OmitGTID: rnd.IntN(2) == 0, RejectInvalidUTF8: rnd.IntN(3) == 0}
		want, werr := reference.Entry(entry, o, meta)

		w := writers[o]
		if w == nil {
			w = newWriter(t, o)
			writers[o] = w
		}
		e, err := canal.ParseEntry(entry)
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Decode(&ev, &e); err != nil {
			t.Fatal(err)
		}
		for _, ev := range []*change.Event{&ev, ev.Clone()} {
			got, err := w.AppendEvent(nil, ev, meta)
			if (err == nil) != (werr == nil) || err == nil && string(got) != string(want[0]) {
				t.Fatalf("%+v of %v\n got %s, %v\nwant %s, %v", o, c, got, err, want, werr)
			}
		}
		if werr != nil {
			errors++
		}
	}
	if errors < 250 {
		t.Errorf("only %d Events were refused: this tested little", errors)
	}
}
