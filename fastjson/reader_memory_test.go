package fastjson_test

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/fastjson"
)

// giant reports whether tests do their largest sizes: not with -short, and not
// with -race, under which they take minutes.
func giant() bool {
	info, _ := debug.ReadBuildInfo()
	race := info != nil && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
	return !testing.Short() && !race
}

// A shape makes a hostile message of about n columns.
type shape struct {
	name string
	make func(n int) []byte
}

// digits writes i with k characters out of 90, none of which JSON escapes.
func digits(i, k int) string {
	var b [8]byte
	for j := range k {
		c := byte(' ' + i%90)
		i /= 90
		if c == '"' || c == '\\' {
			c += 91
		}
		b[j] = c
	}
	return string(b[:k])
}

// list joins n items.
func list(n int, item func(i int) string) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(item(i))
	}
	return b.String()
}

func shapes() []shape {
	named := func(value string) func(i int) string {
		return func(i int) string { return `"` + digits(i, 3) + `":` + value }
	}
	short, empty := named("0"), named(`""`)
	equal := func(int) string { return `"abc":0` }
	escaped := func(i int) string { return `"\n` + digits(i, 2) + `":0` }
	return []shape{
		{"one row, INSERT", func(n int) []byte { return fmt.Appendf(nil, `{"data":[{%s}],"type":"INSERT"}`, list(n, short)) }},
		{"one row, DELETE, strings", func(n int) []byte { return fmt.Appendf(nil, `{"data":[{%s}],"type":"DELETE"}`, list(n, empty)) }},
		{"one row, all names equal", func(n int) []byte { return fmt.Appendf(nil, `{"data":[{%s}],"type":"INSERT"}`, list(n, equal)) }},
		{"one row, UPDATE, no old", func(n int) []byte { return fmt.Appendf(nil, `{"data":[{%s}],"type":"UPDATE"}`, list(n, short)) }},
		{"one row, UPDATE, some in old", func(n int) []byte {
			return fmt.Appendf(nil, `{"data":[{%s}],"old":[{%s}],"type":"UPDATE"}`, list(n, short), list(n/100, short))
		}},
		{"one row, UPDATE, all in old", func(n int) []byte {
			return fmt.Appendf(nil, `{"data":[{%s}],"old":[{%s}],"type":"UPDATE"}`, list(n/2, short), list(n/2, short))
		}},
		{"one row, UPDATE of TiCDC", func(n int) []byte {
			return fmt.Appendf(nil, `{"type":"UPDATE","old":[{%s}],"data":[{%s}]}`, list(n/2, empty), list(n/2, short))
		}},
		{"old without data", func(n int) []byte {
			return fmt.Appendf(nil, `{"data":null,"old":[{%s}],"type":"UPDATE"}`, list(n, short))
		}},
		{"types too", func(n int) []byte {
			return fmt.Appendf(nil, `{"data":[{%s}],"mysqlType":{%s},"sqlType":{%s},"pkNames":[%s],"type":"INSERT"}`, list(n/4, short), list(n/4, empty), list(n/4, short),
				list(n/4, func(i int) string { return `"` + digits(i, 3) + `"` }))
		}},
		{"types in another order", func(n int) []byte {
			return fmt.Appendf(nil, `{"data":[{%s}],"mysqlType":{%s},"sqlType":{%s},"type":"INSERT"}`, list(n/3, short),
				list(n/3, func(i int) string { return empty(n/3 - 1 - i) }), list(n/3, func(i int) string { return short(n/3 - 1 - i) }))
		}},
		{"types only", func(n int) []byte {
			return fmt.Appendf(nil, `{"data":[{"a":0}],"mysqlType":{%s},"type":"INSERT"}`, list(n, empty))
		}},
		{"keys that are one", func(n int) []byte {
			return fmt.Appendf(nil, `{"data":[{"a":0,"b":1}],"pkNames":[%s],"type":"INSERT"}`, list(n, func(i int) string { return []string{`"b"`, `"a"`}[i%2] }))
		}},
		{"names with an escape", func(n int) []byte { return fmt.Appendf(nil, `{"data":[{%s}],"type":"INSERT"}`, list(n, escaped)) }},
		{"one name with an escape", func(n int) []byte { return fmt.Appendf(nil, `{"data":[{"\n":0,%s}],"type":"INSERT"}`, list(n, short)) }},
		{"an escape at either end", func(n int) []byte {
			return fmt.Appendf(nil, `{"data":[{"\n":0,%s,"\t":0}],"type":"INSERT"}`, list(n, short))
		}},
		{"values with an escape", func(n int) []byte { return fmt.Appendf(nil, `{"data":[{%s}],"type":"INSERT"}`, list(n, named(`"\n"`))) }},
		{"rows of one column", func(n int) []byte {
			return fmt.Appendf(nil, `{"data":[%s],"type":"INSERT"}`, list(n, func(i int) string { return `{"a":0}` }))
		}},
		{"rows of a column of their own", func(n int) []byte {
			return fmt.Appendf(nil, `{"data":[%s],"type":"INSERT"}`, list(n, func(i int) string { return "{" + short(i) + "}" }))
		}},
		{"rows that update a column of their own", func(n int) []byte {
			rows := list(n/2, func(i int) string { return "{" + short(i) + "}" })
			return fmt.Appendf(nil, `{"data":[%s],"old":[%s],"type":"UPDATE"}`, rows, rows)
		}},
		{"rows that update the column before", func(n int) []byte {
			return fmt.Appendf(nil, `{"data":[%s],"old":[{},%s],"type":"UPDATE"}`, list(n/2, func(i int) string { return "{" + short(i) + "}" }), list(n/2, func(i int) string { return "{" + short(i) + "}" }))
		}},
		{"rows without columns", func(n int) []byte {
			return fmt.Appendf(nil, `{"data":[%s],"old":[%s],"type":"UPDATE"}`, list(n/2, func(int) string { return "{}" }), list(n/2+50, func(int) string { return "{}" }))
		}},
		{"rows whose data is to be found", func(n int) []byte {
			return fmt.Appendf(nil, `{"data":[%s],"old":[%s,{"c":0}],"type":"UPDATE"}`, list(n/2, func(i int) string { return []string{`{"a":0}`, `{"b":0}`}[i%2] }),
				list(n/2+60, func(i int) string { return []string{`{}`, `{}`, `{}`, `{}`, `{"a":0}`}[i%5] }))
		}},
		{"rows, each a little longer", func(n int) []byte {
			rows := 1
			for rows*rows/2 < n {
				rows++
			}
			return fmt.Appendf(nil, `{"data":[%s],"type":"DELETE"}`, list(rows, func(i int) string { return "{" + list(i, short) + "}" }))
		}},
		{"one long row and many short ones", func(n int) []byte {
			return fmt.Appendf(nil, `{"data":[{%s},%s],"type":"INSERT"}`, list(n/2, short), list(n/2, func(int) string { return `{"a":0}` }))
		}},
		{"names in old that are one after repair", func(n int) []byte {
			return fmt.Appendf(nil, `{"data":[{"ab\ufffd":0,%s}],"old":[{%s,%s}],"type":"UPDATE"}`, list(n/2, short), "\"ab\xff\":0,\"ab\xfe\":0", list(n/2, short))
		}},
		{"unknown keys", func(n int) []byte { return fmt.Appendf(nil, `{%s,"type":"INSERT"}`, list(n, escaped)) }},
		{"unknown strings", func(n int) []byte {
			return fmt.Appendf(nil, `{"x":[%s],"type":"INSERT"}`, list(n, func(int) string { return `"\n"` }))
		}},
		{"a long name", func(n int) []byte {
			return fmt.Appendf(nil, `{"data":[{"%[1]s":0},{"%[1]s":1}],"type":"INSERT"}`, strings.Repeat("x", 4*n))
		}},
		{"long names", func(n int) []byte {
			return fmt.Appendf(nil, `{"data":[{%s}],"type":"INSERT"}`, list(n/100, func(i int) string { return `"` + strings.Repeat("x", 1000) + digits(i, 3) + `":0` }))
		}},
		{"a long value", func(n int) []byte {
			return fmt.Appendf(nil, `{"data":[{"a":"%s"}],"type":"INSERT"}`, strings.Repeat("x", 8*n))
		}},
		{"a long value of escapes", func(n int) []byte {
			return fmt.Appendf(nil, `{"data":[{"a":"%s"}],"type":"INSERT"}`, strings.Repeat(`\n`, 4*n))
		}},
		{"a long value of an escape", func(n int) []byte {
			return fmt.Appendf(nil, `{"data":[{"a":"\n%s"}],"type":"INSERT"}`, strings.Repeat("x", 8*n))
		}},
		{"long types", func(n int) []byte {
			return fmt.Appendf(nil, `{"data":[{%s}],"mysqlType":{%s},"type":"INSERT"}`, list(1000, short), list(1000, func(i int) string { return named(`"` + strings.Repeat("x", n/100) + `"`)(i) }))
		}},
		{"nested", func(n int) []byte {
			return fmt.Appendf(nil, `{"data":[{"a":[%s]}],"type":"INSERT"}`, list(n, func(int) string { return `[{"":[]}]` }))
		}},
		{"an error behind a long name", func(n int) []byte {
			return fmt.Appendf(nil, `{"data":[{"%s":x}],"type":"INSERT"}`, strings.Repeat("x", 8*n))
		}},
		{"an error behind names", func(n int) []byte { return fmt.Appendf(nil, `{"data":[{%s,x}],"type":"INSERT"}`, list(n, escaped)) }},
		{"an error in a long table", func(n int) []byte {
			return fmt.Appendf(nil, `{"table":"%s","type":"INSERTED"}`, strings.Repeat("x", 8*n))
		}},
		{"an unknown long type", func(n int) []byte { return fmt.Appendf(nil, `{"type":"%s"}`, strings.Repeat(`\n`, 8*n)) }},
	}
}

