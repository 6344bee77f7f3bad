// Command table measures all peers of package bench against each other and writes
// the tables of bench/README.md.
//
//	go run ./table             all of it, printed
//	go run ./table -w          into README.md, between the two marks there
//	go run ./table -stage read -corpus oltp,bulk -peer jlexer,goccy
//
// It checks that all peers agree before it times any, keeps itself on one CPU, and
// has the peers take turns, so that what else the machine does falls on all.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/cdcodec/cdcodec/bench"
	"github.com/cdcodec/cdcodec/internal/onecpu"
)

type options struct {
	stages, corpora, peers list
	share                  time.Duration
	write                  bool
}

// A list is a flag of names with commas between them; empty means all.
type list []string

func (l *list) String() string { return strings.Join(*l, ",") }

func (l *list) Set(s string) error {
	*l = strings.Split(s, ",")
	return nil
}

func (l list) has(name string) bool { return len(l) == 0 || slices.Contains(l, name) }

func main() {
	var o options
	flag.Var(&o.stages, "stage", "stages")
	flag.Var(&o.corpora, "corpus", "corpora")
	flag.Var(&o.peers, "peer", "peers, beside cdcodec")
	flag.DurationVar(&o.share, "time", 400*time.Millisecond, "about how `long` each peer is timed at each corpus")
	flag.BoolVar(&o.write, "w", false, "write the tables into README.md, in the folder where this runs")
	flag.Parse()
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, "table:", err)
		os.Exit(1)
	}
}

func run(o options) error {
	pinned, unpin := onecpu.Pin()
	defer unpin()
	var results []*result
	for _, stage := range bench.Stages() {
		if !o.stages.has(string(stage)) {
			continue
		}
		r := &result{stage: stage, ns: map[string]map[string]float64{}}
		results = append(results, r)
		for _, name := range bench.Corpora(stage) {
			if !o.corpora.has(name) {
				continue
			}
			fmt.Fprintf(os.Stderr, "%s, %s\n", stage, name)
			if err := r.measure(o, name); err != nil {
				return fmt.Errorf("%s, %s: %w", stage, name, err)
			}
		}
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "%s, %s, %s.\n", machine(), pinned, onecpu.UsedIs())
	for _, r := range results {
		r.print(&out)
	}
	printGoals(&out, results)
	printFaster(&out, results)
	if !o.write {
		_, err := os.Stdout.Write(out.Bytes())
		return err
	}
	return insert("README.md", out.String())
}

// The marks in README.md, on lines of their own.
const (
	beginMark = "<!-- go run ./table -w writes from here -->\n"
	endMark   = "<!-- to here -->\n"
)

// insert puts text between the marks of a file.
func insert(file, text string) error {
	old, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	head, rest, ok := strings.Cut(string(old), beginMark)
	_, tail, ok2 := strings.Cut(rest, endMark)
	if !ok || !ok2 {
		return fmt.Errorf("%s has no marks to write between", file)
	}
	return os.WriteFile(file, []byte(head+beginMark+"\n"+text+"\n"+endMark+tail), 0o644)
}
