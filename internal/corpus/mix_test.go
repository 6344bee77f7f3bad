package corpus

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cdcodec/cdcodec/internal/pb/canalpb"
)

// TestOLTP decodes oltp and counts what is in it.
func TestOLTP(t *testing.T) {
	made := usual(t, "oltp")
	var types, changes, inTable [16]int
	var columns, nulls, wide, quoted int
	for i, wire := range made.Entries {
		e, rc := decode(t, wire)
		if e.GetEntryType() != canalpb.EntryType_ROWDATA || len(rc.RowDatas) != 1 || rc.GetEventType() != e.Header.GetEventType() {
			t.Fatalf("entry %d: %v %v", i, e.Header, rc)
		}
		at := slices.IndexFunc(tables, func(x table) bool {
			return x.schema == e.Header.GetSchemaName() && x.name == e.Header.GetTableName()
		})
		inTable[at]++
		types[rc.GetEventType()]++
		row := rc.RowDatas[0]
		if rc.GetEventType() == canalpb.EventType_UPDATE {
			changes[changed(t, row)]++
		}
		for _, c := range slices.Concat(row.BeforeColumns, row.AfterColumns) {
			columns++
			if c.GetIsNull() {
				nulls++
			}
			if c.GetValue() > "\u0800" {
				wide++
			}
			if slices.Contains([]byte(c.GetValue()), '"') {
				quoted++
			}
		}
	}
	if types[canalpb.EventType_INSERT] != 1667 || types[canalpb.EventType_UPDATE] != 1667 || types[canalpb.EventType_DELETE] != 1666 {
		t.Errorf("types: %v", types)
	}
	for i := range tables {
		if inTable[i] < 500 || inTable[i] > 750 {
			t.Errorf("%d entries of table %s", inTable[i], tables[i].name)
		}
	}
	for n := 1; n <= 3; n++ {
		if changes[n] < 450 || changes[n] > 660 {
			t.Errorf("%d updates of %d columns", changes[n], n)
		}
	}
	if rows := columns / 10; columns != rows*10 || nulls < rows*70/100 || nulls > rows*80/100 ||
		wide < rows*35/100 || wide > rows*40/100 || quoted < rows*80/100 {
		t.Errorf("of %d columns, %d are null, %d Chinese, %d with quotes", columns, nulls, wide, quoted)
	}
}

// changed counts the updated columns of an UPDATE, which are those that differ.
func changed(t *testing.T, row *canalpb.RowData) int {
	n := 0
	for i, b := range row.BeforeColumns {
		a := row.AfterColumns[i]
		if b.GetUpdated() || a.GetUpdated() != (a.GetIsNull() != b.GetIsNull() || a.GetValue() != b.GetValue()) {
			t.Errorf("updated is wrong:\n%v\n%v", b, a)
		}
		if a.GetUpdated() {
			n++
		}
	}
	return n
}

// TestWide does the same with wide.
func TestWide(t *testing.T) {
	var types, changes [16]int
	var columns, nulls int
	layouts := map[string]string{}
	sqlTypes := map[int32]bool{}
	inTable := map[string]int{}
	for _, wire := range usual(t, "wide").Entries {
		e, rc := decode(t, wire)
		row := rc.RowDatas[0]
		types[rc.GetEventType()]++
		inTable[e.Header.GetTableName()]++
		if rc.GetEventType() == canalpb.EventType_UPDATE {
			changes[changed(t, row)]++
		}
		for _, image := range [][]*canalpb.Column{row.BeforeColumns, row.AfterColumns} {
			if image == nil {
				continue
			}
			layouts[e.Header.GetTableName()] = layout(image)
			names := map[string]bool{}
			for i, c := range image {
				names[c.GetName()] = true
				sqlTypes[c.GetSqlType()] = true
				columns++
				if c.GetIsNull() {
					nulls++
				}
				if c.GetIndex() != int32(i) || c.GetIsKey() != (i == 0) {
					t.Fatalf("column %d: %v", i, c)
				}
			}
			if len(image) != wideColumns || len(names) != wideColumns {
				t.Fatalf("%d columns with %d names", len(image), len(names))
			}
		}
	}
	if types[canalpb.EventType_INSERT] != 66 || types[canalpb.EventType_UPDATE] != 67 || types[canalpb.EventType_DELETE] != 67 {
		t.Errorf("types: %v", types)
	}
	if changes[1] < 15 || changes[2] < 15 || changes[3] < 15 || changes[1]+changes[2]+changes[3] != 67 {
		t.Errorf("changes: %v", changes)
	}
	for name, n := range inTable {
		if n < 35 || n > 65 {
			t.Errorf("%d entries of table %s", n, name)
		}
	}
	distinct := map[string]bool{}
	for _, l := range layouts {
		distinct[l] = true
	}
	if len(inTable) != 4 || len(distinct) != 4 || len(sqlTypes) != 18 {
		t.Errorf("%d tables, %d layouts, %d SQL types", len(inTable), len(distinct), len(sqlTypes))
	}
	if nulls < columns*11/100 || nulls > columns*12/100 {
		t.Errorf("of %d columns %d are null", columns, nulls)
	}
}

