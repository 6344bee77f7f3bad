package fastjson

import (
	"errors"
	"strconv"
)

// Dialect names a way to write Canal-JSON.
type Dialect uint8

// The dialects.
const (
	Canal Dialect = iota // what Alibaba's Canal writes itself (spec: canal.md 2)
	TiCDC                // what TiDB's TiCDC writes (spec: ticdc.md)
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

	// OldComplete shows in "old" all columns of the row before, not only those
	// that have changed. Dialect ticdc does so anyway, but with OnlyUpdated.
	OldComplete bool

	// What is left out, by its change.Kind. Of entries of type HEARTBEAT and
	// GTIDLOG Canal makes an odd empty UPDATE (canal.md 2, rule 3); dialect ticdc
	// never has them, and watermarks only dialect ticdc.
	DropDDL        bool
	DropQueries    bool
	DropWatermarks bool
	DropHeartbeats bool // and GTIDLOG

	// RejectInvalidUTF8 makes invalid UTF-8 in any JSON that is shown an error.
	// Otherwise it is repaired with U+FFFD (canal.md 2, rule 11).
	RejectInvalidUTF8 bool

	// OneRow writes one message per row. In dialect canal each repeats all that
	// the whole message would say but data and old (canal.md 3); dialect ticdc
	// has no other way, and there this changes nothing.
	OneRow bool

	// Separator is what stands between two consecutive messages that one call appends:
	// "\n" for a line each, "," for elements of an array. Nothing stands before the
	// first one and behind the last.
	Separator string

	// MaxMessage bounds the bytes of each message of dialect canal; zero means no bound.
	// A longer one is a *TooLargeError, or with Split it is cut between rows into
	// messages that fit, each with as many of the rows as can be (Writer.AppendParts
	// tells what parts have). What cannot be cut small enough, a single row or
	// what has no rows, is the error still. (Dialect ticdc has TiCDC.MaxMessage.)
	MaxMessage int

	// Split cuts messages that are longer than MaxMessage, which must be set, between
	// rows. Only in dialect canal.
	Split bool

	// TiCDC is the options of dialect ticdc.
	TiCDC TiCDCOptions

	// NoFused makes AppendFromEntry take nothing, so that every Entry goes the
	// general way. The bytes are the same; it is there to compare and to measure.
	NoFused bool

	// MaxOutput bounds the bytes that one call may append; zero means
	// DefaultMaxOutput. A message that is too large to be sent counts as a whole
	// until something else is put in its place.
	MaxOutput int
}

// TiCDCOptions say how dialect ticdc is written. The zero value writes what TiCDC
// does with its default settings.
type TiCDCOptions struct {
	// Extension writes the key "_tidb", and watermarks, which are left out
	// otherwise: enable-tidb-extension (ticdc.md 9).
	Extension bool

	// OnlyUpdated shows in "old" the columns whose value differs, not all of
	// them (ticdc.md 4).
	OnlyUpdated bool

	// ContentCompatible writes mysqlType in full, as Canal does, and only
	// updated columns in "old" (ticdc.md 5).
	ContentCompatible bool

	// DataFirst puts "data" before "old" in messages of rows too, as the
	// releases of TiCDC before v6.1.3 and v6.2 to v6.4 do (ticdc.md 1).
	DataFirst bool

	// DeleteOnlyHandleKey shows of a DELETE nothing but the handle key
	// (ticdc.md 12).
	DeleteOnlyHandleKey bool

	// MaxMessage bounds what a message takes as a record of Kafka: its key
	// (Meta.KeySize), itself, and 36 bytes more. Zero means no bound. Large says
	// what becomes of a longer one.
	MaxMessage int
	Large      Large

	// CountKey adds to Meta.KeySize the key of each row as AppendKey makes it, for who
	// sends messages with that. (cdcodec.Options.Keys does so.)
	CountKey bool

	// Sizer, if set, tells how many bytes a message takes when it is sent,
	// compressed for instance. MaxMessage bounds that number.
	Sizer Sizer

	// Claims is where messages go that are too large, with ClaimCheck.
	Claims ClaimStore
}

// Large says what becomes of a message that is longer than MaxMessage allows
// (ticdc.md 12).
type Large uint8

// What can become of it. What is still too large then is the error too.
const (
	RejectLarge   Large = iota // an error that names table, size and limit
	HandleKeyOnly              // only the columns of the handle key are shown, and a flag
	ClaimCheck                 // the same, and it says where the whole message is
)

// Sizer tells how many bytes a message takes when it is sent.
type Sizer interface {
	// SizeOf may neither keep message nor write to it.
	SizeOf(message []byte) int
}

// ClaimStore keeps messages that are too large to be sent.
type ClaimStore interface {
	// Put keeps a copy of message and returns where it can be found, as
	// "claimCheckLocation" tells it to who reads the stub. It may not write to
	// message. (What was put stays where it is if a later row of the same Event
	// turns out to be an error.)
	Put(message []byte) (location string, err error)
}

// Meta is what a message tells about its conversion and not about the change.
type Meta struct {
	ID       int64  // "id": the batch the message came in; dialect ticdc always writes 0
	TS       int64  // "ts": the time of the conversion, milliseconds since 1970
	CommitTS uint64 // commit timestamp of Events that have none, for dialect ticdc
	KeySize  int    // bytes of the key that the message is sent with, for TiCDCOptions.MaxMessage
}

// check returns an error that names the option that makes no sense, if one does.
func (o *Options) check() error {
	switch {
	case o.Dialect > TiCDC:
		return errors.New("fastjson: unknown Dialect " + strconv.Itoa(int(o.Dialect)))
	case o.MaxOutput < 0:
		return errors.New("fastjson: MaxOutput is negative")
	case o.MaxMessage < 0:
		return errors.New("fastjson: MaxMessage is negative")
	case o.Dialect == TiCDC && (o.MaxMessage > 0 || o.Split):
		return errors.New("fastjson: MaxMessage and Split are of dialect canal, ticdc has TiCDC.MaxMessage")
	case o.Split && o.MaxMessage == 0:
		return errors.New("fastjson: Split needs MaxMessage")
	case o.Dialect == TiCDC:
		return o.TiCDC.check()
	}
	return nil
}

func (o *TiCDCOptions) check() error {
	switch {
	case o.MaxMessage < 0:
		return errors.New("fastjson: TiCDC.MaxMessage is negative")
	case o.Large > ClaimCheck:
		return errors.New("fastjson: unknown TiCDC.Large " + strconv.Itoa(int(o.Large)))
	case o.Large != RejectLarge && !o.Extension:
		// The key "_tidb" is where a stub says that it is one.
		return errors.New("fastjson: TiCDC.Large needs TiCDC.Extension")
	case o.Large == ClaimCheck && o.Claims == nil:
		return errors.New("fastjson: TiCDC.Large is ClaimCheck and TiCDC.Claims is nil")
	}
	return nil
}
