package main

import (
	"bytes"
	"os"
	"testing"
)

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

var _ = os.ReadFile
