// Package wire reads and writes the protobuf wire format in place.
//
// It knows no schema: a [Reader] steps through the fields of one message, and
// the packages below it (wire/canal and others) switch on [Field.Tag]. Nothing
// is copied and nothing is allocated while the input is good; any input gives
// fields or a [ParseError] that says where it stopped making sense.
//
//	field  = tag value
//	tag    = varint: number << 3 | wire type      number 1 … 2^29-1
//	value  = varint                               wire type 0, up to 10 bytes
//	       | 8 bytes | 4 bytes                    wire types 1, 5, little endian
//	       | length bytes                         wire type 2
//	       | field* end-of-group                  wire types 3, 4
//
// Its verdicts are those of google.golang.org/protobuf/encoding/protowire, with
// two differences that the formats read here ask for (spec: canal.md 1): a
// field number above 2^29-1 is an error, and so are more than [MaxDepth]
// nested levels.
//
// Use generated code instead where a message is wanted as a struct; this
// package is for those who want a few fields of many messages.
package wire
