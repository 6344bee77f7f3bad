package cdcodec_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/internal/reference"
	"github.com/cdcodec/cdcodec/wire"
	"github.com/cdcodec/cdcodec/wire/canal"
)

// The tests of hostile_*_test.go send what no Canal sends but anyone may: records
// that are small to make and meant to be dear to read. TestHostile… hold the
// answers to the reference, count the steps instead of the time, and (in
// hostile_memory_test.go) the bytes that are allocated.

// giant reports whether tests do their largest sizes: not with -short, and not
// with -race, under which they take minutes.
func giant() bool {
	info, _ := debug.ReadBuildInfo()
	race := info != nil && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
	return !testing.Short() && !race
}

// lenField and intField append a field of wire type 2 and 0.
func lenField(b []byte, n wire.Number, v []byte) []byte {
	return wire.AppendBytes(wire.AppendTag(b, n, wire.Bytes), v)
}

func intField(b []byte, n wire.Number, v uint64) []byte {
	return wire.AppendVarint(wire.AppendTag(b, n, wire.Varint), v)
}

// hostileEntry returns an Entry of table "s.t" that is a RowChange of that type
// with those encoded rows.
func hostileEntry(typ change.Type, rows ...[]byte) []byte {
	size := 64
	for _, r := range rows {
		size += len(r) + 6
	}
	store := intField(make([]byte, 0, size), 2, uint64(typ))
	for _, r := range rows {
		store = lenField(store, 12, r)
	}
	header := lenField(lenField(nil, 8, []byte("s")), 9, []byte("t"))
	return lenField(intField(lenField(make([]byte, 0, size+32), 1, header), 2, 2), 3, store)
}

// A crowd is columns: column i of n has the name and the flags these say.
type crowd struct {
	name    func(i int) string
	updated bool
	bare    bool   // nothing but the name
	extra   []byte // fields of every column
}

// image appends columns from to to of c to a row, as the image with that tag.
func (c crowd) image(row []byte, tag wire.Number, from, to int) []byte {
	var col []byte
	for i := from; i < to; i++ {
		col = col[:0]
		if name := c.name(i); name != "" {
			col = lenField(col, 3, []byte(name))
		}
		if !c.bare {
			col = lenField(intField(intField(col, 4, uint64(i&1)), 5, 0), 8, []byte("v"))
		}
		if c.updated {
			col = intField(col, 5, 1)
		}
		row = lenField(row, tag, append(col, c.extra...))
	}
	return row
}

// digits returns a name for number i: so many characters below 0x80, that need no
// escape.
func digits(i, width int) string {
	const some = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ!#$%&'()*+,-./:;<=>?@[]^_`{|}~ "
	b := make([]byte, width)
	for k := range b {
		b[k] = some[i%len(some)]
		i /= len(some)
	}
	return string(b)
}

func equalNames(int) string      { return "a" }
func noNames(int) string         { return "" }
func distinctNames(i int) string { return digits(i, 3) }
func hundredNames(i int) string  { return "column_" + digits(i%100, 2) }

// twiceNames has each name twice in a row, one behind the other.
func twiceNames(i int) string { return digits(i/2, 3) }

// repairedNames are different bytes that are all the same text.
func repairedNames(i int) string { return string([]byte{[]byte{0xff, 0xfe, 0xc0, 0x80}[i%4]}) }

// A shape is a way to put n columns into an Entry.
type shape struct {
	name  string
	heavy bool // its size is not only that of n columns
	entry func(n int) []byte
}

// hostileShapes are crowds times rows times types.
func hostileShapes() []shape {
	var all []shape
	for _, names := range []struct {
		name string
		crowd
	}{
		{"equal", crowd{name: equalNames}},
		{"distinct", crowd{name: distinctNames}},
		{"hundred", crowd{name: hundredNames}},
		{"twice", crowd{name: twiceNames}},
		{"repaired", crowd{name: repairedNames}},
		{"bare empty", crowd{name: noNames, bare: true}},
		{"bare equal", crowd{name: equalNames, bare: true}},
		{"bare 1 byte", crowd{name: func(i int) string { return digits(i, 1) }, bare: true}},
		{"bare 2 bytes", crowd{name: func(i int) string { return digits(i, 2) }, bare: true}},
		{"bare 3 bytes", crowd{name: distinctNames, bare: true}},
		{"distinct escaped", crowd{name: func(i int) string { return "\x01\x02" + digits(i, 3) }, bare: true}},
	} {
		for _, perRow := range []int{0, 100, 1} { // 0: all in one row
			for _, kind := range []string{"INSERT", "DELETE", "UPDATE", "UPDATE all updated"} {
				width := fmt.Sprintf("rows of %d", perRow)
				if perRow == 0 {
					width = "one row"
				}
				all = append(all, shape{name: strings.Join([]string{kind, names.name, width}, ", "), entry: func(n int) []byte {
					per := perRow
					if per == 0 || per > n {
						per = n
					}
					var rows [][]byte
					for i := 0; i < n; i += per {
						rows = append(rows, names.row(kind, i, min(i+per, n)))
					}
					return hostileEntry(hostileTypes[kind], rows...)
				}})
			}
		}
	}
	return append(all, heavyShapes()...)
}

