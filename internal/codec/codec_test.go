package codec

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/internal/corpus"
	"github.com/cdcodec/cdcodec/internal/pb/canalpb"
)

var meta = fastjson.Meta{ID: 3, TS: 1700000000000}

// traffic is a small part of each corpus, which has all kinds of Entries.
func traffic(t *testing.T) []corpus.Corpus {
	t.Helper()
	list := []corpus.Corpus{{Name: "sample", Entries: corpus.Sample()}}
	for name, n := range map[string]int{"oltp": 30, "bulk": 1, "wide": 3, "blob": 1, "prose": 1, "stream": 120} {
		c, err := corpus.Make(name, n, 1)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, c)
	}
	return list
}

// every returns the truth, and all codecs but the floor, that convert such records.
func every(t *testing.T, o Options) []*Codec {
	t.Helper()
	list := []*Codec{Truth(o)}
	for _, name := range Names() {
		c, err := New(name, o)
		if err != nil {
			t.Fatal(err)
		}
		if !c.Floor && c.Convert != nil {
			list = append(list, c)
		}
	}
	return list
}

// TestAgree has all codecs do all the work: the same bytes, the same sums.
func TestAgree(t *testing.T) {
	for _, from := range []cdcodec.Source{cdcodec.FromEntry, cdcodec.FromPacket} {
		codecs := every(t, Options{From: from, Meta: meta})
		for _, c := range traffic(t) {
			records := c.Entries
			if from == cdcodec.FromPacket {
				records = c.Packets()
			}
			for i, record := range records {
				agree(t, codecs, c.Name, i, record)
			}
		}
	}
}

func agree(t *testing.T, codecs []*Codec, name string, i int, record []byte) {
	t.Helper()
	var want []byte
	var wantSum uint64
	before := bytes.Clone(record)
	for j, c := range codecs {
		got, err := c.Convert([]byte("x"), record)
		if err != nil {
			t.Fatalf("%s: %s, record %d: %v", c.Name, name, i, err)
		}
		if j == 0 {
			want = got
		} else if !bytes.Equal(got, want) {
			t.Fatalf("%s: %s, record %d: got\n%.500s\nwant\n%.500s", c.Name, name, i, got, want)
		}
		if c.Decode == nil {
			continue
		}
		s, err := c.Decode(record)
		if err != nil {
			t.Fatalf("%s: %s, record %d: %v", c.Name, name, i, err)
		}
		if j == 0 {
			wantSum = s
		} else if s != wantSum {
			t.Errorf("%s: %s, record %d: sum %#x, want %#x", c.Name, name, i, s, wantSum)
		}
	}
	if !bytes.Equal(record, before) {
		t.Fatalf("%s, record %d has been written to", name, i)
	}
}

// TestOtherSources has those convert that do, and no others be there.
func TestOtherSources(t *testing.T) {
	for name, from := range map[string]cdcodec.Source{"tidb": cdcodec.FromTiDBBinlog, "baidu": cdcodec.FromChangeDataSet} {
		made, err := corpus.Make(name, 40, 1)
		if err != nil {
			t.Fatal(err)
		}
		codecs := every(t, Options{From: from, Meta: meta})
		if len(codecs) != 3 || codecs[1].Name != Ours || codecs[2].Name != Reference {
			t.Errorf("%s: %d codecs", name, len(codecs))
		}
		for i, record := range made.Entries {
			agree(t, codecs, name, i, record)
		}
		for _, name := range Names() {
			if c, err := New(name, Options{From: from}); err != nil || c.Decode != nil {
				t.Errorf("%s decodes what is not Canal's, %v", name, err)
			}
		}
	}
	if c := Truth(Options{From: cdcodec.FromCanalJSON}); c.Convert != nil || c.Read == nil {
		t.Error("the reference reads no JSON, and who reads it is not there")
	}
}

