package canal

import (
	"errors"
	"strconv"

	"github.com/cdcodec/cdcodec/internal/fields"
	"github.com/cdcodec/cdcodec/wire"
)

// Errors of packets, as the Err of a [wire.ParseError].
var (
	ErrPacketType  = errors.New("packet is not of type MESSAGES")
	ErrCompression = errors.New("compression of the packet is not supported")
)

// AckError is the Err of the [wire.ParseError] for a packet of type ACK: Canal
// sent no messages but an answer of its server.
type AckError struct {
	Code    int32
	Message string
}

// Error tells code and message.
func (e *AckError) Error() string {
	return "packet is an ACK with code " + strconv.Itoa(int(e.Code)) + ": " + strconv.Quote(e.Message)
}

// Packet is a view of what Canal puts on Kafka when it does not write JSON. It
// borrows the bytes it was parsed from.
type Packet struct {
	MagicNumber int32 // not checked, nor is Version
	Version     int32
	Type        PacketType
	Compression Compression
	Body        []byte // Messages or Ack, by Type; the last one given

	msg, body wire.Message
}

// ParsePacket reads a Packet: everything but what is inside its body. It takes
// any type and compression.
func ParsePacket(b []byte) (Packet, error) {
	p := Packet{msg: wire.NewMessage(b)}
	r := p.msg.Reader()
	for r.Next() {
		switch r.Tag {
		case packetMagicNumber:
			p.MagicNumber = r.Int32()
		case packetVersion:
			p.Version = r.Int32()
		case packetType:
			p.Type = PacketType(r.Int32())
		case packetCompression:
			p.Compression = Compression(r.Int32())
		case packetBody:
			p.Body = r.Bytes
			p.body = r.Embedded()
		}
	}
	if err := packetNames.failed(&r); err != nil {
		return Packet{}, err
	}
	return p, nil
}

// Messages reads the Messages in the body of p, which must be of type MESSAGES
// and not compressed: ErrPacketType, an [AckError] or ErrCompression else.
func (p *Packet) Messages() (Messages, error) {
	switch {
	case p.Type == AckPacket:
		ack, err := parseAck(p.body)
		if err != nil {
			return Messages{}, err.Within(packetNames.of(packetBody))
		}
		return Messages{}, p.refuse(packetType, &AckError{ack.ErrorCode, string(ack.ErrorMessage)})
	case p.Type != MessagesPacket:
		return Messages{}, p.refuse(packetType, ErrPacketType)
	case p.Compression != CompressionUnset && p.Compression != CompressionNone:
		return Messages{}, p.refuse(packetCompression, ErrCompression)
	}
	m, err := parseMessages(p.body)
	if err != nil {
		return Messages{}, err.Within(packetNames.of(packetBody))
	}
	m.path = packetNames.of(packetBody)
	return m, nil
}

// refuse returns an error at the field that has the given tag: the last one
// counts. Where there is none the packet itself, at 0, is meant.
func (p *Packet) refuse(tag wire.Tag, err error) error {
	e := &wire.ParseError{Path: packetNames.of(tag), Number: tag.Number(), Err: err}
	r := p.msg.Reader()
	for r.Next() {
		if r.Tag == tag {
			e.Offset = r.Offset
		}
	}
	return e
}

// Messages is a view of a batch of entries and an iterator over them:
//
//	for m.Next() {
//		e, err := m.Entry()
//		…
//	}
//
// That the list itself is good is known before the first Next. It borrows what it
// was parsed from: it and all it gives are good until those bytes are written to.
type Messages struct {
	BatchID int64 // Canal's usual serializer leaves it out: 0

	it   repeated
	n    int
	path string // of the Messages in what was parsed
}

// ParseMessages reads a Messages: everything but what is inside its entries.
func ParseMessages(b []byte) (Messages, error) {
	m, err := parseMessages(wire.NewMessage(b))
	return m, fields.Error(err)
}

func parseMessages(msg wire.Message) (Messages, *wire.ParseError) {
	m := Messages{it: elements(msg, messagesNames, messagesMessages)}
	r := msg.Reader()
	for r.Next() {
		if r.Tag == messagesBatchID {
			m.BatchID = r.Int64()
		}
	}
	if err := messagesNames.failed(&r); err != nil {
		return Messages{}, err
	}
	return m, nil
}

// Next steps to the next entry.
func (m *Messages) Next() bool {
	if !m.it.next() {
		return false
	}
	m.n++
	return true
}

// Index returns the number of the current entry, from 0.
func (m *Messages) Index() int { return m.n - 1 }

// Offset returns where the current entry's tag is, in bytes from the start of what
// m, or the Packet around it, was parsed from.
func (m *Messages) Offset() int { return m.it.r.Offset }

// Bytes returns the current entry, unread and borrowed. It stays good when Next
// steps on.
func (m *Messages) Bytes() []byte { return m.it.r.Bytes }

// Entry reads the current entry as [ParseEntry] does. Its offsets, and those of
// its errors, count from the start of what m was parsed from. A bad entry does
// not keep Next from the ones after it.
func (m *Messages) Entry() (Entry, error) {
	var e Entry
	if err := e.parse(m.it.r.Embedded()); err != nil {
		return Entry{}, m.Within(err)
	}
	return e, nil
}

// Within puts the path of the current entry before that of err, a
// *[wire.ParseError] from inside it, and returns err.
func (m *Messages) Within(err error) error {
	var e *wire.ParseError
	if errors.As(err, &e) {
		return e.Within(wire.Element("messages", m.Index())).Within(m.path)
	}
	return err
}

// Ack is a view of an Ack. It borrows the bytes it was parsed from.
type Ack struct {
	ErrorCode    int32
	ErrorMessage []byte // raw, not always UTF-8
}

// ParseAck reads an Ack.
func ParseAck(b []byte) (Ack, error) {
	a, err := parseAck(wire.NewMessage(b))
	if err != nil {
		return Ack{}, err
	}
	return a, nil
}

func parseAck(m wire.Message) (a Ack, err *wire.ParseError) {
	r := m.Reader()
	for r.Next() {
		switch r.Tag {
		case ackErrorCode:
			a.ErrorCode = r.Int32()
		case ackErrorMessage:
			a.ErrorMessage = r.Bytes
		}
	}
	return a, ackNames.failed(&r)
}
