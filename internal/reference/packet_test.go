package reference

import (
	"slices"
	"strings"
	"testing"

	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/internal/pb/packetpb"
)

// batchOf returns the bytes of Messages.
func batchOf(id int64, entries ...[]byte) []byte {
	return bytesOf(&packetpb.Messages{BatchId: id, Messages: entries})
}

// packetOf returns a Packet of that type with this body.
func packetOf(typ packetpb.PacketType, body []byte) []byte {
	return bytesOf(&packetpb.Packet{Type: typ, Body: body})
}

const messagesType = packetpb.PacketType_MESSAGES

func TestPacketVerdict(t *testing.T) {
	good := entryOf(change(insert, row(nil, columns{col("a", "1")})))
	one := packetOf(messagesType, batchOf(5, good))
	cut := []byte{0x0A, 0x05, 'a'}

	for _, c := range []struct {
		name   string
		packet []byte
		want   int // messages; -1 is an error
	}{
		{"one entry", one, 1},
		{"no entry", packetOf(messagesType, batchOf(5)), 0},
		{"an empty entry", packetOf(messagesType, batchOf(5, nil)), 1},
		{"no body", packetOf(messagesType, nil), 0},

		{"type 99 after MESSAGES", num(slices.Clone(one), 3, 99), -1},
		{"low 32 bits of type", num(slices.Clone(one), 3, 1<<32+7), 1},
		{"type as bytes", sub(slices.Clone(one), 3, []byte{1}), 1},
		{"compression 1", num(slices.Clone(one), 4, 1), 1},
		{"compression 2", num(slices.Clone(one), 4, 2), -1},
		{"compression 4", num(slices.Clone(one), 4, 4), -1},
		{"compression 99", num(slices.Clone(one), 4, 99), -1},
		{"compression 99, then 1", num(num(slices.Clone(one), 4, 99), 4, 1), 1},
		{"compression -1", num(slices.Clone(one), 4, 1<<64-1), -1},

		{"last body wins", sub(slices.Clone(one), 5, batchOf(0, good, good)), 2},
		{"bad body, then a good one", sub(packetOf(messagesType, cut), 5, batchOf(0, good)), 1},
		{"good body, then a bad one", sub(slices.Clone(one), 5, cut), -1},
		{"100 groups", append(slices.Clone(one), groups(100)...), 1},
		{"101 groups", append(slices.Clone(one), groups(101)...), -1},
		{"100 groups in the body", packetOf(messagesType, groups(100)), 0},
		{"101 groups in the body", packetOf(messagesType, groups(101)), -1},
		{"100 groups in an entry", packetOf(messagesType, batchOf(0, groups(100))), 1},
		{"101 groups in an entry", packetOf(messagesType, batchOf(0, groups(101))), -1},
		{"wire type 7", append(slices.Clone(one), 0x0F), -1},
		{"wire type 7 in the body", packetOf(messagesType, []byte{0x0F}), -1},
		{"entry as varint", packetOf(messagesType, num(nil, 2, 1)), 0},

		{"heartbeat", packetOf(packetpb.PacketType_HEARTBEAT, nil), -1},
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
		{"code and text", "packet: type is ACK: error -3: no such thing", sub(num(nil, 1, 1<<64-3), 2, []byte("no such thing"))},
		{"the last wins", "packet: type is ACK: error 2: b", sub(num(sub(num(nil, 1, 1), 2, []byte("a")), 1, 2), 2, []byte("b"))},
		{"bad UTF-8", "packet: type is ACK: error 1: x�", sub(num(nil, 1, 1), 2, []byte("x\xFF"))},
		{"other wire types", "packet: type is ACK: error 0: ", num(sub(nil, 1, []byte("a")), 2, 9)},
		{"bad", "packet: type is ACK, and its body is bad: wire type 6 or 7", []byte{0x0F}},
	} {
		_, err := Packet(packetOf(packetpb.PacketType_ACK, c.body), fastjson.Options{}, meta, false)
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
		packet := packetOf(messagesType, batchOf(c.batch, nil))
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
	good := entryOf(change(insert, row(nil, columns{col("a", "1")})))
	begin, bad := num(nil, 2, 1), []byte{0x0F}
	packet := packetOf(messagesType, batchOf(5, bad, begin, good, bad, good))

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
