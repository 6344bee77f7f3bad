package tidbbinlog_test

import (
	"bytes"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/wire"
	"github.com/cdcodec/cdcodec/wire/tidbbinlog"
)

// What no drainer sends but anyone may: records that are small to make and meant to
// be dear to read.

// giant reports whether tests do their largest sizes: not with -short, and not with
// -race, under which they take minutes.
func giant() bool {
	info, _ := debug.ReadBuildInfo()
	race := info != nil && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
	return !testing.Short() && !race
}

// each returns what f makes of 0 to n-1, behind one another.
func each(n int, f func(i int) []byte) (b []byte) {
	for i := range n {
		b = append(b, f(i)...)
	}
	return b
}

// short returns a name of two or three bytes for each i up to 2^20.
func short(i int) string {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$"
	s := string([]byte{letters[i%64], letters[i/64%64]})
	if i >= 64*64 {
		s += string(letters[i/64/64%64])
	}
	return s
}

// named is a ColumnInfo of nothing but a name.
func named(name string) []byte { return sub(3, str(1, name)) }

// group is a field that nobody knows, of n bytes and some.
func group(n int) []byte {
	return join(wire.AppendTag(nil, 9, wire.StartGroup), times(n/2, num(1, 0)), wire.AppendTag(nil, 9, wire.EndGroup))
}

