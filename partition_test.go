package cdcodec_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/change/partition"
	"github.com/cdcodec/cdcodec/fastjson"
	. "github.com/cdcodec/cdcodec/internal/canaltest"
	"github.com/cdcodec/cdcodec/internal/corpus"
	"github.com/cdcodec/cdcodec/internal/corpus/golden"
	"github.com/cdcodec/cdcodec/internal/reference"
)

// shown is a message as this file looks at it: its rows, and all else.
type shown struct {
	data, old []json.RawMessage
	rest      string
}

func showMessage(t *testing.T, message []byte) (s shown) {
	t.Helper()
	var m struct{ Data, Old json.RawMessage }
	if err := json.Unmarshal(message, &m); err != nil {
		t.Fatalf("%v: %s", err, message)
	}
	s.rest = string(message)
	for _, field := range []struct {
		name string
		raw  json.RawMessage
		list *[]json.RawMessage
	}{{"data", m.Data, &s.data}, {"old", m.Old, &s.old}} {
		if err := json.Unmarshal(field.raw, field.list); err != nil {
			t.Fatal(err)
		}
		s.rest = strings.Replace(s.rest, `"`+field.name+`":`+string(field.raw), `"`+field.name+`":…`, 1)
	}
	return s
}

// partitionRecords are Entries of all kinds, several rows among them.
func partitionRecords(t *testing.T) (records [][]byte) {
	for name, n := range map[string]int{"oltp": 30, "bulk": 3, "wide": 6, "stream": 200} {
		c, err := corpus.Make(name, n, 1)
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, c.Entries...)
	}
	for _, c := range golden.Entries() {
		records = append(records, c.Records...)
	}
	seen := map[string]bool{}
	for _, g := range golden.Partitions() {
		if !seen[g.Name] {
			seen[g.Name] = true
			records = append(records, g.Entry)
		}
	}
	return records
}

// TestPartitionLaw divides messages and puts the parts together again: each row is in
// the part of the partition that the reference sends it to, in the order of the whole,
// old with it, and all else is that of the whole. The fused path gives the same.
func TestPartitionLaw(t *testing.T) {
	records := partitionRecords(t)
	for _, o := range []partition.Options{
		{Partitions: 7, Rules: `.*\..*:$pk$`},
		{Partitions: 3, Rules: `.*\..*:id^name`, DatabaseHash: true},
		{Partitions: 16, Rules: `.*\..*`},
		{Partitions: 1, Rules: `.*:id`},
		{},
	} {
		whole, _ := cdcodec.New(cdcodec.Options{})
		parts, err := cdcodec.New(cdcodec.Options{Partition: &o})
		if err != nil {
			t.Fatal(err)
		}
		general, _ := cdcodec.New(cdcodec.Options{Partition: &o, JSON: fastjson.Options{NoFused: true}})
		several := 0
		for _, record := range records {
			all, list, err := whole.Append(nil, nil, record, goldenMeta)
			got, msgs, err2 := parts.Append(nil, nil, record, goldenMeta)
			if fmt.Sprint(err) != fmt.Sprint(err2) {
				t.Fatalf("the whole says %v, the parts %v", err, err2)
			}
			if got2, msgs2, _ := general.Append(nil, nil, record, goldenMeta); !bytes.Equal(got, got2) || fmt.Sprint(msgs) != fmt.Sprint(msgs2) {
				t.Fatalf("%+v: the general path says otherwise\n%s %+v\n%s %+v", o, got, msgs, got2, msgs2)
			}
			if len(list) == 0 {
				if len(msgs) > 0 {
					t.Fatalf("parts of nothing: %s", got)
				}
				continue
			}
			if len(msgs) > 1 {
				several++
			}
			checkParts(t, o, all, got, msgs)
		}
		if several < 10 && o.Partitions > 1 && strings.Contains(o.Rules, ":") {
			t.Errorf("%+v: only %d messages were divided", o, several)
		}
		if parts.Stats().Fused < parts.Stats().Messages/3 {
			t.Errorf("%+v: of %d messages only %d were fused", o, parts.Stats().Messages, parts.Stats().Fused)
		}
	}
}

