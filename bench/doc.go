// Package bench holds other libraries beside this one, on the same corpora, at the
// same work, each written as its own documentation advises and as well as somebody
// would who needs it to be fast. It is a module of its own, so that none of them is
// a requirement of cdcodec.
//
// There are four stages, and a [Peer] works at one of them:
//
//	decode   the eight scalars of every column of both images of an Entry, summed up
//	write    Canal-JSON of an Entry that is decoded already
//	convert  Canal-JSON of the bytes of an Entry
//	read     a message of Canal-JSON: its head, and each name and value, summed up
//
// Before anything is timed all peers have to agree: on the sums, and on every byte
// of the JSON; where columns are in no order ([Peer.Loose]), on what it means. In the
// corpora is nothing that they write in different ways, such as \b, \f, U+2028 or bad
// UTF-8.
//
// # How the peers are written
//
// Decode. A peer whose name has "flat" reads internal/pb/canalflatpb, where
// storeValue is the message that it holds, so that one call reads all; the others
// read Canal's own schema, in two steps. All that can borrow the input do, but for
// those that are there to show what that is worth, and none is asked to check UTF-8
// where that can be turned off. "stream" makes no values at all and sums up as it
// goes: it trusts that a row has its columns before in front of those after.
//
// Write and convert. The peers start from a canalflatpb.Entry, cdcodec from a
// change.Event with its columns in memory. Who takes a struct gets one (message.go),
// with views of the columns that write themselves in the columns' order, through the
// interface that the library has for that; or, with "maps" in the name, one with
// maps, as most people write it. jwriter writes straight from the Entry.
//
// Read. Who unmarshals into structs does so into fastjson.Message, a new one or, with
// "reused" in the name, one that is kept with its maps; jlexer takes tokens and makes
// no maps. cdcodec checks that the message is JSON to its end.
//
// Peers of internal/codec are used as they are there.
package bench