// layout writes down the columns of an image.
func layout(image []*canalpb.Column) string {
	var b strings.Builder
	for _, c := range image {
		fmt.Fprintf(&b, "%s %s,", c.GetName(), c.GetMysqlType())
	}
	return b.String()
}

// TestTypeOfNull checks what Canal says of the type of a NULL.
func TestTypeOfNull(t *testing.T) {
	for _, c := range []struct {
		column column
		want   int32
	}{
		{column{kind: number, sqlType: typeInt}, typeInt},
		{column{kind: note, sqlType: typeText}, -4},
		{column{kind: document, sqlType: typeVarchar}, 1111},
		{column{kind: options, sqlType: typeBit}, -2},
		{column{kind: octet, sqlType: typeBit}, typeBit},
	} {
		if got := c.column.typeOf(cell{null: true}); got != c.want {
			t.Errorf("NULL of %+v has type %d, want %d", c.column, got, c.want)
		}
		if got := c.column.typeOf(cell{text: "1"}); got != c.column.sqlType {
			t.Errorf("a value of %+v has type %d", c.column, got)
		}
	}
}

// TestTexts counts the escapes in blob and prose.
func TestTexts(t *testing.T) {
	for _, c := range []struct {
		name            string
		low, high       int // bytes an escape, on the average
		lowOne, highOne int // and in each text
		escapes         string
	}{
		{"blob", 23, 25, 17, 28, "\"\\\n\r\t"},
		{"prose", 950, 1100, 800, 1400, "\"\n"},
	} {
		sum, seen := 0, [256]int{}
		made := usual(t, c.name)
		for i, wire := range made.Entries {
			_, rc := decode(t, wire)
			if rc.GetEventType() != canalpb.EventType_INSERT {
				t.Fatalf("%s, entry %d: %v", c.name, i, rc.GetEventType())
			}
			for _, column := range rc.RowDatas[0].AfterColumns {
				if strings.ContainsFunc(column.GetValue(), func(r rune) bool { return r >= 0x80 }) {
					t.Fatalf("%s, entry %d: %s is not ASCII", c.name, i, column.GetName())
				}
			}
			text := rc.RowDatas[0].AfterColumns[4].GetValue()
			if len(text) != 64<<10 {
				t.Fatalf("%s, entry %d: a text of %d bytes", c.name, i, len(text))
			}
			n := 0
			for _, b := range []byte(text) {
				if b < 0x20 || b == '"' || b == '\\' {
					n++
					seen[b]++
				}
			}
			sum += n
			if per := len(text) / n; per < c.lowOne || per > c.highOne {
				t.Errorf("%s, entry %d: an escape every %d bytes", c.name, i, per)
			}
		}
		if per := len(made.Entries) * 64 << 10 / sum; per < c.low || per > c.high {
			t.Errorf("%s: an escape every %d bytes", c.name, per)
		}
		for b, n := range seen {
			if (n > 0) != strings.ContainsRune(c.escapes, rune(b)) {
				t.Errorf("%s: %d times %q", c.name, n, rune(b))
			}
		}
	}
}