func checkParts(t *testing.T, o partition.Options, all, got []byte, msgs []cdcodec.Message) {
	t.Helper()
	want, err := reference.Partitions(all, o.Rules, max(o.Partitions, 1), o.DatabaseHash)
	if err != nil {
		t.Fatal(err)
	}
	wholly := showMessage(t, all)
	var order []int32 // partitions as they first appear
	for _, p := range want {
		if !slices.Contains(order, p) {
			order = append(order, p)
		}
	}
	byPartition := map[int32]*shown{}
	var gotOrder []int32
	for _, m := range msgs {
		s := showMessage(t, got[m.Start:m.End])
		if s.rest != wholly.rest {
			t.Fatalf("a part differs in more than its rows:\n%s\n%s", s.rest, wholly.rest)
		}
		byPartition[m.Partition] = &s
		gotOrder = append(gotOrder, m.Partition)
	}
	if !slices.Equal(order, gotOrder) {
		t.Fatalf("%+v: partitions %v, want %v\n%s", o, gotOrder, order, all)
	}
	paired := len(wholly.old) == len(wholly.data)
	for i := range wholly.data {
		s := byPartition[want[i]]
		if len(s.data) == 0 || !bytes.Equal(s.data[0], wholly.data[i]) || paired && !bytes.Equal(s.old[0], wholly.old[i]) {
			t.Fatalf("row %d is not where it should be\n%s\n%s", i, got, all)
		}
		if s.data = s.data[1:]; paired {
			s.old = s.old[1:]
		}
	}
	for p, s := range byPartition {
		if len(s.data) > 0 || paired && len(s.old) > 0 {
			t.Fatalf("partition %d has rows that the whole has not: %s", p, got)
		}
	}
}

