package main

import (
	"os"
	"strings"
	"testing"
)

// TestReadmeCommands runs the commands that README.md and testdata/README.md show
// with what they print, and compares. A command is a line of code that begins with
// "$ cdcbench", what it prints is the lines behind it; "…" stands for what was left
// out.
func TestReadmeCommands(t *testing.T) {
	t.Chdir("../..") // where a reader of README.md is
	for file, least := range map[string]int{"README.md": 3, "testdata/README.md": 6} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, block := range strings.Split(string(text), "\n    $ ")[1:] {
			lines := strings.Split(block, "\n")
			command, want := lines[0], lines[1:]
			if !strings.HasPrefix(command, "cdcbench ") {
				continue
			}
			for i, line := range want {
				var isCode bool
				if want[i], isCode = strings.CutPrefix(line, "    "); !isCode {
					want = want[:i]
					break
				}
			}
			n++
			got := strings.Split(strings.TrimSuffix(pipeline(t, command), "\n"), "\n")
			if len(got) != len(want) {
				t.Errorf("%s: %s\nprints %d lines, %d are shown:\n%s", file, command, len(got), len(want), strings.Join(got, "\n"))
				continue
			}
			for i := range want {
				if !isAbridged(want[i], got[i]) {
					t.Errorf("%s: %s\nprints %s\nshown  %s", file, command, got[i], want[i])
				}
			}
		}
		if n < least {
			t.Errorf("%s: only %d commands were found", file, n)
		}
	}
}

// pipeline runs commands, each on what the one before it printed.
func pipeline(t *testing.T, line string) string {
	t.Helper()
	var stdin []byte
	for _, command := range strings.Split(line, " | ") {
		args := strings.Fields(command)
		r := cdcbench(stdin, args[1:]...)
		if args[0] != "cdcbench" || r.code != 0 || r.err != "" {
			t.Fatalf("%s: exit code %d, %s", command, r.code, r.err)
		}
		stdin = []byte(r.out)
	}
	return string(stdin)
}

// isAbridged reports whether short is long with some of it left out.
func isAbridged(short, long string) bool {
	parts := strings.Split(short, "…")
	for i, part := range parts {
		at := strings.Index(long, part)
		if i == len(parts)-1 && i > 0 {
			at = strings.LastIndex(long, part)
		}
		if at < 0 || i == 0 && at > 0 {
			return false
		}
		long = long[at+len(part):]
	}
	return long == ""
}
