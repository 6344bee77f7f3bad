package corpus

import (
	"fmt"
	"slices"
	"strings"
)

// Source says what the records of a corpus are.
type Source uint8

// The sources. All that Names lists is of the first.
const (
	CanalEntry    Source = iota // an Entry of Canal
	TiDBBinlog                  // a Binlog of TiDB
	ChangeDataSet               // a ChangeDataSet of Baidu
)

// Corpus is a named sequence of encoded records.
type Corpus struct {
	Name    string
	Source  Source
	Entries [][]byte // the records: capped, each in memory of its own
	Rows    int      // in all of them together
}

// Size returns the bytes of all Entries together.
func (c Corpus) Size() int {
	n := 0
	for _, e := range c.Entries {
		n += len(e)
	}
	return n
}

// Packets returns the Entries as Canal puts them on Kafka: in order, 1 to 100 in
// a Packet. The numbers are drawn, the same ones for every corpus; the last
// Packet has what is left. Of another Source there are none.
func (c Corpus) Packets() [][]byte {
	if c.Source != CanalEntry {
		return nil
	}
	var packets [][]byte
	sizes := random{100}
	for rest := c.Entries; len(rest) > 0; {
		n := min(sizes.between(1, 100), len(rest))
		p := packet(rest[:n])
		packets = append(packets, p[:len(p):len(p)])
		rest = rest[n:]
	}
	return packets
}

// A maker makes one record after another, and says how many rows are in each. It
// is given their numbers, from 0 on.
type maker func(i int) (entry []byte, rows int)

// A recipe is how to make a corpus, and its usual number of records.
type recipe struct {
	name   string
	source Source
	usual  int
	maker  func(seed uint64) maker
}

// recipes is all corpora there are, in the order of their listing.
var recipes = []recipe{
	{"oltp", CanalEntry, 5000, newOLTP},
	{"bulk", CanalEntry, 20, newBulk},
	{"wide", CanalEntry, 200, newWide},
	{"blob", CanalEntry, 100, newBlob},
	{"prose", CanalEntry, 100, newProse},
	{"stream", CanalEntry, 20_000, newStream},
	{"tidb", TiDBBinlog, 1000, newTiDB},
	{"baidu", ChangeDataSet, 1000, newBaidu},
}

// Names returns the names of the corpora of Canal Entries.
func Names() []string { return NamesOf(CanalEntry) }

// NamesOf returns the names of the corpora whose records are of that source, or of
// one of them if there are several.
func NamesOf(sources ...Source) []string {
	var names []string
	for _, r := range recipes {
		if slices.Contains(sources, r.source) {
			names = append(names, r.name)
		}
	}
	return names
}

// Make makes a corpus of so many records; 0 means as many as is usual for it.
// A longer corpus of the same seed begins with the shorter one.
func Make(name string, entries int, seed uint64) (Corpus, error) {
	if entries < 0 {
		return Corpus{}, fmt.Errorf("corpus: %d entries", entries)
	}
	for _, r := range recipes {
		if r.name != name {
			continue
		}
		if entries == 0 {
			entries = r.usual
		}
		c := Corpus{Name: name, Source: r.source, Entries: make([][]byte, entries)}
		next := r.maker(seed)
		for i := range c.Entries {
			entry, rows := next(i)
			c.Entries[i] = entry[:len(entry):len(entry)]
			c.Rows += rows
		}
		return c, nil
	}
	return Corpus{}, fmt.Errorf("corpus: no corpus is named %q; there are %s", name, strings.Join(NamesOf(CanalEntry, TiDBBinlog, ChangeDataSet), ", "))
}
