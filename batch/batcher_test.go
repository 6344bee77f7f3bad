package batch_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/batch"
	"github.com/cdcodec/cdcodec/pool"
)

// TestBatcherLaws: whatever the limits, the batches put together are the messages, each
// one as the Transcoder gives it, and no batch could have had one more.
func TestBatcherLaws(t *testing.T) {
	for seed := range rounds(120) {
		r := rand.New(rand.NewPCG(seed, 1))
		o := limits(r)
		convertOptions := conversion(r)
		packets := r.IntN(2) == 0
		if packets {
			convertOptions.From = cdcodec.FromPacket
		}
		records := traffic(t, 300, seed, packets)
		all, bad := convert(t, convertOptions, records)
		o.Pool = new(pool.Pool)
		b, err := batch.NewBatcher(convertOptions, o)
		if err != nil {
			t.Fatal(err)
		}
		rest := all
		take := func() {
			for {
				before := len(rest)
				got, err := b.Next(time.Time{})
				if err != nil {
					t.Fatal(err)
				}
				if got == nil {
					return
				}
				within(t, &o, got)
				rest = same(t, &o, got, rest)
				if got.Reason == batch.Full && len(rest) > 0 && !o.PerMessage {
					more := got.RawSize() + int64(len(rest[0].body))
					if most := int64(o.MaxBytes); got.Len() != o.MaxCount && most > 0 && more+8 < most {
						t.Fatalf("a full batch of %d messages and %d bytes, where %d more fit", got.Len(), got.RawSize(), more)
					}
				}
				got.Release()
				if before == len(rest) {
					t.Fatal("an empty batch")
				}
			}
		}
		for i, record := range records {
			if err := b.Append(record, meta); err != nil != (len(bad) > 0 && bad[0] == int64(i)) {
				t.Fatalf("record %d: %v; bad are %v", i, err, bad)
			} else if err != nil {
				bad = bad[1:]
			}
			if r.IntN(3) > 0 {
				take()
			}
			if r.IntN(20) == 0 {
				b.Flush()
				take()
			}
		}
		b.Flush()
		take()
		if len(rest) > 0 {
			t.Fatalf("%d messages are missing", len(rest))
		}
		if r.IntN(2) == 0 && len(records) > 0 { // Close lets go of what nobody has asked for
			_ = b.Append(records[0], meta) // it may be too large
		}
		b.Close()
		if in := o.Pool.Stats().InUse; in != 0 {
			t.Fatalf("seed %d: %d buffers are out", seed, in)
		}
	}
}
