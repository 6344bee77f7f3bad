package changedataset_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/internal/mysqltype"
	pb "github.com/cdcodec/cdcodec/internal/pb/changedatasetpb"
	"github.com/cdcodec/cdcodec/wire/changedataset"
)

// This file is the page, spec/baidu-changedataset.md, said once more over
// generated messages, as plainly as can be, and random sets for both to read.

// slow returns the Events of a set, or that it is in error.
func slow(set *pb.ChangeDataSet, o changedataset.Options) (events []event, ok bool) {
	schemas := map[string]*pb.TableSchema{}
	for _, s := range set.TableSchema {
		schemas[s.GetTableName()] = s
	}
	es := set.GetBirthTime() * 1000
	if es/1000 != set.GetBirthTime() {
		es = math.MaxInt64
		if set.GetBirthTime() < 0 {
			es = math.MinInt64
		}
	}
	for _, c := range set.TableChange {
		name := c.GetTableName()
		schema := schemas[name]
		if name == "" || schema == nil || len(c.BeforeData)+len(c.AfterData) == 0 {
			return nil, false
		}
		e := event{}
		e.Kind, e.Promoted, e.ES, e.Type = change.KindRows, true, es, change.Update
		if ids := set.GetSyncPoint().GetGtId(); len(ids) > 0 {
			e.GTID = []byte(strings.Join(ids, ","))
		}
		database, table, dot := strings.Cut(name, ".")
		if !dot {
			database, table = o.Database, name
		}
		e.Database, e.Table = []byte(database), []byte(table)
		if len(c.BeforeData) == 0 {
			e.Type = change.Insert
		} else if len(c.AfterData) == 0 {
			e.Type = change.Delete
		}
		if e.before, ok = slowImage(schema, c.BeforeData, o); !ok {
			return nil, false
		}
		if e.after, ok = slowImage(schema, c.AfterData, o); !ok {
			return nil, false
		}
		if e.Type == change.Update {
			for i := range e.after {
				b, a := &e.before[i], &e.after[i]
				a.Updated = a.Null != b.Null || !a.Null && string(a.Value) != string(b.Value)
				b.Updated = a.Updated
				b.Heavy = b.Heavy || a.Heavy
			}
		}
		events = append(events, e)
	}
	return events, true
}

func slowImage(schema *pb.TableSchema, data []*pb.TableChange_ColumnData, o changedataset.Options) (out []change.Column, ok bool) {
	if len(data) == 0 {
		return nil, true
	}
	if len(data) != len(schema.Columns) {
		return nil, false
	}
	keyed := slices.ContainsFunc(schema.Columns, slowKey)
	at := map[string]int{}
	for i, m := range schema.Columns {
		c, ok := slowColumn(m, data[i], o)
		if !ok {
			return nil, false
		}
		c.Handle = !keyed && m.GetKeyFlag() == "UNI" && m.GetNullFlag() == "NO"
		if first, twice := at[m.GetColumnName()]; twice {
			c.Key = c.Key || out[first].Key
			out[first] = c
			continue
		}
		at[m.GetColumnName()] = len(out)
		out = append(out, c)
	}
	return out, true
}

func slowKey(m *pb.TableSchema_ColumnMeta) bool {
	return m.GetKeyFlag() == "PRI" || m.GetDatabusColumnBitmap()&2 != 0
}

func slowColumn(m *pb.TableSchema_ColumnMeta, d *pb.TableChange_ColumnData, o changedataset.Options) (c change.Column, ok bool) {
	typ := mysqltype.Parse([]byte(m.GetColumnType()))
	typ.Unsigned = typ.Unsigned || m.GetDatabusColumnBitmap()&32 != 0
	c = change.Column{Name: []byte(m.GetColumnName()), MySQLType: []byte(m.GetColumnType()), Key: slowKey(m)}
	value, null, ok := slowValue(typ, d)
	if !ok {
		return c, false
	}
	c.Null = null
	if !null {
		c.Value = []byte(value)
	}
	c.SQLType = typ.SQLType(c.Value)
	if n, err := strconv.ParseInt(d.GetSqlType(), 10, 32); err == nil && o.PassSQLType {
		c.SQLType = int32(n)
	}
	return c, true
}

