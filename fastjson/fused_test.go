package fastjson_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/internal/canaltest"
	"github.com/cdcodec/cdcodec/internal/corpus"
	"github.com/cdcodec/cdcodec/internal/corpus/golden"
	"github.com/cdcodec/cdcodec/internal/pb/canalpb"
	"github.com/cdcodec/cdcodec/wire/canal"
)

var fusedMeta = fastjson.Meta{ID: 7, TS: 1700000000000}

// general converts an Entry the general way. ok is false for what the fused
// path must not take: an error, or no message.
func general(t testing.TB, w *fastjson.Writer, entry []byte, ev *change.Event) (out []byte, ok bool) {
	t.Helper()
	e, err := canal.ParseEntry(entry)
	if err != nil || e.IsTransactionMark() {
		return nil, false
	}
	var d canal.Decoder
	if err := d.Decode(ev, &e); err != nil {
		return nil, false
	}
	out, err = w.AppendEvent(nil, ev, fusedMeta)
	return out, err == nil
}

// sameAsGeneral converts an Entry both ways, with Writers of the same options,
// and reports whether the fused path took it.
func sameAsGeneral(t testing.TB, fused, plain *fastjson.Writer, entry []byte) bool {
	t.Helper()
	var got, want change.Event
	before := bytes.Clone(entry)
	// The Entry ends where its memory does: a read behind it would be seen by
	// the checks of -race and -asan, and a write into dst behind its capacity here.
	dst := make([]byte, 3, 3+len(entry)/2)
	copy(dst, "abc")
	out, ok := fused.AppendFromEntry(dst, entry, fusedMeta, &got)
	if !bytes.Equal(entry, before) {
		t.Fatalf("the Entry was written to: %x", before)
	}
	if string(out[:3]) != "abc" {
		t.Fatalf("what was in dst was written to")
	}
	if !ok {
		if len(out) != 3 {
			t.Fatalf("dst grew by %q for an Entry that was not taken", out[3:])
		}
		return false
	}
	ref, good := general(t, plain, entry, &want)
	if !good || !bytes.Equal(out[3:], ref) {
		t.Fatalf("entry %x\nfused   %s\ngeneral %s", entry, out[3:], ref)
	}
	want.Rows = nil
	if got.Kind != want.Kind || got.Type != want.Type || got.IsDDL != want.IsDDL || got.ES != want.ES ||
		!bytes.Equal(got.Database, want.Database) || !bytes.Equal(got.Table, want.Table) || !bytes.Equal(got.GTID, want.GTID) || got.SQL != nil {
		t.Fatalf("entry %x\nfused tells   %+v\ngeneral tells %+v", entry, got, want)
	}
	return true
}

// allOptions are the option sets that the fused path has to know of.
var allOptions = []fastjson.Options{
	{}, {OmitGTID: true}, {OldPerRow: true}, {RejectInvalidUTF8: true}, {DropHeartbeats: true},
}

func writers(t testing.TB, o fastjson.Options) (fused, plain *fastjson.Writer) {
	t.Helper()
	fused, err := fastjson.NewWriter(o)
	if err != nil {
		t.Fatal(err)
	}
	plain, err = fastjson.NewWriter(o)
	if err != nil {
		t.Fatal(err)
	}
	return fused, plain
}

