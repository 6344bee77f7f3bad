package batch_test

import (
	"testing"
	"time"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/batch"
	"github.com/cdcodec/cdcodec/batch/compress"
	"github.com/cdcodec/cdcodec/fastjson"
)

// FuzzBatcher: any records, with any limits, frame and compression, give batches whose
// messages are those that a Transcoder makes of them, and the same records are bad. (A
// Pipeline would do the same with goroutines, whose turns a fuzzer takes for news.)
func FuzzBatcher(f *testing.F) {
	entry := insert(f, "text")
	f.Add([]byte{0}, entry, uint16(0), uint8(0))
	f.Add([]byte{1, 2, 0x41}, append(append(packet(f, entry, entry), 0xff), packet(f, entry, []byte{1}, entry)...), uint16(300), uint8(2))
	f.Add([]byte{4, 4, 3, 200}, packet(f, entry, nil, entry), uint16(90), uint8(1))
	f.Fuzz(func(t *testing.T, flags, stream []byte, size uint16, count uint8) {
		flag := func() (b byte) {
			if len(flags) > 0 {
				b, flags = flags[0], flags[1:]
			}
			return b
		}
		convertOptions := cdcodec.Options{
			From: cdcodec.Source(flag() % 5),
			JSON: fastjson.Options{Dialect: fastjson.Dialect(flag() % 2), OneRow: flag()%2 == 1, MaxOutput: 1 << 20},
		}
		o := batch.Options{MaxBytes: int(size), MaxCount: int(count), Linger: -1, Frame: batch.Frame(flag() % 5), Barrier: batch.Barrier(flag() % 4)}
		if c := flag() % 8; c > 0 && int(c) <= len(codecs) {
			o.Compress = compress.Options{Codec: codecs[c-1], Encoders: 1}
			o.PerMessage = o.Frame > batch.Array && flag()%2 == 1
		}
		var records [][]byte
		for len(stream) > 0 && len(records) < 50 {
			n := min(int(flag())<<4+1+len(stream)/8, len(stream))
			records = append(records, stream[:n:n])
			stream = stream[n:]
		}
		all, bad := convert(t, convertOptions, records)

		b, err := batch.NewBatcher(convertOptions, o)
		if err != nil {
			t.Fatal(err)
		}
		rest, wrong := all, bad
		for i := 0; i <= len(records); i++ {
			if i == len(records) {
				b.Flush()
			} else if err := b.Append(records[i], meta); err != nil {
				if len(wrong) == 0 || wrong[0] != int64(i) {
					t.Fatalf("record %d: %v", i, err)
				}
				wrong = wrong[1:]
			}
			for {
				got, err := b.Next(time.Time{})
				if err != nil {
					t.Fatal(err)
				}
				if got == nil {
					break
				}
				within(t, &o, got)
				rest = same(t, &o, got, rest)
				got.Release()
			}
		}
		if len(rest)+len(wrong) > 0 {
			t.Fatalf("%d messages and %d bad records are missing", len(rest), len(wrong))
		}
	})
}
