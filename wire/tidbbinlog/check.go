package tidbbinlog

import (
	"encoding/binary"
	"math/bits"

	"github.com/cdcodec/cdcodec/internal/fields"
	"github.com/cdcodec/cdcodec/wire"
)

// How a record is judged. check reads all of it once, and finds whatever is not
// well formed. On the way it looks, as far as one walk can, for what verify.go has
// rules about, and where something may be amiss it is in doubt: only then verify
// reads the tables once more, this time with care. A table whose column_info stands
// behind its mutations is in doubt, and so is one with a bit column.
type check struct {
	binlog Binlog
	tables int // so far
	doubt  bool
}

// run reads the record m.
func (c *check) run(m wire.Message) *wire.ParseError {
	*c = check{binlog: Binlog{msg: m}}
	b := &c.binlog
	r := m.Reader()
	for r.Next() {
		var err *wire.ParseError
		switch r.Tag {
		case binlogType:
			b.Type.set(r.Int32())
		case binlogCommitTS:
			b.CommitTS = r.Uint
		case binlogDML:
			b.HasDML = true
			err = c.dml(r.Message())
		case binlogDDL:
			b.HasDDL = true
			err = b.DDL.merge(r.Message())
		case binlogTimeZone:
			b.TimeZone = r.Bytes
		}
		if err != nil {
			return binlogNames.inside(err, &r, 0)
		}
	}
	return binlogNames.failed(&r, 0)
}

func (c *check) dml(m wire.Message) *wire.ParseError {
	before := c.tables
	r := m.Reader()
	for r.Next() {
		if r.Tag != dmlTables {
			continue
		}
		if err := c.table(r.Message()); err != nil {
			err.Table = nameIn(r.Message(), tableSchemaName, tableTableName)
			return dmlNames.inside(err, &r, before)
		}
		c.tables++
	}
	return dmlNames.failed(&r, before)
}

func (c *check) table(m wire.Message) *wire.ParseError {
	columns, mutations, hasBits, long := 0, 0, false, false
	r := m.Reader()
	for r.Next() {
		var err *wire.ParseError
		switch r.Tag {
		case tableColumnInfo:
			columns++
			if mutations > 0 {
				c.doubt = true
			}
			var typ []byte
			if typ, err = checkInfo(r.Message()); isBit(typ) {
				hasBits = true
			}
		case tableMutations:
			mutations++
			var found mutationCheck
			if err = found.run(r.Message()); err == nil && !found.good(columns) {
				c.doubt = true
			}
			long = long || found.long
		case tableUniqueKeys:
			_, err = parseKey(r.Message())
		}
		if err != nil {
			return tableNames.inside(err, &r, 0)
		}
	}
	if hasBits && long {
		c.doubt = true
	}
	return tableNames.failed(&r, 0)
}

// isBit reports whether a type may be bit.
func isBit(typ []byte) bool {
	for len(typ) >= 3 {
		if typ[0]|0x20 == 'b' && typ[1]|0x20 == 'i' && typ[2]|0x20 == 't' {
			return true
		}
		typ = typ[1:]
	}
	return false
}

// checkInfo reads a ColumnInfo and returns its type.
func checkInfo(m wire.Message) (mysqlType []byte, err *wire.ParseError) {
	if in, ok := scanInfo(m.Bytes()); ok {
		return in.mysqlType, nil
	}
	c, err := parseColumnInfo(m)
	return c.MySQLType, err
}

// mutationCheck is what check learns of a mutation.
type mutationCheck struct {
	typ               int32 // the last one
	hasType           bool
	hasRow, hasChange bool
	row, change       int  // values
	long              bool // there are bytes of more than 8
}

// good reports whether a mutation of a table of so many columns is as it should
// be.
func (c *mutationCheck) good(columns int) bool {
	if !c.hasType || uint32(c.typ) > uint32(DeleteMutation) || !c.hasRow || c.row != columns {
		return false
	}
	return MutationType(c.typ) != UpdateMutation || c.hasChange && c.change == columns
}

func (c *mutationCheck) run(m wire.Message) *wire.ParseError {
	r := m.Reader()
	for r.Next() {
		var err *wire.ParseError
		switch r.Tag {
		case mutationType:
			c.typ, c.hasType = r.Int32(), true
		case mutationRow:
			c.hasRow = true
			err = c.columns(r.Message(), &c.row)
		case mutationChangeRow:
			c.hasChange = true
			err = c.columns(r.Message(), &c.change)
		}
		if err != nil {
			return mutationNames.inside(err, &r, 0)
		}
	}
	return mutationNames.failed(&r, 0)
}

// columns reads one part of a row and adds its values to n.
func (c *mutationCheck) columns(m wire.Message, n *int) *wire.ParseError {
	b, p := m.Bytes(), 0
	for p+1 < len(b) && wire.Tag(b[p]) == rowColumns && b[p+1] < 0x80 {
		start := p + 2
		stop := start + int(b[p+1])
		if stop > len(b) || !c.plain(b[start:stop]) {
			break
		}
		p = stop
		*n++
	}
	if p == len(b) {
		return nil
	}
	before := *n
	r := m.Part(p, len(b), 0).Reader()
	for r.Next() {
		if r.Tag != rowColumns {
			continue
		}
		if !c.plain(r.Bytes) {
			col, err := parseColumn(r.Message())
			if err != nil {
				return rowNames.inside(err, &r, before)
			}
			c.long = c.long || len(col.Bytes) > 8
		}
		*n++
	}
	return rowNames.failed(&r, before)
}

// plain reports whether b is a Column of one field in its usual form.
func (c *mutationCheck) plain(b []byte) bool {
	if len(b) < 2 {
		return len(b) == 0
	}
	switch wire.Tag(b[0]) {
	case columnIsNull, columnInt64, columnUint64:
		return isVarint(b[1:])
	case columnDouble:
		return len(b) == 9
	case columnBytes, columnString:
		start, stop := fields.Length(b, 1)
		if start == 0 || stop != len(b) {
			return false
		}
		if wire.Tag(b[0]) == columnBytes && stop-start > 8 {
			c.long = true
		}
		return true
	}
	return false
}

// isVarint reports whether b, of at least one byte, is one varint.
func isVarint(b []byte) bool {
	if len(b) == 1 || len(b) == 2 {
		return b[len(b)-1] < 0x80 && (len(b) == 1 || b[0] >= 0x80)
	}
	if len(b) >= 8 {
		n := bits.TrailingZeros64(^binary.LittleEndian.Uint64(b)&0x8080808080808080) / 8
		if n < 8 {
			return n == len(b)-1
		}
	}
	for i, x := range b {
		if i == 9 && x > 1 {
			return false
		}
		if x < 0x80 {
			return i == len(b)-1
		}
	}
	return false
}
