package partition_test

import (
	"testing"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/change/partition"
	"github.com/cdcodec/cdcodec/wire/canal"
)

// BenchmarkPartition is ns per Entry of corpus oltp. way=event has the decoding of the
// Entry in it, which who converts it does anyway in some cases.
func BenchmarkPartition(b *testing.B) {
	entries := makeCorpus(b, "oltp", 0)
	for _, rule := range []struct{ name, rules string }{
		{"none", "nobody.knows"}, {"table", ".*\\..*"}, {"key", ".*\\..*:$pk$"}, {"column", ".*\\..*:id"},
	} {
		p := newPartitioner(b, partition.Options{Partitions: 16, Rules: rule.rules})
		b.Run("rule="+rule.name+"/way=event", func(b *testing.B) {
			b.ReportAllocs()
			var e canal.Entry
			var d canal.Decoder
			var ev change.Event
			var parts []int32
			for i := 0; b.Loop(); i++ {
				if err := e.Parse(entries[i%len(entries)]); err != nil {
					b.Fatal(err)
				}
				if err := d.Decode(&ev, &e); err != nil {
					b.Fatal(err)
				}
				parts = p.AppendRows(parts[:0], &ev)
			}
		})
		b.Run("rule="+rule.name+"/way=entry", func(b *testing.B) {
			b.ReportAllocs()
			var parts []int32
			for i := 0; b.Loop(); i++ {
				var ok bool
				if parts, ok = p.AppendEntry(parts[:0], entries[i%len(entries)]); !ok {
					b.Fatal("not ok")
				}
			}
		})
	}
}