var hostileTypes = map[string]change.Type{"INSERT": change.Insert, "DELETE": change.Delete, "UPDATE": change.Update, "UPDATE all updated": change.Update}

// row returns a row of columns from to to, all of them in each image that the
// kind of change has.
func (c crowd) row(kind string, from, to int) []byte {
	marked := c
	marked.updated = true
	switch kind {
	case "INSERT":
		return c.image(nil, 2, from, to)
	case "DELETE":
		return c.image(nil, 1, from, to)
	case "UPDATE":
		return c.image(c.image(nil, 1, from, to), 2, from, to)
	}
	return marked.image(c.image(nil, 1, from, to), 2, from, to)
}

// heavyShapes have one column with a lot of fields, and many others whose names
// lead to it. The first 256 names of a change are remembered in full; these are
// behind them.
func heavyShapes() []shape {
	heavy := func(n int) []byte { // 2n fields that say nothing
		return append(intField(lenField(nil, 3, []byte("X")), 5, 1), bytes.Repeat([]byte{0x28, 1}, 2*n)...)
	}
	first := crowd{name: distinctNames}
	light := crowd{name: func(int) string { return "X" }, bare: true}
	return []shape{
		{"heavy column, before images", true, func(n int) []byte {
			row := first.image(nil, 2, 0, 300)
			row = lenField(row, 2, heavy(n))
			return hostileEntry(change.Update, light.image(row, 1, 0, n))
		}},
		{"heavy column, in one row with others of its name", true, func(n int) []byte {
			row := first.image(nil, 2, 0, 300)
			row = light.image(row, 2, 0, n)
			return hostileEntry(change.Insert, lenField(row, 2, heavy(n)))
		}},
		{"heavy column, in the last of many rows", true, func(n int) []byte {
			light := light
			light.updated = true
			rows := [][]byte{first.image(nil, 2, 0, 300)}
			for range n {
				rows = append(rows, light.image(nil, 2, 0, 1))
			}
			return hostileEntry(change.Update, append(rows, lenField(nil, 2, heavy(n)))...)
		}},
		{"heavy columns, one in each row", true, func(n int) []byte {
			rows := [][]byte{first.image(nil, 2, 0, 300)}
			for range n / 50 {
				rows = append(rows, lenField(light.image(nil, 1, 0, 1), 2, heavy(25)))
			}
			return hostileEntry(change.Update, rows...)
		}},
		{"heavy columns, each of its own name, in old twice", true, func(n int) []byte {
			some := crowd{name: distinctNames, updated: true, extra: bytes.Repeat([]byte{0x20, 0}, 64)}
			row := crowd{name: distinctNames}.image(nil, 2, 0, 257)
			row = some.image(row, 2, 257, 257+n/30)
			row = some.image(row, 1, 257, 257+n/30)
			return hostileEntry(change.Update, some.image(row, 1, 257, 257+n/30))
		}},
		{"heavy and light columns of the same names by turns", true, func(n int) []byte {
			some := crowd{name: distinctNames, updated: true, extra: bytes.Repeat([]byte{0x20, 0}, 64)}
			light := crowd{name: distinctNames, bare: true}
			rows := [][]byte{crowd{name: distinctNames}.image(nil, 2, 0, 257)}
			for range 10 {
				rows = append(rows, light.image(some.image(nil, 2, 257, 257+n/300), 1, 257, 257+n/300), light.image(nil, 2, 257, 257+n/300))
			}
			return hostileEntry(change.Update, rows...)
		}},
		{"long names, equal only after repair", true, func(n int) []byte {
			var row []byte
			for i := range n / 50 {
				row = lenField(row, 2, lenField(nil, 3, bytes.Repeat([]byte{byte(0xf8 + i%8)}, 50)))
				row = lenField(row, 1, lenField(nil, 3, bytes.Repeat([]byte("\xf0\x9f\x98"), 50)))
			}
			return hostileEntry(change.Update, row)
		}},
		{"a column with its name given again and again", true, func(n int) []byte {
			return hostileEntry(change.Insert, lenField(nil, 2, bytes.Repeat([]byte("\x1a\x01a"), n)))
		}},
		{"rows without columns", true, func(n int) []byte {
			return hostileEntry(change.Update, make([][]byte, n)...)
		}},
		{"props", true, func(n int) []byte {
			return hostileEntry(change.Update, bytes.Repeat([]byte{0x1a, 0}, n), lenField(nil, 2, bytes.Repeat([]byte{0x3a, 0}, n)))
		}},
	}
}

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

