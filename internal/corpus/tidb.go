package corpus

import (
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/cdcodec/cdcodec/internal/pb/tidbbinlogpb"
)

// newTiDB makes transactions as drainer writes them: of 1 to 20 rows in 1 to 3
// tables.
func newTiDB(seed uint64) maker {
	g := newTypedGenerator(seed)
	return func(int) ([]byte, int) {
		g.clock += int64(g.below(40))
		rows := g.between(1, 20)
		left := rows
		b := &tidbbinlogpb.Binlog{
			Type:     tidbbinlogpb.BinlogType_DML.Enum(),
			CommitTs: proto.Int64(g.clock<<18 | int64(g.between(1, 1000))),
			DmlData:  new(tidbbinlogpb.DMLData),
		}
		chosen := g.someTables(min(g.between(1, 3), rows))
		for n, ti := range chosen {
			share := left // of the last table
			if others := len(chosen) - 1 - n; others > 0 {
				share = g.between(1, left-others)
			}
			left -= share
			t := binlogTable(&typedTables[ti])
			for range share {
				t.Mutations = append(t.Mutations, g.mutation(ti))
			}
			b.DmlData.Tables = append(b.DmlData.Tables, t)
		}
		return marshal(b), rows
	}
}

// binlogTable makes what is said of a table. Drainer writes is_primary_key when
// false too.
func binlogTable(t *typedTable) *tidbbinlogpb.Table {
	b := &tidbbinlogpb.Table{SchemaName: proto.String(t.schema), TableName: proto.String(t.name)}
	for i, c := range t.columns {
		b.ColumnInfo = append(b.ColumnInfo, &tidbbinlogpb.ColumnInfo{
			Name:         proto.String(c.name),
			MysqlType:    proto.String(c.base()),
			IsPrimaryKey: proto.Bool(i == 0),
		})
	}
	b.UniqueKeys = []*tidbbinlogpb.Key{{Name: proto.String("PRIMARY"), ColumnNames: []string{t.columns[0].name}}}
	return b
}

// base returns the type without its parameters and all behind them.
func (c *typedColumn) base() string {
	if i := strings.IndexAny(c.mysqlType, "( "); i >= 0 {
		return c.mysqlType[:i]
	}
	return c.mysqlType
}

// mutation makes the next change of a table.
func (g *typedGenerator) mutation(ti int) *tidbbinlogpb.TableMutation {
	t := &typedTables[ti]
	before, after := g.change(ti)
	switch {
	case before == nil:
		return &tidbbinlogpb.TableMutation{Type: tidbbinlogpb.MutationType_Insert.Enum(), Row: t.binlogRow(after)}
	case after == nil:
		return &tidbbinlogpb.TableMutation{Type: tidbbinlogpb.MutationType_Delete.Enum(), Row: t.binlogRow(before)}
	}
	return &tidbbinlogpb.TableMutation{Type: tidbbinlogpb.MutationType_Update.Enum(), Row: t.binlogRow(after), ChangeRow: t.binlogRow(before)}
}

// binlogRow makes a Row, each value in the field of its type.
func (t *typedTable) binlogRow(r typedRow) *tidbbinlogpb.Row {
	b := new(tidbbinlogpb.Row)
	for i, v := range r {
		c := new(tidbbinlogpb.Column)
		switch t.columns[i].kind {
		case typedKey, typedInt, typedTiny, typedNegative:
			c.Int64Value = proto.Int64(v.signed)
		case typedUnsigned, typedCount, typedEnum, typedSet:
			c.Uint64Value = proto.Uint64(v.unsigned)
		case typedDouble, typedFloat:
			c.DoubleValue = proto.Float64(v.float)
		case typedDocument, typedBlob, typedDigest, typedBits:
			c.BytesValue = []byte(v.text)
		default:
			c.StringValue = proto.String(v.text)
		}
		if v.null {
			c = &tidbbinlogpb.Column{IsNull: proto.Bool(true)}
		}
		b.Columns = append(b.Columns, c)
	}
	return b
}
