package main

import (
	"bytes"
	"strings"
	"testing"
)

// TestDemo: it moves what it says, and shows a message.
func TestDemo(t *testing.T) {
	leaks(t)
	var out bytes.Buffer
	c := demoCmd{Messages: 1, Corpus: "oltp", Dialect: "canal", Workers: 1}
	if err := c.run(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"produced         98 packets", "converted      5000 messages", `the first: {"data":[{"`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}
