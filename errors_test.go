package cdcodec_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/internal/corpus/golden"
	"github.com/cdcodec/cdcodec/wire"
	"github.com/cdcodec/cdcodec/wire/canal"
)

// badRecords says of bad golden cases what is wrong with them, read off their
// bytes. Most of them are one Entry of table shop.orders that was spoiled:
//
//	  0  0a 4c  header
//	  2         version · 4 logfileName · 22 logfileOffset · 25 serverId · 27 serverenCode ·
//	 34         executeTime · 41 sourceType · 43 schemaName · 49 tableName · 57 eventLength ·
//	 60         eventType · 62 props[0], its key at 64, its value at 75
//	 78  10 02  entryType
//	 80  1a 4a  storeValue
//	 82           tableId · 84 eventType · 86 isDdl
//	 88  62 42    rowDatas[0]
//	 90  12 1a      afterColumns[0]
//	 92               index · 94 sqlType · 96 name · 100 isKey · 102 updated · 104 isNull · 106 value · 109 mysqlType
//	118  12 24      afterColumns[1]
//	120               index · 122 sqlType · 124 name · 130 isKey · 132 updated · 134 isNull · 136 value · 143 mysqlType
//	156  what the case adds
//
// A field that the message does not know has the path of the message; so has
// one whose tag cannot be read. Cases of a number that the message does know,
// with another wire type, are not in the list: TestErrorsAgree has their kind
// and offset.
var badRecords = []struct {
	name   string // of the set and the case in it
	kind   error
	offset int
	path   string
	table  string
}{
	// Behind the last field.
	{"entry/field_zero", wire.ErrNumber, 156, "", "shop.orders"},
	{"entry/field_zero_w2", wire.ErrNumber, 156, "", "shop.orders"},
	{"entry/endgroup_top", wire.ErrGroup, 156, "", "shop.orders"},
	{"entry/fixed32_trunc", wire.ErrTruncated, 156, "", "shop.orders"},
	{"entry/fixed64_trunc", wire.ErrTruncated, 156, "", "shop.orders"},
	{"entry/varint_trunc", wire.ErrTruncated, 156, "", "shop.orders"},
	{"entry/varint_trunc_known", wire.ErrTruncated, 156, "entryType", "shop.orders"},
	{"entry/len_over", wire.ErrTruncated, 156, "", "shop.orders"},
	{"entry/len_neg", wire.ErrTruncated, 156, "", "shop.orders"},
	{"entry/len_neg_10", wire.ErrTruncated, 156, "", "shop.orders"},
	{"entry/len_2gb", wire.ErrTruncated, 156, "", "shop.orders"},
	{"entry/len_2pow32_plus3", wire.ErrTruncated, 156, "", "shop.orders"},
	{"entry/wiretype_7_unknown", wire.ErrType, 156, "", "shop.orders"},
	{"entry/tag_33bit", wire.ErrNumber, 156, "", "shop.orders"},  // 90 80 80 80 10: number 2^29+2
	{"entry/tag_10byte", wire.ErrNumber, 156, "", "shop.orders"}, // 90 80 80 80 80 80 80 80 80 01
	{"entry/tag_11byte", wire.ErrVarint, 156, "", "shop.orders"},
	{"entry/trail_garbage", wire.ErrTruncated, 156, "", "shop.orders"},         // ff ff: a tag without an end
	{"entry/group_len_over", wire.ErrTruncated, 158, "", "shop.orders"},        // e3 12, then 0a 7f
	{"entry/group_w6_inside", wire.ErrType, 158, "", "shop.orders"},            // e3 12, then 0e
	{"entry/group_mismatch", wire.ErrGroup, 160, "", "shop.orders"},            // e3 12, 08 01, then ec 12
	{"entry/group_depth_200", wire.ErrDepth, 356, "", "shop.orders"},           // e3 12, 200 times: the 101st
	{"random/mutated/703", wire.ErrVarint, 156, "", "shop.orders"},             // e0 12 and ten bytes, the last 7f
	{"random/mutated/659", wire.ErrTruncated, 128, "entryType", "shop.orders"}, // the last byte: 10

	// In the header.
	{"entry/trunc_all_zero", wire.ErrTruncated, 0, "header", ""}, // 0a
	{"entry/trunc_at_001", wire.ErrTruncated, 0, "header", ""},
	{"entry/trunc_at_002", wire.ErrTruncated, 0, "header", ""},
	{"entry/trunc_at_040", wire.ErrTruncated, 0, "header", ""},
	{"entry/len_neg_header", wire.ErrTruncated, 0, "header", ""},
	{"entry/len_over_header", wire.ErrTruncated, 0, "header", ""},
	{"entry/len_inner_over_within_parent", wire.ErrTruncated, 2, "header.schemaName", ""}, // 0a 05, 42 09 …
	{"entry/len_inner_varint_cross", wire.ErrTruncated, 2, "header.executeTime", ""},      // 0a 02, 30 80
	{"entry/header_es_10th_02", wire.ErrVarint, 71, "header.executeTime", ""},             // it is the last field here
	{"random/mutated/382", wire.ErrTruncated, 2, "header.version", ""},                    // 0a 01, 08
	{"random/mutated/481", wire.ErrTruncated, 4, "header.logfileName", ""},                // 12 73
	{"random/mutated/22", wire.ErrTruncated, 64, "header.props[0].key", ""},               // 0a 72
	{"random/mutated/657", wire.ErrTruncated, 78, "header.gtid", ""},                      // 6a ff ff ff ff 0f
	{"random/mutated/231", wire.ErrVarint, 69, "header.executeTime", ""},                  // 30 and ten bytes, the last 7f
	{"random/mutated/311", wire.ErrVarint, 62, "header", ""},                              // b0 d0 b1 … as a tag

	// storeValue itself, and the RowChange in it.
	{"entry/trunc_at_136", wire.ErrTruncated, 80, "storeValue", "shop.orders"},
	{"entry/trunc_at_154", wire.ErrTruncated, 80, "storeValue", "shop.orders"},
	{"entry/len_over_store", wire.ErrTruncated, 78, "storeValue", "shop.orders"}, // no entryType
	{"entry/len_store_2pow32", wire.ErrTruncated, 80, "storeValue", "shop.orders"},
	{"entry/trunc_store_01", wire.ErrTruncated, 82, "storeValue.tableId", "shop.orders"},
	{"entry/trunc_store_05", wire.ErrTruncated, 86, "storeValue.isDdl", "shop.orders"},
	{"entry/trunc_store_08", wire.ErrTruncated, 88, "storeValue.sql", "shop.orders"},         // 5a 01
	{"entry/trunc_store_10", wire.ErrTruncated, 91, "storeValue.rowDatas[0]", "shop.orders"}, // sql took three bytes
	{"entry/trunc_store_76", wire.ErrTruncated, 91, "storeValue.rowDatas[0]", "shop.orders"},
	{"random/mutated/187", wire.ErrNumber, 82, "storeValue", "shop.orders"},         // 01
	{"random/mutated/1940", wire.ErrGroup, 91, "storeValue", "shop.orders"},         // 10 81 00, 80 80 10 62, then 1c
	{"random/mutated/1292", wire.ErrTruncated, 88, "storeValue.sql", "shop.ordurs"}, // 5a 01

	// Rows and columns.
	{"entry/wiretype_6_col", wire.ErrType, 116, "storeValue.rowDatas[0].afterColumns[0]", "shop.orders"}, // e6 12
	{"entry/wiretype_7_col", wire.ErrType, 116, "storeValue.rowDatas[0].afterColumns[0]", "shop.orders"},
	{"entry/group_depth_col_99", wire.ErrDepth, 315, "storeValue.rowDatas[0].afterColumns[0]", "shop.orders"}, // e3 12 from 119 on: the 99th
	{"entry/group_depth_col_100", wire.ErrDepth, 315, "storeValue.rowDatas[0].afterColumns[0]", "shop.orders"},
	{"entry/sqltype_11byte", wire.ErrVarint, 119, "storeValue.rowDatas[0].afterColumns[0].sqlType", "shop.orders"}, // the last field here
	{"random/mutated/923", wire.ErrVarint, 119, "storeValue.rowDatas[0].afterColumns[0].sqlType", "shop.orders"},
	{"random/mutated/799", wire.ErrVarint, 117, "storeValue.rowDatas[0].afterColumns[0].isNull", "shop.orders"},
	{"random/mutated/37", wire.ErrTruncated, 123, "storeValue.rowDatas[0].afterColumns[0]", "shop.orders"}, // 80 10: number 256
	{"random/mutated/45", wire.ErrTruncated, 110, "storeValue.rowDatas[0].afterColumns[0].mysqlType", "shop.orders"},
	{"random/mutated/158", wire.ErrTruncated, 96, "storeValue.rowDatas[0].beforeColumns[0].name", "shop.orders"}, // 1a fd 69
	{"random/mutated/171", wire.ErrGroup, 98, "storeValue.rowDatas[0].afterColumns[0]", "s\xc0\xaf.orders"},      // b8 02 69, then 64
	{"random/mutated/216", wire.ErrTruncated, 90, "storeValue.rowDatas[0].afterColumns[0]", "shop.orders"},       // 12 4d
	{"random/mutated/420", wire.ErrTruncated, 27, "storeValue.rowDatas[0].afterColumns[0].mysqlType", "s.t"},     // the header follows
	{"random/mutated/740", wire.ErrNumber, 103, "storeValue.rowDatas[0].afterColumns[0]", "shop.orders"},         // 87 00
	{"random/mutated/743", wire.ErrNumber, 124, "storeValue.rowDatas[1].afterColumns[1]", "shop.orders"},         // row 0 is 62 00
	{"random/mutated/1119", wire.ErrNumber, 129, "storeValue.rowDatas[0].afterColumns[1]", "shop.orders"},        // 10 fe 1a, then 02
	{"random/mutated/979", wire.ErrGroup, 124, "storeValue.rowDatas[0].afterColumns[1]", "shop.orders"},          // 8c 1a
	{"random/mutated/862", wire.ErrTruncated, 102, "storeValue.rowDatas[0].props[0]", "shop.orders"},             // 1a 02, 69 64: a fixed64
	{"random/mutated/1221", wire.ErrType, 98, "storeValue.rowDatas[0].props[0]", "shop.orders"},                  // 1a 02, 6e

	// Lists: offsets count from the Entry.
	{"message/one_bad_entry", wire.ErrTruncated, 156, "entries[1]", "shop.orders"},
	{"message/one_bad_store", wire.ErrTruncated, 91, "entries[1].storeValue.rowDatas[0]", "shop.orders"},

	// Packets: 18 07 · 2a body · 08 07 batch_id · 12 9c 01 messages[0] · 12 02 messages[1].
	{"packet/bad_entry", wire.ErrTruncated, 168, "body.messages[1].header", ""}, // 0a 7f
	{"packet/garbage", wire.ErrTruncated, 0, "", ""},                            // ff ff ff
	{"packet/empty", canal.ErrPacketType, 0, "type", ""},
	{"packet/ser_empty_mkpacket-raw", canal.ErrPacketType, 0, "type", ""},
	{"packet/type_0", canal.ErrPacketType, 0, "type", ""},
	{"packet/ack_err", &canal.AckError{Code: 401, Message: `auth failed "x"`}, 0, "type", ""},
	{"packet/ack_ok", &canal.AckError{}, 0, "type", ""},
}

