package reference

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/internal/pb/changedatasetpb"
)

var changeSetDesc = (*changedatasetpb.ChangeDataSet)(nil).ProtoReflect().Descriptor()

// The bits of databusColumnBitmap that mean something.
const (
	bitmapKey      = 0x02
	bitmapUnsigned = 0x20
)

var (
	errNoTableName = errors.New("a change without tableName")
	errNoData      = errors.New("a change without data")
	errNoSchema    = errors.New("a change without a schema")
)

// ChangeDataSet converts the bytes of one ChangeDataSet of Baidu, each of its
// changes to one message (spec: baidu-changedataset.md). If any of it is bad it
// gives an error and no message at all. Tables whose name has no database in it
// are of the database given; with passSQLType a sqlType that the data itself has
// is shown if it is a number.
func ChangeDataSet(record []byte, o fastjson.Options, m fastjson.Meta, database string, passSQLType bool) (messages [][]byte, err error) {
	if err := checkMessage(record, changeSetDesc, 0); err != nil {
		return nil, fmt.Errorf("changeDataSet: %w", err)
	}
	var set changedatasetpb.ChangeDataSet
	unmarshal(record, &set)

	schemas := map[string]*changedatasetpb.TableSchema{}
	for _, s := range set.GetTableSchema() {
		schemas[s.GetTableName()] = s
	}
	var events []*event
	for i, change := range set.GetTableChange() {
		e, err := baiduChange(change, schemas, passSQLType)
		if err != nil {
			return nil, fmt.Errorf("tableChange[%d] of table %q: %w", i, change.GetTableName(), err)
		}
		if before, after, ok := strings.Cut(change.GetTableName(), "."); ok {
			e.database, e.table = before, after
		} else {
			e.database, e.table = database, before
		}
		e.es = milliseconds(set.GetBirthTime())
		e.gtid = strings.Join(set.GetSyncPoint().GetGtId(), ",")
		events = append(events, e)
	}
	return printEvents(events, o, m)
}

// milliseconds returns s * 1000, or the number next to it that there is.
func milliseconds(s int64) int64 {
	ms := new(big.Int).Mul(big.NewInt(s), big.NewInt(1000))
	switch {
	case ms.IsInt64():
		return ms.Int64()
	case s < 0:
		return -1 << 63
	}
	return 1<<63 - 1
}

// baiduChange returns a change as an event that has its type and its row.
func baiduChange(change *changedatasetpb.TableChange, schemas map[string]*changedatasetpb.TableSchema, passSQLType bool) (*event, error) {
	if change.GetTableName() == "" {
		return nil, errNoTableName
	}
	e := new(event)
	switch before, after := len(change.GetBeforeData()) > 0, len(change.GetAfterData()) > 0; {
	case before && after:
		e.eventType = "UPDATE"
	case before:
		e.eventType = "DELETE"
	case after:
		e.eventType = "INSERT"
	default:
		return nil, errNoData
	}
	schema := schemas[change.GetTableName()]
	if schema == nil {
		return nil, errNoSchema
	}

	var r row
	var err error
	if r.before, err = baiduImage(schema, change.GetBeforeData(), passSQLType); err != nil {
		return nil, fmt.Errorf("beforeData: %w", err)
	}
	if r.after, err = baiduImage(schema, change.GetAfterData(), passSQLType); err != nil {
		return nil, fmt.Errorf("afterData: %w", err)
	}
	e.rows = []row{r}
	return e, nil
}

// baiduImage returns the columns of an image, none if it is not there.
func baiduImage(schema *changedatasetpb.TableSchema, data []*changedatasetpb.TableChange_ColumnData, passSQLType bool) ([]column, error) {
	if len(data) == 0 {
		return nil, nil
	}
	if len(data) != len(schema.GetColumns()) {
		return nil, errColumnCount
	}
	var columns []column
	for i, meta := range schema.GetColumns() {
		typ := parseType(meta.GetColumnType())
		if meta.GetDatabusColumnBitmap()&bitmapUnsigned != 0 {
			typ.unsigned = true
		}
		value, err := baiduValue(data[i], typ)
		if err != nil {
			return nil, fmt.Errorf("[%d]: %w", i, err)
		}
		c := column{
			name:      meta.GetColumnName(),
			value:     value,
			mysqlType: meta.GetColumnType(),
			sqlType:   typ.sqlType(value),
			key:       meta.GetKeyFlag() == "PRI" || meta.GetDatabusColumnBitmap()&bitmapKey != 0,
			handle:    meta.GetKeyFlag() == "UNI" && strings.EqualFold(meta.GetNullFlag(), "NO"),
		}
		if n, err := strconv.ParseInt(data[i].GetSqlType(), 10, 32); passSQLType && err == nil {
			c.sqlType = int32(n)
		}
		columns = append(columns, c)
	}
	return columns, nil
}

// baiduField names a field of ColumnData that holds a value.
type baiduField int

const (
	baiduString baiduField = iota
	baiduInt64
	baiduInt32
	baiduFloat
	baiduBytes
)

// baiduValue returns a value, a string or nil.
func baiduValue(d *changedatasetpb.TableChange_ColumnData, t mysqlType) (any, error) {
	switch lower(d.GetIsNull()) {
	case "1", "true", "y", "yes":
		return nil, nil
	}
	there := map[baiduField]bool{
		baiduString: d.StringValue != nil,
		baiduInt64:  d.Int64Value != nil,
		baiduInt32:  d.Int32Value != nil,
		baiduFloat:  d.FloatValue != nil,
		baiduBytes:  d.BytesValue != nil,
	}
	fields := append(baiduFieldsOf(t), baiduString, baiduInt64, baiduInt32, baiduFloat, baiduBytes)
	for _, f := range fields {
		if !there[f] {
			continue
		}
		switch f {
		case baiduString:
			return d.GetStringValue(), nil
		case baiduInt64:
			return baiduInteger(d.GetInt64Value(), t), nil
		case baiduInt32:
			return baiduInteger(int64(d.GetInt32Value()), t), nil
		case baiduFloat:
			return float32Text(float64(d.GetFloatValue())), nil
		case baiduBytes:
			return bytesText(d.GetBytesValue(), t)
		}
	}
	return nil, nil
}

// baiduFieldsOf returns which fields a type wants its value in.
func baiduFieldsOf(t mysqlType) []baiduField {
	switch {
	case t.integer():
		return []baiduField{baiduInt64, baiduInt32}
	case t.base == "float", t.base == "double":
		return []baiduField{baiduFloat}
	case t.base == "bit", slices.Contains(binaryTypes, t.base):
		return []baiduField{baiduBytes}
	}
	return []baiduField{baiduString}
}

// baiduInteger returns n as text. A negative one of an unsigned type is the
// two's complement of as many bits as the type has.
func baiduInteger(n int64, t mysqlType) string {
	if n < 0 && t.unsigned && t.integer() {
		return strconv.FormatUint(uint64(n)<<(64-integerBits[t.base])>>(64-integerBits[t.base]), 10)
	}
	return strconv.FormatInt(n, 10)
}
