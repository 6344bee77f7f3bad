package fuzz

import (
	"testing"

	"github.com/cdcodec/cdcodec/internal/corpus/golden"
)

// FuzzEntry takes any bytes as an Entry.
func FuzzEntry(f *testing.F) {
	i := 0
	addEntries(func(entry []byte) {
		f.Add(entry, setOf(i))
		i++
	})
	l := newLaws()
	f.Fuzz(func(t *testing.T, record []byte, set uint8) { l.entry(t, nil, record, set) })
}

// FuzzTable takes any bytes as an Entry, after another one that the Transcoder
// may have learned the table from.
func FuzzTable(f *testing.F) {
	i := 0
	var before []byte
	addEntries(func(entry []byte) {
		if i++; len(entry) < 3000 {
			f.Add(entry, entry, setOf(i))
			if i%8 == 0 {
				f.Add(before, entry, setOf(i/8))
			}
			before = entry
		}
	})
	l := newLaws()
	f.Fuzz(func(t *testing.T, table, record []byte, set uint8) { l.entry(t, table, record, set) })
}

// FuzzPacket takes any bytes as a Packet.
func FuzzPacket(f *testing.F) {
	i := 0
	for _, c := range golden.Packets() {
		for range 4 {
			f.Add(c.Records[0], setOf(i))
			i++
		}
	}
	for _, c := range golden.Messages() {
		f.Add(packetOf(c.Records...), setOf(i))
		i++
	}
	addEntries(func(entry []byte) {
		if i++; i%10 == 0 && len(entry) < 2000 {
			f.Add(packetOf(entry, neighbours[0], entry), setOf(i))
		}
	})
	id := num(num(nil, 3, 7), 4, 1)
	f.Add(sub(id, 5, sub(num(nil, 1, 1<<40), 2, nil)), uint8(0))
	f.Add(packetOf(neighbours...), uint8(15))
	f.Add(packetOf(neighbours...), uint8(0))
	l := newLaws()
	f.Fuzz(l.packet)
}
