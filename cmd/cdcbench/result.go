package main

import (
	"encoding/json"
	"io"
	"os"

	"github.com/cdcodec/cdcodec/internal/codec"
)

// measurement is what was measured of one codec, as run --json writes it. What could
// not be measured is null.
type measurement struct {
	Corpus         string    `json:"corpus"`
	Stage          stage     `json:"stage"`
	Codec          string    `json:"codec"`
	Entries        int       `json:"entries"` // of tidb and baidu records, of stage read messages
	InBytes        int       `json:"in_bytes"`
	OutBytes       int       `json:"out_bytes"`    // 0 but for convert
	NsPerEntry     float64   `json:"ns_per_entry"` // median of the turns
	P50            *int64    `json:"p50_ns"`       // of records by themselves
	P99            *int64    `json:"p99_ns"`       //
	P999           *int64    `json:"p999_ns"`      //
	Allocs         float64   `json:"allocs_per_entry"`
	TimesReference *float64  `json:"times_reference"` // null for copy, which does not do the work; for read, times encoding/json
	FusedShare     *float64  `json:"fused_share"`     // of messages; null for codecs without a fused path
	Turns          []float64 `json:"turns_ns"`        // ns per Entry in each turn: what compare goes by
}

// results returns what was measured of lanes that took turns.
func results(t *traffic, lanes []*lane) []measurement {
	var list []measurement
	reference := 0.0
	for _, l := range lanes {
		if l.codec.Name == codec.Reference || l.stage == stageRead && l.codec.Name == codec.JSON {
			reference = median(l.turns)
		}
	}
	for _, l := range lanes {
		r := measurement{
			Corpus:     t.name,
			Stage:      l.stage,
			Codec:      l.codec.Name,
			Entries:    t.entries,
			InBytes:    t.bytes,
			OutBytes:   l.length,
			NsPerEntry: median(l.turns),
			P50:        l.percentile(50),
			P99:        l.percentile(99),
			P999:       l.percentile(99.9),
			Allocs:     l.allocs,
			Turns:      l.turns,
		}
		if reference > 0 && !l.codec.Floor {
			r.TimesReference = new(reference / r.NsPerEntry)
		}
		if l.stats.Messages > 0 {
			r.FusedShare = new(float64(l.stats.Fused) / float64(l.stats.Messages))
		}
		list = append(list, r)
	}
	return list
}

// percentile returns how long p in a hundred records took at most, or nil if
// there are too few samples above it to tell: fewer than ten.
func (l *lane) percentile(p float64) *int64 {
	if l.latency == nil || float64(l.latency.TotalCount())*(100-p) < 10*100-1e-6 {
		return nil
	}
	return new(l.latency.ValueAtPercentile(p))
}

// writeResults writes results to the named file, or to standard output for "-".
func writeResults(s *streams, name string, list []measurement) error {
	b, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		return err
	}
	b = append(b, '\n')
	if name == "-" {
		_, err = s.out.Write(b)
		return err
	}
	return os.WriteFile(name, b, 0o666)
}

// readResults reads what writeResults has written.
func readResults(r io.Reader) (list []measurement, err error) {
	err = json.NewDecoder(r).Decode(&list)
	return list, err
}