func TestErrors(t *testing.T) {
	cases := map[string]golden.Case{}
	for set, all := range map[string][]golden.Case{
		"entry": golden.Entries(), "random": golden.Random(), "message": golden.Messages(), "packet": golden.Packets(),
	} {
		for _, c := range all {
			cases[set+"/"+c.Name] = c
		}
	}
	entries := newTranscoder(t, cdcodec.Options{})
	packets := newTranscoder(t, cdcodec.Options{From: cdcodec.FromPacket})
	for _, want := range badRecords {
		c, ok := cases[want.name]
		if !ok || !c.IsError() {
			t.Errorf("%s: no bad golden case", want.name)
			continue
		}
		var err error
		set, _, _ := strings.Cut(want.name, "/")
		switch set {
		case "message":
			_, _, err = entries.AppendEntries(nil, nil, c.Records, goldenMeta)
		case "packet":
			_, _, err = packets.Append(nil, nil, c.Records[0], goldenMeta)
		default:
			_, _, err = entries.Append(nil, nil, c.Records[0], goldenMeta)
			if f := faultOf(c.Records[0], 0); f == nil || f.offset != want.offset || f.path != want.path || f.err != want.kind {
				t.Errorf("%s: the other walk finds %+v", want.name, f)
			}
		}
		var at *wire.ParseError
		if !errors.As(err, &at) || at.Offset != want.offset || at.Path != want.path || at.Table != want.table {
			t.Errorf("%s: %#v\nwant %q at %d, table %q", want.name, err, want.path, want.offset, want.table)
			continue
		}
		if ack, ok := want.kind.(*canal.AckError); ok {
			var got *canal.AckError
			if !errors.As(err, &got) || *got != *ack {
				t.Errorf("%s: %v, want %v", want.name, err, ack)
			}
		} else if !errors.Is(err, want.kind) {
			t.Errorf("%s: %v, want %v", want.name, err, want.kind)
		}
	}
}

