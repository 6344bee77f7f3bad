package canal

import (
	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/wire"
)

// How a Packet is written: BeginPacket leaves a gap for the length of its body,
// which most bodies need, so that EndPacket has nothing to move.
//
//	3 type | 5 body [len] | 1 batch_id | 2 messages [len] | Entry | 2 messages [len] | Entry …
//
// Three bytes hold a length from 16 KiB to 2 MiB. A shorter body is quickly
// moved, and to move a longer one takes a small part of the time to write it.
const (
	packetBegin = "\x18\x07\x2a" // type MESSAGES, and the tag of the body
	packetGap   = 3
)

// BeginPacket appends the begin of a Packet, and returns the longer slice. What
// is appended next, by AppendPacketEvent or AppendPacketEntry, is in the Packet;
// EndPacket completes it:
//
//	start := len(dst)
//	dst = canal.BeginPacket(dst, batchID)
//	…
//	dst, err = canal.EndPacket(dst, start)
//
// The Packet is what Canal puts on Kafka: of type MESSAGES, with no compression
// set, and without a batch id where that is 0 (spec/canal.md 1, Packets).
func BeginPacket(dst []byte, batchID int64) []byte {
	_, dst = openGap(append(dst, packetBegin...), packetGap)
	if batchID != 0 {
		dst = wire.AppendVarint(append(dst, byte(messagesBatchID)), uint64(batchID))
	}
	return dst
}

// AppendPacketEvent appends ev, as [AppendEntry] writes it, as the next Entry of
// the Packet at the end of dst, with the same limit for that Entry. With an error it
// returns dst as it was, and the Packet can be continued.
func AppendPacketEvent(dst []byte, ev *change.Event, limit int) ([]byte, error) {
	entry, out := openGap(append(dst, byte(messagesMessages)), 2)
	out, err := AppendEntry(out, ev, limit)
	if err != nil {
		return dst, err
	}
	return entry.close(out), nil
}

// AppendPacketEntry appends an encoded Entry, which it does not look into, as the
// next Entry of the Packet at the end of dst.
func AppendPacketEntry(dst, entry []byte) []byte {
	return wire.AppendBytes(append(dst, byte(messagesMessages)), entry)
}

// PacketLen returns how many bytes EndPacket would make of the Packet that
// BeginPacket began when dst was start bytes long. With each Entry it becomes more.
func PacketLen(dst []byte, start int) int {
	n := len(dst) - start - len(packetBegin) - packetGap
	if n == 0 {
		return len(packetBegin) - 1
	}
	return len(packetBegin) + sizeVarint(uint64(n)) + n
}

// EndPacket completes the Packet that BeginPacket began when dst was start bytes
// long. For a Packet of 2 GiB or more it returns ErrTooLarge, and dst as it was.
func EndPacket(dst []byte, start int) ([]byte, error) { return endPacket(dst, start, maxMessage) }

func endPacket(dst []byte, start, limit int) ([]byte, error) {
	body := gap{start + len(packetBegin), packetGap}
	n := len(dst) - body.at - body.width
	if n == 0 {
		return dst[:body.at-1], nil // as proto3 has it: without the tag
	}
	if len(packetBegin)+sizeVarint(uint64(n)) > limit-n {
		return dst, ErrTooLarge
	}
	return body.close(dst), nil
}
