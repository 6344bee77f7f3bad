package cdcodec_test

import (
	"bytes"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/wire"
)

// The promise: working memory is at most four times the record and 64 KiB. It is
// what a Transcoder allocates besides dst and msgs, both of which are large
// enough here; bytes, counted with the garbage collector off, so that what is
// thrown away within the record counts too.

// allocated returns how many bytes f allocates.
func allocated(f func()) int {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int(after.TotalAlloc - before.TotalAlloc)
}

// live returns how many bytes are in use.
func live() int {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// scratch returns how many bytes a Transcoder allocates for a record besides its
// output, and its error.
func scratch(tr *cdcodec.Transcoder, record []byte, room, messages int) (n int, err error) {
	dst, msgs := make([]byte, 0, room), make([]cdcodec.Message, 0, messages)
	n = allocated(func() { _, _, err = tr.Append(dst, msgs, record, goldenMeta) })
	return n, err
}

// hostileRecords are what the memory of is measured: shapes of many columns, in
// a number at which tables that double are emptiest, and a few records more.
func hostileRecords() []shape {
	var all []shape
	for _, s := range hostileShapes() {
		n := 14_337
		switch {
		case s.heavy:
			n = 3000
		case !strings.Contains(s.name, "one row") && !strings.Contains(s.name, "INSERT, bare"):
			continue
		}
		all = append(all, shape{name: s.name, entry: func(int) []byte { return s.entry(n) }})
	}
	one := func(name string, entry []byte) {
		all = append(all, shape{name: name, entry: func(int) []byte { return entry }})
	}
	value := func(unit string, n int) []byte {
		return hostileEntry(change.Insert, lenField(nil, 2, lenField(lenField(nil, 3, []byte("v")), 8, bytes.Repeat([]byte(unit), n))))
	}
	one("nothing", nil)
	one("a value of 1 MiB", value("plain ab", 1<<17))
	one("a value of 1 MiB of escapes", value(`"`, 1<<20))
	one("a value of 1 MiB that is not UTF-8", value("\xff", 1<<20))
	one("a name of 1 MiB", hostileEntry(change.Update, lenField(lenField(nil, 2, lenField(nil, 3, make([]byte, 1<<20))), 1, lenField(nil, 3, make([]byte, 1<<20)))))
	one("a table name of 1 MiB", lenField(lenField(nil, 1, lenField(nil, 9, make([]byte, 1<<20))), 3, []byte{0x62, 2, 0x12, 0}))
	one("1 MiB cut", value("plain ab", 1<<17)[:1<<19])
	one("a table of 1 MiB cut", lenField(lenField(nil, 1, lenField(nil, 9, make([]byte, 1<<20))), 3, []byte{0x62, 2, 0x12}))
	one("256 columns with types", hostileEntry(change.Insert, crowd{name: distinctNames, extra: lenField(nil, 10, []byte("varchar(255)"))}.image(nil, 2, 0, 256)))
	one("54 columns with types of 1000 bytes", hostileEntry(change.Insert, crowd{name: distinctNames, extra: lenField(nil, 10, bytes.Repeat([]byte("t"), 1000))}.image(nil, 2, 0, 54)))
	one("a length that lies", append(hostileEntry(change.Insert), 0x1a, 0xff, 0xff, 0xff, 0xff, 0x07))
	one("1 MiB of rows with a name twice", hostileEntry(change.Update, rowsTwice(1<<20)...))
	return all
}

// rowsTwice returns so many bytes of rows, each with a little more of names that
// are in its before image twice than the one before.
func rowsTwice(size int) (rows [][]byte) {
	marked := crowd{name: equalNames, bare: true, updated: true}
	twice := crowd{name: func(i int) string { return digits(i/2, 2) }, bare: true}
	all := crowd{name: func(i int) string { return digits(i, 2) }, bare: true, updated: true}
	rows = append(rows, all.image(nil, 2, 0, 600))
	for n := 2; size > 0 && n < 1200; n += 2 {
		row := twice.image(marked.image(nil, 2, 0, 1), 1, 0, n)
		rows = append(rows, row)
		size -= len(row)
	}
	return rows
}

// TestHostileMemory holds every record to the promise, in a fresh Transcoder and
// again in the same one, which then keeps what it may.
func TestHostileMemory(t *testing.T) {
	if !giant() {
		t.Skip("seconds")
	}
	big := newTranscoder(t, cdcodec.Options{})
	for _, s := range hostileRecords() {
		record := s.entry(0)
		out, _, _ := big.Append(nil, nil, record, goldenMeta)
		room := 2*len(out) + 1<<16
		for i, o := range hostileOptions {
			if i > 0 && !strings.Contains(s.name, "UPDATE") {
				break
			}
			tr := newTranscoder(t, cdcodec.Options{JSON: o.Options})
			for _, when := range []string{"at first", "again"} {
				n, _ := scratch(tr, record, room, 1)
				within(t, fmt.Sprintf("%s, %s, %s", s.name, o.name, when), n, len(record))
			}
		}
	}
}

// within holds n allocated bytes to the promise.
func within(t *testing.T, name string, n, record int) {
	t.Helper()
	if n > 4*record+64<<10 {
		t.Errorf("%s: %d bytes for a record of %d: 64 KiB and %.2f times the record", name, n, record, float64(n-64<<10)/float64(record))
	}
}

// TestHostileMemoryPacket is the same for Packets. What an Entry leaves behind as
// garbage is not in use any more when the next one comes, so that the promise is
// for what is still there at the end; all in all it may be three times that.
func TestHostileMemoryPacket(t *testing.T) {
	if !giant() {
		t.Skip("seconds")
	}
	named := crowd{name: func(i int) string { return digits(i, 2) }, bare: true}
	type packet struct {
		name    string
		entries []byte
	}
	list := func(n int, entry func(i int) []byte) (b []byte) {
		for i := range n {
			b = lenField(b, 2, entry(i))
		}
		return b
	}
	for _, p := range []packet{
		{"100,000 Entries of nothing", bytes.Repeat([]byte{0x12, 0}, 100_000)},
		{"10,000 Entries of a column", list(10_000, func(int) []byte { return hostileEntry(change.Insert, named.image(nil, 2, 0, 1)) })},
		{"10,000 tables of a column", list(10_000, func(i int) []byte {
			e := lenField(intField(lenField(nil, 1, lenField(nil, 9, []byte(digits(i, 3)))), 2, 2), 3, lenField(nil, 12, named.image(nil, 2, 0, 1)))
			return e
		})},
		{"500 tables of the shortest columns", list(500, func(i int) []byte {
			c := crowd{name: func(i int) string { return digits(i, 1) }, bare: true}
			return lenField(lenField(nil, 1, lenField(nil, 9, []byte(digits(i, 2)))), 3, lenField([]byte{0x10, 1}, 12, c.image(nil, 2, 0, 90)))
		})},
		{"1,000 Entries, each of more columns than the one before", list(1000, func(i int) []byte {
			return hostileEntry(change.Insert, named.image(nil, 2, 0, i))
		})},
		{"1,000 tables, each of more columns than the one before", list(1000, func(i int) []byte {
			return lenField(lenField(nil, 1, lenField(nil, 9, []byte(digits(i, 3)))), 3, lenField(nil, 12, named.image(nil, 2, 0, i)))
		})},
		{"a table that is never the same", list(3000, func(i int) []byte {
			return hostileEntry(change.Insert, named.image(nil, 2, i, i+1+i%200))
		})},
	} {
		record := lenField(intField(nil, 3, 7), 5, p.entries)
		tr := newTranscoder(t, cdcodec.Options{From: cdcodec.FromPacket})
		out, msgs, err := tr.Append(nil, nil, record, goldenMeta)
		if err != nil {
			t.Fatal(err)
		}
		tr = newTranscoder(t, cdcodec.Options{From: cdcodec.FromPacket})
		before := live()
		n, err := scratch(tr, record, 2*len(out)+1<<16, len(msgs))
		if err != nil {
			t.Error(err)
		}
		within(t, p.name+", all in all, by 3", n/3, len(record))
		within(t, p.name+", kept", live()-before, len(record))
		runtime.KeepAlive(tr)
		runtime.KeepAlive(record)
		runtime.KeepAlive(out)
		runtime.KeepAlive(msgs)
	}
}

// TestHostileGrowth has a Packet of Entries whose messages fill dst, and of others
// that write a lot and then fail: dst must not be copied for each of them.
func TestHostileGrowth(t *testing.T) {
	column := func(row []byte, name, value string, n int) []byte {
		return lenField(row, 2, lenField(lenField(nil, 3, []byte(name)), 8, bytes.Repeat([]byte(value), n)))
	}
	const n = 50
	large := hostileEntry(change.Insert, column(nil, "a", "x", 1<<20))
	good := hostileEntry(change.Insert, column(nil, "a", "x", 16<<10))
	bad := hostileEntry(change.Insert, column(column(nil, "a", "x", 32<<10), "b", "\xff", 1))
	for filled := range 20 {
		body := lenField(nil, 2, large)
		for range filled {
			body = lenField(body, 2, good)
		}
		for range n {
			body = lenField(body, 2, bad)
		}
		record := lenField(intField(nil, 3, 7), 5, body)
		told := 0
		o := cdcodec.Options{From: cdcodec.FromPacket, BadEntry: func(int, error) { told++ }}
		o.JSON.RejectInvalidUTF8 = true
		tr := newTranscoder(t, o)
		var err error
		var out []byte
		got := allocated(func() { out, _, err = tr.Append(nil, nil, record, goldenMeta) })
		if err != nil || told != n {
			t.Fatalf("%v, %d bad Entries", err, told)
		}
		// To grow by quarters allocates five times what is there at the end.
		if limit := 6*len(out) + 4*len(record); got > limit {
			t.Errorf("%d good Entries before %d bad ones: %d bytes allocated for a record of %d and an output of %d, want at most %d", 1+filled, n, got, len(record), len(out), limit)
		}
	}
}

// TestHostileGrowthNames is the same for bad Entries that write 24 times what they
// are: a name that is all escapes is in a message four times.
func TestHostileGrowthNames(t *testing.T) {
	named := func(table string, n int) []byte {
		row := lenField(nil, 2, intField(lenField(nil, 3, bytes.Repeat([]byte{1}, n)), 4, 1))
		store := lenField(intField(nil, 2, uint64(change.Insert)), 12, row)
		return lenField(lenField(nil, 1, lenField(nil, 9, []byte(table))), 3, store)
	}
	for _, c := range []struct{ size, n, filled int }{{12 << 10, 20, 20}, {80 << 10, 5, 8}} {
		for filled := range c.filled {
			var body []byte
			for range c.n {
				body = lenField(body, 2, named("t", c.size))
			}
			for range filled { // to where dst is full enough
				body = lenField(body, 2, named("t", c.size/4))
			}
			for range 20 {
				body = lenField(body, 2, named("\xff", c.size)) // the table comes last
			}
			record := lenField(intField(nil, 3, 7), 5, body)
			o := cdcodec.Options{From: cdcodec.FromPacket, BadEntry: func(int, error) {}}
			o.JSON.RejectInvalidUTF8 = true
			tr := newTranscoder(t, o)
			var err error
			var out []byte
			got := allocated(func() { out, _, err = tr.Append(nil, nil, record, goldenMeta) })
			if limit := 8*len(out) + 4*len(record); got > limit || err != nil {
				t.Errorf("bad Entries of %d bytes: %d bytes allocated for a record of %d and an output of %d, want at most %d (%v)", c.size, got, len(record), len(out), limit, err)
			}
		}
	}
}

// TestHostileKept is the promise that a giant record does not stay in memory.
func TestHostileKept(t *testing.T) {
	if !giant() {
		t.Skip("seconds")
	}
	all := crowd{name: distinctNames, bare: true, updated: true}
	twice := crowd{name: func(i int) string { return distinctNames(i / 2) }, bare: true}
	for _, c := range []struct {
		name  string
		entry []byte
		o     fastjson.Options
	}{
		{"100,000 columns", hostileEntry(change.Insert, all.image(nil, 2, 0, 100_000)), fastjson.Options{}},
		{"32,000 columns", hostileEntry(change.Insert, all.image(nil, 2, 0, 32_000)), fastjson.Options{}},
		{"32,000 columns, in old twice", hostileEntry(change.Update, twice.image(all.image(nil, 2, 0, 32_000), 1, 0, 32_000)), fastjson.Options{}},
		{"a value of 8 MiB", hostileEntry(change.Insert, lenField(nil, 2, lenField(lenField(nil, 3, []byte("v")), 8, make([]byte, 8<<20)))), fastjson.Options{}},
		{"a value of 8 MiB to be rejected", hostileEntry(change.Insert, lenField(nil, 2, lenField(lenField(nil, 3, []byte("v")), 8, bytes.Repeat([]byte{0xff}, 8<<20)))), fastjson.Options{RejectInvalidUTF8: true}},
	} {
		tr := newTranscoder(t, cdcodec.Options{JSON: c.o})
		before := live()
		for range 3 {
			_, _, _ = tr.Append(nil, nil, c.entry, goldenMeta)
		}
		kept := live() - before
		runtime.KeepAlive(tr)
		runtime.KeepAlive(c.entry)
		if kept > 1<<20 {
			t.Errorf("%s: %d bytes are kept", c.name, kept)
		}
	}
}

// TestHostileCollectable is the promise that a Transcoder borrows a record no
// longer than the call: the record can be collected after it.
func TestHostileCollectable(t *testing.T) {
	good := hostileEntry(change.Update, crowd{name: distinctNames, updated: true}.row("UPDATE", 0, 400))
	twice := hostileEntry(change.Update, crowd{name: equalNames, updated: true}.row("UPDATE", 0, 400))
	small := hostileEntry(change.Insert, crowd{name: distinctNames}.image(nil, 2, 0, 5))
	invalid := hostileEntry(change.Insert, lenField(nil, 2, lenField(lenField(nil, 3, []byte("v")), 8, bytes.Repeat([]byte{0xff}, 5000))))
	for _, c := range []struct {
		name   string
		record []byte
		o      cdcodec.Options
	}{
		{"an UPDATE", good, cdcodec.Options{}},
		{"names twice", twice, cdcodec.Options{}},
		{"the fused path", small, cdcodec.Options{}},
		{"cut", good[:len(good)-7], cdcodec.Options{}},
		{"rejected", invalid, cdcodec.Options{JSON: fastjson.Options{RejectInvalidUTF8: true}}},
		{"too long", good, cdcodec.Options{JSON: fastjson.Options{MaxOutput: 3000}}},
		{"a Packet", lenField(intField(nil, 3, 7), 5, lenField(lenField(nil, 2, good), 2, small)), cdcodec.Options{From: cdcodec.FromPacket}},
	} {
		tr := newTranscoder(t, c.o)
		dst := make([]byte, 0, 1<<16)
		collected := make(chan bool, 3)
		for range 3 {
			func() {
				record := bytes.Clone(c.record)
				runtime.AddCleanup(&record[0], func(int) { collected <- true }, 0)
				_, _, err := tr.Append(dst, nil, record, goldenMeta)
				if e, ok := err.(*wire.ParseError); err != nil && (!ok || e.Err == nil) {
					t.Errorf("%s: %v", c.name, err)
				}
			}()
		}
		for range 20 {
			runtime.GC()
			if len(collected) == 3 {
				break
			}
			runtime.Gosched()
		}
		runtime.KeepAlive(tr)
		if n := len(collected); n != 3 {
			t.Errorf("%s: %d of 3 records can be collected while the Transcoder lives", c.name, n)
		}
	}
}