// hostile are records by what is many in them. The time that each takes must grow
// as n does.
var hostile = []struct {
	name   string
	record func(n int) []byte
}{
	{"columns, an Insert", func(n int) []byte {
		return binlog(table(each(n, func(i int) []byte { return named(short(i)) }), insert(times(n, sub(1)))))
	}},
	{"columns of all names of two bytes", func(n int) []byte {
		n = min(n*5, 1<<16)
		return binlog(table(each(n, func(i int) []byte { return named(string([]byte{byte(i), byte(i >> 8)})) }), insert(times(n, sub(1)))))
	}},
	{"columns, an Update", func(n int) []byte {
		return binlog(table(each(n, func(i int) []byte { return named(short(i)) }), update(times(n, sub(1)), times(n, null()))))
	}},
	{"columns of one name, an Update", func(n int) []byte {
		return binlog(table(times(n, named("a")), update(times(n, i64(1)), times(n, i64(2)))))
	}},
	{"columns of one name behind 300 others, a large value at the end", func(n int) []byte {
		all := func(first []byte) []byte { return join(times(300+n, first), raw(string(times(n, []byte{0xff})))) }
		return binlog(table(each(300, func(i int) []byte { return named(short(i)) }), times(n+1, sub(3, str(1, "!"), str(2, "blob"))), update(all(i64(1)), all(i64(2)))))
	}},
	{"columns of two names in turn behind 300 others, large values at the end", func(n int) []byte {
		all := func(first []byte) []byte {
			return join(times(300+n, first), times(2, raw(string(times(n, []byte{0xff})))))
		}
		return binlog(table(each(300, func(i int) []byte { return named(short(i)) }), each(n+2, func(i int) []byte { return sub(3, str(1, []string{"!", "?"}[i%2]), str(2, "blob")) }), update(all(i64(1)), all(i64(2)))))
	}},
	{"columns of two names, all values large", func(n int) []byte {
		n /= 10
		all := each(n, func(i int) []byte { return raw(string(times(20+i%2000, []byte{0xff}))) })
		return binlog(table(each(n, func(i int) []byte { return sub(3, str(1, []string{"!", "?"}[i%2]), str(2, "blob")) }), insert(all)))
	}},
	{"columns with unknown fields between", func(n int) []byte {
		return binlog(table(each(n, func(i int) []byte { return join(named(short(i)), times(7, num(9, 0))) }), mutation(num(1, 0), sub(2, times(n, join(num(9, 0), sub(1)))))))
	}},
	{"columns with groups between", func(n int) []byte {
		return binlog(table(each(n, func(i int) []byte { return join(named(short(i)), group(0)) }), mutation(num(1, 0), sub(2, times(n, join(group(0), sub(1)))))))
	}},
	{"rows, unknown fields before the last column", func(n int) []byte {
		return binlog(table(each(200, func(i int) []byte { return named(short(i)) }), times(n*20, num(9, 0)), named("!"), times(n/100, insert(times(201, sub(1))))))
	}},
	{"rows, a group before the last column", func(n int) []byte {
		return binlog(table(each(200, func(i int) []byte { return named(short(i)) }), group(n*40), named("!"), times(n/100, insert(times(201, sub(1))))))
	}},
	{"rows between columns", func(n int) []byte {
		return binlog(table(each(200, func(i int) []byte { return named(short(i)) }), times(n/100, insert(times(201, sub(1)))), named("!")))
	}},
	{"rows of columns with many fields", func(n int) []byte {
		return binlog(table(each(200, func(i int) []byte { return sub(3, str(1, short(i)), times(n/10, num(9, 0))) }), times(n/100, insert(times(200, sub(1))))))
	}},
	{"rows of columns with long types", func(n int) []byte {
		long := string(times(n/10, []byte("a ")))
		return binlog(table(each(200, func(i int) []byte { return info(short(i), []string{"INT ", "X"}[i%2]+long) }), times(n/100, insert(times(200, sub(1))))))
	}},
	{"rows of a bit with many fields", func(n int) []byte {
		return binlog(table(sub(3, str(1, "a"), times(n*10, num(9, 0)), str(2, "bit")), times(n, insert(raw("\x00\x00\x00\x00\x00\x00\x00\x00\x01")))))
	}},
	{"values of many fields, one name", func(n int) []byte {
		all := each(500, func(int) []byte { return sub(1, times(n/100, num(2, 1))) })
		return binlog(table(each(300, func(i int) []byte { return named(short(i)) }), times(200, named("!")), update(all, all)))
	}},
	{"a row in parts", func(n int) []byte {
		return binlog(table(each(n, func(i int) []byte { return named(short(i)) }), mutation(num(1, 1), times(n, join(sub(2, sub(1)), sub(3, null()))))))
	}},
	{"a row in parts, and fields between", func(n int) []byte {
		return binlog(table(each(n, func(i int) []byte { return named(short(i)) }), mutation(num(1, 1), times(n, join(sub(2, sub(1)), times(5, num(9, 0)), sub(3, null()), group(4), sub(2, num(9, 0)))))))
	}},
	{"empty parts", func(n int) []byte {
		return binlog(table(named("a"), mutation(num(1, 1), times(n, sub(2)), sub(2, sub(1)), times(n, sub(3)), sub(3, null()), times(n, sub(3)))))
	}},
	{"rows", func(n int) []byte { return binlog(table(named("a"), times(n, insert(sub(1))))) }},
	{"tables", func(n int) []byte { return binlog(times(n, sub(1, named("a"), insert(sub(1))))) }},
	{"tables without columns", func(n int) []byte { return binlog(times(n, sub(1, insert()))) }},
	{"parts of dml_data", func(n int) []byte { return times(n, sub(3, sub(1, named("a"), insert(sub(1))))) }},
	{"tables, each of a column more", func(n int) []byte {
		return binlog(each(n/100, func(i int) []byte {
			return sub(1, each(i, func(i int) []byte { return named(short(i)) }), insert(times(i, sub(1))))
		}))
	}},
	{"names in keys", func(n int) []byte {
		k := each(n, func(i int) []byte { return str(2, short(i)) })
		return binlog(table(each(n, func(i int) []byte { return named(short(i + 1)) }), sub(5, str(1, "u"), k), sub(5, str(1, "PRIMARY"), str(2, "!")), insert(times(n, sub(1)))))
	}},
	{"PRIMARY keys of one name", func(n int) []byte {
		return binlog(table(times(n, named("a")), times(n, sub(5, str(1, "PRIMARY"), str(2, "a"))), insert(times(n, sub(1)))))
	}},
	{"keys of many fields", func(n int) []byte {
		return binlog(table(named("a"), times(n/10, sub(5, times(10, num(9, 0)), str(1, "u"))), insert(sub(1))))
	}},
	{"types in upper case", func(n int) []byte {
		return binlog(table(each(n, func(i int) []byte { return sub(3, str(1, short(i)), str(2, "A")) }), times(2, insert(times(n, sub(1))))))
	}},
	{"a type that is long", func(n int) []byte { return binlog(table(info("a", string(times(n, []byte("A")))), insert(sub(1)))) }},
	{"long names that differ at the end", func(n int) []byte {
		prefix := string(times(1000, []byte("x")))
		return binlog(table(each(n/100, func(i int) []byte { return named(prefix + strconv.Itoa(i)) }), update(times(n/100, sub(1)), times(n/100, null()))))
	}},
	{"a large value", func(n int) []byte {
		return binlog(table(info("a", "blob"), insert(raw(string(times(10*n, []byte{0xff}))))))
	}},
	{"a large value of another field", func(n int) []byte {
		return binlog(table(info("a", "blob"), update(raw(string(times(10*n, []byte{0xff}))), text(string(times(10*n, []byte("ÿ")))))))
	}},
	{"nothing after all: a value is missing", func(n int) []byte {
		return binlog(table(each(n, func(i int) []byte { return named(short(i)) }), times(20, insert(times(n, sub(1)))), insert(times(n-1, sub(1)))))
	}},
}

