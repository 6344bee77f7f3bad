package batch_test

import (
	"testing"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/wire/canal"
)

func event(text string) *change.Event {
	return &change.Event{
		Type: change.Insert, Database: []byte("shop"), Table: []byte("orders"), ES: 5,
		Rows: change.NewList(change.Row{After: []change.Column{
			{Name: []byte("id"), Value: []byte("1"), SQLType: 4, Key: true},
			{Name: []byte("text"), Value: []byte(text), SQLType: 12},
		}}),
	}
}

func appendEntry(t testing.TB, dst []byte, text string) []byte {
	t.Helper()
	dst, err := canal.AppendEntry(dst, event(text), 0)
	if err != nil {
		t.Fatal(err)
	}
	return dst
}

// packet returns a Packet of Entries.
func packet(t testing.TB, entries ...[]byte) []byte {
	t.Helper()
	p := canal.BeginPacket(nil, 1)
	for _, e := range entries {
		p = canal.AppendPacketEntry(p, e)
	}
	p, err := canal.EndPacket(p, 0)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
