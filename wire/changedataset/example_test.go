package changedataset_test

import (
	"errors"
	"fmt"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/wire"
	"github.com/cdcodec/cdcodec/wire/changedataset"
)

// sample is a record as a Fountain producer sends it, here made by hand: one
// table, and of two of its rows an UPDATE and a DELETE.
func sample() []byte {
	column := func(name, typ, key string) []byte { return sub(2, str(1, name), str(2, typ), str(5, key)) }
	return join(
		sub(2, str(3, "3e11fa47-71ca-11e1-9e33-c80aa9429562:23")),
		num(7, 1668673476),
		schema("shop.orders", column("id", "bigint(20) unsigned", "PRI"), column("status", "tinyint(4)", ""), column("token", "varbinary(4)", "")),
		row("shop.orders",
			before(num(3, -1)), before(num(2, 1)), before(str(5, "\xe6\x88\x91")),
			after(num(3, -1)), after(num(2, 2)), after(str(5, "\xe6\x88\x91"))),
		row("shop.orders", before(num(3, 7)), before(num(2, 3)), before(str(6, "1"))),
	)
}

// Each change of a set is an Event of one row.
func ExampleDecoder() {
	var d changedataset.Decoder
	var ev change.Event // both are used again and again
	if err := d.Open(sample()); err != nil {
		fmt.Println(err) // nothing of the record comes out, and d works on
		return
	}
	for d.Next(&ev) {
		fmt.Printf("%d: %v %s.%s at %d\n", d.Index(), ev.Type, ev.Database, ev.Table, ev.ES)
		for ev.Rows.Next() {
			ev.Rows.Select(change.ImageOf(ev.Type))
			for c := ev.Rows.Column(); c != nil; c = ev.Rows.Column() {
				fmt.Printf("    %s %s = %q, null %v, key %v, updated %v\n", c.Name, c.MySQLType, c.Value, c.Null, c.Key, c.Updated)
			}
		}
	}
	// Output:
	// 0: UPDATE shop.orders at 1668673476000
	//     id bigint(20) unsigned = "18446744073709551615", null false, key true, updated false
	//     status tinyint(4) = "2", null false, key false, updated true
	//     token varbinary(4) = "æ\u0088\u0091", null false, key false, updated false
	// 1: DELETE shop.orders at 1668673476000
	//     id bigint(20) unsigned = "7", null false, key true, updated false
	//     status tinyint(4) = "3", null false, key false, updated false
	//     token varbinary(4) = "", null true, key false, updated false
}

// An error says what is wrong, where, and in a row of which table.
func ExampleDecoder_error() {
	record := append(sample(), row("shop.orders", after(num(3, 8)))...)

	var d changedataset.Decoder
	err := d.Open(record)

	var bad *wire.ParseError
	fmt.Println(errors.Is(err, changedataset.ErrColumns), errors.As(err, &bad))
	fmt.Printf("%s: %v\n", bad.Table, err)
	// Output:
	// true true
	// shop.orders: tableChange[2] at byte 236: not as many data as the tableSchema has columns
}

// The views are for who wants a few fields of a set, or its schemas.
func ExampleParseChangeDataSet() {
	set, err := changedataset.ParseChangeDataSet(sample())
	if err != nil {
		fmt.Println(err)
		return
	}
	for ids := set.SyncPoint.GTIDs(); ids.Next(); {
		fmt.Printf("%s\n", ids.GTID())
	}
	schemas := set.Schemas()
	for schemas.Next() {
		schema := schemas.Element()
		fmt.Printf("%s\n", schema.TableName)
		columns := schema.Columns()
		for columns.Next() {
			c := columns.Element()
			fmt.Printf("    %s %s\n", c.ColumnName, c.ColumnType)
		}
		if err := columns.Err(); err != nil {
			fmt.Println(err)
		}
	}
	if err := schemas.Err(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 3e11fa47-71ca-11e1-9e33-c80aa9429562:23
	// shop.orders
	//     id bigint(20) unsigned
	//     status tinyint(4)
	//     token varbinary(4)
}
