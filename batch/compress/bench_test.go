package compress_test

import (
	"testing"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/batch/compress"
	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/internal/corpus"
)

// messages is a MB of Canal-JSON as a batch has it, and the messages in it.
func messages(b *testing.B) (text []byte, spans [][]byte) {
	made, err := corpus.Make("oltp", 0, 1)
	if err != nil {
		b.Fatal(err)
	}
	t, err := cdcodec.New(cdcodec.Options{})
	if err != nil {
		b.Fatal(err)
	}
	var found []cdcodec.Message
	for _, e := range made.Entries {
		text, found, err = t.Append(text, found, e, fastjson.Meta{ID: 1, TS: 1700000000000})
		if err != nil {
			b.Fatal(err)
		}
		text = append(text, '\n')
		if len(text) > 1_000_000 {
			break
		}
	}
	for _, m := range found {
		spans = append(spans, text[m.Start:m.End+1])
	}
	return text, spans
}

// BenchmarkCompress compresses a MB of messages, in one piece and in spans, and
// decompresses it; "ratio" is how many times smaller it is.
//
//	go test ./batch/compress -run '^$' -bench . -count 6 | go tool -modfile=tools/go.mod benchstat -col /level -
func BenchmarkCompress(b *testing.B) {
	text, spans := messages(b)
	for codec := compress.None; codec <= compress.LZ4; codec++ {
		for _, level := range []compress.Level{compress.Fastest, compress.Default, compress.Better, compress.Best} {
			for _, call := range []string{"append", "all", "decompress"} {
				b.Run("codec="+codec.String()+"/level="+level.String()+"/call="+call, func(b *testing.B) {
					o := compress.Options{Codec: codec, Level: level}
					c, err := compress.New(o)
					if err != nil {
						b.Fatal(err)
					}
					defer c.Close()
					dst := make([]byte, 0, o.MaxEncodedLen(len(text)))
					packed, err := c.AppendAll(nil, spans)
					if err != nil {
						b.Fatal(err)
					}
					b.SetBytes(int64(len(text)))
					b.ReportAllocs()
					for b.Loop() {
						switch call {
						case "append":
							_, err = c.Append(dst, text)
						case "all":
							_, err = c.AppendAll(dst, spans)
						case "decompress":
							_, err = c.AppendDecompressed(dst, packed, len(text))
						}
						if err != nil {
							b.Fatal(err)
						}
					}
					b.ReportMetric(float64(len(text))/float64(len(packed)), "ratio")
				})
			}
		}
	}
}
