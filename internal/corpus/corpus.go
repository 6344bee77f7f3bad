package corpus

import (
	"fmt"
	"strings"
)

// Corpus is a named sequence of encoded Canal Entries.
type Corpus struct {
	Name    string
	Entries [][]byte // capped, each in memory of its own
	Rows    int      // in all Entries together
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
// Packet has what is left.
func (c Corpus) Packets() [][]byte {
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

// A maker makes one Entry after another, and says how many rows are in each. It
// is given their numbers, from 0 on.
type maker func(i int) (entry []byte, rows int)

// A recipe is how to make a corpus, and its usual number of Entries.
type recipe struct {
	name  string
	usual int
	maker func(seed uint64) maker
}

// recipes is all corpora there are, in the order of their listing.
var recipes = []recipe{
	{"oltp", 5000, newOLTP},
	{"bulk", 20, newBulk},
	{"wide", 200, newWide},
	{"blob", 100, newBlob},
	{"prose", 100, newProse},
	{"stream", 20_000, newStream},
}

// Names returns the names that Make knows.
func Names() []string {
	var names []string
	for _, r := range recipes {
		names = append(names, r.name)
	}
	return names
}

// Make makes a corpus of so many Entries; 0 means as many as is usual for it.
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
		c := Corpus{Name: name, Entries: make([][]byte, entries)}
		next := r.maker(seed)
		for i := range c.Entries {
			entry, rows := next(i)
			c.Entries[i] = entry[:len(entry):len(entry)]
			c.Rows += rows
		}
		return c, nil
	}
	return Corpus{}, fmt.Errorf("corpus: no corpus is named %q; there are %s", name, strings.Join(Names(), ", "))
}
