package cdcodec_test

import (
	"fmt"
	"os"
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
