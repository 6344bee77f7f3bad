package cdcodec_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/fastjson"
	. "github.com/cdcodec/cdcodec/internal/canaltest"
	"github.com/cdcodec/cdcodec/internal/corpus"
	"github.com/cdcodec/cdcodec/internal/corpus/golden"
	"github.com/cdcodec/cdcodec/wire"
)

// The front door as a matrix: what holds of every source and every target. What a
// message is, the tests of the law and the reference say; here is what becomes of
// it on its way through two targets, and what Options do for all of them.

// A material is records of one source.
type material struct {
	name    string
	from    cdcodec.Source
	records [][]byte
}

// materials are corpora of every source.
func materials(t testing.TB) (all []material) {
	t.Helper()
	of := func(name string, n int) [][]byte {
		c, err := corpus.Make(name, n, 5)
		if err != nil {
			t.Fatal(err)
		}
		return c.Entries
	}
	oltp, tidb := of("oltp", 60), of("tidb", 25)
	var packets [][]byte
	for i := 0; i+6 <= len(oltp); i += 6 {
		packets = append(packets, PacketOf(MessagesPacket, BatchOf(9, oltp[i:i+6]...)))
	}
	toJSON := func(o cdcodec.Options, records [][]byte) (lines [][]byte) {
		tr := newTranscoder(t, o)
		for _, r := range records {
			if out, msgs := appended(t, tr, r); len(msgs) > 0 {
				lines = append(lines, out)
			}
		}
		return lines
	}
	return []material{
		{"entry", cdcodec.FromEntry, oltp},
		{"packet", cdcodec.FromPacket, packets},
		{"tidb-binlog", cdcodec.FromTiDBBinlog, tidb},
		{"changedataset", cdcodec.FromChangeDataSet, of("baidu", 25)},
		{"canal-json", cdcodec.FromCanalJSON, toJSON(cdcodec.Options{}, oltp)},
		{"canal-json of ticdc", cdcodec.FromCanalJSON, toJSON(cdcodec.Options{From: cdcodec.FromTiDBBinlog, JSON: extended}, tidb)},
	}
}

var extended = fastjson.Options{Dialect: fastjson.TiCDC, TiCDC: fastjson.TiCDCOptions{Extension: true}}

// aims are the targets, by name, and as what their output is read again.
var aims = []struct {
	name  string
	to    cdcodec.Target
	json  fastjson.Options
	again cdcodec.Source
}{
	{"canal", cdcodec.ToJSON, fastjson.Options{}, cdcodec.FromCanalJSON},
	{"ticdc", cdcodec.ToJSON, extended, cdcodec.FromCanalJSON},
	{"entry", cdcodec.ToEntry, fastjson.Options{}, cdcodec.FromEntry},
	{"packet", cdcodec.ToPacket, fastjson.Options{}, cdcodec.FromPacket},
}

var matrixMeta = fastjson.Meta{ID: 1, TS: 1700000000000, CommitTS: 77}

func appended(t testing.TB, tr *cdcodec.Transcoder, record []byte) ([]byte, []cdcodec.Message) {
	t.Helper()
	out, msgs, err := tr.Append(nil, nil, record, matrixMeta)
	if err != nil {
		t.Fatalf("%v\nrecord %x", err, record)
	}
	return out, msgs
}

// eachPair runs f for every material and every target.
func eachPair(t *testing.T, f func(t *testing.T, m material, o cdcodec.Options, again cdcodec.Source)) {
	for _, m := range materials(t) {
		for _, aim := range aims {
			t.Run(m.name+" to "+aim.name, func(t *testing.T) {
				f(t, m, cdcodec.Options{From: m.from, To: aim.to, JSON: aim.json}, aim.again)
			})
		}
	}
}

