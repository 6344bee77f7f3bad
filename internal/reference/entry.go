package reference

import (
	"fmt"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/internal/pb/canalpb"
)

// The two messages that are checked from depth 0.
var (
	entryDesc     = (*canalpb.Entry)(nil).ProtoReflect().Descriptor()
	rowChangeDesc = (*canalpb.RowChange)(nil).ProtoReflect().Descriptor()
)

// The two fields whose enum decides something.
const (
	entryTypeNumber = 2 // Entry.entryType
	eventTypeNumber = 2 // RowChange.eventType
)

// Entry converts the bytes of one Canal Entry. In dialect canal it gives one
// message, with OneRow one per row; in dialect ticdc one per row. It gives none
// where the entry is skipped; an error and no message where it is malformed.
// The ID and TS of m are printed as they are.
func Entry(entry []byte, o fastjson.Options, m fastjson.Meta) (messages [][]byte, err error) {
	if err := checkMessage(entry, entryDesc, 0); err != nil {
		return nil, fmt.Errorf("entry: %w", err)
	}
	entryType := lastKnownEnum(entry, entryTypeNumber, entryDesc, canalpb.EntryType_ROWDATA.Number())
	if skipped(entryType, o) {
		return nil, nil
	}

	var e canalpb.Entry
	unmarshal(entry, &e)
	if err := checkMessage(e.GetStoreValue(), rowChangeDesc, 0); err != nil {
		return nil, fmt.Errorf("storeValue: %w", err)
	}
	eventType := lastKnownEnum(e.GetStoreValue(), eventTypeNumber, rowChangeDesc, canalpb.EventType_UPDATE.Number())
	var change canalpb.RowChange
	unmarshal(e.GetStoreValue(), &change)

	ev := canalEvent(e.GetHeader(), &change, canalpb.EventType(eventType))
	switch canalpb.EntryType(entryType) {
	case canalpb.EntryType_HEARTBEAT, canalpb.EntryType_GTIDLOG:
		ev.mark = true
	}
	return printEvents([]*event{ev}, o, m)
}

// Entries converts the entries of one Canal Message, each to messages of its
// own. If one of them is bad it gives an error and no message at all.
func Entries(entries [][]byte, o fastjson.Options, m fastjson.Meta) (messages [][]byte, err error) {
	for i, entry := range entries {
		some, err := Entry(entry, o, m)
		if err != nil {
			return nil, fmt.Errorf("messages[%d]: %w", i, err)
		}
		messages = append(messages, some...)
	}
	return messages, nil
}

// skipped reports whether an entry of this type gives no message. What its
// storeValue holds is then never read.
func skipped(t protoreflect.EnumNumber, o fastjson.Options) bool {
	switch canalpb.EntryType(t) {
	case canalpb.EntryType_TRANSACTIONBEGIN, canalpb.EntryType_TRANSACTIONEND:
		return true
	case canalpb.EntryType_HEARTBEAT, canalpb.EntryType_GTIDLOG:
		return o.DropHeartbeats || o.Dialect == fastjson.TiCDC
	}
	return false
}

// canalEvent returns what an entry tells.
func canalEvent(header *canalpb.Header, change *canalpb.RowChange, eventType canalpb.EventType) *event {
	e := &event{
		canal:     true,
		database:  header.GetSchemaName(),
		table:     header.GetTableName(),
		gtid:      header.GetGtid(),
		sql:       change.GetSql(),
		eventType: eventType.String(),
		isDDL:     change.GetIsDdl(),
		es:        header.GetExecuteTime(),
	}
	for _, r := range change.GetRowDatas() {
		e.rows = append(e.rows, row{
			before: canalColumns(r.GetBeforeColumns()),
			after:  canalColumns(r.GetAfterColumns()),
		})
	}
	return e
}

func canalColumns(image []*canalpb.Column) []column {
	var columns []column
	for _, c := range image {
		col := column{
			name:      c.GetName(),
			value:     c.GetValue(),
			mysqlType: c.GetMysqlType(),
			sqlType:   c.GetSqlType(),
			key:       c.GetIsKey(),
			updated:   c.GetUpdated(),
		}
		if c.GetIsNull() {
			col.value = nil
		}
		columns = append(columns, col)
	}
	return columns
}

// unmarshal reads b, which checkMessage has found good, into m. Whether all
// required fields are there is for the caller to see.
func unmarshal(b []byte, m proto.Message) {
	if err := (proto.UnmarshalOptions{AllowPartial: true}).Unmarshal(b, m); err != nil {
		panic("reference: the walk and proto.Unmarshal disagree: " + err.Error())
	}
}