// within holds n allocated bytes to the promise.
func within(t *testing.T, name string, n uint64, message int) {
	t.Helper()
	if n > 4*uint64(message)+64<<10 {
		t.Errorf("%s: %d bytes for a message of %d: 64 KiB and %.2f times the message", name, n, message, float64(n-64<<10)/float64(message))
	}
}

// TestReaderMemory reads hostile messages and writes what was read, at first and
// again: all that Reader and Writer allocate is within 4 times the message and
// 64 KiB.
func TestReaderMemory(t *testing.T) {
	for _, s := range shapes() {
		for _, n := range []int{1000, 14_337, 100_000} {
			if n > 1000 && !giant() {
				break
			}
			msg := s.make(n)
			var r fastjson.Reader
			var w fastjson.Writer
			var ev change.Event
			dst := make([]byte, 0, 16*len(msg)+1<<16)
			for _, when := range []string{"at first", "again"} {
				within(t, fmt.Sprintf("%s, %d, %s", s.name, n, when), allocated(func() {
					if err := r.Read(&ev, nil, msg); err == nil {
						if _, err := w.AppendEvent(dst, &ev, meta); err != nil {
							t.Errorf("%s: %v", s.name, err)
						}
					} else if !strings.HasPrefix(s.name, "an ") || len(err.Error()) > 9*n+1000 {
						t.Errorf("%s: %.300v", s.name, err)
					}
				}), len(msg))
			}
		}
	}
}

