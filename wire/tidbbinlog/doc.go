// Package tidbbinlog reads what TiDB Binlog's drainer writes to Kafka: records
// that are one protobuf message Binlog each, and a Binlog is a whole transaction,
// or a DDL. The law is spec/tidb-binlog.md.
//
//	Binlog ─ dml_data ─ tables[] ┬ column_info[]      what the columns are: name, type
//	       │                     ├ unique_keys[]
//	       │                     └ mutations[] ┬ row        the values, in the same order
//	       │                                   └ change_row those before an UPDATE
//	       └ ddl_data ─ ddl_query
//
// A column is in three places, then, and only together they say what a writer of
// Canal-JSON wants to know: its name and type are in the table, its value is in
// the row, and whether it is unsigned, or changed, only both images tell. A
// [Decoder] brings them together. [Decoder.Open] reads a record once and judges
// it: a transaction is whole or it is nothing. [Decoder.Next] then gives one
// [change.Event] per mutation, whose Rows read the columns from the record as they
// are walked; of a table, no more is in memory than what the first 128 columns are.
//
// For who reads by hand there are views of the messages: [ParseBinlog] and what
// it leads to. They read one message each and leave what is nested in it as bytes,
// to be read when asked for; what is well formed is good for them.
//
// All of this borrows the record: views, Events, and the slices in them are good
// until its bytes are written to. The exceptions are values that are not in the
// record as text (numbers, bits, bytes that become characters), see [Decoder].
//
// # What a conversion cannot know
//
// The record does not say it all. mysql_type has no parameters and no "unsigned":
// that an integer is unsigned shows only in a value that came as uint64, so that a
// NULL of an INSERT is a "bigint" where its neighbours are "bigint unsigned". The
// members of an enum or set are not there, only their number. The columns of a
// unique key are, but not whether they may be NULL. In an UPDATE, a column that an
// old version of the row lacked, and one that is generated, are NULL in both
// images, whatever they hold. Timestamps are texts in drainer's time zone, and no
// one says which that is.
//
// # Errors
//
// Errors are of type *[wire.ParseError]: Offset is the first byte of the bad
// field's tag, counted from the start of the record; for something that is
// missing, that of the message that lacks it. In its Path elements are numbered as
// they are in the merged message, where dml_data or a row is given in parts.
//
// Scalars given twice: the last wins. A sub-message given twice is merged. A known
// field with another wire type is skipped like an unknown one.
package tidbbinlog
