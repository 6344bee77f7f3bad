package canal_test

import (
	"testing"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/internal/pb/canalpb"
	"github.com/cdcodec/cdcodec/wire/canal"
)

// What a view and a generated message say of the same bytes, in one form that
// compares with reflect.DeepEqual. An absent field is its default.

type pair struct{ key, value string }

type header struct {
	version       int32
	logfileName   string
	logfileOffset int64
	serverID      int64
	serverenCode  string
	executeTime   int64
	sourceType    int32
	schemaName    string
	tableName     string
	eventLength   int64
	eventType     int32
	props         []pair
	gtid          string
}

type column struct {
	index, sqlType         int32
	name                   string
	isKey, updated, isNull bool
	props                  []pair
	value                  string
	length                 int32
	mysqlType              string
}

type row struct {
	before, after []column
	props         []pair
}

type rowChange struct {
	tableID       int64
	eventType     int32
	isDDL         bool
	sql           string
	rows          []row
	props         []pair
	ddlSchemaName string
}

type transaction struct {
	executeTime   int64
	transactionID string
	threadID      int64
	props         []pair
}

// The views. An iterator that ends with an error fails the test.

func pairsOf(t *testing.T, it canal.Pairs) (out []pair) {
	t.Helper()
	for it.Next() {
		out = append(out, pair{string(it.Pair().Key), string(it.Pair().Value)})
	}
	if it.Err() != nil {
		t.Error("props:", it.Err())
	}
	return out
}

func headerOf(t *testing.T, h *canal.Header) header {
	return header{
		h.Version, string(h.LogfileName), h.LogfileOffset, h.ServerID, string(h.ServerenCode), h.ExecuteTime, int32(h.SourceType),
		string(h.SchemaName), string(h.TableName), h.EventLength, int32(h.EventType), pairsOf(t, h.Props()), string(h.GTID),
	}
}

func columnOf(t *testing.T, c canal.Column) column {
	return column{
		c.Index, c.SQLType, string(c.Name), c.IsKey, c.Updated, c.IsNull, pairsOf(t, c.Props()), string(c.Value), c.Length, string(c.MySQLType),
	}
}

func columnsOf(t *testing.T, it canal.Columns) (out []column) {
	t.Helper()
	for it.Next() {
		out = append(out, columnOf(t, it.Column()))
	}
	if it.Err() != nil {
		t.Error("columns:", it.Err())
	}
	return out
}

func rowOf(t *testing.T, r canal.RowData) row {
	return row{columnsOf(t, r.Columns(change.Before)), columnsOf(t, r.Columns(change.After)), pairsOf(t, r.Props())}
}

func rowChangeOf(t *testing.T, c *canal.RowChange) rowChange {
	out := rowChange{c.TableID, int32(c.EventType), c.IsDDL, string(c.SQL), nil, pairsOf(t, c.Props()), string(c.DDLSchemaName)}
	rows := c.Rows()
	for rows.Next() {
		out.rows = append(out.rows, rowOf(t, rows.RowData()))
	}
	if rows.Err() != nil {
		t.Error("rows:", rows.Err())
	}
	return out
}

// The generated messages.

func pbPairs(in []*canalpb.Pair) (out []pair) {
	for _, p := range in {
		out = append(out, pair{p.GetKey(), p.GetValue()})
	}
	return out
}

func pbHeader(h *canalpb.Header) header {
	return header{
		h.GetVersion(), h.GetLogfileName(), h.GetLogfileOffset(), h.GetServerId(), h.GetServerenCode(), h.GetExecuteTime(), int32(h.GetSourceType()),
		h.GetSchemaName(), h.GetTableName(), h.GetEventLength(), int32(h.GetEventType()), pbPairs(h.GetProps()), h.GetGtid(),
	}
}

func pbColumns(in []*canalpb.Column) (out []column) {
	for _, c := range in {
		out = append(out, column{
			c.GetIndex(), c.GetSqlType(), c.GetName(), c.GetIsKey(), c.GetUpdated(), c.GetIsNull(), pbPairs(c.GetProps()),
			c.GetValue(), c.GetLength(), c.GetMysqlType(),
		})
	}
	return out
}

func pbRow(r *canalpb.RowData) row {
	return row{pbColumns(r.GetBeforeColumns()), pbColumns(r.GetAfterColumns()), pbPairs(r.GetProps())}
}

func pbRowChange(c *canalpb.RowChange) rowChange {
	out := rowChange{c.GetTableId(), int32(c.GetEventType()), c.GetIsDdl(), c.GetSql(), nil, pbPairs(c.GetProps()), c.GetDdlSchemaName()}
	for _, r := range c.GetRowDatas() {
		out.rows = append(out.rows, pbRow(r))
	}
	return out
}
