// Package corpus makes realistic traffic for tests, fuzzing and benchmarks:
// Canal Entries, the same bytes for the same name, count and seed, on every
// machine and for good.
//
// What a corpus holds is frozen: figures that were measured on it stay
// comparable, and a test pins its bytes. New traffic is a new name.
//
//	name  usual count  an Entry is                               about
//	oltp         5000  one row of 10 columns                     950 B
//	bulk           20  500 rows of 10 columns                    380 KB
//
// Both have the eight tables of tables.go, each drawn as often as the others,
// with a bigint key and nine columns more: int, decimal, varchar, datetime,
// tinyint and text in all of them, others in some. Values are those of
// values.go: a name in three is Chinese, a text is some 120 bytes with
// quotes in it, and one column of each table is NULL in three rows of four.
//
// A third of the Entries each is an INSERT, an UPDATE and a DELETE. An UPDATE
// has the full row before and after, and 1 to 3 columns in which they differ,
// the same ones in all rows of an Entry, as one statement would do. In oltp,
// chance picks the table, and the order of the types within three Entries;
// bulk has few Entries, and takes tables and types in turn.
//
// Fields are set as Canal sets them (canal.go): those that are always written,
// isNull and updated among them, are there when false too; length is never
// written.
//
// Sample is another thing: six Entries written by hand, to be shown.
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

// A recipe is how to make a corpus: its usual number of Entries, and a maker
// of the one Entry after another.
type recipe struct {
	name  string
	usual int
	entry func(g *generator, i int) (entry []byte, rows int)
}

// recipes is all corpora there are, in the order of their listing.
var recipes = []recipe{
	{"oltp", 5000, oltpEntry},
	{"bulk", 20, bulkEntry},
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
		g := newGenerator(seed)
		for i := range c.Entries {
			entry, rows := r.entry(g, i)
			c.Entries[i] = entry[:len(entry):len(entry)]
			c.Rows += rows
		}
		return c, nil
	}
	return Corpus{}, fmt.Errorf("corpus: no corpus is named %q; there are %s", name, strings.Join(Names(), ", "))
}
