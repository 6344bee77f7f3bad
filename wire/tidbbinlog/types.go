package tidbbinlog

import "github.com/cdcodec/cdcodec/internal/mysqltype"

// known is what follows from a mysql_type.
type known struct {
	typ     mysqltype.Type
	want    Fields
	sqlType int32
	name    []byte // nil for an unknown type
}

// typeNames has the names of the types as they are shown, plain, unsigned and
// zerofill: bytes that last.
var typeNames = func() (n [mysqltype.Bit + 1][3][]byte) {
	for b := range n {
		for i, t := range [...]mysqltype.Type{{}, {Unsigned: true}, {Unsigned: true, Zerofill: true}} {
			t.Base = mysqltype.Base(b)
			n[b][i] = []byte(t.Name())
		}
	}
	return n
}()

// nameOfType returns the name of t, nil for an unknown type.
func nameOfType(t mysqltype.Type) []byte {
	if t.Base == mysqltype.Unknown {
		return nil
	}
	n := &typeNames[t.Base]
	name := n[0]
	switch {
	case t.Zerofill:
		name = n[2]
	case t.Unsigned:
		name = n[1]
	}
	return name[:len(name):len(name)]
}

// typeCache remembers what types are: a few names make up all tables, and to look
// one up takes longer than to read the rest of a ColumnInfo. The names that TiDB has
// for its types have a place each.
type typeCache struct {
	seen [64]struct {
		text [15]byte
		n    uint8
		is   known
	}
	other known
}

// of returns what a mysql_type is. It is good until the next call.
func (c *typeCache) of(b []byte) *known {
	if n := len(b); n > 0 && n <= len(c.seen[0].text) {
		e := &c.seen[(n*56+int(b[0])*42+int(b[n/2])*17+int(b[n-1])*63)%len(c.seen)]
		if int(e.n) != n || string(e.text[:n]) != string(b) {
			e.n = uint8(n)
			copy(e.text[:], b)
			e.is.set(b)
		}
		return &e.is
	}
	c.other.set(b)
	return &c.other
}

func (k *known) set(b []byte) {
	k.typ = mysqltype.Parse(b)
	k.want, k.sqlType, k.name = wanted(k.typ.Base), k.typ.SQLType(nil), nameOfType(k.typ)
}