// TestReaderKept is the promise that a giant message does not stay in memory.
func TestReaderKept(t *testing.T) {
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
	for _, s := range shapes() {
		msg := s.make(200_000)
		var r fastjson.Reader
		var ev change.Event
		before := live()
		for range 2 {
			_ = r.Read(&ev, nil, msg)
			walkAll(&ev)
		}
		ev.Reset()
		r.Reset()
		if kept := live() - before; kept > 1<<20 {
			t.Errorf("%s: %d bytes are kept of a message of %d", s.name, kept, len(msg))
		}
		runtime.KeepAlive(&r)
		runtime.KeepAlive(msg)
	}
}

// TestReaderCollectable has a message be collected after Reset, and after an
// error.
func TestReaderCollectable(t *testing.T) {
	var r fastjson.Reader
	for _, s := range []string{readSeeds[0], readSeeds[6], `{"data":[{"a\n":"1"}],"type":"INSERT"}`, `{"type":"x"}`, `{`, `  `} {
		collected := make(chan bool, 1)
		func() {
			msg := append([]byte(nil), s+strings.Repeat(" ", 1000)...) // no tiny object
			runtime.AddCleanup(&msg[0], func(int) { collected <- true }, 0)
			var ev change.Event
			if _, err := r.Next(&ev, nil, msg); err == nil {
				r.Reset()
			} else if err == io.EOF {
				return
			}
		}()
		for range 20 {
			if runtime.GC(); len(collected) > 0 {
				break
			}
			runtime.Gosched()
		}
		if len(collected) == 0 {
			t.Errorf("%s: is held", s)
		}
	}
	runtime.KeepAlive(&r)
}

