package corpus

import (
	"math"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/cdcodec/cdcodec/internal/pb/changedatasetpb"
	"github.com/cdcodec/cdcodec/internal/pb/tidbbinlogpb"
)

// TestTypedFrozen is TestFrozen for the other sources.
func TestTypedFrozen(t *testing.T) {
	for _, c := range []struct {
		name    string
		entries int
		seed    uint64
		rows    int
		size    int
		sum     string
	}{
		{"tidb", 100, 1, 1072, 358615, "4e4d3fb7c6dc759181b3c6539f0570d8"},
		{"tidb", 0, 1, 10266, 3521771, "dedff0b32d88ad3aaf22526caa327e92"},
		{"baidu", 100, 1, 525, 295135, "eed426bbc62ce93aa9c24c28855365c2"},
		{"baidu", 0, 1, 5449, 3085612, "704288093f2bfb4c3be5348bbefee4d5"},
	} {
		made, err := Make(c.name, c.entries, c.seed)
		if err != nil {
			t.Fatal(err)
		}
		if size, sum := made.Size(), checksum(made.Entries); size != c.size || sum != c.sum || made.Rows != c.rows {
			t.Errorf("%s, %d records: %d rows in %d bytes with sum %s, want %d in %d with %s",
				c.name, len(made.Entries), made.Rows, size, sum, c.rows, c.size, c.sum)
		}
	}
}

func TestSources(t *testing.T) {
	for _, c := range []struct {
		sources []Source
		want    []string
	}{
		{[]Source{CanalEntry}, []string{"oltp", "bulk", "wide", "blob", "prose", "stream"}},
		{[]Source{TiDBBinlog}, []string{"tidb"}},
		{[]Source{ChangeDataSet}, []string{"baidu"}},
		{[]Source{TiDBBinlog, ChangeDataSet}, []string{"tidb", "baidu"}},
		{nil, nil},
	} {
		if got := NamesOf(c.sources...); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.sources, got, c.want)
		}
		for _, name := range c.want {
			long, err := Make(name, 6, 7)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Contains(c.sources, long.Source) || (long.Packets() != nil) != (long.Source == CanalEntry) {
				t.Errorf("%s: source %d, %d packets", name, long.Source, len(long.Packets()))
			}
			short, _ := Make(name, 4, 7)
			other, _ := Make(name, 4, 8)
			if checksum(long.Entries[:4]) != checksum(short.Entries) || checksum(other.Entries) == checksum(short.Entries) {
				t.Errorf("%s: not a matter of its seed, or of more", name)
			}
			for _, e := range long.Entries {
				if len(e) != cap(e) {
					t.Errorf("%s: a record has room behind it", name)
				}
			}
		}
	}
	if !slices.Equal(Names(), NamesOf(CanalEntry)) {
		t.Errorf("Names are %v", Names())
	}
}

// A census is what is counted in a corpus of either source.
type census struct {
	types, tables   map[string]int
	changes         [8]int // updates by columns that differ
	cells, nulls    int
	names, chinese  int // titles and persons that are not NULL
	unsigned, large int // unsigned integers, and those beyond the signed range
	rowsIn          [21]int
	tablesIn        [4]int
}

func newCensus() *census { return &census{types: map[string]int{}, tables: map[string]int{}} }

// value counts a value that is not NULL of a column.
func (c *census) value(col *typedColumn, text string, unsigned uint64) {
	switch col.kind {
	case typedTitle, typedPerson:
		c.names++
		if text > "\u0800" {
			c.chinese++
		}
	case typedUnsigned, typedCount:
		c.unsigned++
		if col.kind == typedUnsigned && unsigned > math.MaxInt64 || col.kind == typedCount && unsigned > math.MaxInt32 {
			c.large++
		}
	}
}

// between checks that n is so many hundredths of all.
func between(t *testing.T, what string, n, all, low, high int) {
	t.Helper()
	if n*100 < all*low || n*100 > all*high {
		t.Errorf("%s: %d of %d, want %d to %d of a hundred", what, n, all, low, high)
	}
}

// check holds it to what the package comment says of both.
func (c *census) check(t *testing.T, rows int) {
	t.Helper()
	for _, typ := range []string{"insert", "update", "delete"} {
		if n := c.types[typ]; n != rows/3 && n != rows/3+1 {
			t.Errorf("%d of %d rows are of type %s", n, rows, typ)
		}
	}
	if len(c.tables) != len(typedTables) {
		t.Errorf("tables: %v", c.tables)
	}
	for name, n := range c.tables {
		between(t, name, n, rows, 21, 29)
	}
	for n, count := range c.changes {
		if n >= 1 && n <= 3 {
			between(t, "updates", count, c.types["update"], 20, 50)
		} else if count != 0 {
			t.Errorf("%d updates of %d columns", count, n)
		}
	}
	between(t, "NULLs", c.nulls, c.cells, 9, 15)
	between(t, "Chinese names", c.chinese, c.names, 30, 37)
	between(t, "large unsigned integers", c.large, c.unsigned, 11, 14)
}

