package cdcodec_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/fastjson"
	. "github.com/cdcodec/cdcodec/internal/canaltest"
	"github.com/cdcodec/cdcodec/internal/pb/canalpb"
)

var reject = fastjson.Options{RejectInvalidUTF8: true}

// TestRule11Repair has each string in every place that shows one.
func TestRule11Repair(t *testing.T) {
	const r = "\uFFFD"
	for _, c := range []struct{ raw, want string }{
		// the rule's own examples
		{"\xed\xa0\x80", r}, {"\xed\xa0b", r + "b"}, {"\xe2\x82a", r + "a"}, {"\xf0\x9f\x98", r}, {"\xc0\x80", r + r},
		// surrogates: ED with A0 to BF, with or without a third byte 80 to BF
		{"\xed", r}, {"\xed\xa0", r}, {"\xed\xbf", r}, {"\xed\xbf\xbf", r}, {"\xed\xb0\x80", r},
		{"\xed\xa0\x80\xed\xb0\x80", r + r}, {"\xed\xa0\xed\xa0\x80", r + r}, {"\xed\xa0\x80\x80", r + r},
		{"\xed\xa0\x7f", r + "\x7f"}, {"\xed\xa0\xc3\xa9", r + "é"}, {"\xed\xa0\"", r + `\"`},
		{"\xed\x9f", r}, {"\xed\x9fb", r + "b"}, {"\xed\x9f\xbf", "\ud7ff"}, {"\xed\xc0", r + r},
		// maximal subparts
		{"\x80", r}, {"\xbf\xbf", r + r}, {"\xc1\xbf", r + r}, {"\xc2", r}, {"\xc2A", r + "A"}, {"\xdf\xc0", r + r},
		{"\xe0", r}, {"\xe0\x9f\xbf", r + r + r}, {"\xe0\xa0", r}, {"\xe0\xa0A", r + "A"}, {"\xe0\x80\x80", r + r + r},
		{"\xe4\xb8", r}, {"\xe4\xb8\xe4\xb8\xad", r + "中"}, {"\xe4\xe4\xb8\xad", r + "中"}, {"\xee\x80", r}, {"\xef\xbf", r}, {"\xef\xbf\xc0", r + r},
		{"\xf0\x90", r}, {"\xf0\x8f\xbf\xbf", r + r + r + r}, {"\xf0\x9f", r}, {"\xf0\x9f\xc3\xa9", r + "é"}, {"\xf0\x9f\x98A", r + "A"},
		{"\xf1\x80\x80", r}, {"\xf3\xbf\xbf", r}, {"\xf4\x8f\xbf", r}, {"\xf4\x90\x80\x80", r + r + r + r},
		{"\xf5\x80\x80\x80", r + r + r + r}, {"\xf8\x88\x80\x80\x80", r + r + r + r + r}, {"\xfe\xff", r + r}, {"\xff\xff\xff", r + r + r},
		// beside what is good and what is escaped
		{"a\xffb", "a" + r + "b"}, {"\xff\"\\\n\x00", r + `\"\\\n\u0000`}, {"\n\xff", `\n` + r}, {"é\xc3", "é" + r}, {"😀\xf0\x9f\x98😀", "😀" + r + "😀"},
		{"\uFFFD\xff", r + r}, {"\xe2\x80\xa8\xe2\x80", "\u2028" + r},
		{strings.Repeat("x", 2000) + "\xed\xa0" + strings.Repeat("y", 2000), strings.Repeat("x", 2000) + r + strings.Repeat("y", 2000)},
		{strings.Repeat("\xe4\xb8", 1000), strings.Repeat(r, 1000)},
	} {
		name := fmt.Sprintf("%.40q", c.raw)
		entry, want := everywhere(c.raw, c.want)
		become(t, name, entry, fastjson.Options{}, want.String())
		if strings.ToValidUTF8(c.raw, "") == c.raw {
			become(t, name+", option rejects", entry, reject, want.String())
			continue
		}
		fail(t, name+", option rejects", entry, reject, fastjson.ErrInvalidUTF8)
	}
}