// TestHostileValue has one value of 64 MiB, plain, all escapes, all invalid, to
// a Transcoder that does not know the table and one that does.
func TestHostileValue(t *testing.T) {
	const mega = 1 << 20
	var buf []byte
	entry := func(unit string, size int) []byte {
		buf = hostileValue(buf[:0], unit, size/len(unit))
		return buf
	}
	tr := newTranscoder(t, cdcodec.Options{})
	var dst []byte
	for _, c := range []struct {
		unit, shown string
		size        int
	}{
		{"plain", "plain", 64 * mega},
		{`"`, `\"`, 64 * mega},
		{"\xff", "\ufffd", 64 * mega},
		{"\xf0\x9f\x98", "\ufffd", 4 * mega},
		{"é", "é", 4 * mega},
		{"text, then a \x02 here\n", `text, then a \u0002 here\n`, 4 * mega},
	} {
		small, err := reference.Entry(entry(c.unit, len(c.unit)), fastjson.Options{}, goldenMeta)
		if err != nil {
			t.Fatal(err)
		}
		head, tail, _ := bytes.Cut(small[0], []byte(c.shown))
		if !giant() {
			c.size = mega
		}
		for i, size := range []int{c.size, mega} { // the second time the table is known
			in := entry(c.unit, size)
			out, _, err := tr.Append(dst[:0], nil, in, goldenMeta)
			if err != nil {
				t.Errorf("%q: %v", c.unit, err)
				continue
			}
			dst = out
			body, ok := bytes.CutPrefix(out, head)
			body, ok2 := bytes.CutSuffix(body, tail)
			if !ok || !ok2 || !repeats(body, c.shown, size/len(c.unit)) {
				t.Errorf("%q, %d: %d bytes of output, %.100s…", c.unit, i, len(out), out)
			}
		}
	}

	// Six bytes for one are more than MaxOutput.
	in := entry("\x01", 8*mega)
	o := cdcodec.Options{JSON: fastjson.Options{MaxOutput: 6 * 8 * mega}}
	out, msgs, err := newTranscoder(t, o).Append(nil, nil, in, goldenMeta)
	if !errors.Is(err, fastjson.ErrMaxOutput) || out != nil || msgs != nil {
		t.Errorf("6 times 8 MiB: %v, %d bytes", err, len(out))
	}
}

// hostileValue appends an INSERT whose one column has n times unit as its value.
func hostileValue(dst []byte, unit string, n int) []byte {
	var parts [][]byte // from the inside
	size := n * len(unit)
	for _, head := range []struct {
		before []byte
		tag    wire.Number
	}{{[]byte("\x1a\x01v"), 8}, {nil, 2}, {[]byte{0x10, 1}, 12}, {[]byte("\x0a\x06\x42\x01s\x4a\x01t"), 3}} {
		b := wire.AppendVarint(wire.AppendTag(head.before, head.tag, wire.Bytes), uint64(size))
		parts = append(parts, b)
		size += len(b)
	}
	dst = slices.Grow(dst, size)
	for _, p := range slices.Backward(parts) {
		dst = append(dst, p...)
	}
	for range n {
		dst = append(dst, unit...)
	}
	return dst
}

// repeats reports whether s is n times unit.
func repeats(s []byte, unit string, n int) bool {
	if len(s) != n*len(unit) {
		return false
	}
	block := bytes.Repeat([]byte(unit), 1024)
	for len(s) > len(block) {
		if !bytes.Equal(s[:len(block)], block) {
			return false
		}
		s = s[len(block):]
	}
	return bytes.Equal(s, block[:len(s)])
}

