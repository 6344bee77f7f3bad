package fastjson

import (
	"encoding/json"
	"testing"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/internal/corpus"
	"github.com/cdcodec/cdcodec/wire/canal"
)

// messagesOf returns the messages that a zero Writer makes of a corpus.
func messagesOf(tb testing.TB, name string, entries int) (messages [][]byte) {
	c, err := corpus.Make(name, entries, 1)
	if err != nil {
		tb.Fatal(err)
	}
	var w Writer
	var d canal.Decoder
	var ev change.Event
	for _, entry := range c.Entries {
		if !decoded(tb, &d, &ev, entry) {
			continue
		}
		msg, err := w.AppendEvent(nil, &ev, Meta{ID: 1, TS: 1700000000000})
		if err != nil {
			tb.Fatal(err)
		}
		messages = append(messages, msg)
	}
	return messages
}

// BenchmarkRead reads one message an operation, corpus after corpus from its
// beginning to its end: with impl=read the Event and its head, with impl=walk each
// column too, which is what the peers have done when they return.
func BenchmarkRead(b *testing.B) {
	for _, name := range []string{"oltp", "wide", "bulk"} {
		messages := messagesOf(b, name, 0)
		bytes := 0
		for _, m := range messages {
			bytes += len(m)
		}
		run := func(impl string, read func(msg []byte) error) {
			b.Run("corpus="+name+"/impl="+impl, func(b *testing.B) {
				b.ReportAllocs()
				b.SetBytes(int64(bytes / len(messages)))
				for i := 0; b.Loop(); i++ {
					if err := read(messages[i%len(messages)]); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		var r Reader
		var ev change.Event
		var meta Meta
		run("read", func(msg []byte) error { return r.Read(&ev, &meta, msg) })
		var w Writer
		var dst []byte
		run("walk", func(msg []byte) error {
			err := r.Read(&ev, &meta, msg)
			walk(&ev)
			return err
		})
		run("rewrite", func(msg []byte) error {
			err := r.Read(&ev, &meta, msg)
			if err == nil {
				dst, err = w.AppendEvent(dst[:0], &ev, meta)
			}
			return err
		})
		var m Message
		run("sonic", func(msg []byte) error { return m.Unmarshal(msg) })
		run("encoding-json", func(msg []byte) error {
			m = Message{}
			return json.Unmarshal(msg, &m)
		})
	}
}

// walk looks at each column of both images.
func walk(ev *change.Event) (n int) {
	if ev.Rows == nil {
		return 0
	}
	for ev.Rows.Rewind(); ev.Rows.Next(); {
		for _, im := range [...]change.Image{change.Before, change.After} {
			ev.Rows.Select(im)
			for c := ev.Rows.Column(); c != nil; c = ev.Rows.Column() {
				n += len(c.Name) + len(c.Value) + len(c.MySQLType)
			}
		}
	}
	return n
}
