package main

import (
	"fmt"
	"io"
	"math"

	"github.com/cdcodec/cdcodec/bench"
)

// A goal is how many times faster than the fastest of some peers cdcodec is to be.
type goal struct {
	text   string
	stage  bench.Stage
	peers  []string
	corpus []string
	times  []float64
}

var goals = []goal{
	{"the reference (protobuf-go, encoding/json, all checks)", bench.Convert, []string{"reference"},
		[]string{"oltp", "bulk", "wide", "blob", "prose"}, []float64{40, 50, 65, 9, 15}},
	{"vtprotobuf (flat, unsafe, kept) and sonic's EncodeInto", bench.Convert, []string{"vtproto+sonic"},
		[]string{"oltp", "bulk", "wide", "blob", "prose"}, []float64{7, 8, 9, 1.5, 1.2}},
	{"vtprotobuf the same and easyjson's jwriter as it is documented", bench.Convert, []string{"vtproto+jwriter"},
		[]string{"oltp", "bulk", "wide", "blob", "prose"}, []float64{6, 6, 9, 6, 10}},
	{"the same, jwriter-onto, which does not copy in the end", bench.Convert, []string{"vtproto+jwriter-onto"},
		[]string{"oltp", "bulk", "wide", "blob", "prose"}, []float64{6, 6, 9, 6, 10}},
	{"decode: the best of easyproto and vtprotobuf with messages used again", bench.Decode,
		[]string{"easyproto", "vtproto-flat-unsafe-kept", "vtproto-flat-unsafe-pooled", "vtproto-pooled"},
		[]string{"oltp", "bulk", "wide"}, []float64{2.5, 4, 3}},
}

// printGoals writes which goals are met.
func printGoals(w io.Writer, results []*result) {
	fmt.Fprint(w, "\n### Goals\n\nHow many times faster cdcodec was to be than others, and is.\n\n"+
		"| than | corpus | goal | measured | |\n|---|---|--:|--:|---|\n")
	for _, g := range goals {
		for i, c := range g.corpus {
			measured := math.NaN()
			for _, r := range results {
				for _, p := range g.peers {
					if t := r.times(p, c); r.stage == g.stage && !(t >= measured) {
						measured = t
					}
				}
			}
			text := g.text
			if i > 0 {
				text = ""
			}
			verdict := "met"
			switch {
			case math.IsNaN(measured):
				verdict = "not measured"
			case measured < g.times[i]:
				verdict = "**not met**"
			}
			fmt.Fprintf(w, "| %s | %s | %v | %s | %s |\n", text, c, g.times[i], decimal(measured), verdict)
		}
	}
}
