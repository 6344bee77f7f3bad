package reference

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/internal/pb/canalpb"
)

func TestOldPerRow(t *testing.T) {
	entry := entryOf(change(update,
		row(columns{col("a", "1"), col("b", "1")}, columns{col("a", "2", changed), col("b", "1")}),
		row(columns{col("a", "1"), col("b", "1")}, columns{col("a", "1"), col("b", "2", changed)}),
		row(columns{col("a", "1"), col("b", "1")}, nil),
	))
	keys{"old": `[{"a":"1"},{"b":"1"},{}]`}.check(t, entry, fastjson.Options{OldPerRow: true})
}

// TestRejectInvalidUTF8 has a bad byte in each place that is shown and in each
// that is not.
func TestRejectInvalidUTF8(t *testing.T) {
	const bad = "x\xFF"
	text := proto.String(bad)
	good := func() *canalpb.RowChange { return change(insert, row(nil, columns{col("a", "1")})) }
	with := func(c *canalpb.RowChange, set func(*canalpb.RowChange)) *canalpb.RowChange { set(c); return c }
	props := []*canalpb.Pair{{Key: text, Value: text}}

	for _, c := range []struct {
		name   string
		header *canalpb.Header
		change *canalpb.RowChange
		reject bool
	}{
		{"nothing bad", nil, good(), false},
		{"U+FFFD itself", nil, change(insert, row(nil, columns{col("\uFFFD", "\uFFFD")})), false},

		{"schema", &canalpb.Header{SchemaName: text}, good(), true},
		{"table", &canalpb.Header{TableName: text}, good(), true},
		{"gtid", &canalpb.Header{Gtid: text}, good(), true},
		{"other strings of the header", &canalpb.Header{LogfileName: text, ServerenCode: text, Props: props}, good(), false},

		{"sql", nil, with(good(), func(c *canalpb.RowChange) { c.Sql = text }), true},
		{"ddlSchemaName", nil, with(good(), func(c *canalpb.RowChange) { c.DdlSchemaName = text }), false},
		{"props", nil, with(good(), func(c *canalpb.RowChange) {
			c.Props, c.RowDatas[0].Props, c.RowDatas[0].AfterColumns[0].Props = props, props, props
		}), false},

		{"name", nil, change(insert, row(nil, columns{col(bad, "1")})), true},
		{"name in the second row", nil, change(insert, row(nil, columns{col("a", "1")}), row(nil, columns{col(bad, "1")})), true},
		{"name of a null", nil, change(insert, row(nil, columns{col(bad, "1", null)})), true},
		{"value", nil, change(insert, row(nil, columns{col("a", bad)})), true},
		{"value of a null", nil, change(insert, row(nil, columns{col("a", bad, null)})), false},
		{"value that is overwritten", nil, change(insert, row(nil, columns{col("a", bad), col("a", "1")})), false},
		{"value that is overwritten by null", nil, change(insert, row(nil, columns{col("a", bad), col("a", "1", null)})), false},
		{"value that overwrites", nil, change(insert, row(nil, columns{col("a", "1"), col("a", bad)})), true},
		{"name of what is overwritten", nil, change(insert, row(nil, columns{col(bad, "1"), col("x\uFFFD", "1")})), true},
		{"mysqlType", nil, change(insert, row(nil, columns{col("a", "1", typed(1, bad))})), true},
		{"mysqlType of a null", nil, change(insert, row(nil, columns{col("a", "1", null, typed(1, bad))})), true},
		{"mysqlType that is overwritten", nil, change(insert,
			row(nil, columns{col("a", "1", typed(1, bad))}), row(nil, columns{col("a", "1", typed(1, "x"))})), false},

		{"before of an insert", nil, change(insert, row(columns{col(bad, bad, typed(1, bad))}, columns{col("a", "1")})), false},
		{"after of a delete", nil, change(del, row(columns{col("a", "1")}, columns{col(bad, bad, typed(1, bad))})), false},
		{"before of a delete", nil, change(del, row(columns{col("a", bad)}, nil)), true},
		{"old value", nil, change(update, row(columns{col("a", bad)}, columns{col("a", "1", changed)})), true},
		{"old value of a null", nil, change(update, row(columns{col("a", bad, null)}, columns{col("a", "1", changed)})), false},
		{"old value that is overwritten", nil, change(update, row(columns{col("a", bad), col("a", "1")}, columns{col("a", "1", changed)})), false},
		{"old mysqlType", nil, change(update, row(columns{col("a", "1", typed(1, bad))}, columns{col("a", "1", changed)})), false},
		{"before column that did not change", nil, change(update, row(columns{col(bad, bad)}, columns{col("a", "1", changed)})), false},
		{"old name", nil, change(update, row(columns{col(bad, "1")}, columns{col("x\uFFFD", "1", changed)})), true},

		{"rows of a DDL", nil, with(change(insert, row(nil, columns{col(bad, bad)})), func(c *canalpb.RowChange) { c.IsDdl = proto.Bool(true) }), false},
		{"rows of a query", nil, change(query, row(nil, columns{col(bad, bad)})), false},
	} {
		entry := withHeader(c.header, c.change)
		_, err := Entry(entry, fastjson.Options{RejectInvalidUTF8: true}, meta)
		if (err != nil) != c.reject {
			t.Errorf("%s: error %v, want one = %v", c.name, err, c.reject)
		}
		if _, err := Entry(entry, fastjson.Options{}, meta); err != nil {
			t.Errorf("%s: error without the option: %v", c.name, err)
		}
	}

	gtid := withHeader(&canalpb.Header{Gtid: text}, good())
	if _, err := Entry(gtid, fastjson.Options{RejectInvalidUTF8: true, OmitGTID: true}, meta); err != nil {
		t.Errorf("gtid that is left out: %v", err)
	}
	begin := append(num(nil, 2, 1), gtid...)
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
