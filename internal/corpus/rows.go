package corpus

import (
	"strconv"

	"github.com/cdcodec/cdcodec/internal/pb/canalpb"
)

// A generator is the state of the database that an Entry changes: how many
// rows its tables have, where its binlog stands and what time it is.
type generator struct {
	random
	tables  []table
	nextKey []int64              // by table
	order   [3]canalpb.EventType // of the types of three Entries
	at      place
	clock   int64 // ms
}

func newGenerator(seed uint64, tables []table) *generator {
	g := &generator{
		random: random{seed},
		tables: tables,
		at:     place{offset: 154, transaction: 1_204_511},
		clock:  1_690_000_000_000,
	}
	for _, t := range tables {
		g.nextKey = append(g.nextKey, t.firstKey+10_000) // which were there before
	}
	return g
}

// The types of row Entries, in equal parts.
var rowEvents = [3]canalpb.EventType{canalpb.EventType_INSERT, canalpb.EventType_UPDATE, canalpb.EventType_DELETE}

// newOLTP makes changes of one row, of tables that chance picks.
func newOLTP(seed uint64) maker { return oneRow(newGenerator(seed, tables)) }

// oneRow makes changes of one row. Of three Entries one each is of each type;
// chance picks their order, and the tables.
func oneRow(g *generator) maker {
	return func(i int) ([]byte, int) {
		if i%3 == 0 {
			g.order = rowEvents
			for k := 2; k > 0; k-- {
				j := g.below(k + 1)
				g.order[k], g.order[j] = g.order[j], g.order[k]
			}
		}
		return g.entry(g.below(len(g.tables)), g.order[i%3], 1), 1
	}
}

// newBulk makes changes of 500 rows, with types and tables in turn.
func newBulk(seed uint64) maker {
	const rows = 500
	g := newGenerator(seed, tables)
	return func(i int) ([]byte, int) {
		return g.entry(i%len(g.tables), rowEvents[i%len(rowEvents)], rows), rows
	}
}

// entry makes a change of rows that is a transaction of its own.
func (g *generator) entry(ti int, event canalpb.EventType, rows int) []byte {
	g.tick()
	g.at.transaction++
	return g.statement(ti, event, rows)
}

// tick moves the clock on.
func (g *generator) tick() {
	g.clock += int64(g.below(40))
	g.at.time = g.clock / 1000
}

// statement makes a change of rows, and moves the binlog on.
func (g *generator) statement(ti int, event canalpb.EventType, rows int) []byte {
	t := &g.tables[ti]
	var changed []int
	if event == canalpb.EventType_UPDATE {
		changed = g.someColumns(t)
	}
	length := int64(35) // of a row event without rows
	data := make([]*canalpb.RowData, rows)
	for i := range data {
		var before, after row
		switch event {
		case canalpb.EventType_INSERT:
			after = g.row(t, g.nextKey[ti])
			g.nextKey[ti]++
		case canalpb.EventType_DELETE:
			before = g.row(t, g.oldKey(ti))
		default:
			before = g.row(t, g.oldKey(ti))
			after = g.change(t, before, changed)
		}
		length += before.logged() + after.logged()
		data[i] = t.rowData(before, after)
	}
	return rowsEntry(g.place(length), t, event, data)
}

// place returns that of an event of so many bytes, and moves on behind it.
func (g *generator) place(length int64) place {
	at := g.at
	at.length = length
	g.at.offset += length
	return at
}

// oldKey picks a row that is there.
func (g *generator) oldKey(ti int) int64 {
	first := g.tables[ti].firstKey
	return first + int64(g.below(int(g.nextKey[ti]-first)))
}

// someColumns picks 1 to 3 columns other than the key.
func (g *generator) someColumns(t *table) []int {
	others := make([]int, len(t.columns)-1)
	for i := range others {
		others[i] = i + 1
	}
	n := g.between(1, 3)
	for i := range n {
		j := i + g.below(len(others)-i)
		others[i], others[j] = others[j], others[i]
	}
	return others[:n]
}

// row makes a row by its key.
func (g *generator) row(t *table, id int64) row {
	r := make(row, len(t.columns))
	r[0].text = strconv.FormatInt(id, 10)
	for i := 1; i < len(r); i++ {
		r[i] = g.cell(&t.columns[i])
	}
	return r
}

// change makes the row that an UPDATE of some columns leaves.
func (g *generator) change(t *table, before row, columns []int) row {
	after := append(row(nil), before...)
	for _, i := range columns {
		for after[i] == before[i] {
			after[i] = g.cell(&t.columns[i])
		}
	}
	return after
}

func (g *generator) cell(c *column) cell {
	if g.below(100) < c.null {
		return cell{null: true}
	}
	return cell{text: g.value(c.kind, g.at.time)}
}

// logged is about what a row takes in the binlog, bytes.
func (r row) logged() int64 {
	n := len(r)
	for _, c := range r {
		n += len(c.text)
	}
	return int64(n)
}
