package fuzz

import (
	"bytes"
	"math/rand/v2"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/fastjson"
)

// neighboursOf are, of each source, what neighbours are of Entries: a big record
// and small ones, good ones and such as fail.
var neighboursOf = map[cdcodec.Source][][]byte{
	cdcodec.FromEntry:         neighbours,
	cdcodec.FromPacket:        packetsOf(neighbours),
	cdcodec.FromTiDBBinlog:    append(binlogs(), corpusOf("tidb", 3)...),
	cdcodec.FromChangeDataSet: append(changeSets(), corpusOf("baidu", 3)...),
	cdcodec.FromCanalJSON:     messages(),
}

func packetsOf(entries [][]byte) (packets [][]byte) {
	for _, e := range entries {
		packets = append(packets, packetOf(e))
	}
	return packets
}

// text appends a field of wire type 2.
func text(b []byte, n protowire.Number, value string) []byte { return sub(b, n, []byte(value)) }

// join puts fields behind one another.
func join(parts ...[]byte) []byte { return slices.Concat(parts...) }

// binlogs are small Binlogs of TiDB: good ones, and such as fail each in a way of
// their own.
func binlogs() [][]byte {
	info := func(name, typ string, key bool) []byte {
		b := text(text(nil, 1, name), 2, typ)
		if key {
			b = num(b, 3, 1)
		}
		return sub(nil, 3, b)
	}
	table := func(parts ...[]byte) []byte { return sub(nil, 1, text(text(join(parts...), 1, "shop"), 2, "orders")) }
	dml := func(tables ...[]byte) []byte {
		return sub(num(num(nil, 1, 0), 2, 429918007904436226), 3, join(tables...))
	}
	mutation := func(typ uint64, parts ...[]byte) []byte {
		return sub(nil, 4, append(num(nil, 1, typ), join(parts...)...))
	}
	row := func(columns ...[]byte) []byte { return sub(nil, 2, join(columns...)) }
	was := func(columns ...[]byte) []byte { return sub(nil, 3, join(columns...)) }
	null, one := sub(nil, 1, num(nil, 1, 1)), sub(nil, 1, num(nil, 2, 1))
	large := sub(nil, 1, num(nil, 3, 1<<63))
	str := func(s string) []byte { return sub(nil, 1, text(nil, 6, s)) }
	raw := func(s string) []byte { return sub(nil, 1, text(nil, 5, s)) }
	double := sub(nil, 1, protowire.AppendFixed64(protowire.AppendTag(nil, 4, protowire.Fixed64Type), 0x4075999999999998))
	ddl := func(parts ...[]byte) []byte { return sub(num(num(nil, 1, 1), 2, 1<<20), 4, join(parts...)) }
	id, name := info("id", "bigint", true), info("name", "varchar", false)
	key := sub(nil, 5, text(text(nil, 1, "PRIMARY"), 2, "name"))
	good := dml(table(id, name, mutation(0, row(one, str("x"))), mutation(1, row(one, str("y")), was(one, str("x"))), mutation(2, row(one, null))))
	return [][]byte{
		good,
		dml(table(info("a", "int", false), name, key, mutation(0, row(large, str("\"<\xff"))), mutation(1, row(null, null), was(large, str(""))))),
		dml(table(info("b", "bit", false), info("f", "float", false), info("j", "json", false), info("e", "enum", false), info("l", "blob", false),
			mutation(0, row(raw("\x01\xff"), double, raw("{\"a\": 1}"), sub(nil, 1, num(nil, 3, 2)), raw("\x00\xff\x80"))))),
		dml(table(name, name, id, mutation(1, row(str("1"), str("2"), one), was(str("1"), str("3"), null)))), // a name twice
		dml(table(id, mutation(0, row(one))), table(name, mutation(2, row(str("z")))), table(id), table()),
		ddl(text(nil, 1, "shop"), text(nil, 2, "orders"), text(nil, 3, "ALTER TABLE orders ADD COLUMN a int")),
		ddl(text(nil, 3, "/* c */ create table `t\xff` (a int); drop table u")),
		ddl(),
		nil,                         // DML without dml_data
		num(nil, 1, 1),              // DDL without ddl_data
		num(num(nil, 1, 9), 2, 1),   // no type
		dml(),                       // nothing
		good[:len(good)-3],          // cut
		join(good, []byte{0x0f}),    // a wire type that is none
		dml(table(id, mutation(0))), // no row
		dml(table(id, mutation(7, row(one)))),
		dml(table(id, mutation(1, row(one)))), // no change_row
		dml(table(id, mutation(0, row(one, one)))),                              // too many
		dml(table(id, mutation(1, row(one), was()))),                            // too few
		dml(table(id, sub(nil, 4, row(one)))),                                   // no type of mutation
		dml(table(info("b", "bit", false), mutation(0, row(raw("123456789"))))), // more than 64 bits
		join(sub(nil, 3, table(id, sub(nil, 4, row(null)))), good),              // dml_data twice
		dml(table(id, mutation(0, row(sub(nil, 1, []byte{0x0f}))))),             // bad in a value
		dml(table(sub(nil, 3, []byte{0x0a, 9}))),                                // in a column_info
		dml(table(id, sub(nil, 5, []byte{0x12, 1}))),                            // in a key
		ddl([]byte{0x1a, 0x7f}),                                                 // in ddl_data
		dml(table(id, name, mutation(0, row(one, str("\xed\xa0\x80\xc0"))))),    // to repair
		dml(table(id, mutation(0, sub(nil, 2, one), was([]byte{1, 2, 3})))),
	}
}

