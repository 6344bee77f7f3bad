package reference

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/cdcodec/cdcodec/fastjson"
	. "github.com/cdcodec/cdcodec/internal/canaltest"
	"github.com/cdcodec/cdcodec/internal/pb/canalpb"
)

func TestOldPerRow(t *testing.T) {
	entry := EntryOf(nil, Change(Update,
		Row(Columns{Col("a", "1"), Col("b", "1")}, Columns{Col("a", "2", Changed), Col("b", "1")}),
		Row(Columns{Col("a", "1"), Col("b", "1")}, Columns{Col("a", "1"), Col("b", "2", Changed)}),
		Row(Columns{Col("a", "1"), Col("b", "1")}, nil),
	))
	keys{"old": `[{"a":"1"},{"b":"1"},{}]`}.check(t, entry, fastjson.Options{OldPerRow: true})
}

// TestRejectInvalidUTF8 has a bad byte in each place that is shown and in each
// that is not.
func TestRejectInvalidUTF8(t *testing.T) {
	const bad = "x\xFF"
	text := proto.String(bad)
	good := func() *canalpb.RowChange { return Change(Insert, Row(nil, Columns{Col("a", "1")})) }
	with := func(c *canalpb.RowChange, set func(*canalpb.RowChange)) *canalpb.RowChange { set(c); return c }
	props := []*canalpb.Pair{{Key: text, Value: text}}

	for _, c := range []struct {
		name   string
		header *canalpb.Header
		change *canalpb.RowChange
		reject bool
	}{
		{"nothing bad", nil, good(), false},
		{"U+FFFD itself", nil, Change(Insert, Row(nil, Columns{Col("\uFFFD", "\uFFFD")})), false},

		{"schema", &canalpb.Header{SchemaName: text}, good(), true},
		{"table", &canalpb.Header{TableName: text}, good(), true},
		{"gtid", &canalpb.Header{Gtid: text}, good(), true},
		{"other strings of the header", &canalpb.Header{LogfileName: text, ServerenCode: text, Props: props}, good(), false},

		{"sql", nil, with(good(), func(c *canalpb.RowChange) { c.Sql = text }), true},
		{"ddlSchemaName", nil, with(good(), func(c *canalpb.RowChange) { c.DdlSchemaName = text }), false},
		{"props", nil, with(good(), func(c *canalpb.RowChange) {
			c.Props, c.RowDatas[0].Props, c.RowDatas[0].AfterColumns[0].Props = props, props, props
		}), false},

		{"name", nil, Change(Insert, Row(nil, Columns{Col(bad, "1")})), true},
		{"name in the second row", nil, Change(Insert, Row(nil, Columns{Col("a", "1")}), Row(nil, Columns{Col(bad, "1")})), true},
		{"name of a null", nil, Change(Insert, Row(nil, Columns{Col(bad, "1", Null)})), true},
		{"value", nil, Change(Insert, Row(nil, Columns{Col("a", bad)})), true},
		{"value of a null", nil, Change(Insert, Row(nil, Columns{Col("a", bad, Null)})), false},
		{"value that is overwritten", nil, Change(Insert, Row(nil, Columns{Col("a", bad), Col("a", "1")})), false},
		{"value that is overwritten by null", nil, Change(Insert, Row(nil, Columns{Col("a", bad), Col("a", "1", Null)})), false},
		{"value that overwrites", nil, Change(Insert, Row(nil, Columns{Col("a", "1"), Col("a", bad)})), true},
		{"name of what is overwritten", nil, Change(Insert, Row(nil, Columns{Col(bad, "1"), Col("x\uFFFD", "1")})), true},
		{"mysqlType", nil, Change(Insert, Row(nil, Columns{Col("a", "1", Typed(1, bad))})), true},
		{"mysqlType of a null", nil, Change(Insert, Row(nil, Columns{Col("a", "1", Null, Typed(1, bad))})), true},
		{"mysqlType that is overwritten", nil, Change(Insert,
			Row(nil, Columns{Col("a", "1", Typed(1, bad))}), Row(nil, Columns{Col("a", "1", Typed(1, "x"))})), false},

		{"before of an insert", nil, Change(Insert, Row(Columns{Col(bad, bad, Typed(1, bad))}, Columns{Col("a", "1")})), false},
		{"after of a delete", nil, Change(Delete, Row(Columns{Col("a", "1")}, Columns{Col(bad, bad, Typed(1, bad))})), false},
		{"before of a delete", nil, Change(Delete, Row(Columns{Col("a", bad)}, nil)), true},
		{"old value", nil, Change(Update, Row(Columns{Col("a", bad)}, Columns{Col("a", "1", Changed)})), true},
		{"old value of a null", nil, Change(Update, Row(Columns{Col("a", bad, Null)}, Columns{Col("a", "1", Changed)})), false},
		{"old value that is overwritten", nil, Change(Update, Row(Columns{Col("a", bad), Col("a", "1")}, Columns{Col("a", "1", Changed)})), false},
		{"old mysqlType", nil, Change(Update, Row(Columns{Col("a", "1", Typed(1, bad))}, Columns{Col("a", "1", Changed)})), false},
		{"before column that did not change", nil, Change(Update, Row(Columns{Col(bad, bad)}, Columns{Col("a", "1", Changed)})), false},
		{"old name", nil, Change(Update, Row(Columns{Col(bad, "1")}, Columns{Col("x\uFFFD", "1", Changed)})), true},

		{"rows of a DDL", nil, with(Change(Insert, Row(nil, Columns{Col(bad, bad)})), func(c *canalpb.RowChange) { c.IsDdl = proto.Bool(true) }), false},
		{"rows of a query", nil, Change(Query, Row(nil, Columns{Col(bad, bad)})), false},
	} {
		entry := EntryOf(c.header, c.change)
		_, err := Entry(entry, fastjson.Options{RejectInvalidUTF8: true}, meta)
		if (err != nil) != c.reject {
			t.Errorf("%s: error %v, want one = %v", c.name, err, c.reject)
		}
		if _, err := Entry(entry, fastjson.Options{}, meta); err != nil {
			t.Errorf("%s: error without the option: %v", c.name, err)
		}
	}

	gtid := EntryOf(&canalpb.Header{Gtid: text}, good())
	if _, err := Entry(gtid, fastjson.Options{RejectInvalidUTF8: true, OmitGTID: true}, meta); err != nil {
		t.Errorf("gtid that is left out: %v", err)
	}
	begin := append(Num(nil, 2, 1), gtid...)
	if _, err := Entry(begin, fastjson.Options{RejectInvalidUTF8: true}, meta); err != nil {
		t.Errorf("skipped entry: %v", err)
	}
}

func TestUnknownDialect(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	Entry(nil, fastjson.Options{Dialect: 200}, meta)
}
