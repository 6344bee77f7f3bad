package main

import (
	"slices"
	"strconv"
	"strings"

	"github.com/cdcodec/cdcodec/internal/codec"
)

// overview is the same chart for wide screens and for narrow ones, and a table.
type overview struct {
	Title        string
	Wide, Narrow *chart
	Table        *reportTable
	Codecs       []fact // what is behind the names
}

type card struct {
	Title, Text string
	Parts       []part
	Note        string
}

// A part of a card is a chart and the numbers in it, and more.
type part struct {
	Title  string
	Log    bool // the axis is logarithmic
	Legend []legend
	Chart  *chart
	Table  reportTable
}

// legend says what one kind of bar or mark is. Marks are told by their number, as
// they differ in shape and in nothing else.
type legend struct {
	Class string // of a bar
	Mark  int    // 0 is no mark, 1 the first
	Text  string
}

// inAndOut is what two bars are.
var inAndOut = []legend{{Class: "bar0 ours", Text: "in"}, {Class: "bar1 ours", Text: "out"}}

// percentiles are what marks are.
var percentiles = []legend{{Mark: 1, Text: "p50"}, {Mark: 2, Text: "p99"}, {Mark: 3, Text: "p99.9"}}

// overview returns nil if there is nothing to compare with.
func (p *page) overview(s stage) *overview {
	var groups []ratioGroup
	for _, name := range p.corporaOf(s) {
		g := ratioGroup{name: name}
		for _, m := range p.of(s, name) {
			base := m.Codec == codec.Reference || s == stageRead && m.Codec == codec.JSON
			if x := m.faster(); x > 0 && !base && !isFloor(m.Codec) {
				g.bars = append(g.bars, ratioBar{m.Codec, m.ours(), isOurs(m.Codec), x})
			}
		}
		if len(g.bars) > 0 {
			groups = append(groups, g)
		}
	}
	table := p.peers(s)
	if len(groups) == 0 {
		return nil
	}
	base := "the reference"
	if s == stageRead {
		base = codec.JSON
	}
	o := &overview{Title: "Times as fast as " + base, Table: table, Codecs: p.codecs(s)}
	o.Wide, o.Narrow = ratioChart(o.Title, groups, 2*chartWidth), ratioChart(o.Title, groups, chartWidth)
	o.Wide.Class, o.Narrow.Class = "wide", "narrow"
	return o
}

// codecTexts says what is behind the names of codecs; package codec has more.
var codecTexts = map[string]string{
	codec.Ours:        "this library as it is",
	"cdcodec-general": "cdcodec without its fused path",
	"vtproto+sonic":   "vtprotobuf (flat schema, unsafe, messages used again) and sonic, as a careful user would have them",
	"protobuf+sonic":  "protobuf-go and sonic",
	"protobuf+json":   "protobuf-go and encoding/json, plainly",
	codec.Reference:   "protobuf-go and encoding/json with every check and repair, which all others are held to",
	"sonic":           "sonic into a new struct with maps",
	"sonic-reused":    "sonic without copies, into a struct that is used again",
	codec.JSON:        "encoding/json into a new struct with maps",
}

// codecs tells what the codecs of a stage are.
func (p *page) codecs(s stage) (list []fact) {
	for _, m := range p.of(s, "") {
		f := fact{m.Codec, codecTexts[m.Codec]}
		if f.Value != "" && !slices.Contains(list, f) {
			list = append(list, f)
		}
	}
	return list
}