// changeSets are small ChangeDataSets: good ones, and such as fail each in a way
// of their own.
func changeSets() [][]byte {
	col := func(name, typ string, more ...[]byte) []byte {
		return sub(nil, 2, join(append([][]byte{text(text(nil, 1, name), 2, typ)}, more...)...))
	}
	schema := func(table string, columns ...[]byte) []byte { return sub(nil, 3, text(join(columns...), 1, table)) }
	row := func(table string, data ...[]byte) []byte { return sub(nil, 4, text(join(data...), 1, table)) }
	before := func(fields []byte) []byte { return sub(nil, 2, fields) }
	after := func(fields []byte) []byte { return sub(nil, 3, fields) }
	str := func(s string) []byte { return text(nil, 1, s) }
	key := text(nil, 5, "PRI")
	float := protowire.AppendFixed32(protowire.AppendTag(nil, 4, protowire.Fixed32Type), 0x43acccc7)
	ab := schema("shop.orders", col("id", "int(10) unsigned", key), col("name", "varchar(32)"))
	minus := num(nil, 2, 1<<64-1)
	head := num(num(text(sub(nil, 2, text(num(nil, 1, 2), 3, "g:1")), 1, "producer00"), 7, 1690000000), 8, 1690000001)
	good := join(head, ab, row("shop.orders", after(minus), after(str("x"))), row("shop.orders", before(minus), before(str("x")), after(minus), after(str("y\xff"))), row("shop.orders", before(minus), before(nil)))
	one := func(typ string, data []byte, more ...[]byte) []byte {
		return join(row("t", after(data)), schema("t", col("c", typ, more...)))
	}
	return [][]byte{
		good,
		join(head, row("t", after(num(nil, 3, 5)), after(text(nil, 6, "1"))), schema("t", col("a", "BIGINT"), col("a", "text"))), // a name twice, the schema behind
		one("bit(16)", text(nil, 5, "\x01\xff")),
		one("float", float),
		one("blob", text(nil, 5, "\x00\xff\x80")),
		one("json", text(nil, 5, "{\"a\": 1}")),
		one("tinyint", minus, num(nil, 9, 0x22)),
		one("int", join(str("9"), minus, text(nil, 7, "12"), text(nil, 6, "no"))),
		one("", text(nil, 7, "x")),
		join(num(nil, 7, 1<<63-1), one("date", str("2020-01-01"))),
		join(ab, schema("shop.orders", col("other", "int")), row("shop.orders", after(num(nil, 2, 3)))), // the last schema counts
		schema("", col("a", "int")),
		nil,
		good[:len(good)-3],                       // cut
		join(good, []byte{0x0f}),                 // a wire type that is none
		row("t", after(nil)),                     // no schema
		join(ab, row("shop.orders")),             // no data
		join(ab, row("", after(nil))),            // no table
		join(ab, row("shop.orders", after(nil))), // too few
		join(ab, row("shop.orders", before(nil), before(nil), after(nil), after(nil), after(nil))), // too many
		one("bit(64)", text(nil, 5, "123456789")),
		one("int", []byte{0x0a, 9}),              // bad in a datum
		one("int", num(nil, 2, 1), []byte{0x1b}), // in a column of a schema
		join(sub(nil, 2, []byte{0x1a, 5}), ab),   // in syncPoint
		one("varchar(9)", str("\xed\xa0\x80\xc0")),
		join(row("db\xff.t", after(nil)), schema("db\xff.t", col("c\xff", "in\xfft"))),
	}
}

