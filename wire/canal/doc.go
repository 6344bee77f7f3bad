// Package canal reads the protobuf of Alibaba Canal in place, and writes it: Entry
// with its Header, the RowChange in its storeValue, and the Packet that Canal puts
// on Kafka. The law is spec/canal.md 1; the schema that counts is the one Canal
// ships (proto2, with defaults), not the published one.
//
// There are two ways in. The views (ParseEntry, ParseRowChange, …) read one
// message each and leave what is nested in it as bytes, to be read when asked
// for: ParseEntry tells schema, table and event type and never looks into
// storeValue. A [Decoder] checks a whole Entry and fills a [change.Event].
//
// The way out is [AppendEntry], from an Event of any source, and [BeginPacket] for
// Packets of several.
//
// All that reads borrows the bytes it is given: views, and the slices in them,
// are good until those bytes are written to. Nothing is copied, and nothing is
// allocated but errors.
//
// Errors of reading are of type *[wire.ParseError]. Its Offset counts from the start of
// the outermost message that was parsed, through storeValue and body; its Path
// begins at the view whose method failed.
//
// Scalars given twice: the last wins. A header given twice is merged. A known
// field with another wire type is skipped like an unknown one. An enum whose
// number Canal does not know keeps the value before it.
package canal
