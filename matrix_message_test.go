package cdcodec_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/fastjson"
	. "github.com/cdcodec/cdcodec/internal/canaltest"
	"github.com/cdcodec/cdcodec/internal/pb/canalpb"
	"github.com/cdcodec/cdcodec/wire"
)

// Two changes of table shop.t, of a column a, in every source that can have two in
// one record: an INSERT of value v and a DELETE of w.
func twoChanges(from cdcodec.Source, v, w string) []byte {
	switch from {
	case cdcodec.FromPacket:
		h := &canalpb.Header{SchemaName: proto.String("shop"), TableName: proto.String("t"), ExecuteTime: proto.Int64(7000)}
		return PacketOf(MessagesPacket, BatchOf(5, EntryOf(h, Change(Insert, Row(nil, Columns{Col("a", v)}))), EntryOf(h, Change(Delete, Row(Columns{Col("a", w)}, nil)))))
	case cdcodec.FromTiDBBinlog:
		mutation := func(typ uint64, value string) []byte {
			return Sub(Num(nil, 1, typ), 2, Sub(nil, 1, Text(nil, 6, value)))
		}
		table := Sub(Text(Text(nil, 1, "shop"), 2, "t"), 3, Text(Text(nil, 1, "a"), 2, "varchar"))
		table = Sub(Sub(table, 4, mutation(0, v)), 4, mutation(2, w))
		return Sub(Num(Num(nil, 1, 0), 2, 7000<<18|3), 3, Sub(nil, 1, table))
	case cdcodec.FromChangeDataSet:
		set := Sub(nil, 3, Sub(Text(nil, 1, "shop.t"), 2, Text(Text(nil, 1, "a"), 2, "varchar(9)")))
		set = Sub(set, 4, Sub(Text(nil, 1, "shop.t"), 3, Text(nil, 1, v)))
		return Num(Sub(set, 4, Sub(Text(nil, 1, "shop.t"), 2, Text(nil, 1, w))), 7, 7)
	case cdcodec.FromCanalJSON:
		return []byte(`{"data":[{"a":"` + v + `"}],"database":"sh\u006fp","table":"\u0074","es":7000,"type":"INSERT"}` + "\n" +
			`{"data":[{"a":"` + w + `"}],"database":"sho\u0070","table":"\u0074","es":7000,"type":"DELETE"}`)
	}
	panic("one Entry is one change")
}

var severalSources = []cdcodec.Source{cdcodec.FromPacket, cdcodec.FromTiDBBinlog, cdcodec.FromChangeDataSet, cdcodec.FromCanalJSON}

// TestMatrixMessages looks at all that is told of two changes, of every source, and
// at id and ts.
func TestMatrixMessages(t *testing.T) {
	for _, from := range severalSources {
		for _, aim := range aims {
			name := fmt.Sprintf("source %d to %s", from, aim.name)
			tr := newTranscoder(t, cdcodec.Options{From: from, To: aim.to, JSON: aim.json})
			record := twoChanges(from, "one", "two")
			if aim.to == cdcodec.ToPacket {
				if out, msgs := appended(t, tr, record); len(msgs) != 1 || msgs[0].Start != 0 || msgs[0].End != len(out) || tr.Stats().Messages != 1 {
					t.Errorf("%s: %+v", name, msgs)
				}
				continue
			}
			out, msgs := appended(t, tr, record)
			if len(msgs) != 2 || tr.Stats().Messages != 2 {
				t.Errorf("%s: %+v", name, msgs)
				continue
			}
			var commitTS uint64
			if from == cdcodec.FromTiDBBinlog {
				commitTS = 7000<<18 | 3
			}
			for i, m := range msgs {
				typ := []change.Type{change.Insert, change.Delete}[i]
				if m.Entry != i || m.Row != 0 || string(m.Database) != "shop" || string(m.Table) != "t" || m.Kind != change.KindRows ||
					m.Type != typ || m.IsDDL || m.ES != 7000 || m.CommitTS != commitTS {
					t.Errorf("%s: message %d is %+v", name, i, m)
				}
				if aim.to != cdcodec.ToJSON {
					continue
				}
				id, shown := "1", uint64(77) // those of Meta
				if from == cdcodec.FromPacket {
					id = "5"
				}
				if aim.name == "ticdc" {
					id = "0"
				}
				if commitTS != 0 {
					shown = commitTS
				}
				text := string(out[m.Start:m.End])
				if !strings.Contains(text, `"id":`+id+`,`) || !strings.Contains(text, `"ts":1700000000000,`) || !strings.Contains(text, `"a":"`+[]string{"one", "two"}[i]+`"`) ||
					aim.name == "ticdc" && !strings.HasSuffix(text, fmt.Sprintf(`"_tidb":{"commitTs":%d}}`, shown)) {
					t.Errorf("%s: message %d is %s", name, i, text)
				}
			}
		}
	}
}

