package cdcodec_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"unicode/utf8"
	"unsafe"

	"google.golang.org/protobuf/proto"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/fastjson"
	. "github.com/cdcodec/cdcodec/internal/canaltest"
	"github.com/cdcodec/cdcodec/internal/corpus"
	"github.com/cdcodec/cdcodec/internal/corpus/golden"
	"github.com/cdcodec/cdcodec/internal/pb/canalpb"
	"github.com/cdcodec/cdcodec/internal/reference"
)

// A feed is a golden case as a call of a Transcoder: Append for an Entry or a
// Packet, AppendEntries for a Message.
type feed struct {
	golden.Case
	from cdcodec.Source
	list bool
}

func feeds() (all []feed) {
	add := func(cases []golden.Case, from cdcodec.Source, list bool) {
		for _, c := range cases {
			all = append(all, feed{c, from, list})
		}
	}
	add(golden.Entries(), cdcodec.FromEntry, false)
	add(golden.Random(), cdcodec.FromEntry, false)
	add(golden.Messages(), cdcodec.FromEntry, true)
	add(golden.Packets(), cdcodec.FromPacket, false)
	return all
}

func (f feed) run(tr *cdcodec.Transcoder, dst []byte, msgs []cdcodec.Message) ([]byte, []cdcodec.Message, error) {
	if f.list {
		return tr.AppendEntries(dst, msgs, f.Records, goldenMeta)
	}
	return tr.Append(dst, msgs, f.Records[0], goldenMeta)
}

// reference is what internal/reference makes of f.
func (f feed) reference(o fastjson.Options) ([][]byte, error) {
	if f.from == cdcodec.FromPacket {
		return reference.Packet(f.Records[0], o, goldenMeta, false)
	}
	return reference.Entries(f.Records, o, goldenMeta)
}

// clone returns f with records of its own.
func (f feed) clone() feed {
	f.Records = slices.Clone(f.Records)
	for i := range f.Records {
		f.Records[i] = bytes.Clone(f.Records[i])
	}
	return f
}

// TestReused feeds random sequences of all golden records, good and bad, to
// one Transcoder of each source and option, and holds it to a fresh one for
// each record, and to the reference. All goes to one buffer; each record is overwritten when it has
// been read.
func TestReused(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	all := feeds()
	for _, o := range []fastjson.Options{{}, {OmitGTID: true, OldPerRow: true, DropHeartbeats: true}, {RejectInvalidUTF8: true}} {
		reused := map[cdcodec.Source]*cdcodec.Transcoder{
			cdcodec.FromEntry:  newTranscoder(t, cdcodec.Options{JSON: o}),
			cdcodec.FromPacket: newTranscoder(t, cdcodec.Options{JSON: o, From: cdcodec.FromPacket}),
		}
		var dst, want []byte
		for range 4000 {
			f := all[rnd.IntN(len(all))].clone()
			fresh := newTranscoder(t, cdcodec.Options{JSON: o, From: f.from})
			wantOut, wantMsgs, wantErr := f.run(fresh, want, nil)
			out, msgs, err := f.run(reused[f.from], dst, nil)
			if fmt.Sprint(err) != fmt.Sprint(wantErr) || !bytes.Equal(out[len(dst):], wantOut[len(want):]) {
				t.Errorf("%s, %+v: %v, fresh %v\n  got %s\nfresh %s", f.Name, o, err, wantErr, out[len(dst):], wantOut[len(want):])
			}
			ref, refErr := f.reference(o)
			if (err == nil) != (refErr == nil) || !bytes.Equal(out[len(dst):], bytes.Join(ref, nil)) {
				t.Errorf("%s, %+v: %v, reference %v\n      got %s\nreference %s", f.Name, o, err, refErr, out[len(dst):], ref)
			}
			if !reflect.DeepEqual(msgs, wantMsgs) {
				t.Errorf("%s: messages %+v, fresh %+v", f.Name, msgs, wantMsgs)
			}
			for _, r := range f.Records {
				for i := range r {
					r[i] = byte(rnd.Uint32())
				}
			}
			if dst, want = out, wantOut; len(dst) > 1<<20 {
				if !bytes.Equal(dst, want) {
					t.Errorf("%+v: what was appended has changed", o)
				}
				dst, want = dst[:0], want[:0]
			}
		}
		if !bytes.Equal(dst, want) {
			t.Errorf("%+v: what was appended has changed", o)
		}
	}
}

