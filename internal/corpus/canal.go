package corpus

import (
	"strconv"

	"google.golang.org/protobuf/proto"

	"github.com/cdcodec/cdcodec/internal/pb/canalpb"
	"github.com/cdcodec/cdcodec/internal/pb/packetpb"
)

// This file writes Entries and Packets as Canal does: which fields are there,
// and which are there even when they say nothing.

const (
	serverID  = 1
	logfile   = "mysql-bin.000417"
	gtidGroup = "b5a1c8e2-0f3d-11ee-9c47-0242ac110002:"
)

// A place is where in the binlog an event stands.
type place struct {
	offset, length int64
	transaction    int64 // the number in its GTID
	time           int64 // s
}

// header makes a Header; Canal leaves the event type out of those of
// transaction marks, and the count of rows out where there are none.
func header(at place, schema, table string, event *canalpb.EventType, rows int) *canalpb.Header {
	h := &canalpb.Header{
		Version:       proto.Int32(1),
		LogfileName:   proto.String(logfile),
		LogfileOffset: proto.Int64(at.offset),
		ServerId:      proto.Int64(serverID),
		ServerenCode:  proto.String("UTF-8"),
		ExecuteTime:   proto.Int64(at.time * 1000),
		SourceType:    canalpb.Type_MYSQL.Enum(),
		SchemaName:    proto.String(schema),
		TableName:     proto.String(table),
		EventLength:   proto.Int64(at.length),
		EventType:     event,
		Gtid:          proto.String(gtidGroup + strconv.FormatInt(at.transaction, 10)),
	}
	if rows > 0 {
		h.Props = []*canalpb.Pair{{Key: proto.String("rowsCount"), Value: proto.String(strconv.Itoa(rows))}}
	}
	return h
}

// rowsEntry makes an Entry of rows.
func rowsEntry(at place, t *table, event canalpb.EventType, rows []*canalpb.RowData) []byte {
	return encode(header(at, t.schema, t.name, &event, len(rows)), canalpb.EntryType_ROWDATA, &canalpb.RowChange{
		TableId:   proto.Int64(t.id),
		EventType: &event,
		IsDdl:     proto.Bool(false),
		RowDatas:  rows,
	})
}

// encode puts an Entry together.
func encode(h *canalpb.Header, typ canalpb.EntryType, store message) []byte {
	return marshal(&canalpb.Entry{Header: h, EntryType: &typ, StoreValue: marshal(store)})
}

// packet makes a Packet of Entries. Canal writes neither a batch id nor a
// version into it.
func packet(entries [][]byte) []byte {
	return marshal(&packetpb.Packet{
		Type: packetpb.PacketType_MESSAGES,
		Body: marshal(&packetpb.Messages{Messages: entries}),
	})
}

type message interface{ MarshalVT() ([]byte, error) }

func marshal(m message) []byte {
	b, err := m.MarshalVT()
	if err != nil {
		panic(err) // nothing we build can fail
	}
	return b
}

// A cell is a value, or NULL.
type cell struct {
	text string
	null bool
}

// A row is the cells of a table's row, in the order of its columns.
type row []cell

// image makes the columns of a row. If it is an image after, then before is
// the one before, or nil for an INSERT, of which Canal says that every column
// was updated. Before images have no updated columns.
func (t *table) image(r row, after bool, before row) []*canalpb.Column {
	columns := make([]*canalpb.Column, len(r))
	for i, c := range r {
		columns[i] = &canalpb.Column{
			Index:     proto.Int32(int32(i)),
			SqlType:   proto.Int32(t.columns[i].typeOf(c)),
			Name:      proto.String(t.columns[i].name),
			IsKey:     proto.Bool(i == 0),
			Updated:   proto.Bool(after && (before == nil || before[i] != c)),
			IsNull:    proto.Bool(c.null),
			MysqlType: proto.String(t.columns[i].mysqlType),
		}
		if !c.null {
			columns[i].Value = proto.String(c.text)
		}
	}
	return columns
}

// rowData makes the RowData of an INSERT (no before), a DELETE (no after) or
// an UPDATE.
func (t *table) rowData(before, after row) *canalpb.RowData {
	d := new(canalpb.RowData)
	if before != nil {
		d.BeforeColumns = t.image(before, false, nil)
	}
	if after != nil {
		d.AfterColumns = t.image(after, true, before)
	}
	return d
}