// TestMatrixAtomic has the second change of a record fail for each target: dst and
// msgs are as they were, the error has a place where the target is JSON, and the
// next record is fine.
func TestMatrixAtomic(t *testing.T) {
	for _, from := range severalSources {
		good := twoChanges(from, "one", "two")
		long := twoChanges(from, "one", strings.Repeat("x", 900))
		invalid := twoChanges(from, "one", "\xff")
		at := bytes.IndexByte(invalid, 0xff)
		for _, aim := range aims {
			for _, c := range []struct {
				name   string
				record []byte
				set    func(o *fastjson.Options)
				only   string
				kind   error
			}{
				{"too much output", long, func(o *fastjson.Options) { o.MaxOutput = 800 }, "", fastjson.ErrMaxOutput},
				{"not UTF-8", invalid, func(o *fastjson.Options) { o.RejectInvalidUTF8 = true }, "canal ticdc", fastjson.ErrInvalidUTF8},
				{"large message", long, func(o *fastjson.Options) { o.TiCDC.MaxMessage = 900 }, "ticdc", nil},
			} {
				if c.only != "" && !strings.Contains(c.only, aim.name) {
					continue
				}
				name := fmt.Sprintf("%s, source %d to %s", c.name, from, aim.name)
				o := cdcodec.Options{From: from, To: aim.to, JSON: aim.json}
				c.set(&o.JSON)
				tr := newTranscoder(t, o)
				want, _ := appended(t, newTranscoder(t, o), good)
				stats := tr.Stats()
				dst := append(make([]byte, 0, 5000), "there"...)
				out, msgs, err := tr.Append(dst, nil, c.record, matrixMeta)
				var where *wire.ParseError
				var large *fastjson.TooLargeError
				if !errors.As(err, &where) || c.kind != nil && where.Err != c.kind || c.kind == nil && !errors.As(err, &large) || where.Table != "shop.t" || tr.Stats() != stats {
					t.Errorf("%s: %v", name, err)
					continue
				}
				gaveBack(t, name, dst, out, msgs)
				if c.kind == fastjson.ErrInvalidUTF8 {
					// The value begins two bytes behind its tag, in JSON where its quote is.
					if d := at - where.Offset; d < 1 || d > 2 || where.Path == "" {
						t.Errorf("%s: at %d %q, the byte is at %d", name, where.Offset, where.Path, at)
					}
				}
				if got, _ := appended(t, tr, good); !bytes.Equal(got, want) {
					t.Errorf("%s: the next record is %s", name, got)
				}
				if from != cdcodec.FromPacket {
					continue
				}
				var bad []int // with BadEntry the good one stays
				o.BadEntry = func(i int, err error) { bad = append(bad, i) }
				first, _, err := newTranscoder(t, o).Append(nil, nil, c.record, matrixMeta)
				if err != nil || fmt.Sprint(bad) != "[1]" || !bytes.Contains(first, []byte("one")) || bytes.Contains(first, []byte("xxx")) {
					t.Errorf("%s: with BadEntry %v, %v, %s", name, bad, err, first)
				}
			}
		}
	}
}

