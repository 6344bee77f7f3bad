// Package cdcodec turns the bytes of change-data-capture streams into Canal-JSON, and
// back into Canal's protobuf, without unmarshalling them: a [Transcoder] takes a
// record as Canal, TiDB Binlog, Baidu's Fountain or a writer of Canal-JSON made it, and
// appends to a buffer of the caller's what Canal itself, or TiDB's TiCDC, would have
// made of the change, byte for byte.
//
//	Entry, Packet   wire/canal         ─┐                ┌─ fastjson.Writer   Canal-JSON (canal, ticdc)
//	Binlog          wire/tidbbinlog    ─┼─ change.Event ─┤
//	ChangeDataSet   wire/changedataset ─┤                └─ wire/canal        Entry, Packet
//	Canal-JSON      fastjson.Reader    ─┘
//
// A record is read where it stands. A decoder checks all of it, and then shows it as
// one [change.Event] after the other, whose rows are a cursor over the record's own
// bytes; a writer walks that cursor and appends. Nothing in between is kept, so that a
// record of any size takes no memory but its own and that of what it becomes. Entries
// of tables that are known take a shorter way, from bytes to JSON in one walk
// ([Stats].Fused counts them); what comes out is the same.
//
// What one record becomes is all there or, with an error, not there at all. [Message]
// tells of each message where it is in the buffer, and what a sink routes by. It borrows
// the record; what was appended borrows nothing.
//
// The packages below can be used by themselves: wire reads protobuf in place,
// wire/canal and its neighbours know the messages, change is the model, fastjson
// writes and reads Canal-JSON. The law of each format is in the directory spec.
//
// [Options].Partition tells of each message to which partition of a topic it goes, by the
// rules of Canal's users (change/partition), and Options.Keys gives it the key of its row.
//
// # What a conversion cannot know
//
// Formats do not hold the same things, and nothing is made up. On the way in:
//
//   - Canal-JSON has no index of columns and no length, and of the row before an UPDATE it
//     has no more than "old": what dialect canal leaves out there stayed the same, and is
//     taken from data where all of the row is asked for: in dialect ticdc, and in an Entry
//     of one row. It does not tell a HEARTBEAT entry from an empty UPDATE. Its id and ts
//     are of the conversion that made the message, and are not kept; nor is "rowkey".
//   - A message that TiCDC has cut down to its handle key, with or without a claim check,
//     is no change: an error ([fastjson.ErrStub]). Who wants it fetches the whole one.
//   - TiDB Binlog has no parameters of types, no members of an enum or set, and no sign:
//     that an integer is unsigned shows only in a value, not in a NULL. Its times are in
//     drainer's time zone, which it does not name.
//   - ChangeDataSet has no DDL and no transaction, and times in seconds.
//   - Canal's Entry has no commit timestamp; [fastjson.Meta] can give one. What is beyond
//     rows, SQL and the header's schema, table, time and GTID is not looked at: the place
//     in the binlog, tableId, props, ddlSchemaName.
//   - Which columns a statement set is flagged by Canal alone. For the others a column is
//     updated where its value differs, and null differs from any value.
//
// And on the way out:
//
//   - Canal-JSON shows neither the place in the binlog nor props, index, length or tableId.
//     Dialect canal has no commit timestamp and no watermark; dialect ticdc has no gtid, no
//     SQL beside rows, no types' parameters unless TiCDCOptions.ContentCompatible asks for
//     them, and no message for HEARTBEAT, GTIDLOG and a change that has no row.
//   - An Entry cannot be a watermark, which makes none, and has no commit timestamp. The
//     fields that an Event cannot fill are left out. Dialect ticdc goes by an Entry's
//     mysqlType: that a ChangeDataSet's column is unsigned by its bitmap alone, or has a
//     sqlType of its own, is lost on that way. Text is written as it is, UTF-8 or not.
//   - No source has what "rowkey" of dialect ticdc would tell.
//   - Transaction marks become nothing, whatever the target.
//
// # Large records and hostile ones
//
// Any bytes give messages or an error, a *[wire.ParseError] with kind and place.
// [Options].MaxRecord and Options.JSON.MaxOutput bound a record and what it may become;
// working memory is at most 4 times the record and 64 KiB, and with Split, Partition or
// Keys a little for each message and key. SECURITY.md has all that is promised.
package cdcodec
