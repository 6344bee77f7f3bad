package changedataset_test

import (
	"bytes"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/wire/changedataset"
)

// crowd returns n schemas, columns, data, … one behind the other.
func crowd(n int, part func(i int) []byte) []byte {
	var b []byte
	for i := range n {
		b = append(b, part(i)...)
	}
	return b
}

// digits returns i as a text of so many bytes, of 126 values each.
func digits(i, size int) string {
	b := make([]byte, size)
	for k := range b {
		b[k] = byte(1 + i%126)
		i /= 126
	}
	return string(b)
}

// shape makes a set of n of something.
type shape struct {
	name string
	set  func(n int) []byte
	bad  bool // it is in error
}

// shapes are sets of many parts, as small as they can be or such that reading one
// takes long.
func shapes() []shape {
	table := func(column func(i int) []byte, images ...func() []byte) func(n int) []byte {
		return func(n int) []byte {
			data := str(1, "t")
			for _, im := range images {
				data = append(data, bytes.Repeat(im(), n)...)
			}
			return join(sub(3, str(1, "t"), crowd(n, column)), sub(4, data))
		}
	}
	insert, update := func() []byte { return after() }, func() []byte { return before() }
	bare := func(int) []byte { return sub(2) }
	named := func(size int) func(i int) []byte {
		return func(i int) []byte { return sub(2, str(1, digits(i, size))) }
	}
	long := func(i int) []byte { return sub(2, str(1, digits(i, 4)), str(2, "blob")) }
	junk := bytes.Repeat([]byte{0x78, 0}, 10) // fields nobody knows
	all := []shape{
		{"columns of nothing", table(bare, insert), false},
		{"columns of nothing, updated", table(bare, update, insert), false},
		{"columns with different names", table(named(3), insert), false},
		{"columns with different short names", table(named(2), insert), false},
		{"columns with different names, updated", table(named(3), update, insert), false},
		{"columns with one name", table(func(int) []byte { return sub(2, str(1, "a")) }, insert), false},
		{"columns with one name, updated", table(func(int) []byte { return sub(2, str(1, "abc")) }, update, func() []byte { return after(num(2, 1)) }), false},
		{"columns with names twice", table(func(i int) []byte { return named(3)(i / 2) }, insert), false},
		{"columns with names twice, updated", table(func(i int) []byte { return named(3)(i / 2) }, update, func() []byte { return after(num(2, 1)) }), false},
		{"columns with one name twice", table(func(i int) []byte { return named(3)(max(i, 1)) }, update, func() []byte { return after(num(2, 1)) }), false},
		{"columns with types", table(long, insert), false},
		{"columns with types, updated", table(long, update, func() []byte { return after(str(5, "\xff")) }), false},
		{"columns and fields nobody knows", table(func(i int) []byte { return join(junk, sub(2, str(1, digits(i, 3)), junk)) }, func() []byte { return join(junk, after(junk, num(2, 1))) }), false},
		{"rows of a long column", func(n int) []byte {
			return join(sub(3, str(1, "t"), sub(2, bytes.Repeat(num(8, 1), n), str(1, "a"))), bytes.Repeat(row("t", after()), n))
		}, false},
		{"rows of a table with its name last", func(n int) []byte {
			return join(sub(3, bytes.Repeat(str(1, "x"), n), sub(2), str(1, "t")), bytes.Repeat(row("t", after()), n))
		}, false},
		{"rows of long data", func(n int) []byte {
			return join(schema("t", sub(2, str(1, "a"))), crowd(n/100, func(int) []byte {
				return row("t", before(bytes.Repeat(num(2, 1), 100)), after(bytes.Repeat(num(2, 1), 101)))
			}))
		}, false},
		{"schemas of nothing", func(n int) []byte { return bytes.Repeat(sub(3), n) }, false},
		{"schemas of one name", func(n int) []byte {
			return join(bytes.Repeat(schema("t"), n), schema("t", sub(2)), bytes.Repeat(row("t", after()), n))
		}, false},
		{"schemas of one name, of a column", func(n int) []byte {
			return join(bytes.Repeat(schema("t", sub(2)), n), row("t", after()))
		}, false},
		{"schemas of different names", func(n int) []byte { return crowd(n, func(i int) []byte { return schema(digits(i, 2)) }) }, false},
		{"schemas and a change of each", func(n int) []byte {
			return join(crowd(n, func(i int) []byte { return schema(digits(i, 3), sub(2)) }), crowd(n, func(i int) []byte { return row(digits(n-1-i, 3), after()) }))
		}, false},
		{"changes of two tables in turn", func(n int) []byte {
			two := join(row("t", after(), after()), row("u", after()))
			return join(schema("t", sub(2), sub(2)), schema("u", sub(2)), bytes.Repeat(two, n/2))
		}, false},
		{"changes of a table with as many columns", func(n int) []byte {
			return join(sub(3, str(1, "t"), bytes.Repeat(sub(2), n)), bytes.Repeat(row("t", after()), n))
		}, true},
		{"gtIds of nothing", func(n int) []byte {
			return join(sub(2, bytes.Repeat(str(3, ""), n)), schema("t", sub(2)), bytes.Repeat(row("t", after()), 10))
		}, false},
		{"sync points", func(n int) []byte { return bytes.Repeat(sub(2, str(3, "a")), n) }, false},
		{"changes of nothing", func(n int) []byte { return bytes.Repeat(sub(4), n) }, true},
	}
	return all
}

