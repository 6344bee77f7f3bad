package main

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/internal/codec"
	"github.com/cdcodec/cdcodec/internal/corpus"
	"github.com/cdcodec/cdcodec/wire/canal"
)

// trafficFlags say what is measured on.
type trafficFlags struct {
	Corpus []string `placeholder:"NAME" help:"Measure on these corpora: ${corpora}."`
	Stage  []string `placeholder:"NAME" help:"Measure these stages: convert (to JSON), decode (read all columns)."`

	File      string `placeholder:"FILE" help:"Measure on the records in FILE instead (- is standard input). They are all held in memory."`
	From      string `enum:"entry,packet" default:"entry" help:"What a record in FILE is: ${enum}."`
	Frame     string `enum:"u32be,uvarint,single,lines" default:"u32be" help:"How records lie in FILE: ${enum}."`
	MaxRecord number `placeholder:"BYTES" help:"Longest record in FILE to accept (default 256 MiB)."`
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
	packets bool // a record is a Packet of Entries
	entries int  // in all records
	bytes   int  // of all records
	own     bool // it is not one of the corpora: peers may fail on it
}

// options are those of the codecs for t.
func (t *traffic) options() codec.Options {
	return codec.Options{Packets: t.packets, Meta: measuredMeta}
}

// A source is traffic that is not in memory yet, so that only one is at a time.
type source struct {
	name string
	load func() (*traffic, error)
}

// sources returns what the flags name, or the corpora usual if they name none.
func (f *trafficFlags) sources(s *streams, usual ...string) ([]source, error) {
	if f.File != "" {
		if len(f.Corpus) > 0 {
			return nil, usageError("--file and --corpus exclude each other")
		}
		return []source{{filepath.Base(f.File), func() (*traffic, error) { return f.read(s) }}}, nil
	}
	names := f.Corpus
	if len(names) == 0 {
		names = usual
	}
	var list []source
	for _, name := range names {
		if !slices.Contains(corpus.Names(), name) {
			return nil, usageError(fmt.Sprintf("--corpus: no corpus is named %q; there are %s", name, strings.Join(corpus.Names(), ", ")))
		}
		list = append(list, source{name, func() (*traffic, error) { return makeTraffic(name, 0) }})
	}
	return list, nil
}

// makeTraffic makes a corpus of so many Entries, or as many as is usual.
func makeTraffic(name string, entries int) (*traffic, error) {
	c, err := corpus.Make(name, entries, measuredSeed)
	if err != nil {
		return nil, err
	}
	return &traffic{name: name, records: c.Entries, entries: len(c.Entries), bytes: c.Size()}, nil
}

// read reads the file. A record that is bad ends it all, as in convert.
func (f *trafficFlags) read(s *streams) (*traffic, error) {
	flags := inputFlags{In: f.File, From: f.From, Frame: f.Frame}
	o, err := (&shapeFlags{}).options(&flags)
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

	t := &traffic{name: filepath.Base(f.File), packets: f.From == "packet", own: true}
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
		t.entries += countEntries(record, t.packets)
		t.bytes += len(record)
	}
	if t.entries == 0 {
		return nil, usageError("--file: there is no Entry in " + f.File)
	}
	return t, nil
}

// countEntries returns how many Entries a good record has.
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

// A stage is a part of the work.
type stage string

const (
	stageConvert stage = "convert"
	stageDecode  stage = "decode"
)

// stages returns what the flags name, or the stages usual if they name none.
func (f *trafficFlags) stages(usual ...stage) ([]stage, error) {
	if len(f.Stage) == 0 {
		return usual, nil
	}
	var list []stage
	for _, name := range f.Stage {
		switch s := stage(name); s {
		case stageConvert, stageDecode:
			list = append(list, s)
		default:
			return nil, usageError(fmt.Sprintf("--stage: no stage is named %q; there are %s, %s", name, stageConvert, stageDecode))
		}
	}
	return list, nil
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
