package tidbbinlog

import (
	"math"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/internal/fields"
	"github.com/cdcodec/cdcodec/wire"
)

// Mutation is a view of the change of one row: its type, with its rows unread. It
// borrows the bytes it was parsed from.
type Mutation struct {
	Type         MutationType // the last one given, whatever its number
	HasType      bool
	HasRow       bool
	HasChangeRow bool

	msg wire.Message
}

// ParseMutation reads a TableMutation: everything but what is inside its rows. It
// does not ask for the required fields.
func ParseMutation(b []byte) (Mutation, error) {
	v, err := parseMutation(wire.NewMessage(b))
	return v, fields.Error(err)
}

func parseMutation(m wire.Message) (Mutation, *wire.ParseError) {
	v := Mutation{msg: m}
	r := m.Reader()
	for r.Next() {
		switch r.Tag {
		case mutationType:
			v.Type, v.HasType = MutationType(r.Int32()), true
		case mutationRow:
			v.HasRow = true
		case mutationChangeRow:
			v.HasChangeRow = true
		}
	}
	if err := mutationNames.failed(&r, 0); err != nil {
		return Mutation{}, err
	}
	return v, nil
}

// Columns returns an [Iterator] over the values of one image of the row, in the
// order of the table's column_info: change_row for the Before of an Update, row for
// all else. What an Insert has no Before of, and a Delete no After, is empty.
func (m Mutation) Columns(im change.Image) Iterator[Column] {
	i := Iterator[Column]{tag: rowColumns, names: [2]fieldNames{mutationNames, rowNames}, parse: parseColumn}
	if i.inside = rowOf(m.Type.Change(), im); i.inside != 0 {
		i.parts = m.msg.Reader()
	}
	return i
}

// rowOf returns the tag of the row that is an image of a mutation, 0 where the
// mutation has no such image.
func rowOf(t change.Type, im change.Image) wire.Tag {
	switch {
	case t == change.Update && im == change.Before:
		return mutationChangeRow
	case t.HasRows() && (t == change.Update || im == change.ImageOf(t)):
		return mutationRow
	}
	return 0
}

// Fields is a set of the fields of a [Column].
type Fields uint8

// The fields that can hold a value, in the order of their numbers.
const (
	HasInt64 Fields = 1 << iota
	HasUint64
	HasDouble
	HasBytes
	HasString
)

// Column is a view of one value: of the fields that may hold it, those in Fields
// are on the wire. Which one counts follows the type of the column (spec:
// tidb-binlog.md).
type Column struct {
	IsNull bool
	Fields Fields
	Int64  int64
	Uint64 uint64
	Double float64
	Bytes  []byte
	String []byte

	heavy bool // heavyFields or more had to be read
}

// ParseColumn reads a Column.
func ParseColumn(b []byte) (Column, error) {
	c, err := parseColumn(wire.NewMessage(b))
	return c, fields.Error(err)
}

func parseColumn(m wire.Message) (c Column, err *wire.ParseError) {
	r := m.Reader()
	fields := 0
	for r.Next() {
		fields++
		switch r.Tag {
		case columnIsNull:
			c.IsNull = r.Bool()
		case columnInt64:
			c.Int64 = r.Int64()
			c.Fields |= HasInt64
		case columnUint64:
			c.Uint64 = r.Uint
			c.Fields |= HasUint64
		case columnDouble:
			c.Double = math.Float64frombits(r.Uint)
			c.Fields |= HasDouble
		case columnBytes:
			c.Bytes = r.Bytes
			c.Fields |= HasBytes
		case columnString:
			c.String = r.Bytes
			c.Fields |= HasString
		}
	}
	c.heavy = fields >= heavyFields
	if err := columnNames.failed(&r, 0); err != nil {
		return Column{}, err
	}
	return c, nil
}

// heavyFields is how many fields make a column heavy, see change.Column: it takes
// at least twice as many bytes on the wire.
const heavyFields = 64
