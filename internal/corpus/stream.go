package corpus

import (
	"fmt"
	"slices"
	"strconv"

	"google.golang.org/protobuf/proto"

	"github.com/cdcodec/cdcodec/internal/pb/canalpb"
)

// A stream is a server with many tables that are changed in transactions, and
// whose layout changes too.
type stream struct {
	*generator
	upTo   []int // by table, the sum of its weight and those before it
	nextID int64 // a table's number once it is altered
	xid    int64
	open   bool // a transaction has begun and not ended
	left   int  // Entries to come in it, before its end
	last   int  // the table of the Entry before
}

func newStream(seed uint64) maker {
	s := &stream{
		generator: newGenerator(seed, streamTables()),
		nextID:    100_000,
		xid:       7_340_112,
	}
	sum := 0
	for n := range s.tables {
		sum += (1 << 20) / (n + 50)
		s.upTo = append(s.upTo, sum)
	}
	return s.next
}

// next makes the next Entry.
func (s *stream) next(int) (entry []byte, rows int) {
	s.tick()
	switch {
	case s.left > 0:
		s.left--
		if !s.oneIn(4) {
			s.last = s.someTable()
		}
		rows = 1
		if s.oneIn(7) {
			rows = s.between(2, 6)
		}
		return s.statement(s.last, rowEvents[s.below(3)], rows), rows
	case s.open:
		s.open = false
		return s.end(), 0
	case s.oneIn(16):
		s.at.transaction++ // a DDL is its own
		return s.alter(&s.tables[s.someTable()]), 0
	}
	s.at.transaction++
	s.xid += int64(s.between(1, 30))
	s.open, s.left, s.last = true, s.between(1, 20), s.someTable()
	return s.begin(), 0
}

// someTable draws a table by its weight.
func (s *stream) someTable() int {
	x := s.below(s.upTo[len(s.upTo)-1])
	n, _ := slices.BinarySearch(s.upTo, x+1)
	return n
}

func (s *stream) begin() []byte {
	return encode(header(s.place(72), "", "", nil, 0), canalpb.EntryType_TRANSACTIONBEGIN,
		&canalpb.TransactionBegin{ThreadId: proto.Int64(int64(s.between(100, 999)))})
}

func (s *stream) end() []byte {
	return encode(header(s.place(31), "", "", nil, 0), canalpb.EntryType_TRANSACTIONEND,
		&canalpb.TransactionEnd{TransactionId: proto.String(strconv.FormatInt(s.xid, 10))})
}

// alter changes a table and makes the Entry that says so.
func (s *stream) alter(t *table) []byte {
	sql := t.alter(&s.random)
	t.id = s.nextID
	s.nextID++
	return encode(header(s.place(int64(80+len(sql))), t.schema, t.name, canalpb.EventType_ALTER.Enum(), 0),
		canalpb.EntryType_ROWDATA, &canalpb.RowChange{
			EventType:     canalpb.EventType_ALTER.Enum(),
			IsDdl:         proto.Bool(true),
			Sql:           proto.String(sql),
			DdlSchemaName: proto.String(t.schema),
		})
}

// streamTables makes the tables that a stream begins with, the same ones for
// any seed: table n is shard n/8 of table n%8 of tables.go, of which 25 are in a
// schema, after none, one or two changes to its columns.
func streamTables() []table {
	r := random{2000}
	many := make([]table, 2000)
	for n := range many {
		of := &tables[n%len(tables)]
		shard := n / len(tables)
		many[n] = table{
			schema:   fmt.Sprintf("%s_%02d", of.schema, shard/25),
			name:     fmt.Sprintf("%s_%04d", of.name, shard),
			id:       int64(2000 + n),
			firstKey: of.firstKey,
			columns:  of.columns, // shared until altered
		}
		for range r.below(3) {
			many[n].alter(&r)
		}
	}
	return many
}

// alter adds a column that the table has not, or drops one other than the key,
// and returns the statement that does it. It leaves 8 to 13 columns.
func (t *table) alter(r *random) string {
	if n := len(t.columns); n == 8 || n < 13 && r.oneIn(2) {
		c := laterColumns[r.below(len(laterColumns))]
		for slices.ContainsFunc(t.columns, func(x column) bool { return x.name == c.name }) {
			c = laterColumns[r.below(len(laterColumns))]
		}
		at := r.between(1, n)
		t.columns = slices.Insert(slices.Clone(t.columns), at, c)
		return fmt.Sprintf("ALTER TABLE `%s` ADD COLUMN `%s` %s NULL AFTER `%s`", t.name, c.name, c.mysqlType, t.columns[at-1].name)
	}
	at := r.between(1, len(t.columns)-1)
	name := t.columns[at].name
	t.columns = slices.Delete(slices.Clone(t.columns), at, at+1)
	return fmt.Sprintf("ALTER TABLE `%s`\n  DROP COLUMN `%s`", t.name, name)
}

// laterColumns is what tables may get, frozen, order and all.
var laterColumns = []column{
	{"tenant_id", "int(11)", typeInt, number, 10},
	{"operator", "varchar(64)", typeVarchar, person, 30},
	{"source_id", "bigint(20)", typeBigint, reference, 50},
	{"is_deleted", "tinyint(1)", typeTinyint, flag, 0},
	{"memo", "text", typeText, note, 60},
	{"tax_rate", "double", typeDouble, ratio, 20},
	{"region", "varchar(16)", typeVarchar, word, 0},
	{"deleted_at", "datetime", typeDatetime, moment, 80},
	{"trace_id", "char(16)", typeChar, code, 0},
	{"version", "int(11)", typeInt, count, 0},
	{"extra", "json", typeVarchar, document, 40},
	{"client_ip", "varchar(39)", typeVarchar, address, 25},
	{"fee", "decimal(10,2)", typeDecimal, money, 35},
	{"effective_on", "date", typeDate, day, 50},
	{"synced_at", "datetime(3)", typeDatetime, instant, 15},
	{"alias", "varchar(128)", typeVarchar, title, 45},
}
