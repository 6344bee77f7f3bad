package wire_test

import (
	"fmt"

	"github.com/cdcodec/cdcodec/wire"
)

// The numbers and wire types of two fields, as whole tags.
const (
	sqlType = wire.Tag(2<<3) | wire.Tag(wire.Varint)
	name    = wire.Tag(3<<3) | wire.Tag(wire.Bytes)
)

func ExampleReader() {
	record := []byte("\x1a\x02id\x10\xfb\xff\xff\xff\xff\xff\xff\xff\xff\x01\x42\x05cut")

	r := wire.NewReader(record)
	for r.Next() {
		switch r.Tag {
		case sqlType:
			fmt.Println("sqlType", r.Int32())
		case name:
			fmt.Printf("name %q\n", r.Bytes) // borrowed from record
		}
	}
	if err := r.Err(); err != nil {
		fmt.Printf("field %d: %v\n", err.Number, err)
	}
	// Output:
	// name "id"
	// sqlType -5
	// field 8: at byte 15: input ends inside a field
}

func ExampleReader_Message() {
	record := []byte("\x08\x07\x12\x06\x1a\x04name")

	for r := wire.NewReader(record); r.Next(); {
		if r.Tag.Type() != wire.Bytes {
			continue
		}
		for in := r.Message().Reader(); in.Next(); {
			fmt.Printf("field %d of field %d, at byte %d: %s\n", in.Tag.Number(), r.Tag.Number(), in.Offset, in.Bytes)
		}
	}
	// Output:
	// field 3 of field 2, at byte 4: name
}

func ExampleAppendTag() {
	var column []byte
	column = wire.AppendTag(column, 3, wire.Bytes)
	column = wire.AppendString(column, "id")

	row := wire.AppendTag(nil, 2, wire.Bytes)
	row = wire.AppendBytes(row, column)

	fmt.Printf("% x\n", row)
	// Output:
	// 12 04 1a 02 69 64
}

func ExampleAppendVarint() {
	bigint := int32(-5) // java.sql.Types.BIGINT
	b := wire.AppendTag(nil, 2, wire.Varint)
	b = wire.AppendVarint(b, uint64(int64(bigint)))
	fmt.Printf("% x\n", b)
	// Output:
	// 10 fb ff ff ff ff ff ff ff ff 01
}

func ExampleParseError() {
	record := []byte("\x12\x04\x1a\x05id") // promises five bytes

	r := wire.NewReader(record)
	r.Next()
	in := r.Message().Reader()
	for in.Next() {
	}
	err := in.Err().Within("name").Within(wire.Element("columns", 0))
	fmt.Println(err)
	// Output:
	// columns[0].name at byte 2: input ends inside a field
}
