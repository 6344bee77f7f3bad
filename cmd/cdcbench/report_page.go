package main

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cdcodec/cdcodec/internal/codec"
	"github.com/cdcodec/cdcodec/internal/corpus"
)

// What is on the page. A stage is a section: an overview, how many times faster
// than the reference everything is, on all corpora; beside it how many times faster
// cdcodec is than each other; and for each corpus a card with its throughput and
// its latency, each as a chart and as a table. What was not measured is not there.

//go:embed report.html
var reportHTML string

//go:embed report.css
var reportCSS string

// page is what a report is made of.
type page struct {
	list    []measurement
	remarks []string // what was left out, and why
	machine string   // where, "" if that is not known
	command string
	date    time.Time // when it was measured, zero if that is not known
	facts   []fact
}

// A fact is a line of "what was measured where".
type fact struct{ Name, Value string }

// view is what the template shows.
type view struct {
	CSS           template.CSS
	Title, Byline string
	Tiles         []tile
	Sections      []section
	Facts         []fact
	Remarks       []string
	Corpora       reportTable
	Notes         []string
}

// A tile is one number that stands for much.
type tile struct{ Number, Unit, Text string }

type section struct {
	ID, Title, Text string
	Overview        *overview
	Cards           []card
}

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

// reportTable has names in its first column and numbers in the others.
type reportTable struct {
	Caption string
	Head    []string
	Rows    []reportRow
}

type reportRow struct {
	Name  string
	Note  string // of the name
	Ours  bool
	Cells []string
}

// dropEmpty takes the columns away in which there is nothing.
func (t *reportTable) dropEmpty() {
	for i := len(t.Head) - 1; i >= 0; i-- {
		if slices.ContainsFunc(t.Rows, func(r reportRow) bool { return r.Cells[i] != "" }) {
			continue
		}
		t.Head = slices.Delete(t.Head, i, i+1)
		for k := range t.Rows {
			t.Rows[k].Cells = slices.Delete(t.Rows[k].Cells, i, i+1)
		}
	}
}

// render writes the page.
func (p *page) render(w io.Writer) error {
	p.clean()
	ids := 0
	t := template.New("report").Funcs(template.FuncMap{
		"id":     func() string { ids++; return "c" + strconv.Itoa(ids) },
		"breaks": breaks,
	})
	if _, err := t.Parse(reportHTML); err != nil {
		return err
	}
	v := view{
		CSS:     template.CSS(reportCSS),
		Title:   p.title(),
		Byline:  p.byline(),
		Tiles:   p.tiles(),
		Facts:   p.where(),
		Remarks: p.remarks,
		Corpora: p.corpora(),
		Notes:   p.notes(),
	}
	for i, s := range p.stages() {
		section := p.section(s)
		section.ID = "stage" + strconv.Itoa(i) // whatever it is called
		v.Sections = append(v.Sections, section)
	}
	return t.Execute(w, &v)
}

// clean escapes control characters, which have no place in a page.
func (p *page) clean() {
	p.list = slices.Clone(p.list)
	for i := range p.list {
		m := &p.list[i]
		m.Corpus, m.Stage, m.Codec = oneLine(m.Corpus), stage(oneLine(string(m.Stage))), oneLine(m.Codec)
	}
	p.remarks, p.facts = slices.Clone(p.remarks), slices.Clone(p.facts)
	for i, text := range p.remarks {
		p.remarks[i] = oneLine(text)
	}
	for i, f := range p.facts {
		p.facts[i] = fact{oneLine(f.Name), oneLine(f.Value)}
	}
	p.machine, p.command = oneLine(p.machine), oneLine(p.command)
}

// breaks splits a name where a line may end: behind a plus sign, a slash, a hyphen.
func breaks(name string) (parts []string) {
	for {
		i := strings.IndexAny(name, "+/-")
		if i < 0 || i == len(name)-1 {
			return append(parts, name)
		}
		parts, name = append(parts, name[:i+1]), name[i+1:]
	}
}

func (p *page) title() string {
	if slices.ContainsFunc(p.list, func(m measurement) bool { return m.Codec == codec.Ours }) {
		return "How fast cdcodec is"
	}
	return "What was measured"
}

func (p *page) byline() string {
	var parts []string
	if p.machine != "" {
		parts = append(parts, p.machine)
	}
	if !p.date.IsZero() {
		parts = append(parts, p.date.Format("2 January 2006"))
	}
	return strings.Join(parts, " · ")
}

