package fastjson

import (
	"testing"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/internal/corpus"
	"github.com/cdcodec/cdcodec/wire/canal"
)

// decoded decodes an Entry that makes a message.
func decoded(tb testing.TB, d *canal.Decoder, ev *change.Event, entry []byte) bool {
	e, err := canal.ParseEntry(entry)
	if err == nil && e.IsTransactionMark() {
		return false
	}
	if err == nil {
		err = d.Decode(ev, &e)
	}
	if err != nil {
		tb.Fatal(err)
	}
	return true
}

// BenchmarkAppendEvent writes one Event an operation, corpus after corpus from
// its beginning to its end. With rows=list the Events are in memory, as
// change.List, and only written; with rows=decoder each is decoded first.
func BenchmarkAppendEvent(b *testing.B) { benchDialect(b, Options{}) }

// BenchmarkAppendEventTiCDC is the same in dialect ticdc.
func BenchmarkAppendEventTiCDC(b *testing.B) { benchDialect(b, Options{Dialect: TiCDC}) }

func benchDialect(b *testing.B, o Options) {
	for _, name := range []string{"oltp", "bulk"} {
		c, err := corpus.Make(name, 0, 1)
		if err != nil {
			b.Fatal(err)
		}
		b.Run("corpus="+name+"/rows=list", func(b *testing.B) {
			var d canal.Decoder
			var events []*change.Event
			for _, entry := range c.Entries {
				var ev change.Event
				if decoded(b, &d, &ev, entry) {
					events = append(events, ev.Clone())
				}
			}
			benchAppend(b, o, len(events), func(i int) *change.Event { return events[i] })
		})
		b.Run("corpus="+name+"/rows=decoder", func(b *testing.B) {
			var d canal.Decoder
			var ev change.Event
			benchAppend(b, o, len(c.Entries), func(i int) *change.Event {
				decoded(b, &d, &ev, c.Entries[i])
				return &ev
			})
		})
	}
}

// benchAppend writes the Events that next gives, one an operation.
func benchAppend(b *testing.B, o Options, count int, next func(i int) *change.Event) {
	w, err := NewWriter(o)
	if err != nil {
		b.Fatal(err)
	}
	var dst []byte
	i, bytes := 0, 0
	b.ReportAllocs()
	for b.Loop() {
		if dst, err = w.AppendEvent(dst[:0], next(i), Meta{ID: 1, TS: 1700000000000}); err != nil {
			b.Fatal(err)
		}
		bytes += len(dst)
		if i++; i == count {
			i = 0
		}
	}
	b.ReportMetric(float64(bytes)/float64(b.N), "B-out/op")
}

// BenchmarkNames takes the columns of the rows of bulk into a table of names, as
// the first walk of a Writer does, one Entry an operation. With guess=off no name
// is looked for where the last row had it, but always by its hash.
func BenchmarkNames(b *testing.B) {
	c, err := corpus.Make("bulk", 1, 1)
	if err != nil {
		b.Fatal(err)
	}
	var d canal.Decoder
	var ev change.Event
	decoded(b, &d, &ev, c.Entries[0])
	rows := ev.Clone().Rows // so that little of the time is for reading columns
	image := change.ImageOf(ev.Type)
	for _, guess := range []string{"on", "off"} {
		b.Run("guess="+guess, func(b *testing.B) {
			var t nameTable
			columns := 0
			b.ReportAllocs()
			for b.Loop() {
				t.reset(rows, ev.Rows.MaxNames(image))
				for rows.Rewind(); rows.Next(); {
					t.guess = 0
					rows.Select(image)
					for c := rows.Column(); c != nil; c = rows.Column() {
						if guess == "off" {
							t.guess = maxLast
						}
						t.add(c)
						columns++
					}
				}
				t.release()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(columns), "ns/column")
		})
	}
}

// BenchmarkMessage writes and reads the convenient struct, for the messages of
// oltp: what it costs not to use a Writer.
func BenchmarkMessage(b *testing.B) {
	c, err := corpus.Make("oltp", 500, 1)
	if err != nil {
		b.Fatal(err)
	}
	var w Writer
	var d canal.Decoder
	var ev change.Event
	var texts [][]byte
	var messages []Message
	for _, entry := range c.Entries {
		decoded(b, &d, &ev, entry)
		text, err := w.AppendEvent(nil, &ev, Meta{})
		if err != nil {
			b.Fatal(err)
		}
		var m Message
		if err := m.Unmarshal(text); err != nil {
			b.Fatal(err)
		}
		texts, messages = append(texts, text), append(messages, m)
	}
	b.Run("do=marshal", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			if _, err := messages[i%len(messages)].Marshal(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("do=unmarshal", func(b *testing.B) {
		b.ReportAllocs()
		var m Message
		for i := 0; b.Loop(); i++ {
			if err := m.Unmarshal(texts[i%len(texts)]); err != nil {
				b.Fatal(err)
			}
		}
	})
}
