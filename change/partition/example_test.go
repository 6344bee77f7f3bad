package partition_test

import (
	"fmt"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/change/partition"
)

func Example() {
	p, err := partition.New(partition.Options{
		Partitions: 3,
		Rules:      `shop.orders:id;.*\..*:$pk$`,
	})
	if err != nil {
		panic(err)
	}
	order := func(id string) change.Row {
		return change.Row{After: []change.Column{{Name: []byte("id"), Value: []byte(id)}}}
	}
	ev := &change.Event{
		Type: change.Insert, Database: []byte("shop"), Table: []byte("orders"),
		Rows: change.NewList(order("1"), order("101"), order("polygenelubricants")),
	}
	fmt.Println(p.AppendRows(nil, ev))
	// Output:
	// [1 2 2]
}
