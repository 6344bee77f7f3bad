package canal_test

import (
	"testing"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/internal/corpus"
	"github.com/cdcodec/cdcodec/wire/canal"
)

// BenchmarkAppendEntry writes one Event an operation. With rows=decoded its rows
// are read from the Entry's bytes meanwhile; what that alone takes is impl=walk. With
// rows=list they are in memory. impl=copy copies what is written: no writer is
// faster.
func BenchmarkAppendEntry(b *testing.B) {
	for _, name := range []string{"oltp", "bulk", "wide", "blob"} {
		decoded, list, entries := benchEvents(b, name)
		size := 0
		for _, entry := range entries {
			size += len(entry)
		}
		run := func(variant string, write func(dst []byte, i int) ([]byte, error)) {
			b.Run("corpus="+name+"/"+variant, func(b *testing.B) {
				b.ReportAllocs()
				b.SetBytes(int64(size / len(entries)))
				var dst []byte
				i := 0
				for b.Loop() {
					var err error
					if dst, err = write(dst[:0], i); err != nil {
						b.Fatal(err)
					}
					if i++; i == len(entries) {
						i = 0
					}
				}
			})
		}
		run("impl=copy", func(dst []byte, i int) ([]byte, error) { return append(dst, entries[i]...), nil })
		run("impl=walk", func(dst []byte, i int) ([]byte, error) { walkRows(decoded[i].Rows); return dst, nil })
		run("rows=decoded", func(dst []byte, i int) ([]byte, error) { return canal.AppendEntry(dst, decoded[i], 0) })
		run("rows=list", func(dst []byte, i int) ([]byte, error) { return canal.AppendEntry(dst, list[i], 0) })
		run("rows=list/in=packet", func(dst []byte, i int) ([]byte, error) {
			dst, err := canal.AppendPacketEvent(canal.BeginPacket(dst, 0), list[i], 0)
			if err != nil {
				return dst, err
			}
			return canal.EndPacket(dst, 0)
		})
	}
}

// benchEvents returns the Events of a corpus, each with a Decoder of its own, the
// same ones in memory, and their Entries.
func benchEvents(b *testing.B, name string) (decoded, list []*change.Event, entries [][]byte) {
	c, err := corpus.Make(name, 0, 1)
	if err != nil {
		b.Fatal(err)
	}
	for _, record := range c.Entries {
		ev := decodeEntry(b, record)
		entry, err := canal.AppendEntry(nil, ev, 0)
		if err != nil {
			b.Fatal(err)
		}
		decoded, list, entries = append(decoded, ev), append(list, ev.Clone()), append(entries, entry)
	}
	return decoded, list, entries
}
