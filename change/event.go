// Package change is the model in which all formats meet: one [Event] is one
// change of a database (rows of one table, a DDL, a query, a mark in the
// stream), as readers fill it and writers print it.
//
// The package knows no format and does no I/O. Nothing in an Event is copied:
// its byte slices and the columns that its [Rows] give borrow the record they
// were read from.
package change

// Kind tells what sort of change an [Event] is.
type Kind uint8

// The kinds. What they hold beyond the fields every Event has:
const (
	KindRows      Kind = iota // Rows, of one table; Type is Insert, Update or Delete
	KindDDL                   // SQL; IsDDL is true
	KindQuery                 // SQL or nothing; IsDDL is false and Type says what it was
	KindHeartbeat             // a Canal HEARTBEAT entry, whatever it holds
	KindGTIDLog               // a Canal GTIDLOG entry, whatever it holds
	KindWatermark             // CommitTS: all changes up to it have been sent; it has no Type
)

// String returns the name of the kind in lower case.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "unknown"
}

var kindNames = [...]string{"rows", "ddl", "query", "heartbeat", "gtidlog", "watermark"}

// Type is what happened, in Canal's numbering (spec: EventType of
// EntryProtocol.proto). The zero Type is no type.
type Type uint8

// The types, as Canal numbers and names them.
const (
	Insert      Type = 1
	Update      Type = 2
	Delete      Type = 3
	Create      Type = 4
	Alter       Type = 5
	Erase       Type = 6
	Query       Type = 7
	Truncate    Type = 8
	Rename      Type = 9
	CIndex      Type = 10
	DIndex      Type = 11
	GTID        Type = 12
	XACommit    Type = 13
	XARollback  Type = 14
	MHeartbeat  Type = 15
	lastOfTypes      = MHeartbeat
)

// Valid reports whether t is one of the types above.
func (t Type) Valid() bool { return t-1 < lastOfTypes }

// HasRows reports whether t is Insert, Update or Delete, the types whose rows
// are shown.
func (t Type) HasRows() bool { return t-1 < Delete }

// String returns Canal's name of the type, as "type" holds it in Canal-JSON;
// "" where t is not Valid.
func (t Type) String() string {
	if t.Valid() {
		return typeNames[t]
	}
	return ""
}

var typeNames = [...]string{
	Insert: "INSERT", Update: "UPDATE", Delete: "DELETE", Create: "CREATE", Alter: "ALTER",
	Erase: "ERASE", Query: "QUERY", Truncate: "TRUNCATE", Rename: "RENAME", CIndex: "CINDEX",
	DIndex: "DINDEX", GTID: "GTID", XACommit: "XACOMMIT", XARollback: "XAROLLBACK", MHeartbeat: "MHEARTBEAT",
}

// Event is one change. A reader fills it again and again; Reset makes it zero.
//
// The slices, and all that Rows gives, are borrowed from the record that the
// reader was given: they are good until that record's bytes are written to or
// the Event is filled again, and none may be modified. They hold raw bytes,
// not always valid UTF-8. Clone gives a copy that lasts.
type Event struct {
	Kind     Kind
	Type     Type
	IsDDL    bool
	Database []byte
	Table    []byte
	SQL      []byte
	GTID     []byte
	ES       int64  // time of the change at its source, milliseconds since 1970
	CommitTS uint64 // TiDB's timestamp (a TSO: ES << 18 and a counter); 0 where the source has none
	Rows     Rows   // nil means no rows

	// Promoted says that the columns' SQLType follows their values already
	// (spec: ticdc.md 6), so that a writer need not look at MySQLType for it.
	Promoted bool
	// Partial says that the rows' Before holds no more than what an UPDATE
	// changed, because its source, Canal-JSON, tells no more: all else of the
	// row was as in After.
	Partial bool
}

// HasRows reports whether the rows of e count: it is no DDL and its type is
// Insert, Update or Delete. (It may still have none.)
func (e *Event) HasRows() bool { return !e.IsDDL && e.Type.HasRows() }

// Name returns "database.table", as errors have it; "" where e has neither. It
// allocates.
func (e *Event) Name() string {
	if len(e.Database)+len(e.Table) == 0 {
		return ""
	}
	return string(e.Database) + "." + string(e.Table)
}

// Reset makes e the zero Event.
func (e *Event) Reset() { *e = Event{} }

// Clone returns a copy of e that borrows nothing.
func (e *Event) Clone() *Event {
	c := *e
	c.Database = cloneBytes(e.Database)
	c.Table = cloneBytes(e.Table)
	c.SQL = cloneBytes(e.SQL)
	c.GTID = cloneBytes(e.GTID)
	if e.Rows != nil {
		c.Rows = NewList(CopyRows(e.Rows)...)
	}
	return &c
}

// cloneBytes copies b and keeps nil nil.
func cloneBytes(b []byte) []byte {
	if b == nil {
		return nil
	}
	return append([]byte{}, b...)
}