// TestMatrixOneRow has the rows of a change one by one: their values together are
// those of the change.
func TestMatrixOneRow(t *testing.T) {
	entry := fieldEntry(Change(Update, Row(Columns{Col("a", "1")}, Columns{Col("a", "2", Changed)}), Row(Columns{Col("a", "3")}, Columns{Col("a", "4", Changed)}), Row(Columns{Col("a", "5")}, Columns{Col("a", "6", Changed)})))
	for _, aim := range aims {
		o := cdcodec.Options{To: aim.to, JSON: aim.json}
		o.JSON.OneRow = true
		tr := newTranscoder(t, o)
		out, msgs := appended(t, tr, entry)
		if aim.to == cdcodec.ToPacket {
			if len(msgs) != 1 {
				t.Errorf("a Packet of %d", len(msgs))
			}
			again := newTranscoder(t, cdcodec.Options{From: cdcodec.FromPacket, To: cdcodec.ToEntry})
			out, msgs = appended(t, again, out)
			for i := range msgs {
				msgs[i].Row, msgs[i].Entry = msgs[i].Entry, 0
			}
		}
		if len(msgs) != 3 {
			t.Errorf("%s: %d messages", aim.name, len(msgs))
			continue
		}
		for i, m := range msgs {
			if m.Entry != 0 || m.Row != i || m.Type != change.Update || string(m.Table) != "t" {
				t.Errorf("%s: message %d is %+v", aim.name, i, m)
			}
			from := aim.again
			if aim.to == cdcodec.ToPacket {
				from = cdcodec.FromEntry
			}
			text, _ := appended(t, newTranscoder(t, cdcodec.Options{From: from}), out[m.Start:m.End])
			if want := fmt.Sprintf(`{"data":[{"a":"%d"}]`, 2*i+2); !bytes.HasPrefix(text, []byte(want)) || !bytes.Contains(text, fmt.Appendf(nil, `"old":[{"a":"%d"}]`, 2*i+1)) {
				t.Errorf("%s: message %d is %s, want %s", aim.name, i, text, want)
			}
		}
	}
}

// TestMatrixRowNumbers has a row without columns between two others: JSON, which has
// no message for it, does not count it; an Entry it has.
func TestMatrixRowNumbers(t *testing.T) {
	entry := fieldEntry(Change(Insert, Row(nil, Columns{Col("a", "1")}), Row(nil, nil), Row(nil, Columns{Col("a", "2")})))
	for _, aim := range aims[:3] {
		o := cdcodec.Options{To: aim.to, JSON: aim.json}
		o.JSON.OneRow = true
		_, msgs := appended(t, newTranscoder(t, o), entry)
		want := 2
		if aim.to == cdcodec.ToEntry {
			want = 3
		}
		if len(msgs) != want || msgs[1].Row != 1 || msgs[want-1].Row != want-1 {
			t.Errorf("%s: %+v", aim.name, msgs)
		}
	}
}

// TestMatrixLargest: the largest MaxOutput there is means no limit, wherever dst
// ends.
func TestMatrixLargest(t *testing.T) {
	for _, aim := range aims {
		o := cdcodec.Options{To: aim.to, JSON: aim.json}
		o.JSON.MaxOutput = math.MaxInt
		if _, msgs, err := newTranscoder(t, o).Append([]byte("there"), nil, fieldEntry(Change(Insert, Row(nil, Columns{Col("a", "1")}))), matrixMeta); err != nil || len(msgs) != 1 {
			t.Errorf("%s: %v", aim.name, err)
		}
	}
}

