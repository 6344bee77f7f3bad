// Package pb holds the protobuf code that tests, the reference and benchmarks
// use: one package per input format, each with its .proto beside it.
//
//	canalpb          Canal's Entry and all in it: proto2, with its defaults
//	canalflatpb      the same, flattened, for fair benchmarks of other codecs
//	packetpb         Canal's Packet, Messages and Ack
//	tidbbinlogpb     TiDB Binlog
//	changedatasetpb  Baidu's ChangeDataSet
//
// The library itself reads the wire by hand and imports none of them.
//
// To regenerate after a change to a .proto file, from the module's root:
//
//	go generate ./internal/pb
//
// That needs no protoc: the program in gen, a module of its own, compiles the
// files in Go and runs the two plugins at the versions its go.mod pins. Its
// output is the same on every machine. New .proto files are found by
// themselves, at <name>pb/<anything>.proto.
//
// Enums are open in Go, proto2 or not: a number that an enum lacks is kept as
// it is, by protobuf-go and vtprotobuf alike, where Canal's own reader passes
// over it and keeps the value before. Who follows Canal has to see to that.
//
// Messages carry vtprotobuf's pool. Two of its habits to know: ResetVT leaves
// a bytes field (as Entry.storeValue) empty but present, and keeps its memory
// for the next UnmarshalVT to write into. A message that was ever filled by
// UnmarshalVTUnsafe, whose bytes fields point into the input, must therefore
// never meet UnmarshalVT afterwards, or it would write over that input.
package pb

//go:generate go -C gen run .
