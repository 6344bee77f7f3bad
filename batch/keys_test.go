package batch_test

import (
	"testing"
	"time"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/batch"
	"github.com/cdcodec/cdcodec/change/partition"
	"github.com/cdcodec/cdcodec/fastjson"
)

// TestKeys: each message has the key and the partition of its own row, however many
// records came after it.
func TestKeys(t *testing.T) {
	leaks(t)
	o := cdcodec.Options{
		JSON: fastjson.Options{OneRow: true}, Keys: true,
		Partition: &partition.Options{Partitions: 7, By: partition.ByKey},
	}
	records := traffic(t, 300, 3, false)
	all, _ := convert(t, o, records)
	keys := 0
	for _, w := range all {
		if w.Key != nil {
			keys++
		}
	}
	if keys < 100 {
		t.Fatalf("%d keys: this tests nothing", keys)
	}
	frame := batch.Options{MaxBytes: 10_000}
	b, err := batch.NewBatcher(o, frame)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		if err := b.Append(r, meta); err != nil {
			t.Fatal(err)
		}
	}
	b.Flush()
	rest := all
	for {
		got, err := b.Next(time.Now())
		if err != nil {
			t.Fatal(err)
		}
		if got == nil {
			break
		}
		rest = same(t, &frame, got, rest)
		got.Release()
	}
	if len(rest) > 0 {
		t.Fatalf("%d are missing", len(rest))
	}
}
