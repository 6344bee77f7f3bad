package reference

import (
	"slices"
	"strings"
	"testing"

	"github.com/cdcodec/cdcodec/fastjson"
	. "github.com/cdcodec/cdcodec/internal/canaltest"
	"github.com/cdcodec/cdcodec/internal/pb/packetpb"
)

func TestPacketVerdict(t *testing.T) {
	good := EntryOf(nil, Change(Insert, Row(nil, Columns{Col("a", "1")})))
	one := PacketOf(MessagesPacket, BatchOf(5, good))
	cut := []byte{0x0A, 0x05, 'a'}

	for _, c := range []struct {
		name   string
		packet []byte
		want   int // messages; -1 is an error
	}{
		{"one entry", one, 1},
		{"no entry", PacketOf(MessagesPacket, BatchOf(5)), 0},
		{"an empty entry", PacketOf(MessagesPacket, BatchOf(5, nil)), 1},
		{"no body", PacketOf(MessagesPacket, nil), 0},

		{"type 99 after MESSAGES", Num(slices.Clone(one), 3, 99), -1},
		{"low 32 bits of type", Num(slices.Clone(one), 3, 1<<32+7), 1},
		{"type as bytes", Sub(slices.Clone(one), 3, []byte{1}), 1},
		{"compression 1", Num(slices.Clone(one), 4, 1), 1},
		{"compression 2", Num(slices.Clone(one), 4, 2), -1},
		{"compression 4", Num(slices.Clone(one), 4, 4), -1},
		{"compression 99", Num(slices.Clone(one), 4, 99), -1},
		{"compression 99, then 1", Num(Num(slices.Clone(one), 4, 99), 4, 1), 1},
		{"compression -1", Num(slices.Clone(one), 4, 1<<64-1), -1},

		{"last body wins", Sub(slices.Clone(one), 5, BatchOf(0, good, good)), 2},
		{"bad body, then a good one", Sub(PacketOf(MessagesPacket, cut), 5, BatchOf(0, good)), 1},
		{"good body, then a bad one", Sub(slices.Clone(one), 5, cut), -1},
		{"100 groups", append(slices.Clone(one), Groups(100)...), 1},
		{"101 groups", append(slices.Clone(one), Groups(101)...), -1},
		{"100 groups in the body", PacketOf(MessagesPacket, Groups(100)), 0},
		{"101 groups in the body", PacketOf(MessagesPacket, Groups(101)), -1},
		{"100 groups in an entry", PacketOf(MessagesPacket, BatchOf(0, Groups(100))), 1},
		{"101 groups in an entry", PacketOf(MessagesPacket, BatchOf(0, Groups(101))), -1},
		{"wire type 7", append(slices.Clone(one), 0x0F), -1},
		{"wire type 7 in the body", PacketOf(MessagesPacket, []byte{0x0F}), -1},
		{"entry as varint", PacketOf(MessagesPacket, Num(nil, 2, 1)), 0},

		{"heartbeat", PacketOf(packetpb.PacketType_HEARTBEAT, nil), -1},
	} {
		messages, err := Packet(c.packet, fastjson.Options{}, meta, false)
		got := len(messages)
		if err != nil {
			got = -1
		}
		if got != c.want {
			t.Errorf("%s: %d messages, want %d (error %v)", c.name, got, c.want, err)
		}
	}
}

func TestPacketAck(t *testing.T) {
	for _, c := range []struct {
		name, want string
		body       []byte
	}{
		{"nothing", "packet: type is ACK: error 0: ", nil},
		{"code and text", "packet: type is ACK: error -3: no such thing", Sub(Num(nil, 1, 1<<64-3), 2, []byte("no such thing"))},
		{"the last wins", "packet: type is ACK: error 2: b", Sub(Num(Sub(Num(nil, 1, 1), 2, []byte("a")), 1, 2), 2, []byte("b"))},
		{"bad UTF-8", "packet: type is ACK: error 1: x�", Sub(Num(nil, 1, 1), 2, []byte("x\xFF"))},
		{"other wire types", "packet: type is ACK: error 0: ", Num(Sub(nil, 1, []byte("a")), 2, 9)},
		{"bad", "packet: type is ACK, and its body is bad: wire type 6 or 7", []byte{0x0F}},
	} {
		_, err := Packet(PacketOf(packetpb.PacketType_ACK, c.body), fastjson.Options{}, meta, false)
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
		}
	}
}

func TestPacketID(t *testing.T) {
	for _, c := range []struct {
		batch int64
		fixed bool
		want  string
	}{
		{5, false, `"id":5,`}, {-1, false, `"id":-1,`}, {0, false, `"id":0,`}, {5, true, `"id":1,`},
	} {
		packet := PacketOf(MessagesPacket, BatchOf(c.batch, nil))
		messages, err := Packet(packet, fastjson.Options{}, meta, c.fixed)
		if err != nil {
			t.Fatal(err)
		}
		lenient, _, err := PacketLenient(packet, fastjson.Options{}, meta, c.fixed)
		if err != nil {
			t.Fatal(err)
		}
		for _, msg := range [][]byte{messages[0], lenient[0]} {
			if !strings.Contains(string(msg), c.want) {
				t.Errorf("batch %d, fixed %v: no %s in %s", c.batch, c.fixed, c.want, msg)
			}
		}
	}
}

func TestPacketLenient(t *testing.T) {
	good := EntryOf(nil, Change(Insert, Row(nil, Columns{Col("a", "1")})))
	begin, bad := Num(nil, 2, 1), []byte{0x0F}
	packet := PacketOf(MessagesPacket, BatchOf(5, bad, begin, good, bad, good))

	messages, indexes, err := PacketLenient(packet, fastjson.Options{}, meta, false)
	if err != nil || len(messages) != 2 || !slices.Equal(indexes, []int{0, 3}) {
		t.Errorf("%d messages, bad %v, error %v; want 2, [0 3], none", len(messages), indexes, err)
	}
	if _, err := Packet(packet, fastjson.Options{}, meta, false); err == nil || !strings.Contains(err.Error(), "messages[0]") {
		t.Errorf("strict: %v, want an error that names messages[0]", err)
	}
	if _, _, err := PacketLenient([]byte{0x0F}, fastjson.Options{}, meta, false); err == nil {
		t.Error("no error for a bad packet")
	}
}
