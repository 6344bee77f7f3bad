package tidbbinlog_test

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/proto"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/internal/pb/tidbbinlogpb"
	"github.com/cdcodec/cdcodec/wire"
	"github.com/cdcodec/cdcodec/wire/tidbbinlog"
)

// sample is a transaction as drainer sends it: an order is placed, and another one
// is paid.
func sample() []byte {
	number := func(v uint64) *tidbbinlogpb.Column { return &tidbbinlogpb.Column{Uint64Value: proto.Uint64(v)} }
	text := func(s string) *tidbbinlogpb.Column { return &tidbbinlogpb.Column{StringValue: proto.String(s)} }
	row := func(c ...*tidbbinlogpb.Column) *tidbbinlogpb.Row { return &tidbbinlogpb.Row{Columns: c} }
	return bytesOf(&tidbbinlogpb.Binlog{
		CommitTs: proto.Int64(429918007904436226),
		DmlData: &tidbbinlogpb.DMLData{Tables: []*tidbbinlogpb.Table{{
			SchemaName: proto.String("shop"), TableName: proto.String("orders"),
			ColumnInfo: []*tidbbinlogpb.ColumnInfo{
				{Name: proto.String("id"), MysqlType: proto.String("bigint"), IsPrimaryKey: proto.Bool(true)},
				{Name: proto.String("status"), MysqlType: proto.String("varchar")},
				{Name: proto.String("amount"), MysqlType: proto.String("decimal")},
			},
			Mutations: []*tidbbinlogpb.TableMutation{
				{Type: tidbbinlogpb.MutationType_Insert.Enum(), Row: row(number(1002), text("new"), text("17.50"))},
				{
					Type: tidbbinlogpb.MutationType_Update.Enum(), Row: row(number(1001), text("paid"), text("99.00")),
					ChangeRow: row(number(1001), text("new"), text("99.00")),
				},
			},
		}}},
	})
}

// A transaction becomes one Event per row, in order.
func Example() {
	var d tidbbinlog.Decoder
	var ev change.Event                         // both are used again and again
	for _, record := range [][]byte{sample()} { // yours come from Kafka
		if err := d.Open(record); err != nil {
			fmt.Println(err) // nothing of the record counts, and d works on
			continue
		}
		for d.Next(&ev) {
			fmt.Printf("%v %s.%s at %d\n", ev.Type, ev.Database, ev.Table, ev.ES)
			if ev.Rows == nil {
				fmt.Printf("    %s\n", ev.SQL) // a DDL
				continue
			}
			for ev.Rows.Next() {
				ev.Rows.Select(change.ImageOf(ev.Type))
				for c := ev.Rows.Column(); c != nil; c = ev.Rows.Column() {
					if c.Key || c.Updated || ev.Type == change.Insert {
						fmt.Printf("    %s = %s, %s\n", c.Name, c.Value, c.MySQLType)
					}
				}
			}
		}
	}
	// Output:
	// INSERT shop.orders at 1640007049196
	//     id = 1002, bigint unsigned
	//     status = new, varchar
	//     amount = 17.50, decimal
	// UPDATE shop.orders at 1640007049196
	//     id = 1001, bigint unsigned
	//     status = paid, varchar
}

// A record is good or it gives nothing: an error says what is wrong, where, and of
// which table.
func ExampleDecoder_Open_error() {
	record := sample()
	record = record[:len(record)-1] // cut in transit

	var d tidbbinlog.Decoder
	err := d.Open(record)
	var bad *wire.ParseError
	fmt.Println(errors.Is(err, wire.ErrTruncated), errors.As(err, &bad))
	fmt.Println(err)

	// A well-formed one that is no transaction: a row of a table without columns.
	row := wire.AppendBytes(wire.AppendTag([]byte{1 << 3, 0}, 2, wire.Bytes), []byte{0x0a, 0})
	table := wire.AppendBytes(wire.AppendTag([]byte{1<<3 | 2, 1, 't'}, 4, wire.Bytes), row)
	table = wire.AppendBytes(wire.AppendTag(nil, 1, wire.Bytes), table)
	err = d.Open(wire.AppendBytes(wire.AppendTag(nil, 3, wire.Bytes), table))
	errors.As(err, &bad)
	fmt.Printf("%s: %v\n", bad.Table, err)
	// Output:
	// true true
	// dml_data at byte 10: input ends inside a field
	// t.: dml_data.tables[0].mutations[0].row.columns[0] at byte 13: more or fewer values than column_info
}

// The views read a record by hand: to learn which tables a transaction is of, its
// rows need not be looked into.
func ExampleParseBinlog() {
	b, err := tidbbinlog.ParseBinlog(sample())
	if err != nil {
		fmt.Println(err)
		return
	}
	tables := b.Tables()
	for tables.Next() {
		t := tables.Value()
		n := 0
		mutations := t.Mutations()
		for mutations.Next() {
			n++
		}
		fmt.Printf("%v of %s, %d rows\n", b.Type, t.Name(), n)
	}
	if err := tables.Err(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// DML of shop.orders, 2 rows
}

// A DDL's type is told by its statement, as TiCDC tells it.
func ExampleStatementType() {
	for _, sql := range []string{
		"/* by hand */ ALTER TABLE orders ADD INDEX i (status)",
		"ALTER TABLE orders ADD INDEX i (status), ADD COLUMN note TEXT",
		"CREATE DATABASE shop",
	} {
		fmt.Println(tidbbinlog.StatementType([]byte(sql)))
	}
	// Output:
	// CINDEX
	// ALTER
	// QUERY
}