// TestMatrix reads again what every source becomes. By way of Entries and Packets,
// and by way of itself, dialect canal is the same JSON; dialect ticdc has as many
// messages.
func TestMatrix(t *testing.T) {
	eachPair(t, func(t *testing.T, m material, o cdcodec.Options, again cdcodec.Source) {
		there := newTranscoder(t, o)
		back := newTranscoder(t, cdcodec.Options{From: again, JSON: o.JSON, IgnoreBatchID: true})
		straight := newTranscoder(t, cdcodec.Options{From: m.from, JSON: o.JSON, IgnoreBatchID: true})
		messages := 0
		for _, record := range m.records {
			out, msgs := appended(t, there, record)
			messages += len(msgs)
			want, wantMsgs := appended(t, straight, record)
			var got []byte
			n := 0
			for i, msg := range msgs {
				if msg.Start != 0 && msg.Start != msgs[max(i-1, 0)].End {
					t.Fatalf("messages do not tile the output: %+v", msgs)
				}
				if o.To == cdcodec.ToJSON && !json.Valid(out[msg.Start:msg.End]) {
					t.Fatalf("not JSON: %s", out[msg.Start:msg.End])
				}
				b, more := appended(t, back, out[msg.Start:msg.End])
				got, n = append(got, b...), n+len(more)
			}
			if o.JSON.Dialect == fastjson.Canal && m.from == cdcodec.FromPacket && o.To == cdcodec.ToJSON {
				continue // its id is the Packet's
			}
			if n != len(wantMsgs) || o.JSON.Dialect == fastjson.Canal && !bytes.Equal(got, want) {
				t.Fatalf("%d messages\n got %s\nwant %s", n, got, want)
			}
		}
		if messages == 0 {
			t.Error("no message: this tested nothing")
		}
	})
}

// TestMatrixGolden takes the golden Entries by way of every target back to JSON.
func TestMatrixGolden(t *testing.T) {
	straight := newTranscoder(t, cdcodec.Options{})
	for _, aim := range aims {
		if aim.name == "ticdc" {
			continue // it does not tell all
		}
		there := newTranscoder(t, cdcodec.Options{To: aim.to})
		back := newTranscoder(t, cdcodec.Options{From: aim.again, IgnoreBatchID: true})
		for _, c := range append(golden.Entries(), golden.Random()...) {
			if c.IsError() {
				continue
			}
			want, _ := appended(t, straight, c.Records[0])
			out, msgs := appended(t, there, c.Records[0])
			var got []byte
			for _, m := range msgs {
				b, _ := appended(t, back, out[m.Start:m.End])
				got = append(got, b...)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s by way of %s\n got %s\nwant %s", c.Name, aim.name, got, want)
			}
		}
	}
}

// TestMatrixLimits gives every source and target just the output that it takes,
// and a byte less; the same of MaxRecord. Where something failed, what comes next
// is what a fresh Transcoder says, and dst and msgs are as they were.
func TestMatrixLimits(t *testing.T) {
	eachPair(t, func(t *testing.T, m material, o cdcodec.Options, _ cdcodec.Source) {
		fresh := newTranscoder(t, o)
		tested := 0
		for _, record := range m.records[:min(len(m.records), 12)] {
			want, wantMsgs := appended(t, fresh, record)
			if len(want) == 0 {
				continue
			}
			tested++
			dst, msgs := []byte("there"), []cdcodec.Message{{Entry: 99}}
			for _, c := range []struct {
				name              string
				maxOutput, maxRec int
				kind              error
			}{
				{"exact", len(want), len(record), nil},
				{"MaxOutput", len(want) - 1, 0, fastjson.ErrMaxOutput},
				{"MaxOutput of 1", 1, 0, fastjson.ErrMaxOutput},
				{"MaxRecord", 0, len(record) - 1, cdcodec.ErrMaxRecord},
			} {
				limited := o
				limited.JSON.MaxOutput, limited.MaxRecord = c.maxOutput, c.maxRec
				out, outMsgs, err := newTranscoder(t, limited).Append(dst, msgs, record, matrixMeta)
				var at *wire.ParseError
				switch {
				case c.kind == nil:
					if err != nil || !bytes.Equal(out[len(dst):], want) || len(outMsgs) != 1+len(wantMsgs) {
						t.Fatalf("%s: %v", c.name, err)
					}
				case !errors.As(err, &at) || at.Err != c.kind || at.Offset < 0 || at.Offset > len(record):
					t.Fatalf("%s: %v", c.name, err)
				default:
					gaveBack(t, c.name, dst, out, outMsgs[1:])
				}
			}
			// A record that is cut, and then this one again.
			if out, outMsgs, err := fresh.Append(dst, msgs, record[:len(record)-1], matrixMeta); err == nil || len(out) != len(dst) || len(outMsgs) != 1 {
				t.Fatalf("cut: %v", err)
			}
			if got, gotMsgs := appended(t, fresh, record); !bytes.Equal(got, want) || !reflect.DeepEqual(gotMsgs, wantMsgs) {
				t.Fatalf("after a bad record\n got %s\nwant %s", got, want)
			}
		}
		if tested == 0 {
			t.Error("no output: this tested nothing")
		}
	})
}

