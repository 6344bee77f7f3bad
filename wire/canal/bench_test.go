package canal_test

import (
	"testing"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/internal/corpus"
	"github.com/cdcodec/cdcodec/wire/canal"
)

// benchEntries runs read over the Entries of a corpus, one an operation, again
// and again: they come from memory or the last cache, not from the first.
func benchEntries(b *testing.B, name string, read func(entry []byte) error) {
	c, err := corpus.Make(name, 0, 1)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		if err := read(c.Entries[i]); err != nil {
			b.Fatal(err)
		}
		if i++; i == len(c.Entries) {
			i = 0
		}
	}
	b.ReportMetric(float64(c.Size())/float64(len(c.Entries)), "B/Entry")
	b.ReportMetric(float64(c.Rows)/float64(len(c.Entries)), "rows/Entry")
}

// BenchmarkParseEntry peeks: an operation learns schema, table and event type of
// one Entry.
func BenchmarkParseEntry(b *testing.B) {
	for _, name := range corpus.Names() {
		b.Run("corpus="+name, func(b *testing.B) {
			n := 0
			benchEntries(b, name, func(entry []byte) error {
				e, err := canal.ParseEntry(entry)
				n += len(e.Header.SchemaName) + len(e.Header.TableName) + int(e.Header.EventType)
				return err
			})
			if n == 0 {
				b.Error("nothing was read")
			}
		})
	}
}

// BenchmarkDecode decodes one Entry an operation. With columns=check it is
// parsed and all of it checked, with columns=walk each column of both images is
// read as well. Transaction marks, which only the stream has, are parsed.
func BenchmarkDecode(b *testing.B) {
	for _, name := range corpus.Names() {
		for _, walk := range []bool{false, true} {
			columns := "check"
			if walk {
				columns = "walk"
			}
			b.Run("corpus="+name+"/columns="+columns, func(b *testing.B) {
				var d canal.Decoder
				var ev change.Event
				n := 0
				benchEntries(b, name, func(entry []byte) error {
					e, err := canal.ParseEntry(entry)
					if err != nil || e.IsTransactionMark() {
						return err
					}
					if err := d.Decode(&ev, &e); err != nil {
						return err
					}
					if walk && ev.Rows != nil {
						n += walkRows(ev.Rows)
					}
					return nil
				})
				if walk && n == 0 && b.N > 1 { // the first of stream is a BEGIN
					b.Error("nothing was read")
				}
			})
		}
	}
}

// walkRows looks at every column of both images.
func walkRows(rows change.Rows) (n int) {
	for rows.Rewind(); rows.Next(); {
		for _, im := range []change.Image{change.Before, change.After} {
			rows.Select(im)
			for c := rows.Column(); c != nil; c = rows.Column() {
				n += len(c.Name) + len(c.Value) + len(c.MySQLType) + int(c.SQLType)
				if c.Key || c.Updated || c.Null {
					n++
				}
			}
		}
	}
	return n
}
