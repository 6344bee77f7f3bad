package reference

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/cdcodec/cdcodec/fastjson"
	. "github.com/cdcodec/cdcodec/internal/canaltest"
	"github.com/cdcodec/cdcodec/internal/corpus/golden"
	"github.com/cdcodec/cdcodec/internal/pb/tidbbinlogpb"
)

// TestOtherLaws breaks records of all sources, and looks at what must hold for
// any bytes: what is printed is JSON, the input is left alone, and both dialects
// agree on what is an error. Where the walk lets something pass that
// proto.Unmarshal refuses, that panics.
func TestOtherLaws(t *testing.T) {
	table := tableT(infos(primary("id", "bigint"), info("b", "bit"), info("f", "float"), info("x", "blob"), info("t", "text"), info("e", "enum")),
		inserted(tidbRow(i64(1), blob(1, 2), f64(1.5), blob(0xFF), str("é"), u64(2))),
		updated(tidbRow(u64(1), blob(), null(), blob(1), str("\xFF"), u64(1)), tidbRow(i64(1), null(), f64(2), blob(0), str(""), u64(2))),
		deleted(tidbRow(i64(1), blob(1, 2), f64(1.5), blob(0xFF), str("é"), u64(2))))
	table.UniqueKeys = []*tidbbinlogpb.Key{{Name: proto.String("PRIMARY"), ColumnNames: []string{"id"}}}
	set := setOf(schemas(schemaOf("d.t", columnOf("id", "int(10) unsigned", "PRI", 0x22), columnOf("b", "bit(8)", ""), columnOf("f", "float", ""))),
		changeOf("d.t", nil, data(b32(-1), bBytes(1), bFloat(1.5))),
		changeOf("d.t", data(b64(7), bStr("x"), bNull("1")), data(b32(7), &columnData{}, bStr("\xFF"))))
	ddl := partial(&tidbbinlogpb.Binlog{Type: tidbbinlogpb.BinlogType_DDL.Enum(), DdlData: &tidbbinlogpb.DDLData{DdlQuery: []byte("alter table `a` add index (b)")}})

	type convert func(record []byte, o fastjson.Options) ([][]byte, error)
	entry := func(record []byte, o fastjson.Options) ([][]byte, error) { return Entry(record, o, meta) }
	binlog := func(record []byte, o fastjson.Options) ([][]byte, error) { return TiDBBinlog(record, o, meta) }
	changes := func(record []byte, o fastjson.Options) ([][]byte, error) {
		return ChangeDataSet(record, o, meta, "\xFF", true)
	}
	type source struct {
		record  []byte
		convert convert
		times   int
	}
	sources := []source{
		{binlogOf(table), binlog, 1000}, {ddl, binlog, 1000}, {set, changes, 1000},
		{EntryOf(shop(), Change(Update, Row(Columns{Col("a", "1")}, Columns{Col("a", "\xFF", Key)}))), entry, 1000},
	}
	for _, c := range slices.Concat(golden.Entries(), golden.Random()) {
		sources = append(sources, source{c.Records[0], entry, 5})
	}
	// Dialect ticdc skips heartbeats, whatever they hold.
	canal, rowByRow := fastjson.Options{DropHeartbeats: true}, fastjson.Options{DropHeartbeats: true, OneRow: true}

	rnd := rand.New(rand.NewPCG(3, 4))
	good, bad := 0, 0
	for _, s := range sources {
		for range s.times {
			record := s.record
			for range rnd.IntN(4) {
				record = mutate(rnd, record)
			}
			before := slices.Clone(record)
			messages, err := s.convert(record, canal)
			rows, rowsErr := s.convert(record, rowByRow)
			cdc, cdcErr := s.convert(record, extended)
			if (err == nil) != (cdcErr == nil) || (err == nil) != (rowsErr == nil) {
				t.Errorf("%x: the verdict is %v, one row %v, ticdc %v", record, err, rowsErr, cdcErr)
			}
			if len(rows) < len(messages) {
				t.Errorf("%x: %d messages, by row %d", record, len(messages), len(rows))
			}
			for _, all := range [][][]byte{messages, rows, cdc} {
				checkMessages(t, record, all)
			}
			for _, msg := range cdc {
				if strings.ContainsAny(string(msg), "<>&\u2028\u2029") {
					t.Errorf("%x: not escaped: %s", record, msg)
				}
			}
			if !bytes.Equal(record, before) {
				t.Errorf("%x: the input was written to", before)
			}
			if err == nil {
				good++
			} else {
				bad++
			}
		}
	}
	if good < 1000 || bad < 1000 {
		t.Errorf("%d good records and %d bad ones", good, bad)
	}
}

