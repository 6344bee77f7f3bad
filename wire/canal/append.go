package canal

import (
	"errors"
	"math"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/wire"
)

// How an Entry is written: in one walk over the Event's rows.
//
//	1 header | 2 entryType | 3 storeValue [len] | 2 eventType | 10 isDdl | 12 row [len] | column | column | 12 row [len] | column …
//
// The length of a header or a column is known before it is written
// (append_column.go). Those of rows and of storeValue are not, and a walk to learn
// them would cost as much as the one that writes: see gap.

// ErrNoEntry is what [AppendEntry] returns for an Event that no Entry can hold: a
// watermark, or one without a valid Type.
var ErrNoEntry = errors.New("event has no Canal Entry")

// maxMessage is how long an Entry or a Packet may be: the runtimes of protobuf
// count its bytes in an int32.
const maxMessage = math.MaxInt32

// headroom is more than what a column or a header needs beside its texts, and
// all open gaps may still grow.
const headroom = 128

// AppendEntry appends ev to dst as an Entry and returns the longer slice. Its
// fields are those that Canal sets, in Canal's order, numbers and flags also where
// they are 0 or false. What an Event cannot tell is left out: the place in the
// binlog, tableId, props.
//
// A [Decoder] makes the same Event of it, but for what an Entry has no place for:
// CommitTS, Promoted, Partial, a column's Handle, the value of a column that is
// null, and rows where [change.Event.HasRows] says that they do not count.
//
// Strings are written as they are. Where one is not UTF-8, Canal's own class and
// all others of a proto2 schema read the same bytes; those made from the proto3
// schema that Canal publishes may refuse it.
//
// The Entry has limit bytes at most: rows repeat the names and types of their columns, and so
// it can be many times as long as what ev was read from. A limit of 0 means 2 GiB.
//
// Errors: ErrNoEntry; ErrTooLarge. With an error it returns dst as it was. It
// keeps nothing of ev, and allocates nothing where dst has room.
func AppendEntry(dst []byte, ev *change.Event, limit int) ([]byte, error) {
	if limit == 0 || limit > maxMessage {
		limit = maxMessage
	}
	return appendEntry(dst, ev, limit)
}

func appendEntry(dst []byte, ev *change.Event, limit int) ([]byte, error) {
	if ev.Kind >= change.KindWatermark || !ev.Type.Valid() {
		return dst, ErrNoEntry
	}
	limit = min(limit, math.MaxInt-headroom-len(dst)) // for CPUs of 32 bits
	texts := int64(len(ev.Table)) + int64(len(ev.GTID)) + int64(len(ev.SQL)) + int64(len(ev.Database))
	if ev.IsDDL {
		texts += int64(len(ev.Database)) // ddlSchemaName
	}
	if texts > int64(limit) {
		return dst, ErrTooLarge
	}
	out := appendHeader(dst, ev)
	out = append(out, byte(entryEntryType), byte(entryTypeOf(ev.Kind)), byte(entryStoreValue))
	store, out := openGap(out, 2)
	out = append(out, byte(changeEventType), byte(ev.Type), byte(changeIsDDL), byte(bit(ev.IsDDL)))
	if len(ev.SQL) > 0 {
		out = wire.AppendBytes(append(out, byte(changeSQL)), ev.SQL)
	}
	if ev.Rows != nil && ev.HasRows() {
		width := 2
		for ev.Rows.Rewind(); ev.Rows.Next(); {
			var row gap
			var fits bool
			row, out = openGap(append(out, byte(changeRowDatas)), width)
			if out, fits = appendImage(out, ev.Rows, change.Before, len(dst)+limit); fits {
				out, fits = appendImage(out, ev.Rows, change.After, len(dst)+limit)
			}
			if !fits {
				return dst, ErrTooLarge
			}
			out = row.close(out)
			width = row.width      // the next row will be about as long
			out = store.close(out) // it grows while there is little to move
		}
	}
	if ev.IsDDL && len(ev.Database) > 0 {
		out = wire.AppendBytes(append(out, byte(changeDDLSchemaName)), ev.Database)
	}
	out = store.close(out)
	if len(out)-len(dst) > limit {
		return dst, ErrTooLarge
	}
	return out, nil
}

func entryTypeOf(k change.Kind) EntryType {
	switch k {
	case change.KindHeartbeat:
		return HeartbeatEntry
	case change.KindGTIDLog:
		return GTIDLogEntry
	}
	return RowDataEntry
}

// appendHeader appends the header as a field of an Entry.
func appendHeader(dst []byte, ev *change.Event) []byte {
	size := len("\x08\x01\x30\x38\x02\x42\x4a\x58\x01") + sizeVarint(uint64(ev.ES)) + sizeBytes(ev.Database) + sizeBytes(ev.Table)
	if len(ev.GTID) > 0 {
		size += 1 + sizeBytes(ev.GTID)
	}
	dst = wire.AppendVarint(append(dst, byte(entryHeader)), uint64(size))
	dst = append(dst, byte(headerVersion), 1, byte(headerExecuteTime))
	dst = wire.AppendVarint(dst, uint64(ev.ES))
	dst = append(dst, byte(headerSourceType), byte(MySQL), byte(headerSchemaName))
	dst = wire.AppendBytes(dst, ev.Database)
	dst = wire.AppendBytes(append(dst, byte(headerTableName)), ev.Table)
	dst = append(dst, byte(headerEventType), byte(ev.Type))
	if len(ev.GTID) > 0 {
		dst = wire.AppendBytes(append(dst, byte(headerGTID)), ev.GTID)
	}
	return dst
}

// bit is 1 for true.
func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