// TestMatrixMemory holds records of 100,000 columns to the promise: working memory
// is at most four times the record and 64 KiB, and little of it is kept.
func TestMatrixMemory(t *testing.T) {
	if !giant() {
		t.Skip("seconds")
	}
	const n = 100_000
	for _, c := range []struct {
		name string
		of   func(i int) string
	}{{"equal names", func(int) string { return "a" }}, {"distinct names", func(i int) string { return digits(i, 3) }}} {
		var infos, values, metas, data []byte
		var row, names strings.Builder
		for i := range n {
			infos = Sub(infos, 3, Text(Text(nil, 1, c.of(i)), 2, "int"))
			values = Sub(values, 1, Num(nil, 2, uint64(i)))
			metas = Sub(metas, 2, Text(Text(nil, 1, c.of(i)), 2, "int"))
			data = Sub(data, 3, Num(nil, 2, uint64(i)))
			fmt.Fprintf(&row, `,%q:"%d"`, c.of(i), i)
			fmt.Fprintf(&names, `,{"type":"QUERY","table":"t%d"}`, i)
		}
		table := Sub(append(Text(nil, 2, "t"), infos...), 4, Sub(Num(nil, 1, 0), 2, values))
		for _, s := range []struct {
			name   string
			from   cdcodec.Source
			record []byte
		}{
			{"tidb", cdcodec.FromTiDBBinlog, Sub(nil, 3, Sub(nil, 1, table))},
			{"baidu", cdcodec.FromChangeDataSet, Sub(Sub(nil, 3, append(Text(nil, 1, "t"), metas...)), 4, append(Text(nil, 1, "t"), data...))},
			{"JSON", cdcodec.FromCanalJSON, []byte(`{"type":"INSERT","data":[{` + row.String()[1:] + `}]}`)},
			{"JSON, many messages", cdcodec.FromCanalJSON, []byte(strings.ReplaceAll(names.String(), ",{", "\n{"))},
		} {
			for _, aim := range aims {
				name := s.name + ", " + c.name + ", to " + aim.name
				o := cdcodec.Options{From: s.from, To: aim.to, JSON: aim.json}
				out, msgs := appended(t, newTranscoder(t, o), s.record)
				room, messages := 2*len(out)+1<<16, len(msgs)
				out, msgs = nil, nil
				before := live()
				tr := newTranscoder(t, o)
				for _, when := range []string{" at first", " again"} {
					used, err := scratch(tr, s.record, room, messages)
					if err != nil {
						t.Fatal(name, err)
					}
					within(t, name+when, used, len(s.record))
				}
				small, _, _ := tr.Append(nil, nil, nil, matrixMeta)
				if kept := live() - before; kept > 1<<20 {
					t.Errorf("%s: %d bytes are kept", name, kept)
				}
				runtime.KeepAlive(tr)
				runtime.KeepAlive(small)
				runtime.KeepAlive(s.record)
			}
		}
	}
}

// TestPlaceOfLarge has the second change of a record, which is too large, in the
// error of each source of several.
func TestPlaceOfLarge(t *testing.T) {
	for _, c := range []struct {
		from cdcodec.Source
		file string
		path string
	}{
		{cdcodec.FromChangeDataSet, "testdata/changedataset.bin", "tableChange[1]"},
		{cdcodec.FromTiDBBinlog, "testdata/types.bin", "dml_data.tables[0].mutations[1]"},
	} {
		in, err := os.ReadFile(c.file)
		if err != nil {
			t.Fatal(err)
		}
		record := in[4 : 4+binary.BigEndian.Uint32(in)]
		o := cdcodec.Options{From: c.from, JSON: fastjson.Options{Dialect: fastjson.TiCDC, TiCDC: fastjson.TiCDCOptions{Extension: true}}}
		_, msgs, err := newTranscoder(t, o).Append(nil, nil, record, goldenMeta)
		if err != nil || len(msgs) < 2 {
			t.Fatal(msgs, err)
		}
		size := msgs[0].End - msgs[0].Start
		if second := msgs[1].End - msgs[1].Start; second <= size {
			t.Fatalf("%s: the second message has %d bytes, the first %d", c.file, second, size)
		}
		o.JSON.TiCDC.MaxMessage = size + 36
		_, _, err = newTranscoder(t, o).Append(nil, nil, record, goldenMeta)
		var p *wire.ParseError
		if !errors.As(err, &p) || p.Path != c.path || p.Offset == 0 || p.Table == "" {
			t.Errorf("%s: %v, want %s", c.file, err, c.path)
		}
	}
}
