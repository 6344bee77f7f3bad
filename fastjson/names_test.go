package fastjson

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cdcodec/cdcodec/change"
)

// modelTable is a nameTable said plainly: names after repair, in the order in
// which they came, each with its last column.
type modelTable struct {
	number map[string]int
	last   []*change.Column
}

func (m *modelTable) add(c *change.Column) int {
	name := slowRepair(c.Name)
	n, ok := m.number[name]
	if !ok {
		n = len(m.last)
		m.number[name] = n
		m.last = append(m.last, nil)
	}
	m.last[n] = c
	return n
}

// randomNames returns count names, most of them drawn from a few: short ones, long
// ones, the empty one, and ones that are equal only after repair.
func randomNames(rnd *rand.Rand, count, distinct int) [][]byte {
	alike := []string{
		"", "id", "ID", "\xff", "\xfe", "\ufffd", "\xed\xa0\x80", "\xed\xa0", "\xe2\x82", "\xc0\x80", "\xff\xff", "\ufffd\xff",
		"a\xff", "a\xe2\x82", "a\ufffd", "a\xed\xbf\xbf", "\xffa", "\ufffda", "名字", "名字\xe5", "名字\xe5\xad", "名字\ufffd",
		strings.Repeat("long_", 20), strings.Repeat("long_", 20) + "\xff", strings.Repeat("long_", 20) + "\xf0\x9f",
	}
	names := make([][]byte, count)
	for i := range names {
		if rnd.IntN(4) == 0 {
			names[i] = []byte(alike[rnd.IntN(len(alike))])
			continue
		}
		names[i] = fmt.Appendf(nil, "column_%d", rnd.IntN(distinct))
	}
	return names
}

// listOf returns a List of one row with columns of those names, and the columns.
func listOf(rnd *rand.Rand, names [][]byte) (*change.List, []*change.Column) {
	row := change.Row{After: make([]change.Column, len(names))}
	for i, name := range names {
		row.After[i] = change.Column{Name: name, SQLType: rnd.Int32(), MySQLType: fmt.Appendf(nil, "type %d", i)}
	}
	list := change.NewList(row)
	columns := make([]*change.Column, len(names))
	for i := range columns {
		columns[i] = &row.After[i]
	}
	return list, columns
}

// checkTable compares a table with its model.
func checkTable(t *testing.T, table *nameTable, m *modelTable) {
	t.Helper()
	if len(table.entries) != len(m.last) {
		t.Fatalf("%d names, want %d", len(table.entries), len(m.last))
	}
	for n, want := range m.last {
		got, e := table.column(n), table.entries[n]
		if slowRepair(got.name) != slowRepair(want.Name) || string(got.mysqlType) != string(want.MySQLType) ||
			got.sqlType != want.SQLType || e.ref != want.Ref {
			t.Fatalf("name %d: %q %q %d ref %d, want %+v", n, got.name, got.mysqlType, got.sqlType, e.ref, want)
		}
	}
}

// TestNamesAgainstMap fills one table again and again, with more and fewer names
// than it is told of, and with guesses that are right, wrong and out of bounds.
func TestNamesAgainstMap(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	var table nameTable
	over := 0
	for range 400 {
		count, distinct := rnd.IntN(40), 1+rnd.IntN(30)
		if rnd.IntN(8) == 0 {
			count, distinct = rnd.IntN(2000), 1+rnd.IntN(1000) // beyond maxLast
		}
		rows, columns := listOf(rnd, randomNames(rnd, count, distinct))
		m := modelTable{number: map[string]int{}}
		told := rows.MaxNames(change.After)
		if rnd.IntN(3) == 0 {
			told = rnd.IntN(told + 1) // a lie
		}
		table.reset(rows, told)
		checkTable(t, &table, &m)
		for _, c := range columns {
			switch rnd.IntN(4) {
			case 0:
				table.guess = rnd.IntN(len(m.last) + 3)
			case 1:
				table.guess = 0
			}
			if e := table.find(c.Name); (e != nil) != hasName(&m, c.Name) {
				t.Fatalf("find(%q) gives %v", c.Name, e)
			}
			n := m.add(c)
			if e := table.add(c); e != &table.entries[n] || e.ref != c.Ref {
				t.Fatalf("add(%q) gives %+v, want entry %d: %+v", c.Name, e, n, table.entries[n])
			}
		}
		checkTable(t, &table, &m)
		for name, n := range m.number {
			table.guess = rnd.IntN(len(m.last) + 3)
			if e := table.find([]byte(name)); e != &table.entries[n] {
				t.Fatalf("find(%q) gives %+v, want entry %d", name, e, n)
			}
		}
		if e := table.find([]byte("a name that is not there")); e != nil {
			t.Fatalf("%+v", e)
		}
		if len(m.last) > maxLast {
			over++
		}
		if rnd.IntN(2) == 0 {
			table.release()
		}
	}
	if over < 10 {
		t.Errorf("only %d tables had more than %d names", over, maxLast)
	}
}

