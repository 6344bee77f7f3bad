package main

import (
	"strings"
	"testing"

	"github.com/cdcodec/cdcodec/internal/codec"
)

func TestPrintResults(t *testing.T) {
	var b strings.Builder
	err := printResults(&b, []measurement{
		{Corpus: "oltp", Stage: stageConvert, Codec: codec.Ours, Entries: 10, InBytes: 9150, OutBytes: 9820, NsPerEntry: 561.2,
			P50: new(int64(540)), P99: new(int64(1100)), P999: new(int64(12345)), TimesReference: new(41.26), FusedShare: new(0.9987)},
		{Corpus: "oltp", Stage: stageConvert, Codec: codec.Reference, Entries: 10, InBytes: 9150, OutBytes: 9820, NsPerEntry: 23155,
			P50: new(int64(20000)), Allocs: 319.6, TimesReference: new(1.0)},
		{Corpus: "oltp", Stage: stageDecode, Codec: "copy", Entries: 10, InBytes: 9150, NsPerEntry: 18.04},
	})
	want := `
corpus  stage    codec      ns/entry  MB/s in  MB/s out  allocs  p50 ns  p99 ns  p99.9 ns  × reference  fused
───────────────────────────────────────────────────────────────────────────────────────────────────────────────
oltp    convert  cdcodec         561     1630      1750       0     540    1100    12,345         41.3  99.9%
                 reference    23,155       40        42   319.6  20,000                           1.00
───────────────────────────────────────────────────────────────────────────────────────────────────────────────
oltp    decode   copy           18.0   50,721                 0
`
	if got := b.String(); err != nil || got != want[1:] {
		t.Errorf("%v, got\n%s\nwant\n%s", err, got, want[1:])
	}
}

func TestNumbers(t *testing.T) {
	for want, got := range map[string]string{
		"0":          decimal(0, 1),
		"0.0":        decimal(0.01, 1),
		"9999":       decimal(9999, 0),
		"10,000":     decimal(10_000, 0),
		"123,456.8":  decimal(123456.78, 1),
		"12,345,678": thousands("12345678"),
		"99.9":       nanoseconds(99.9),
		"100":        nanoseconds(100),
		"0.78":       ratio(0.777),
		"41.3":       ratio(41.26),
		"132":        ratio(131.9),
		"95.8%":      percent(new(0.958)),
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
