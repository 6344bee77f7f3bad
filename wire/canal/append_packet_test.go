package canal_test

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/internal/corpus"
	"github.com/cdcodec/cdcodec/internal/pb/packetpb"
	"github.com/cdcodec/cdcodec/wire/canal"
)

// packetOf is the Packet of these Entries as the runtime of protobuf writes it.
func packetOf(batchID int64, entries ...[]byte) []byte {
	return bytesOf(&packetpb.Packet{
		Type: packetpb.PacketType_MESSAGES,
		Body: bytesOf(&packetpb.Messages{BatchId: batchID, Messages: entries}),
	})
}

// TestPacketBytes has small Packets, worked out by hand.
func TestPacketBytes(t *testing.T) {
	for _, c := range []struct {
		name    string
		batchID int64
		entries []string
		want    string
	}{
		{"nothing", 0, nil, "\x18\x07"},
		{"a batch id alone", 300, nil, "\x18\x07\x2a\x03\x08\xac\x02"},
		{"a negative one", -1, nil, "\x18\x07\x2a\x0b\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"},
		{"an Entry without bytes", 0, []string{""}, "\x18\x07\x2a\x02\x12\x00"},
		{"two", 5, []string{"ab", "c"}, "\x18\x07\x2a\x09\x08\x05\x12\x02ab\x12\x01c"},
	} {
		dst := canal.BeginPacket([]byte("before"), c.batchID)
		for _, e := range c.entries {
			dst = canal.AppendPacketEntry(dst, []byte(e))
		}
		dst, err := canal.EndPacket(dst, len("before"))
		if err != nil || string(dst) != "before"+c.want {
			t.Errorf("%s: %v\n got %x\nwant %x", c.name, err, dst, "before"+c.want)
		}
	}
}

// TestPacketBoundaries has bodies and Entries on both sides of where their length
// takes a byte more.
func TestPacketBoundaries(t *testing.T) {
	for _, edge := range []int{1 << 7, 1 << 14, 1 << 21} {
		for size := edge - 40; size < edge+4; size++ {
			if edge == 1<<21 && size > edge-38 && size < edge-8 {
				continue // to save time
			}
			entry := make([]byte, size)
			dst, err := canal.EndPacket(canal.AppendPacketEntry(canal.BeginPacket(nil, 0), entry), 0)
			if want := packetOf(0, entry); err != nil || !bytes.Equal(dst, want) {
				t.Fatalf("an Entry of %d bytes: %v, %.20x, want %.20x", size, err, dst, want)
			}
			ev := &change.Event{Kind: change.KindQuery, Type: change.Query, SQL: []byte(strings.Repeat("s", size))}
			entry, err = canal.AppendEntry(nil, ev, 0)
			fatal(t, err)
			dst, err = canal.AppendPacketEvent(canal.BeginPacket(nil, 1), ev, 0)
			fatal(t, err)
			dst, err = canal.EndPacket(dst, 0)
			if want := packetOf(1, entry); err != nil || !bytes.Equal(dst, want) {
				t.Fatalf("a statement of %d bytes: %v, %.20x, want %.20x", size, err, dst, want)
			}
		}
	}
}

// TestPacketRandom puts Packets of random Events and encoded Entries one behind
// the other into one buffer. Events without an Entry come between.
func TestPacketRandom(t *testing.T) {
	rnd := rand.New(rand.NewPCG(15, 16))
	var dst []byte
	for range 300 {
		start := len(dst)
		batchID := int64(rnd.Uint64()) >> rnd.IntN(64)
		dst = canal.BeginPacket(dst, batchID)
		entries := [][]byte{}
		for range rnd.IntN(5) {
			ev := randomEvent(rnd)
			entry, err := canal.AppendEntry(nil, ev, 0)
			fatal(t, err)
			entries = append(entries, entry)
			if rnd.IntN(2) == 0 {
				dst = canal.AppendPacketEntry(dst, entry)
				continue
			}
			if dst, err = canal.AppendPacketEvent(dst, &change.Event{Kind: change.KindWatermark}, 0); err != canal.ErrNoEntry {
				t.Fatal(err)
			}
			if dst, err = canal.AppendPacketEvent(dst, ev, 0); err != nil {
				t.Fatal(err)
			}
		}
		before := bytes.Clone(dst[:start])
		var err error
		dst, err = canal.EndPacket(dst, start)
		fatal(t, err)
		if !bytes.Equal(dst[:start], before) {
			t.Fatal("what was there was written to")
		}
		got, want := dst[start:], packetOf(batchID, entries...)
		if !bytes.Equal(got, want) {
			t.Fatalf("\n got %.1000x\nwant %.1000x", got, want)
		}
		if err := proto.Unmarshal(got, new(packetpb.Packet)); err != nil {
			t.Fatal(err)
		}
		p, err := canal.ParsePacket(got)
		fatal(t, err)
		m, err := p.Messages()
		fatal(t, err)
		for m.Next() {
			if !bytes.Equal(m.Bytes(), entries[m.Index()]) {
				t.Fatalf("entry %d: %.1000x", m.Index(), m.Bytes())
			}
		}
		if m.BatchID != batchID || m.Index() != len(entries)-1 {
			t.Fatalf("batch %d of %d, want %d of %d", m.BatchID, m.Index()+1, batchID, len(entries))
		}
		if len(dst) > 1<<20 {
			dst = dst[:0]
		}
	}
}

// TestPacketCorpora makes of the Entries of each corpus the Packets that the
// corpus makes of them.
func TestPacketCorpora(t *testing.T) {
	for _, name := range corpus.Names() {
		c, err := corpus.Make(name, 150, 1)
		fatal(t, err)
		entries := c.Entries
		for _, want := range c.Packets() {
			p, err := canal.ParsePacket(want)
			fatal(t, err)
			m, err := p.Messages()
			fatal(t, err)
			got := canal.BeginPacket(nil, 0)
			for m.Next() {
				got = canal.AppendPacketEntry(got, entries[0])
				entries = entries[1:]
			}
			if got, err = canal.EndPacket(got, 0); err != nil || !bytes.Equal(got, want) {
				t.Fatalf("%s: %v\n got %.100x\nwant %.100x", name, err, got, want)
			}
		}
		if len(entries) != 0 {
			t.Errorf("%s: %d Entries left", name, len(entries))
		}
	}
}

// TestPacketLen holds what a Packet is said to become to what it becomes, where the
// length of its body takes one byte to four.
func TestPacketLen(t *testing.T) {
	for _, size := range []int{-1, 0, 1, 100, 123, 124, 125, 126, 127, 128, 16_000, 16_378, 16_379, 16_380, 16_384, 1<<21 - 6, 1<<21 - 5, 1<<21 - 4, 1 << 21, 1<<21 + 1} {
		for _, id := range []int64{0, 1, -1} {
			b := canal.BeginPacket([]byte("there"), id)
			if size >= 0 {
				b = canal.AppendPacketEntry(b, make([]byte, size))
			}
			said := canal.PacketLen(b, 5)
			end, err := canal.EndPacket(b, 5)
			if err != nil || len(end)-5 != said {
				t.Errorf("an Entry of %d bytes, id %d: a Packet of %d bytes, said to be %d (%v)", size, id, len(end)-5, said, err)
			}
		}
	}
}
