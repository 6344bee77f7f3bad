package reference

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/internal/pb/packetpb"
)

var (
	packetDesc   = (*packetpb.Packet)(nil).ProtoReflect().Descriptor()
	messagesDesc = (*packetpb.Messages)(nil).ProtoReflect().Descriptor()
	ackDesc      = (*packetpb.Ack)(nil).ProtoReflect().Descriptor()
)

// Packet converts the bytes of a Canal Packet that holds Messages. The id of
// each message is the batch id, or with fixedID the ID of m. If an entry in it
// is bad it gives an error and no message at all.
func Packet(packet []byte, o fastjson.Options, m fastjson.Meta, fixedID bool) (messages [][]byte, err error) {
	batch, err := openPacket(packet)
	if err != nil {
		return nil, err
	}
	if !fixedID {
		m.ID = batch.GetBatchId()
	}
	return Entries(batch.GetMessages(), o, m)
}

// PacketLenient does what Packet does, but leaves bad entries out and returns
// their indexes among the entries of the packet. An error means that the
// packet around them is bad.
func PacketLenient(packet []byte, o fastjson.Options, m fastjson.Meta, fixedID bool) (messages [][]byte, bad []int, err error) {
	batch, err := openPacket(packet)
	if err != nil {
		return nil, nil, err
	}
	if !fixedID {
		m.ID = batch.GetBatchId()
	}
	for i, entry := range batch.GetMessages() {
		one, err := Entry(entry, o, m)
		if err != nil {
			bad = append(bad, i)
			continue
		}
		messages = append(messages, one...)
	}
	return messages, bad, nil
}

// openPacket returns the Messages in a packet, or why there are none.
func openPacket(b []byte) (*packetpb.Messages, error) {
	if err := checkMessage(b, packetDesc, 0); err != nil {
		return nil, fmt.Errorf("packet: %w", err)
	}
	var p packetpb.Packet
	unmarshal(b, &p)

	switch p.GetType() {
	case packetpb.PacketType_MESSAGES:
	case packetpb.PacketType_ACK:
		return nil, ackError(p.GetBody())
	default:
		return nil, fmt.Errorf("packet: type is %v, want MESSAGES", p.GetType())
	}
	switch p.GetCompression() {
	case packetpb.Compression_COMPRESSION_UNSET, packetpb.Compression_NONE:
	default:
		return nil, fmt.Errorf("packet: compression %v is not supported", p.GetCompression())
	}

	if err := checkMessage(p.GetBody(), messagesDesc, 0); err != nil {
		return nil, fmt.Errorf("body: %w", err)
	}
	var batch packetpb.Messages
	unmarshal(p.GetBody(), &batch)
	return &batch, nil
}

// ackError returns an Ack, the body of a packet of type ACK, as an error. It
// takes the fields off the wire, since proto.Unmarshal would refuse a message
// of the server that is not UTF-8.
func ackError(body []byte) error {
	if err := checkMessage(body, ackDesc, 0); err != nil {
		return fmt.Errorf("packet: type is ACK, and its body is bad: %w", err)
	}
	var code int32
	var text []byte
	for _, f := range fieldsOf(body) {
		switch {
		case f.number == 1 && f.typ == protowire.VarintType:
			v, _ := protowire.ConsumeVarint(f.value)
			code = int32(v)
		case f.number == 2 && f.typ == protowire.BytesType:
			text, _ = protowire.ConsumeBytes(f.value)
		}
	}
	return fmt.Errorf("packet: type is ACK: error %d: %s", code, repair(string(text)))
}
