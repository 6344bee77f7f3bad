package codec

import (
	"bytes"
	"encoding/json"

	"google.golang.org/protobuf/proto"

	"github.com/cdcodec/cdcodec/internal/pb/canalpb"
	"github.com/cdcodec/cdcodec/internal/pb/packetpb"
)

// newPlain returns the plain way: protobuf-go on Canal's own schema, first
// the Entry and then what its storeValue holds, and encoding/json. Everything
// is new for each Entry, as one writes it without a thought of speed, nor of
// slowness: each value is looked at once.
func newPlain(o Options) *Codec {
	return &Codec{
		Convert: func(dst, record []byte) ([]byte, error) {
			err := eachPlain(record, o, func(e *canalpb.Entry, c *canalpb.RowChange, id int64) error {
				b, err := marshalPlain(plainMessage(e.GetHeader(), c, id, o.Meta.TS))
				dst = append(dst, b...)
				return err
			})
			return dst, err
		},
		Decode: func(record []byte) (uint64, error) {
			var s sum
			err := eachPlain(record, o, func(_ *canalpb.Entry, c *canalpb.RowChange, _ int64) error {
				s.plain(c)
				return nil
			})
			return uint64(s), err
		},
	}
}

// eachPlain calls do for each Entry of a record that has a message, with the id
// of that.
func eachPlain(record []byte, o Options, do func(*canalpb.Entry, *canalpb.RowChange, int64) error) error {
	entries, id := [][]byte{record}, o.Meta.ID
	if o.packets() {
		var p packetpb.Packet
		var m packetpb.Messages
		if err := proto.Unmarshal(record, &p); err != nil {
			return err
		}
		if err := proto.Unmarshal(p.GetBody(), &m); err != nil {
			return err
		}
		entries, id = m.GetMessages(), m.GetBatchId()
	}
	for _, b := range entries {
		var e canalpb.Entry
		if err := proto.Unmarshal(b, &e); err != nil {
			return err
		}
		switch e.GetEntryType() {
		case canalpb.EntryType_TRANSACTIONBEGIN, canalpb.EntryType_TRANSACTIONEND:
			continue
		}
		var c canalpb.RowChange
		if err := proto.Unmarshal(e.GetStoreValue(), &c); err != nil {
			return err
		}
		if err := do(&e, &c, id); err != nil {
			return err
		}
	}
	return nil
}

// plain adds all columns of a RowChange.
func (s *sum) plain(c *canalpb.RowChange) {
	for _, row := range c.GetRowDatas() {
		s.plainColumns(row.GetBeforeColumns())
		s.plainColumns(row.GetAfterColumns())
	}
}

func (s *sum) plainColumns(cols []*canalpb.Column) {
	s.image()
	for _, c := range cols {
		column(s, c.GetIndex(), c.GetSqlType(), c.GetName(), c.GetIsKey(), c.GetUpdated(), c.GetIsNull(), c.GetValue(), c.GetMysqlType())
	}
}

// plainObject is a JSON object whose members keep their order.
type plainObject struct {
	names  []string
	values []any
	index  map[string]int // where a name is
}

// put sets a member: a new one goes to the end.
func (o *plainObject) put(name string, value any) {
	if i, ok := o.index[name]; ok {
		o.values[i] = value
		return
	}
	if o.index == nil {
		o.index = map[string]int{}
	}
	o.index[name] = len(o.names)
	o.names, o.values = append(o.names, name), append(o.values, value)
}

// MarshalJSON implements [json.Marshaler].
func (o *plainObject) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	b.WriteByte('{')
	for i, name := range o.names {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := enc.Encode(name); err != nil {
			return nil, err
		}
		b.Truncate(b.Len() - 1) // the line feed of Encode
		b.WriteByte(':')
		if err := enc.Encode(o.values[i]); err != nil {
			return nil, err
		}
		b.Truncate(b.Len() - 1)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func marshalPlain(m *message[*plainObject]) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(m)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// plainMessage returns the message of a change.
func plainMessage(h *canalpb.Header, c *canalpb.RowChange, id, ts int64) *message[*plainObject] {
	m := &message[*plainObject]{
		Database: h.GetSchemaName(),
		ES:       h.GetExecuteTime(),
		GTID:     h.GetGtid(),
		ID:       id,
		IsDDL:    c.GetIsDdl(),
		SQL:      c.GetSql(),
		Table:    h.GetTableName(),
		TS:       ts,
		Type:     c.GetEventType().String(),
	}
	typ := c.GetEventType()
	if m.IsDDL || typ > canalpb.EventType_DELETE {
		return m
	}
	updated := map[string]bool{}
	for i, row := range c.GetRowDatas() {
		columns := row.GetAfterColumns()
		if typ == canalpb.EventType_DELETE {
			columns = row.GetBeforeColumns()
		}
		data := &plainObject{}
		for _, col := range columns {
			if m.SQLType == nil {
				m.SQLType, m.MySQLType = &plainObject{}, &plainObject{}
			}
			data.put(col.GetName(), plainValue(col))
			m.SQLType.put(col.GetName(), col.GetSqlType())
			m.MySQLType.put(col.GetName(), col.GetMysqlType())
			if col.GetIsKey() && i == 0 {
				m.PKNames = append(m.PKNames, col.GetName())
			}
			if col.GetUpdated() {
				updated[col.GetName()] = true
			}
		}
		if len(columns) > 0 {
			m.Data = append(m.Data, data)
		}
		if typ == canalpb.EventType_UPDATE {
			old := &plainObject{}
			for _, col := range row.GetBeforeColumns() {
				if updated[col.GetName()] {
					old.put(col.GetName(), plainValue(col))
				}
			}
			m.Old = append(m.Old, old)
		}
	}
	return m
}

func plainValue(c *canalpb.Column) any {
	if c.GetIsNull() {
		return nil
	}
	return c.GetValue()
}