// slowValue is the rules for values, in their order.
func slowValue(typ mysqltype.Type, d *pb.TableChange_ColumnData) (value string, null, ok bool) {
	if slices.Contains([]string{"1", "true", "y", "yes"}, strings.ToLower(d.GetIsNull())) && isASCII(d.GetIsNull()) {
		return "", true, true
	}
	order := "s"
	switch {
	case typ.Base.IsInteger():
		order = "li"
	case typ.Base == mysqltype.Float || typ.Base == mysqltype.Double:
		order = "f"
	case typ.Base == mysqltype.Bit || typ.Base.IsBinary():
		order = "b"
	}
	for _, f := range order + "slifb" {
		switch {
		case f == 's' && d.StringValue != nil:
			return *d.StringValue, false, true
		case f == 'l' && d.Int64Value != nil:
			return slowInteger(typ, *d.Int64Value), false, true
		case f == 'i' && d.Int32Value != nil:
			return slowInteger(typ, int64(*d.Int32Value)), false, true
		case f == 'f' && d.FloatValue != nil:
			return strconv.FormatFloat(float64(*d.FloatValue), 'f', -1, 32), false, true
		case f == 'b' && d.BytesValue != nil && typ.Base == mysqltype.Bit:
			b := bytes.TrimLeft(d.BytesValue, "\x00")
			n, err := strconv.ParseUint(fmt.Sprintf("0%x", b), 16, 64)
			return strconv.FormatUint(n, 10), false, err == nil
		case f == 'b' && d.BytesValue != nil && (typ.Base.IsText() || typ.Base == mysqltype.JSON):
			return string(d.BytesValue), false, true
		case f == 'b' && d.BytesValue != nil:
			var wide []rune
			for _, c := range d.BytesValue {
				wide = append(wide, rune(c))
			}
			return string(wide), false, true
		}
	}
	return "", true, true
}

func isASCII(s string) bool { return strings.IndexFunc(s, func(r rune) bool { return r >= 0x80 }) < 0 }

func slowInteger(typ mysqltype.Type, n int64) string {
	if n < 0 && typ.Unsigned {
		switch typ.Base.Bits() {
		case 8:
			return fmt.Sprint(uint8(n))
		case 16:
			return fmt.Sprint(uint16(n))
		case 24:
			return fmt.Sprint(uint32(n) & 0xffffff)
		case 32:
			return fmt.Sprint(uint32(n))
		case 64:
			return fmt.Sprint(uint64(n))
		}
	}
	return fmt.Sprint(n)
}

// randomSet makes a set that is good, as a rule: few names, so that they meet.
func randomSet(rnd *rand.Rand) *pb.ChangeDataSet {
	pick := func(of ...string) *string {
		i := rnd.IntN(len(of) + 1)
		if i == len(of) {
			return nil
		}
		return &of[i]
	}
	set := &pb.ChangeDataSet{DbInstanceName: pick("producer00"), SrcDbHost: pick("host:3306", "")}
	if rnd.IntN(3) > 0 {
		set.BirthTime = proto.Int64(int64(rnd.Uint64()) >> rnd.IntN(64))
	}
	if rnd.IntN(3) > 0 {
		set.SyncPoint = &pb.SyncPoint{BinlogFileName: pick("mysql-bin.000001")}
		for range rnd.IntN(4) {
			set.SyncPoint.GtId = append(set.SyncPoint.GtId, []string{"", "a:1", "3e11fa47-71ca-11e1-9e33-c80aa9429562:1-5", "é"}[rnd.IntN(4)])
		}
	}
	types := []string{
		"int(10)", "int(10) unsigned", "INTEGER", "bool", "tinyint(3) unsigned", "smallint unsigned", "mediumint unsigned", "bigint(20)",
		"bigint(20) UNSIGNED", "float", "double", "decimal(10,2)", "bit(1)", "BIT(64)", "binary(8)", "varbinary(8)", "blob", "text", "json",
		"varchar(256)", "char", "date", "enum('a','b')", "geometry", "year", "int zerofill", "", "a type that is longer than a hundred and twenty-eight bytes, so that its length takes two: " + strings.Repeat("x", 100),
	}
	columns := map[string]int{}
	tables := []string{"d.t", "d.u", "t", "", "a.b.c", ".t", "d."}
	for range rnd.IntN(5) {
		s := &pb.TableSchema{TableName: pick(tables...)}
		for range rnd.IntN(7) {
			m := &pb.TableSchema_ColumnMeta{ColumnName: pick("id", "a", "b", "c", "", "a longer name"), ColumnType: pick(types...)}
			if rnd.IntN(2) == 0 {
				m.Charset, m.NullFlag, m.KeyFlag = pick("utf8"), pick("NO", "NO", "YES"), pick("PRI", "UNI", "MUL", "UNI", "pri")
			}
			if rnd.IntN(3) == 0 {
				m.IfNullValue, m.Extra, m.MetaValue = pick("0"), pick("auto_increment"), proto.Int32(int32(rnd.Uint32()))
				m.DatabusColumnBitmap = proto.Int32(int32(rnd.Uint32() & rnd.Uint32()))
			}
			s.Columns = append(s.Columns, m)
		}
		columns[s.GetTableName()] = len(s.Columns)
		set.TableSchema = append(set.TableSchema, s)
	}
	for range rnd.IntN(6) {
		c := &pb.TableChange{}
		if len(set.TableSchema) > 0 && rnd.IntN(20) > 0 {
			c.TableName = set.TableSchema[rnd.IntN(len(set.TableSchema))].TableName
		} else {
			c.TableName = pick(tables...)
		}
		if n := columns[c.GetTableName()]; rnd.IntN(40) > 0 && (n == 0 || c.GetTableName() == "") {
			continue
		}
		kind := rnd.IntN(3)
		for range columns[c.GetTableName()] + rnd.IntN(60)/59 {
			d := randomData(rnd)
			if kind != 0 {
				c.BeforeData = append(c.BeforeData, d)
			}
			if kind != 1 {
				if rnd.IntN(2) == 0 || kind == 0 {
					d = randomData(rnd)
				}
				c.AfterData = append(c.AfterData, d)
			}
		}
		set.TableChange = append(set.TableChange, c)
	}
	return set
}