// TestErrorGivesBack looks at what is returned with an error: dst and msgs as
// they were, with room behind them and without.
func TestErrorGivesBack(t *testing.T) {
	trs := map[cdcodec.Source]*cdcodec.Transcoder{
		cdcodec.FromEntry:  newTranscoder(t, cdcodec.Options{}),
		cdcodec.FromPacket: newTranscoder(t, cdcodec.Options{From: cdcodec.FromPacket}),
	}
	for _, f := range feeds() {
		if !f.IsError() {
			continue
		}
		for _, room := range []int{0, 1, 100, 1 << 16} {
			dst := append(make([]byte, 0, 5+room), "there"...)
			msgs := append(make([]cdcodec.Message, 0, 1+room%1000), cdcodec.Message{Start: 1, End: 5, Table: []byte("t")})
			out, outMsgs, err := f.run(trs[f.from], dst, msgs)
			if err == nil {
				t.Fatalf("%s: no error", f.Name)
			}
			if string(out) != "there" || cap(out) != cap(dst) || unsafe.SliceData(out) != unsafe.SliceData(dst) {
				t.Errorf("%s: dst came back as %d of %d bytes %q", f.Name, len(out), cap(out), out)
			}
			if len(outMsgs) != 1 || cap(outMsgs) != cap(msgs) || unsafe.SliceData(outMsgs) != unsafe.SliceData(msgs) ||
				outMsgs[0].Start != 1 || outMsgs[0].End != 5 || string(outMsgs[0].Table) != "t" {
				t.Errorf("%s: msgs came back as %+v", f.Name, outMsgs)
			}
		}
		if out, msgs, _ := f.run(trs[f.from], nil, nil); out != nil || msgs != nil {
			t.Errorf("%s: nil came back as %v and %v", f.Name, out, msgs)
		}
	}
}

// TestMessages checks what is told of each message: against a table, and for
// all golden cases against the JSON itself.
func TestMessages(t *testing.T) {
	h := &canalpb.Header{SchemaName: proto.String("shop"), TableName: proto.String("t\xff"), ExecuteTime: proto.Int64(7), Gtid: proto.String("g")}
	as := func(entryType canalpb.EntryType, c *canalpb.RowChange) []byte {
		return Encode(&canalpb.Entry{Header: h, EntryType: &entryType, StoreValue: Encode(c)})
	}
	row := Row(Columns{Col("a", "1")}, Columns{Col("a", "2")})
	entries := [][]byte{
		as(canalpb.EntryType_TRANSACTIONBEGIN, nil),
		as(canalpb.EntryType_ROWDATA, Change(Insert, row)),
		as(canalpb.EntryType_ROWDATA, Change(Update, row)),
		as(canalpb.EntryType_ROWDATA, Change(Delete, row)),
		as(canalpb.EntryType_TRANSACTIONEND, nil),
		as(canalpb.EntryType_ROWDATA, Statement(canalpb.EventType_ALTER, true, "x")),
		as(canalpb.EntryType_ROWDATA, Statement(Insert, true, "x")),
		as(canalpb.EntryType_ROWDATA, Statement(Query, false, "x")),
		as(canalpb.EntryType_ROWDATA, Statement(canalpb.EventType_XACOMMIT, false, "x")),
		as(canalpb.EntryType_HEARTBEAT, Change(Insert, row)),
		as(canalpb.EntryType_GTIDLOG, Statement(Update, true, "")),
		nil,
	}
	want := []cdcodec.Message{ // spans are checked below
		{Entry: 1, Kind: change.KindRows, Type: change.Insert},
		{Entry: 2, Kind: change.KindRows, Type: change.Update},
		{Entry: 3, Kind: change.KindRows, Type: change.Delete},
		{Entry: 5, Kind: change.KindDDL, Type: change.Alter, IsDDL: true},
		{Entry: 6, Kind: change.KindDDL, Type: change.Insert, IsDDL: true},
		{Entry: 7, Kind: change.KindQuery, Type: change.Query},
		{Entry: 8, Kind: change.KindQuery, Type: change.XACommit},
		{Entry: 9, Kind: change.KindHeartbeat, Type: change.Insert},
		{Entry: 10, Kind: change.KindGTIDLog, Type: change.Update, IsDDL: true},
		{Entry: 11, Kind: change.KindRows, Type: change.Update},
	}
	for i := range want[:len(want)-1] {
		want[i].Database, want[i].Table, want[i].ES = []byte("shop"), []byte("t\xff"), 7
	}
	lists := newTranscoder(t, cdcodec.Options{})
	packets := newTranscoder(t, cdcodec.Options{From: cdcodec.FromPacket})
	dst, before := []byte("there"), []cdcodec.Message{{Entry: 99}}

	out, msgs, err := lists.AppendEntries(dst, before, entries, goldenMeta)
	checkMessages(t, "list", len(dst), out, msgs[1:], err)
	for i, m := range slices.Clone(msgs[1:]) {
		m.Start, m.End = 0, 0
		if !reflect.DeepEqual(m, want[i]) {
			t.Errorf("list: message %d is %+v\nwant %+v", i, m, want[i])
		}
	}
	if len(msgs) != 1+len(want) || msgs[0].Entry != 99 {
		t.Errorf("list: messages %+v", msgs)
	}
	packet := PacketOf(MessagesPacket, BatchOf(1, entries...))
	pOut, pMsgs, err := packets.Append(dst, before, packet, goldenMeta)
	if err != nil || !bytes.Equal(pOut, out) || !reflect.DeepEqual(pMsgs, msgs) {
		t.Errorf("packet: %v\n got %+v %s\nwant %+v %s", err, pMsgs, pOut, msgs, out)
	}
	for i, m := range want { // one by one the number of the Entry is 0
		out, one, err := lists.Append(dst, nil, entries[m.Entry], goldenMeta)
		checkMessages(t, "one", len(dst), out, one, err)
		one[0].Start, one[0].End = 0, 0
		if m.Entry = 0; len(one) != 1 || !reflect.DeepEqual(one[0], m) {
			t.Errorf("one: message %d is %+v\nwant %+v", i, one, m)
		}
	}

	for _, f := range feeds() {
		if f.IsError() {
			continue
		}
		tr := lists
		if f.from == cdcodec.FromPacket {
			tr = packets
		}
		out, msgs, err := f.run(tr, dst, nil)
		checkMessages(t, f.Name, len(dst), out, msgs, err)
	}
}

