package cdcodec_test

import (
	"encoding/json"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/change/partition"
	. "github.com/cdcodec/cdcodec/internal/canaltest"
	"github.com/cdcodec/cdcodec/internal/pb/canalpb"
)

// divided returns what an Entry becomes with those partitions: messages and what they
// are.
func divided(t *testing.T, o partition.Options, c *canalpb.RowChange) (dst []byte, msgs []cdcodec.Message) {
	t.Helper()
	h := &canalpb.Header{SchemaName: proto.String("test"), TableName: proto.String("t"), Gtid: proto.String("g:1")}
	tr, err := cdcodec.New(cdcodec.Options{Partition: &o})
	if err != nil {
		t.Fatal(err)
	}
	dst, msgs, err = tr.Append(nil, nil, EntryOf(h, c), goldenMeta)
	if err != nil {
		t.Fatal(err)
	}
	return dst, msgs
}

func TestFieldCasesT38Partition(t *testing.T) {
	row := func(values ...string) *canalpb.RowData {
		var cols Columns
		for i, v := range values {
			cols = append(cols, Col(string('a'+rune(i)), v, Key))
		}
		return Row(nil, cols)
	}
	null := Row(nil, Columns{Col("a", "x", Key, Null)})
	noKey := Row(nil, Columns{Col("a", "101")})
	ddl := &canalpb.RowChange{IsDdl: proto.Bool(true), EventType: canalpb.EventType_ALTER.Enum(), RowDatas: []*canalpb.RowData{row("101")}}
	for _, c := range []struct {
		name   string
		o      partition.Options
		change *canalpb.RowChange
		want   int32
	}{
		{"49", partition.Options{Partitions: 3}, Change(Insert, row("1")), 1},
		{"48626", partition.Options{Partitions: 3}, Change(Insert, row("101")), 2},
		{"one unit", partition.Options{Partitions: 3}, Change(Insert, row("我")), 1},
		{"two units", partition.Options{Partitions: 3}, Change(Insert, row("😀")), 1},
		{"abs of the lowest int", partition.Options{Partitions: 3}, Change(Insert, row("polygenelubricants")), 2},
		{"the same of four", partition.Options{Partitions: 4}, Change(Insert, row("polygenelubricants")), 0},
		{"two keys", partition.Options{Partitions: 3}, Change(Insert, row("1", "a")), 2},
		{"database", partition.Options{Partitions: 3, DatabaseHash: true}, Change(Insert, row("1")), 0},
		{"null", partition.Options{Partitions: 3}, Change(Insert, null), 0},
		{"no key", partition.Options{Partitions: 3}, Change(Insert, noKey), 0},
		{"DDL", partition.Options{Partitions: 3}, ddl, 0},
		{"table", partition.Options{Partitions: 3, Rules: "test.t"}, Change(Insert, row("101")), 't' % 3},
		{"no rule", partition.Options{Partitions: 3, Rules: "test.u"}, Change(Insert, row("101")), 0},
	} {
		if c.o.Rules == "" {
			c.o.Rules = `.*\..*:$pk$`
		}
		if _, msgs := divided(t, c.o, c.change); len(msgs) != 1 || msgs[0].Partition != c.want {
			t.Errorf("%s: %+v, want partition %d", c.name, msgs, c.want)
		}
	}
}

// TestFieldCasesT38Split has rows of one message go to two partitions: each part has
// what the whole says, pkNames and gtid too.
func TestFieldCasesT38Split(t *testing.T) {
	row := func(id, was, is string) *canalpb.RowData {
		return Row(Columns{Col("id", id, Key), Col("v", was)}, Columns{Col("id", id, Key), Col("v", is, Changed)})
	}
	dst, msgs := divided(t, partition.Options{Partitions: 3, Rules: "test.t:id"},
		Change(Update, row("1", "a", "b"), row("101", "c", "d"), row("我", "e", "f")))
	want := []struct {
		partition  int32
		row        int
		data, olds string
	}{
		{1, 0, `[{"id":"1","v":"b"},{"id":"我","v":"f"}]`, `[{"v":"a"},{"v":"e"}]`},
		{2, 1, `[{"id":"101","v":"d"}]`, `[{"v":"c"}]`},
	}
	if len(msgs) != len(want) {
		t.Fatalf("%d messages: %s", len(msgs), dst)
	}
	for i, m := range msgs {
		var got struct {
			Data, Old json.RawMessage
			PKNames   []string
			GTID      string
		}
		if err := json.Unmarshal(dst[m.Start:m.End], &got); err != nil {
			t.Fatal(err)
		}
		if w := want[i]; m.Partition != w.partition || m.Row != w.row || m.Part != i || string(got.Data) != w.data || string(got.Old) != w.olds {
			t.Errorf("part %d: %+v %s", i, m, dst[m.Start:m.End])
		}
		if len(got.PKNames) != 1 || got.PKNames[0] != "id" || got.GTID != "g:1" {
			t.Errorf("part %d has lost pkNames or gtid: %s", i, dst[m.Start:m.End])
		}
	}
}
