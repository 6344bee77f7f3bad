package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write what the golden reports are now")

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
	titles := map[stage]string{stageConvert: "Convert", stageDecode: "Decode", stageRead: "Read", stagePipeline: "Pipeline"}
	for _, m := range list {
		_, part, _ := strings.Cut(text, "\n## "+titles[m.Stage]+"\n")
		part, _, _ = strings.Cut(part, "\n## ")
		_, part, found := strings.Cut(part, "\n### "+m.Corpus+"\n")
		part, _, _ = strings.Cut(part, "\n### ")
		name := m.shownName()
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

// TestReportOverItsInput would be the end of the input.
func TestReportOverItsInput(t *testing.T) {
	in, err := os.ReadFile("testdata/report-small.json")
	if err != nil {
		t.Fatal(err)
	}
	name := file(t, in)
	for _, flag := range []string{"--json", "--file"} {
		r := cdcbench(nil, "report", flag, name, "-o", name)
		after, err := os.ReadFile(name)
		if r.code != 2 || !strings.Contains(r.err, "is the input as well") || err != nil || !bytes.Equal(after, in) {
			t.Errorf("%s: %+v, %v", flag, r, err)
		}
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
