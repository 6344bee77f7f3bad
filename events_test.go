package cdcodec_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/change"
	. "github.com/cdcodec/cdcodec/internal/canaltest"
	"github.com/cdcodec/cdcodec/internal/corpus"
	"github.com/cdcodec/cdcodec/wire"
)

// TestEvents has as many Events of each source as Append has messages.
func TestEvents(t *testing.T) {
	for _, c := range []struct {
		from   cdcodec.Source
		corpus string
	}{
		{cdcodec.FromEntry, "stream"}, {cdcodec.FromPacket, "stream"}, {cdcodec.FromTiDBBinlog, "tidb"}, {cdcodec.FromChangeDataSet, "baidu"},
	} {
		made, err := corpus.Make(c.corpus, 40, 1)
		if err != nil {
			t.Fatal(err)
		}
		records := made.Entries
		if c.from == cdcodec.FromPacket {
			records = made.Packets()
		}
		tr, _ := cdcodec.New(cdcodec.Options{From: c.from})
		for _, record := range records {
			_, msgs, err := tr.Append(nil, nil, record, goldenMeta)
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			err = tr.Events(record, func(index int, ev *change.Event) error {
				if n >= len(msgs) || msgs[n].Entry != index || string(msgs[n].Table) != string(ev.Table) || msgs[n].Type != ev.Type {
					return errors.New("another change than Append has")
				}
				n++
				return nil
			})
			if err != nil || n != len(msgs) {
				t.Errorf("%s: %d events, %v; want %d", c.corpus, n, err, len(msgs))
			}
		}
	}
}

func TestEventsErrors(t *testing.T) {
	entry := EntryOf(nil, Change(Insert, Row(nil, Columns{Col("a", "1")})))
	tr, _ := cdcodec.New(cdcodec.Options{From: cdcodec.FromPacket})
	enough := errors.New("enough")
	seen := 0
	record := PacketOf(MessagesPacket, BatchOf(1, entry, entry, entry))
	err := tr.Events(record, func(int, *change.Event) error {
		if seen++; seen == 2 {
			return enough
		}
		return nil
	})
	var place *wire.ParseError
	if seen != 2 || !errors.Is(err, enough) || !errors.As(err, &place) || !strings.Contains(fmt.Sprint(err), "messages[1]") {
		t.Errorf("%v after %d", err, seen)
	}
	if err := tr.Events(record[:len(record)-1], func(int, *change.Event) error { return nil }); !errors.Is(err, wire.ErrTruncated) {
		t.Errorf("half a Packet: %v", err)
	}
	if _, msgs, err := tr.Append(nil, nil, record, goldenMeta); err != nil || len(msgs) != 3 {
		t.Errorf("%d messages afterwards, %v", len(msgs), err)
	}
}
