package cdcodec_test

import (
	"os"
	"strings"
	"testing"
)

// TestReadmeIsCompiled finds each block of Go in README.md, line by line, in
// example_test.go, which is compiled and run.
func TestReadmeIsCompiled(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
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
		if !strings.Contains(string(example), indented) {
			t.Errorf("not in example_test.go:\n%s", block)
		}
		_, rest, found = strings.Cut(after, "```go\n")
	}
}
