package partition_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/change/partition"
	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/internal/corpus"
	"github.com/cdcodec/cdcodec/wire/canal"
)

// The slow way, as Canal goes: from the finished message, over maps of strings, with
// Java's hash over what utf16 makes of them. It shares nothing with the package.

// slowPartitions returns the partition of each row of a message's data, or that of the
// message alone where there is none.
func slowPartitions(t testing.TB, o partition.Options, message []byte) []int32 {
	t.Helper()
	var m fastjson.Message
	if err := json.Unmarshal(message, &m); err != nil {
		t.Fatal(err)
	}
	if m.IsDDL || len(m.Data) == 0 {
		return []int32{0}
	}
	by, columns := slowDecision(o, m.Database, m.Table)
	var all []int32
	for _, row := range m.Data {
		h := int32(0)
		switch by {
		case "nothing":
			all = append(all, 0)
			continue
		case "table":
			h = javaHash(m.Table)
		default:
			if o.DatabaseHash {
				h = javaHash(m.Database)
			}
			names := columns
			if by == "pk" {
				names = m.PKNames
			}
			for _, name := range names {
				if value := row[name]; value != nil {
					h ^= javaHash(*value)
				}
			}
		}
		all = append(all, int32(javaAbs(javaAbs(h)%int32(max(o.Partitions, 1)))))
	}
	return all
}

func slowDecision(o partition.Options, database, table string) (by string, columns []string) {
	switch o.By {
	case partition.ByTable:
		return "table", nil
	case partition.ByKey:
		return "pk", nil
	}
	for _, rule := range strings.Split(strings.ReplaceAll(o.Rules, ",", ";"), ";") {
		name, by, columns := rule, "table", []string(nil)
		if i := strings.LastIndex(rule, ":"); i > 0 {
			name, by = rule[:i], "columns"
			if strings.ToLower(rule[i+1:]) == "$pk$" {
				by = "pk"
			} else if rule[i+1:] != "" {
				columns = strings.Split(rule[i+1:], "^")
			}
		}
		if name == "" {
			continue
		}
		whole := database + "." + table
		if strings.ToLower(name) == strings.ToLower(whole) {
			return by, columns
		}
		if strings.ContainsAny(name, `*?+|(){}[]\$^`) && regexp.MustCompile("^(?s:"+strings.ToLower(name)+")$").MatchString(strings.ToLower(whole)) {
			return by, columns
		}
	}
	return "nothing", nil
}

func javaHash(s string) (h int32) {
	for _, unit := range utf16.Encode([]rune(s)) {
		h = 31*h + int32(unit)
	}
	return h
}

func javaAbs(v int32) int32 {
	if v < 0 {
		return -v
	}
	return v
}

// decoded calls f with the Event of an Entry and its message in Canal-JSON, if it has
// one.
func decoded(t testing.TB, entry []byte, f func(ev *change.Event, message []byte)) {
	t.Helper()
	e, err := canal.ParseEntry(entry)
	if err != nil || e.IsTransactionMark() {
		return
	}
	var d canal.Decoder
	var ev change.Event
	if d.Decode(&ev, &e) != nil {
		return
	}
	var w fastjson.Writer
	message, err := w.AppendEvent(nil, &ev, fastjson.Meta{})
	if err != nil {
		t.Fatal(err)
	}
	f(&ev, message)
}

// checkEntry holds what p says of an Entry, on both ways, to the slow way. It reports
// whether the Entry has an Event, and whether AppendEntry took it.
func checkEntry(t testing.TB, p *partition.Partitioner, o partition.Options, entry []byte) (known, fast bool) {
	t.Helper()
	decoded(t, entry, func(ev *change.Event, message []byte) {
		known = true
		want := slowPartitions(t, o, message)
		got := p.AppendRows([]int32{-1}, ev)[1:]
		if ev.Rows == nil && len(got) > 0 {
			t.Fatalf("partitions of no rows: %v", got)
		}
		next, before := 0, int32(-1)
		if ev.Rows != nil {
			row := 0
			for ev.Rows.Rewind(); ev.Rows.Next(); row++ {
				ev.Rows.Select(change.ImageOf(ev.Type))
				switch {
				case row >= len(got):
					t.Fatalf("more than %d rows", len(got))
				case ev.Rows.Column() != nil:
					if before = got[row]; before != want[next] {
						t.Fatalf("rules %q, %+v: row %d goes to %d, want %d\n%s", o.Rules, o, row, before, want[next], message)
					}
					next++
				case before >= 0 && got[row] != before:
					t.Fatalf("row %d, which shows nothing, leaves the one before it", row)
				}
			}
			if row != len(got) {
				t.Fatalf("%d partitions of %d rows", len(got), row)
			}
		}
		if next == 0 {
			for _, part := range got {
				if part != 0 {
					t.Fatalf("rows that show nothing go to %d", part)
				}
			}
		} else if next != len(want) {
			t.Fatalf("%d rows show something, the message has %d", next, len(want))
		}
		parts, ok := p.AppendEntry([]int32{-1}, entry)
		if fast = ok; ok && !slices.Equal(parts[1:], got) || !ok && len(parts) != 1 {
			t.Fatalf("rules %q, %+v: from the bytes rows go to %v, %v, want %v\n%s", o.Rules, o, parts, ok, got, message)
		}
	})
	return known, fast
}

// make returns a corpus of so many Entries.
func makeCorpus(t testing.TB, name string, entries int) [][]byte {
	t.Helper()
	c, err := corpus.Make(name, entries, 1)
	if err != nil {
		t.Fatal(err)
	}
	return c.Entries
}

func newPartitioner(t testing.TB, o partition.Options) *partition.Partitioner {
	t.Helper()
	p, err := partition.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
