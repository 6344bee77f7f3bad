package changedataset_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/cdcodec/cdcodec/change"
	pb "github.com/cdcodec/cdcodec/internal/pb/changedatasetpb"
	"github.com/cdcodec/cdcodec/wire"
	"github.com/cdcodec/cdcodec/wire/changedataset"
)

// describe writes what the views say of a set, a line each.
func describe(t *testing.T, in []byte) string {
	t.Helper()
	var b strings.Builder
	s, err := changedataset.ParseChangeDataSet(in)
	fatal(t, err)
	p := &s.SyncPoint
	fmt.Fprintf(&b, "set %q %q %d %d %d\n", s.DBInstanceName, s.SrcDBHost, s.DataSize, s.BirthTime, s.SendTime)
	fmt.Fprintf(&b, "sync %v %d %q %d", p.SyncType, p.GroupID, p.BinlogFileName, p.Position)
	for ids := p.GTIDs(); ids.Next(); {
		fmt.Fprintf(&b, " %q", ids.GTID())
	}
	schemas := s.Schemas()
	for schemas.Next() {
		s := schemas.Element()
		fmt.Fprintf(&b, "\nschema %q", s.TableName)
		columns := s.Columns()
		for columns.Next() {
			c := columns.Element()
			fmt.Fprintf(&b, "\n  %q %q %q %q %q %q %q %d %d", c.ColumnName, c.ColumnType, c.Charset, c.NullFlag, c.KeyFlag, c.IfNullValue, c.Extra, c.MetaValue, c.DatabusColumnBitmap)
		}
		fatal(t, columns.Err())
	}
	fatal(t, schemas.Err())
	changes := s.Changes()
	for changes.Next() {
		c := changes.Element()
		fmt.Fprintf(&b, "\nchange %q", c.TableName)
		for _, im := range []change.Image{change.Before, change.After} {
			data := c.Data(im)
			for data.Next() {
				d := data.Element()
				fmt.Fprintf(&b, "\n  %d: %05b %q %d %d %x %q %q %q", im, d.Set, d.StringValue, d.Int32Value, d.Int64Value, d.FloatValue, d.BytesValue, d.IsNull, d.SQLType)
			}
			fatal(t, data.Err())
		}
	}
	fatal(t, changes.Err())
	return b.String()
}

// describePB is describe of the generated messages.
func describePB(s *pb.ChangeDataSet) string {
	var b strings.Builder
	p := s.GetSyncPoint()
	fmt.Fprintf(&b, "set %q %q %d %d %d\n", s.GetDbInstanceName(), s.GetSrcDbHost(), s.GetDataSize(), s.GetBirthTime(), s.GetSendTime())
	fmt.Fprintf(&b, "sync %v %d %q %d", p.GetSyncType(), p.GetGroupId(), p.GetBinlogFileName(), p.GetPosition())
	for _, id := range p.GetGtId() {
		fmt.Fprintf(&b, " %q", id)
	}
	for _, s := range s.TableSchema {
		fmt.Fprintf(&b, "\nschema %q", s.GetTableName())
		for _, c := range s.Columns {
			fmt.Fprintf(&b, "\n  %q %q %q %q %q %q %q %d %d", c.GetColumnName(), c.GetColumnType(), c.GetCharset(), c.GetNullFlag(), c.GetKeyFlag(), c.GetIfNullValue(), c.GetExtra(), c.GetMetaValue(), c.GetDatabusColumnBitmap())
		}
	}
	for _, c := range s.TableChange {
		fmt.Fprintf(&b, "\nchange %q", c.GetTableName())
		for im, data := range [][]*pb.TableChange_ColumnData{c.BeforeData, c.AfterData} {
			for _, d := range data {
				set := 0
				for i, is := range []bool{d.StringValue != nil, d.Int32Value != nil, d.Int64Value != nil, d.FloatValue != nil, d.BytesValue != nil} {
					if is {
						set |= 1 << i
					}
				}
				fmt.Fprintf(&b, "\n  %d: %05b %q %d %d %x %q %q %q", im, set, d.GetStringValue(), d.GetInt32Value(), d.GetInt64Value(), d.GetFloatValue(), d.GetBytesValue(), d.GetIsNull(), d.GetSqlType())
			}
		}
	}
	return b.String()
}

