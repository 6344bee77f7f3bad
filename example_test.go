package cdcodec_test

import (
	"errors"
	"fmt"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/internal/corpus"
	"github.com/cdcodec/cdcodec/wire"
	"github.com/cdcodec/cdcodec/wire/canal"
)

func Example() {
	records := corpus.Sample() // yours come from Kafka, a file, a socket
	send := func(table, message []byte) { fmt.Printf("%s %.40s…\n", table, message) }

	tr, err := cdcodec.New(cdcodec.Options{}) // Entry to Canal-JSON, as Canal writes it
	if err != nil {
		panic(err)
	}
	var dst []byte
	var msgs []cdcodec.Message
	for i, record := range records {
		dst, msgs, err = tr.Append(dst[:0], msgs[:0], record, fastjson.Meta{ID: int64(i)})
		if err != nil {
			fmt.Println(err) // this record gave nothing; the next one works
		}
		for _, m := range msgs {
			send(m.Table, dst[m.Start:m.End])
		}
	}

	// Output:
	// orders {"data":[{"id":"1003","customer":"王小明","…
	// orders {"data":[{"id":"1001","customer":"Ann Le…
	// orders {"data":[{"id":"1000","customer":"Zoë","…
	// orders {"data":null,"database":"shop","es":1700…
}

// What is wrong with a record is said with its place: the kind for errors.Is,
// the offset of the bad field's tag, and its path.
func ExampleTranscoder_Append_error() {
	entry := corpus.Sample()[1]
	entry = entry[:len(entry)-4] // cut in transit

	var tr cdcodec.Transcoder
	_, _, err := tr.Append(nil, nil, entry, fastjson.Meta{})

	var bad *wire.ParseError
	fmt.Println(errors.Is(err, wire.ErrTruncated), errors.As(err, &bad))
	fmt.Println(err)
	// Output:
	// true true
	// storeValue at byte 120: input ends inside a field
}

// A Packet with a bad Entry fails as a whole, unless its good Entries are asked
// for.
func ExampleOptions_badEntry() {
	sample := corpus.Sample()
	bad := []byte{0x1a, 0x05}
	packet := []byte{0x18, 0x07} // type: MESSAGES
	var messages []byte
	for _, e := range [][]byte{sample[1], bad, sample[3]} {
		messages = wire.AppendBytes(wire.AppendTag(messages, 2, wire.Bytes), e)
	}
	packet = wire.AppendBytes(wire.AppendTag(packet, 5, wire.Bytes), messages)

	tr, _ := cdcodec.New(cdcodec.Options{
		From:     cdcodec.FromPacket,
		BadEntry: func(index int, err error) { fmt.Println("entry", index, "is bad:", err) },
	})
	_, msgs, err := tr.Append(nil, nil, packet, fastjson.Meta{})
	for _, m := range msgs {
		fmt.Println("entry", m.Entry, "is", m.Type)
	}
	fmt.Println(err)
	// Output:
	// entry 1 is bad: body.messages[1].storeValue at byte 350: input ends inside a field
	// entry 0 is INSERT
	// entry 2 is DELETE
	// <nil>
}

// A message that Canal sent becomes what TiCDC would have sent of it: the whole row in
// old, types without parameters.
func ExampleOptions() {
	const message = `{"data":[{"id":"7","status":"paid"}],"database":"shop","es":1668673476000,"gtid":"","id":1,"isDdl":false,` +
		`"mysqlType":{"id":"bigint(20)","status":"varchar(16)"},"old":[{"status":"new"}],"pkNames":["id"],"sql":"",` +
		`"sqlType":{"id":-5,"status":12},"table":"orders","ts":1668673476123,"type":"UPDATE"}`

	tr, err := cdcodec.New(cdcodec.Options{
		From: cdcodec.FromCanalJSON, // FromTiDBBinlog, FromChangeDataSet, … are the others
		JSON: fastjson.Options{Dialect: fastjson.TiCDC},
	})
	if err != nil {
		panic(err)
	}
	out, msgs, err := tr.Append(nil, nil, []byte(message), fastjson.Meta{TS: 1668673476200})
	fmt.Println(len(msgs), err)
	fmt.Printf("%s\n", out)
	// Output:
	// 1 <nil>
	// {"id":0,"database":"shop","table":"orders","pkNames":["id"],"isDdl":false,"type":"UPDATE","es":1668673476000,"ts":1668673476200,"sql":"","sqlType":{"id":-5,"status":12},"mysqlType":{"id":"bigint","status":"varchar"},"old":[{"id":"7","status":"new"}],"data":[{"id":"7","status":"paid"}]}
}

// And back into the protobuf that Canal had it from: an Entry for each change.
func ExampleTarget() {
	const ddl = `{"database":"shop","table":"orders","es":1668673476000,"isDdl":true,"type":"TRUNCATE","sql":"truncate table orders"}`

	tr, err := cdcodec.New(cdcodec.Options{From: cdcodec.FromCanalJSON, To: cdcodec.ToEntry})
	if err != nil {
		panic(err)
	}
	entry, _, err := tr.Append(nil, nil, []byte(ddl), fastjson.Meta{})
	if err != nil {
		panic(err)
	}
	view, err := canal.ParseEntry(entry)
	fmt.Printf("%v of %s.%s, %v\n", view.Header.EventType, view.Header.SchemaName, view.Header.TableName, err)
	// Output:
	// TRUNCATE of shop.orders, <nil>
}
