package cdcodec_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/internal/reference"
	"github.com/cdcodec/cdcodec/wire"
	"github.com/cdcodec/cdcodec/wire/canal"
)

// hostileOptions are those that change which way columns go.
var hostileOptions = []struct {
	name string
	fastjson.Options
}{
	{"no options", fastjson.Options{}},
	{"OldPerRow", fastjson.Options{OldPerRow: true}},
	{"RejectInvalidUTF8", fastjson.Options{RejectInvalidUTF8: true}},
}

// TestHostileAnswers holds every shape to the reference, at the size that it can
// do, through Transcoders that see all shapes one after the other.
func TestHostileAnswers(t *testing.T) {
	for _, o := range hostileOptions {
		tr := newTranscoder(t, cdcodec.Options{JSON: o.Options})
		for _, s := range hostileShapes() {
			for _, n := range []int{1, 300} {
				entry := s.entry(n)
				want, werr := reference.Entry(entry, o.Options, goldenMeta)
				for range 2 {
					out, _, err := tr.Append(nil, nil, entry, goldenMeta)
					if (err == nil) != (werr == nil) || !bytes.Equal(out, bytes.Join(want, nil)) {
						t.Errorf("%s, %d columns, %s: %v, reference %v\n got %.300s\nwant %.300s", s.name, n, o.name, err, werr, out, bytes.Join(want, nil))
					}
				}
			}
		}
	}
}

// TestHostileCrowds does 100,000 columns of every eleventh shape, and of the
// heavy ones fewer, and asks the reference about most.
func TestHostileCrowds(t *testing.T) {
	if !giant() {
		t.Skip("seconds")
	}
	tr := newTranscoder(t, cdcodec.Options{})
	var dst []byte
	for i, s := range hostileShapes() {
		n := 100_000
		if s.heavy {
			n = 2000
		} else if i%11 != 0 {
			continue
		}
		entry := s.entry(n)
		out, msgs, err := tr.Append(dst[:0], nil, entry, goldenMeta)
		if err != nil || len(msgs) != 1 {
			t.Errorf("%s: %v, %d messages", s.name, err, len(msgs))
			continue
		}
		if dst = out; i%2 != 0 && !s.heavy {
			if !json.Valid(out) {
				t.Errorf("%s: not valid JSON", s.name)
			}
			continue
		}
		want, err := reference.Entry(entry, fastjson.Options{}, goldenMeta)
		if err != nil || !bytes.Equal(out, want[0]) {
			t.Errorf("%s: not what the reference has (%v)", s.name, err)
		}
	}
}

// TestHostileDense has a million columns of two bytes each, the least there are.
func TestHostileDense(t *testing.T) {
	const n = 1_000_000
	for _, typ := range []change.Type{change.Insert, change.Update, change.Delete} {
		tag := []byte{0x12, 0, 0x0a, 0}
		if typ == change.Delete {
			tag = []byte{0x0a, 0}
		}
		entry := hostileEntry(typ, bytes.Repeat(tag, n/len(tag)*2))
		small, err := reference.Entry(hostileEntry(typ, bytes.Repeat(tag, 3)), fastjson.Options{}, goldenMeta)
		if err != nil {
			t.Fatal(err)
		}
		out, _, err := newTranscoder(t, cdcodec.Options{}).Append(nil, nil, entry, goldenMeta)
		if err != nil || !bytes.Equal(out, small[0]) { // one column each, the rest is the same again
			t.Errorf("%v: %v\n got %.300s\nwant %s", typ, err, out, small[0])
		}
	}
}

// countingRows counts what a Writer asks of the Rows of an Event: each Column
// and each At costs as much as the column has fields, and 1.
type countingRows struct {
	change.Rows
	cost  []int32 // by Ref
	total int
}

func (r *countingRows) Column() *change.Column {
	c := r.Rows.Column()
	if r.total++; c != nil {
		r.total += int(r.cost[c.Ref])
	}
	return c
}

func (r *countingRows) At(ref uint32) *change.Column {
	r.total += 1 + int(r.cost[ref])
	return r.Rows.At(ref)
}

// TestHostileSteps is the promise that time is linear in the input, without a
// clock: a Writer reads each field of a record a few times and not more, however
// large the record.
func TestHostileSteps(t *testing.T) {
	const most = 12 // times that a field is read
	for _, o := range hostileOptions {
		w, err := fastjson.NewWriter(o.Options)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range hostileShapes() {
			e, err := canal.ParseEntry(s.entry(1000))
			if err != nil {
				t.Fatal(err)
			}
			var d canal.Decoder
			var ev change.Event
			if err := d.Decode(&ev, &e); err != nil {
				t.Fatal(err)
			}
			rows := &countingRows{Rows: ev.Rows, cost: make([]int32, len(e.StoreValue))}
			size := countFields(e.StoreValue, rows.cost)
			ev.Rows = rows
			if _, err := w.AppendEvent(nil, &ev, goldenMeta); err != nil && !errors.Is(err, fastjson.ErrInvalidUTF8) {
				t.Fatal(err)
			}
			if rows.total > most*size {
				t.Errorf("%s, %s: %d steps for %d fields", s.name, o.name, rows.total, size)
			}
		}
	}
}

// countFields returns how many fields a RowChange, its rows and its columns have,
// and notes those of each column by its offset.
func countFields(store []byte, of []int32) int {
	n := 1
	for change := wire.NewReader(store); change.Next(); n++ {
		if change.Tag.Number() != 12 {
			continue
		}
		for row := change.Message().Reader(); row.Next(); n++ {
			for col := row.Message().Reader(); col.Next(); {
				of[row.Offset]++
			}
			n += int(of[row.Offset])
		}
	}
	return n
}

// BenchmarkHostile has the time of a column, in crowds of two sizes: the large one
// may take three times as long as the small one, a column.
func BenchmarkHostile(b *testing.B) {
	for _, s := range hostileShapes() {
		for _, n := range []int{1000, 100_000} {
			if s.heavy {
				n /= 10
			}
			entry := s.entry(n)
			name := strings.NewReplacer(" ", "_", ",", "").Replace(s.name)
			b.Run(fmt.Sprintf("shape=%s/columns=%d", name, n), func(b *testing.B) {
				tr := newTranscoder(b, cdcodec.Options{})
				var dst []byte
				for b.Loop() {
					out, _, err := tr.Append(dst[:0], nil, entry, goldenMeta)
					if err != nil {
						b.Fatal(err)
					}
					dst = out
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/column")
			})
		}
	}
}
