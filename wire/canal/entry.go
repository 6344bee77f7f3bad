package canal

import (
	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/internal/fields"
	"github.com/cdcodec/cdcodec/wire"
)

// Entry is a view of one Entry: its header, its type, and its storeValue still
// unread. It borrows the bytes it was parsed from.
type Entry struct {
	Header     Header
	Type       EntryType // RowDataEntry where absent
	StoreValue []byte    // a RowChange, TransactionBegin or TransactionEnd; the last one given

	msg, store wire.Message // the Entry, StoreValue
	storeTag   int          // where the tag of StoreValue is
}

// ParseEntry reads an Entry: everything but what is inside storeValue. It is
// the cheap way to learn of schema, table and event type. A zero-length Entry
// is valid and has all defaults.
func ParseEntry(b []byte) (Entry, error) {
	var e Entry
	err := e.Parse(b)
	return e, err
}

// Parse is ParseEntry into an Entry that is there: an Entry is some hundred bytes
// long. After an error e is zero.
func (e *Entry) Parse(b []byte) error { return fields.Error(e.parse(wire.NewMessage(b))) }

func (e *Entry) parse(m wire.Message) *wire.ParseError {
	e.Header.reset(m, true)
	e.Type, e.StoreValue = RowDataEntry, nil
	e.msg = m
	e.store = wire.Message{}
	e.storeTag = 0
	if e.scan(m) {
		return nil
	}
	r := m.Reader()
	for r.Next() {
		switch r.Tag {
		case entryHeader:
			if err := e.Header.merge(r.Message()); err != nil {
				*e = Entry{}
				return entryNames.inside(err, &r)
			}
		case entryEntryType:
			e.Type.set(r.Int32())
		case entryStoreValue:
			e.StoreValue = r.Bytes
			e.store, e.storeTag = r.Embedded(), r.Offset
		}
	}
	err := entryNames.failed(&r)
	if err != nil {
		err.Table = e.Header.Name() // what of the header came before
		*e = Entry{}
	}
	return err
}

// IsTransactionMark reports whether e begins or ends a transaction. Such an
// Entry makes no message, and its storeValue holds no RowChange.
func (e *Entry) IsTransactionMark() bool {
	return e.Type == TransactionBeginEntry || e.Type == TransactionEndEntry
}

// Offset returns where e begins in what was parsed: 0, or its place in a Packet.
func (e *Entry) Offset() int { return e.msg.Offset() }

// RowChange reads the RowChange in storeValue.
func (e *Entry) RowChange() (RowChange, error) {
	c, err := parseRowChange(e.store)
	return c, fields.Error(entryNames.inStore(err))
}

// TransactionBegin reads the TransactionBegin in storeValue.
func (e *Entry) TransactionBegin() (TransactionBegin, error) {
	t, err := parseTransaction(e.store)
	return TransactionBegin(t), fields.Error(entryNames.inStore(err))
}

// TransactionEnd reads the TransactionEnd in storeValue.
func (e *Entry) TransactionEnd() (TransactionEnd, error) {
	t, err := parseTransaction(e.store)
	return TransactionEnd{t.ExecuteTime, t.TransactionID, t.msg}, fields.Error(entryNames.inStore(err))
}

// inStore puts storeValue before the path of err; nil stays nil.
func (names fieldNames) inStore(err *wire.ParseError) *wire.ParseError {
	if err == nil {
		return nil
	}
	return err.Within(names.of(entryStoreValue))
}

// Header is a view of a Header, merged where an Entry has it in several parts.
// It borrows the bytes it was parsed from; they are raw, not always UTF-8.
type Header struct {
	Version       int32 // 1 where absent
	LogfileName   []byte
	LogfileOffset int64 // of the event in LogfileName, in bytes
	ServerID      int64
	ServerenCode  []byte
	ExecuteTime   int64 // milliseconds since 1970
	SourceType    SourceType
	SchemaName    []byte
	TableName     []byte
	EventLength   int64       // of the event in LogfileName, in bytes
	EventType     change.Type // Update where absent; the RowChange's own is what counts
	GTID          []byte

	msg     wire.Message
	inEntry bool // msg is the Entry, not the Header
}

// reset gives h the defaults, before its parts are merged into it.
func (h *Header) reset(msg wire.Message, inEntry bool) {
	*h = Header{} // one by one: a literal is made elsewhere and copied
	h.Version, h.SourceType, h.EventType = 1, MySQL, change.Update
	h.msg = msg
	h.inEntry = inEntry
}

// ParseHeader reads a Header.
func ParseHeader(b []byte) (Header, error) {
	m := wire.NewMessage(b)
	var h Header
	h.reset(m, false)
	if err := h.merge(m); err != nil {
		return Header{}, err
	}
	return h, nil
}

// merge reads one part of a header over what h holds. Props are checked and
// left where they are.
func (h *Header) merge(m wire.Message) *wire.ParseError {
	if h.scan(m.Bytes()) {
		return nil
	}
	r := m.Reader()
	for r.Next() {
		switch r.Tag {
		case headerVersion:
			h.Version = r.Int32()
		case headerLogfileName:
			h.LogfileName = r.Bytes
		case headerLogfileOffset:
			h.LogfileOffset = r.Int64()
		case headerServerID:
			h.ServerID = r.Int64()
		case headerServerenCode:
			h.ServerenCode = r.Bytes
		case headerExecuteTime:
			h.ExecuteTime = r.Int64()
		case headerSourceType:
			h.SourceType.set(r.Int32())
		case headerSchemaName:
			h.SchemaName = r.Bytes
		case headerTableName:
			h.TableName = r.Bytes
		case headerEventLength:
			h.EventLength = r.Int64()
		case headerEventType:
			setEventType(&h.EventType, r.Int32())
		case headerProps:
			if _, err := parsePair(r.Message()); err != nil {
				return headerNames.inside(err, &r)
			}
		case headerGTID:
			h.GTID = r.Bytes
		}
	}
	return headerNames.failed(&r)
}

// Name returns "schema.table", as errors have it; "" where h has neither. It
// allocates.
func (h *Header) Name() string {
	if len(h.SchemaName)+len(h.TableName) == 0 {
		return ""
	}
	return string(h.SchemaName) + "." + string(h.TableName)
}

// Props returns an iterator over the header's props, those of all its parts.
func (h *Header) Props() Pairs {
	if h.inEntry {
		return Pairs{outer: elements(h.msg, entryNames, entryHeader), split: true}
	}
	return Pairs{it: elements(h.msg, headerNames, headerProps)}
}