// walk decodes all of a set and writes each Event to room that is there; it also
// asks for each column again.
func walk(d *changedataset.Decoder, w *fastjson.Writer, room, set []byte) error {
	var ev change.Event
	if err := d.Open(set); err != nil {
		return err
	}
	for d.Next(&ev) {
		for ev.Rows.Rewind(); ev.Rows.Next(); {
			for _, im := range [...]change.Image{change.Before, change.After} {
				ev.Rows.Select(im)
				for c := ev.Rows.Column(); c != nil; c = ev.Rows.Column() {
					ev.Rows.At(c.Ref)
				}
			}
		}
		if w != nil {
			if _, err := w.AppendEvent(room, &ev, fastjson.Meta{}); err != nil {
				return err
			}
		}
	}
	return nil
}

// giant reports whether tests of large inputs are to run: not with -short, nor with
// -race, under which they take minutes.
func giant() bool {
	info, _ := debug.ReadBuildInfo()
	race := info != nil && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
	return !testing.Short() && !race
}

// TestMemory holds a Decoder, and one together with a Writer, to the promise: at
// most four times the record and 64 KiB, counted with the collector off.
func TestMemory(t *testing.T) {
	if !giant() {
		t.Skip("seconds")
	}
	room := make([]byte, 0, 64<<20)
	check := func(name string, set []byte, bad bool) {
		t.Helper()
		for _, writer := range []bool{false, true} {
			var d changedataset.Decoder
			var w *fastjson.Writer
			if writer {
				w = new(fastjson.Writer)
			}
			for _, when := range []string{"at first", "again"} {
				var err error
				n := allocated(func() { err = walk(&d, w, room, set) })
				if (err != nil) != bad {
					t.Fatalf("%s: %v", name, err)
				}
				if n > 4*len(set)+64<<10 {
					t.Errorf("%s, %s, with a Writer %v: %d bytes for a record of %d: 64 KiB and %.2f times the record", name, when, writer, n, len(set), float64(n-64<<10)/float64(len(set)))
				}
			}
		}
	}
	for _, s := range shapes() {
		for _, n := range []int{2, 14_337, 60_000} {
			check(fmt.Sprintf("%d %s", n, s.name), s.set(n), s.bad)
		}
	}
	value := func(n int) []byte { return after(sub(5, bytes.Repeat([]byte{0xff}, n))) }
	check("a value of 1 MiB", join(schema("t", col("a", "blob")), row("t", value(1<<20))), false)
	many := crowd(300, func(i int) []byte { return col(digits(i, 2), "blob") })
	check("values that grow", join(schema("t", many), row("t", crowd(300, func(i int) []byte { return value(20 * i) }))), false)
	check("a table name of 1 MiB", join(schema(strings.Repeat("t", 1<<20), sub(2)), row(strings.Repeat("t", 1<<20), after())), false)
	check("a length that lies", append(schema("t", sub(2)), 0x22, 0xff, 0xff, 0xff, 0xff, 0x07), true)
}

func allocated(f func()) int {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int(after.TotalAlloc - before.TotalAlloc)
}

// TestLinear has a hundred times as many of anything take not much more than a
// hundred times as long. What is quadratic takes ten thousand times.
func TestLinear(t *testing.T) {
	if !giant() {
		t.Skip("seconds")
	}
	for _, s := range shapes() {
		var d changedataset.Decoder
		time := func(n, times int) time.Duration {
			set := s.set(n)
			best := time.Duration(1 << 62)
			for range times {
				start := time.Now()
				_ = walk(&d, nil, nil, set)
				best = min(best, time.Since(start))
			}
			return best
		}
		small, large := time(1000, 20), time(100_000, 3)
		if large > 1000*max(small, 2*1000) {
			t.Errorf("%s: 1,000 take %v, 100,000 %v", s.name, small, large)
		}
	}
}

// TestKept is the promise that a giant record does not stay in memory, and can be
// collected after Reset.
func TestKept(t *testing.T) {
	live := func() int {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	d := new(changedataset.Decoder)
	empty := live()
	collected := make(chan bool, 100)
	for _, s := range shapes() {
		func() {
			set := s.set(100_000)
			runtime.AddCleanup(&set[0], func(int) { collected <- true }, 0)
			if err := walk(d, nil, nil, set); (err != nil) != s.bad {
				t.Error(s.name, err)
			}
		}()
		d.Reset()
	}
	if kept := live() - empty; kept > 800<<10 {
		t.Errorf("%d bytes are kept", kept)
	}
	for range 20 {
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
	if n := len(collected); n != len(shapes()) {
		t.Errorf("%d of %d records can be collected", n, len(shapes()))
	}
	runtime.KeepAlive(d)
}

// TestAllocations is that the steady state has none, whatever the tables and
// values.
func TestAllocations(t *testing.T) {
	records := usual(newRand(), 3, 20)
	records = append(records,
		join(sub(2, str(3, "a:1"), str(3, "b:2")), schema("t", col("a", "int"), col("b", "blob"), col("a", "int")), row("t", after(num(2, 1)), after(str(5, "\xff")), after())),
		join(sub(3, crowd(1, func(int) []byte { return str(1, "wide") }), crowd(700, func(i int) []byte { return col(digits(i, 2), "float") })), row("wide", bytes.Repeat(before(f32(4, -1e-30)), 700), bytes.Repeat(after(f32(4, 3e38)), 700))))
	d := changedataset.Decoder{Options: changedataset.Options{Database: "opt"}}
	if n := testing.AllocsPerRun(20, func() {
		for _, r := range records {
			if err := walk(&d, nil, nil, r); err != nil {
				t.Error(err)
			}
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
