package reference

import (
	"encoding/json"
	"testing"

	"github.com/cdcodec/cdcodec/fastjson"
)

var meta = fastjson.Meta{ID: 1, TS: 1700000000000}

// only returns the one message that entry gives.
func only(t *testing.T, entry []byte, o fastjson.Options) string {
	t.Helper()
	messages, err := Entry(entry, o, meta)
	if err != nil {
		t.Fatal(err)
	}
	if len(messages) != 1 {
		t.Fatalf("%d messages, want 1", len(messages))
	}
	return string(messages[0])
}

// keys is some keys of a message with their values, as they are printed.
type keys map[string]string

// check compares those keys with what entry gives.
func (want keys) check(t *testing.T, entry []byte, o fastjson.Options) {
	t.Helper()
	msg := only(t, entry, o)
	var got map[string]json.RawMessage
	if err := json.Unmarshal([]byte(msg), &got); err != nil {
		t.Fatalf("%v in %s", err, msg)
	}
	for k, v := range want {
		if string(got[k]) != v {
			t.Errorf("%s\n got: %s\nwant: %s", k, got[k], v)
		}
	}
}
