package main

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
)

func TestDemo(t *testing.T) {
	r := cdcbench(nil, "demo", "--for", "10ms")
	if r.code != 0 || r.err != "" {
		t.Fatalf("%+v", r)
	}
	messages := 0
	for line := range strings.Lines(r.out) {
		if strings.HasPrefix(line, "{") {
			messages++
			if !json.Valid([]byte(line)) {
				t.Errorf("no JSON: %s", line)
			}
		}
	}
	if messages != 4 {
		t.Errorf("%d messages of the sample, want 4", messages)
	}
	for _, want := range []string{`(?m)^cdcodec +\d+ +\d+\.\d$`, `(?m)^times faster +\d+\.\dx$`, `cdcbench convert --help\n$`} {
		if !regexp.MustCompile(want).MatchString(r.out) {
			t.Errorf("no %s in\n%s", want, r.out)
		}
	}
}
