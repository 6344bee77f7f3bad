package main

import (
	"bytes"
	"html/template"
	"math"
	"regexp"
	"strings"
	"testing"
)

// hostileName is what somebody might call a file to break the page.
const hostileName = `</title></svg><script>alert("1")</script><img src=x onerror='alert(1)'>&amp; "'{{.}}` + "\x00\x1b[2J\u202e"

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
		{"pipeline, two workers", all[11:12], 2, "What was measured"},
		{"pipeline, with a codec of another name", append([]measurement{{Corpus: "oltp", Stage: stagePipeline, Codec: "loop", Entries: 1, InBytes: 1000, NsPerEntry: 9}}, all[9:]...), 2, "What was measured"},
		{"as fast as the reference", []measurement{same, all[2]}, 4, "How fast cdcodec is"},
		{"empty records", []measurement{{Corpus: "c", Stage: stageConvert, Codec: "x", Entries: 1, NsPerEntry: 1}}, 1, "What was measured"},
		{"a pipeline of empty records", []measurement{{Corpus: "c", Stage: stagePipeline, Codec: "workers=1", Entries: 1, NsPerEntry: 1}}, 0, "What was measured"},
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