func TestErrorText(t *testing.T) {
	column := bytes.Repeat([]byte{'x'}, 24)
	deep := slices.Concat(
		[]byte{0x1a, 88, 0x62, 86},         //  0 storeValue · 2 rowDatas[0]
		[]byte{0x12, 26, 0x42, 24}, column, //  4 afterColumns[0]
		[]byte{0x12, 26, 0x42, 24}, column, // 32 afterColumns[1]
		[]byte{0x12, 25, 0x42, 23}, column[:23], // 60 afterColumns[2]
		[]byte{0x12, 127, 0}) // 87 afterColumns[3]
	for _, c := range []struct {
		record []byte
		want   string
	}{
		{deep, "storeValue.rowDatas[0].afterColumns[3] at byte 87: input ends inside a field"},
		{[]byte{0x67}, "at byte 0: wire type 6 or 7"},
		{[]byte{0x0a, 0x02, 0x30, 0x80}, "header.executeTime at byte 2: input ends inside a field"},
		{[]byte{0x10, 0x02, 0x00}, "at byte 2: field number is 0 or above 2^29-1"},
	} {
		_, _, err := newTranscoder(t, cdcodec.Options{}).Append(nil, nil, c.record, goldenMeta)
		if err == nil || err.Error() != c.want {
			t.Errorf("%v\nwant %s", err, c.want)
		}
	}
}

