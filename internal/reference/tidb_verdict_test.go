package reference

import (
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/cdcodec/cdcodec/fastjson"
	. "github.com/cdcodec/cdcodec/internal/canaltest"
	pb "github.com/cdcodec/cdcodec/internal/pb/tidbbinlogpb"
)

func TestTiDBVerdict(t *testing.T) {
	one := infos(info("a", "int"))
	good := inserted(tidbRow(i64(1)))
	mutation := func(m *pb.TableMutation) []byte { return binlogOf(tableT(one, m)) }
	ignored := func(m *pb.TableMutation, change *pb.Row) []byte {
		m = proto.Clone(m).(*pb.TableMutation)
		m.ChangeRow = change
		return mutation(m)
	}
	typed := func(types ...uint64) []byte { // of a mutation, one after the other
		var m []byte
		for _, n := range types {
			m = Num(m, 1, n)
		}
		m = Sub(m, 2, partial(tidbRow(i64(1))))
		table := Sub(partial(&pb.Table{ColumnInfo: one}), 4, m)
		return Sub(nil, 3, Sub(nil, 1, table))
	}
	dml := partial(&pb.DMLData{Tables: []*pb.Table{tableT(one, good)}})
	ddl := partial(&pb.DDLData{DdlQuery: []byte("x")})
	partialDML := partial(&pb.DMLData{Tables: []*pb.Table{tableT(one, &pb.TableMutation{})}})

	for _, c := range []struct {
		name   string
		record []byte
		want   int // messages; -1 is an error
	}{
		{"one", mutation(good), 1},
		{"no type", mutation(&pb.TableMutation{Row: tidbRow(i64(1))}), -1},
		{"no row", mutation(&pb.TableMutation{Type: pb.MutationType_Insert.Enum()}), -1},
		{"more values", mutation(inserted(tidbRow(i64(1), i64(2)))), -1},
		{"fewer values", mutation(inserted(tidbRow())), -1},
		{"update", mutation(updated(tidbRow(i64(1)), tidbRow(i64(1)))), 1},
		{"update without change_row", mutation(updated(nil, tidbRow(i64(1)))), -1},
		{"update, fewer values before", mutation(updated(tidbRow(), tidbRow(i64(1)))), -1},
		{"update, more values before", mutation(updated(tidbRow(i64(1), i64(1)), tidbRow(i64(1)))), -1},
		{"change_row of an insert", ignored(good, tidbRow()), 1},
		{"change_row of a delete", ignored(deleted(tidbRow(i64(1))), tidbRow(i64(1), i64(2))), 1},
		{"bad bits", binlogOf(tableT(infos(info("a", "bit")), inserted(tidbRow(blob(1, 2, 3, 4, 5, 6, 7, 8, 9))))), -1},
		{"bad bits before", binlogOf(tableT(infos(info("a", "bit")), updated(tidbRow(blob(1, 2, 3, 4, 5, 6, 7, 8, 9)), tidbRow(blob(1))))), -1},
		{"bad bits that are ignored", binlogOf(tableT(infos(info("a", "bit")), &pb.TableMutation{Type: pb.MutationType_Insert.Enum(),
			Row: tidbRow(blob(1)), ChangeRow: tidbRow(blob(1, 2, 3, 4, 5, 6, 7, 8, 9))})), 1},

		{"type 3", typed(3), -1},
		{"type 0, then 3", typed(0, 3), -1},
		{"type 3, then 2", typed(3, 2), 1},
		{"low 32 bits of a type", typed(1<<32 + 2), 1},
		{"type as bytes", Sub(nil, 3, Sub(nil, 1, Sub(partial(&pb.Table{ColumnInfo: one}), 4, Sub(Sub(nil, 1, []byte{0}), 2, partial(tidbRow(i64(1))))))), -1},
		{"a row in two parts", Sub(nil, 3, Sub(nil, 1, Sub(partial(&pb.Table{ColumnInfo: infos(info("a", "int"), info("b", "int"))}), 4,
			Sub(Sub(Num(nil, 1, 0), 2, partial(tidbRow(i64(1)))), 2, partial(tidbRow(i64(2))))))), 1},

		{"no data", nil, -1},
		{"dml without data", partial(&pb.Binlog{Type: pb.BinlogType_DML.Enum(), DdlData: &pb.DDLData{}}), -1},
		{"ddl without data", partial(&pb.Binlog{Type: pb.BinlogType_DDL.Enum(), DmlData: &pb.DMLData{}}), -1},
		{"empty dml", Sub(nil, 3, nil), 0},
		{"empty ddl", Sub(Num(nil, 1, 1), 4, nil), 1},
		{"unknown type is DML", Sub(Num(nil, 1, 2), 3, dml), 1},
		{"unknown type keeps DDL", Sub(Num(Num(nil, 1, 1), 1, 2), 4, ddl), 1},
		{"DDL, then DML", Sub(Sub(Num(Num(nil, 1, 1), 1, 0), 4, ddl), 3, Sub(dml, 1, nil)), 1},
		{"dml_data in two parts", Sub(Sub(nil, 3, dml), 3, dml), 2},
		{"ddl_data ignored", Sub(Sub(nil, 3, dml), 4, ddl), 1},
		{"bad ddl_data ignored", Sub(Sub(nil, 3, dml), 4, []byte{0x0F}), -1},
		{"dml_data ignored", Sub(Sub(Num(nil, 1, 1), 4, ddl), 3, partialDML), 1},
		{"bad dml_data ignored", Sub(Sub(Num(nil, 1, 1), 4, ddl), 3, []byte{0x0F}), -1},

		{"table without mutations", binlogOf(tableT(one)), 0},
		{"table without columns and values", binlogOf(tableT(nil, inserted(tidbRow()), updated(tidbRow(), tidbRow()), deleted(tidbRow()))), 0},
		{"table without columns", binlogOf(tableT(nil, good)), -1},
		{"table without columns, a type missing", binlogOf(tableT(nil, &pb.TableMutation{Row: tidbRow()})), -1},
		{"table without columns, change_row missing", binlogOf(tableT(nil, updated(nil, tidbRow()))), -1},
		{"the second of two tables is bad", binlogOf(tableT(one, good), tableT(nil, good)), -1},
		{"the second of two mutations is bad", binlogOf(tableT(one, good, inserted(tidbRow()))), -1},

		{"100 groups", append(mutation(good), Groups(100)...), 1},
		{"101 groups", append(mutation(good), Groups(101)...), -1},
		{"wire type 7", append(mutation(good), 0x0F), -1},
		{"cut", mutation(good)[:len(mutation(good))-1], -1},
		{"a double of 4 bytes is unknown", Sub(nil, 3, Sub(nil, 1, Sub(partial(&pb.Table{ColumnInfo: one}), 4, Sub(Num(nil, 1, 0), 2, Sub(nil, 1, Fixed32(nil, 4, 1)))))), 1},
		{"a value cut short", Sub(nil, 3, Sub(nil, 1, Sub(partial(&pb.Table{ColumnInfo: one}), 4, Sub(Num(nil, 1, 0), 2, Sub(nil, 1, protowire.AppendTag(nil, 4, protowire.Fixed64Type)))))), -1},
		{"a bad time_zone", Sub(mutation(good), 5, []byte("\xFF")), 1},
		{"an unknown field", Sub(mutation(good), 99, []byte{0x0F}), 1},
	} {
		for _, o := range []fastjson.Options{{}, extended, {OneRow: true}} {
			messages, err := TiDBBinlog(c.record, o, meta)
			got := len(messages)
			if err != nil {
				got = -1
			}
			if got != c.want || err != nil && messages != nil {
				t.Errorf("%s: %d messages, want %d (error %v)", c.name, got, c.want, err)
			}
		}
	}
}