// TestMatrixAllocations: none in steady state, with and without OneRow.
func TestMatrixAllocations(t *testing.T) {
	dst, msgs := make([]byte, 0, 4<<20), make([]cdcodec.Message, 0, 1000)
	eachPair(t, func(t *testing.T, m material, o cdcodec.Options, _ cdcodec.Source) {
		for _, oneRow := range []bool{false, true} {
			o.JSON.OneRow = oneRow
			tr := newTranscoder(t, o)
			run := func() {
				for _, record := range m.records {
					if _, _, err := tr.Append(dst, msgs, record, matrixMeta); err != nil {
						t.Fatal(err)
					}
				}
			}
			for range 20 { // what is remembered of tables grows
				run()
			}
			if n := testing.AllocsPerRun(5, run); n != 0 {
				t.Errorf("OneRow %v: %v allocations", oneRow, n)
			}
		}
	})
}

// TestMatrixDrop leaves out, of a record that has one of each kind, each kind by
// itself, for every target.
func TestMatrixDrop(t *testing.T) {
	kind := func(n uint64, c []byte) []byte { return Sub(Num(nil, 2, n), 3, c) }
	entries := [][]byte{
		kind(2, Encode(Change(Insert, Row(nil, Columns{Col("a", "1")})))),
		kind(2, Encode(Statement(4, true, "create table t (a int)"))),
		kind(2, Encode(Statement(Query, false, "insert"))),
		kind(4, nil), kind(5, nil),
	}
	tests := []struct {
		o       fastjson.Options
		dropped []change.Kind
	}{
		{fastjson.Options{}, nil},
		{fastjson.Options{DropDDL: true}, []change.Kind{change.KindDDL}},
		{fastjson.Options{DropQueries: true}, []change.Kind{change.KindQuery}},
		{fastjson.Options{DropHeartbeats: true}, []change.Kind{change.KindHeartbeat, change.KindGTIDLog}},
		{fastjson.Options{DropWatermarks: true}, []change.Kind{change.KindWatermark}},
	}
	for _, c := range tests {
		for _, aim := range aims[:3] { // of a Packet nothing is told
			o := c.o
			o.Dialect, o.TiCDC = aim.json.Dialect, aim.json.TiCDC
			drops := map[change.Kind]bool{}
			for _, k := range c.dropped {
				drops[k] = true
			}
			if o.Dialect == fastjson.TiCDC { // never has them
				drops[change.KindHeartbeat], drops[change.KindGTIDLog] = true, true
			}
			var want []int
			for i, k := range []change.Kind{change.KindRows, change.KindDDL, change.KindQuery, change.KindHeartbeat, change.KindGTIDLog} {
				if !drops[k] {
					want = append(want, i)
				}
			}
			tr := newTranscoder(t, cdcodec.Options{From: cdcodec.FromPacket, To: aim.to, JSON: o})
			_, msgs := appended(t, tr, PacketOf(MessagesPacket, BatchOf(1, entries...)))
			var got []int
			for _, m := range msgs {
				got = append(got, m.Entry)
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%+v to %s: Entries %v, want %v", c.o, aim.name, got, want)
			}
		}
	}
	// Watermarks come of JSON alone, and only dialect ticdc with the extension has them.
	mark := []byte(`{"type":"TIDB_WATERMARK","_tidb":{"watermarkTs":5}}`)
	for _, aim := range aims {
		for _, drop := range []bool{false, true} {
			o := cdcodec.Options{From: cdcodec.FromCanalJSON, To: aim.to, JSON: aim.json}
			o.JSON.DropWatermarks = drop
			_, msgs := appended(t, newTranscoder(t, o), mark)
			if want := aim.name == "ticdc" && !drop; (len(msgs) == 1) != want {
				t.Errorf("a watermark to %s, dropped %v: %+v", aim.name, drop, msgs)
			}
		}
	}
}