// tableNamed returns one of typedTables.
func tableNamed(t *testing.T, schema, name string) *typedTable {
	t.Helper()
	for i := range typedTables {
		if typedTables[i].schema == schema && typedTables[i].name == name {
			return &typedTables[i]
		}
	}
	t.Fatalf("no table %s.%s", schema, name)
	return nil
}

func TestTypedTables(t *testing.T) {
	kinds := map[typedKind]bool{}
	for _, table := range typedTables {
		mostlyNull := 0
		for i, c := range table.columns {
			kinds[c.kind] = true
			if (i == 0) != (c.kind == typedKey) || mysqlCodes[c.base()] == "" {
				t.Errorf("%s: column %v", table.name, c)
			}
			if c.null == 75 {
				mostlyNull++
			}
		}
		if n := len(table.columns); n < 10 || n > 12 || mostlyNull != 1 {
			t.Errorf("%s: %d columns, %d of them mostly NULL", table.name, n, mostlyNull)
		}
	}
	if len(kinds) != int(typedBits)+1 {
		t.Errorf("%d kinds of %d are there", len(kinds), typedBits+1)
	}
}

func TestTiDB(t *testing.T) {
	made := usual(t, "tidb")
	count := newCensus()
	var last int64
	for i, wire := range made.Entries {
		var b tidbbinlogpb.Binlog
		if err := proto.Unmarshal(wire, &b); err != nil {
			t.Fatal(err)
		}
		if b.Type == nil || b.GetType() != tidbbinlogpb.BinlogType_DML || b.DdlData != nil || b.TimeZone != nil || b.GetCommitTs()>>18 < last {
			t.Fatalf("record %d: %v", i, &b)
		}
		last = b.GetCommitTs() >> 18
		count.tablesIn[len(b.DmlData.Tables)]++
		rows := 0
		for _, table := range b.DmlData.Tables {
			of := tableNamed(t, table.GetSchemaName(), table.GetTableName())
			rows += len(table.Mutations)
			count.tables[of.name] += len(table.Mutations)
			for k, info := range table.ColumnInfo {
				if info.GetName() != of.columns[k].name || info.GetMysqlType() != of.columns[k].base() ||
					info.IsPrimaryKey == nil || info.GetIsPrimaryKey() != (k == 0) || info.Flen != nil || info.Decimal != nil {
					t.Fatalf("record %d: %v", i, info)
				}
			}
			if len(table.ColumnInfo) != len(of.columns) || len(table.Mutations) == 0 || len(table.UniqueKeys) != 1 || table.UniqueKeys[0].GetName() != "PRIMARY" {
				t.Fatalf("record %d: %v", i, table)
			}
			for _, m := range table.Mutations {
				count.types[strings.ToLower(m.GetType().String())]++
				if (m.ChangeRow != nil) != (m.GetType() == tidbbinlogpb.MutationType_Update) {
					t.Fatalf("record %d: %v", i, m)
				}
				count.binlogRow(t, of, m.Row)
				if m.ChangeRow == nil {
					continue
				}
				count.binlogRow(t, of, m.ChangeRow)
				different := 0
				for k := range m.Row.Columns {
					if !proto.Equal(m.Row.Columns[k], m.ChangeRow.Columns[k]) {
						different++
					}
				}
				count.changes[different]++
			}
		}
		count.rowsIn[rows]++
	}
	count.check(t, made.Rows)
	for n := 1; n <= 20; n++ {
		between(t, "transactions of so many rows", count.rowsIn[n], len(made.Entries), 3, 7)
	}
	for n := 1; n <= 3; n++ {
		between(t, "transactions in so many tables", count.tablesIn[n], len(made.Entries), 27, 40)
	}
}

// binlogRow counts the cells of a row, and checks in which field they are.
func (c *census) binlogRow(t *testing.T, of *typedTable, row *tidbbinlogpb.Row) {
	t.Helper()
	if len(row.Columns) != len(of.columns) {
		t.Fatalf("%d values of %d columns", len(row.Columns), len(of.columns))
	}
	for i, v := range row.Columns {
		c.cells++
		if v.GetIsNull() {
			c.nulls++
			if !proto.Equal(v, &tidbbinlogpb.Column{IsNull: proto.Bool(true)}) {
				t.Fatalf("a NULL with a value: %v", v)
			}
			continue
		}
		var right bool
		switch of.columns[i].base() {
		case "bigint", "int", "smallint", "tinyint":
			right = v.Int64Value != nil != (v.Uint64Value != nil) && (v.Uint64Value != nil) == strings.HasSuffix(of.columns[i].mysqlType, "unsigned")
		case "enum", "set":
			right = v.Uint64Value != nil
		case "float", "double":
			right = v.DoubleValue != nil
		case "blob", "varbinary", "json", "bit":
			right = v.BytesValue != nil
		default:
			right = v.StringValue != nil
		}
		if !right || v.IsNull != nil {
			t.Fatalf("%s is in the wrong field: %v", of.columns[i].name, v)
		}
		c.value(&of.columns[i], v.GetStringValue(), v.GetUint64Value())
	}
}

