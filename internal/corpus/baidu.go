package corpus

import (
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/cdcodec/cdcodec/internal/pb/changedatasetpb"
)

// newBaidu makes sets of 1 to 10 changed rows of one table or two.
func newBaidu(seed uint64) maker {
	g := newTypedGenerator(seed)
	transaction, position := int64(1_204_511), 154
	return func(int) ([]byte, int) {
		g.clock += int64(g.below(40))
		transaction++
		rows := g.between(1, 10)
		set := &changedatasetpb.ChangeDataSet{
			DbInstanceName: proto.String("producer00"),
			SyncPoint: &changedatasetpb.SyncPoint{
				SyncType:       changedatasetpb.SyncPoint_GTID.Enum(),
				GtId:           []string{gtidGroup + strconv.FormatInt(transaction, 10)},
				BinlogFileName: proto.String(logfile),
				Position:       proto.Int32(int32(position)),
			},
			SrcDbHost: proto.String("10.12.0.7:3306"),
			BirthTime: proto.Int64(g.clock / 1000),
			SendTime:  proto.Int64(g.clock/1000 + int64(g.below(2))),
		}
		chosen := g.someTables(g.between(1, 2))
		for _, ti := range chosen {
			set.TableSchema = append(set.TableSchema, typedTables[ti].schemaOf())
		}
		size := 0
		for range rows {
			ti := chosen[g.below(len(chosen))]
			before, after := g.change(ti)
			t := &typedTables[ti]
			change := &changedatasetpb.TableChange{
				TableName:  proto.String(t.fullName()),
				BeforeData: t.dataOf(before),
				AfterData:  t.dataOf(after),
			}
			size += change.SizeVT()
			set.TableChange = append(set.TableChange, change)
		}
		set.DataSize = proto.Int32(int32(size))
		position += size
		return marshal(set), rows
	}
}

func (t *typedTable) fullName() string { return t.schema + "." + t.name }

// The bits of databusColumnBitmap.
const (
	bitmapKey      = 0x02
	bitmapUnsigned = 0x20
)

// schemaOf makes what is said of a table.
func (t *typedTable) schemaOf() *changedatasetpb.TableSchema {
	s := &changedatasetpb.TableSchema{TableName: proto.String(t.fullName())}
	for i, c := range t.columns {
		m := &changedatasetpb.TableSchema_ColumnMeta{
			ColumnName:          proto.String(c.name),
			ColumnType:          proto.String(c.mysqlType),
			NullFlag:            proto.String("NO"),
			KeyFlag:             proto.String(""),
			IfNullValue:         proto.String(""),
			Extra:               proto.String(""),
			MetaValue:           proto.Int32(0),
			DatabusColumnBitmap: proto.Int32(0),
		}
		switch c.kind {
		case typedTitle, typedPerson, typedCode, typedNote:
			m.Charset = proto.String("utf8mb4_general_ci")
		}
		if c.null > 0 {
			m.NullFlag = proto.String("YES")
		}
		if i == 0 {
			m.KeyFlag, m.Extra, *m.DatabusColumnBitmap = proto.String("PRI"), proto.String("auto_increment"), bitmapKey
		}
		if strings.HasSuffix(c.mysqlType, " unsigned") {
			*m.DatabusColumnBitmap |= bitmapUnsigned
		}
		s.Columns = append(s.Columns, m)
	}
	return s
}

// dataOf makes an image, each value in the field that its type wants. Java has no
// unsigned integers: a large one is negative. A double has no field of its own, and
// is text, as an enum and a set are.
func (t *typedTable) dataOf(r typedRow) []*changedatasetpb.TableChange_ColumnData {
	var data []*changedatasetpb.TableChange_ColumnData
	for i, v := range r {
		c := &t.columns[i]
		d := &changedatasetpb.TableChange_ColumnData{IsNull: proto.String("0"), SqlType: proto.String(mysqlCodes[c.base()])}
		switch c.kind {
		case typedKey:
			d.Int64Value = proto.Int64(v.signed)
		case typedUnsigned:
			d.Int64Value = proto.Int64(int64(v.unsigned))
		case typedInt, typedTiny, typedNegative:
			d.Int32Value = proto.Int32(int32(v.signed))
		case typedCount:
			d.Int32Value = proto.Int32(int32(uint32(v.unsigned)))
		case typedFloat:
			d.FloatValue = proto.Float32(float32(v.float))
		case typedDouble:
			d.StringValue = proto.String(strconv.FormatFloat(v.float, 'f', -1, 64))
		case typedEnum, typedSet:
			d.StringValue = proto.String(strconv.FormatUint(v.unsigned, 10))
		case typedBlob, typedDigest, typedBits:
			d.BytesValue = []byte(v.text)
		default:
			d.StringValue = proto.String(v.text)
		}
		if v.null {
			d = &changedatasetpb.TableChange_ColumnData{IsNull: proto.String("1"), SqlType: d.SqlType}
		}
		data = append(data, d)
	}
	return data
}

// mysqlCodes is what a binlog calls the types.
var mysqlCodes = map[string]string{
	"bigint": "8", "int": "3", "smallint": "2", "tinyint": "1", "double": "5", "float": "4", "decimal": "246",
	"varchar": "15", "char": "254", "text": "252", "blob": "252", "varbinary": "15", "json": "245",
	"enum": "247", "set": "248", "bit": "16", "date": "10", "datetime": "18", "timestamp": "17", "year": "13",
}
