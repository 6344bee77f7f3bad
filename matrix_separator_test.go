package cdcodec_test

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/fastjson"
	. "github.com/cdcodec/cdcodec/internal/canaltest"
	"github.com/cdcodec/cdcodec/internal/pb/canalpb"
)

// joined holds what convert makes of a record to what it makes of it without a separator,
// and returns how many messages that are. It asks for exactly as much output, and for one
// byte less.
func joined(t *testing.T, o cdcodec.Options, convert func(tr *cdcodec.Transcoder, dst []byte, msgs []cdcodec.Message) ([]byte, []cdcodec.Message, error)) int {
	t.Helper()
	const there = "there"
	o.JSON.Separator = ""
	out, msgs, err := convert(newTranscoder(t, o), []byte(there), nil)
	if err != nil {
		t.Fatal(err)
	}
	var each [][]byte
	for _, m := range msgs {
		each = append(each, out[m.Start:m.End])
	}
	for _, separator := range []string{"\n", ",\r\n "} {
		o.JSON.Separator = separator
		want := bytes.Join(each, []byte(separator))
		if o.JSON.MaxOutput = len(want); len(want) == 0 {
			o.JSON.MaxOutput = 1
		}
		before := []cdcodec.Message{{Start: 1}, {Start: 2}}
		got, told, err := convert(newTranscoder(t, o), []byte(there), slices.Clone(before))
		if err != nil || string(got) != there+string(want) || len(told) != len(each)+2 {
			t.Fatalf("%v\n got %s\nwant %s%s", err, got, there, want)
		}
		at := len(there)
		for i, m := range told[2:] {
			plain := msgs[i]
			if plain.Start, plain.End = at, at+len(each[i]); m.Start != plain.Start || m.End != plain.End || m.Entry != plain.Entry || m.Row != plain.Row {
				t.Fatalf("message %d is %+v, want %+v", i, m, plain)
			}
			at += len(each[i]) + len(separator)
		}
		if len(each) < 2 || o.BadEntry != nil {
			continue
		}
		o.JSON.MaxOutput--
		got, told, err = convert(newTranscoder(t, o), []byte(there), slices.Clone(before))
		if !errors.Is(err, fastjson.ErrMaxOutput) || string(got) != there || len(told) != 2 {
			t.Fatalf("one byte more than MaxOutput: %v, %s", err, got)
		}
	}
	return len(each)
}

// TestMatrixSeparator has between the messages of a record what Options say, for
// every source and target, and nothing at the ends.
func TestMatrixSeparator(t *testing.T) {
	eachPair(t, func(t *testing.T, m material, o cdcodec.Options, _ cdcodec.Source) {
		for _, oneRow := range []bool{false, true} {
			o.JSON.OneRow = oneRow
			several := 0
			for _, record := range m.records[:min(len(m.records), 10)] {
				if joined(t, o, func(tr *cdcodec.Transcoder, dst []byte, msgs []cdcodec.Message) ([]byte, []cdcodec.Message, error) {
					return tr.Append(dst, msgs, record, matrixMeta)
				}) > 1 {
					several++
				}
			}
			if single := o.To == cdcodec.ToPacket || m.from == cdcodec.FromEntry || m.name == "canal-json"; several == 0 && !single {
				t.Error("no record of several messages: this tested nothing")
			}
		}
	})
}

// TestSeparatorOfNothing has what gives no message at the beginning, in the middle and
// at the end of a record: it leaves no separator.
func TestSeparatorOfNothing(t *testing.T) {
	insert := fieldEntry(Change(Insert, Row(nil, Columns{Col("a", "1")}), Row(nil, Columns{Col("a", "2")})))
	none := [][]byte{
		fieldEntry(Change(Insert)),                               // ticdc has no message for it
		fieldEntry(Change(Insert, Row(nil, nil), Row(nil, nil))), // nor for these
		Encode(&canalpb.Entry{EntryType: canalpb.EntryType_HEARTBEAT.Enum()}),
		Encode(&canalpb.Entry{EntryType: canalpb.EntryType_TRANSACTIONEND.Enum()}),
		fieldEntry(Statement(canalpb.EventType_ERASE, true, "drop table t")),
		append(slices.Clone(insert), 0xff),
	}
	for _, aim := range aims {
		for i, nothing := range none {
			o := cdcodec.Options{To: aim.to, JSON: aim.json, BadEntry: func(int, error) {}}
			o.JSON.DropDDL, o.JSON.DropHeartbeats = true, true
			want := 2
			if aim.to == cdcodec.ToPacket {
				want = 1
			} else if aim.name == "ticdc" {
				want = 4
			}
			for _, list := range [][][]byte{
				{nothing, insert, insert}, {insert, nothing, nothing, insert}, {insert, insert, nothing},
			} {
				n := joined(t, o, func(tr *cdcodec.Transcoder, dst []byte, msgs []cdcodec.Message) ([]byte, []cdcodec.Message, error) {
					return tr.AppendEntries(dst, msgs, list, matrixMeta)
				})
				if empty := i < 2 && (aim.name == "canal" || aim.name == "entry"); n != want && !empty {
					t.Errorf("%s, %d: %d messages, want %d", aim.name, i, n, want)
				}
			}
			if n := joined(t, o, func(tr *cdcodec.Transcoder, dst []byte, msgs []cdcodec.Message) ([]byte, []cdcodec.Message, error) {
				return tr.AppendEntries(dst, msgs, [][]byte{nothing, nothing}, matrixMeta)
			}); n != 0 && i > 1 {
				t.Errorf("%s, %d: %d messages of nothing", aim.name, i, n)
			}
		}
	}
}

// TestSeparatorAfterRows: rows of dialect ticdc without columns, between others.
func TestSeparatorAfterRows(t *testing.T) {
	row := func(v string) change.Row {
		return change.Row{After: []change.Column{{Name: []byte("a"), Value: []byte(v)}}}
	}
	ev := &change.Event{Type: change.Insert, Rows: change.NewList(change.Row{}, row("1"), change.Row{}, change.Row{}, row("2"), change.Row{})}
	for _, o := range []fastjson.Options{{Dialect: fastjson.TiCDC}, {OneRow: true}} {
		o.Separator = "|"
		w, err := fastjson.NewWriter(o)
		if err != nil {
			t.Fatal(err)
		}
		out, err := w.AppendEvent([]byte("|"), ev, matrixMeta)
		ends := w.Ends()
		if err != nil || bytes.Count(out, []byte("|")) != 2 || len(ends) != 2 || out[ends[0]] != '|' || ends[1] != len(out) {
			t.Errorf("%v, %v: %s", err, ends, out)
		}
	}
}