// walkAll looks at all columns twice.
func walkAll(ev *change.Event) (n int) {
	for range 2 {
		if ev.Rows == nil {
			return 0
		}
		for ev.Rows.Rewind(); ev.Rows.Next(); {
			for _, im := range [...]change.Image{change.After, change.Before} {
				ev.Rows.Select(im)
				for c := ev.Rows.Column(); c != nil; c = ev.Rows.Column() {
					n += len(c.Name) + len(c.Value) + len(c.MySQLType)
				}
			}
		}
	}
	return n
}

// TestReaderDoesNotAllocate reads messages of all shapes with a Reader that has
// seen them.
func TestReaderDoesNotAllocate(t *testing.T) {
	var messages [][]byte
	for _, s := range readSeeds {
		messages = append(messages, []byte(s))
	}
	for name, ev := range limited() {
		if !strings.HasPrefix(name, "long") {
			messages = append(messages, []byte(write(t, fastjson.Options{}, ev)))
		}
	}
	for _, s := range shapes() {
		// Not where there is an error, nor where data's rows are to be found.
		if !strings.HasPrefix(s.name, "an ") && s.name != "rows whose data is to be found" && s.name != "rows that update the column before" {
			messages = append(messages, s.make(1000))
		}
	}
	var r fastjson.Reader
	var ev change.Event
	var m fastjson.Meta
	all := bytes.Join(messages, []byte("\n"))
	for i, msg := range messages {
		if err := r.Read(&ev, &m, msg); err != nil {
			t.Fatalf("%.300s: %v", msg, err)
		}
		if n := testing.AllocsPerRun(20, func() {
			if err := r.Read(&ev, &m, msg); err != nil {
				t.Error(err)
			}
			walkAll(&ev)
		}); n > 0 {
			t.Errorf("%d: %.300s … %.100s\n%v allocations", i, msg, msg[max(0, len(msg)-100):], n)
		}
	}
	run := func() {
		rest := all
		for n := 0; ; n++ {
			var err error
			if rest, err = r.Next(&ev, &m, rest); err == io.EOF {
				if n != len(messages) {
					t.Errorf("%d messages", n)
				}
				return
			} else if err != nil {
				t.Error(err)
				return
			}
			walkAll(&ev)
		}
	}
	run()
	if n := testing.AllocsPerRun(20, run); n > 0 {
		t.Errorf("%v allocations for all of them", n)
	}
}
