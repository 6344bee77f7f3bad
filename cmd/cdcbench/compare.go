package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"time"

	"github.com/cdcodec/cdcodec/internal/codec"
	"github.com/cdcodec/cdcodec/internal/onecpu"
)

// compareCmd is "cdcbench compare".
type compareCmd struct {
	trafficFlags `embed:""`

	Files    []string      `arg:"" optional:"" name:"run.json" help:"Two files that run --json has written."`
	Codec    []string      `placeholder:"NAME" help:"Two codecs, A and B. With --rev, the one codec to look at (default cdcodec)."`
	Rev      []string      `placeholder:"REV" help:"Two git revisions, A and B, of the repository around the current folder; . is its files as they are."`
	Time     time.Duration `default:"2s" help:"How long to measure each stage of each corpus."`
	MinRatio float64       `placeholder:"X" help:"Exit with 1 if A is less than X times faster than B anywhere."`
}

// Help is printed below the flags.
func (c *compareCmd) Help() string {
	return `One of three: two files, --codec A,B or --rev A,B. What is told is how many times
faster A is than B (below 1: slower), with a 95% confidence interval.

  cdcbench compare --codec cdcodec,reference --stage convert --min-ratio 40
  cdcbench compare --rev .,main --corpus oltp --min-ratio 0.97
  cdcbench compare new.json old.json

Codecs and revisions take turns, in pairs; revisions are built in temporary work
trees, and compared at convert and decode of Entries unless the flags say
otherwise, as older ones know nothing else. Two files are of two different times, and what the machine did between
them is in the ratio and not in its interval.`
}

// A comparison is one row of what is told.
type comparison struct {
	corpus string
	stage  stage
	codec  string    // "" where A and B are codecs
	a, b   []float64 // ns per Entry in each turn
	estimate
}

func (x *comparison) name() string {
	name := x.corpus + " " + string(x.stage)
	if x.codec != "" {
		name += " " + x.codec
	}
	return name
}

// Run compares.
func (c *compareCmd) Run(s *streams) error {
	var (
		a, b string
		list []comparison
		note string
		err  error
	)
	if err := positive("time", c.Time); err != nil {
		return err
	}
	switch {
	case len(c.Rev) == 2 && len(c.Files) == 0 && len(c.Codec) <= 1:
		a, b = c.Rev[0], c.Rev[1]
		list, note, err = c.revisions(s)
	case len(c.Codec) == 2 && len(c.Files) == 0 && len(c.Rev) == 0:
		a, b = c.Codec[0], c.Codec[1]
		list, note, err = c.codecs(s)
	case len(c.Files) == 2 && len(c.Rev) == 0 && len(c.Codec) == 0:
		a, b = c.Files[0], c.Files[1]
		list, err = c.files()
	default:
		return usageError("compare two files, or --codec A,B, or --rev A,B")
	}
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return usageError("there is nothing that both have")
	}
	if err := printComparisons(s.out, a, b, list, note+s.command); err != nil {
		return err
	}
	return c.judge(s.out, list)
}

// judge says where a ratio is too low.
func (c *compareCmd) judge(w io.Writer, list []comparison) error {
	bad := false
	for _, x := range list {
		if c.MinRatio > 0 && !(x.ratio >= c.MinRatio) {
			bad = true
			fmt.Fprintf(w, "below %v: %s %s\n", c.MinRatio, x.name(), ratio(x.ratio))
		}
	}
	if bad {
		return errBad
	}
	return nil
}

// codecs compares two codecs in this process.
func (c *compareCmd) codecs(s *streams) (list []comparison, note string, err error) {
	sources, err := c.sources(s, allCorpora(), allStages...)
	if err != nil {
		return nil, "", err
	}
	if err := checkCodecs(c.Codec); err != nil {
		return nil, "", err
	}
	pinned, unpin := onecpu.Pin()
	defer unpin()
	bar := newSteps(s.err, pairsOf(sources))
	defer bar.finish()
	for _, source := range sources {
		bar.step(0, source.name)
		t, err := source.load()
		if err != nil {
			return nil, "", err
		}
		for _, stage := range source.stages {
			bar.step(0, t.name+" "+string(stage))
			x, err := c.pair(t, stage)
			if err != nil {
				return nil, "", err
			}
			if x != nil {
				list = append(list, *x)
			}
			bar.step(1, t.name)
		}
	}
	return list, onecpu.UsedIs() + ", " + machine(pinned) + "\n", nil
}

