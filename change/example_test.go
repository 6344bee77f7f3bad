package change_test

import (
	"fmt"

	"github.com/cdcodec/cdcodec/change"
)

// An Event made by hand; readers such as wire/canal fill them from records.
func Example() {
	column := func(name, value string) change.Column {
		return change.Column{Name: []byte(name), Value: []byte(value), MySQLType: []byte("int"), SQLType: 4}
	}
	id, was, is := column("id", "7"), column("stock", "12"), column("stock", "11")
	id.Key, is.Updated = true, true

	ev := change.Event{
		Kind: change.KindRows, Type: change.Update,
		Database: []byte("shop"), Table: []byte("items"),
		Rows: change.NewList(change.Row{
			Before: []change.Column{id, was},
			After:  []change.Column{id, is},
		}),
	}

	fmt.Printf("%v of %s.%s\n", ev.Type, ev.Database, ev.Table)
	rows := ev.Rows
	for rows.Rewind(); rows.Next(); {
		for _, image := range []change.Image{change.Before, change.After} {
			rows.Select(image)
			fmt.Print("row:")
			for c := rows.Column(); c != nil; c = rows.Column() {
				fmt.Printf(" %s=%s", c.Name, c.Value)
			}
			fmt.Println()
		}
	}
	// Output:
	// UPDATE of shop.items
	// row: id=7 stock=12
	// row: id=7 stock=11
}

// What an Event holds is good until its record's buffer is used again; Clone
// makes a copy to keep.
func ExampleEvent_Clone() {
	buffer := []byte("orders")
	ev := change.Event{Type: change.Truncate, Table: buffer}

	kept := ev.Clone()
	copy(buffer, "------") // the next record
	fmt.Printf("%s %s\n", ev.Table, kept.Table)
	// Output:
	// ------ orders
}
