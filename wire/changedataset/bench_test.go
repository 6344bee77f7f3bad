package changedataset_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/cdcodec/cdcodec/change"
	pb "github.com/cdcodec/cdcodec/internal/pb/changedatasetpb"
	"github.com/cdcodec/cdcodec/wire/changedataset"
)

// usual returns sets as a Fountain producer sends them: the table has the columns
// of an order (keys, numbers, text, times, a flag, a blob), the changes are so
// many rows of it, half of them updates of two columns.
func usual(rnd *rand.Rand, sets, rows int) (records [][]byte) {
	column := func(name, typ, null, key string) *pb.TableSchema_ColumnMeta {
		return &pb.TableSchema_ColumnMeta{
			ColumnName: proto.String(name), ColumnType: proto.String(typ), Charset: proto.String("utf8_general_ci"),
			NullFlag: proto.String(null), KeyFlag: proto.String(key), Extra: proto.String(""),
		}
	}
	schema := &pb.TableSchema{TableName: proto.String("shop.orders"), Columns: []*pb.TableSchema_ColumnMeta{
		column("id", "bigint(20) unsigned", "NO", "PRI"), column("user_id", "bigint(20)", "NO", "MUL"),
		column("status", "tinyint(3) unsigned", "NO", ""), column("amount", "decimal(12,2)", "NO", ""),
		column("weight", "float", "YES", ""), column("title", "varchar(256)", "NO", ""),
		column("note", "text", "YES", ""), column("token", "varbinary(16)", "YES", ""),
		column("flags", "bit(8)", "NO", ""), column("created_at", "datetime", "NO", ""),
		column("updated_at", "timestamp", "NO", ""), column("stock", "int(10) unsigned", "NO", ""),
	}}
	text := func(s string) *pb.TableChange_ColumnData { return &pb.TableChange_ColumnData{StringValue: &s} }
	i32 := func(v int32) *pb.TableChange_ColumnData { return &pb.TableChange_ColumnData{Int32Value: &v} }
	i64 := func(v int64) *pb.TableChange_ColumnData { return &pb.TableChange_ColumnData{Int64Value: &v} }
	for range sets {
		set := &pb.ChangeDataSet{
			DbInstanceName: proto.String("producer00"), SrcDbHost: proto.String("10.0.0.1:3306"), BirthTime: proto.Int64(1668673476),
			SendTime: proto.Int64(1668673477), SyncPoint: &pb.SyncPoint{GtId: []string{"3e11fa47-71ca-11e1-9e33-c80aa9429562:23"}},
			TableSchema: []*pb.TableSchema{schema},
		}
		for i := range rows {
			token := make([]byte, 16)
			for i := range token {
				token[i] = byte(rnd.Uint32())
			}
			data := []*pb.TableChange_ColumnData{
				i64(1 << 40 * int64(1+rnd.IntN(100))), i64(int64(rnd.IntN(1e9))), i32(int32(rnd.IntN(4))), text(fmt.Sprintf("%d.%02d", rnd.IntN(10000), rnd.IntN(100))),
				{FloatValue: proto.Float32(float32(rnd.IntN(10000)) / 100)}, text("礼品 " + fmt.Sprint(rnd.IntN(1e6))), text("leave it at the door, please; ring twice"),
				{BytesValue: token}, {BytesValue: []byte{byte(rnd.Uint32())}}, text("2022-11-17 16:24:36"), text("2022-11-17 16:24:36"), i32(int32(rnd.IntN(1000))),
			}
			if rnd.IntN(4) == 0 {
				data[6] = &pb.TableChange_ColumnData{IsNull: proto.String("1")}
			}
			c := &pb.TableChange{TableName: schema.TableName, AfterData: data}
			if i%2 == 1 {
				c.BeforeData = append(c.BeforeData, data...)
				c.BeforeData[2], c.BeforeData[10] = i32(9), text("2022-11-16 10:11:12")
			}
			set.TableChange = append(set.TableChange, c)
		}
		records = append(records, bytesOf(set))
	}
	return records
}

// BenchmarkDecode decodes one set an operation. With columns=check it is opened
// and all of it checked, with columns=walk every column of both images is read as
// well. A set comes from memory or the last cache, not from the first.
func BenchmarkDecode(b *testing.B) {
	for _, rows := range []int{1, 10, 100} {
		records := usual(rand.New(rand.NewPCG(1, 2)), 20000/rows, rows)
		size := 0
		for _, r := range records {
			size += len(r)
		}
		for _, walk := range []bool{false, true} {
			columns := "check"
			if walk {
				columns = "walk"
			}
			b.Run(fmt.Sprintf("rows=%d/columns=%s", rows, columns), func(b *testing.B) {
				b.SetBytes(int64(size / len(records)))
				b.ReportAllocs()
				var d changedataset.Decoder
				var ev change.Event
				n, i := 0, 0
				for b.Loop() {
					if err := d.Open(records[i]); err != nil {
						b.Fatal(err)
					}
					for walk && d.Next(&ev) {
						n += walkRows(ev.Rows)
					}
					if i++; i == len(records) {
						i = 0
					}
				}
				if walk && n == 0 {
					b.Error("nothing was read")
				}
			})
		}
	}
}

// walkRows looks at every column of both images.
func walkRows(rows change.Rows) (n int) {
	for rows.Rewind(); rows.Next(); {
		for _, im := range [...]change.Image{change.Before, change.After} {
			rows.Select(im)
			for c := rows.Column(); c != nil; c = rows.Column() {
				n += len(c.Name) + len(c.Value) + len(c.MySQLType) + int(c.SQLType)
				if c.Key || c.Updated || c.Null {
					n++
				}
			}
		}
	}
	return n
}
