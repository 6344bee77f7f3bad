package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/cdcodec/cdcodec/internal/onecpu"
)

// reportCmd is "cdcbench report".
type reportCmd struct {
	trafficFlags `embed:""`
	pipeFlags    `embed:""`

	Codec   []string      `placeholder:"NAME" help:"Measure these codecs: ${codecs}."`
	Time    time.Duration `default:"500ms" help:"How long to measure each stage of each corpus, as in run."`
	JSON    string        `name:"json" placeholder:"FILE" help:"Measure nothing: take what run --json has written to FILE (- is standard input)."`
	Machine string        `placeholder:"TEXT" help:"With --json: where it was measured, such as the line about it that run prints. FILE does not say."`
	Out     string        `name:"out" short:"o" default:"report.html" placeholder:"FILE" help:"Write the page to FILE (default report.html; - is standard output)."`
}

// Help is printed below the flags.
func (c *reportCmd) Help() string {
	return `Measures as run does, and writes a page with charts and tables of it: one file
that needs no other and no network, for screens of any size, by day and by night,
and for paper.

  cdcbench report -o report.html
  cdcbench run --json run.json && cdcbench report --json run.json`
}

// Run writes a report.
func (c *reportCmd) Run(s *streams) error {
	if err := c.check(); err != nil {
		return err
	}
	out, err := openReport(c.Out)
	if err != nil {
		return err
	}
	defer out.giveUp()
	if out.is(c.JSON) || out.is(c.File) {
		return usageError("--out: " + c.Out + " is the input as well")
	}
	p := page{command: s.command}
	if c.JSON != "" {
		err = c.read(s, &p)
	} else {
		err = c.measure(s, &p)
	}
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := p.render(&b); err != nil {
		return err
	}
	if c.Out == "-" {
		_, err = s.out.Write(b.Bytes())
		return err
	}
	if err := out.write(b.Bytes()); err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.out, "%s: %d measurements, %d kB\n", c.Out, len(p.list), (b.Len()+999)/1000)
	return err
}

// check says what of the flags does not go together.
func (c *reportCmd) check() error {
	measuring := len(c.Corpus) > 0 || len(c.Stage) > 0 || len(c.Codec) > 0 || c.File != ""
	switch {
	case c.JSON != "" && measuring:
		return usageError("--json measures nothing: it excludes --corpus, --stage, --codec and --file")
	case c.JSON == "" && c.Machine != "":
		return usageError("--machine is for --json: what is measured here is known to be")
	}
	return nil
}

// measure measures what run would.
func (c *reportCmd) measure(s *streams, p *page) error {
	r := runCmd{trafficFlags: c.trafficFlags, pipeFlags: c.pipeFlags, Codec: c.Codec, Time: c.Time}
	sources, names, err := r.plan(s)
	if err != nil {
		return err
	}
	var pinned string
	if p.list, pinned, p.remarks, err = r.collect(s, sources, names); err != nil {
		return err
	}
	p.date = time.Now()
	p.machine = machine(pinned)
	p.facts = append(p.facts,
		fact{"Times", fmt.Sprintf("%s; the median of %d or more turns", onecpu.UsedIs(), minTurns)},
		fact{"Clock", fmt.Sprintf("%d ns a reading, which is in the percentiles", clockCost().Nanoseconds())},
	)
	return nil
}

// read reads what was measured earlier.
func (c *reportCmd) read(s *streams, p *page) error {
	name := c.JSON
	r := s.in
	if name == "-" {
		name = "standard input"
	} else {
		file, err := os.Open(name)
		if err != nil {
			return err
		}
		defer file.Close()
		stat, err := file.Stat()
		if err != nil {
			return err
		}
		p.facts = append(p.facts, fact{"Figures from", filepath.Base(name) + ", written " + when(stat.ModTime())})
		r = file
	}
	list, err := readResults(r)
	if err == nil {
		err = checkResults(list)
	}
	if err != nil {
		return fmt.Errorf("%s: not what run --json writes: %w", name, err)
	}
	p.list = list
	p.machine = c.Machine
	return nil
}

// checkResults returns an error if there is something that cannot be shown.
func checkResults(list []measurement) error {
	if len(list) == 0 {
		return errors.New("there is nothing in it")
	}
	for i, m := range list {
		var bad string
		switch {
		case m.Corpus == "" || m.Stage == "" || m.Codec == "":
			bad = "no corpus, stage or codec"
		case m.Entries <= 0:
			bad = "no entries"
		case m.InBytes < 0 || m.OutBytes < 0:
			bad = "negative sizes"
		case !(m.NsPerEntry >= 1e-6 && m.NsPerEntry <= 1e18):
			bad = "no ns_per_entry that could be"
		}
		if bad != "" {
			return fmt.Errorf("element %d has %s", i, bad)
		}
	}
	return nil
}

// reportFile is the file that the page goes to. It is opened before anything is
// measured, so that half a minute is not spent for nothing, and what is in it stays
// until there is something better.
type reportFile struct {
	file  *os.File // nil for standard output
	fresh bool     // nothing has been there before
}

func openReport(name string) (*reportFile, error) {
	if name == "-" {
		return &reportFile{}, nil
	}
	_, err := os.Stat(name)
	file, openErr := os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o666)
	return &reportFile{file, os.IsNotExist(err)}, openErr
}

// is reports whether there is a file of that name, and it is this one.
func (f *reportFile) is(name string) bool {
	if f.file == nil || name == "" || name == "-" {
		return false
	}
	ours, err := f.file.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(name)
	return err == nil && os.SameFile(ours, there)
}

func (f *reportFile) write(b []byte) error {
	err := f.file.Truncate(0)
	if err != nil && f.isRegular() {
		return err
	}
	_, err = f.file.Write(b)
	err = cmp.Or(err, f.file.Close())
	f.file = nil
	return err
}

// isRegular tells a file from a terminal, a pipe or /dev/null, which have no length.
func (f *reportFile) isRegular() bool {
	stat, err := f.file.Stat()
	return err == nil && stat.Mode().IsRegular()
}

// giveUp leaves things as they were, unless there has been a write.
func (f *reportFile) giveUp() {
	if f.file == nil {
		return
	}
	f.file.Close()
	if f.fresh {
		os.Remove(f.file.Name())
	}
}

// when returns the time in words.
func when(t time.Time) string { return t.Format("2 January 2006, 15:04 MST") }