// TestHostileEmpties has 100,000 Entries of nothing in a Packet of 200 KB and in a
// list, one message of 178 bytes for each.
func TestHostileEmpties(t *testing.T) {
	const n = 100_000
	want, err := reference.Entry(nil, fastjson.Options{}, goldenMeta)
	if err != nil {
		t.Fatal(err)
	}
	packet := lenField(intField(nil, 3, 7), 5, bytes.Repeat([]byte{0x12, 0}, n))
	for _, from := range []string{"packet", "list"} {
		tr := newTranscoder(t, cdcodec.Options{From: cdcodec.FromPacket, IgnoreBatchID: true})
		run := func() ([]byte, []cdcodec.Message, error) { return tr.Append(nil, nil, packet, goldenMeta) }
		if from == "list" {
			run = func() ([]byte, []cdcodec.Message, error) {
				return tr.AppendEntries(nil, nil, make([][]byte, n), goldenMeta)
			}
		}
		out, msgs, err := run()
		if err != nil || len(msgs) != n || !repeats(out, string(want[0]), n) {
			t.Errorf("%s: %v, %d messages, %d bytes", from, err, len(msgs), len(out))
			continue
		}
		for i, m := range msgs {
			if m.Start != i*len(want[0]) || m.End != m.Start+len(want[0]) || m.Entry != i {
				t.Fatalf("%s: message %d is %+v", from, i, m)
			}
		}
	}
	o := cdcodec.Options{From: cdcodec.FromPacket, JSON: fastjson.Options{MaxOutput: n * len(want[0]) / 2}}
	bad := 0
	o.BadEntry = func(i int, err error) {
		if bad++; !errors.Is(err, fastjson.ErrMaxOutput) {
			t.Fatalf("%d: %v", i, err)
		}
	}
	if _, msgs, err := newTranscoder(t, o).Append(nil, nil, packet, goldenMeta); err != nil || len(msgs)+bad != n || bad > n/2+n/100 {
		t.Errorf("half of the output allowed: %v, %d messages, %d refused", err, len(msgs), bad)
	}
}

// TestHostileBadEntries has a Packet of 100,000 Entries of one bad byte each.
func TestHostileBadEntries(t *testing.T) {
	const n = 100_000
	packet := lenField(intField(nil, 3, 7), 5, bytes.Repeat([]byte{0x12, 1, 0x0f}, n))
	next := 0
	o := cdcodec.Options{From: cdcodec.FromPacket, BadEntry: func(i int, err error) {
		e, ok := err.(*wire.ParseError)
		if !ok || i != next || e.Offset != len(packet)-3*n+3*i+2 || e.Err != wire.ErrType || e.Path != fmt.Sprintf("body.messages[%d]", i) {
			t.Fatalf("Entry %d, number %d: %#v", i, next, err)
		}
		next++
	}}
	if out, msgs, err := newTranscoder(t, o).Append(nil, nil, packet, goldenMeta); err != nil || len(out) > 0 || len(msgs) > 0 || next != n {
		t.Errorf("%v, %d bytes, %d messages, %d bad Entries", err, len(out), len(msgs), next)
	}
	o.BadEntry = nil
	_, _, err := newTranscoder(t, o).Append(nil, nil, packet, goldenMeta)
	if e, ok := err.(*wire.ParseError); !ok || e.Path != "body.messages[0]" {
		t.Errorf("without BadEntry: %v", err)
	}
}

// TestHostileStream sends a million small Entries, of thousands of tables, through
// one Transcoder.
func TestHostileStream(t *testing.T) {
	n := 1_000_000
	if !giant() {
		n = 50_000
	}
	tr := newTranscoder(t, cdcodec.Options{})
	entry := func(buf []byte, i int) []byte {
		switch i % 4 {
		case 0:
			return buf[:0] // an empty Entry
		case 1:
			return intField(buf[:0], 2, 1) // a transaction mark
		case 2:
			return append(buf[:0], 0x1a, 0x04, 0x62, 0x02, 0x12, 0x00) // an UPDATE of a column without a name
		}
		header := lenField(lenField(nil, 8, []byte("s")), 9, []byte(digits(i/4%7919, 3)))
		store := lenField([]byte{0x10, 1}, 12, []byte("\x12\x0b\x1a\x02id\x20\x01\x42\x03123"))
		return lenField(lenField(buf[:0], 1, header), 3, store)
	}
	var dst, buf []byte
	var msgs []cdcodec.Message
	var err error
	for i := range n {
		buf = entry(buf, i)
		if dst, msgs, err = tr.Append(dst[:0], msgs[:0], buf, goldenMeta); err != nil {
			t.Fatal(err)
		}
		if i%997 < 4 {
			want, err := reference.Entry(buf, fastjson.Options{}, goldenMeta)
			if err != nil || !bytes.Equal(dst, bytes.Join(want, nil)) {
				t.Fatalf("Entry %d %x: %v\n got %s\nwant %s", i, buf, err, dst, want)
			}
		}
	}
}