// stages returns those there are: the known ones in their order, then the others.
func (p *page) stages() (list []stage) {
	for _, s := range append(slices.Clone(allStages), scalingStage) {
		if len(p.of(s, "")) > 0 && !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	for _, m := range p.list {
		if !slices.Contains(list, m.Stage) {
			list = append(list, m.Stage)
		}
	}
	return list
}

// of returns what was measured of a stage, on one corpus or on all.
func (p *page) of(s stage, corpus string) (list []*measurement) {
	for i := range p.list {
		if m := &p.list[i]; m.Stage == s && (corpus == "" || m.Corpus == corpus) {
			list = append(list, m)
		}
	}
	return list
}

// corporaOf names the corpora of a stage, in their order; "" is any stage.
func (p *page) corporaOf(s stage) (names []string) {
	for _, m := range p.list {
		if (s == "" || m.Stage == s) && !slices.Contains(names, m.Corpus) {
			names = append(names, m.Corpus)
		}
	}
	return names
}

// entriesOf is what the entries of a corpus are at a stage, of one and of many.
func entriesOf(s stage, name string) (one, many string) {
	switch {
	case s == stageRead:
		return "message", "messages"
	case slices.Contains(corpus.Names(), name):
		return "Entry", "Entries"
	}
	return "record", "records"
}

// isFloor reports whether a codec of that name leaves the work undone.
func isFloor(name string) bool {
	c, err := codec.New(name, codec.Options{})
	return err == nil && c.Floor
}

// isOurs reports whether a codec of that name is this library, in whatever mode.
func isOurs(name string) bool { return name == codec.Ours || strings.HasPrefix(name, codec.Ours+"-") }

// tiles returns the numbers for those who read no further.
func (p *page) tiles() (tiles []tile) {
	var ours *measurement
	for _, m := range p.of(stageConvert, "") {
		if m.Codec == codec.Ours && (ours == nil || m.Corpus == "oltp") {
			ours = m
		}
	}
	if ours == nil {
		return nil
	}
	one, _ := entriesOf(ours.Stage, ours.Corpus)
	number, unit := duration(ours.NsPerEntry)
	tiles = append(tiles, tile{number, unit, "for one " + one + " of " + ours.Corpus + ", protobuf to Canal-JSON"})
	if rate := ours.rate(ours.InBytes); rate != "" {
		tiles = append(tiles, tile{rate, "MB/s", "of input, on one core"})
	}
	if ours.TimesReference != nil {
		tiles = append(tiles, tile{ratio(*ours.TimesReference), "×", "as fast as the reference, which does the same plainly"})
	}
	var best *measurement
	for _, m := range p.of(stageConvert, ours.Corpus) {
		if !isOurs(m.Codec) && !isFloor(m.Codec) && m.Codec != codec.Reference && (best == nil || m.NsPerEntry < best.NsPerEntry) {
			best = m
		}
	}
	if best != nil {
		tiles = append(tiles, tile{ratio(best.NsPerEntry / ours.NsPerEntry), "×", "as fast as " + best.Codec + ", the fastest peer there"})
	}
	return append(tiles, tile{allocations(ours.Allocs), "", "allocations per " + one})
}

// sectionTitles says what the stages do.
var sectionTitles = map[stage][2]string{
	stageConvert: {"Convert", "Records become Canal-JSON. All codecs write the same bytes."},
	stageDecode:  {"Decode", "Every column of every row of an Entry is read, and summed up."},
	stageRead:    {"Read", "Messages of Canal-JSON are read back, every column of them."},
	scalingStage: {"Pipeline", "Records in, batches out, on several workers and with compressors."},
}

func (p *page) section(s stage) section {
	sec := section{Title: string(s)}
	if known, ok := sectionTitles[s]; ok {
		sec.Title, sec.Text = known[0], known[1]
	}
	if s == scalingStage {
		for _, name := range p.corporaOf(s) {
			sec.Cards = append(sec.Cards, scalingCard(p.of(s, name)))
		}
		return sec
	}
	sec.Overview = p.overview(s)
	for _, name := range p.corporaOf(s) {
		sec.Cards = append(sec.Cards, p.card(s, name))
	}
	return sec
}

// overview returns nil if there is nothing to compare with.
func (p *page) overview(s stage) *overview {
	var groups []ratioGroup
	for _, name := range p.corporaOf(s) {
		g := ratioGroup{name: name}
		for _, m := range p.of(s, name) {
			base := m.Codec == codec.Reference || s == stageRead && m.Codec == codec.JSON
			if x := m.TimesReference; x != nil && *x > 1e-6 && *x < 1e12 && !base && !isFloor(m.Codec) {
				g.bars = append(g.bars, ratioBar{m.Codec, m.Codec == codec.Ours, isOurs(m.Codec), *x})
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
	if m.OutBytes > 0 && m.Stage != scalingStage { // there each compressor has its own
		text += ", " + megabytes(m.OutBytes) + " out"
	}
	return text
}

func megabytes(n int) string {
	if n < 1e5 {
		return decimal(float64(n)/1e3, 1) + " kB"
	}
	return decimal(float64(n)/1e6, 2) + " MB"
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
		t.Table.Rows = append(t.Table.Rows, reportRow{Name: floorName(m.Codec), Ours: m.Codec == codec.Ours, Cells: cells})
		if isFloor(m.Codec) {
			continue
		}
		r := chartRow{name: m.Codec, ours: m.Codec == codec.Ours, text: durationText(m.NsPerEntry), bars: []float64{m.NsPerEntry}}
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

// floorName says of a codec that is none what it is.
func floorName(name string) string {
	if isFloor(name) {
		return name + " (floor)"
	}
	return name
}

// latencyPart returns nil if there are no percentiles.
func latencyPart(list []*measurement) *part {
	t := &part{Title: "Latency of single records", Log: true}
	t.Table = reportTable{Caption: "Latency, ns", Head: []string{"p50", "p99", "p99.9"}}
	var rows []chartRow
	some := false
	for _, m := range list {
		r := chartRow{name: m.Codec, ours: m.Codec == codec.Ours}
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
		t.Table.Rows = append(t.Table.Rows, reportRow{Name: floorName(m.Codec), Ours: r.ours, Cells: []string{count(m.P50), count(m.P99), count(m.P999)}})
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

// duration returns nanoseconds with about three digits, and their unit.
func duration(ns float64) (number, unit string) {
	units := []string{"ns", "µs", "ms", "s"}
	i := 0
	for ns >= 999.5 && i < len(units)-1 {
		ns /= 1000
		i++
	}
	digits := 0
	if i > 0 && ns < 99.95 || ns < 9.95 {
		digits = 1
	}
	if i > 0 && ns < 9.995 {
		digits = 2
	}
	return decimal(ns, digits), units[i]
}

func durationText(ns float64) string {
	number, unit := duration(ns)
	return number + " " + unit
}

// durationTick is the same for round numbers.
func durationTick(ns float64) string {
	number, unit := duration(ns)
	if strings.Contains(number, ".") {
		number = strings.TrimRight(strings.TrimRight(number, "0"), ".")
	}
	return number + " " + unit
}

// plain returns a round number: 0.6, though three times 0.2 is a little more.
func plain(v float64) string {
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 6, 64), 64) // it has just been a number
	return thousands(strconv.FormatFloat(v, 'f', -1, 64))
}

// allocations returns n without the digits that nobody needs.
func allocations(n float64) string {
	if n >= 1000 {
		return decimal(n, 0)
	}
	return decimal(n, 1)
}

// where says what was measured where.
func (p *page) where() []fact {
	machine := p.machine
	if machine == "" {
		machine = "not told; the figures come without it (--machine)"
	}
	facts := []fact{{"Machine", machine}}
	if !p.date.IsZero() {
		facts = append(facts, fact{"Date", when(p.date)})
	}
	facts = append(facts, fact{"Command", p.command})
	return append(facts, p.facts...)
}

// corpusTexts says what an entry of the corpora is; package corpus has more.
var corpusTexts = map[string]string{
	"oltp":   "one row of 10 columns",
	"bulk":   "500 rows of 10 columns",
	"wide":   "one row of 200 columns",
	"blob":   "one row with 64 KiB full of escapes",
	"prose":  "one row with 64 KiB, few escapes",
	"stream": "a part of a transaction, or a DDL",
	"tidb":   "a Binlog, of 10.3 rows",
	"baidu":  "a ChangeDataSet, of 5.4 rows",
}

// corpora is a table of what was measured on.
func (p *page) corpora() reportTable {
	t := reportTable{Caption: "Corpora", Head: []string{"entries", "in", "out"}}
	for _, name := range p.corporaOf("") {
		row := reportRow{Name: name, Note: corpusTexts[name], Cells: make([]string, 3)}
		for _, m := range p.list {
			if m.Corpus != name || m.Stage == stageRead && row.Cells[0] != "" {
				continue
			}
			row.Cells[0] = thousands(strconv.Itoa(m.Entries))
			row.Cells[1] = megabytes(m.InBytes)
			if m.Stage == stageConvert && m.OutBytes > 0 && !isFloor(m.Codec) {
				row.Cells[2] = megabytes(m.OutBytes)
			}
		}
		t.Rows = append(t.Rows, row)
	}
	t.dropEmpty()
	return t
}

// notes is what has to be known to read the page.
func (p *page) notes() (list []string) {
	has := func(f func(m measurement) bool) bool { return slices.ContainsFunc(p.list, f) }
	list = append(list,
		"Times are the median over turns: one codec after another passes over all of the corpus, so that input comes from the L3 cache or memory. MB is 1e6 bytes.",
		"p50, p99 and p99.9 are wall clock of single records, measured apart; left out where fewer than ten samples lie beyond.")
	if has(func(m measurement) bool { return m.Codec == codec.Reference }) {
		list = append(list, "reference is protobuf-go and encoding/json, written plainly, with every check and repair that cdcodec makes; all outputs are held to it before anything is timed.")
	}
	if has(func(m measurement) bool { return isFloor(m.Codec) }) {
		list = append(list, "copy copies the record and does no work: it is the floor, not a codec.")
	}
	if has(func(m measurement) bool { return m.Stage == stageRead }) {
		list = append(list, fmt.Sprintf("At stage read an entry is a message, and what all are compared with is %s.", codec.JSON))
	}
	return list
}
