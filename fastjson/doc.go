// Package fastjson writes and reads Canal-JSON, as Canal itself has it and as TiDB's
// TiCDC does, without reflection and without allocating.
//
//   - A [Writer] appends the messages of a [change.Event] to a buffer.
//   - A [Reader] makes of a message an Event, whose columns are views of the message.
//   - [Message] is a message as a struct, for those who do not count nanoseconds.
//
// # The two dialects
//
// [Canal] is what Canal 1.1.1 to 1.1.8 writes (spec/canal.md 2): one message for a
// change, of one or many rows, with its keys in the order of the alphabet, types in
// full, and in "old" what an UPDATE changed. Canal's quirk there is kept, see
// Options.OldPerRow. A message of many rows can be cut, by size with Options.MaxMessage
// and Split, and by partition with [Writer.AppendParts]; [AppendKey] is the key of a row,
// for who sends each row by itself.
//
// [TiCDC] is what TiCDC writes (spec/ticdc.md): one message for each row, "old" the
// whole row, types without parameters, sqlType by type and value, more escapes, and
// with TiCDCOptions.Extension the key "_tidb" and watermarks. Messages that are too
// large have options of their own, TiCDCOptions.MaxMessage and Large.
//
// A Reader takes both, and what others write who claim to write Canal-JSON
// (spec/consumers.md): keys in any order, numbers that are no strings, parts left out.
// What a message does not hold it cannot give back: there is no before image beyond
// "old", no index of a column, no entry type. What was escaped and what was not, white
// space, and keys it does not know are gone as well.
//
// # What sonic does here
//
// sonic (github.com/bytedance/sonic) quotes strings of 1 KiB and more (512 bytes in
// dialect ticdc) where its escapes are the wanted ones, which allocates 16 bytes each
// time, and it is what Message marshals and unmarshals with. All else is this package's
// own, the Reader too: it makes no values, it notes where they are. With
// the build tag purego, and on machines sonic is not made for, it is not used at all;
// the bytes are the same.
//
// The package has nothing in common with valyala/fastjson or Alibaba's.
package fastjson
