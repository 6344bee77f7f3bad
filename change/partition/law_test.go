package partition_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cdcodec/cdcodec/change/partition"
	. "github.com/cdcodec/cdcodec/internal/canaltest"
	"github.com/cdcodec/cdcodec/internal/corpus/golden"
	"github.com/cdcodec/cdcodec/internal/pb/canalpb"
	"github.com/cdcodec/cdcodec/internal/reference"
	"google.golang.org/protobuf/proto"
)

// someOptions are options of all kinds, as a list that fuzzing picks from.
var someOptions = func() (all []partition.Options) {
	for _, n := range []int{1, 2, 3, 16, math.MaxInt32} {
		for _, hash := range []bool{false, true} {
			all = append(all,
				partition.Options{Partitions: n, DatabaseHash: hash, By: partition.ByTable},
				partition.Options{Partitions: n, DatabaseHash: hash, By: partition.ByKey})
			for _, rules := range []string{
				"", ".*\\..*", ".*\\..*:$PK$", ".*:id", "nobody.knows,.*:id^a^b^id^c^a", ".*:",
				"a.*:a;.*b:$pk$;SHOP.ORDERS;.*", ".*:\ufffd^a\ufffd", "s.t:$pk$,.*(e|o).*:name",
			} {
				if rules == "" && n > 1 {
					continue // an error, see TestOptions
				}
				all = append(all, partition.Options{Partitions: n, DatabaseHash: hash, Rules: rules})
			}
		}
	}
	return all
}()

// TestLaw holds both ways to the slow one over all cases and corpora there are.
func TestLaw(t *testing.T) {
	sets := map[string][][]byte{
		"oltp": makeCorpus(t, "oltp", 60), "bulk": makeCorpus(t, "bulk", 3), "wide": makeCorpus(t, "wide", 6),
		"blob": makeCorpus(t, "blob", 3), "prose": makeCorpus(t, "prose", 3), "stream": makeCorpus(t, "stream", 150),
	}
	for _, cases := range [][]golden.Case{golden.Entries(), golden.Messages()} {
		for _, c := range cases {
			sets["golden"] = append(sets["golden"], c.Records...)
		}
	}
	for i, c := range golden.Random() {
		if i%7 == 0 {
			sets["random"] = append(sets["random"], c.Records...)
		}
	}
	for name, entries := range sets {
		known, fast, all := 0, 0, 0
		for i, o := range someOptions {
			p := newPartitioner(t, o)
			for j, entry := range entries {
				if (i+j)%11 != 0 { // each Entry with some of them
					continue
				}
				k, f := checkEntry(t, p, o, entry)
				if k {
					known++
				}
				if f {
					fast++
				}
				all++
			}
		}
		t.Logf("%s: %d of %d entries have an Event, %d the fast way", name, known, all, fast)
		if least := map[string]float64{"oltp": 0.8, "wide": 0.8, "stream": 0.7, "golden": 0.2, "random": 0.05}[name]; float64(fast) < least*float64(known) {
			t.Errorf("%s: only %d of %d went the fast way", name, fast, known)
		}
	}
}

// TestLawRandom does so for Entries of odd rows: names that are there twice or are not
// UTF-8, rows without columns, keys here and there.
func TestLawRandom(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 8))
	names := []string{"id", "a", "b", "c", "a\xff", "a\xfe", "a\ufffd", "\xff", "", "name", "ID"}
	values := []string{"", "1", "2", "我", "😀", "polygenelubricants", "\xed\xa0\x80", "x\xff", "12345678", "123456789 and so on"}
	entry := func() []byte {
		image := func() Columns {
			var cols Columns
			for range rnd.IntN(5) {
				c := Col(names[rnd.IntN(len(names))], values[rnd.IntN(len(values))])
				for _, mark := range []Mark{Key, Null, NoValue} {
					if rnd.IntN(4) == 0 {
						mark(c)
					}
				}
				if rnd.IntN(8) > 0 { // as Canal writes it
					c.IsKey, c.Updated, c.IsNull = proto.Bool(c.GetIsKey()), proto.Bool(false), proto.Bool(c.GetIsNull())
				}
				cols = append(cols, c)
			}
			return cols
		}
		var rows []*canalpb.RowData
		for range rnd.IntN(4) {
			rows = append(rows, Row(image(), image()))
		}
		types := []canalpb.EventType{Insert, Update, Delete, Insert, Update, Delete, Query}
		c := Change(types[rnd.IntN(len(types))], rows...)
		if rnd.IntN(20) == 0 {
			c.IsDdl = proto.Bool(true)
		}
		tables := []string{"orders", "ORDERS", "a", "b", "t", "\xff", "ſ", "e\ue000"}
		h := &canalpb.Header{SchemaName: proto.String([]string{"shop", "a", "s", "\xff"}[rnd.IntN(4)]), TableName: proto.String(tables[rnd.IntN(len(tables))])}
		return EntryOf(h, c)
	}
	partitioners := make([]*partition.Partitioner, len(someOptions))
	fast, slow := 0, 0
	for range 4_000 {
		i := rnd.IntN(len(someOptions))
		if partitioners[i] == nil {
			partitioners[i] = newPartitioner(t, someOptions[i])
		}
		if _, ok := checkEntry(t, partitioners[i], someOptions[i], entry()); ok {
			fast++
		} else {
			slow++
		}
	}
	if fast < 700 || slow < 700 {
		t.Errorf("%d went the fast way and %d not: this tests little", fast, slow)
	}
}

