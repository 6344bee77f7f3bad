package canal_test

import (
	"errors"
	"fmt"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/internal/corpus"
	"github.com/cdcodec/cdcodec/wire"
	"github.com/cdcodec/cdcodec/wire/canal"
)

// To route an Entry it is enough to peek at it: storeValue is not looked into.
func ExampleParseEntry() {
	for _, record := range corpus.Sample() { // yours come from Canal
		e, err := canal.ParseEntry(record)
		if err != nil {
			fmt.Println(err)
			continue
		}
		if e.IsTransactionMark() {
			fmt.Println(e.Type)
			continue
		}
		h := &e.Header
		fmt.Printf("%v %v %s.%s, %d bytes\n", e.Type, h.EventType, h.SchemaName, h.TableName, len(e.StoreValue))
	}
	// Output:
	// TRANSACTIONBEGIN
	// ROWDATA INSERT shop.orders, 217 bytes
	// ROWDATA UPDATE shop.orders, 852 bytes
	// ROWDATA DELETE shop.orders, 223 bytes
	// TRANSACTIONEND
	// ROWDATA ALTER shop.orders, 95 bytes
}

func ExampleDecoder() {
	var d canal.Decoder
	var ev change.Event // both are used again and again
	for _, record := range corpus.Sample() {
		e, err := canal.ParseEntry(record)
		if err != nil || e.IsTransactionMark() {
			continue
		}
		if err := d.Decode(&ev, &e); err != nil {
			fmt.Println(err) // ev is zero now, and d works on
			continue
		}
		fmt.Printf("%v %v\n", ev.Kind, ev.Type)
		if ev.Rows == nil {
			continue
		}
		for ev.Rows.Next() {
			ev.Rows.Select(change.ImageOf(ev.Type))
			for c := ev.Rows.Column(); c != nil; c = ev.Rows.Column() {
				if c.Key || c.Updated && ev.Type == change.Update {
					fmt.Printf("    %s = %s\n", c.Name, c.Value) // borrowed from record
				}
			}
		}
	}
	// Output:
	// rows INSERT
	//     id = 1003
	// rows UPDATE
	//     id = 1001
	//     status = 2
	//     note = leave it with "Bob" 🎁
	//     id = 1002
	//     status = 2
	// rows DELETE
	//     id = 1000
	// ddl ALTER
}

// A damaged record says what is wrong, where, and in which table's Entry.
func ExampleDecoder_error() {
	record := corpus.Sample()[1]
	record[len(record)-len("\x04text")] = 0x7f // damaged in transit: the length of the last mysqlType

	e, err := canal.ParseEntry(record)
	if err != nil {
		fmt.Println(err)
		return
	}
	var d canal.Decoder
	var ev change.Event
	err = d.Decode(&ev, &e)

	var bad *wire.ParseError
	fmt.Println(errors.Is(err, wire.ErrTruncated), errors.As(err, &bad))
	fmt.Printf("%s: %v\n", bad.Table, err)
	// Output:
	// true true
	// shop.orders: storeValue.rowDatas[0].afterColumns[4].mysqlType at byte 334: input ends inside a field
}

func ExamplePacket_Messages() {
	// A Packet as a Kafka consumer gets it: type 7 (MESSAGES), and in its body
	// two Entries, of which the second is cut short.
	sample := corpus.Sample()
	var body []byte
	for _, entry := range [][]byte{sample[1], sample[2][:100]} {
		body = wire.AppendBytes(wire.AppendTag(body, 2, wire.Bytes), entry)
	}
	packet := wire.AppendVarint(wire.AppendTag(nil, 3, wire.Varint), uint64(canal.MessagesPacket))
	packet = wire.AppendBytes(wire.AppendTag(packet, 5, wire.Bytes), body)

	p, err := canal.ParsePacket(packet)
	if err != nil {
		panic(err)
	}
	m, err := p.Messages() // an AckError if Canal's server answered instead
	if err != nil {
		panic(err)
	}
	for m.Next() {
		e, err := m.Entry()
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Printf("entry %d: %v %s.%s\n", m.Index(), e.Header.EventType, e.Header.SchemaName, e.Header.TableName)
	}
	// Output:
	// entry 0: INSERT shop.orders
	// body.messages[1].header at byte 350: input ends inside a field
}
