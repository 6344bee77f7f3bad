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
	want.checkIn(t, only(t, entry, o))
}

// ticdc returns options of dialect ticdc.
func ticdc(o fastjson.TiCDCOptions) fastjson.Options {
	return fastjson.Options{Dialect: fastjson.TiCDC, TiCDC: o}
}

// extended is dialect ticdc with "_tidb".
var extended = ticdc(fastjson.TiCDCOptions{Extension: true})

// texts returns messages as strings.
func texts(messages [][]byte) []string {
	var all []string
	for _, m := range messages {
		all = append(all, string(m))
	}
	return all
}

// every returns all messages that entry gives.
func every(t *testing.T, entry []byte, o fastjson.Options) []string {
	t.Helper()
	messages, err := Entry(entry, o, meta)
	if err != nil {
		t.Fatal(err)
	}
	return texts(messages)
}

// checkIn compares those keys with the ones of a message.
func (want keys) checkIn(t *testing.T, msg string) {
	t.Helper()
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

// equal compares whole messages.
func equal(t *testing.T, name string, got []string, want ...string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d messages, want %d: %q", name, len(got), len(want), got)
		return
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%s, message %d\n got: %s\nwant: %s", name, i, got[i], want[i])
		}
	}
}