// utf8Record is an UPDATE of two rows in which each string is three bytes long,
// so that one of them can be made invalid and nothing else moves.
const utf8Record = `
0a 0f                 #   0 header
   42 03 'db_'        #   2   schemaName
   4a 03 'tab'        #   7   tableName
   6a 03 'gid'        #  12   gtid
1a 58                 #  17 storeValue
   10 02              #  19   eventType UPDATE
   5a 03 'sql'        #  21   sql
   62 30              #  26   rowDatas[0]
      0a 0a           #  28     beforeColumns[0]
         1a 03 'abc'  #  30       name
         42 03 'old'  #  35       value
      12 11           #  40     afterColumns[0]
         1a 03 'abc'  #  42       name
         28 01        #  47       updated
         42 03 'new'  #  49       value
         52 03 'typ'  #  54       mysqlType
      12 0f           #  59     afterColumns[1]
         1a 03 'key'  #  61       name
         42 03 'new'  #  66       value
         52 03 'typ'  #  71       mysqlType
   62 1d              #  76   rowDatas[1]
      0a 0a           #  78     beforeColumns[0]
         1a 03 'abc'  #  80       name
         42 03 'old'  #  85       value
      12 0f           #  90     afterColumns[0]
         1a 03 'abc'  #  92       name
         42 03 'new'  #  97       value
         52 03 'typ'  # 102       mysqlType
`

// TestRule11Reject makes one string of utf8Record invalid after the other.
func TestRule11Reject(t *testing.T) {
	for _, c := range []struct {
		path   string
		offset int // of the tag
		shown  bool
		perRow bool // shown with OldPerRow
	}{
		{"header.schemaName", 2, true, true},
		{"header.tableName", 7, true, true},
		{"header.gtid", 12, true, true},
		{"storeValue.sql", 21, true, true},
		{"storeValue.rowDatas[0].beforeColumns[0].name", 30, false, false}, // which then is not one that was updated
		{"storeValue.rowDatas[0].beforeColumns[0].value", 35, true, true},
		{"storeValue.rowDatas[0].afterColumns[0].name", 42, true, true},
		{"storeValue.rowDatas[0].afterColumns[0].value", 49, true, true},
		{"storeValue.rowDatas[0].afterColumns[0].mysqlType", 54, false, false}, // row 1 says another one
		{"storeValue.rowDatas[0].afterColumns[1].name", 61, true, true},
		{"storeValue.rowDatas[0].afterColumns[1].value", 66, true, true},
		{"storeValue.rowDatas[0].afterColumns[1].mysqlType", 71, true, true},
		{"storeValue.rowDatas[1].beforeColumns[0].name", 80, false, false},
		{"storeValue.rowDatas[1].beforeColumns[0].value", 85, true, false},
		{"storeValue.rowDatas[1].afterColumns[0].name", 92, true, true},
		{"storeValue.rowDatas[1].afterColumns[0].value", 97, true, true},
		{"storeValue.rowDatas[1].afterColumns[0].mysqlType", 102, true, true},
	} {
		record := unhex(t, utf8Record)
		if at := offsetOf(record, entryDesc, c.path); at != c.offset {
			t.Fatalf("%s is at %d, not %d", c.path, at, c.offset)
		}
		record[c.offset+3] = 0xff
		table := string(record[4:7]) + "." + string(record[9:12])

		for _, o := range []fastjson.Options{reject, {RejectInvalidUTF8: true, OldPerRow: true}} {
			if shown := c.shown && !o.OldPerRow || c.perRow && o.OldPerRow; !shown {
				if _, _, err := transcoder(t, o).Append(nil, nil, record, goldenMeta); err != nil {
					t.Errorf("%s does not show: %v", c.path, err)
				}
				continue
			}
			at := fail(t, c.path, record, o, fastjson.ErrInvalidUTF8)
			if at.Offset != c.offset || at.Path != c.path || at.Table != table {
				t.Errorf("error at %d, path %s, table %q; want %d, %s, %q", at.Offset, at.Path, at.Table, c.offset, c.path, table)
			}
			if want := fmt.Sprintf("%s at byte %d: invalid UTF-8", c.path, c.offset); at.Error() != want {
				t.Errorf("%s\nwant %s", at, want)
			}
		}
		if c.path == "header.gtid" {
			o := fastjson.Options{RejectInvalidUTF8: true, OmitGTID: true}
			if _, _, err := transcoder(t, o).Append(nil, nil, record, goldenMeta); err != nil {
				t.Errorf("gtid that is left out: %v", err)
			}
		}
	}
}