// TestSumTakesAll changes a column in each of its scalars, leaves one out, and
// moves it: all of that must show in the sum.
func TestSumTakesAll(t *testing.T) {
	base := func() *canalpb.RowChange {
		return &canalpb.RowChange{RowDatas: []*canalpb.RowData{{
			BeforeColumns: []*canalpb.Column{{
				Index: proto.Int32(1), SqlType: proto.Int32(12), Name: proto.String("name"), IsKey: proto.Bool(false),
				Updated: proto.Bool(false), IsNull: proto.Bool(false), Value: proto.String("value"), MysqlType: proto.String("text"),
			}, {Name: proto.String("other")}},
		}}}
	}
	changes := map[string]func(*canalpb.RowData){
		"none":      func(*canalpb.RowData) {},
		"index":     func(r *canalpb.RowData) { r.BeforeColumns[0].Index = proto.Int32(2) },
		"sqlType":   func(r *canalpb.RowData) { r.BeforeColumns[0].SqlType = proto.Int32(-5) },
		"name":      func(r *canalpb.RowData) { r.BeforeColumns[0].Name = proto.String("game") },
		"isKey":     func(r *canalpb.RowData) { r.BeforeColumns[0].IsKey = proto.Bool(true) },
		"updated":   func(r *canalpb.RowData) { r.BeforeColumns[0].Updated = proto.Bool(true) },
		"isNull":    func(r *canalpb.RowData) { r.BeforeColumns[0].IsNull = proto.Bool(true) },
		"value":     func(r *canalpb.RowData) { r.BeforeColumns[0].Value = proto.String("values") },
		"mysqlType": func(r *canalpb.RowData) { r.BeforeColumns[0].MysqlType = proto.String("time") },
		"order":     func(r *canalpb.RowData) { slices.Reverse(r.BeforeColumns) },
		"fewer":     func(r *canalpb.RowData) { r.BeforeColumns = r.BeforeColumns[:1] },
		"after":     func(r *canalpb.RowData) { r.AfterColumns, r.BeforeColumns = r.BeforeColumns, nil },
		"both":      func(r *canalpb.RowData) { r.AfterColumns = r.BeforeColumns },
	}
	for _, c := range every(t, Options{}) {
		if c.Decode == nil {
			continue
		}
		seen := map[uint64]string{}
		for name, change := range changes {
			rows := base()
			change(rows.RowDatas[0])
			s, err := c.Decode(encode(t, &canalpb.Entry{StoreValue: encode(t, rows)}))
			if err != nil {
				t.Fatal(err)
			}
			if other, ok := seen[s]; ok {
				t.Errorf("%s: %q and %q have the same sum", c.Name, name, other)
			}
			seen[s] = name
		}
	}
}

func encode(t *testing.T, m proto.Message) []byte {
	t.Helper()
	b, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestBadRecords: what is cut short is an error to all, and the next record
// works.
func TestBadRecords(t *testing.T) {
	entry := corpus.Sample()[1]
	for _, c := range every(t, Options{Meta: meta}) {
		want, err := c.Convert(nil, entry)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{1, 20, len(entry) / 2, len(entry) - 1} {
			if _, err := c.Convert(nil, entry[:n]); err == nil {
				t.Errorf("%s: no error for %d bytes of %d", c.Name, n, len(entry))
			}
			if c.Decode == nil {
				continue
			}
			if _, err := c.Decode(entry[:n]); err == nil {
				t.Errorf("%s: decoding: no error for %d bytes of %d", c.Name, n, len(entry))
			}
		}
		if got, err := c.Convert(nil, entry); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: after errors: %v, %.200s", c.Name, err, got)
		}
	}
}

// TestSteadyAllocs: ours allocate nothing, and reading with vtprotobuf into
// messages that are kept does not either, or that peer would be slow on purpose.
func TestSteadyAllocs(t *testing.T) {
	c, err := corpus.Make("oltp", 50, 1)
	if err != nil {
		t.Fatal(err)
	}
	var dst []byte
	for _, codec := range every(t, Options{Meta: meta}) {
		if strings.HasPrefix(codec.Name, Ours) {
			n := testing.AllocsPerRun(5, func() {
				for _, e := range c.Entries {
					dst, _ = codec.Convert(dst[:0], e)
				}
			})
			if n != 0 {
				t.Errorf("%s: %v allocations", codec.Name, n)
			}
		}
		if codec.Name == Ours || codec.Name == "vtproto+sonic" {
			n := testing.AllocsPerRun(5, func() {
				for _, e := range c.Entries {
					_, _ = codec.Decode(e)
				}
			})
			if n != 0 {
				t.Errorf("%s: decoding: %v allocations", codec.Name, n)
			}
		}
	}
}

func TestNew(t *testing.T) {
	if _, err := New("nonsense", Options{}); err == nil || !strings.Contains(err.Error(), `"nonsense"; there are cdcodec, `) {
		t.Errorf("got %v", err)
	}
	names := Names()
	if got := slices.Contains(names, "vtproto+sonic"); got != (len(sonicPeers) > 0) {
		t.Errorf("names: %v", names)
	}
	if names[0] != Ours || names[len(names)-1] != "copy" {
		t.Errorf("names: %v", names)
	}
}

func TestCopy(t *testing.T) {
	c, err := New("copy", Options{})
	if err != nil || !c.Floor {
		t.Fatal(c, err)
	}
	got, err := c.Convert([]byte("a"), []byte("bc"))
	if string(got) != "abc" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	if s, err := c.Decode([]byte("bc")); s != 0 || err != nil {
		t.Errorf("got %d, %v", s, err)
	}
}
