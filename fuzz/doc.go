// Package fuzz holds the native fuzz targets of the module; it has no code of
// its own to import.
//
//	FuzzEntry   any bytes as an Entry, against internal/reference, and its Scanner
//	FuzzTable   the same after another Entry, of the same table perhaps
//	FuzzRows    the same for Entries that are built, well formed, from the input
//	FuzzPacket  any bytes as a Packet, strict and keeping the good Entries
//	FuzzTiCDC   any bytes as an Entry and as a Packet, to dialect ticdc
//	FuzzBinlog  any bytes as a Binlog of TiDB, to both dialects, Entries and Packets
//	FuzzJSON    any bytes as messages of Canal-JSON, to the same; and read again
//	FuzzQuote   any string through the writer, against encoding/json
//	FuzzWire    wire.Reader, against protowire
//	FuzzChangeDataSet  as FuzzBinlog, of Baidu's ChangeDataSet
//
// What must hold of each input is written once, in laws_test.go, chain_test.go,
// scan_test.go and locate_test.go. README.md notes the long runs.
package fuzz
