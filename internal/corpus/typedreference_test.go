package corpus_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/internal/corpus"
	"github.com/cdcodec/cdcodec/internal/reference"
)

// TestTypedConverts has the reference convert every record of the other sources
// in both dialects, and holds the size of what it gives to the table in the package
// comment.
func TestTypedConverts(t *testing.T) {
	ticdc := fastjson.Options{Dialect: fastjson.TiCDC, RejectInvalidUTF8: true, TiCDC: fastjson.TiCDCOptions{Extension: true}}
	for _, c := range []struct {
		name    string
		convert func(record []byte, o fastjson.Options) ([][]byte, error)
		about   int // bytes a message, in dialect canal
	}{
		{"tidb", func(b []byte, o fastjson.Options) ([][]byte, error) { return reference.TiDBBinlog(b, o, meta) }, 918},
		{"baidu", func(b []byte, o fastjson.Options) ([][]byte, error) {
			return reference.ChangeDataSet(b, o, meta, "", false)
		}, 1022},
	} {
		made, err := corpus.Make(c.name, 0, 1)
		if err != nil {
			t.Fatal(err)
		}
		messages, rows, size := 0, 0, 0
		for i, record := range made.Entries {
			canal, err := c.convert(record, fastjson.Options{RejectInvalidUTF8: true})
			if err != nil {
				t.Fatalf("%s, record %d: %v", c.name, i, err)
			}
			cdc, err := c.convert(record, ticdc)
			if err != nil {
				t.Fatalf("%s, record %d: %v", c.name, i, err)
			}
			rows += len(cdc)
			for k, m := range canal {
				messages++
				size += len(m)
				if !json.Valid(m) || !json.Valid(cdc[k]) || !bytes.Contains(cdc[k], []byte(`"_tidb":{"commitTs":`)) {
					t.Fatalf("%s, record %d: %s and %s", c.name, i, m, cdc[k])
				}
			}
		}
		if messages != made.Rows || rows != made.Rows {
			t.Errorf("%s: %d and %d messages of %d rows", c.name, messages, rows, made.Rows)
		}
		if mean := size / messages; mean < c.about*99/100 || mean > c.about*101/100 {
			t.Errorf("%s: %d bytes a message, want about %d", c.name, mean, c.about)
		}
	}
}