// TestRule11RejectFused is the same over an Entry that the fused path takes,
// each time between two good ones of its table.
func TestRule11RejectFused(t *testing.T) {
	image := func(v string, mark Mark) Columns {
		return Columns{Col("key", "one", Key, Typed(4, "typ")), Col("abc", v, mark, Typed(12, "typ"))}
	}
	fused := transcoder(t, reject).Stats().Fused
	for path, shown := range map[string]bool{
		"header.schemaName": true, "header.tableName": true, "header.gtid": true,
		"storeValue.rowDatas[0].beforeColumns[0].name": false, "storeValue.rowDatas[0].beforeColumns[0].value": false,
		"storeValue.rowDatas[0].beforeColumns[1].name": false, "storeValue.rowDatas[0].beforeColumns[1].value": true,
		"storeValue.rowDatas[0].beforeColumns[1].mysqlType": false,
		"storeValue.rowDatas[0].afterColumns[0].name":       true, "storeValue.rowDatas[0].afterColumns[0].value": true,
		"storeValue.rowDatas[0].afterColumns[1].value": true, "storeValue.rowDatas[0].afterColumns[1].mysqlType": false, // row 1 says another one
		"storeValue.rowDatas[1].beforeColumns[1].value": true, "storeValue.rowDatas[1].afterColumns[0].name": true,
		"storeValue.rowDatas[1].afterColumns[1].value": true, "storeValue.rowDatas[1].afterColumns[1].mysqlType": true,
	} {
		tables++
		table := fmt.Sprint("t", tables) // one that was never seen before
		good, _ := Usual(EntryOf(&canalpb.Header{Gtid: proto.String("gid")}, Change(Update,
			Row(image("old", Typed(12, "typ")), image("new", Changed)), Row(image("old", Typed(12, "typ")), image("new", Changed)))), "db_", table)
		want := `{"data":[{"key":"one","abc":"new"},{"key":"one","abc":"new"}],"database":"db_","es":0,"gtid":"gid","id":1,"isDdl":false,` +
			`"mysqlType":{"key":"typ","abc":"typ"},"old":[{"abc":"old"},{"abc":"old"}],"pkNames":["key"],"sql":"",` +
			`"sqlType":{"key":4,"abc":12},"table":"` + table + `","ts":1700000000000,"type":"UPDATE"}`
		become(t, "before "+path, good, reject, want)
		if now := transcoder(t, reject).Stats().Fused; now != fused+2 {
			t.Errorf("%d of two took the fused path", now-fused)
		}
		record := bytes.Clone(good)
		at := offsetOf(record, entryDesc, path)
		record[at+3] = 0xff
		if shown {
			if is := fail(t, path, record, reject, fastjson.ErrInvalidUTF8); is.Offset != at || is.Path != path {
				t.Errorf("%v; want %s at %d", is, path, at)
			}
		} else if _, _, err := transcoder(t, reject).Append(nil, nil, record, goldenMeta); err != nil {
			t.Errorf("%s does not show: %v", path, err)
		}
		become(t, "after "+path, good, reject, want)
		fused = transcoder(t, reject).Stats().Fused
	}
}