func randomData(rnd *rand.Rand) *pb.TableChange_ColumnData {
	d := &pb.TableChange_ColumnData{}
	fields := rnd.IntN(1 << 7)
	if rnd.IntN(3) > 0 { // one
		fields = 1 << rnd.IntN(5)
	}
	if fields&1 != 0 {
		d.StringValue = proto.String([]string{"", "5", "300", "-1", "text", "é", "99999999999", strings.Repeat("long ", rnd.IntN(4000))}[rnd.IntN(8)])
	}
	if fields&2 != 0 {
		d.Int32Value = proto.Int32(int32(rnd.Uint32()) >> rnd.IntN(32))
	}
	if fields&4 != 0 {
		d.Int64Value = proto.Int64(int64(rnd.Uint64()) >> rnd.IntN(64))
	}
	if fields&8 != 0 {
		d.FloatValue = proto.Float32(math.Float32frombits(rnd.Uint32()))
	}
	if fields&16 != 0 {
		d.BytesValue = make([]byte, rnd.IntN(9))
		for i := range d.BytesValue {
			d.BytesValue[i] = byte(rnd.Uint32()) >> rnd.IntN(8)
		}
		if rnd.IntN(100) == 0 {
			d.BytesValue = append(d.BytesValue, make([]byte, rnd.IntN(300))...)
		}
	}
	if fields&32 != 0 {
		d.IsNull = proto.String([]string{"1", "true", "Y", "yes", "0", "no", "", "utf8_bin", "TRUE", "K"}[rnd.IntN(10)])
	}
	if fields&64 != 0 {
		d.SqlType = proto.String([]string{"4", "-5", "253", "int", "", "99999999999"}[rnd.IntN(6)])
	}
	return d
}

// TestAgainstReference has one Decoder read random sets in a row, good and bad:
// whatever the last one left must not show.
func TestAgainstReference(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	decoders := map[changedataset.Options]*changedataset.Decoder{}
	good, bad, rows := 0, 0, 0
	for range 20000 {
		o := changedataset.Options{Database: []string{"", "opt"}[rnd.IntN(2)], PassSQLType: rnd.IntN(2) == 0}
		if decoders[o] == nil {
			decoders[o] = &changedataset.Decoder{Options: o}
		}
		set := randomSet(rnd)
		in := bytesOf(set)
		if rnd.IntN(3) > 0 {
			in = scramble(rnd, in, set.ProtoReflect().Descriptor())
		}
		if rnd.IntN(4) == 0 { // a sync point in another part
			in = append(in, bytesOf(&pb.ChangeDataSet{SyncPoint: &pb.SyncPoint{GtId: []string{"part:1"}}})...)
		}
		set.Reset() // scramble may have moved columns
		fatal(t, proto.Unmarshal(in, set))
		was := bytes.Clone(in)
		want, ok := slow(set, o)
		got, err := open(t, decoders[o], in)
		if (err == nil) != ok {
			t.Fatalf("%x\nerror %v, want one: %v\n%v", in, err, !ok, set)
		}
		if !bytes.Equal(in, was) {
			t.Fatalf("%x: the input was written to", was)
		}
		compareEvents(t, got, want)
		if t.Failed() {
			t.Fatalf("%x\n%v", in, set)
		}
		if ok {
			good++
			rows += len(want)
		} else {
			bad++
		}
	}
	if good < 5000 || bad < 500 || rows < 10000 {
		t.Errorf("only %d good sets, %d bad ones, %d rows", good, bad, rows)
	}
}

func compareEvents(t *testing.T, got, want []event) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%d events, want %d", len(got), len(want))
		return
	}
	for i := range got {
		g, w := got[i], want[i]
		if !slices.EqualFunc(g.before, w.before, sameColumn) || !slices.EqualFunc(g.after, w.after, sameColumn) {
			t.Errorf("event %d\n got %+v\n     %+v\nwant %+v\n     %+v", i, g.before, g.after, w.before, w.after)
		}
		ge, we := g.Event, w.Event
		for _, e := range []*change.Event{&ge, &we} {
			e.Database, e.Table, e.GTID = append([]byte{}, e.Database...), append([]byte{}, e.Table...), append([]byte{}, e.GTID...)
		}
		if !reflect.DeepEqual(ge, we) {
			t.Errorf("event %d\n got %+v\nwant %+v", i, ge, we)
		}
	}
}
