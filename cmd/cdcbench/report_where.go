package main

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/cdcodec/cdcodec/internal/codec"
)

// where says what was measured where.
func (p *page) where() []fact {
	machine := p.machine
	if machine == "" {
		machine = "not told; the figures come without it (--machine)"
	}
	facts := []fact{{"Machine", machine}}
	if !p.date.IsZero() {
		facts = append(facts, fact{"Date", when(p.date)})
	}
	facts = append(facts, fact{"Command", p.command})
	return append(facts, p.facts...)
}

// corpusTexts says what an entry of the corpora is; package corpus has more.
var corpusTexts = map[string]string{
	"oltp":   "one row of 10 columns",
	"bulk":   "500 rows of 10 columns",
	"wide":   "one row of 200 columns",
	"blob":   "one row with 64 KiB full of escapes",
	"prose":  "one row with 64 KiB, few escapes",
	"stream": "a part of a transaction, or a DDL",
	"tidb":   "a Binlog, of 10.3 rows",
	"baidu":  "a ChangeDataSet, of 5.4 rows",
}

// corpora is a table of what was measured on.
func (p *page) corpora() reportTable {
	t := reportTable{Caption: "Corpora", Head: []string{"entries", "in", "out"}}
	for _, name := range p.corporaOf("") {
		row := reportRow{Name: name, Note: corpusTexts[name], Cells: make([]string, 3)}
		for _, m := range p.list {
			if m.Corpus != name || m.Stage == stageRead && row.Cells[0] != "" {
				continue
			}
			row.Cells[0] = thousands(strconv.Itoa(m.Entries))
			row.Cells[1] = megabytes(m.InBytes)
			if m.Stage == stageConvert && m.OutBytes > 0 && !isFloor(m.Codec) {
				row.Cells[2] = megabytes(m.OutBytes)
			}
		}
		t.Rows = append(t.Rows, row)
	}
	t.dropEmpty()
	return t
}

// notes is what has to be known to read the page.
func (p *page) notes() (list []string) {
	has := func(f func(m measurement) bool) bool { return slices.ContainsFunc(p.list, f) }
	list = append(list,
		"Times are the median over turns: one codec after another passes over all of the corpus, so that input comes from the L3 cache or memory. MB is 1e6 bytes.",
		"p50, p99 and p99.9 are wall clock of single records, measured apart; left out where fewer than ten samples lie beyond.")
	if has(func(m measurement) bool { return m.Codec == codec.Reference }) {
		list = append(list, "reference is protobuf-go and encoding/json, written plainly, with every check and repair that cdcodec makes; all outputs are held to it before anything is timed.")
	}
	if has(func(m measurement) bool { return isFloor(m.Codec) }) {
		list = append(list, "copy copies the record and does no work: it is the floor, not a codec.")
	}
	if has(func(m measurement) bool { return m.Stage == stageRead }) {
		list = append(list, fmt.Sprintf("At stage read an entry is a message, and what all are compared with is %s.", codec.JSON))
	}
	return list
}