// checkMessages holds messages to the JSON that they speak of, which is all of
// out behind start.
func checkMessages(t *testing.T, name string, start int, out []byte, msgs []cdcodec.Message, err error) {
	t.Helper()
	if err != nil {
		t.Errorf("%s: %v", name, err)
	}
	for i, m := range msgs {
		if m.Start != start || m.End <= m.Start || m.End > len(out) {
			t.Errorf("%s: message %d is at %d:%d and not behind %d", name, i, m.Start, m.End, start)
			return
		}
		start = m.End
		var is struct {
			Database, Table, Type string
			ES                    int64
			IsDDL                 bool `json:"isDdl"`
		}
		if err := json.Unmarshal(out[m.Start:m.End], &is); err != nil {
			t.Errorf("%s: message %d: %v", name, i, err)
		}
		if utf8.Valid(m.Database) && string(m.Database) != is.Database || utf8.Valid(m.Table) && string(m.Table) != is.Table ||
			m.Type.String() != is.Type || m.ES != is.ES || m.IsDDL != is.IsDDL {
			t.Errorf("%s: message %d is said to be %+v\nand is %s", name, i, m, out[m.Start:m.End])
		}
		if i > 0 && m.Entry <= msgs[i-1].Entry {
			t.Errorf("%s: message %d is of Entry %d, the one before of %d", name, i, m.Entry, msgs[i-1].Entry)
		}
	}
	if start != len(out) {
		t.Errorf("%s: messages end at %d, the output at %d", name, start, len(out))
	}
}

// TestAllocations looks for allocations where all memory has been grown.
func TestAllocations(t *testing.T) {
	records := map[string][][]byte{}
	for name, entries := range map[string]int{"oltp": 300, "bulk": 6} {
		c, err := corpus.Make(name, entries, 1)
		if err != nil {
			t.Fatal(err)
		}
		records[name] = c.Entries
	}
	dst, msgs := make([]byte, 0, 8<<20), make([]cdcodec.Message, 0, 1000)
	check := func(name string, run func(tr *cdcodec.Transcoder) error, o cdcodec.Options) {
		t.Helper()
		tr := newTranscoder(t, o)
		// What is remembered of tables grows with what is read: the steady state
		// is reached when there is nothing to add.
		for range 100 {
			if err := run(tr); err != nil {
				t.Fatal(name, err)
			}
			if tr.Stats().Messages > 1000 {
				break
			}
		}
		allocs := testing.AllocsPerRun(10, func() {
			if err := run(tr); err != nil {
				t.Fatal(name, err)
			}
		})
		if allocs != 0 {
			t.Errorf("%s: %v allocations", name, allocs)
		}
	}
	for name, all := range records {
		each := func(tr *cdcodec.Transcoder) error {
			for _, r := range all {
				if _, _, err := tr.Append(dst, msgs, r, goldenMeta); err != nil {
					return err
				}
			}
			return nil
		}
		check(name, each, cdcodec.Options{})
		check(name+", old per row", each, cdcodec.Options{JSON: fastjson.Options{OldPerRow: true}})
		check(name+", not fused", each, cdcodec.Options{JSON: fastjson.Options{NoFused: true}})
	}
	for _, f := range feeds() {
		if !f.IsError() && !f.list && f.from == cdcodec.FromEntry {
			check(f.Name, func(tr *cdcodec.Transcoder) error {
				_, _, err := f.run(tr, dst, msgs)
				return err
			}, cdcodec.Options{})
		}
	}
	oltp := records["oltp"][:100]
	check("list", func(tr *cdcodec.Transcoder) error {
		_, _, err := tr.AppendEntries(dst, msgs, oltp, goldenMeta)
		return err
	}, cdcodec.Options{})
	packet := PacketOf(MessagesPacket, BatchOf(5, oltp...))
	check("packet", func(tr *cdcodec.Transcoder) error {
		_, _, err := tr.Append(dst, msgs, packet, goldenMeta)
		return err
	}, cdcodec.Options{From: cdcodec.FromPacket})
	check("packet, with all options", func(tr *cdcodec.Transcoder) error {
		_, _, err := tr.Append(dst, msgs, packet, fastjson.Meta{})
		return err
	}, cdcodec.Options{From: cdcodec.FromPacket, IgnoreBatchID: true, BadEntry: func(int, error) {}, JSON: fastjson.Options{
		OmitGTID: true, OldPerRow: true, DropHeartbeats: true, RejectInvalidUTF8: true, MaxOutput: 4 << 20}, MaxRecord: 4 << 20})
}