// TestRule11RejectAt has what the record above has no place for.
func TestRule11RejectAt(t *testing.T) {
	wide := func(rows ...int) []byte { // rows of 400 columns; the given rows have a bad mysqlType in column 300
		var all []*canalpb.RowData
		for row := range 2 {
			var cols Columns
			for i := range 400 {
				cols = append(cols, Col(fmt.Sprint("c", i), "x", Typed(1, "y")))
			}
			for _, bad := range rows {
				if bad == row {
					*cols[300].MysqlType = "\xff"
				}
			}
			all = append(all, Row(nil, cols))
		}
		return EntryOf(nil, Change(Insert, all...))
	}
	for _, c := range []struct {
		name   string
		record []byte
		offset int // -1: as offsetOf finds it
		path   string
	}{
		{"old name, equal to an updated one after repair", unhex(t, `
			1a 10                           # 0 storeValue
			   62 0e                        # 2   rowDatas[0]
			      0a 03 1a 01 ff            # 4     beforeColumns[0], its name at 6
			      12 07 1a 03 efbfbd 28 01  # 9     afterColumns[0], updated`), 6, "storeValue.rowDatas[0].beforeColumns[0].name"},
		{"name that shows only through another", unhex(t, `
			1a 10
			   62 0e                  # 2 rowDatas[0]
			      12 03 1a 01 ff      # 4   afterColumns[0], its name at 6
			      12 05 1a 03 efbfbd  # 9   afterColumns[1]
			      22 00`), 6, "storeValue.rowDatas[0].afterColumns[0].name"},
		{"value given twice, the last is bad", unhex(t, `
			1a 0f
			   10 01
			   62 0b                # 4 rowDatas[0]
			      12 09             # 6   afterColumns[0]
			         1a 01 'a'      # 8
			         42 01 'x'      # 11
			         42 01 ff       # 14`), 14, "storeValue.rowDatas[0].afterColumns[0].value"},
		{"gtid in the first part of a header", unhex(t, `
			0a 03 6a 01 ff   # 0 header, gtid at 2
			0a 03 42 01 'd'  # 5 header, schemaName`), 2, "header.gtid"},
		{"gtid in both parts, the last is bad", unhex(t, `
			0a 03 6a 01 'g'  # 0
			0a 03 6a 01 ff   # 5 header, gtid at 7`), 7, "header.gtid"},
		{"sql behind rows", unhex(t, `
			1a 07
			   62 02 22 00  # 2
			   5a 01 ff     # 6 sql`), 6, "storeValue.sql"},
		{"second storeValue", unhex(t, `
			1a 03 5a 01 'x'  # 0
			1a 03 5a 01 ff   # 5 storeValue, sql at 7`), 7, "storeValue.sql"},
		{"before value of a delete", unhex(t, `
			1a 0b
			   10 03
			   62 07 22 00        # 4, an unknown field in it
			      0a 03 42 01 ff  # 8 beforeColumns[0], its value at 10`), 10, "storeValue.rowDatas[0].beforeColumns[0].value"},
		{"mysqlType of one column of 400", wide(1), -1, "storeValue.rowDatas[1].afterColumns[300].mysqlType"},
		{"in both rows", wide(0, 1), -1, "storeValue.rowDatas[1].afterColumns[300].mysqlType"},
	} {
		if c.offset < 0 {
			c.offset = offsetOf(c.record, entryDesc, c.path)
		}
		if at := offsetOf(c.record, entryDesc, c.path); at != c.offset {
			t.Fatalf("%s: %s is at %d, not %d", c.name, c.path, at, c.offset)
		}
		at := fail(t, c.name, c.record, reject, fastjson.ErrInvalidUTF8)
		if at.Offset != c.offset || at.Path != c.path {
			t.Errorf("%s: error at %d, path %s; want %d, %s", c.name, at.Offset, at.Path, c.offset, c.path)
		}

		// The same Entry as one of several. A list counts from the Entry, a
		// Packet from its own first byte.
		list := [][]byte{nil, c.record}
		_, _, err := transcoder(t, reject).AppendEntries(nil, nil, list, goldenMeta)
		if !errors.As(err, &at) || at.Offset != c.offset || at.Path != "entries[1]."+c.path {
			t.Errorf("%s: in a list: %v", c.name, err)
		}
		packet := PacketOf(MessagesPacket, BatchOf(7, list...))
		tr := newTranscoder(t, cdcodec.Options{From: cdcodec.FromPacket, JSON: reject})
		_, _, err = tr.Append(nil, nil, packet, goldenMeta)
		in := bytes.Index(packet, c.record)
		if !errors.As(err, &at) || at.Offset != in+c.offset || at.Path != "body.messages[1]."+c.path {
			t.Errorf("%s: in a packet, at %d: %v", c.name, in, err)
		}
		if at := offsetOf(packet, packetDesc, at.Path); at != in+c.offset {
			t.Errorf("%s: in a packet it is at %d, not %d", c.name, at, in+c.offset)
		}
	}
	if _, _, err := transcoder(t, reject).Append(nil, nil, wide(0), goldenMeta); err != nil {
		t.Errorf("a mysqlType that another one replaces: %v", err)
	}
}

