package fastjson_test

import (
	"fmt"
	"io"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/fastjson"
)

// Messages of Canal and of TiCDC, one a line, into one Event.
func ExampleReader() {
	lines := []byte(`{"data":[{"id":"7","note":"say \"hi\""}],"database":"shop","es":1690000000000,"id":3,"isDdl":false,"mysqlType":{"id":"bigint(20)","note":"text"},"old":[{"note":"call first"}],"pkNames":["id"],"sql":"","sqlType":{"id":-5,"note":2005},"table":"orders","ts":1700000000000,"type":"UPDATE"}
{"id":0,"database":"shop","table":"carts","pkNames":["id"],"isDdl":false,"type":"DELETE","es":1640007049196,"ts":1640007050284,"sql":"","sqlType":{"id":4},"mysqlType":{"id":"int"},"old":null,"data":[{"id":"9"}],"_tidb":{"commitTs":429918007904436226}}
`)
	var r fastjson.Reader
	var ev change.Event // used again for the next one
	var meta fastjson.Meta
	for {
		var err error
		lines, err = r.Next(&ev, &meta, lines)
		if err == io.EOF {
			break
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%v %s.%s at %d\n", ev.Type, ev.Database, ev.Table, ev.ES)
		if ev.Rows == nil {
			continue
		}
		for ev.Rows.Rewind(); ev.Rows.Next(); {
			ev.Rows.Select(change.ImageOf(ev.Type))
			for c := ev.Rows.Column(); c != nil; c = ev.Rows.Column() {
				fmt.Printf("  %s %s = %s (key: %v, updated: %v)\n", c.MySQLType, c.Name, c.Value, c.Key, c.Updated)
			}
		}
	}
	// Output:
	// UPDATE shop.orders at 1690000000000
	//   bigint(20) id = 7 (key: true, updated: false)
	//   text note = say "hi" (key: false, updated: true)
	// DELETE shop.carts at 1640007049196
	//   int id = 9 (key: true, updated: false)
}