// TestTiDBRejectInvalidUTF8 is what is shown, and what is not.
func TestTiDBRejectInvalidUTF8(t *testing.T) {
	const bad = "x\xFF"
	text := proto.String(bad)
	for _, c := range []struct {
		name         string
		table        *pb.Table
		canal, ticdc bool // is an error
	}{
		{"nothing", tableT(infos(info("a", "int")), inserted(tidbRow(i64(1)))), false, false},
		{"schema", &pb.Table{SchemaName: text, ColumnInfo: infos(info("a", "int")), Mutations: []*pb.TableMutation{inserted(tidbRow(i64(1)))}}, true, true},
		{"name", tableT(infos(info(bad, "int")), inserted(tidbRow(i64(1)))), true, true},
		{"type", tableT(infos(info("a", bad)), inserted(tidbRow(i64(1)))), true, true},
		{"parameters of a type", tableT(infos(info("a", "enum('\xFF')")), inserted(tidbRow(i64(1)))), false, false},
		{"value", tableT(infos(info("a", "char")), inserted(tidbRow(str(bad)))), true, true},
		{"value in bytes", tableT(infos(info("a", "char")), inserted(tidbRow(blob(0xFF)))), true, true},
		{"value that is widened", tableT(infos(info("a", "blob")), inserted(tidbRow(blob(0xFF)))), false, false},
		{"old value", tableT(infos(info("a", "char")), updated(tidbRow(str(bad)), tidbRow(str("")))), true, true},
		{"value that did not change", tableT(infos(info("a", "char")), updated(tidbRow(str(bad)), tidbRow(str(bad)))), true, true},
		{"name of a key", &pb.Table{ColumnInfo: infos(info("a", "int")), Mutations: []*pb.TableMutation{inserted(tidbRow(i64(1)))},
			UniqueKeys: []*pb.Key{{Name: text, ColumnNames: []string{bad}}}}, false, false},
	} {
		for _, o := range []struct {
			o    fastjson.Options
			want bool
		}{{fastjson.Options{RejectInvalidUTF8: true}, c.canal}, {fastjson.Options{RejectInvalidUTF8: true, Dialect: fastjson.TiCDC}, c.ticdc}} {
			if _, err := TiDBBinlog(binlogOf(c.table), o.o, meta); (err != nil) != o.want {
				t.Errorf("%s: error %v, want one: %v", c.name, err, o.want)
			}
		}
	}
}