// TestRule11NotShown has bad strings where nothing shows them: no error.
func TestRule11NotShown(t *testing.T) {
	const bad = "x\xff"
	text := proto.String(bad)
	props := []*canalpb.Pair{{Key: text, Value: text}}
	good := func() *canalpb.RowChange { return Change(Insert, Row(nil, Columns{Col("a", "1")})) }
	with := func(c *canalpb.RowChange, set func(*canalpb.RowChange)) *canalpb.RowChange { set(c); return c }
	const insert = `{"data":[{"a":"1"}],"database":"","es":0,"gtid":"","id":1,"isDdl":false,"mysqlType":{"a":""},"old":null,` +
		`"pkNames":null,"sql":"","sqlType":{"a":0},"table":"","ts":1700000000000,"type":"INSERT"}`
	null := strings.Replace(insert, `"a":"1"`, `"a":null`, 1)
	update := strings.Replace(strings.Replace(insert, "INSERT", "UPDATE", 1), `"old":null`, `"old":[{}]`, 1)

	for _, c := range []struct {
		name  string
		entry []byte
		want  string
	}{
		{"U+FFFD itself", EntryOf(nil, Change(Insert, Row(nil, Columns{Col("a", "\uFFFD")}))), strings.Replace(insert, `"1"`, "\"\uFFFD\"", 1)},
		{"other strings of the header", EntryOf(&canalpb.Header{LogfileName: text, ServerenCode: text, Props: props}, good()), insert},
		{"ddlSchemaName", EntryOf(nil, with(good(), func(c *canalpb.RowChange) { c.DdlSchemaName = text })), insert},
		{"props", EntryOf(nil, with(good(), func(c *canalpb.RowChange) {
			c.Props, c.RowDatas[0].Props, c.RowDatas[0].AfterColumns[0].Props = props, props, props
		})), insert},
		{"value of a null", EntryOf(nil, Change(Insert, Row(nil, Columns{Col("a", bad, Null)}))), null},
		{"value that is overwritten", EntryOf(nil, Change(Insert, Row(nil, Columns{Col("a", bad), Col("a", "1")}))), insert},
		{"value that null overwrites", EntryOf(nil, Change(Insert, Row(nil, Columns{Col("a", bad), Col("a", "1", Null)}))), null},
		{"mysqlType that the row overwrites", EntryOf(nil, Change(Insert, Row(nil, Columns{Col("a", "0", Typed(1, bad)), Col("a", "1")}))), insert},
		{"before of an insert", EntryOf(nil, Change(Insert, Row(Columns{Col(bad, bad, Typed(1, bad))}, Columns{Col("a", "1")}))), insert},
		{"after of a delete", EntryOf(nil, Change(Delete, Row(Columns{Col("a", "1")}, Columns{Col(bad, bad, Typed(1, bad))}))), strings.Replace(insert, "INSERT", "DELETE", 1)},
		{"before column that did not change", EntryOf(nil, Change(Update, Row(Columns{Col(bad, bad)}, Columns{Col("a", "1", Changed)}))), update},
		{"mysqlType of a before column", EntryOf(nil, Change(Update, Row(Columns{Col("a", "0", Typed(1, bad))}, Columns{Col("a", "1", Changed)}))),
			strings.Replace(update, "[{}]", `[{"a":"0"}]`, 1)},
		{"old value of a null", EntryOf(nil, Change(Update, Row(Columns{Col("a", bad, Null)}, Columns{Col("a", "1", Changed)}))),
			strings.Replace(update, "[{}]", `[{"a":null}]`, 1)},
		{"old value that is overwritten", EntryOf(nil, Change(Update, Row(Columns{Col("a", bad), Col("a", "0")}, Columns{Col("a", "1", Changed)}))),
			strings.Replace(update, "[{}]", `[{"a":"0"}]`, 1)},
		{"value given twice, the first is bad", EntryHolding(Num(Sub(nil, 12, Sub(nil, 2, Text(Text(Text(nil, 3, "a"), 8, bad), 8, "1"))), 2, 1)), insert},
		{"storeValue given twice", Sub(Sub(nil, 3, Text(nil, 11, bad)), 3, Encode(good())), insert},
		{"gtid in the first part of a header, replaced in the second", Sub(Sub(Sub(nil, 1, Text(nil, 13, bad)), 1, Text(nil, 13, "")), 3, Encode(good())), insert},
		{"unknown fields", EntryHolding(Text(Encode(good()), 99, bad)), insert},
		{"known number, other wire type", Text(EntryOf(nil, good()), 2, bad), insert},
	} {
		become(t, c.name, c.entry, reject, c.want)
		become(t, c.name+", repaired", c.entry, fastjson.Options{}, c.want)
	}
	const nothing = `{"data":null,"database":"","es":0,"gtid":"","id":1,"isDdl":%t,"mysqlType":null,"old":null,` +
		`"pkNames":null,"sql":"","sqlType":null,"table":"","ts":1700000000000,"type":"%s"}`
	rows := Row(nil, Columns{Col(bad, bad, Typed(1, bad))})
	become(t, "rows of a query", EntryOf(nil, Change(Query, rows)), reject, fmt.Sprintf(nothing, false, "QUERY"))
	ddl := with(Change(Insert, rows), func(c *canalpb.RowChange) { c.IsDdl = proto.Bool(true) })
	become(t, "rows of a DDL", EntryOf(nil, ddl), reject, fmt.Sprintf(nothing, true, "INSERT"))
	become(t, "skipped entry", Num(Sub(Sub(nil, 1, Text(nil, 8, bad)), 3, Encode(Change(Insert, rows))), 2, 1), reject)
}
