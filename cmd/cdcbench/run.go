package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/internal/codec"
	"github.com/cdcodec/cdcodec/internal/corpus"
	"github.com/cdcodec/cdcodec/internal/onecpu"
)

// runCmd is "cdcbench run", and "cdcbench" alone.
type runCmd struct {
	trafficFlags `embed:""`
	pipeFlags    `embed:""`

	Codec  []string      `placeholder:"NAME" help:"Measure these codecs: ${codecs}."`
	Time   time.Duration `default:"500ms" help:"How long to measure each stage of each corpus, all codecs together. Slow ones take longer: a few passes each are made in any case."`
	sample bool          // show a conversion first: cdcbench alone

	JSON string `name:"json" placeholder:"FILE" help:"Write the figures to FILE as JSON, or with - to standard output in place of the table."`
}

// Help is printed below the flags.
func (c *runCmd) Help() string {
	return `Codecs: cdcodec is this library and cdcodec-general the same without its fused
path; vtproto+sonic and protobuf+sonic are what a careful user would build;
protobuf+json is protobuf-go and encoding/json, plainly; reference is the same
with every check and repair, which all are held to; sonic and encoding/json read
messages into a new struct with maps, sonic-reused without copies into one that is
used again; copy copies the record. Each is measured where it has the stage, and
on records that it reads.

Stage pipeline has its own: copy=N is N goroutines that copy the records, loop a
Transcoder in a loop, workers=N a batch.Pipeline with N workers, compressed or not.

Before anything is timed all codecs convert everything, and must agree to the
byte; for decode and read, on a checksum over all columns. ns/entry is that of an
Entry; on tidb and baidu, of a record, which is many rows; for read, of a message.`
}

// Run measures.
func (c *runCmd) Run(s *streams) error {
	sources, names, err := c.plan(s)
	if err != nil {
		return err
	}
	if c.sample {
		t, err := cdcodec.New(cdcodec.Options{})
		if err == nil {
			err = showSample(s.out, t)
		}
		if err != nil {
			return err
		}
	}
	list, pinned, remarks, err := c.collect(s, sources, names)
	if err != nil {
		return err
	}
	if c.JSON != "" {
		if err := writeResults(s, c.JSON, list); err != nil || c.JSON == "-" {
			return err
		}
	}
	if err := printResults(s.out, list); err != nil {
		return err
	}
	return c.note(s, list, pinned, remarks)
}

// positive refuses times in which nothing can be measured.
func positive(flag string, d time.Duration) error {
	if d <= 0 {
		return usageError(fmt.Sprintf("--%s: %v is no time to measure in", flag, d))
	}
	return nil
}

// plan returns what is to be measured, and with which codecs.
func (c *runCmd) plan(s *streams) (sources []source, names []string, err error) {
	if err := c.pipeFlags.check(); err != nil {
		return nil, nil, err
	}
	if err := positive("time", c.Time); err != nil {
		return nil, nil, err
	}
	if len(c.Workers)+len(c.Compress) > 0 {
		if len(c.Stage) == 0 {
			c.Stage = []string{string(stagePipeline)}
		} else if !slices.Contains(c.Stage, string(stagePipeline)) {
			return nil, nil, usageError("--workers and --compress are for stage pipeline")
		}
	}
	c.piped = true
	stages := allStages
	if names = c.Codec; len(names) == 0 {
		names = codec.Names()
		stages = append(stages[:len(stages):len(stages)], stagePipeline)
	}
	if sources, err = c.sources(s, allCorpora(), stages...); err != nil {
		return nil, nil, err
	}
	return sources, names, checkCodecs(names)
}