// TestErrorsAgree holds the place and kind of every error to the other walk:
// over all golden cases, and over good ones that were spoiled.
func TestErrorsAgree(t *testing.T) {
	tr := newTranscoder(t, cdcodec.Options{})
	bad := 0
	compare := func(name string, record []byte) {
		f := faultOf(record, 0)
		_, _, err := tr.Append(nil, nil, record, goldenMeta)
		if f == nil {
			if err != nil {
				t.Errorf("%s: %v, and the other walk finds nothing\nin %x", name, err, record)
			}
			return
		}
		bad++
		var at *wire.ParseError
		if !errors.As(err, &at) || at.Offset != f.offset || at.Err != f.err || at.Path != f.path {
			t.Errorf("%s: %v\nthe other walk finds %+v\nin %x", name, err, *f, record)
		}
	}
	rnd := rand.New(rand.NewPCG(3, 4))
	for _, c := range slices.Concat(golden.Entries(), golden.Random()) {
		compare(c.Name, c.Records[0])
		if c.IsError() || len(c.Records[0]) > 2000 {
			continue
		}
		for i := range 10 {
			compare(fmt.Sprintf("%s, spoiled %d", c.Name, i), spoil(rnd, c.Records[0]))
		}
	}
	if bad < 2000 {
		t.Errorf("only %d bad records", bad)
	}
}

// spoil returns a copy of b with one to three bytes changed, taken out or put
// in.
func spoil(rnd *rand.Rand, b []byte) []byte {
	b = slices.Clone(b)
	for range 1 + rnd.IntN(3) {
		if len(b) == 0 {
			return []byte{byte(rnd.Uint32())}
		}
		i := rnd.IntN(len(b))
		switch rnd.IntN(4) {
		case 0:
			b[i] ^= 1 << rnd.IntN(8)
		case 1:
			b[i] = byte(rnd.Uint32())
		case 2:
			b = slices.Delete(b, i, i+1)
		default:
			b = slices.Insert(b, i, byte(rnd.Uint32()))
		}
	}
	return b
}