func hasName(m *modelTable, name []byte) bool {
	_, ok := m.number[slowRepair(name)]
	return ok
}

// TestNamesNewEntry has a new name begin as one that no row has met or updated,
// and an old one keep what is known of it.
func TestNamesNewEntry(t *testing.T) {
	rows, columns := listOf(rand.New(rand.NewPCG(3, 4)), [][]byte{[]byte("a"), []byte("b"), []byte("a")})
	var table nameTable
	for range 2 { // nothing is left from the first time
		table.reset(rows, 2)
		e := table.add(columns[0])
		if e.stamp != 0 || e.since != never {
			t.Errorf("a new name has %+v", e)
		}
		e.stamp, e.since = 7, 3
		table.add(columns[1])
		if e := table.add(columns[2]); e.stamp != 7 || e.since != 3 || e.ref != columns[2].Ref {
			t.Errorf("the name met again has %+v", e)
		}
	}
}

// TestNamesGrow tells a table of one name and gives it very many.
func TestNamesGrow(t *testing.T) {
	names := make([][]byte, 20_000)
	for i := range names {
		names[i] = fmt.Appendf(nil, "n%d", i)
	}
	rows, columns := listOf(rand.New(rand.NewPCG(5, 6)), names)
	for _, told := range []int{0, 1, 14, 15, 256, 19_999} {
		var table nameTable
		table.reset(rows, told)
		m := modelTable{number: map[string]int{}}
		for _, c := range columns {
			table.add(c)
			m.add(c)
		}
		checkTable(t, &table, &m)
		if len(table.entries) > len(table.slots)*7/8+1 {
			t.Errorf("told of %d: %d names in %d slots", told, len(table.entries), len(table.slots))
		}
	}
}

// TestNamesMemory holds a table to what its comment promises for names it is told
// of, and to giving back what is large.
func TestNamesMemory(t *testing.T) {
	rows, columns := listOf(rand.New(rand.NewPCG(7, 8)), [][]byte{[]byte("a")})
	for _, told := range []int{0, 1, 14, 15, 1000, 28_672, 28_673, keepEntries, keepEntries + 1, 100_000} {
		var table nameTable
		table.reset(rows, told)
		table.add(columns[0])
		if size := 16*cap(table.entries) + 4*cap(table.slots); size > 21*max(told, 16) {
			t.Errorf("told of %d names it takes %d bytes, %.1f for each", told, size, float64(size)/float64(told))
		}
		if len(table.slots)*7/8+1 < told {
			t.Errorf("%d slots for %d names", len(table.slots), told)
		}
		table.release()
		if kept := cap(table.entries) > 0; kept != (told <= keepEntries) || !kept && table.slots != nil {
			t.Errorf("told of %d: after release there is room for %d names in %d slots", told, cap(table.entries), len(table.slots))
		}
	}
}

// TestNamesRelease wants nothing of the record to be held on to, and the memory
// to be used again.
func TestNamesRelease(t *testing.T) {
	rnd := rand.New(rand.NewPCG(9, 10))
	rows, columns := listOf(rnd, randomNames(rnd, 400, 300))
	var table nameTable
	fill := func() {
		table.reset(rows, len(columns))
		for _, c := range columns {
			table.add(c)
		}
	}
	fill()
	table.release()
	if table.rows != nil {
		t.Error("the rows are kept")
	}
	for i, l := range table.last[:cap(table.last)] {
		if l.name != nil || l.mysqlType != nil {
			t.Errorf("the name %q at %d is kept", l.name, i)
		}
	}
	if n := testing.AllocsPerRun(20, fill); n != 0 {
		t.Errorf("%v allocations to fill a table again", n)
	}
}

// TestWriterKeepsNothing looks into a Writer after an Event with a name twice in
// either image, and after one with an error.
func TestWriterKeepsNothing(t *testing.T) {
	columns := func() []change.Column {
		return []change.Column{{Name: []byte("a"), Updated: true}, {Name: []byte("b")}, {Name: []byte("a"), Updated: true, Value: []byte("\xff")}}
	}
	for _, reject := range []bool{false, true} {
		w, err := NewWriter(Options{RejectInvalidUTF8: reject})
		if err != nil {
			t.Fatal(err)
		}
		ev := change.Event{Type: change.Update, Rows: change.NewList(change.Row{Before: columns(), After: columns()})}
		if _, err := w.AppendEvent(nil, &ev, Meta{}); (err != nil) != reject {
			t.Error(err)
		}
		for _, table := range []*nameTable{&w.names, &w.twice} {
			if table.rows != nil || len(table.last) > 0 {
				t.Errorf("reject %v: rows %v, names %v", reject, table.rows, table.last)
			}
			for _, l := range table.last[:cap(table.last)] {
				if l.name != nil || l.mysqlType != nil {
					t.Errorf("reject %v: %q is kept", reject, l.name)
				}
			}
		}
	}
}
