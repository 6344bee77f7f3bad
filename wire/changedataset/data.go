package changedataset

import (
	"encoding/binary"
	"math"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/internal/fields"
	"github.com/cdcodec/cdcodec/wire"
)

// TableChange is a view of one changed row, its data still unread. It borrows the
// bytes it was parsed from.
type TableChange struct {
	TableName []byte // "db.table"

	msg wire.Message
}

// ParseTableChange reads a TableChange: everything but what is inside its data.
func ParseTableChange(b []byte) (TableChange, error) {
	c, err := parseTableChange(wire.NewMessage(b))
	return c, fields.Error(err)
}

func parseTableChange(m wire.Message) (TableChange, *wire.ParseError) {
	c := TableChange{msg: m}
	r := m.Reader()
	for r.Next() {
		if r.Tag == changeTableName {
			c.TableName = r.Bytes
		}
	}
	if err := changeNames.failed(&r); err != nil {
		return TableChange{}, err
	}
	return c, nil
}

// Data returns an iterator over one image of the row: beforeData or afterData.
func (c *TableChange) Data(im change.Image) Elements[ColumnData] {
	return elements(c.msg, changeNames, imageTag(im), parseColumnData)
}

// Fields is a set of the value fields of a ColumnData.
type Fields uint8

// The fields, each a bit.
const (
	StringValue Fields = 1 << iota
	Int32Value
	Int64Value
	FloatValue
	BytesValue
)

// ColumnData is a view of one value, as it is on the wire: which of its fields
// holds the value is for the column's type to say. It borrows the bytes it was
// parsed from; they are raw, not always UTF-8.
type ColumnData struct {
	Set         Fields // those that are on the wire
	StringValue []byte
	Int32Value  int32
	Int64Value  int64
	FloatValue  float32
	BytesValue  []byte
	IsNull      []byte // text, see Null
	SQLType     []byte // text, a number of whichever kind

	fields int // how many had to be read
}

// ParseColumnData reads a ColumnData.
func ParseColumnData(b []byte) (ColumnData, error) {
	c, err := parseColumnData(wire.NewMessage(b))
	return c, fields.Error(err)
}

func parseColumnData(m wire.Message) (ColumnData, *wire.ParseError) {
	var c ColumnData
	if c.scan(m.Bytes()) {
		return c, nil
	}
	c = ColumnData{}
	r := m.Reader()
	for r.Next() {
		c.fields++
		switch r.Tag {
		case dataStringValue:
			c.StringValue = r.Bytes
			c.Set |= StringValue
		case dataInt32Value:
			c.Int32Value = r.Int32()
			c.Set |= Int32Value
		case dataInt64Value:
			c.Int64Value = r.Int64()
			c.Set |= Int64Value
		case dataFloatValue:
			c.FloatValue = math.Float32frombits(uint32(r.Uint))
			c.Set |= FloatValue
		case dataBytesValue:
			c.BytesValue = r.Bytes
			c.Set |= BytesValue
		case dataIsNull:
			c.IsNull = r.Bytes
		case dataSQLType:
			c.SQLType = r.Bytes
		}
	}
	if err := dataNames.failed(&r); err != nil {
		return ColumnData{}, err
	}
	return c, nil
}

// read reads b, which has been checked, into c, which is zero.
func (c *ColumnData) read(b []byte) {
	if !c.scan(b) {
		*c, _ = parseColumnData(wire.NewMessage(b))
	}
}

// scan reads the fields in b as long as they are known ones with tags of a byte
// and lengths of up to two. When it returns false c is half read, and the loop
// above begins anew: this one judges nothing.
func (c *ColumnData) scan(b []byte) bool {
	set, n := Fields(0), 0
	for p := 0; p < len(b); n++ {
		switch tag := wire.Tag(b[p]); tag {
		case dataInt32Value, dataInt64Value:
			v, next := plainVarint(b, p+1)
			if next == 0 {
				return false
			}
			if p = next; tag == dataInt32Value {
				c.Int32Value = int32(v)
				set |= Int32Value
			} else {
				c.Int64Value = int64(v)
				set |= Int64Value
			}
		case dataFloatValue:
			if len(b)-p < 5 {
				return false
			}
			c.FloatValue = math.Float32frombits(binary.LittleEndian.Uint32(b[p+1:]))
			set |= FloatValue
			p += 5
		case dataStringValue, dataBytesValue, dataIsNull, dataSQLType:
			start, stop := fields.Length(b, p+1)
			if start == 0 || stop > len(b) {
				return false
			}
			v := b[start:stop:stop]
			p = stop
			switch tag {
			case dataStringValue:
				c.StringValue = v
				set |= StringValue
			case dataBytesValue:
				c.BytesValue = v
				set |= BytesValue
			case dataIsNull:
				c.IsNull = v
			case dataSQLType:
				c.SQLType = v
			}
		default:
			return false
		}
	}
	c.Set, c.fields = set, n
	return true
}

// plainVarint reads the varint at p and returns the position behind it, 0 where it
// is cut or too long.
func plainVarint(b []byte, p int) (v uint64, next int) {
	if p >= len(b) {
		return 0, 0
	}
	if b[p] < 0x80 {
		return uint64(b[p]), p + 1
	}
	v, n := binary.Uvarint(b[p:])
	if n <= 0 {
		return 0, 0
	}
	return v, p + n
}

// heavyFields is how many fields make a column heavy, see change.Column: it takes
// at least twice as many bytes on the wire.
const heavyFields = 64