// pair has both codecs take turns; nil if one of them has not got the stage.
func (c *compareCmd) pair(t *traffic, stage stage) (*comparison, error) {
	t, err := t.at(stage)
	if err != nil {
		return nil, err
	}
	lanes, err := newLanes(t, stage, c.Codec)
	if err != nil {
		return nil, err
	}
	if len(lanes) < 2 {
		return nil, nil
	}
	lanes, remarks, err := check(t, lanes, minTurn)
	if err != nil {
		return nil, err
	}
	if len(remarks) > 0 {
		return nil, usageError(strings.Join(remarks, ""))
	}
	a, b := lanes[0], lanes[1]
	err = inPairs(c.Time, minPairs, func() error { return a.turn(t) }, func() error { return b.turn(t) })
	if err != nil {
		return nil, err
	}
	return &comparison{t.name, stage, "", a.turns, b.turns, paired(a.turns, b.turns)}, nil
}

// The least and most pairs of turns. With six an interval can be told.
const (
	minPairs = 6
	maxPairs = 1000
)

// inPairs has a and b take turns for about that long, at least so many pairs.
// Who is first goes by turns as well.
func inPairs(long time.Duration, least int, a, b func() error) error {
	end := time.Now().Add(long)
	for i := 0; i < least || i < maxPairs && time.Now().Before(end); i++ {
		first, second := a, b
		if i%2 == 1 {
			first, second = b, a
		}
		if err := first(); err != nil {
			return err
		}
		if err := second(); err != nil {
			return err
		}
	}
	return nil
}

// files compares what two files have in common.
func (c *compareCmd) files() (list []comparison, err error) {
	var of [2][]measurement
	for i, name := range c.Files {
		if of[i], err = readFile(name); err != nil {
			return nil, err
		}
	}
	type key struct{ corpus, stage, codec string }
	theirs := map[key]*measurement{}
	for i := range of[1] {
		r := &of[1][i]
		theirs[key{r.Corpus, string(r.Stage), r.Codec}] = r
	}
	for _, r := range of[0] {
		b := theirs[key{r.Corpus, string(r.Stage), r.Codec}]
		if b == nil || !c.wants(&r) {
			continue
		}
		x := comparison{r.Corpus, r.Stage, r.Codec, r.Turns, b.Turns, unpaired(r.Turns, b.Turns)}
		if len(x.a) == 0 || len(x.b) == 0 { // written by something else
			x.a, x.b = []float64{r.NsPerEntry}, []float64{b.NsPerEntry}
			x.estimate = unpaired(x.a, x.b)
		}
		list = append(list, x)
	}
	return list, nil
}

// wants reports whether the flags leave r in.
func (c *compareCmd) wants(r *measurement) bool {
	named := func(list []string, name string) bool {
		for _, n := range list {
			if n == name {
				return true
			}
		}
		return len(list) == 0
	}
	return named(c.Corpus, r.Corpus) && named(c.Stage, string(r.Stage))
}

func readFile(name string) ([]measurement, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	list, err := readResults(file)
	if err != nil {
		return nil, fmt.Errorf("%s: not what run --json writes: %w", name, err)
	}
	return list, nil
}

// printComparisons prints a table, and below it what is to be known of it.
func printComparisons(w io.Writer, a, b string, list []comparison, note string) error {
	t := newTable(3, "corpus", "stage", "codec", "A ns/entry", "B ns/entry", "A is faster by", "95% interval", "turns")
	var ratios []float64
	for _, x := range list {
		turns := fmt.Sprint(len(x.a))
		if len(x.a) != len(x.b) {
			turns += "/" + fmt.Sprint(len(x.b))
		}
		bounds := ""
		if !math.IsNaN(x.low) {
			bounds = ratio(x.low) + " to " + ratio(x.high)
		}
		t.AppendRow(cells(x.corpus, string(x.stage), x.codec, nanoseconds(median(x.a)), nanoseconds(median(x.b)), ratio(x.ratio)+"x", bounds, turns))
		ratios = append(ratios, x.ratio)
	}
	t.AppendFooter(cells("geometric mean", "", "", "", "", ratio(geomean(ratios))+"x", "", ""))
	_, err := fmt.Fprintf(w, "A: %s\nB: %s\n\n%s\n\n%s\n", a, b, t.Render(), note)
	return err
}

// subject is the codec that revisions are compared by.
func (c *compareCmd) subject() string {
	if len(c.Codec) == 1 {
		return c.Codec[0]
	}
	return codec.Ours
}