// readAll reads a record in every way there is: it opens it, walks its Events and
// asks for each column again, and writes them.
type readAll struct {
	d   tidbbinlog.Decoder
	ev  change.Event
	w   *fastjson.Writer
	dst []byte
}

func newReadAll(t testing.TB) *readAll {
	w, err := fastjson.NewWriter(fastjson.Options{MaxOutput: 1 << 30})
	fatal(t, err)
	return &readAll{w: w}
}

// read returns the number of columns it has seen.
func (r *readAll) read(t testing.TB, record []byte, write bool) (n int) {
	if err := r.d.Open(record); err != nil {
		return 0
	}
	for r.d.Next(&r.ev) {
		for rows := r.ev.Rows; rows.Next(); {
			for _, im := range []change.Image{change.Before, change.After} {
				rows.Select(im)
				for c := rows.Column(); c != nil; c = rows.Column() {
					n++
					if again := rows.At(c.Ref); again.Ref != c.Ref {
						t.Fatal("At gives another column")
					}
				}
			}
		}
		if write {
			out, err := r.w.AppendEvent(r.dst[:0], &r.ev, fastjson.Meta{ID: 1, TS: 1})
			fatal(t, err)
			if cap(out) > cap(r.dst) {
				r.dst = out
			}
		}
	}
	r.d.Reset()
	return n
}

// TestHostileLinear holds the time of a byte in large records to that in small ones.
// What is quadratic takes a hundred times as long.
func TestHostileLinear(t *testing.T) {
	small, large := 1000, 100_000
	if !giant() {
		t.Skip("seconds")
	}
	for _, c := range hostile {
		r := newReadAll(t)
		time1 := perByte(t, r, c.record(small))
		ratio := 0.0
		for range 4 {
			ratio = perByte(t, r, c.record(large)) / time1
			if ratio < 4 {
				break
			}
		}
		if testing.Verbose() {
			t.Logf("%-70s %6.1f ns a byte, %.2f", c.name, time1, ratio)
		}
		if ratio > 8 {
			t.Errorf("%s: a byte takes %.1f times as long in a large record", c.name, ratio)
		}
	}
}

// perByte returns how long a byte of a record takes at best, in nanoseconds.
func perByte(t testing.TB, r *readAll, record []byte) float64 {
	best := time.Duration(1 << 62)
	for range 1 + 100_000/len(record) {
		start := time.Now()
		r.read(t, record, true)
		best = min(best, time.Since(start))
	}
	return float64(best.Nanoseconds()) / float64(len(record))
}

// allocated returns how many bytes f allocates.
func allocated(f func()) int {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int(after.TotalAlloc - before.TotalAlloc)
}

