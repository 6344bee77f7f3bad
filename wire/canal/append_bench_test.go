package canal_test

import (
	"testing"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/internal/corpus"
	"github.com/cdcodec/cdcodec/wire/canal"
)

// BenchmarkAppendEntry writes one Event an operation. With rows=decoded its rows
// are read from the Entry's bytes meanwhile, as BenchmarkDecode's columns=walk
// reads them; with rows=list they are in memory. impl=copy copies what is written,
// which no writer can beat.
func BenchmarkAppendEntry(b *testing.B) {
	for _, name := range []string{"oltp", "bulk", "wide", "blob"} {
		c, err := corpus.Make(name, 0, 1)
		if err != nil {
			b.Fatal(err)
		}
		var decoded, list []*change.Event
		var entries [][]byte
		size := 0
		for _, record := range c.Entries {
			e, err := canal.ParseEntry(record)
			if err != nil {
				b.Fatal(err)
			}
			ev := new(change.Event)
			if err := new(canal.Decoder).Decode(ev, &e); err != nil {
				b.Fatal(err)
			}
			decoded, list = append(decoded, ev), append(list, ev.Clone())
			entry, err := canal.AppendEntry(nil, ev)
			if err != nil {
				b.Fatal(err)
			}
			entries = append(entries, entry)
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
		run("rows=walk", func(dst []byte, i int) ([]byte, error) { walkRows(decoded[i].Rows); return dst, nil })
		run("rows=decoded", func(dst []byte, i int) ([]byte, error) { return canal.AppendEntry(dst, decoded[i]) })
		run("rows=list", func(dst []byte, i int) ([]byte, error) { return canal.AppendEntry(dst, list[i]) })
	}
}