// TestLawLengths has values and types of all lengths that varints of one, two and three
// bytes part, with bytes at their ends that look like the next field.
func TestLawLengths(t *testing.T) {
	o := partition.Options{Partitions: math.MaxInt32, By: partition.ByKey}
	p := newPartitioner(t, o)
	h := &canalpb.Header{SchemaName: proto.String("s"), TableName: proto.String("t")}
	for _, value := range []int{0, 1, 126, 127, 128, 129, 16382, 16383, 16384, 16385, 16512} {
		for _, last := range []string{"", "R", "RR", "B", "\x01R"} {
			for _, mysqlType := range []int{0, 1, 80, 81, 82, 83, 127, 128, 129} {
				c := Col("id", strings.Repeat("v", max(value-len(last), 0))+last, Key, Typed(-5, strings.Repeat("t", mysqlType)))
				c.Index, c.Updated, c.IsNull = proto.Int32(0), proto.Bool(true), proto.Bool(false)
				if _, fast := checkEntry(t, p, o, EntryOf(h, Change(Insert, Row(nil, Columns{c})))); !fast {
					t.Errorf("value of %d bytes, mysqlType of %d: not the fast way", value, mysqlType)
				}
			}
		}
	}
}

// TestHashRandom holds the hash to the slow one, for text of all kinds and lengths.
func TestHashRandom(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	parts := []string{"a", "Z", "0123456789", "é", "我", "😀", "\U0010ffff", "\ufffd", "\x00", "\x7f"}
	for range 20_000 {
		s := ""
		for range rnd.IntN(24) {
			if rnd.IntN(3) == 0 {
				s += parts[rnd.IntN(len(parts))]
			} else {
				s += "q"
			}
		}
		if got, want := partition.Hash([]byte(s)), reference.JavaHash(s); got != want {
			t.Fatalf("hash of %q is %d, want %d", s, got, want)
		}
	}
	for _, c := range [][2]string{
		{"\xff", "\ufffd"}, {"\xed\xa0\x80", "\ufffd"}, {"12345678\xed\xa0b", "12345678\ufffdb"}, {"\xf0\x9f\x98", "\ufffd"}, {"\xc0\x80x", "\ufffd\ufffdx"},
	} {
		if got, want := partition.Hash([]byte(c[0])), reference.JavaHash(c[1]); got != want {
			t.Errorf("hash of %q is %d, that of %q is %d", c[0], got, c[1], want)
		}
	}
}

// FuzzEntry holds both ways to the slow one for any bytes.
func FuzzEntry(f *testing.F) {
	for i, c := range golden.Entries() {
		if i%5 == 0 {
			f.Add(c.Records[0], uint8(i))
		}
	}
	for i, p := range golden.Partitions() {
		if i%100 == 0 {
			f.Add(p.Entry, uint8(i))
		}
	}
	for i, entry := range makeCorpus(f, "oltp", 6) {
		f.Add(entry, uint8(i))
	}
	f.Fuzz(func(t *testing.T, entry []byte, which uint8) {
		o := someOptions[int(which)%len(someOptions)]
		p := newPartitioner(t, o)
		before := fmt.Sprintf("%x", entry)
		checkEntry(t, p, o, entry)
		p.AppendEntry(nil, entry) // also where the Entry is damaged
		if fmt.Sprintf("%x", entry) != before {
			t.Fatal("the Entry was written to")
		}
	})
}