// TestViewsAgainstGenerated holds the views to what proto.Unmarshal reads of the
// same bytes: fields in any order, given twice, among others.
func TestViewsAgainstGenerated(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		var in []byte
		for range 1 + rnd.IntN(2) { // two in a row are one, merged
			set := randomSet(rnd)
			set.DataSize, set.SendTime = proto.Int32(int32(rnd.Uint32())), proto.Int64(int64(rnd.Uint64())>>rnd.IntN(64))
			if p := set.SyncPoint; p != nil && rnd.IntN(2) == 0 {
				p.SyncType, p.GroupId, p.Position = pb.SyncPoint_SyncType(1+rnd.IntN(3)).Enum(), proto.Int64(int64(rnd.Uint64())), proto.Int32(int32(rnd.Uint32()))
			}
			in = append(in, bytesOf(set)...)
		}
		if rnd.IntN(3) > 0 {
			in = scramble(rnd, in, new(pb.ChangeDataSet).ProtoReflect().Descriptor())
		}
		var set pb.ChangeDataSet
		fatal(t, proto.Unmarshal(in, &set))
		if got, want := describe(t, in), describePB(&set); got != want {
			t.Fatalf("%x\ngot:\n%s\nwant:\n%s", in, got, want)
		}
	}
}

// TestViews reads each message by itself.
func TestViews(t *testing.T) {
	p, err := changedataset.ParseSyncPoint(join(num(1, 2), num(2, -7), str(3, "a"), num(1, 9), str(3, "b"), str(4, "f"), num(5, 3)))
	fatal(t, err)
	if p.SyncType != changedataset.GTID || p.GroupID != -7 || string(p.BinlogFileName) != "f" || p.Position != 3 {
		t.Errorf("%+v", p)
	}
	ids := p.GTIDs()
	var got []string
	for ids.Next() {
		got = append(got, string(ids.GTID()))
	}
	if !reflect.DeepEqual(got, []string{"a", "b"}) || ids.Next() {
		t.Errorf("gtIds %q", got)
	}
	for typ, want := range map[changedataset.SyncType]string{1: "GROUPID", 2: "GTID", 3: "BINLOG", 9: "9"} {
		if typ.String() != want {
			t.Errorf("type %d is %v", typ, typ)
		}
	}
	s, err := changedataset.ParseTableSchema(schema("t", col("a", "int"))[2:])
	fatal(t, err)
	c, err := changedataset.ParseTableChange(row("t", after(num(2, 5)))[2:])
	fatal(t, err)
	m, err := changedataset.ParseColumnMeta(join(str(1, "a"), num(8, -1)))
	fatal(t, err)
	d, err := changedataset.ParseColumnData(join(num(2, 5), str(6, "YES")))
	fatal(t, err)
	if string(s.TableName)+string(c.TableName)+string(m.ColumnName) != "tta" || m.MetaValue != -1 || d.Set != changedataset.Int32Value || !d.Null() {
		t.Errorf("%+v %+v %+v %+v", s, c, m, d)
	}
	if d := (changedataset.ColumnData{}); !d.Null() {
		t.Error("nothing is not null")
	}
	if d := (changedataset.ColumnData{Set: changedataset.StringValue}); d.Null() {
		t.Error("an empty string is null")
	}
}

// TestViewErrors has each view tell what is wrong with it: the path begins there.
func TestViewErrors(t *testing.T) {
	fault := func(at int, number wire.Number, path string) wire.ParseError {
		return wire.ParseError{Offset: at, Path: path, Number: number, Err: wire.ErrTruncated}
	}
	_, err := changedataset.ParseChangeDataSet(join(num(6, 1), cut(5)))
	wantError(t, err, fault(2, 5, "srcDbHost"))
	_, err = changedataset.ParseChangeDataSet(sub(2, cut(4)))
	wantError(t, err, fault(2, 4, "syncPoint.binlogFileName"))
	_, err = changedataset.ParseSyncPoint(cut(3))
	wantError(t, err, fault(0, 3, "gtId[0]"))
	_, err = changedataset.ParseTableSchema(join(sub(2), cut(2)))
	wantError(t, err, fault(2, 2, "columns[1]"))
	_, err = changedataset.ParseColumnMeta(cut(7))
	wantError(t, err, fault(0, 7, "extra"))
	_, err = changedataset.ParseTableChange(join(sub(2), cut(3)))
	wantError(t, err, fault(2, 3, "afterData[0]"))
	_, err = changedataset.ParseColumnData(join(num(2, 1), cut(5)))
	wantError(t, err, fault(2, 5, "bytesValue"))

	s, err := changedataset.ParseChangeDataSet(join(sub(3, sub(2, cut(1))), sub(4), sub(4, after(), cut(1))))
	fatal(t, err)
	schemas := s.Schemas()
	if !schemas.Next() {
		t.Fatal(schemas.Err())
	}
	first := schemas.Element()
	columns := first.Columns()
	for range 2 {
		if columns.Next() {
			t.Error("a bad column")
		}
	}
	wantError(t, columns.Err(), fault(4, 1, "columns[0].columnName"))
	changes := s.Changes()
	for _, want := range []bool{true, false, false} {
		if changes.Next() != want {
			t.Error("a bad change, or no good one")
		}
	}
	wantError(t, changes.Err(), fault(15, 1, "tableChange[1].tableName"))
}