// peers tells how many times faster cdcodec is than each other, or nil.
func (p *page) peers(s stage) *reportTable {
	t := &reportTable{Caption: "cdcodec is so many times as fast as"}
	for _, m := range p.of(s, "") {
		if !isOurs(m.Codec) && !isFloor(m.Codec) && !slices.Contains(t.Head, m.Codec) {
			t.Head = append(t.Head, m.Codec)
		}
	}
	for _, name := range p.corporaOf(s) {
		row := reportRow{Name: name, Cells: make([]string, len(t.Head))}
		list := p.of(s, name)
		at := slices.IndexFunc(list, func(m *measurement) bool { return m.Codec == codec.Ours })
		some := false
		for _, m := range list {
			if i := slices.Index(t.Head, m.Codec); i >= 0 && at >= 0 {
				row.Cells[i] = ratio(m.NsPerEntry / list[at].NsPerEntry)
				some = true
			}
		}
		if some {
			t.Rows = append(t.Rows, row)
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return t
}

// card tells of one corpus at one stage.
func (p *page) card(s stage, name string) card {
	list := p.of(s, name)
	c := card{Title: name, Text: amount(list[0])}
	one, _ := entriesOf(s, name)
	c.Parts = append(c.Parts, throughputPart(list, one))
	if latency := latencyPart(list); latency != nil {
		c.Parts = append(c.Parts, *latency)
	}
	for _, m := range list {
		if m.Codec == codec.Ours && m.FusedShare != nil && *m.FusedShare > 0 {
			c.Note = percent(m.FusedShare) + " of the messages took cdcodec's fused path."
		}
	}
	return c
}

// amount says how much was measured.
func amount(m *measurement) string {
	one, many := entriesOf(m.Stage, m.Corpus)
	if m.Entries == 1 {
		many = one
	}
	text := thousands(strconv.Itoa(m.Entries)) + " " + many + ", " + megabytes(m.InBytes) + " in"
	if m.OutBytes > 0 && m.Stage != stagePipeline { // there each compressor has its own
		text += ", " + megabytes(m.OutBytes) + " out"
	}
	return text
}

// throughputPart shows MB/s where something comes out, and ns where not: of a
// reading that skips bytes MB/s says little.
func throughputPart(list []*measurement, one string) part {
	writes := slices.ContainsFunc(list, func(m *measurement) bool { return m.OutBytes > 0 })
	t := part{Title: "Throughput, MB/s", Legend: inAndOut}
	t.Table = reportTable{Caption: "Throughput", Head: []string{"ns/" + one, "MB/s in", "MB/s out", "allocs"}}
	label := plain
	if !writes {
		t.Title, t.Legend = "Time per "+one+", shorter is better", nil
		t.Table.Head = slices.Delete(t.Table.Head, 2, 3)
		label = durationTick
	}
	var rows []chartRow
	for _, m := range list {
		in, out := m.rate(m.InBytes), m.rate(m.OutBytes)
		cells := []string{nanoseconds(m.NsPerEntry), in, out, allocations(m.Allocs)}
		if !writes {
			cells = slices.Delete(cells, 2, 3)
		}
		t.Table.Rows = append(t.Table.Rows, reportRow{Name: m.shownName(), Ours: m.ours(), Cells: cells})
		if isFloor(m.Codec) {
			continue
		}
		r := chartRow{name: m.shownName(), ours: m.ours(), text: durationText(m.NsPerEntry), bars: []float64{m.NsPerEntry}}
		if writes {
			r.bars = []float64{m.mbps(m.InBytes), m.mbps(m.OutBytes)}
			r.text = in + " in, " + out + " out"
		}
		rows = append(rows, r)
	}
	t.Table.dropEmpty()
	if len(rows) > 0 {
		t.Chart = rowsChart(t.Title, rows, label)
	}
	return t
}

// mbps returns how many MB of so many bytes a second has.
func (m *measurement) mbps(bytes int) float64 {
	return float64(bytes) / float64(m.Entries) / m.NsPerEntry * 1e3
}

// latencyPart returns nil if there are no percentiles.
func latencyPart(list []*measurement) *part {
	t := &part{Title: "Latency of single records", Log: true}
	t.Table = reportTable{Caption: "Latency, ns", Head: []string{"p50", "p99", "p99.9"}}
	if list[0].Stage == stagePipeline {
		t.Title = "Latency"
	}
	var rows []chartRow
	some := false
	for _, m := range list {
		r := chartRow{name: m.shownName(), ours: m.ours()}
		var texts []string
		for _, n := range []*int64{m.P50, m.P99, m.P999} {
			if n == nil || *n <= 0 {
				break
			}
			r.marks = append(r.marks, float64(*n))
			texts = append(texts, durationText(float64(*n)))
		}
		r.text = strings.Join(texts, ", ")
		some = some || len(r.marks) > 0
		t.Table.Rows = append(t.Table.Rows, reportRow{Name: m.shownName(), Ours: r.ours, Cells: []string{count(m.P50), count(m.P99), count(m.P999)}})
		if len(r.marks) > 0 && !isFloor(m.Codec) {
			rows = append(rows, r)
		}
	}
	if !some {
		return nil
	}
	t.Table.dropEmpty()
	most := 0
	for _, r := range rows {
		most = max(most, len(r.marks))
	}
	t.Legend = percentiles[:most]
	if most > 0 {
		t.Chart = rowsChart(t.Title, rows, durationTick)
	}
	return t
}
