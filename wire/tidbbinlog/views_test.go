package tidbbinlog_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/wire/tidbbinlog"
)

// walkViews reads all of a Binlog by its views, and shows it.
func walkViews(b *tidbbinlog.Binlog) (string, error) {
	var s strings.Builder
	fmt.Fprintf(&s, "%v %d %d %q %v %v", b.Type, b.CommitTS, b.ES(), b.TimeZone, b.HasDML, b.HasDDL)
	if b.HasDDL {
		fmt.Fprintf(&s, " ddl %q.%q %q", b.DDL.SchemaName, b.DDL.TableName, b.DDL.Query)
	}
	tables := b.Tables()
	for tables.Next() {
		t := tables.Value()
		fmt.Fprintf(&s, "\ntable %s", t.Name())
		infos := t.ColumnInfo()
		for infos.Next() {
			fmt.Fprintf(&s, " %s", showInfo(infos.Value()))
		}
		if err := infos.Err(); err != nil {
			return "", err
		}
		keys := t.UniqueKeys()
		for keys.Next() {
			k := keys.Value()
			fmt.Fprintf(&s, " key %s", k.Name)
			names := k.ColumnNames()
			for names.Next() {
				fmt.Fprintf(&s, ",%s", names.Value())
			}
			if err := names.Err(); err != nil {
				return "", err
			}
		}
		if err := keys.Err(); err != nil {
			return "", err
		}
		muts := t.Mutations()
		for muts.Next() {
			m := muts.Value()
			fmt.Fprintf(&s, "\n  %v %v %v %v", m.Type, m.HasType, m.HasRow, m.HasChangeRow)
			for _, im := range []change.Image{change.Before, change.After} {
				cols := m.Columns(im)
				for cols.Next() {
					fmt.Fprintf(&s, " %c%s", "-+"[im], showView(cols.Value()))
				}
				if err := cols.Err(); err != nil {
					return "", err
				}
			}
		}
		if err := muts.Err(); err != nil {
			return "", err
		}
	}
	return s.String(), tables.Err()
}

func showInfo(c tidbbinlog.ColumnInfo) string {
	return fmt.Sprintf("%s:%s:%v:%d:%d", c.Name, c.MySQLType, c.IsPrimaryKey, c.Flen, c.Decimal)
}

func showView(c tidbbinlog.Column) string {
	s := ""
	for _, f := range []struct {
		field tidbbinlog.Fields
		text  string
	}{
		{tidbbinlog.HasInt64, fmt.Sprint(c.Int64)}, {tidbbinlog.HasUint64, fmt.Sprint(c.Uint64, "u")}, {tidbbinlog.HasDouble, fmt.Sprint(c.Double, "d")},
		{tidbbinlog.HasBytes, fmt.Sprintf("%x", c.Bytes)}, {tidbbinlog.HasString, fmt.Sprintf("%q", c.String)},
	} {
		if c.Fields&f.field != 0 {
			s += f.text + "/"
		}
	}
	if c.IsNull {
		s += "null"
	}
	return s
}

// TestViews reads records by hand.
func TestViews(t *testing.T) {
	for _, c := range []struct {
		record []byte
		want   string
	}{
		{nil, `DML 0 0 "" false false`},
		{join(num(1, 1), num(2, -1), sub(4, str(1, "s")), sub(4, str(2, "t"), str(3, "x")), str(5, "UTC"), num(1, 9)),
			`DDL 18446744073709551615 70368744177663 "UTC" false true ddl "s"."t" "x"`},
		{join(binlog(table(info("a", "int", pk, num(4, 11), num(5, -2)), key("PRIMARY", "a", "b"), key(""), insert(i64(-1)), update(sub(1, num(2, 1), num(3, 2), dbl(4, 1.5), str(5, "\xff"), str(6, "z"), num(1, 1)), sub(1)), remove(null())), sub(1)), sub(3, sub(1, mutation(num(1, 5)), mutation(sub(2, i64(3)), sub(3, i64(4)), sub(2, i64(5)))))),
			`DML 429918007904436226 1640007049196 "" true false
table shop.orders a:int:true:11:-2 key PRIMARY,a,b key 
  Insert true true false +-1/
  Update true true true - +1/2u/1.5d/ff/"z"/null
  Delete true true false -null
table 
table 
   true false false
  Insert false true true +3/ +5/`},
	} {
		b, err := tidbbinlog.ParseBinlog(c.record)
		fatal(t, err)
		got, err := walkViews(&b)
		fatal(t, err)
		want(t, got, c.want)
	}
}

// TestViewParsers has each message parsed on its own.
func TestViewParsers(t *testing.T) {
	table, err := tidbbinlog.ParseTable(join(str(1, "s"), str(2, "t")))
	fatal(t, err)
	want(t, table.Name(), "s.t")
	info, err := tidbbinlog.ParseColumnInfo(join(str(1, "a"), str(2, "bit"), num(3, 8)))
	fatal(t, err)
	want(t, showInfo(info), "a:bit:true:0:0")
	key, err := tidbbinlog.ParseKey(join(str(2, "a"), str(1, "u")))
	fatal(t, err)
	want(t, string(key.Name), "u")
	m, err := tidbbinlog.ParseMutation(num(1, 2))
	fatal(t, err)
	want(t, m.Type.String()+" "+m.Type.Change().String(), "Delete DELETE")
	col, err := tidbbinlog.ParseColumn(num(3, 7))
	fatal(t, err)
	want(t, showView(col), "7u/")
	for _, err := range []error{
		func() error { _, err := tidbbinlog.ParseBinlog([]byte{0xff}); return err }(),
		func() error { _, err := tidbbinlog.ParseTable([]byte{0xff}); return err }(),
		func() error { _, err := tidbbinlog.ParseColumnInfo([]byte{0xff}); return err }(),
		func() error { _, err := tidbbinlog.ParseKey([]byte{0xff}); return err }(),
		func() error { _, err := tidbbinlog.ParseMutation([]byte{0xff}); return err }(),
		func() error { _, err := tidbbinlog.ParseColumn([]byte{0xff}); return err }(),
	} {
		if err == nil {
			t.Error("no error")
		}
	}
	if s := tidbbinlog.BinlogType(7).String() + tidbbinlog.MutationType(-1).String() + tidbbinlog.MutationType(3).Change().String(); s != "" {
		t.Errorf("numbers without a name are %q", s)
	}
}
