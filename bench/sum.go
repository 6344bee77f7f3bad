package bench

import (
	"math/bits"

	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/internal/pb/canalflatpb"
)

// The sums are those of internal/codec, which keeps its own to itself: the test that
// all peers agree holds the two equal. At decode a sum takes all eight scalars of a
// column, in order; at read a row is its columns in any order, for the sake of maps.
type sum uint64

func (s *sum) mix(v uint64) {
	*s = (sum(bits.RotateLeft64(uint64(*s), 23)) ^ sum(v)) * 0x9e3779b97f4a7c15
}

// image begins an image of a row.
func (s *sum) image() { s.mix(1) }

func column[T string | []byte](s *sum, index, sqlType int32, name T, isKey, updated, isNull bool, value, mysqlType T) {
	s.mix(uint64(uint32(index))<<32 | uint64(uint32(sqlType)))
	s.mix(text(name) ^
		bits.RotateLeft64(text(value), 16) ^
		bits.RotateLeft64(text(mysqlType), 32) ^
		bit(isKey)<<61 ^ bit(updated)<<62 ^ bit(isNull)<<63)
}

func text[T string | []byte](t T) uint64 {
	n := len(t)
	if n == 0 {
		return 0
	}
	return uint64(n)<<16 | uint64(t[0])<<8 | uint64(t[n-1])
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// flat adds all columns of an Entry.
func (s *sum) flat(e *canalflatpb.Entry) {
	for _, row := range e.GetStoreValue().GetRowDatas() {
		s.flatColumns(row.BeforeColumns)
		s.flatColumns(row.AfterColumns)
	}
}

func (s *sum) flatColumns(columns []*canalflatpb.Column) {
	s.image()
	for _, c := range columns {
		column(s, c.Index, c.SqlType, c.Name, c.IsKey, c.Updated, c.IsNull, c.Value, c.MysqlType)
	}
}

// readColumn returns what a column that was read comes to.
func readColumn(name, value string, null bool) uint64 {
	v := text(value)
	if null {
		v = 1 << 63
	}
	h := (text(name) ^ bits.RotateLeft64(v, 32) ^ 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9
	return h ^ h>>32
}

func (s *sum) readHead(database, table, typ string, es, id, ts int64) {
	s.mix(text(database))
	s.mix(text(table) ^ bits.RotateLeft64(text(typ), 32))
	s.mix(uint64(es))
	s.mix(uint64(id))
	s.mix(uint64(ts))
}

// readRows adds rows by what their columns in data and in old come to. There may be
// fewer olds than rows.
func (s *sum) readRows(typ string, rows int, data, old func(i int) uint64) {
	for i := range rows {
		var before, after uint64
		switch typ {
		case "INSERT":
			after = data(i)
		case "UPDATE":
			before, after = old(i), data(i)
		case "DELETE":
			before = data(i)
		default:
			continue
		}
		s.image()
		s.mix(before)
		s.mix(after)
	}
}

// message adds a message that was read into a struct.
func (s *sum) message(m *fastjson.Message) {
	s.readHead(m.Database, m.Table, m.Type, m.ES, m.ID, m.TS)
	if m.IsDDL {
		return
	}
	s.readRows(m.Type, len(m.Data),
		func(i int) uint64 { return readMap(m.Data[i]) },
		func(i int) uint64 {
			if i < len(m.Old) {
				return readMap(m.Old[i])
			}
			return 0
		})
}

func readMap(row map[string]*string) (n uint64) {
	for name, value := range row {
		if value == nil {
			n += readColumn(name, "", true)
		} else {
			n += readColumn(name, *value, false)
		}
	}
	return n
}
