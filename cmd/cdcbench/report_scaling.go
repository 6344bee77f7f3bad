package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A setup is what the name of a row of stage pipeline says, how many workers there are, and
// the compressor behind them: "workers=1", "workers=2/zstd".
type setup struct {
	workers    int
	compressor string // "" is none
}

// parseSetup reads the name; !ok: it is another one.
func parseSetup(name string) (s setup, ok bool) {
	text, compressor, _ := strings.Cut(name, "/")
	number, ok := strings.CutPrefix(text, "workers=")
	if !ok {
		return setup{}, false
	}
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 {
		return setup{}, false
	}
	if compressor == "none" {
		compressor = ""
	}
	return setup{n, compressor}, true
}

func (s setup) String() string {
	text := fmt.Sprintf("%d workers", s.workers)
	if s.workers == 1 {
		text = "1 worker"
	}
	if s.compressor != "" {
		text += ", " + s.compressor
	}
	return text
}

var scalingLegend = []legend{{Class: "bar0 ours", Text: "measured"}, {Class: "ideal", Text: "what perfect scaling would add"}}

// scalingCard tells how a corpus fares with more workers.
func scalingCard(list []*measurement) card {
	c := card{Title: list[0].Corpus, Text: amount(list[0])}
	// One compressor after another, each with more and more workers.
	list = slices.Clone(list)
	order := map[string]int{}
	for _, m := range list {
		if s, ok := parseSetup(m.Codec); ok {
			if _, seen := order[s.compressor]; !seen {
				order[s.compressor] = len(order)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b *measurement) int {
		x, okX := parseSetup(a.Codec)
		y, okY := parseSetup(b.Codec)
		switch {
		case !okX || !okY: // what has another name comes first
			return boolInt(okX) - boolInt(okY)
		case x.compressor != y.compressor:
			return order[x.compressor] - order[y.compressor]
		}
		return x.workers - y.workers
	})

	one, _ := entriesOf(stagePipeline, c.Title)
	t := part{Title: "Throughput, MB/s of input"}
	t.Table = reportTable{Caption: "Scaling", Head: []string{"ns/" + one, "MB/s in", "MB/s out", "allocs", "× 1 worker"}}
	var rows []chartRow
	for _, m := range list {
		r := chartRow{name: m.shownName(), ours: m.ours(), text: m.rate(m.InBytes), bars: []float64{m.mbps(m.InBytes)}}
		speedup := ""
		if s, ok := parseSetup(m.Codec); ok {
			if base := oneWorker(list, s.compressor); base != nil && s.workers > 1 {
				speedup = ratio(base.NsPerEntry / m.NsPerEntry)
				r.text += ", " + speedup + "×"
				r.ideal = base.mbps(base.InBytes) * float64(s.workers)
				t.Legend = scalingLegend
			}
		}
		rows = append(rows, r)
		t.Table.Rows = append(t.Table.Rows, reportRow{Name: r.name, Ours: r.ours, Cells: []string{nanoseconds(m.NsPerEntry), m.rate(m.InBytes), m.rate(m.OutBytes), allocations(m.Allocs), speedup}})
	}
	t.Table.dropEmpty()
	t.Chart = rowsChart(t.Title, rows, plain)
	c.Parts = []part{t}
	if latency := latencyPart(list); latency != nil {
		c.Parts = append(c.Parts, *latency)
	}
	return c
}

// oneWorker returns what one worker did with that compressor, or nil.
func oneWorker(list []*measurement, compressor string) *measurement {
	for _, m := range list {
		if s, ok := parseSetup(m.Codec); ok && s == (setup{1, compressor}) {
			return m
		}
	}
	return nil
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
