package reference

import (
	"testing"

	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/internal/corpus/golden"
)

// TestPartitionsGolden holds the slow way to what Canal's own classes say.
func TestPartitionsGolden(t *testing.T) {
	for _, h := range golden.Hashes() {
		if got := JavaHash(h.Text); got != h.Want {
			t.Errorf("hash of %q is %d, want %d", h.Text, got, h.Want)
		}
	}
	for _, g := range golden.Partitions() {
		messages, err := Entry(g.Entry, fastjson.Options{}, fastjson.Meta{})
		if err != nil || len(messages) != 1 {
			t.Fatalf("%s: %d messages, %v", g.Name, len(messages), err)
		}
		got, err := Partitions(messages[0], g.Rules, g.Partitions, g.DatabaseHash)
		if i := max(g.Row, 0); err != nil || i >= len(got) || got[i] != g.Want {
			t.Errorf("%s, %q, %d partitions: row %d of %v, %v; want %d", g.Name, g.Rules, g.Partitions, g.Row, got, err, g.Want)
		}
	}
	if _, err := Partitions([]byte(`{"data":[{}]}`), "(", 1, false); err == nil {
		t.Error("a rule that is no expression is no error")
	}
	if _, err := Partitions([]byte(`{`), "", 1, false); err == nil {
		t.Error("half a message is no error")
	}
}
