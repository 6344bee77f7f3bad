package main

import (
	"github.com/cdcodec/cdcodec/internal/corpus"
	"github.com/cdcodec/cdcodec/wire/frame"
)

// genCmd is "cdcbench gen".
type genCmd struct {
	Corpus  string `required:"" placeholder:"NAME" help:"Which corpus: ${corpora}."`
	Entries number `placeholder:"N" help:"How many Entries, or records of tidb and baidu (default: as many as are measured)."`
	Seed    uint64 `default:"1" help:"Another seed gives other traffic of the same kind; the same one gives the same bytes, everywhere."`
	As      string `enum:",entry,packet,json" default:"" placeholder:"KIND" help:"What a record is: entry; packet, which has 1 to 100 Entries; or json, the messages that convert makes, of any corpus (default: what the corpus has: Entries; Binlogs or ChangeDataSets)."`
	Frame   string `enum:",u32be,uvarint,lines" default:"" placeholder:"KIND" help:"How records lie in the output: u32be, uvarint, or, for json only, lines (default: lines for json, else u32be)."`
	Out     string `name:"out" short:"o" placeholder:"FILE" help:"Write to FILE instead of standard output."`
}

// Help is printed below the flags.
func (c *genCmd) Help() string {
	return `What it writes is input for the other commands:

  cdcbench gen --corpus stream --as packet -o stream.bin
  cdcbench convert --from packet -i stream.bin
  cdcbench run --from packet --file stream.bin
  cdcbench gen --corpus tidb | cdcbench convert --from tidb-binlog --dialect ticdc
  cdcbench gen --corpus oltp --as json | cdcbench convert --from canal-json --frame lines`
}

// Run writes a corpus.
func (c *genCmd) Run(s *streams) (err error) {
	kind, err := c.frame()
	if err != nil {
		return err
	}
	entries, err := c.Entries.limit("entries")
	if err != nil {
		return usageError("--entries: not a number of Entries")
	}
	made, err := corpus.Make(c.Corpus, entries, c.Seed)
	if err != nil {
		return usageError(err.Error())
	}
	records := made.Entries
	switch {
	case c.As == "json":
		t := &traffic{name: c.Corpus, records: made.Entries, from: corpusSources[made.Source]}
		if t, err = t.at(stageRead); err != nil {
			return err
		}
		records = t.records
	case c.As != "" && made.Source != corpus.CanalEntry:
		return usageError("--as " + c.As + ": " + c.Corpus + " has no Entries")
	case c.As == "packet":
		records = made.Packets()
	}
	out, err := openOutput(s, c.Out, kind, nil)
	if err != nil {
		return err
	}
	defer func() {
		if cerr := out.Close(); err == nil {
			err = cerr
		}
	}()
	for _, record := range records {
		if err := out.item(record); err != nil {
			return err
		}
	}
	return nil
}

// frame returns how records lie in the output.
func (c *genCmd) frame() (frame.Kind, error) {
	name := c.Frame
	switch {
	case name == "lines" && c.As != "json":
		return 0, usageError("--frame lines needs --as json: other records are no lines")
	case name == "" && c.As == "json":
		name = "lines"
	case name == "":
		name = "u32be"
	}
	kind, err := frame.ParseKind(name)
	if err != nil {
		return 0, usageError(err.Error())
	}
	return kind, nil
}
