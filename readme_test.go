package cdcodec_test

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/cdcodec/cdcodec/internal/corpus/golden"
)

// TestReadmeIsCompiled finds each block of Go in README.md, line by line, in
// an example, which is compiled and run.
func TestReadmeIsCompiled(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	var examples string
	for _, name := range []string{"example_test.go", "batch/example_test.go"} {
		example, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		examples += string(example)
	}
	_, rest, found := strings.Cut(string(readme), "```go\n")
	if !found {
		t.Fatal("README.md has no Go in it")
	}
	for found {
		block, after, closed := strings.Cut(rest, "```\n")
		if !closed {
			t.Fatal("a block of README.md does not end")
		}
		indented := "\t" + strings.ReplaceAll(strings.TrimSuffix(block, "\n"), "\n", "\n\t") + "\n"
		if !strings.Contains(examples, indented) {
			t.Errorf("in no example:\n%s", block)
		}
		_, rest, found = strings.Cut(after, "```go\n")
	}
}

// TestReadmeCounts holds the numbers of golden cases that README.md tells to those there
// are.
func TestReadmeCounts(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	cases, standard := 0, 0
	for _, set := range [][]golden.Case{golden.Entries(), golden.Packets(), golden.Messages(), golden.Random()} {
		cases += len(set)
		for _, c := range set {
			if c.Law == "standard" {
				standard++
			}
		}
	}
	if standard != 9 {
		t.Errorf("%d cases are corrected by hand, README.md says nine", standard)
	}
	thousands := func(n int) string { return fmt.Sprintf("%d,%03d", n/1000, n%1000) }
	for _, says := range []string{
		thousands(cases) + " golden cases",
		"nine, corrected by hand",
		thousands(len(golden.Partitions())) + " rows with the partitions",
	} {
		if !strings.Contains(string(readme), says) {
			t.Errorf("README.md does not say %q", says)
		}
	}
}

// TestReadmeLinks finds each file of ours that README.md points to.
func TestReadmeLinks(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, after := range strings.Split(string(readme), "](")[1:] {
		link, _, _ := strings.Cut(after, ")")
		if link, _, _ = strings.Cut(link, "#"); link == "" || strings.Contains(link, "://") {
			continue
		}
		n++
		if _, err := os.Stat(link); err != nil {
			t.Error(err)
		}
	}
	if n < 30 {
		t.Errorf("only %d links were found", n)
	}
}

// TestReadmePeers holds what README.md says of the fastest peers to the tables of bench.
func TestReadmePeers(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("bench/README.md")
	if err != nil {
		t.Fatal(err)
	}
	// least returns who takes the least of cdcodec's time in a section's table, as it is
	// written there.
	least := func(section, corpus, names string) (ratio string) {
		_, table, _ := strings.Cut(string(text), "### "+section+":")
		table, _, _ = strings.Cut(table, "\n\n###")
		column, best := 0, math.Inf(1)
		for _, line := range strings.Split(table, "\n") {
			cells := strings.Split(line, "|")
			if column == 0 {
				for i, cell := range cells {
					if strings.TrimSpace(cell) == corpus {
						column = i
					}
				}
				continue
			}
			if len(cells) <= column || !strings.Contains(cells[1], names) {
				continue
			}
			_, r, _ := strings.Cut(cells[column], " · ")
			r = strings.Trim(r, " *")
			if n, err := strconv.ParseFloat(r, 64); err == nil && n < best {
				best, ratio = n, r
			}
		}
		return ratio
	}
	words := strings.Join(strings.Fields(string(readme)), " ")
	for _, says := range []string{
		least("convert", "oltp", "+") + " times as long as cdcodec on oltp",
		least("convert", "bulk", "+") + " times on bulk",
		least("convert", "blob", "+") + " times on blob",
		"takes " + least("read", "blob", "sonic-reused") + " and " + least("read", "prose", "sonic-reused") + " of the time on blob and prose",
	} {
		if !strings.Contains(words, says) {
			t.Errorf("README.md does not say %q", says)
		}
	}
	goals := fmt.Sprintf("of %d such goals %d are met and %d are not",
		strings.Count(string(text), "| met |")+strings.Count(string(text), "| **not met** |"), strings.Count(string(text), "| met |"), strings.Count(string(text), "| **not met** |"))
	if !strings.Contains(strings.Join(strings.Fields(string(text)), " "), goals) {
		t.Errorf("bench/README.md does not say %q", goals)
	}
}
