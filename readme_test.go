package cdcodec_test

import (
	"os"
	"strings"
	"testing"
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
