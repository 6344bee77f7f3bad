package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cdcodec/cdcodec/bench"
)

func TestNumbers(t *testing.T) {
	for ns, want := range map[float64]string{1: "1", 411.4: "411", 1234: "1,234", 9_999.6: "10,000", 123_456: "123,500", 12_345_678: "12,350,000"} {
		if got := grouped(ns); got != want {
			t.Errorf("%v is %s, want %s", ns, got, want)
		}
	}
	for x, want := range map[float64]string{0.756: "0.76", 1.5: "1.50", 2: "2.0", 19.94: "19.9", 109.3: "109"} {
		if got := decimal(x); got != want {
			t.Errorf("%v is %s, want %s", x, got, want)
		}
	}
	if m := median([]float64{9, 1, 4}); m != 4 {
		t.Errorf("median %v", m)
	}
	if m := median([]float64{9, 1, 4, 5}); m != 4.5 {
		t.Errorf("median %v", m)
	}
}

// TestPrint: of what is measured the table shows both numbers, and who is faster.
func TestPrint(t *testing.T) {
	r := &result{stage: bench.Decode, peers: []string{bench.Ours, "slow", "quick"}, corpora: []string{"oltp"}, ns: map[string]map[string]float64{
		bench.Ours: {"oltp": 400}, "slow": {"oltp": 1000}, "quick": {"oltp": 300},
	}}
	var out bytes.Buffer
	r.print(&out)
	printFaster(&out, []*result{r})
	printGoals(&out, []*result{r})
	for _, want := range []string{
		"| | oltp |\n|---|--:|\n", "| cdcodec | **400** |\n", "| slow | 1,000 · 2.5 |\n", "| quick | 300 · **0.75** |\n",
		"- decode, oltp: quick takes 0.75 of its time\n", "| – | not measured |\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

func TestGoals(t *testing.T) {
	ns := map[string]map[string]float64{bench.Ours: {}}
	for _, p := range goals[len(goals)-1].peers {
		ns[p] = map[string]float64{"bulk": 500, "wide": 290}
	}
	ns[bench.Ours]["bulk"], ns[bench.Ours]["wide"] = 100, 100
	var out bytes.Buffer
	printGoals(&out, []*result{{stage: bench.Decode, ns: ns}})
	for _, want := range []string{"| bulk | 4 | 5.0 | met |\n", "| wide | 3 | 2.9 | **not met** |\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

func TestInsert(t *testing.T) {
	file := filepath.Join(t.TempDir(), "README.md")
	for _, text := range []string{"head\n" + beginMark + endMark + "tail\n", "head\n" + beginMark + "old\n" + endMark + "tail\n"} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := insert(file, "new"); err != nil {
			t.Fatal(err)
		}
		if got, _ := os.ReadFile(file); string(got) != "head\n"+beginMark+"\nnew\n"+endMark+"tail\n" {
			t.Errorf("%q", got)
		}
	}
	if err := os.WriteFile(file, []byte("head\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if insert(file, "new") == nil {
		t.Error("no error without marks")
	}
}

// TestRun measures a little of one stage.
func TestRun(t *testing.T) {
	r := &result{stage: bench.Read, ns: map[string]map[string]float64{}}
	if err := r.measure(options{share: 1, peers: list{"jlexer"}}, "prose"); err != nil {
		t.Fatal(err)
	}
	if len(r.peers) != 2 || !(r.times("jlexer", "prose") > 0) {
		t.Errorf("%+v", r)
	}
}

// TestREADME: its tables have every peer there is, and every goal.
func TestREADME(t *testing.T) {
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, tables, _ := strings.Cut(string(text), beginMark)
	for _, stage := range bench.Stages() {
		_, table, ok := strings.Cut(tables, "### "+titles[stage]+"\n")
		table, _, _ = strings.Cut(table, "\n### ")
		if !ok {
			t.Errorf("no table of %s", stage)
		}
		for _, p := range bench.Peers(stage) {
			if !strings.Contains(table, "\n| "+p.Name+" |") {
				t.Errorf("%s has no %s", stage, p.Name)
			}
		}
	}
	for _, g := range goals {
		if !strings.Contains(tables, "\n| "+g.text+" |") {
			t.Errorf("no goal %q", g.text)
		}
	}
}
