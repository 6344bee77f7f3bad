package main

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/internal/corpus"
)

// A stage is a part of the work.
type stage string

const (
	stageConvert stage = "convert"
	stageDecode  stage = "decode"
	stageRead    stage = "read"

	stagePipeline stage = "pipeline" // of run alone: pipestage.go
)

// allStages is all that codecs have, in the order of their listing.
var allStages = []stage{stageConvert, stageDecode, stageRead}

// allCorpora names the corpora of all sources.
func allCorpora() []string {
	return corpus.NamesOf(corpus.CanalEntry, corpus.TiDBBinlog, corpus.ChangeDataSet)
}

// readCorpora is the corpora whose messages are read where no others are named: in
// the others there is one long text, or nothing new.
var readCorpora = []string{"oltp", "bulk", "wide"}

// pipedCorpus goes through Pipelines where no other corpus is named.
const pipedCorpus = "oltp"

// takes reports whether the stage makes sense of such records.
func (s stage) takes(from cdcodec.Source) bool {
	switch s {
	case stageConvert, stagePipeline: // there is no reference for JSON that is converted to JSON
		return from != cdcodec.FromCanalJSON
	case stageDecode:
		return from == cdcodec.FromEntry || from == cdcodec.FromPacket
	}
	return true
}

// A source is traffic that is not in memory yet, so that only one is at a time, and
// what is measured on it.
type source struct {
	name   string
	load   func() (*traffic, error)
	stages []stage
}

// sources returns what the flags name. Where they name none it is the corpora
// usual, and the stages usual.
func (f *trafficFlags) sources(s *streams, corpora []string, stages ...stage) ([]source, error) {
	named := len(f.Stage) > 0
	if named {
		stages = nil
	}
	known := allStages
	if f.piped {
		known = append(known[:len(known):len(known)], stagePipeline)
	}
	for _, name := range f.Stage {
		if !slices.Contains(known, stage(name)) {
			return nil, usageError(fmt.Sprintf("--stage: no stage is named %q; there are %s", name, stageNames(known)))
		}
		stages = append(stages, stage(name))
	}
	if f.File != "" {
		if len(f.Corpus) > 0 {
			return nil, usageError("--file and --corpus exclude each other")
		}
		sense := sensible(stages, sourceNames[f.From])
		if len(sense) == 0 || named && len(sense) < len(stages) {
			return nil, usageError(fmt.Sprintf("--from %s: there are no stages but %s", f.From, stageNames(sensible(known, sourceNames[f.From]))))
		}
		return []source{{filepath.Base(f.File), func() (*traffic, error) { return f.read(s) }, sense}}, nil
	}
	if len(f.Corpus) > 0 {
		corpora = f.Corpus
	}
	var list []source
	for _, name := range corpora {
		if !slices.Contains(allCorpora(), name) {
			return nil, usageError(fmt.Sprintf("--corpus: no corpus is named %q; there are %s", name, strings.Join(allCorpora(), ", ")))
		}
		from := corpusFrom(name)
		sense := sensible(stages, from)
		if !slices.Contains(readCorpora, name) && (!named || len(f.Corpus) == 0) {
			sense = slices.DeleteFunc(sense, func(s stage) bool { return s == stageRead })
		}
		if name != pipedCorpus && (!named || len(f.Corpus) == 0) {
			sense = slices.DeleteFunc(sense, func(s stage) bool { return s == stagePipeline })
		}
		switch {
		case len(sense) > 0:
			list = append(list, source{name, func() (*traffic, error) { return makeTraffic(name, 0) }, sense})
		case len(f.Corpus) > 0:
			return nil, usageError(fmt.Sprintf("--stage %s: %s has no stages but %s", stageNames(stages), name, stageNames(sensible(known, from))))
		}
	}
	return list, nil
}

// corpusFrom returns what the records of a corpus are.
func corpusFrom(name string) cdcodec.Source {
	for of, from := range corpusSources {
		if slices.Contains(corpus.NamesOf(of), name) {
			return from
		}
	}
	return cdcodec.FromEntry
}

// sensible returns those stages that make sense of such records.
func sensible(stages []stage, from cdcodec.Source) (list []stage) {
	for _, s := range stages {
		if s.takes(from) {
			list = append(list, s)
		}
	}
	return list
}

func stageNames(stages []stage) string {
	var names []string
	for _, s := range stages {
		names = append(names, string(s))
	}
	return strings.Join(names, ", ")
}

// pairsOf returns how many stages of sources there are.
func pairsOf(sources []source) (n int) {
	for _, s := range sources {
		n += len(s.stages)
	}
	return n
}

// at returns what the stage works on: t, or for read its messages.
func (t *traffic) at(s stage) (*traffic, error) {
	if s != stageRead {
		return t, nil
	}
	m := &traffic{name: t.name, from: cdcodec.FromCanalJSON, own: t.own}
	split := splitMessages
	if t.from != cdcodec.FromCanalJSON {
		tr, err := cdcodec.New(cdcodec.Options{From: t.from})
		if err != nil {
			return nil, err
		}
		split = func(record []byte, message func([]byte)) error {
			js, msgs, err := tr.Append(nil, nil, record, measuredMeta)
			for _, m := range msgs {
				message(js[m.Start:m.End:m.End])
			}
			return err
		}
	}
	for i, record := range t.records {
		err := split(record, func(b []byte) {
			m.records = append(m.records, b)
			m.bytes += len(b)
		})
		if err != nil {
			return nil, fmt.Errorf("%s, record %d: %w", t.name, i, err)
		}
	}
	if m.entries = len(m.records); m.entries == 0 {
		return nil, usageError("--stage read: there is no message in " + t.name)
	}
	return m, nil
}

// splitMessages calls message for each of the messages in a record of Canal-JSON.
func splitMessages(record []byte, message func([]byte)) error {
	var r fastjson.Reader
	var ev change.Event
	for rest := record; ; {
		more, err := r.Next(&ev, nil, rest)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		message(rest[:len(rest)-len(more)])
		rest = more
	}
}
