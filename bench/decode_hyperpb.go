//go:build amd64 || arm64

package bench

import (
	"google.golang.org/protobuf/reflect/protoreflect"

	"buf.build/go/hyperpb"

	"github.com/cdcodec/cdcodec/internal/pb/canalflatpb"
)

// hyperPeers is hyperpb, whose parser is compiled for the schema when the program
// runs, and again for the traffic it has seen. Memory is used again (Shared), the
// input is borrowed, and UTF-8 is not checked.
func hyperPeers(s Stage) []Peer {
	switch s {
	case Decode:
		return []Peer{{Name: "hyperpb-flat", New: hyperDecode}}
	case Convert:
		return []Peer{{Name: "hyperpb+jwriter-onto", New: hyperJwriter}}
	}
	return nil
}

type hyperReader struct {
	*flatFields
	typ    *hyperpb.MessageType
	shared *hyperpb.Shared
}

var hyperOptions = []hyperpb.UnmarshalOption{
	hyperpb.WithAllowAlias(true), hyperpb.WithAllowInvalidUTF8(true), hyperpb.WithDiscardUnknown(true),
}

// newHyperReader compiles, parses the first Entries of the sample, and compiles again.
func newHyperReader(sample []Record) *hyperReader {
	r := &hyperReader{flatFields: newFlatFields(), shared: new(hyperpb.Shared)}
	r.typ = hyperpb.CompileMessageDescriptor(r.entry)
	profile := r.typ.NewProfile()
	for _, s := range sample[:min(len(sample), 1000)] {
		if isMark(s.Entry) {
			continue
		}
		if err := r.shared.NewMessage(r.typ).Unmarshal(s.Entry, hyperpb.WithRecordProfile(profile, 1)); err != nil {
			panic(err) // the corpora are right
		}
		r.shared.Free()
	}
	r.typ = r.typ.Recompile(profile)
	return r
}

// read parses an Entry, which is good until r.shared.Free.
func (r *hyperReader) read(b []byte) (*hyperpb.Message, error) {
	m := r.shared.NewMessage(r.typ)
	return m, m.Unmarshal(b, hyperOptions...)
}

func hyperDecode(sample []Record) Run {
	h := newHyperReader(sample)
	return func(dst []byte, r *Record) ([]byte, uint64, error) {
		if isMark(r.Entry) {
			return dst, 0, nil
		}
		defer h.shared.Free()
		m, err := h.read(r.Entry)
		if err != nil {
			return dst, 0, err
		}
		return dst, h.sum(m), nil
	}
}

// hyperJwriter copies what hyperpb shows into an Entry for jwriter: all of it is
// looked at more than once.
func hyperJwriter(sample []Record) Run {
	h := newHyperReader(sample)
	r := Record{Flat: &canalflatpb.Entry{Header: new(canalflatpb.Header), StoreValue: new(canalflatpb.RowChange)}}
	write := jwriterOnto()
	return func(dst []byte, in *Record) ([]byte, uint64, error) {
		if isMark(in.Entry) {
			return dst, 0, nil
		}
		defer h.shared.Free()
		m, err := h.read(in.Entry)
		if err != nil {
			return dst, 0, err
		}
		h.copy(r.Flat, m)
		return write(dst, &r)
	}
}

// copy makes e what m says; its strings are m's.
func (f *flatFields) copy(e *canalflatpb.Entry, m protoreflect.Message) {
	h, s := m.Get(f.header).Message(), m.Get(f.store).Message()
	e.Header.SchemaName, e.Header.TableName = h.Get(f.schema).String(), h.Get(f.table).String()
	e.Header.Gtid, e.Header.ExecuteTime = h.Get(f.gtid).String(), h.Get(f.executeTime).Int()
	c := e.StoreValue
	c.EventType = canalflatpb.EventType(s.Get(f.eventType).Enum())
	c.IsDdl, c.Sql = s.Get(f.isDdl).Bool(), s.Get(f.sql).String()
	c.RowDatas = c.RowDatas[:0]
	rows := s.Get(f.rows).List()
	for i := range rows.Len() {
		from := rows.Get(i).Message()
		var to *canalflatpb.RowData
		c.RowDatas, to = another(c.RowDatas)
		to.BeforeColumns = f.copyColumns(to.BeforeColumns[:0], from.Get(f.before).List())
		to.AfterColumns = f.copyColumns(to.AfterColumns[:0], from.Get(f.after).List())
	}
}

// copyColumns copies what a message of Canal-JSON shows.
func (f *flatFields) copyColumns(to []*canalflatpb.Column, list protoreflect.List) []*canalflatpb.Column {
	for i := range list.Len() {
		from := list.Get(i).Message()
		var c *canalflatpb.Column
		to, c = another(to)
		c.SqlType, c.Name, c.IsKey = int32(from.Get(f.sqlType).Int()), from.Get(f.name).String(), from.Get(f.isKey).Bool()
		c.Updated, c.IsNull = from.Get(f.updated).Bool(), from.Get(f.isNull).Bool()
		c.Value, c.MysqlType = from.Get(f.value).String(), from.Get(f.mysqlTypeText).String()
	}
	return to
}
