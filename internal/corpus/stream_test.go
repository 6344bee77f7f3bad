package corpus

import (
	"slices"
	"strings"
	"testing"

	"github.com/cdcodec/cdcodec/internal/pb/canalpb"
)

// TestStream plays stream back: every Entry must be of the transaction that is
// open, and the rows of a table look as it was made, and then as the last ALTER
// TABLE left it.
func TestStream(t *testing.T) {
	db := map[string]*shadow{}
	for _, t := range streamTables() {
		s := &shadow{id: t.id}
		for _, c := range t.columns {
			s.columns = append(s.columns, c.name)
		}
		db[t.schema+"."+t.name] = s
	}
	var entries, rows, several, ddls, transactions, missed int
	var types [16]int
	open, left := "", 0
	last := ""
	for i, wire := range usual(t, "stream").Entries {
		e, rc := decode(t, wire)
		gtid := e.Header.GetGtid()
		name := e.Header.GetSchemaName() + "." + e.Header.GetTableName()
		switch {
		case e.GetEntryType() == canalpb.EntryType_TRANSACTIONBEGIN:
			if open != "" || gtid == last {
				t.Fatalf("entry %d begins %s in %q, after %s", i, gtid, open, last)
			}
			transactions++
			open, last, left = gtid, gtid, 20
		case e.GetEntryType() == canalpb.EntryType_TRANSACTIONEND:
			if open != gtid || left == 20 {
				t.Fatalf("entry %d ends %s, which has %d entries, in %q", i, gtid, 20-left, open)
			}
			open = ""
		case rc.GetIsDdl():
			if open != "" || gtid == last {
				t.Fatalf("entry %d: a DDL, %s, in %q, after %s", i, gtid, open, last)
			}
			last = gtid
			ddls++
			db[name].alter(t, rc.GetSql())
		default:
			if left--; open != gtid || left < 0 {
				t.Fatalf("entry %d, of %s, in %q", i, gtid, open)
			}
			entries++
			rows += len(rc.RowDatas)
			if n := len(rc.RowDatas); n > 6 || n == 0 {
				t.Fatalf("entry %d: %d rows", i, n)
			} else if n > 1 {
				several++
			}
			types[rc.GetEventType()]++
			if db[name].check(t, rc) {
				missed++
			}
		}
	}
	if entries != 16_745 || rows != usual(t, "stream").Rows || transactions != 1573 || ddls != 110 || missed != 97 {
		t.Errorf("%d entries of %d rows in %d transactions, %d DDLs, after %d of which rows of the table follow",
			entries, rows, transactions, ddls, missed)
	}
	if several < entries*13/100 || several > entries*15/100 {
		t.Errorf("of %d entries %d have several rows", entries, several)
	}
	for _, event := range rowEvents {
		if n := types[event]; n < entries*32/100 || n > entries*35/100 {
			t.Errorf("of %d entries %d are %v", entries, n, event)
		}
	}
}

// TestStreamSkew counts how often the tables of stream occur, the frequent ones first.
func TestStreamSkew(t *testing.T) {
	count := map[string]int{}
	entries := 0
	for _, wire := range usual(t, "stream").Entries {
		if e, rc := decode(t, wire); len(rc.RowDatas) > 0 {
			count[e.Header.GetSchemaName()+"."+e.Header.GetTableName()]++
			entries++
		}
	}
	sum := 0
	for n, x := range streamTables() {
		sum += count[x.schema+"."+x.name]
		switch share := sum * 100 / entries; {
		case n == 0 && share != 0, n == 99 && (share < 28 || share > 31), n == 499 && (share < 63 || share > 66):
			t.Errorf("the first %d tables are in %d %% of the entries", n+1, share)
		}
	}
	if len(count) != 1885 {
		t.Errorf("%d tables occur", len(count))
	}
}

// A shadow is what a reader of the stream knows of a table.
type shadow struct {
	id      int64
	columns []string
	altered bool // since the last row
}

// alter does what an ALTER TABLE says.
func (s *shadow) alter(t *testing.T, sql string) {
	t.Helper()
	part := strings.Split(sql, "`") // names are the odd ones
	at := slices.Index(s.columns, part[len(part)-2])
	switch {
	case at < 0:
		t.Fatalf("%s: the columns are %v", sql, s.columns)
	case strings.Contains(part[2], "DROP COLUMN") && len(part) == 5:
		s.columns = slices.Delete(s.columns, at, at+1)
	case strings.Contains(part[2], "ADD COLUMN") && len(part) == 7 && !slices.Contains(s.columns, part[3]):
		s.columns = slices.Insert(s.columns, at+1, part[3])
	default:
		t.Fatalf("cannot be done to %v: %s", s.columns, sql)
	}
	s.altered = true
}

// check holds rows to what is known of the table, and reports whether they are
// the first since it was altered.
func (s *shadow) check(t *testing.T, rc *canalpb.RowChange) bool {
	t.Helper()
	first := s.altered
	if first == (rc.GetTableId() == s.id) {
		t.Fatalf("table %d was %d; altered: %v", rc.GetTableId(), s.id, first)
	}
	s.id, s.altered = rc.GetTableId(), false
	for _, row := range rc.RowDatas {
		for _, image := range [][]*canalpb.Column{row.BeforeColumns, row.AfterColumns} {
			var names []string
			for _, c := range image {
				names = append(names, c.GetName())
			}
			if names != nil && !slices.Equal(names, s.columns) {
				t.Fatalf("columns are %v, want %v", names, s.columns)
			}
		}
		if rc.GetEventType() == canalpb.EventType_UPDATE {
			if n := changed(t, row); n < 1 || n > 3 {
				t.Fatalf("%d columns are changed", n)
			}
		}
	}
	return first
}

// TestStreamTables looks at the tables themselves.
func TestStreamTables(t *testing.T) {
	names, layouts := map[string]bool{}, map[string]bool{}
	schemas := map[string]bool{}
	plain := 0
	for n, x := range streamTables() {
		names[x.schema+"."+x.name] = true
		schemas[x.schema] = true
		var columns []string
		for _, c := range x.columns {
			columns = append(columns, c.name)
		}
		if len(columns) < 8 || len(columns) > 13 || x.columns[0].kind != key {
			t.Errorf("columns of %s: %v", x.name, columns)
		}
		layouts[strings.Join(columns, ",")] = true
		if slices.Equal(x.columns, tables[n%len(tables)].columns) {
			plain++
		}
	}
	if len(names) != 2000 || len(schemas) != 40 || len(layouts) != 986 || plain != 662 {
		t.Errorf("%d tables in %d schemas, with %d layouts; %d never altered", len(names), len(schemas), len(layouts), plain)
	}
}
