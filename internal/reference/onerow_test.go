package reference

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/cdcodec/cdcodec/fastjson"
	. "github.com/cdcodec/cdcodec/internal/canaltest"
	"github.com/cdcodec/cdcodec/internal/corpus/golden"
	"github.com/cdcodec/cdcodec/internal/pb/canalpb"
)

var oneRow = fastjson.Options{OneRow: true}

// TestOneRow is the splitting of a message in canal.md, 3, down to single rows.
func TestOneRow(t *testing.T) {
	a := func(v string, marks ...Mark) Columns { return Columns{Col("a", v, marks...)} }
	type part struct{ data, old string }
	for _, c := range []struct {
		name   string
		change *canalpb.RowChange
		want   []part
	}{
		{"insert", Change(Insert, Row(nil, a("1")), Row(nil, a("2"))), []part{{`[{"a":"1"}]`, `null`}, {`[{"a":"2"}]`, `null`}}},
		{"insert, one row without columns", Change(Insert, Row(nil, a("1")), Row(a("9"), nil), Row(nil, a("2"))),
			[]part{{`[{"a":"1"}]`, `null`}, {`[{"a":"2"}]`, `null`}}},
		{"insert without columns", Change(Insert, Row(nil, nil), Row(a("9"), nil)), []part{{`null`, `null`}}},
		{"delete", Change(Delete, Row(a("1"), nil), Row(nil, a("9")), Row(a("2"), nil)),
			[]part{{`[{"a":"1"}]`, `null`}, {`[{"a":"2"}]`, `null`}}},
		{"update", Change(Update, Row(a("1"), a("2", Changed)), Row(a("3"), a("4"))),
			[]part{{`[{"a":"2"}]`, `[{"a":"1"}]`}, {`[{"a":"4"}]`, `[{"a":"3"}]`}}}, // the flag is never cleared
		{"update, one row without after", Change(Update, Row(a("1"), a("2", Changed)), Row(a("3"), nil), Row(a("5"), a("6"))),
			[]part{{`[{"a":"2"}]`, `[{"a":"1"}]`}, {`null`, `[{"a":"3"}]`}, {`[{"a":"6"}]`, `[{"a":"5"}]`}}},
		{"update, one row without columns", Change(Update, Row(nil, nil), Row(a("1"), a("2"))), []part{{`null`, `[{}]`}, {`[{"a":"2"}]`, `[{}]`}}},
		{"update without rows", Change(Update), []part{{`null`, `null`}}},
		{"ddl", Statement(Update, true, "x"), []part{{`null`, `null`}}},
		{"query with rows", Change(Query, Row(a("1"), a("2")), Row(a("1"), a("2"))), []part{{`null`, `null`}}},
	} {
		messages := every(t, EntryOf(nil, c.change), oneRow)
		if len(messages) != len(c.want) {
			t.Errorf("%s: %d messages, want %d", c.name, len(messages), len(c.want))
			continue
		}
		for i, msg := range messages {
			keys{"data": c.want[i].data, "old": c.want[i].old}.checkIn(t, msg)
		}
	}
}

// TestOneRowRepeats checks that all else is that of the whole.
func TestOneRowRepeats(t *testing.T) {
	h := &canalpb.Header{SchemaName: proto.String("shop"), TableName: proto.String("t"), Gtid: proto.String("g:1"), ExecuteTime: proto.Int64(5)}
	change := Change(Insert,
		Row(nil, Columns{Col("id", "1", Key, Typed(-5, "bigint")), Col("v", "a", Typed(12, "text"))}),
		Row(nil, Columns{Col("id", "2", Typed(4, "int")), Col("w", "b", Key, Typed(1, "char"))}))
	change.Sql = proto.String("insert")
	const rest = `,"database":"shop","es":5,"gtid":"g:1","id":1,"isDdl":false,"mysqlType":{"id":"int","v":"text","w":"char"},"old":null,` +
		`"pkNames":["id"],"sql":"insert","sqlType":{"id":4,"v":12,"w":1},"table":"t","ts":1700000000000,"type":"INSERT"}`
	equal(t, "insert", every(t, EntryOf(h, change), oneRow),
		`{"data":[{"id":"1","v":"a"}]`+rest, `{"data":[{"id":"2","w":"b"}]`+rest)

	old := fastjson.Options{OneRow: true, OmitGTID: true}
	for _, msg := range every(t, EntryOf(h, change), old) {
		if strings.Contains(msg, "gtid") {
			t.Error(msg)
		}
	}
}

// TestOneRowConcatenates splits all golden cases, and puts data and old of the
// parts together again.
func TestOneRowConcatenates(t *testing.T) {
	parts := 0
	for _, c := range slices.Concat(golden.Entries(), golden.Random()) {
		whole, err := Entry(c.Records[0], fastjson.Options{}, meta)
		split, splitErr := Entry(c.Records[0], oneRow, meta)
		if (err == nil) != (splitErr == nil) || (len(whole) == 0) != (len(split) == 0) {
			t.Fatalf("%s: %v and %v, %d and %d messages", c.Name, err, splitErr, len(whole), len(split))
		}
		if len(whole) == 0 {
			continue
		}
		parts += len(split)
		var data, old []json.RawMessage
		for _, msg := range split {
			p := shown(t, msg)
			if len(p.Data) > 1 || len(p.Old) > 1 {
				t.Errorf("%s: more than one row in %s", c.Name, msg)
			}
			data, old = append(data, p.Data...), append(old, p.Old...)
			if got, want := without(msg), without(whole[0]); got != want {
				t.Errorf("%s: the rest differs\n got: %s\nwant: %s", c.Name, got, want)
			}
		}
		want := shown(t, whole[0])
		if string(encode(data, false)) != string(encode(want.Data, false)) || string(encode(old, false)) != string(encode(want.Old, false)) {
			t.Errorf("%s: the parts have %s and %s, the whole %s and %s", c.Name, data, old, want.Data, want.Old)
		}
	}
	if parts < 100 {
		t.Errorf("only %d parts", parts)
	}
}

type dataAndOld struct{ Data, Old []json.RawMessage }

func shown(t *testing.T, msg []byte) (p dataAndOld) {
	t.Helper()
	if err := json.Unmarshal(msg, &p); err != nil {
		t.Fatal(err)
	}
	return p
}

// without returns a message without data and old.
func without(msg []byte) string {
	var m map[string]json.RawMessage
	if err := json.Unmarshal(msg, &m); err != nil {
		return err.Error()
	}
	delete(m, "data")
	delete(m, "old")
	return string(encode(m, false))
}

func TestOneRowRejectInvalidUTF8(t *testing.T) {
	entry := EntryOf(nil, Change(Insert, Row(nil, Columns{Col("a", "1")}), Row(nil, Columns{Col("a", "\xFF")})))
	messages, err := Entry(entry, fastjson.Options{OneRow: true, RejectInvalidUTF8: true}, meta)
	if err == nil || messages != nil {
		t.Errorf("%d messages, error %v; want none and one", len(messages), err)
	}
}
