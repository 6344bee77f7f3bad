package tidbbinlog_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/internal/pb/tidbbinlogpb"
	"github.com/cdcodec/cdcodec/wire"
	"github.com/cdcodec/cdcodec/wire/tidbbinlog"
)

// FuzzDecoder takes any bytes as a record, after any others. The laws:
//
//   - no panic, and the record is not written to;
//   - an error says where, inside of the record;
//   - the second time, and with a Decoder that is new, all is the same;
//   - walked twice, or asked for by Ref, columns are the same (see show);
//   - what there is is what the model makes of what generated code reads;
//   - each text of an Event is found again in the record, where it is from there.
func FuzzDecoder(f *testing.F) {
	var last []byte
	add := func(record []byte) {
		if len(record) < 4000 {
			f.Add(last, record)
			last = record
		}
	}
	for _, c := range badRecords() {
		add(c.record)
	}
	for _, c := range hostile {
		add(c.record(20))
	}
	for _, c := range statements {
		add(join(num(1, 1), sub(4, str(1, "s"), str(3, c.text[0]))))
	}
	add(sample())
	add(orders(4))
	add(binlog(table(each(140, func(i int) []byte { return info(short(i), "Geo") }), update(times(140, text("a")), times(140, raw("\xff"))))))
	add(binlog(table(info("a", "bigint"), info("b", "float"), info("c", "bit"), info("d", "enum"), info("e", "json"), key("PRIMARY", "a"), update(join(u64(1), f64(0.1), raw("\x01\x02"), u64(3), raw("{}")), join(null(), f64(1e300), text("258"), u64(4), raw("{ }"))))))
	add(join(sub(3, table(info("a", "int", pk), info("a", "int"))), sub(3, sub(1, mutation(sub(2, null()), num(1, 0))))))
	var reused tidbbinlog.Decoder
	f.Fuzz(func(t *testing.T, first, record []byte) {
		before := bytes.Clone(record)
		_ = tell(t, &reused, first)
		got := tell(t, &reused, record)
		if again := tell(t, &reused, record); again != got {
			t.Fatalf("first\n%s\nthen\n%s", got, again)
		}
		if fresh := tell(t, new(tidbbinlog.Decoder), record); fresh != got {
			t.Fatalf("a Decoder that was used\n%s\na new one\n%s", got, fresh)
		}
		if !bytes.Equal(record, before) {
			t.Fatal("the record was written to")
		}
		holdToModel(t, record, got)
		if b, err := tidbbinlog.ParseBinlog(record); err == nil {
			_, _ = walkViews(&b)
		}
	})
}

// tell shows all Events of a record, or its error.
func tell(t *testing.T, d *tidbbinlog.Decoder, record []byte) string {
	if err := d.Open(record); err != nil {
		var p *wire.ParseError
		if !errors.As(err, &p) || p.Err == nil || p.Offset < 0 || p.Offset > len(record) {
			t.Fatalf("error %#v", err)
		}
		return "error: " + err.Error() + " in " + p.Table
	}
	var all []string
	var ev change.Event
	for d.Next(&ev) {
		all = append(all, show(t, &ev))
		locateAll(t, d, &ev, record)
	}
	return strings.Join(all, "\n")
}

// locateAll looks for the texts of an Event.
func locateAll(t *testing.T, d *tidbbinlog.Decoder, ev *change.Event, record []byte) {
	at := func(text change.Text, ref uint32, value []byte) {
		p := d.Locate(&change.ValueError{Text: text, Ref: ref, Err: errBad})
		if p.Err != errBad || p.Offset < 0 || p.Offset > len(record) {
			t.Fatalf("%v is located at %+v", text, *p)
		}
		if len(value) == 0 {
			return
		}
		r := wire.NewReader(record[p.Offset:])
		if !r.Next() || r.Tag.Number() != p.Number || !bytes.Equal(r.Bytes, value) {
			t.Fatalf("%v %q is located at %+v, where %q is", text, value, *p, r.Bytes)
		}
	}
	at(change.TextDatabase, 0, ev.Database)
	at(change.TextTable, 0, ev.Table)
	if ev.IsDDL {
		at(change.TextSQL, 0, ev.SQL)
		return
	}
	n := 0
	for ev.Rows.Rewind(); ev.Rows.Next(); {
		for _, im := range []change.Image{change.Before, change.After} {
			ev.Rows.Select(im)
			for c := ev.Rows.Column(); c != nil && n < 100; c = ev.Rows.Column() {
				n++
				at(change.TextName, c.Ref, c.Name)
				at(change.TextMySQLType, c.Ref, nil)
				at(change.TextValue, c.Ref, nil)
			}
		}
	}
}

// holdToModel compares what was told of a record with what the model makes of it.
func holdToModel(t *testing.T, record []byte, got string) {
	var pb tidbbinlogpb.Binlog
	if err := (proto.UnmarshalOptions{AllowPartial: true}).Unmarshal(record, &pb); err != nil {
		if !strings.HasPrefix(got, "error: ") {
			t.Fatalf("generated code cannot read it: %v\nthe Decoder\n%s", err, got)
		}
		return
	}
	if strings.Contains(got, wire.ErrDepth.Error()) || strings.Contains(got, wire.ErrNumber.Error()) || strings.Contains(got, " heavy") || !isOfModel(&pb) {
		return
	}
	wanted, ok := model(&pb)
	if !ok {
		if !strings.HasPrefix(got, "error: ") {
			t.Fatalf("to the model it is an error, to the Decoder\n%s", got)
		}
		return
	}
	if got != strings.Join(wanted, "\n") {
		t.Fatalf("\n got %s\nwant %s", got, strings.Join(wanted, "\n"))
	}
}

// isOfModel reports whether the model knows what is in a Binlog: its types, and not
// one whose number has no name, which generated code in Go keeps as it is.
func isOfModel(b *tidbbinlogpb.Binlog) bool {
	if b.GetType() < 0 || b.GetType() > tidbbinlogpb.BinlogType_DDL {
		return false
	}
	for _, t := range b.GetDmlData().GetTables() {
		for _, in := range t.ColumnInfo {
			typ, _, _ := strings.Cut(strings.ToLower(in.GetMysqlType()), "(")
			if _, known := modelTypes[typ]; !known && typ != "" && typ != "geometry" && typ != "geo" && typ != "a" {
				return false
			}
			if strings.HasPrefix(in.GetMysqlType(), "(") || strings.Contains(strings.ToLower(in.GetMysqlType()), "unsigned") || strings.Contains(strings.ToLower(in.GetMysqlType()), "zerofill") {
				return false
			}
		}
	}
	return true
}
