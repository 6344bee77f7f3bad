package cdcodec_test

import (
	"testing"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/change/partition"
	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/internal/corpus"
)

// BenchmarkConvert converts the Entries of each corpus in turn, over and over:
//
//	go test -run '^$' -bench Convert -count 6 . | go tool -modfile=tools/go.mod benchstat -col /path -
func BenchmarkConvert(b *testing.B) {
	for _, name := range corpus.Names() {
		for _, path := range []string{"fused", "general"} {
			b.Run("corpus="+name+"/path="+path, func(b *testing.B) {
				made, err := corpus.Make(name, 0, 1)
				if err != nil {
					b.Fatal(err)
				}
				tr := newTranscoder(b, cdcodec.Options{JSON: fastjson.Options{NoFused: path == "general"}})
				var dst []byte
				var msgs []cdcodec.Message
				b.ReportAllocs()
				b.SetBytes(int64(made.Size() / len(made.Entries)))
				for i := 0; b.Loop(); i++ {
					dst, msgs, err = tr.Append(dst[:0], msgs[:0], made.Entries[i%len(made.Entries)], goldenMeta)
					if err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkPartitioned converts with what Options.Partition and Keys add, over corpus oltp
// and, where rows are divided, bulk.
func BenchmarkPartitioned(b *testing.B) {
	for _, name := range []string{"oltp", "bulk"} {
		for _, with := range []struct {
			name string
			o    cdcodec.Options
		}{
			{"nothing", cdcodec.Options{}},
			{"table", cdcodec.Options{Partition: &partition.Options{Partitions: 16, Rules: `.*\..*`}}},
			{"key", cdcodec.Options{Partition: &partition.Options{Partitions: 16, Rules: `.*\..*:$pk$`}}},
			{"key,keys", cdcodec.Options{Partition: &partition.Options{Partitions: 16, Rules: `.*\..*:$pk$`}, Keys: true, JSON: fastjson.Options{OneRow: true}}},
		} {
			b.Run("corpus="+name+"/with="+with.name, func(b *testing.B) {
				made, err := corpus.Make(name, 0, 1)
				if err != nil {
					b.Fatal(err)
				}
				tr := newTranscoder(b, with.o)
				var dst []byte
				var msgs []cdcodec.Message
				b.ReportAllocs()
				b.SetBytes(int64(made.Size() / len(made.Entries)))
				for i := 0; b.Loop(); i++ {
					dst, msgs, err = tr.Append(dst[:0], msgs[:0], made.Entries[i%len(made.Entries)], goldenMeta)
					if err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkSource converts records of each source to each dialect, by the library
// and by package reference.
func BenchmarkSource(b *testing.B) {
	for _, c := range sourceCorpora {
		if c.name == "stream" || c.name == "wide" {
			continue
		}
		made, err := corpus.Make(c.name, 0, 1)
		if err != nil {
			b.Fatal(err)
		}
		for i, dialect := range []string{"canal", "ticdc"} {
			o := cdcodec.Options{From: c.from, JSON: fastjson.Options{Dialect: fastjson.Dialect(i)}}
			tr := newTranscoder(b, o)
			var dst []byte
			var msgs []cdcodec.Message
			for _, impl := range []string{"cdcodec", "reference"} {
				b.Run("corpus="+c.name+"/dialect="+dialect+"/impl="+impl, func(b *testing.B) {
					b.ReportAllocs()
					b.SetBytes(int64(made.Size() / len(made.Entries)))
					for i := 0; b.Loop(); i++ {
						record := made.Entries[i%len(made.Entries)]
						if impl == "cdcodec" {
							dst, msgs, err = tr.Append(dst[:0], msgs[:0], record, goldenMeta)
						} else {
							_, err = expected(o, record, goldenMeta)
						}
						if err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}