// messages are messages of Canal-JSON, of all who write it, and what is none.
func messages() (all [][]byte) {
	for _, s := range []string{
		`{"data":[{"id":"7","note":"new \"one\""}],"database":"shop","es":1690000000000,"gtid":"u:5","id":1,"isDdl":false,"mysqlType":{"id":"bigint(20)","note":"text"},"old":[{"note":"old"}],"pkNames":["id"],"sql":"","sqlType":{"id":-5,"note":2005},"table":"orders","ts":1700000000000,"type":"UPDATE"}`,
		`{"id":0,"database":"te\nst","table":"t\u00e4","pkNames":["id"],"isDdl":false,"type":"UPDATE","es":1,"ts":2,"sql":"","sqlType":{"id":4,"c":12},"mysqlType":{"c":"varchar","id":"int"},"old":[{"id":"1","c":"a"}],"data":[{"id":"1","c":"b"}],"_tidb":{"commitTs":429918007904436226}}`,
		`{"id":0,"database":"","table":"","pkNames":null,"isDdl":false,"type":"TIDB_WATERMARK","es":1640007049196,"ts":1,"sql":"","sqlType":null,"mysqlType":null,"data":null,"old":null,"_tidb":{"watermarkTs":429918007904436226}}` + "\r\n",
		`{"data":null,"database":"","es":0,"gtid":"","id":1,"isDdl":true,"mysqlType":null,"old":null,"pkNames":null,"sql":"create table t (x int)","sqlType":null,"table":"t","ts":1,"type":"CREATE"}`,
		`{"data":null,"type":"QUERY","sql":"` + "\xff\xed\xa0" + `"}`,
		` {"type":"INSERT" , "data":[ {"a":{"b":[1,"]"]},"c":[ ],"a":"\ud83d\ude00\ud83d"} , null, {} ],"x":[[{}],{"y":1e5}] } `,
		`{"data":[{"a":"1"},{"b":"2"}],"old":[{},{"a":"0"},{"b":"1","a":"3"}],"pkNames":["a","b","a"],"type":"UPDATE"}`,
		`{"data":[{"b":"1","a":"2","c":null}],"pkNames":["a","b","a"],"type":"DELETE"}`,
		`{"data":[{"id":1,"price":1.50,"ok":true}],"type":"INSERT","es":"5","sqlType":{"id":"4"},"table":"\u0074"}` + "\n" + `{"type":"DELETE","database":"\u0064","data":[{"id":"2"}]}`,
		"", "\n ", "{}", "[", `{"type":"INSERT"}{"type":`, `{"type":"NONE"}`, `{"type":"INSERT","data":{}}`, `{"type":"INSERT","es":1e3}`,
		`{"type":"INSERT","data":[{"a":"` + "\x01" + `"}]}`, `{"type":"UPDATE","data":[{"a":"1"}],"old":[{"a":"` + "\xff" + `"}]} x`,
	} {
		all = append(all, []byte(s))
	}
	return all
}

// mutations adds to the records of list, for each, some that are damaged.
func mutations(list [][]byte, add func([]byte)) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, record := range list {
		add(record)
		for range 2 {
			if len(record) < 2 {
				break
			}
			b := bytes.Clone(record)
			i := rnd.IntN(len(b))
			switch j := min(len(b), i+1+rnd.IntN(8)); rnd.IntN(3) {
			case 0:
				b[i] ^= 1 << rnd.IntN(8)
			case 1:
				b = append(b[:i:i], b[j:]...)
			default:
				b = append(b[:j:j], b[i:]...)
			}
			add(b)
		}
	}
}

// addBinlogs, addSets and addJSON call add for the records that the targets of
// those sources start from.
func addBinlogs(add func(record []byte)) {
	mutations(binlogs(), add)
	mutations(corpusOf("tidb", 24), add)
}

func addSets(add func(record []byte)) {
	mutations(changeSets(), add)
	mutations(corpusOf("baidu", 24), add)
}

func addJSON(add func(record []byte)) {
	mutations(messages(), add)
	convert := func(o cdcodec.Options, records [][]byte) {
		tr, err := cdcodec.New(o)
		if err != nil {
			panic(err)
		}
		for _, r := range records {
			if out, _, err := tr.Append(nil, nil, r, meta); err == nil {
				add(out)
			}
		}
	}
	extended := fastjson.Options{Dialect: fastjson.TiCDC, TiCDC: fastjson.TiCDCOptions{Extension: true}}
	convert(cdcodec.Options{}, corpusOf("oltp", 16))
	convert(cdcodec.Options{JSON: extended}, corpusOf("oltp", 8))
	convert(cdcodec.Options{From: cdcodec.FromTiDBBinlog, JSON: extended}, corpusOf("tidb", 8))
	convert(cdcodec.Options{From: cdcodec.FromChangeDataSet}, corpusOf("baidu", 8))
	var golden [][]byte
	addEntries(func(entry []byte) { golden = append(golden, entry) })
	convert(cdcodec.Options{}, golden)
}
