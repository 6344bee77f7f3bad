package fastjson_test

import (
	"strings"
	"testing"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/internal/corpus"
	"github.com/cdcodec/cdcodec/internal/pb/canalpb"
)

// TestFusedLongKey: a table whose name is too long to remember is not learned, and
// pushes none out that is.
func TestFusedLongKey(t *testing.T) {
	c, err := corpus.Make("oltp", 200, 1)
	if err != nil {
		t.Fatal(err)
	}
	var e canalpb.Entry
	if err := e.UnmarshalVT(c.Entries[0]); err != nil {
		t.Fatal(err)
	}
	name := strings.Repeat("x", 2000)
	e.Header.TableName = &name
	long, err := e.MarshalVT()
	if err != nil {
		t.Fatal(err)
	}
	var w fastjson.Writer
	var ev change.Event
	for _, entry := range c.Entries {
		w.AppendFromEntry(nil, entry, fusedMeta, &ev)
	}
	for range 20_000 {
		if _, ok := w.AppendFromEntry(nil, long, fusedMeta, &ev); ok {
			t.Fatal("the long name was learned")
		}
	}
	if _, ok := w.AppendFromEntry(nil, c.Entries[0], fusedMeta, &ev); !ok {
		t.Error("a table that was known is not any more")
	}
}
