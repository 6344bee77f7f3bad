package codec

import (
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/cdcodec/cdcodec/internal/pb/canalflatpb"
	"github.com/cdcodec/cdcodec/internal/pb/packetpb"
)

// This file is how the peers read: into one flat Entry that is used again. They
// differ in who does the reading.

// A flatReader reads Entries and Packets into memory of its own. What it gives
// is good until it reads the next.
type flatReader interface {
	entry(b []byte) (*canalflatpb.Entry, error)
	packet(b []byte) (*packetpb.Messages, error)
}

// vtReader reads with vtprotobuf. The sub-messages of the Entry stay where they
// are: UnmarshalVTUnsafe fills those it finds.
type vtReader struct {
	e canalflatpb.Entry
	p packetpb.Packet
	m packetpb.Messages
}

func (r *vtReader) entry(b []byte) (*canalflatpb.Entry, error) {
	header, store := r.e.Header, r.e.StoreValue
	header.ResetVT()
	store.ResetVT()
	r.e.Header, r.e.StoreValue = nil, nil // or ResetVT would give them to a pool
	r.e.ResetVT()
	r.e.Header, r.e.StoreValue = header, store
	err := r.e.UnmarshalVTUnsafe(b)
	return &r.e, err
}

func (r *vtReader) packet(b []byte) (*packetpb.Messages, error) {
	r.p.ResetVT()
	if err := r.p.UnmarshalVTUnsafe(b); err != nil {
		return nil, err
	}
	r.m.ResetVT()
	err := r.m.UnmarshalVTUnsafe(r.p.GetBody())
	return &r.m, err
}

// protoReader reads with protobuf-go, which resets what it fills.
type protoReader struct {
	e canalflatpb.Entry
	p packetpb.Packet
	m packetpb.Messages
}

func (r *protoReader) entry(b []byte) (*canalflatpb.Entry, error) {
	err := proto.Unmarshal(b, &r.e)
	return &r.e, err
}

func (r *protoReader) packet(b []byte) (*packetpb.Messages, error) {
	if err := proto.Unmarshal(b, &r.p); err != nil {
		return nil, err
	}
	err := proto.Unmarshal(r.p.GetBody(), &r.m)
	return &r.m, err
}

// eachEntry calls do for the Entry that a record is, or for each Entry in it,
// with the id of its message; not for the marks of transactions: these the flat
// schema cannot read, and there is nothing in them to convert.
func eachEntry(r flatReader, record []byte, o Options, do func(e *canalflatpb.Entry, id int64)) error {
	if !o.packets() {
		return oneEntry(r, record, o.Meta.ID, do)
	}
	m, err := r.packet(record)
	if err != nil {
		return err
	}
	for _, b := range m.Messages {
		if err := oneEntry(r, b, m.BatchId, do); err != nil {
			return err
		}
	}
	return nil
}

func oneEntry(r flatReader, b []byte, id int64, do func(e *canalflatpb.Entry, id int64)) error {
	if isMark(b) {
		return nil
	}
	e, err := r.entry(b)
	if err == nil {
		do(e, id)
	}
	return err
}

// isMark looks for the type of an Entry and at nothing else. Of damaged bytes
// it says no: who reads them will see.
func isMark(b []byte) bool {
	const entryType = 2
	mark := false
	for len(b) > 0 {
		number, typ, n := protowire.ConsumeTag(b)
		if n < 0 {
			return false
		}
		b = b[n:]
		if number == entryType && typ == protowire.VarintType {
			v, _ := protowire.ConsumeVarint(b)
			t := canalflatpb.EntryType(v)
			mark = t == canalflatpb.EntryType_TRANSACTIONBEGIN || t == canalflatpb.EntryType_TRANSACTIONEND
		}
		if n = protowire.ConsumeFieldValue(number, typ, b); n < 0 {
			return false
		}
		b = b[n:]
	}
	return mark
}

// flatDecode returns the Decode of a reader.
func flatDecode(r flatReader, o Options) func([]byte) (uint64, error) {
	var s sum
	do := func(e *canalflatpb.Entry, _ int64) { s.flat(e) }
	return func(record []byte) (uint64, error) {
		s = 0
		err := eachEntry(r, record, o, do)
		return uint64(s), err
	}
}

// flat adds all columns of an Entry.
func (s *sum) flat(e *canalflatpb.Entry) {
	for _, row := range e.GetStoreValue().GetRowDatas() {
		s.flatColumns(row.BeforeColumns)
		s.flatColumns(row.AfterColumns)
	}
}

func (s *sum) flatColumns(cols []*canalflatpb.Column) {
	s.image()
	for _, c := range cols {
		column(s, c.Index, c.SqlType, c.Name, c.IsKey, c.Updated, c.IsNull, c.Value, c.MysqlType)
	}
}
