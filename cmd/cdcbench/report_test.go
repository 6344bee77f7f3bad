package main

import (
	"bytes"
	"encoding/xml"
	"flag"
	"fmt"
	"html/template"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write what the golden reports are now")

// hostileName is what somebody might call a file to break the page.
const hostileName = `</title></svg><script>alert("1")</script><img src=x onerror='alert(1)'>&amp; "'{{.}}` + "\x00\x1b[2J\u202e"

// fixture is what run --json once wrote, and rows of the stage pipeline.
func fixture(t *testing.T) []measurement {
	t.Helper()
	list, err := readFile("testdata/report.json")
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// reportOf runs the command on the file.
func reportOf(t *testing.T, name string) string {
	t.Helper()
	r := cdcbench(nil, "report", "--json", name, "-o", "-", "--machine", "a machine, go1.26.8 linux/amd64, pinned to CPU 1")
	if r.code != 0 || r.err != "" {
		t.Fatalf("exit code %d, %s", r.code, r.err)
	}
	return r.out
}

// render returns the page of a list.
func render(t *testing.T, list []measurement) string {
	t.Helper()
	var b bytes.Buffer
	if err := (&page{list: list, command: "cdcbench report"}).render(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A node is an element of a page.
type node struct {
	name     string
	attr     map[string]string
	text     string // of all that is in it
	children []*node
}

// parsePage reads a page. Elements that are not closed are an error.
func parsePage(t *testing.T, page string) *node {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(page))
	d.Strict = false
	d.AutoClose = append(slices.Clone(xml.HTMLAutoClose), "wbr")
	d.Entity = xml.HTMLEntity
	root := &node{}
	open := []*node{root}
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("the page is broken: %v", err)
		}
		last := open[len(open)-1]
		switch token := token.(type) {
		case xml.StartElement:
			n := &node{name: token.Name.Local, attr: map[string]string{}}
			for _, a := range token.Attr {
				n.attr[a.Name.Local] = a.Value
			}
			last.children = append(last.children, n)
			open = append(open, n)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			for _, n := range open {
				n.text += string(token)
			}
		}
	}
	if len(open) != 1 {
		t.Fatalf("%s is not closed", open[len(open)-1].name)
	}
	return root
}

// all calls f for each element.
func (n *node) all(f func(*node)) {
	for _, child := range n.children {
		f(child)
		child.all(f)
	}
}

// words returns the text with its spaces as one each.
func (n *node) words() string { return strings.Join(strings.Fields(n.text), " ") }

// class reports whether the element has that class.
func (n *node) class(name string) bool {
	return slices.Contains(strings.Fields(n.attr["class"]), name)
}

// outline says in lines what a reader of the page finds.
func outline(root *node) string {
	var b strings.Builder
	root.all(func(n *node) {
		switch n.name {
		case "h1", "h2", "h3":
			fmt.Fprintf(&b, "\n%s %s\n", strings.Repeat("#", int(n.name[1]-'0')), n.words())
		case "p", "li", "dt", "figcaption", "caption":
			fmt.Fprintf(&b, "%s: %s\n", n.name, n.words())
		case "dd":
			fmt.Fprintf(&b, "    %s\n", n.words())
		case "tr":
			var cells []string
			for _, cell := range n.children {
				cells = append(cells, cell.words())
			}
			fmt.Fprintf(&b, "    | %s |\n", strings.Join(cells, " | "))
		case "svg":
			if !n.class("chart") {
				return
			}
			bars, marks := shapes(n)
			fmt.Fprintf(&b, "chart %s: %d bars, %d marks\n", n.attr["viewBox"], bars, marks)
			n.all(func(part *node) {
				if part.name == "desc" {
					fmt.Fprintf(&b, "    %s\n", part.words())
				}
			})
		}
	})
	return b.String()
}

// shapes counts the bars and the marks in a chart.
func shapes(svg *node) (bars, marks int) {
	svg.all(func(n *node) {
		switch {
		case n.class("bar0"), n.class("bar1"):
			bars++
		case n.class("mark"):
			marks++
		}
	})
	return bars, marks
}

// TestReport holds what is on a page to testdata/report-small.want.
func TestReport(t *testing.T) {
	got := outline(parsePage(t, render(t, small13(t))))
	const name = "testdata/report-small.want"
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func small13(t *testing.T) []measurement {
	t.Helper()
	list, err := readFile("testdata/report-small.json")
	if err != nil || len(list) != 13 {
		t.Fatal(len(list), err)
	}
	return list
}

// TestReportHasAll looks for every measurement of a large file in the tables.
func TestReportHasAll(t *testing.T) {
	list := fixture(t)
	text := outline(parsePage(t, reportOf(t, "testdata/report.json")))
	titles := map[stage]string{stageConvert: "Convert", stageDecode: "Decode", stageRead: "Read", scalingStage: "Pipeline"}
	for _, m := range list {
		_, part, _ := strings.Cut(text, "\n## "+titles[m.Stage]+"\n")
		part, _, _ = strings.Cut(part, "\n## ")
		_, part, found := strings.Cut(part, "\n### "+m.Corpus+"\n")
		part, _, _ = strings.Cut(part, "\n### ")
		name := floorName(m.Codec)
		if s, ok := parseSetup(m.Codec); ok {
			name = s.String()
		}
		rows := []string{"| " + name + " | " + nanoseconds(m.NsPerEntry) + " | " + m.rate(m.InBytes) + " |"}
		if m.P50 != nil {
			rows = append(rows, "| "+name+" | "+count(m.P50)+" |")
		}
		for _, row := range rows {
			if !found || !strings.Contains(part, row) {
				t.Errorf("%s %s %s: no %s", m.Corpus, m.Stage, m.Codec, row)
			}
		}
	}
	for _, want := range []string{"a machine, go1.26.8 linux/amd64, pinned to CPU 1", "cdcbench report --json testdata/report.json", "report.json, written "} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// TestReportBars measures bars: lengths are as the numbers, or as their logarithms.
func TestReportBars(t *testing.T) {
	length := func(svg *chart, i int) int {
		t.Helper()
		bars := regexp.MustCompile(`d="M (\d+) \d+\nL (\d+) [^"]*" class="bar0`).FindAllStringSubmatch(string(svg.Body), -1)
		if i >= len(bars) {
			t.Fatalf("%d bars in %s", len(bars), svg.Body)
		}
		var from, to int
		fmt.Sscan(bars[i][1], &from)
		fmt.Sscan(bars[i][2], &to)
		return to - from
	}
	linear := rowsChart("", []chartRow{{name: "a", bars: []float64{100}}, {name: "b", bars: []float64{25}}}, plain)
	if a, b := length(linear, 0), length(linear, 1); a < 300 || a < 4*b-4 || a > 4*b+4 {
		t.Errorf("100 is %d long, 25 %d", a, b)
	}
	for _, width := range []int{chartWidth, 2 * chartWidth} {
		log := ratioChart("", []ratioGroup{{"oltp", []ratioBar{{"a", true, false, 100}, {"b", false, false, 10}, {"c", false, false, .1}, {"d", false, false, 1}}}}, width)
		a, b, c, d := length(log, 0), length(log, 1), length(log, 2), length(log, 3)
		if a < 2*b-3 || a > 2*b+3 || c < b-3 || c > b+3 || d > 1 || b < 30 {
			t.Errorf("100 is %d long, 10 %d, 0.1 %d, 1 %d", a, b, c, d)
		}
	}
}

// TestReportEscapes puts names into the page that would like to be more.
func TestReportEscapes(t *testing.T) {
	var list []measurement
	for _, m := range fixture(t) {
		if m.Corpus == "oltp" {
			list = append(list, m)
		}
	}
	for _, where := range []string{"corpus", "stage", "codec"} {
		var hostile []measurement
		for _, m := range list {
			switch where {
			case "corpus":
				m.Corpus = hostileName
			case "stage":
				m.Stage = hostileName
			case "codec":
				m.Codec = hostileName + m.Codec
			}
			hostile = append(hostile, m)
		}
		page := render(t, hostile)
		root := parsePage(t, page)
		shown := false
		root.all(func(n *node) {
			switch n.name {
			case "script", "img", "iframe", "object", "a", "form":
				t.Errorf("%s: there is an element %s", where, n.name)
			case "h2", "h3", "th":
				shown = shown || strings.Contains(n.text, `</title></svg><script>alert("1")</script><img src=x onerror='alert(1)'>&amp;`)
			}
			for name := range n.attr {
				if strings.HasPrefix(name, "on") || name == "style" {
					t.Errorf("%s: an attribute %s of %s", where, name, n.name)
				}
			}
		})
		if !shown {
			t.Errorf("%s: the name is not shown", where)
		}
	}
	p := page{list: list, machine: hostileName, command: hostileName, remarks: []string{hostileName}, facts: []fact{{hostileName, hostileName}}}
	var b bytes.Buffer
	if err := p.render(&b); err != nil || strings.Contains(b.String(), "<script") || strings.Contains(b.String(), "<img") {
		t.Errorf("%v, or a script", err)
	}
}

// TestReportIsOneFile looks for anything that would be fetched.
func TestReportIsOneFile(t *testing.T) {
	page := reportOf(t, "testdata/report.json")
	for _, bad := range []string{"http:", "https:", "//", "url(", "@import", "@font-face", "<script", "src="} {
		if i := strings.Index(page, bad); i >= 0 {
			t.Errorf("%q at %.80s", bad, page[i:])
		}
	}
	if n := strings.Count(page, "href="); n != 1 || !strings.Contains(page, `<link rel="icon" href="data:,">`) {
		t.Errorf("%d links", n)
	}
	if strings.Contains(page, " style=\"") {
		t.Error("a style that no class says: it does not know night from day")
	}
}

// TestReportOfLittle is about what there is not: no chart is empty, and no number is
// none.
func TestReportOfLittle(t *testing.T) {
	all := small13(t)
	none := func(m measurement) measurement {
		m.P50, m.P99, m.P999, m.TimesReference = nil, nil, nil, nil
		return m
	}
	same := all[0]
	same.NsPerEntry, same.TimesReference = 50000, new(1.0)
	extreme := func(ns float64, size int, p int64, ratio float64) measurement {
		m := all[0]
		m.NsPerEntry, m.InBytes, m.OutBytes, m.P50, m.P99, m.P999, m.TimesReference = ns, size, size, &p, &p, &p, &ratio
		return m
	}
	cases := []struct {
		name   string
		list   []measurement
		charts int
		titled string
	}{
		{"one codec", all[:1], 4, "How fast cdcodec is"},
		{"nothing but throughput", []measurement{none(all[0])}, 1, "How fast cdcodec is"},
		{"the reference", all[2:3], 2, "What was measured"},
		{"the floor", all[3:4], 0, "What was measured"},
		{"decode, and nothing to compare with", all[6:7], 2, "How fast cdcodec is"},
		{"read", all[7:8], 3, "How fast cdcodec is"},
		{"pipeline, two workers", all[11:12], 1, "What was measured"},
		{"pipeline, with a codec of another name", append([]measurement{{Corpus: "oltp", Stage: scalingStage, Codec: "loop", Entries: 1, InBytes: 1000, NsPerEntry: 9}}, all[9:]...), 1, "What was measured"},
		{"as fast as the reference", []measurement{same, all[2]}, 4, "How fast cdcodec is"},
		{"empty records", []measurement{{Corpus: "c", Stage: stageConvert, Codec: "x", Entries: 1, NsPerEntry: 1}}, 1, "What was measured"},
		{"a pipeline of empty records", []measurement{{Corpus: "c", Stage: scalingStage, Codec: "workers=1", Entries: 1, NsPerEntry: 1}}, 0, "What was measured"},
		{"very much", []measurement{extreme(1e18, math.MaxInt, math.MaxInt64, 1e11)}, 4, "How fast cdcodec is"},
		{"very little", []measurement{extreme(1e-6, 1, 1, 1e-5)}, 4, "How fast cdcodec is"},
		{"both", []measurement{extreme(1e18, math.MaxInt, math.MaxInt64, 1e11), extreme(1e-6, 1, 1, 1e-5)}, 4, "How fast cdcodec is"},
		{"impossible", []measurement{extreme(1, 1, -5, -1), extreme(1, 1, 0, 1e300)}, 1, "How fast cdcodec is"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if err := checkResults(c.list); err != nil {
				t.Fatal(err)
			}
			root := parsePage(t, render(t, c.list))
			charts := 0
			root.all(func(n *node) {
				switch {
				case n.name == "svg" && n.class("chart"):
					charts++
					if bars, marks := shapes(n); bars+marks == 0 {
						t.Errorf("an empty chart: %s", n.words())
					}
				case n.name == "figure" && len(n.children) < 2:
					t.Error("a figure without a chart")
				case n.name == "table" && !strings.ContainsAny(n.text, "0123456789"):
					t.Errorf("an empty table: %s", n.words())
				case n.name == "h1" && n.words() != c.titled:
					t.Errorf("it is called %q", n.words())
				case regexp.MustCompile(`NaN|Inf\b|-922`).MatchString(n.attr["d"] + n.attr["x"] + n.text):
					t.Errorf("no number: %s %v", n.words(), n.attr)
				}
			})
			if charts != c.charts {
				t.Errorf("%d charts, want %d", charts, c.charts)
			}
		})
	}
}

// TestReportMeasures has the command measure.
func TestReportMeasures(t *testing.T) {
	name := filepath.Join(t.TempDir(), "report.html")
	r := cdcbench(nil, "report", "--file", small(t), "--time", "1ms", "-o", name)
	if r.code != 0 || r.err != "" || !regexp.MustCompile(`^.*report.html: \d+ measurements, \d+ kB\n$`).MatchString(r.out) {
		t.Fatalf("%+v", r)
	}
	page, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	text := outline(parsePage(t, string(page)))
	for _, want := range []string{
		"# How fast cdcodec is\n", "\n## Convert\n", "\n## Decode\n", "\n## Read\n", "\n### file\n", "40 records, ",
		", go1.", "GOMAXPROCS 1", "dt: Date\n", "dt: Command\n    cdcbench report --file ", "dt: Clock\n", "cdcbench report",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}

	// A shorter page over a longer one leaves nothing of that.
	r = cdcbench(nil, "report", "--json", "testdata/report-small.json", "-o", name)
	shorter, err := os.ReadFile(name)
	if r.code != 0 || err != nil || !bytes.HasSuffix(shorter, []byte("</html>\n")) || bytes.Count(shorter, []byte("</html>")) != 1 {
		t.Errorf("%+v, %v", r, err)
	}

	// What goes wrong leaves things as they were.
	if r := cdcbench(nil, "report", "--file", file(t, []byte{0, 0}), "-o", name); r.code != 2 {
		t.Errorf("%+v", r)
	}
	if b, err := os.ReadFile(name); err != nil || !bytes.Equal(b, shorter) {
		t.Errorf("the page that was there is gone: %v, %d bytes", err, len(b))
	}
	fresh := filepath.Join(t.TempDir(), "fresh.html")
	if r := cdcbench(nil, "report", "--file", file(t, []byte{0, 0}), "-o", fresh); r.code != 2 {
		t.Errorf("%+v", r)
	}
	if _, err := os.Stat(fresh); !os.IsNotExist(err) {
		t.Errorf("an empty page is left: %v", err)
	}
}

func TestReportErrors(t *testing.T) {
	cases := []struct {
		name string
		in   string
		args []string
		err  string
	}{
		{"no file", "", []string{"--json", filepath.Join(t.TempDir(), "none")}, "none"},
		{"no JSON", "nonsense", []string{"--json", "-"}, "standard input: not what run --json writes: "},
		{"something else", `{"a":1}`, []string{"--json", "-"}, "not what run --json writes"},
		{"nothing", "[]", []string{"--json", "-"}, "there is nothing in it"},
		{"no names", `[{"entries":1,"ns_per_entry":1}]`, []string{"--json", "-"}, "element 0 has no corpus, stage or codec"},
		{"no entries", `[{"corpus":"a","stage":"b","codec":"c","ns_per_entry":1}]`, []string{"--json", "-"}, "element 0 has no entries"},
		{"no time", `[{"corpus":"a","stage":"b","codec":"c","entries":1}]`, []string{"--json", "-"}, "element 0 has no ns_per_entry"},
		{"sizes", `[{"corpus":"a","stage":"b","codec":"c","entries":1,"ns_per_entry":1,"in_bytes":-1}]`, []string{"--json", "-"}, "element 0 has negative sizes"},
		{"both", "", []string{"--json", "-", "--corpus", "oltp"}, "excludes"},
		{"machine", "", []string{"--machine", "x"}, "--machine is for --json"},
		{"corpus", "", []string{"--corpus", "nonsense"}, "no corpus is named"},
		{"codec", "", []string{"--codec", "nonsense"}, "no codec is named"},
		{"nothing to do", "", []string{"--codec", "sonic-reused,protobuf+json", "--corpus", "tidb"}, "none of these codecs"},
	}
	for _, c := range cases {
		if c.name == "nothing to do" && !sonicIsIn() {
			continue
		}
		r := cdcbench([]byte(c.in), append([]string{"report", "-o", "-"}, c.args...)...)
		if r.code != 2 || !strings.Contains(r.err, c.err) || r.out != "" {
			t.Errorf("%s: %+v", c.name, r)
		}
	}
	if r := cdcbench(nil, "report", "--json", "testdata/report-small.json", "-o", t.TempDir()); r.code != 2 || !strings.Contains(r.err, "directory") {
		t.Errorf("a folder as output: %+v", r)
	}
}

func TestSetup(t *testing.T) {
	for name, want := range map[string]string{
		"workers=1": "1 worker", "workers=2": "2 workers", "workers=2/zstd": "2 workers, zstd", "workers=12/none": "12 workers",
		"workers=0": "", "workers=x": "", "workers=": "", "cdcodec": "", "workers": "", "workers=-1/zstd": "",
	} {
		got := ""
		if s, ok := parseSetup(name); ok {
			got = s.String()
		}
		if got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

func TestTicks(t *testing.T) {
	for want, a := range map[string]axis{
		"0 500 1000 1500 2000":               {to: 2387},
		"0 20 40 60 80":                      {to: 84},
		"0 0.2 0.4 0.6 0.8 1":                {to: 1},
		"0 2 4 6 8":                          {to: 9.9},
		"1 10 100":                           {log: true, from: 1, to: 400},
		"200 500 1000 2000":                  {log: true, from: 180, to: 2400},
		"1 2 5 10":                           {log: true, from: 1, to: 10},
		"1 100 10,000 1,000,000 100,000,000": {log: true, from: 1, to: 3e9},
	} {
		var labels []string
		for _, v := range a.ticks() {
			labels = append(labels, plain(v))
		}
		if got := strings.Join(labels, " "); got != want {
			t.Errorf("from %v to %v: %s, want %s", a.from, a.to, got, want)
		}
	}
}

func TestDuration(t *testing.T) {
	for ns, want := range map[float64]string{
		0: "0 ns", 9.4: "9.4 ns", 423.2: "423 ns", 999.4: "999 ns", 999.6: "1.00 µs", 1042: "1.04 µs", 15135: "15.1 µs",
		999_400: "999 µs", 999_600: "1.00 ms", 4.24e6: "4.24 ms", 1e9: "1.00 s", 5e12: "5000 s",
	} {
		if got := durationText(ns); got != want {
			t.Errorf("%v is %s, want %s", ns, got, want)
		}
	}
	for ns, want := range map[float64]string{0: "0 ns", 100: "100 ns", 1000: "1 µs", 1500: "1.5 µs", 20000: "20 µs", 1e6: "1 ms"} {
		if got := durationTick(ns); got != want {
			t.Errorf("%v is %s, want %s", ns, got, want)
		}
	}
}

// TestChartTexts holds what is drawn to be escaped: it goes into the page as it is.
func TestChartTexts(t *testing.T) {
	c := rowsChart("", []chartRow{{name: "<b>&\x01", bars: []float64{1}}}, plain)
	if !strings.Contains(string(c.Body), template.HTMLEscapeString("<b>&")) || strings.Contains(string(c.Body), "<b>") {
		t.Error(c.Body)
	}
	long := newCanvas(100, 10).fit(strings.Repeat("w", 1000), 80)
	if n := len([]rune(long)); n < 5 || n > 15 || !strings.HasSuffix(long, "…") {
		t.Errorf("%q", long)
	}
}
