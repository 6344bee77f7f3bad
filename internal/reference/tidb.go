package reference

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/internal/pb/tidbbinlogpb"
)

var (
	binlogDesc = (*tidbbinlogpb.Binlog)(nil).ProtoReflect().Descriptor()
)

const binlogTypeNumber = 1 // Binlog.type

var (
	errNoDML        = errors.New("a DML without dml_data")
	errNoDDL        = errors.New("a DDL without ddl_data")
	errRequired     = errors.New("a required field is missing")
	errMutationType = errors.New("unknown mutation type")
	errNoChangeRow  = errors.New("an Update without change_row")
	errColumnCount  = errors.New("not as many values as columns")
)

// TiDBBinlog converts the bytes of one Binlog of TiDB: each mutation of the
// transaction to one message, or its DDL to one (spec: tidb-binlog.md). If any
// of it is bad it gives an error and no message at all.
func TiDBBinlog(record []byte, o fastjson.Options, m fastjson.Meta) (messages [][]byte, err error) {
	if err := checkMessage(record, binlogDesc, 0); err != nil {
		return nil, fmt.Errorf("binlog: %w", err)
	}
	var b tidbbinlogpb.Binlog
	unmarshal(record, &b)

	var events []*event
	switch lastKnownEnum(record, binlogTypeNumber, binlogDesc, tidbbinlogpb.BinlogType_DML.Number()) {
	case tidbbinlogpb.BinlogType_DDL.Number():
		if b.DdlData == nil {
			return nil, errNoDDL
		}
		events = []*event{tidbDDL(b.DdlData)}
	default:
		if b.DmlData == nil {
			return nil, errNoDML
		}
		for i, t := range b.DmlData.GetTables() {
			some, err := tidbTable(t)
			if err != nil {
				return nil, fmt.Errorf("tables[%d]: %w", i, err)
			}
			events = append(events, some...)
		}
	}
	for _, e := range events {
		e.commitTS = uint64(b.GetCommitTs())
		e.es = physical(e.commitTS)
	}
	return printEvents(events, o, m)
}

func tidbDDL(d *tidbbinlogpb.DDLData) *event {
	sql := string(d.GetDdlQuery())
	return &event{
		database:  d.GetSchemaName(),
		table:     d.GetTableName(),
		sql:       sql,
		eventType: ddlType(sql),
		isDDL:     true,
	}
}

// tidbTable returns the mutations of a table, each as an event.
func tidbTable(t *tidbbinlogpb.Table) ([]*event, error) {
	var events []*event
	for i, mutation := range t.GetMutations() {
		e, err := tidbMutation(t, mutation)
		if err != nil {
			return nil, fmt.Errorf("mutations[%d]: %w", i, err)
		}
		if len(t.GetColumnInfo()) > 0 {
			events = append(events, e)
		}
	}
	return events, nil
}

func tidbMutation(t *tidbbinlogpb.Table, mutation *tidbbinlogpb.TableMutation) (*event, error) {
	if mutation.Type == nil || mutation.Row == nil {
		return nil, errRequired
	}
	e := &event{database: t.GetSchemaName(), table: t.GetTableName()}
	var other *tidbbinlogpb.Row // the image beside row
	switch mutation.GetType() {
	case tidbbinlogpb.MutationType_Insert:
		e.eventType = "INSERT"
	case tidbbinlogpb.MutationType_Update:
		e.eventType = "UPDATE"
		if other = mutation.ChangeRow; other == nil {
			return nil, errNoChangeRow
		}
	case tidbbinlogpb.MutationType_Delete:
		e.eventType = "DELETE"
	default:
		return nil, errMutationType
	}

	columns, err := tidbImage(t, mutation.Row, other)
	if err != nil {
		return nil, fmt.Errorf("row: %w", err)
	}
	r := row{after: columns}
	switch e.eventType {
	case "UPDATE":
		if r.before, err = tidbImage(t, other, mutation.Row); err != nil {
			return nil, fmt.Errorf("change_row: %w", err)
		}
	case "DELETE":
		r = row{before: columns}
	}
	markHandle(t, r)
	e.rows = []row{r}
	return e, nil
}

