package canal

import "github.com/cdcodec/cdcodec/change"

// EntryType is what an Entry holds.
type EntryType uint8

// The entry types, as Canal numbers them.
const (
	TransactionBeginEntry EntryType = 1
	RowDataEntry          EntryType = 2
	TransactionEndEntry   EntryType = 3
	HeartbeatEntry        EntryType = 4
	GTIDLogEntry          EntryType = 5
)

var entryTypeNames = [...]string{1: "TRANSACTIONBEGIN", 2: "ROWDATA", 3: "TRANSACTIONEND", 4: "HEARTBEAT", 5: "GTIDLOG"}

// String returns Canal's name of the type, "" for a number it lacks.
func (t EntryType) String() string {
	if int(t) < len(entryTypeNames) {
		return entryTypeNames[t]
	}
	return ""
}

// SourceType is the kind of database a change comes from.
type SourceType uint8

// The source types, as Canal numbers them.
const (
	Oracle SourceType = 1
	MySQL  SourceType = 2
	PGSQL  SourceType = 3
)

var sourceTypeNames = [...]string{Oracle: "ORACLE", MySQL: "MYSQL", PGSQL: "PGSQL"}

// String returns Canal's name of the type, "" for a number it lacks.
func (t SourceType) String() string {
	if int(t) < len(sourceTypeNames) {
		return sourceTypeNames[t]
	}
	return ""
}

// PacketType is what a Packet holds. Packet is proto3: it keeps numbers that
// have no name.
type PacketType int32

// The packet types that matter to a reader of Kafka.
const (
	AckPacket      PacketType = 3
	MessagesPacket PacketType = 7
)

// Compression is how a Packet says that its body is compressed. Canal writes
// 0 or 1 and supports nothing else.
type Compression int32

// The compressions that mean none.
const (
	CompressionUnset Compression = 0
	CompressionNone  Compression = 1
)

// The three setters below are the rule of a closed enum: a number it lacks, 0
// among them, leaves the value that was there before.

func (t *EntryType) set(v int32) {
	if v >= int32(TransactionBeginEntry) && v <= int32(GTIDLogEntry) {
		*t = EntryType(v)
	}
}

func (t *SourceType) set(v int32) {
	if v >= int32(Oracle) && v <= int32(PGSQL) {
		*t = SourceType(v)
	}
}

func setEventType(t *change.Type, v int32) {
	if v >= 0 && v <= 0xff && change.Type(v).Valid() {
		*t = change.Type(v)
	}
}
