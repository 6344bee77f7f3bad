package main

import (
	"io"
	"path/filepath"
	"slices"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/internal/codec"
	"github.com/cdcodec/cdcodec/internal/corpus"
	"github.com/cdcodec/cdcodec/wire/canal"
)

// trafficFlags say what is measured on.
type trafficFlags struct {
	Corpus []string `placeholder:"NAME" help:"Measure on these corpora: ${corpora}. The last two are records of TiDB Binlog and ChangeDataSets: convert, or read if --stage says so."`
	Stage  []string `placeholder:"NAME" help:"Measure these stages: convert (to JSON), decode (read all columns of Entries), read (the messages that convert gives; of oltp, bulk and wide, unless --corpus names others); and for run pipeline (batches, by several workers; of oltp, unless --corpus names others)."`

	File      string `placeholder:"FILE" help:"Measure on the records in FILE instead (- is standard input). They are all held in memory."`
	From      string `enum:"entry,packet,tidb-binlog,changedataset,canal-json" default:"entry" help:"What a record in FILE is: ${enum}. Not all stages make sense of all."`
	Frame     string `enum:"u32be,uvarint,single,lines" default:"u32be" help:"How records lie in FILE: ${enum}."`
	MaxRecord number `placeholder:"BYTES" help:"Longest record in FILE to accept (default 256 MiB)."`

	piped bool // there is stage pipeline
}

// measuredMeta is the id and ts of all messages that are measured.
var measuredMeta = fastjson.Meta{ID: 1, TS: 1700000000000}

// measuredSeed is that of the corpora: the figures that are told anywhere are
// about these bytes.
const measuredSeed = 1

// traffic is records in memory.
type traffic struct {
	name    string
	records [][]byte
	from    cdcodec.Source
	entries int  // in all records; where these are no Canal's, the records
	bytes   int  // of all records
	own     bool // it is not one of the corpora: peers may fail on it
}

// options are those of the codecs for t.
func (t *traffic) options() codec.Options {
	return codec.Options{From: t.from, Meta: measuredMeta}
}

// makeTraffic makes a corpus of so many Entries, or as many as is usual.
func makeTraffic(name string, entries int) (*traffic, error) {
	c, err := corpus.Make(name, entries, measuredSeed)
	if err != nil {
		return nil, err
	}
	return &traffic{name: name, records: c.Entries, from: corpusSources[c.Source], entries: len(c.Entries), bytes: c.Size()}, nil
}

// corpusSources is what the records of corpora are to the library.
var corpusSources = map[corpus.Source]cdcodec.Source{
	corpus.CanalEntry: cdcodec.FromEntry, corpus.TiDBBinlog: cdcodec.FromTiDBBinlog, corpus.ChangeDataSet: cdcodec.FromChangeDataSet,
}

// read reads the file. A record that is bad ends it all, as in convert.
func (f *trafficFlags) read(s *streams) (*traffic, error) {
	flags := inputFlags{In: f.File, From: f.From, Frame: f.Frame}
	o, err := (&shapeFlags{}).optionsWith(&flags, nil)
	if err != nil {
		return nil, err
	}
	if o.MaxRecord, err = f.MaxRecord.limit("max-record"); err != nil {
		return nil, err
	}
	tr, err := cdcodec.New(o)
	if err != nil {
		return nil, usageError(err.Error())
	}
	in, err := flags.open(s, o.MaxRecord)
	if err != nil {
		return nil, err
	}
	defer in.Close()

	t := &traffic{name: filepath.Base(f.File), from: o.From, own: true}
	var js []byte
	for {
		record, err := in.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		if js, _, err = tr.Append(js[:0], nil, record, measuredMeta); err != nil {
			in.report(s.err, err)
			return nil, errBad
		}
		t.records = append(t.records, slices.Clone(record))
		t.entries += countEntries(record, t.from == cdcodec.FromPacket)
		t.bytes += len(record)
	}
	if t.entries == 0 {
		return nil, usageError("--file: there is nothing to measure in " + f.File)
	}
	return t, nil
}

// countEntries returns how many Entries a good record has, or is.
func countEntries(record []byte, packet bool) int {
	if !packet {
		return 1
	}
	p, _ := canal.ParsePacket(record)
	m, _ := p.Messages()
	n := 0
	for m.Next() {
		n++
	}
	return n
}

// checkCodecs returns an error for a name that is none.
func checkCodecs(names []string) error {
	for _, name := range names {
		if _, err := codec.New(name, codec.Options{}); err != nil {
			return usageError("--codec: " + err.Error())
		}
	}
	return nil
}