// tidbImage returns the columns of an image. The other image of the same row,
// which an Update has, may tell what is unsigned.
func tidbImage(t *tidbbinlogpb.Table, image, other *tidbbinlogpb.Row) ([]column, error) {
	infos := t.GetColumnInfo()
	if len(image.GetColumns()) != len(infos) {
		return nil, errColumnCount
	}
	keys := tidbKeys(t)
	var columns []column
	for i, info := range infos {
		typ := parseType(info.GetMysqlType())
		value, unsigned, err := tidbValue(image.Columns[i], typ)
		if err != nil {
			return nil, fmt.Errorf("columns[%d]: %w", i, err)
		}
		if other != nil && i < len(other.Columns) && !unsigned {
			_, unsigned, _ = tidbValue(other.Columns[i], typ)
		}
		if unsigned && typ.integer() {
			typ.unsigned = true
		}
		columns = append(columns, column{
			name:      info.GetName(),
			value:     value,
			mysqlType: typ.name(),
			sqlType:   typ.sqlType(value),
			key:       keys[i],
		})
	}
	return columns, nil
}

// tidbKeys returns which columns, by their place, are the primary key.
func tidbKeys(t *tidbbinlogpb.Table) map[int]bool {
	keys := map[int]bool{}
	for i, info := range t.GetColumnInfo() {
		if info.GetIsPrimaryKey() {
			keys[i] = true
		}
	}
	if len(keys) > 0 {
		return keys
	}
	named := map[string]bool{}
	for _, k := range t.GetUniqueKeys() {
		if k.GetName() == "PRIMARY" {
			for _, name := range k.GetColumnNames() {
				named[name] = true
			}
		}
	}
	for i, info := range t.GetColumnInfo() {
		if named[info.GetName()] {
			keys[i] = true
		}
	}
	return keys
}

// markHandle marks the handle key of a row that has no primary key: the first
// unique key.
func markHandle(t *tidbbinlogpb.Table, r row) {
	if len(tidbKeys(t)) > 0 {
		return
	}
	for _, k := range t.GetUniqueKeys() {
		if k.GetName() == "PRIMARY" {
			continue
		}
		for _, image := range [][]column{r.before, r.after} {
			for i := range image {
				image[i].handle = slices.Contains(k.GetColumnNames(), image[i].name)
			}
		}
		return
	}
}

// tidbField names a field of Column that holds a value.
type tidbField int

const (
	tidbInt64 tidbField = iota
	tidbUint64
	tidbDouble
	tidbBytes
	tidbString
)

// tidbValue returns the value of a column, a string or nil, and whether it was
// in uint64_value.
func tidbValue(c *tidbbinlogpb.Column, t mysqlType) (value any, unsigned bool, err error) {
	if c.GetIsNull() {
		return nil, false, nil
	}
	there := map[tidbField]bool{
		tidbInt64:  c.Int64Value != nil,
		tidbUint64: c.Uint64Value != nil,
		tidbDouble: c.DoubleValue != nil,
		tidbBytes:  c.BytesValue != nil,
		tidbString: c.StringValue != nil,
	}
	fields := append(tidbFieldsOf(t), tidbInt64, tidbUint64, tidbDouble, tidbBytes, tidbString)
	for _, f := range fields {
		if !there[f] {
			continue
		}
		switch f {
		case tidbInt64:
			return strconv.FormatInt(c.GetInt64Value(), 10), false, nil
		case tidbUint64:
			return strconv.FormatUint(c.GetUint64Value(), 10), true, nil
		case tidbDouble:
			if t.base == "float" {
				return float32Text(c.GetDoubleValue()), false, nil
			}
			return float64Text(c.GetDoubleValue()), false, nil
		case tidbBytes:
			text, err := bytesText(c.GetBytesValue(), t)
			return text, false, err
		case tidbString:
			return c.GetStringValue(), false, nil
		}
	}
	return "", false, nil
}

// tidbFieldsOf returns which fields a value of type t is in, the preferred one
// first.
func tidbFieldsOf(t mysqlType) []tidbField {
	switch {
	case t.integer():
		return []tidbField{tidbInt64, tidbUint64}
	case t.base == "float", t.base == "double":
		return []tidbField{tidbDouble}
	case t.base == "bit", t.base == "json", slices.Contains(binaryTypes, t.base):
		return []tidbField{tidbBytes}
	case t.base == "enum", t.base == "set":
		return []tidbField{tidbUint64}
	}
	return []tidbField{tidbString}
}