// collect measures all that is asked for: first what is pinned to a CPU, and then
// what wants all of them.
func (c *runCmd) collect(s *streams, sources []source, names []string) (list []measurement, pinned string, remarks []string, err error) {
	bar := newSteps(s.err, 3*pairsOf(sources))
	defer bar.finish()
	var piped []source
	for i, source := range sources {
		if n := slices.Index(source.stages, stagePipeline); n >= 0 {
			piped = append(piped, source)
			sources[i].stages = slices.Delete(slices.Clone(source.stages), n, n+1)
		}
	}
	pinned, unpin := onecpu.Pin()
	list, remarks, err = c.collectPinned(sources, names, bar)
	unpin()
	if err != nil {
		return nil, "", nil, err
	}
	for _, source := range piped {
		t, err := source.load()
		if err != nil {
			return nil, "", nil, err
		}
		part, remark, err := c.pipelines(t, bar)
		if err != nil {
			return nil, "", nil, err
		}
		list, remarks = append(list, part...), append(remarks, remark)
	}
	if len(list) == 0 {
		return nil, "", nil, usageError("none of these codecs has a stage that is asked for")
	}
	return list, pinned, remarks, nil
}

func (c *runCmd) collectPinned(sources []source, names []string, bar *progress) (list []measurement, remarks []string, err error) {
	for _, source := range sources {
		if len(source.stages) == 0 {
			continue
		}
		bar.step(0, source.name)
		t, err := source.load()
		if err != nil {
			return nil, nil, err
		}
		for _, stage := range source.stages {
			part, more, err := c.measure(t, stage, names, bar)
			if err != nil {
				return nil, nil, err
			}
			list, remarks = append(list, part...), append(remarks, more...)
		}
	}
	return list, remarks, nil
}

// measure measures one stage of one traffic.
func (c *runCmd) measure(t *traffic, stage stage, names []string, bar *progress) (list []measurement, remarks []string, err error) {
	if t, err = t.at(stage); err != nil {
		return nil, nil, err
	}
	lanes, err := newLanes(t, stage, names)
	if err != nil {
		return nil, nil, err
	}
	what := t.name + " " + string(stage)
	bar.step(0, what+": checking")
	if lanes, remarks, err = check(t, lanes, minTurn); err != nil {
		return nil, nil, err
	}
	bar.step(1, what+": throughput")
	if err := throughput(t, lanes, c.Time/2); err != nil {
		return nil, nil, err
	}
	bar.step(1, what+": latency")
	if err := latency(t, lanes, c.Time/2); err != nil {
		return nil, nil, err
	}
	bar.step(1, what)
	return results(t, lanes), remarks, nil
}

// note prints what has to be known to read the table.
func (c *runCmd) note(s *streams, list []measurement, pinned string, remarks []string) error {
	var b strings.Builder
	for _, remark := range remarks {
		b.WriteString("\n" + remark)
	}
	fmt.Fprintf(&b, `
ns/entry: %s, median of %d or more turns; one codec after another passes over
all of the corpus, so input comes from the L3 cache or memory. p50 to p99.9: wall
clock of single records, with %d ns for the clock; left out below 10 samples
beyond. MB/s: 1e6 bytes. copy is the floor, not a codec.
%s%s
%s
`, onecpu.UsedIs(), minTurns, clockCost().Nanoseconds(), otherEntries(list), machine(pinned), s.command)
	_, err := io.WriteString(s.out, b.String())
	return err
}

// otherEntries says what an entry is where it is no Entry.
func otherEntries(list []measurement) (text string) {
	reads := func(m measurement) bool { return m.Stage == stageRead }
	if slices.ContainsFunc(list, func(m measurement) bool { return m.Stage == stagePipeline }) {
		text += "Stage pipeline is not pinned: wall clock, on all CPUs. MB/s out is what is sent.\n"
	}
	if slices.ContainsFunc(list, reads) {
		text += "Of stage read an entry is a message, and the reference encoding/json.\n"
	}
	whole := func(m measurement) bool {
		return !slices.Contains(corpus.Names(), m.Corpus) && slices.Contains(allCorpora(), m.Corpus)
	}
	if slices.ContainsFunc(list, whole) {
		text += "An entry of tidb or baidu is a record: many rows.\n"
	}
	return text
}