// TestHostileGroups has groups, side by side and nested, wherever a field can be.
func TestHostileGroups(t *testing.T) {
	pairs := bytes.Repeat([]byte{0x7b, 0x7c}, 1<<19)
	deep := func(n int) []byte { return append(bytes.Repeat([]byte{0x7b}, n), bytes.Repeat([]byte{0x7c}, n)...) }
	open := bytes.Repeat([]byte{0x7b}, 1<<20)
	places := []struct {
		name   string
		levels int // that are left for groups
		put    func(g []byte) []byte
	}{
		{"Entry", 100, func(g []byte) []byte { return append(hostileEntry(change.Insert), g...) }},
		{"header", 99, func(g []byte) []byte { return lenField(hostileEntry(change.Insert), 1, g) }},
		{"header props", 98, func(g []byte) []byte { return lenField(nil, 1, lenField(nil, 12, g)) }},
		{"RowChange", 100, func(g []byte) []byte { return lenField(nil, 3, g) }},
		{"row", 99, func(g []byte) []byte { return hostileEntry(change.Insert, g) }},
		{"column", 98, func(g []byte) []byte { return hostileEntry(change.Insert, lenField(nil, 2, g)) }},
		{"column props", 97, func(g []byte) []byte { return hostileEntry(change.Delete, lenField(nil, 2, lenField(nil, 7, g))) }},
	}
	for _, p := range places {
		for _, c := range []struct {
			name   string
			groups []byte
			err    error
		}{
			{"1 MiB of pairs", pairs, nil},
			{"as deep as may be", deep(p.levels), nil},
			{"one level more", deep(p.levels + 1), wire.ErrDepth},
			{"1 MiB of beginnings", open, wire.ErrDepth},
			{"an end too much", append(slices.Clone(pairs), 0x7c), wire.ErrGroup},
			{"an end too few", append(slices.Clone(pairs), 0x7b), wire.ErrTruncated},
		} {
			record := p.put(c.groups)
			out, _, err := newTranscoder(t, cdcodec.Options{}).Append(nil, nil, record, goldenMeta)
			want, werr := reference.Entry(record, fastjson.Options{}, goldenMeta)
			if !errors.Is(err, c.err) || (err == nil) != (werr == nil) || !bytes.Equal(out, bytes.Join(want, nil)) {
				t.Errorf("%s in %s: %v, want %v (reference %v)", c.name, p.name, err, c.err, werr)
			}
		}
	}
}

// TestHostileLengths replaces each length of a good record by ones that lie.
func TestHostileLengths(t *testing.T) {
	row := lenField(nil, 2, lenField(lenField(lenField(nil, 3, []byte("name")), 8, []byte("value")), 10, []byte("text")))
	entry := hostileEntry(change.Insert, row)
	packet := lenField(intField(nil, 3, 7), 5, lenField(nil, 2, entry))
	for _, from := range []cdcodec.Source{cdcodec.FromEntry, cdcodec.FromPacket} {
		record := [][]byte{entry, packet}[from]
		lengths := 0
		for at := 1; at < len(record); at++ {
			if record[at-1]&7 != 2 || int(record[at]) > len(record)-at {
				continue
			}
			lengths++
			for _, lie := range []uint64{uint64(len(record)), 1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 32, 1<<32 + uint64(record[at]), 1<<63 - 1, 1 << 63, 1<<64 - 1} {
				bad := append(wire.AppendVarint(bytes.Clone(record[:at]), lie), record[at+1:]...)
				tr := newTranscoder(t, cdcodec.Options{From: from})
				for range 2 {
					if _, _, err := tr.Append(nil, nil, record, goldenMeta); err != nil {
						t.Fatal(err)
					}
				}
				var out []byte
				var msgs []cdcodec.Message
				var err, werr error
				n := allocated(func() { out, msgs, err = tr.Append(nil, nil, bad, goldenMeta) })
				within(t, fmt.Sprintf("length %d at %d of %x", lie, at, record), n, len(bad))
				if from == cdcodec.FromEntry {
					_, werr = reference.Entry(bad, fastjson.Options{}, goldenMeta)
				} else {
					_, werr = reference.Packet(bad, fastjson.Options{}, goldenMeta, false)
				}
				if (err == nil) != (werr == nil) || err != nil && (out != nil || msgs != nil) {
					t.Errorf("length %d at %d of %x: %v, reference %v", lie, at, record, err, werr)
				}
			}
		}
		if lengths < 8 {
			t.Errorf("only %d lengths were found", lengths)
		}
	}
}
