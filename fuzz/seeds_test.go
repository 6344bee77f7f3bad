package fuzz

import (
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/cdcodec/cdcodec/internal/corpus"
	"github.com/cdcodec/cdcodec/internal/corpus/golden"
)

// addEntries calls add for the Entries that every target of Entries starts
// from: all golden ones, some of those made by chance, ordinary traffic, and such
// as fail in places of their own.
func addEntries(add func(entry []byte)) {
	for _, c := range golden.Entries() {
		add(c.Records[0])
	}
	for _, c := range golden.Messages() {
		for _, entry := range c.Records {
			add(entry)
		}
	}
	for i, c := range golden.Random() {
		if i%8 == 0 {
			add(c.Records[0])
		}
	}
	for _, entry := range corpus.Sample() {
		add(entry)
	}
	oltp, err := corpus.Make("oltp", 24, 1)
	if err != nil {
		panic(err)
	}
	for _, entry := range oltp.Entries {
		add(entry)
	}
	for _, store := range []string{
		"\x6a\x01\x0f",                               // bad props
		"\x60\x01\x62\x00\x62\x01\x0f",               // rowDatas as a varint, a good row, a bad one
		"\x62\x05\x10\x01\x12\x01\x0f",               // the same of columns
		"\x62\x05\x12\x03\x3a\x01\x0f",               // bad props of a column
		"\x62\x06\x12\x04\x1b\x08\x80\x1c",           // damage in a group that has the number of a name
		"\x62\x05\x1a\x03\x0a\x02a",                  // props of a row cut
		"\x12\x01\x03\x62\x07\x0a\x05\x1a\x03id\xff", // DELETE, a name to repair
	} {
		add(sub(nil, 3, []byte(store)))
	}
	for i := range neighbours {
		add(neighbours[i])
	}
}

// addPackets calls add for the Packets that every target of them starts from.
func addPackets(add func(packet []byte)) {
	for _, c := range golden.Packets() {
		for range 4 { // with several sets
			add(c.Records[0])
		}
	}
	for _, c := range golden.Messages() {
		add(packetOf(c.Records...))
	}
	i := 0
	addEntries(func(entry []byte) {
		if i++; i%10 == 0 && len(entry) < 2000 {
			add(packetOf(entry, neighbours[0], entry))
		}
	})
	add(sub(num(num(nil, 3, 7), 4, 1), 5, sub(num(nil, 1, 1<<40), 2, nil)))
	add(packetOf(neighbours...))
}

// packetOf returns a Packet of these Entries, with batch id 7.
func packetOf(entries ...[]byte) []byte {
	body := num(nil, 1, 7)
	for _, e := range entries {
		body = sub(body, 2, e)
	}
	return sub(num(num(nil, 1, 17), 3, 7), 5, body)
}

// sub appends a field of wire type 2.
func sub(b []byte, n protowire.Number, value []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, n, protowire.BytesType), value)
}

// num appends a field of wire type 0.
func num(b []byte, n protowire.Number, value uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, n, protowire.VarintType), value)
}

// neighbours are the records that a Transcoder has had before the one that
// counts: a big one and small ones, good ones and such as fail at each step.
var neighbours = func() [][]byte {
	column := func(name, value string) []byte {
		return num(num(num(sub(sub(nil, 3, []byte(name)), 8, []byte(value)), 4, 1), 5, 1), 2, 12)
	}
	row := func(image protowire.Number, columns ...[]byte) (r []byte) {
		for _, c := range columns {
			r = sub(r, image, c)
		}
		return r
	}
	entry := func(eventType uint64, rows ...[]byte) []byte {
		header := num(sub(sub(sub(nil, 8, []byte("left over schema")), 9, []byte("left over table")), 13, []byte("left over gtid")), 6, 42)
		store := sub(num(nil, 2, eventType), 11, []byte("left over sql"))
		for _, r := range rows {
			store = sub(store, 12, r)
		}
		return sub(sub(nil, 1, header), 3, store)
	}
	var many [][]byte
	for i := range 300 {
		many = append(many, column(string(rune('a'+i)), "v"))
	}
	twice := append(row(1, column("a", "1"), column("b", "2"), column("a", "3")), row(2, column("a", "4"), column("b", "5"))...)
	bad := column("bad\xff", "\xc0\x80")
	good := entry(1, row(2, column("id", "1"), column("name", "x")))
	list := [][]byte{
		good,
		entry(1, row(2, many...)),
		entry(2, twice, twice),
		entry(2, append(row(1, many...), row(2, many...)...), row(1, bad, bad, bad)),
		entry(1, row(2, column("a", "1"), bad)), // fails late where that is rejected
		good[:len(good)-3],                      // fails in the Entry
		entry(1, row(2, many...), []byte{0x0f}), // fails in storeValue
		entry(7),                                // no rows
	}
	for i, e := range list {
		list[i] = e[:len(e):len(e)]
	}
	return list
}()

// sets are options for seeds: none, all, and each by itself.
var sets = []uint8{0, 15, 1, 2, 4, 8}

// setOf spreads the sets, and the neighbours, over seeds.
func setOf(i int) uint8 { return sets[i%len(sets)] | uint8(i%16)<<4 }
