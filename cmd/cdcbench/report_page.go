package main

import (
	_ "embed"
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
	for _, s := range append(slices.Clone(allStages), stagePipeline) {
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

// faster returns how many times faster than the reference it was, or 0 if that is not
// told, or cannot be.
func (m *measurement) faster() float64 {
	if x := m.TimesReference; x != nil && *x > 1e-6 && *x < 1e12 {
		return *x
	}
	return 0
}

// shownName is how a row of a table or a chart is called.
func (m *measurement) shownName() string {
	if s, ok := parseSetup(m.Codec); ok && m.Stage == stagePipeline {
		return s.String()
	}
	if isFloor(m.Codec) {
		return m.Codec + " (floor)"
	}
	return m.Codec
}

// ours reports whether a row is the one to look at.
func (m *measurement) ours() bool {
	if m.Stage == stagePipeline {
		s, ok := parseSetup(m.Codec)
		return ok && s.compressor == ""
	}
	return m.Codec == codec.Ours
}

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
	if x := ours.faster(); x > 0 {
		tiles = append(tiles, tile{ratio(x), "×", "as fast as the reference, which does the same plainly"})
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
	stageConvert:  {"Convert", "Records become Canal-JSON. All codecs write the same bytes."},
	stageDecode:   {"Decode", "Every column of every row of an Entry is read, and summed up."},
	stageRead:     {"Read", "Messages of Canal-JSON are read back, every column of them."},
	stagePipeline: {"Pipeline", "Records in, batches out, on several workers and with compressors."},
}

func (p *page) section(s stage) section {
	sec := section{Title: string(s)}
	if known, ok := sectionTitles[s]; ok {
		sec.Title, sec.Text = known[0], known[1]
	}
	if s == stagePipeline {
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
