package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cdcodec/cdcodec/internal/corpus/golden"
	"github.com/cdcodec/cdcodec/wire/frame"
)

// The golden sets whose cases are one record each, as one stream each: one
// line out per record.
func TestGoldenStreams(t *testing.T) {
	sets := []struct {
		name, from string
		cases      []golden.Case
	}{
		{"entries", "entry", golden.Entries()},
		{"packets", "packet", golden.Packets()},
		{"random", "entry", golden.Random()},
	}
	for _, set := range sets {
		for _, kind := range []frame.Kind{frame.U32BE, frame.Uvarint} {
			t.Run(fmt.Sprintf("%s/%v", set.name, kind), func(t *testing.T) {
				var in []byte
				bad := 0
				for _, c := range set.cases {
					in = append(in, stream(t, kind, c.Records...)...)
					if c.IsError() {
						bad++
					}
				}
				r := convert(in, "--from", set.from, "--frame", kind.String(), "--per-record", "--on-error", "inline")
				if n := strings.Count(r.err, "\n"); r.code != 0 || n != bad {
					t.Errorf("exit code %d, %d lines on standard error, want 0 and %d", r.code, n, bad)
				}
				lines := strings.SplitAfter(r.out, "\n")
				if len(lines) != len(set.cases)+1 {
					t.Fatalf("%d lines, want %d", len(lines)-1, len(set.cases))
				}
				for i, c := range set.cases {
					if c.IsError() {
						if !strings.HasPrefix(lines[i], `{"error":"`) {
							t.Errorf("%s: got %s want an error", c.Name, lines[i])
						}
					} else if lines[i] != string(c.Want)+"\n" {
						t.Errorf("%s: got\n%s\nwant\n%s", c.Name, lines[i], c.Want)
					}
				}

				// The two ways to convert agree, which is what verify is for.
				v := cdcbench(in, "verify", "--from", set.from, "--frame", kind.String())
				want := fmt.Sprintf("%d records, ", len(set.cases))
				if v.code != 0 || !strings.HasPrefix(v.out, want) || !strings.HasSuffix(v.out, fmt.Sprintf(", %d errors on both sides: equal\n", bad)) {
					t.Errorf("verify: %+v", v)
				}
			})
		}
	}
}

// The entries of one Message give one array, or fail together.
func TestGoldenMessages(t *testing.T) {
	for _, c := range golden.Messages() {
		r := convert(stream(t, frame.U32BE, c.Records...))
		if c.IsError() {
			if r.code != 1 {
				t.Errorf("%s: exit code %d, want 1", c.Name, r.code)
			}
			continue
		}
		got := "[" + strings.ReplaceAll(strings.TrimSuffix(r.out, "\n"), "\n", ",") + "]"
		if r.code != 0 || got != string(c.Want) {
			t.Errorf("%s: exit code %d, got\n%s\nwant\n%s", c.Name, r.code, got, c.Want)
		}
	}
}
