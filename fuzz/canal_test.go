package fuzz

import "testing"

// FuzzEntry takes any bytes as an Entry.
func FuzzEntry(f *testing.F) {
	i := 0
	addEntries(func(entry []byte) {
		f.Add(entry, setOf(i))
		i++
	})
	l := newLaws()
	f.Fuzz(func(t *testing.T, record []byte, set uint8) {
		l.entry(t, nil, record, optionsOf(set), int(set>>4))
		l.scan(t, record)
		l.partition(t, record)
	})
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
	f.Fuzz(func(t *testing.T, table, record []byte, set uint8) {
		l.entry(t, table, record, optionsOf(set), int(set>>4))
	})
}

// FuzzPacket takes any bytes as a Packet; bit 4 of set is IgnoreBatchID.
func FuzzPacket(f *testing.F) {
	i := 0
	addPackets(func(packet []byte) {
		f.Add(packet, setOf(i))
		i++
	})
	f.Add(packetOf(neighbours...), uint8(15))
	l := newLaws()
	f.Fuzz(func(t *testing.T, record []byte, set uint8) {
		l.packet(t, record, optionsOf(set), set&16 != 0, int(set>>5))
	})
}