// TestFieldCases is what the cases of field-cases.md say of dialect ticdc, where
// the tests by rule do not have it.
func TestFieldCases(t *testing.T) {
	o := ticdc(fastjson.TiCDCOptions{})
	t01 := EntryOf(nil, Change(Insert, Row(nil, Columns{
		Col("a", "", Null, NoValue), Col("b", ""), Col("c", "null"), Col("d", "", NoValue), Col("e", "x", Null)})))
	keys{"data": `[{"a":null,"b":"","c":"null","d":"","e":null}]`}.check(t, t01, o)

	t03 := EntryOf(nil, Change(Update, Row(Columns{Col("id", "1", Key), Col("c", "", Null)}, Columns{Col("id", "1", Key), Col("c", "x", Changed)})))
	keys{"data": `[{"id":"1","c":"x"}]`, "old": `[{"id":"1","c":null}]`}.check(t, t03, o)

	t08 := EntryOf(nil, Change(Update, Row(Columns{Col("id", "7", Key)}, Columns{Col("students", "20", Changed, Typed(4, "int"))})))
	keys{"data": `[{"students":"20"}]`, "old": `[{"id":"7"}]`, "pkNames": `[]`, "sqlType": `{"students":4}`}.check(t, t08, o)

	t09 := EntryOf(nil, Change(Insert,
		Row(nil, Columns{Col("u", "200", Typed(5, "tinyint unsigned"))}), Row(nil, Columns{Col("u", "100", Typed(-6, "tinyint unsigned"))})))
	for i, want := range []string{`{"u":5}`, `{"u":-6}`} {
		keys{"sqlType": want}.checkIn(t, every(t, t09, o)[i])
	}
	keys{"sqlType": `{"u":-6}`}.check(t, t09, fastjson.Options{})

	widened := "\x05\x07\x0a\x0f$2+cx<&\u00ff\u00fe-7F"
	t11 := EntryOf(nil, Change(Insert, Row(nil, Columns{Col("b", widened, Typed(2004, "varbinary(16)"))})))
	keys{"data": `[{"b":"\u0005\u0007\n\u000f$2+cx\u003c\u0026ÿþ-7F"}]`}.check(t, t11, o)
	keys{"data": `[{"b":"\u0005\u0007\n\u000f$2+cx<&ÿþ-7F"}]`}.check(t, t11, fastjson.Options{})
	// The same bytes from the other two sources.
	raw := []byte{5, 7, 10, 15, 36, 50, 43, 99, 120, 60, 38, 255, 254, 45, 55, 70}
	for _, msg := range []string{
		tidbTexts(t, binlogOf(tableT(infos(info("b", "varbinary")), inserted(tidbRow(blob(raw...))))), o)[0],
		baiduTexts(t, oneValue(columnOf("b", "varbinary(16)", ""), bBytes(raw...)), o)[0],
	} {
		keys{"data": `[{"b":"\u0005\u0007\n\u000f$2+cx\u003c\u0026ÿþ-7F"}]`}.checkIn(t, msg)
	}

	t13 := EntryOf(nil, Change(Insert, Row(nil, Columns{Col("j", `{"k":"a\nb","p":"x\\.y"}`, Typed(12, "json"))})))
	keys{"data": `[{"j":"{\"k\":\"a\\nb\",\"p\":\"x\\\\.y\"}"}]`}.check(t, t13, o)

	t16 := EntryOf(nil, Change(Insert, Row(nil, Columns{Col("e", "2", Typed(4, "enum('a,b','it''s')")), Col("s", "3", Typed(-7, "set('x','y')"))})))
	keys{"mysqlType": `{"e":"enum","s":"set"}`, "sqlType": `{"e":4,"s":-7}`}.check(t, t16, o)
	keys{"mysqlType": `{"e":"enum('a,b','it''s')","s":"set('x','y')"}`}.check(t, t16, ticdc(fastjson.TiCDCOptions{ContentCompatible: true}))

	// T10 for all bytes: the widened text is the same from all sources.
	var bytesOfAll []byte
	for b := range 256 {
		bytesOfAll = append(bytesOfAll, byte(b))
	}
	one := tidbTexts(t, binlogOf(tableT(infos(info("b", "blob")), inserted(tidbRow(blob(bytesOfAll...))))), fastjson.Options{})[0]
	two := baiduTexts(t, oneValue(columnOf("b", "blob", ""), bBytes(bytesOfAll...)), fastjson.Options{})[0]
	three := only(t, EntryOf(nil, Change(Insert, Row(nil, Columns{Col("b", widen(bytesOfAll))}))), fastjson.Options{})
	data, _, _ := strings.Cut(three, `,"database"`)
	if len(data) < 256 || !strings.HasPrefix(one, data+",") || !strings.HasPrefix(two, data+",") {
		t.Errorf("%s\n%s\n%s", one, two, three)
	}
}