// TestFusedOnCorpora is the promise that ordinary traffic takes the fused path.
func TestFusedOnCorpora(t *testing.T) {
	for _, name := range []string{"oltp", "bulk"} {
		c, err := corpus.Make(name, 0, 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range allOptions {
			fused, plain := writers(t, o)
			taken := 0
			for round := range 2 {
				taken = 0
				for i, e := range c.Entries {
					if name == "bulk" || (i+round)%7 == 0 || !testing.Short() {
						if sameAsGeneral(t, fused, plain, e[:len(e):len(e)]) {
							taken++
						}
					}
				}
			}
			if o.OldPerRow && name == "bulk" { // UPDATEs of several rows are not for it
				continue
			}
			if !testing.Short() && taken*100 < len(c.Entries)*99 {
				t.Errorf("%s %+v: only %d of %d Entries took the fused path", name, o, taken, len(c.Entries))
			}
		}
	}
}

// TestFusedOnGolden gives each golden Entry to a Writer until enough has been read
// for its table to be learned, and holds the path it took at last to testdata/golden_paths.tsv:
// the Entries whose law is canal or standard, each with its path. The random
// ones are only compared.
func TestFusedOnGolden(t *testing.T) {
	const file = "testdata/golden_paths.tsv"
	var paths bytes.Buffer
	for _, o := range allOptions {
		for _, c := range append(golden.Entries(), golden.Random()...) {
			fused, plain := writers(t, o)
			path := "general"
			for read := 0; read < 64<<10 && path != "fused"; read += len(c.Records[0]) + 1000 {
				if sameAsGeneral(t, fused, plain, c.Records[0]) {
					path = "fused"
				}
			}
			if o == (fastjson.Options{}) && c.Law != "" {
				fmt.Fprintf(&paths, "%s\t%s\t%s\n", c.Name, c.Law, path)
			}
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || !bytes.Equal(want, paths.Bytes()) {
		got := file + ".got"
		if err := os.WriteFile(got, paths.Bytes(), 0o666); err != nil {
			t.Error(err)
		}
		t.Errorf("other paths than in %s: compare %s (%v)", file, got, err)
	}
}

// TestFusedDamaged damages Entries of tables the Writer knows, byte by byte.
func TestFusedDamaged(t *testing.T) {
	c, err := corpus.Make("oltp", 60, 3)
	if err != nil {
		t.Fatal(err)
	}
	rnd := rand.New(rand.NewPCG(1, 1))
	for _, o := range allOptions {
		fused, plain := writers(t, o)
		for range 3 {
			for _, e := range c.Entries {
				sameAsGeneral(t, fused, plain, e)
			}
		}
		taken := 0
		for i, e := range c.Entries {
			for at := i % 4; at < len(e); at += 4 {
				bad := bytes.Clone(e)
				switch rnd.IntN(4) {
				case 0:
					bad[at] ^= 1 << rnd.IntN(8)
				case 1:
					bad[at] = byte(rnd.Uint32())
				case 2:
					bad = append(bad[:at:at], bad[min(at+1+rnd.IntN(3), len(bad)):]...)
				case 3:
					bad = bad[:at:at]
				}
				if sameAsGeneral(t, fused, plain, bad) {
					taken++
				}
				if at%50 == 0 { // keep the layout as it is
					sameAsGeneral(t, fused, plain, c.Entries[(i+at)%len(c.Entries)])
				}
			}
		}
		if taken == 0 {
			t.Errorf("%+v: no damaged Entry took the fused path: this tested little", o)
		}
	}
}

// TestFusedLongValue has values around what escapeBlocks takes at once, and around
// the lengths where the fused path goes another way.
func TestFusedLongValue(t *testing.T) {
	fused, plain := new(fastjson.Writer), new(fastjson.Writer)
	for _, n := range []int{0, 1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 1<<14 - 1, 1 << 14, 1<<14 + 1, 1<<20 - 1, 1 << 20, 1<<20 + 1, 1<<21 + 77} {
		for _, c := range []string{"a", `"`, "\x02", "中"} {
			for _, at := range []int{0, n / 2, n - len(c)} {
				if at < 0 || at+len(c) > n {
					continue
				}
				value := strings.Repeat("a", at) + c + strings.Repeat("b", n-at-len(c))
				row := canaltest.Row(nil, canaltest.Columns{canaltest.Col("id", "1", canaltest.Typed(-5, "bigint(20)")), canaltest.Col("text", value, canaltest.Typed(2005, "longtext"))})
				entry := canaltest.EntryOf(&canalpb.Header{TableName: new("t")}, canaltest.Change(canaltest.Insert, row))
				if !sameAsGeneral(t, fused, plain, entry) {
					t.Errorf("%d bytes with %q at %d: not taken", n, c, at)
				}
			}
		}
	}
}
