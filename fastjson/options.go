package fastjson

// Dialect names a way to write Canal-JSON.
type Dialect uint8

// The dialects.
const (
	Canal Dialect = iota // what Alibaba's Canal writes itself (spec: canal.md 2)
)

// DefaultMaxOutput is the limit that a zero Options.MaxOutput means.
const DefaultMaxOutput = 256 << 20

// Options say how a [Writer] writes. The zero value writes what Canal 1.1.7
// and later writes with its default settings.
type Options struct {
	// Dialect is the way of writing; zero is Canal's own.
	Dialect Dialect

	// OmitGTID leaves the key "gtid" out, as Canal before 1.1.7 does.
	OmitGTID bool

	// OldPerRow shows in "old" of each row what that row changed. Canal itself
	// never forgets, within one RowChange, a column that some row before has
	// changed, and so shows it again in every later row (canal.md 2, rule 6).
	OldPerRow bool

	// DropHeartbeats leaves out entries of type HEARTBEAT and GTIDLOG, of which
	// Canal makes an odd empty UPDATE (canal.md 2, rule 3).
	DropHeartbeats bool

	// RejectInvalidUTF8 makes invalid UTF-8 in anything that is shown an error.
	// Otherwise it is repaired with U+FFFD (canal.md 2, rule 11).
	RejectInvalidUTF8 bool

	// NoFused makes AppendFromEntry take nothing, so that every Entry goes the
	// general way. The bytes are the same; it is there to compare and to measure.
	NoFused bool

	// MaxOutput bounds the bytes that one call may append; zero means
	// DefaultMaxOutput.
	MaxOutput int
}

// Meta is what a message tells about its conversion and not about the change.
type Meta struct {
	ID int64 // "id": the batch the message came in
	TS int64 // "ts": the time of the conversion, milliseconds since 1970
}
