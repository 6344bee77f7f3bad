package main

import (
	"github.com/cdcodec/cdcodec/internal/corpus"
	"github.com/cdcodec/cdcodec/wire/frame"
)

// genCmd is "cdcbench gen".
type genCmd struct {
	Corpus  string `required:"" placeholder:"NAME" help:"Which corpus: ${corpora}."`
	Entries number `placeholder:"N" help:"How many Entries (default: as many as are measured)."`
	Seed    uint64 `default:"1" help:"Another seed gives other traffic of the same kind; the same one gives the same bytes, everywhere."`
	As      string `enum:"entry,packet" default:"entry" help:"What a record is: ${enum}; a packet has 1 to 100 Entries."`
	Frame   string `enum:"u32be,uvarint" default:"u32be" help:"How records lie in the output: ${enum}."`
	Out     string `name:"out" short:"o" placeholder:"FILE" help:"Write to FILE instead of standard output."`
}

// Help is printed below the flags.
func (c *genCmd) Help() string {
	return `What it writes is input for the other commands:

  cdcbench gen --corpus stream --as packet -o stream.bin
  cdcbench convert --from packet -i stream.bin
  cdcbench run --from packet --file stream.bin`
}

// Run writes a corpus.
func (c *genCmd) Run(s *streams) (err error) {
	kind, err := frame.ParseKind(c.Frame)
	if err != nil {
		return usageError(err.Error())
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
	if c.As == "packet" {
		if made.Source != corpus.CanalEntry {
			return usageError("--as packet: " + c.Corpus + " has no Entries")
		}
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