// TestHostileMemory is the promise: a record takes at most four times its size and
// 64 KiB, garbage too, the Writer too where there is one Event (what it leaves
// behind for each of several is its own).
func TestHostileMemory(t *testing.T) {
	if !giant() {
		t.Skip("seconds, and with -race more memory")
	}
	n := 14_337
	for _, c := range hostile {
		record := c.record(n)
		full := newReadAll(t)
		full.read(t, record, true)
		events := 0
		for full.d.Open(record); full.d.Next(&full.ev); {
			events++
		}
		r := newReadAll(t)
		r.dst = make([]byte, 2*len(full.dst)+1<<16)
		got := allocated(func() { r.read(t, record, events == 1) })
		if testing.Verbose() {
			t.Logf("%-70s %9d of %9d: %.2f", c.name, got, len(record), float64(got)/float64(len(record)))
		}
		if got > 4*len(record)+64<<10 {
			t.Errorf("%s: %d bytes for a record of %d: 64 KiB and %.2f times the record", c.name, got, len(record), float64(got-64<<10)/float64(len(record)))
		}
		runtime.KeepAlive(r)
	}
}

// TestHostileKept is the promise that a giant record does not stay in memory.
func TestHostileKept(t *testing.T) {
	if !giant() {
		t.Skip("seconds")
	}
	live := func() int {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	for _, c := range hostile {
		record := c.record(30_000)
		before := live()
		r := new(readAll)
		for range 2 {
			r.read(t, record, false)
		}
		if kept := live() - before; kept > 1<<20 {
			t.Errorf("%s: %d bytes are kept", c.name, kept)
		}
		runtime.KeepAlive(r)
		runtime.KeepAlive(record)
	}
}

// TestCollectable is the promise that a Decoder that is Reset lets go of its record.
func TestCollectable(t *testing.T) {
	for _, c := range hostile {
		r := new(readAll)
		collected := make(chan bool, 1)
		func() {
			record := c.record(300)
			runtime.AddCleanup(&record[0], func(int) { collected <- true }, 0)
			r.read(t, record, false)
			r.ev.Reset()
		}()
		for range 20 {
			runtime.GC()
			if len(collected) > 0 {
				break
			}
			runtime.Gosched()
		}
		if len(collected) == 0 {
			t.Errorf("%s: the record is kept", c.name)
		}
		runtime.KeepAlive(r)
	}
}

// TestNoAllocation reads records again and again, and bad ones between.
func TestNoAllocation(t *testing.T) {
	records := [][]byte{
		orders(1), orders(9),
		binlog(table(each(400, func(i int) []byte { return info(short(i), "Geo", num(9, 1)) }), key("PRIMARY", "x"), key("u", "aa"), update(times(400, i64(1)), times(400, raw("\xff"))))),
		join(num(1, 1), sub(4, str(3, "ALTER TABLE t ADD INDEX i (a)"))),
		binlog(table(info("a", "bit"), insert(raw("\x00\x00\x00\x00\x00\x00\x00\x00\x01")))),
		binlog(table(info("a", "double"), update(f64(5e-324), text("0")))),
	}
	r := newReadAll(t)
	for _, record := range records[:3] {
		r.read(t, record, true)
	}
	var ev change.Event
	if n := testing.AllocsPerRun(20, func() {
		for _, record := range records {
			if err := r.d.Open(record); err != nil {
				t.Error(err)
			}
			for r.d.Next(&ev) {
				walk(&ev)
				if ev.Rows != nil {
					ev.Rows.At(1)
				}
			}
			r.d.Reset()
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestWrittenTo has the record change under a Decoder that has checked it. That is
// the caller's fault, and shows something else, but nothing worse.
func TestWrittenTo(t *testing.T) {
	for _, c := range hostile {
		good := c.record(150)
		for _, with := range []byte{0, 0x0a, 0x12, 0x1a, 0x22, 0x2a, 0x7f, 0x80, 0xff} {
			for _, every := range []int{1, 2, 3, 7, 50} {
				record := bytes.Clone(good)
				var d tidbbinlog.Decoder
				if d.Open(record) != nil {
					continue
				}
				var ev change.Event
				d.Next(&ev)
				for i := 0; i < len(record); i += every {
					record[i] = with
				}
				for more := true; more; more = d.Next(&ev) {
					if ev.Rows == nil {
						continue
					}
					walk(&ev)
					for ref := range uint32(8) {
						ev.Rows.At(ref)
						ev.Rows.At(ref + 290)
					}
					d.Locate(&change.ValueError{Text: change.TextValue, Ref: 9})
				}
			}
		}
	}
}