// TestPartitionOneRow has messages of one row, in both dialects and of all sources, each
// with its partition and its key: those that the message itself tells.
func TestPartitionOneRow(t *testing.T) {
	o := partition.Options{Partitions: 5, By: partition.ByKey}
	packets := func(c corpus.Corpus) [][]byte { return c.Packets() }
	entries := func(c corpus.Corpus) [][]byte { return c.Entries }
	for _, c := range []struct {
		from    cdcodec.Source
		corpus  string
		records func(corpus.Corpus) [][]byte
	}{
		{cdcodec.FromEntry, "stream", entries},
		{cdcodec.FromPacket, "stream", packets},
		{cdcodec.FromTiDBBinlog, "tidb", entries},
		{cdcodec.FromChangeDataSet, "baidu", entries},
	} {
		made, err := corpus.Make(c.corpus, 60, 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, json := range []fastjson.Options{{OneRow: true}, {Dialect: fastjson.TiCDC}, {OneRow: true, Separator: "\n"}} {
			tr, err := cdcodec.New(cdcodec.Options{From: c.from, JSON: json, Partition: &o, Keys: true})
			if err != nil {
				t.Fatal(err)
			}
			json.NoFused = true
			plain, _ := cdcodec.New(cdcodec.Options{From: c.from, JSON: json})
			keys := 0
			for _, record := range c.records(made) {
				got, msgs, err := tr.Append(nil, nil, record, goldenMeta)
				if err != nil {
					t.Fatal(err)
				}
				want, list, _ := plain.Append(nil, nil, record, goldenMeta)
				if !bytes.Equal(got, want) || len(msgs) != len(list) {
					t.Fatalf("partitions and keys have changed a message:\n%s\n%s", got, want)
				}
				for i, m := range msgs {
					message := got[m.Start:m.End]
					part, err := reference.Partitions(message, `.*\..*:$pk$`, 5, false)
					if err != nil || len(part) != 1 || m.Partition != part[0] || m.Row != list[i].Row || m.Part != 0 {
						t.Fatalf("%+v, want %v, %+v: %s", m, part, list[i], message)
					}
					if key := ownKey(t, message); string(m.Key) != key {
						t.Fatalf("key is %s, want %s: %s", m.Key, key, message)
					}
					if len(m.Key) > 0 {
						keys++
					}
				}
			}
			if keys < 50 {
				t.Errorf("%s: only %d keys", c.corpus, keys)
			}
			if json.OneRow && c.corpus == "stream" && tr.Stats().Fused < 20 {
				t.Errorf("only %d messages of one row were fused", tr.Stats().Fused)
			}
		}
	}
}

// ownKey returns the key that a message of one row tells itself, as encoding/json has it.
func ownKey(t *testing.T, message []byte) string {
	t.Helper()
	var m struct {
		Data    []map[string]json.RawMessage
		PKNames []string
	}
	if err := json.Unmarshal(message, &m); err != nil {
		t.Fatal(err)
	}
	var members []string
	for _, name := range m.PKNames {
		quoted, _ := json.Marshal(name)
		members = append(members, string(quoted)+":"+string(m.Data[0][name]))
	}
	if len(m.Data) == 0 || len(members) == 0 {
		return ""
	}
	return "{" + strings.Join(members, ",") + "}"
}

func TestPartitionRoundRobin(t *testing.T) {
	tr, err := cdcodec.New(cdcodec.Options{Partition: &partition.Options{Partitions: 3, By: partition.RoundRobin}})
	if err != nil {
		t.Fatal(err)
	}
	row := Row(nil, Columns{Col("a", "1", Key)})
	entry := EntryOf(nil, Change(Insert, row, row))
	for want := range int32(7) {
		_, msgs, err := tr.Append(nil, nil, entry, goldenMeta)
		if err != nil || len(msgs) != 1 || msgs[0].Partition != want%3 {
			t.Errorf("%+v, %v; want partition %d", msgs, err, want%3)
		}
		if _, _, err := tr.Append(nil, nil, entry[:len(entry)-1], goldenMeta); err == nil {
			t.Error("half an Entry is no error")
		}
	}
	if tr, err = cdcodec.New(cdcodec.Options{JSON: fastjson.Options{OneRow: true}, Partition: &partition.Options{Partitions: 3, By: partition.RoundRobin}}); err != nil {
		t.Fatal(err)
	}
	if _, msgs, _ := tr.Append(nil, nil, entry, goldenMeta); len(msgs) != 2 || msgs[0].Partition != 0 || msgs[1].Partition != 1 {
		t.Errorf("a message for each row: %+v", msgs)
	}
}

// TestPartitionSplit cuts what has been divided: partitions and numbers of parts stay.
func TestPartitionSplit(t *testing.T) {
	c, err := corpus.Make("bulk", 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, rules := range []string{`.*\..*:$pk$`, `.*\..*`} {
		o := partition.Options{Partitions: 4, Rules: rules}
		tr, err := cdcodec.New(cdcodec.Options{Partition: &o, JSON: fastjson.Options{MaxMessage: 20_000, Split: true}})
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range c.Entries {
			dst, msgs, err := tr.Append(nil, nil, entry, goldenMeta)
			if err != nil || len(msgs) < 5 {
				t.Fatalf("%d messages, %v", len(msgs), err)
			}
			for i, m := range msgs {
				want, err := reference.Partitions(dst[m.Start:m.End], rules, 4, false)
				if err != nil || slices.Max(want) != m.Partition || slices.Min(want) != m.Partition || m.Part != i {
					t.Errorf("part %d: %+v, want %v", i, m, want)
				}
			}
		}
	}
}

func TestPartitionOptions(t *testing.T) {
	for _, c := range []struct {
		o   cdcodec.Options
		has string
	}{
		{cdcodec.Options{Keys: true}, "Keys in dialect canal needs JSON.OneRow"},
		{cdcodec.Options{Keys: true, To: cdcodec.ToEntry, JSON: fastjson.Options{OneRow: true}}, "for messages of Canal-JSON"},
		{cdcodec.Options{Partition: &partition.Options{}, To: cdcodec.ToPacket}, "for messages of Canal-JSON"},
		{cdcodec.Options{Partition: &partition.Options{Partitions: fastjson.MaxPartition + 2}}, "more than 1048576 Partitions"},
		{cdcodec.Options{Partition: &partition.Options{Rules: "("}}, `partition rule "("`},
		{cdcodec.Options{Partition: &partition.Options{Partitions: 3}}, "Partitions without Rules"},
	} {
		if _, err := cdcodec.New(c.o); err == nil || !strings.Contains(err.Error(), c.has) {
			t.Errorf("%+v: %v, want %q", c.o, err, c.has)
		}
	}
}

// TestPartitionAllocations are none, with parts and with keys.
func TestPartitionAllocations(t *testing.T) {
	for _, name := range []string{"oltp", "bulk"} {
		c, err := corpus.Make(name, 4, 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range []cdcodec.Options{
			{Partition: &partition.Options{Partitions: 16, Rules: `.*\..*:$pk$`}},
			{Partition: &partition.Options{Partitions: 16, By: partition.ByKey}, Keys: true, JSON: fastjson.Options{OneRow: true}},
		} {
			tr, err := cdcodec.New(o)
			if err != nil {
				t.Fatal(err)
			}
			dst, msgs := make([]byte, 0, 4<<20), make([]cdcodec.Message, 0, 1000)
			all := func() {
				for _, entry := range c.Entries {
					if dst, msgs, err = tr.Append(dst[:0], msgs[:0], entry, goldenMeta); err != nil {
						t.Fatal(err)
					}
				}
			}
			all()
			if n := testing.AllocsPerRun(3, all); n > 0 {
				t.Errorf("%s, %+v: %v allocations", name, o, n)
			}
		}
	}
}

// TestKeysCount has the key of each row counted in dialect ticdc, to the byte.
func TestKeysCount(t *testing.T) {
	row := func(id, note string, marks ...Mark) Columns {
		return Columns{Col("id", id, marks...), Col("note", note)}
	}
	entry := EntryOf(nil, Change(Insert, Row(nil, row("1", "x", Key)), Row(nil, row("1234", "x", Key)), Row(nil, row("5", "", Key))))
	convert := func(o fastjson.TiCDCOptions, keys bool, entry []byte) ([]byte, []cdcodec.Message, error) {
		tr := newTranscoder(t, cdcodec.Options{Keys: keys, JSON: fastjson.Options{Dialect: fastjson.TiCDC, TiCDC: o}})
		return tr.Append(nil, nil, entry, goldenMeta)
	}
	_, msgs, err := convert(fastjson.TiCDCOptions{}, true, entry)
	if err != nil || len(msgs) != 3 || string(msgs[1].Key) != `{"id":"1234"}` {
		t.Fatalf("%v, %+v", err, msgs)
	}
	size := msgs[1].End - msgs[1].Start + len(msgs[1].Key) + 36 // the largest record of Kafka
	if _, got, err := convert(fastjson.TiCDCOptions{MaxMessage: size}, true, entry); err != nil || len(got) != 3 {
		t.Errorf("it just fits: %v", err)
	}
	var large *fastjson.TooLargeError
	if _, _, err := convert(fastjson.TiCDCOptions{MaxMessage: size - 1}, true, entry); !errors.As(err, &large) || large.Size != size {
		t.Errorf("a byte too much: %v", err)
	}
	if _, _, err := convert(fastjson.TiCDCOptions{MaxMessage: size - 13}, false, entry); err != nil {
		t.Errorf("without the key: %v", err)
	}
	if _, _, err := convert(fastjson.TiCDCOptions{MaxMessage: size - 13, CountKey: true}, false, entry); !errors.As(err, &large) {
		t.Errorf("without the key, which counts: %v", err)
	}
	// A row without a key has none to be counted.
	keyless := EntryOf(nil, Change(Insert, Row(nil, row("1", "x"))))
	_, msgs, _ = convert(fastjson.TiCDCOptions{}, true, keyless)
	if _, _, err := convert(fastjson.TiCDCOptions{MaxMessage: msgs[0].End + 36}, true, keyless); err != nil {
		t.Errorf("no key: %v", err)
	}
}
