package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"strconv"
	"strings"

	"github.com/cdcodec/cdcodec/bench"
)

// titles say what the stages are.
var titles = map[bench.Stage]string{
	bench.Decode:  "decode: every column of an Entry",
	bench.Write:   "write: a decoded Entry to Canal-JSON",
	bench.Convert: "convert: the bytes of an Entry to Canal-JSON",
	bench.Read:    "read: every column of a message of Canal-JSON",
}

// print writes the table: ns per record, and how many times as long as cdcodec. What
// is faster than cdcodec is set in bold.
func (r *result) print(w io.Writer) {
	unit := "Entry"
	if r.stage == bench.Read {
		unit = "message"
	}
	fmt.Fprintf(w, "\n### %s\n\nns per %s, and how many times cdcodec's\n\n| |", titles[r.stage], unit)
	for _, c := range r.corpora {
		fmt.Fprintf(w, " %s |", c)
	}
	fmt.Fprintf(w, "\n|---|%s\n", strings.Repeat("--:|", len(r.corpora)))
	for _, p := range r.peers {
		fmt.Fprintf(w, "| %s |", p)
		for _, c := range r.corpora {
			if p == bench.Ours {
				fmt.Fprintf(w, " **%s** |", grouped(r.ns[p][c]))
				continue
			}
			times := decimal(r.times(p, c))
			if r.times(p, c) < 1 && p != bench.Copy {
				times = "**" + times + "**"
			}
			fmt.Fprintf(w, " %s · %s |", grouped(r.ns[p][c]), times)
		}
		fmt.Fprintln(w)
	}
}

// times returns how many times cdcodec's time a peer takes; NaN if that was not
// measured.
func (r *result) times(peer, corpus string) float64 {
	a, ok := r.ns[peer][corpus]
	b, ok2 := r.ns[bench.Ours][corpus]
	if !ok || !ok2 {
		return math.NaN()
	}
	return a / b
}

// printFaster lists who is faster than cdcodec, and where.
func printFaster(w io.Writer, results []*result) {
	fmt.Fprint(w, "\n### Faster than cdcodec\n\n")
	n := 0
	for _, r := range results {
		for _, p := range r.peers {
			for _, c := range r.corpora {
				if t := r.times(p, c); t < 1 && p != bench.Copy {
					fmt.Fprintf(w, "- %s, %s: %s takes %.2f of its time\n", r.stage, c, p, t)
					n++
				}
			}
		}
	}
	if n == 0 {
		fmt.Fprintln(w, "No peer, at no stage, on no corpus.")
	}
}

// grouped prints ns with three or more digits, and commas.
func grouped(ns float64) string {
	digits := strconv.FormatFloat(ns, 'f', 0, 64)
	if ns >= 10_000 { // what is behind the fourth digit is noise
		unit := math.Pow(10, math.Floor(math.Log10(ns))-3)
		digits = strconv.FormatFloat(math.Round(ns/unit)*unit, 'f', 0, 64)
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// decimal prints a ratio.
func decimal(x float64) string {
	switch {
	case math.IsNaN(x):
		return "–"
	case x < 2:
		return strconv.FormatFloat(x, 'f', 2, 64)
	case x < 20:
		return strconv.FormatFloat(x, 'f', 1, 64)
	}
	return strconv.FormatFloat(x, 'f', 0, 64)
}

// machine says where it was measured.
func machine() string {
	model := "unknown CPU"
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(text)) {
			if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
				model = strings.TrimSpace(value)
			}
		}
	}
	return fmt.Sprintf("%s, %s %s/%s", model, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
