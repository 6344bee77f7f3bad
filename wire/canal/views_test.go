package canal_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/cdcodec/cdcodec/internal/pb/canalpb"
	"github.com/cdcodec/cdcodec/internal/pb/packetpb"
	"github.com/cdcodec/cdcodec/wire/canal"
)

// TestViewsAgainstGenerated holds every view to what proto.Unmarshal reads of
// the same bytes: random messages with their fields in any order, given twice,
// among fields that are not theirs.
func TestViewsAgainstGenerated(t *testing.T) {
	for _, c := range []struct {
		message proto.Message
		compare func(t *testing.T, in []byte, m proto.Message) (got, want any)
	}{
		{new(canalpb.Entry), compareEntry},
		{new(canalpb.Header), func(t *testing.T, in []byte, m proto.Message) (any, any) {
			h, err := canal.ParseHeader(in)
			fatal(t, err)
			return headerOf(t, &h), pbHeader(m.(*canalpb.Header))
		}},
		{new(canalpb.RowChange), func(t *testing.T, in []byte, m proto.Message) (any, any) {
			c, err := canal.ParseRowChange(in)
			fatal(t, err)
			return rowChangeOf(t, &c), pbRowChange(m.(*canalpb.RowChange))
		}},
		{new(canalpb.RowData), func(t *testing.T, in []byte, m proto.Message) (any, any) {
			return rowOf(t, canal.ParseRowData(in)), pbRow(m.(*canalpb.RowData))
		}},
		{new(canalpb.Column), func(t *testing.T, in []byte, m proto.Message) (any, any) {
			c, err := canal.ParseColumn(in)
			fatal(t, err)
			return columnOf(t, c), pbColumns([]*canalpb.Column{m.(*canalpb.Column)})[0]
		}},
		{new(canalpb.Pair), func(t *testing.T, in []byte, m proto.Message) (any, any) {
			p, err := canal.ParsePair(in)
			fatal(t, err)
			return []pair{{string(p.Key), string(p.Value)}}, pbPairs([]*canalpb.Pair{m.(*canalpb.Pair)})
		}},
		{new(canalpb.TransactionBegin), func(t *testing.T, in []byte, m proto.Message) (any, any) {
			b, err := canal.ParseTransactionBegin(in)
			fatal(t, err)
			w := m.(*canalpb.TransactionBegin)
			return transaction{b.ExecuteTime, string(b.TransactionID), b.ThreadID, pairsOf(t, b.Props())},
				transaction{w.GetExecuteTime(), w.GetTransactionId(), w.GetThreadId(), pbPairs(w.GetProps())}
		}},
		{new(canalpb.TransactionEnd), func(t *testing.T, in []byte, m proto.Message) (any, any) {
			e, err := canal.ParseTransactionEnd(in)
			fatal(t, err)
			w := m.(*canalpb.TransactionEnd)
			return transaction{e.ExecuteTime, string(e.TransactionID), 0, pairsOf(t, e.Props())},
				transaction{w.GetExecuteTime(), w.GetTransactionId(), 0, pbPairs(w.GetProps())}
		}},
		{new(packetpb.Packet), func(t *testing.T, in []byte, m proto.Message) (any, any) {
			p, err := canal.ParsePacket(in)
			fatal(t, err)
			w := m.(*packetpb.Packet)
			return []any{p.MagicNumber, p.Version, int32(p.Type), int32(p.Compression), string(p.Body)},
				[]any{w.GetMagicNumber(), w.GetVersion(), int32(w.GetType()), int32(w.GetCompression()), string(w.GetBody())}
		}},
		{new(packetpb.Messages), func(t *testing.T, in []byte, m proto.Message) (any, any) {
			v, err := canal.ParseMessages(in)
			fatal(t, err)
			got := [][]byte{}
			for v.Next() {
				if v.Index() != len(got) {
					t.Errorf("entry %d has index %d", len(got), v.Index())
				}
				if tag := in[v.Offset()]; tag != 2<<3|2 {
					t.Errorf("entry %d has offset %d, where the tag is %x", len(got), v.Offset(), tag)
				}
				got = append(got, v.Bytes())
			}
			w := m.(*packetpb.Messages)
			return []any{v.BatchID, got}, []any{w.GetBatchId(), append([][]byte{}, w.GetMessages()...)}
		}},
		{new(packetpb.Ack), func(t *testing.T, in []byte, m proto.Message) (any, any) {
			a, err := canal.ParseAck(in)
			fatal(t, err)
			w := m.(*packetpb.Ack)
			return []any{a.ErrorCode, string(a.ErrorMessage)}, []any{w.GetErrorCode(), w.GetErrorMessage()}
		}},
	} {
		desc := c.message.ProtoReflect().Descriptor()
		t.Run(string(desc.Name()), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(1, uint64(len(desc.Name()))))
			for range 1500 {
				var in []byte
				for range 1 + rnd.IntN(2) { // two in a row are one, merged
					m := c.message.ProtoReflect().New()
					randomMessage(rnd, m)
					in = append(in, bytesOf(m.Interface())...)
				}
				if rnd.IntN(4) > 0 {
					in = scramble(rnd, in, desc)
				}
				read := c.message.ProtoReflect().New().Interface()
				if err := proto.Unmarshal(in, read); err != nil {
					t.Fatalf("%x: %v", in, err)
				}
				before := slices.Clone(in)
				got, want := c.compare(t, in, read)
				if !reflect.DeepEqual(got, want) {
					t.Errorf("%.2000x\n got %.2000v\nwant %.2000v", in, fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want))
				}
				if !bytes.Equal(in, before) {
					t.Errorf("%x: the input was written to", before)
				}
				if t.Failed() {
					return
				}
			}
		})
	}
}

