package batch_test

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/batch"
	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/wire/canal"
)

// records returns Entries of three INSERTs.
func records() [][]byte {
	var list [][]byte
	for _, id := range []string{"1", "2", "3"} {
		entry, err := canal.AppendEntry(nil, &change.Event{
			Type: change.Insert, Database: []byte("shop"), Table: []byte("orders"),
			Rows: change.NewList(change.Row{After: []change.Column{{Name: []byte("id"), Value: []byte(id), SQLType: 4, Key: true}}}),
		}, 0)
		if err != nil {
			panic(err)
		}
		list = append(list, entry)
	}
	return list
}

func Example() {
	ctx := context.Background()
	p, err := batch.NewPipeline(ctx, batch.PipelineOptions{
		Batch: batch.Options{MaxCount: 2},
		Sink: batch.SinkFunc(func(_ context.Context, b *batch.Batch) error {
			for m := range b.Messages() {
				fmt.Printf("record %d: %s of %s.%s\n", m.Record, m.Type, m.Database, m.Table)
			}
			return nil
		}),
		Retry: batch.Retry{Tries: 5},
		Acknowledge: func(first int64, delivered []batch.Record) {
			fmt.Printf("delivered: %d from %d\n", len(delivered), first)
		},
	})
	if err != nil {
		panic(err)
	}
	for _, r := range records() {
		if _, err := p.Submit(ctx, batch.Record{Value: r, Meta: fastjson.Meta{ID: 1}}); err != nil {
			break // Close tells why
		}
	}
	fmt.Println(p.Close(ctx))
	// Output:
	// record 0: INSERT of shop.orders
	// record 1: INSERT of shop.orders
	// delivered: 2 from 0
	// record 2: INSERT of shop.orders
	// delivered: 1 from 2
	// <nil>
}

func ExampleBatcher() {
	b, err := batch.NewBatcher(cdcodec.Options{JSON: fastjson.Options{OneRow: true}}, batch.Options{MaxCount: 2, Frame: batch.Array})
	if err != nil {
		panic(err)
	}
	send := func() {
		for {
			ready, err := b.Next(time.Now())
			if err != nil || ready == nil {
				return
			}
			_, _ = ready.WriteTo(os.Stdout)
			fmt.Printf("\n%d messages, %v\n", ready.Len(), ready.Reason)
			ready.Release()
		}
	}
	for _, r := range records() {
		if err := b.Append(r, fastjson.Meta{ID: 7, TS: 1700000000000}); err != nil {
			fmt.Println(err)
		}
		send()
	}
	b.Flush()
	send()
	// Output:
	// [{"data":[{"id":"1"}],"database":"shop","es":0,"gtid":"","id":7,"isDdl":false,"mysqlType":{"id":""},"old":null,"pkNames":["id"],"sql":"","sqlType":{"id":4},"table":"orders","ts":1700000000000,"type":"INSERT"},{"data":[{"id":"2"}],"database":"shop","es":0,"gtid":"","id":7,"isDdl":false,"mysqlType":{"id":""},"old":null,"pkNames":["id"],"sql":"","sqlType":{"id":4},"table":"orders","ts":1700000000000,"type":"INSERT"}]
	// 2 messages, full
	// [{"data":[{"id":"3"}],"database":"shop","es":0,"gtid":"","id":7,"isDdl":false,"mysqlType":{"id":""},"old":null,"pkNames":["id"],"sql":"","sqlType":{"id":4},"table":"orders","ts":1700000000000,"type":"INSERT"}]
	// 1 messages, flushed
}