func TestBaidu(t *testing.T) {
	made := usual(t, "baidu")
	count := newCensus()
	schemas := [3]int{}
	for i, wire := range made.Entries {
		var set changedatasetpb.ChangeDataSet
		if err := proto.Unmarshal(wire, &set); err != nil {
			t.Fatal(err)
		}
		if set.DbInstanceName == nil || len(set.SyncPoint.GetGtId()) != 1 || set.SrcDbHost == nil || set.DataSize == nil || set.BirthTime == nil ||
			set.GetSendTime() < set.GetBirthTime() {
			t.Fatalf("record %d: %v", i, &set)
		}
		schemas[len(set.TableSchema)]++
		count.rowsIn[len(set.TableChange)]++
		known := map[string]*typedTable{}
		for _, s := range set.TableSchema {
			schema, name, _ := strings.Cut(s.GetTableName(), ".")
			of := tableNamed(t, schema, name)
			known[s.GetTableName()] = of
			for k, m := range s.Columns {
				c := of.columns[k]
				bitmap := m.GetDatabusColumnBitmap()
				if m.GetColumnName() != c.name || m.GetColumnType() != c.mysqlType || (m.GetKeyFlag() == "PRI") != (k == 0) || (bitmap&bitmapKey != 0) != (k == 0) ||
					(bitmap&bitmapUnsigned != 0) != (c.kind == typedUnsigned || c.kind == typedCount) || (m.GetNullFlag() == "YES") != (c.null > 0) {
					t.Fatalf("record %d: %v", i, m)
				}
			}
		}
		for _, change := range set.TableChange {
			of := known[change.GetTableName()]
			if of == nil {
				t.Fatalf("record %d: no schema of %s", i, change.GetTableName())
			}
			count.tables[of.name]++
			switch before, after := change.BeforeData, change.AfterData; {
			case before == nil:
				count.types["insert"]++
			case after == nil:
				count.types["delete"]++
			default:
				count.types["update"]++
				different := 0
				for k := range before {
					if !proto.Equal(before[k], after[k]) {
						different++
					}
				}
				count.changes[different]++
			}
			count.baiduImage(t, of, change.BeforeData)
			count.baiduImage(t, of, change.AfterData)
		}
	}
	count.check(t, made.Rows)
	for n := 1; n <= 10; n++ {
		between(t, "sets of so many rows", count.rowsIn[n], len(made.Entries), 7, 13)
	}
	between(t, "sets of one table", schemas[1], len(made.Entries), 45, 55)
}

// baiduImage counts the cells of an image, and checks in which field they are.
func (c *census) baiduImage(t *testing.T, of *typedTable, image []*changedatasetpb.TableChange_ColumnData) {
	t.Helper()
	if image != nil && len(image) != len(of.columns) {
		t.Fatalf("%d values of %d columns", len(image), len(of.columns))
	}
	for i, v := range image {
		c.cells++
		set := 0
		for _, there := range []bool{v.StringValue != nil, v.Int32Value != nil, v.Int64Value != nil, v.FloatValue != nil, v.BytesValue != nil} {
			if there {
				set++
			}
		}
		if v.SqlType == nil || v.GetIsNull() != "0" && v.GetIsNull() != "1" || (v.GetIsNull() == "0") != (set == 1) || set > 1 {
			t.Fatalf("value %v", v)
		}
		if set == 0 {
			c.nulls++
			continue
		}
		var right bool
		unsigned := uint64(v.GetInt64Value())
		switch of.columns[i].base() {
		case "bigint":
			right = v.Int64Value != nil
		case "int", "smallint", "tinyint":
			right = v.Int32Value != nil
			unsigned = uint64(uint32(v.GetInt32Value()))
		case "float":
			right = v.FloatValue != nil
		case "blob", "varbinary", "bit":
			right = v.BytesValue != nil
		default:
			right = v.StringValue != nil
		}
		if !right {
			t.Fatalf("%s is in the wrong field: %v", of.columns[i].name, v)
		}
		c.value(&of.columns[i], v.GetStringValue(), unsigned)
	}
}