// compareEntry is an Entry with its header, possibly in parts, and its
// storeValue unread.
func compareEntry(t *testing.T, in []byte, m proto.Message) (got, want any) {
	e, err := canal.ParseEntry(in)
	fatal(t, err)
	w := m.(*canalpb.Entry)
	return []any{headerOf(t, &e.Header), e.Type.String(), string(e.StoreValue)},
		[]any{pbHeader(w.GetHeader()), w.GetEntryType().String(), string(w.GetStoreValue())}
}

// TestStoreValue reads each kind of storeValue through its Entry.
func TestStoreValue(t *testing.T) {
	rnd := rand.New(rand.NewPCG(2, 3))
	for range 500 {
		var c canalpb.RowChange
		var b canalpb.TransactionBegin
		var e canalpb.TransactionEnd
		randomMessage(rnd, c.ProtoReflect())
		randomMessage(rnd, b.ProtoReflect())
		randomMessage(rnd, e.ProtoReflect())
		entry := func(m proto.Message) canal.Entry {
			v, err := canal.ParseEntry(bytesOf(&canalpb.Entry{StoreValue: bytesOf(m)}))
			fatal(t, err)
			return v
		}
		v := entry(&c)
		gotC, err := v.RowChange()
		fatal(t, err)
		if got, want := rowChangeOf(t, &gotC), pbRowChange(&c); !reflect.DeepEqual(got, want) {
			t.Fatalf("got %+v\nwant %+v", got, want)
		}
		v = entry(&b)
		gotB, err := v.TransactionBegin()
		fatal(t, err)
		if gotB.ExecuteTime != b.GetExecuteTime() || string(gotB.TransactionID) != b.GetTransactionId() || gotB.ThreadID != b.GetThreadId() ||
			!reflect.DeepEqual(pairsOf(t, gotB.Props()), pbPairs(b.Props)) {
			t.Fatalf("got %+v\nwant %v", gotB, &b)
		}
		v = entry(&e)
		gotE, err := v.TransactionEnd()
		fatal(t, err)
		if gotE.ExecuteTime != e.GetExecuteTime() || string(gotE.TransactionID) != e.GetTransactionId() ||
			!reflect.DeepEqual(pairsOf(t, gotE.Props()), pbPairs(e.Props)) {
			t.Fatalf("got %+v\nwant %v", gotE, &e)
		}
	}
}

func fatal(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
