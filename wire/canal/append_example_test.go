package canal_test

import (
	"errors"
	"fmt"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/wire/canal"
)

// An Event of any source becomes an Entry; this one is made by hand.
func ExampleAppendEntry() {
	ev := change.Event{
		Kind: change.KindRows, Type: change.Insert,
		Database: []byte("shop"), Table: []byte("orders"), ES: 1_700_000_000_000,
		Rows: change.NewList(change.Row{After: []change.Column{
			{Name: []byte("id"), Value: []byte("42"), MySQLType: []byte("bigint"), SQLType: -5, Key: true, Updated: true},
			{Name: []byte("note"), MySQLType: []byte("text"), SQLType: 2005, Null: true, Updated: true},
		}}),
	}
	var buf []byte // used again and again
	buf, err := canal.AppendEntry(buf[:0], &ev, 0)
	if err != nil {
		fmt.Println(err)
		return
	}

	e, err := canal.ParseEntry(buf)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d bytes: %v %v %s.%s\n", len(buf), e.Type, e.Header.EventType, e.Header.SchemaName, e.Header.TableName)
	for s := e.Scan(); s.Next(); {
		c := &s.Column
		fmt.Printf("%d %s %s = %q, null: %v\n", c.Index, c.Name, c.MySQLType, c.Value, c.IsNull)
	}
	// Output:
	// 101 bytes: ROWDATA INSERT shop.orders
	// 0 id bigint = "42", null: false
	// 1 note text = "", null: true
}

// Events are written one after the other into one Packet, as Kafka carries it.
func ExampleBeginPacket() {
	events := []change.Event{
		{Kind: change.KindDDL, Type: change.Alter, IsDDL: true, Database: []byte("shop"), SQL: []byte("alter table a add b int")},
		{Kind: change.KindWatermark, CommitTS: 1}, // what has no Entry is passed over
		{Kind: change.KindQuery, Type: change.Query, Database: []byte("shop"), SQL: []byte("flush logs")},
	}
	var buf []byte
	start := len(buf)
	buf = canal.BeginPacket(buf, 7)
	for i := range events {
		var err error
		if buf, err = canal.AppendPacketEvent(buf, &events[i], 0); err != nil && !errors.Is(err, canal.ErrNoEntry) {
			fmt.Println(err)
			return
		}
	}
	buf, err := canal.EndPacket(buf, start)
	if err != nil {
		fmt.Println(err)
		return
	}

	p, err := canal.ParsePacket(buf)
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := p.Messages()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("batch", m.BatchID)
	for m.Next() {
		e, err := m.Entry()
		if err != nil {
			fmt.Println(err)
			return
		}
		c, err := e.RowChange()
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%v %s\n", c.EventType, c.SQL)
	}
	// Output:
	// batch 7
	// ALTER alter table a add b int
	// QUERY flush logs
}
