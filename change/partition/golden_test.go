package partition_test

import (
	"testing"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/change/partition"
	"github.com/cdcodec/cdcodec/internal/corpus/golden"
)

func TestHashGolden(t *testing.T) {
	for _, h := range golden.Hashes() {
		if got := partition.Hash([]byte(h.Text)); got != h.Want {
			t.Errorf("hash of %q is %d, want %d", h.Text, got, h.Want)
		}
	}
}

// TestGolden is where Canal's own classes send rows, on both ways.
func TestGolden(t *testing.T) {
	fast := 0
	for i, g := range golden.Partitions() {
		o := partition.Options{Partitions: g.Partitions, Rules: g.Rules, DatabaseHash: g.DatabaseHash}
		p := newPartitioner(t, o)
		decoded(t, g.Entry, func(ev *change.Event, _ []byte) {
			got := p.AppendRows(nil, ev)
			switch {
			case g.Row < 0:
				for _, part := range got {
					if part != g.Want {
						t.Errorf("%s, %+v: %d, want %d", g.Name, o, part, g.Want)
					}
				}
			case g.Row >= len(got) || got[g.Row] != g.Want:
				t.Errorf("%s, %+v: row %d of %v, want %d", g.Name, o, g.Row, got, g.Want)
			}
		})
		if i%4 > 0 { // the same Entry comes again and again
			continue
		}
		if known, ok := checkEntry(t, p, o, g.Entry); !known {
			t.Errorf("%s was not decoded", g.Name)
		} else if ok {
			fast++
		}
	}
	if fast < 250 {
		t.Errorf("only %d rows went the way over the Entry's bytes", fast)
	}
}
