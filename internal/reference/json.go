package reference

import (
	"bytes"
	"encoding/json"
	"strings"
)

// message is one message of dialect canal, its keys in the order they are
// printed in. All strings in it are valid UTF-8.
type message struct {
	Data      []*object `json:"data"`
	Database  string    `json:"database"`
	ES        int64     `json:"es"`
	GTID      *string   `json:"gtid,omitempty"` // nil: the key is left out
	ID        int64     `json:"id"`
	IsDDL     bool      `json:"isDdl"`
	MySQLType *object   `json:"mysqlType"`
	Old       []*object `json:"old"`
	PKNames   []string  `json:"pkNames"`
	SQL       string    `json:"sql"`
	SQLType   *object   `json:"sqlType"`
	Table     string    `json:"table"`
	TS        int64     `json:"ts"`
	Type      string    `json:"type"`

	rows []messageRow // what Data and Old have, by row of the source
}

// messageRow is what one row of the source adds to a message, nil for nothing.
type messageRow struct{ data, old *object }

// add puts the elements of r behind those that are there.
func (m *message) add(r messageRow) {
	if r.data != nil {
		m.Data = append(m.Data, r.data)
	}
	if r.old != nil {
		m.Old = append(m.Old, r.old)
	}
}

// object is a JSON object that keeps its keys in the order in which they were
// first put.
type object struct {
	keys   []string
	values map[string]any
}

// put sets a key: a new one goes to the end, one that is there keeps its place
// and gets the new value.
func (o *object) put(key string, value any) {
	if _, ok := o.values[key]; !ok {
		o.keys = append(o.keys, key)
	}
	if o.values == nil {
		o.values = map[string]any{}
	}
	o.values[key] = value
}

// orNil returns o, or nil where nothing was put.
func (o *object) orNil() *object {
	if len(o.keys) == 0 {
		return nil
	}
	return o
}

// MarshalJSON implements [json.Marshaler].
func (o *object) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i, key := range o.keys {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, encode(key, false)...)
		out = append(out, ':')
		out = append(out, encode(o.values[key], false)...)
	}
	return append(out, '}'), nil
}

// encode returns v as encoding/json writes it: with < > & escaped where html is
// set, else as they are.
func encode(v any, html bool) []byte {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(html)
	if err := enc.Encode(v); err != nil {
		panic("reference: " + err.Error()) // nothing we encode can fail
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

// canalEscapes writes out the two characters that encoding/json escapes and Canal
// does not. A doubled backslash is taken first, so that the text \u2028 of a
// value, which is \\u2028 in JSON, stays.
var canalEscapes = strings.NewReplacer(
	`\\`, `\\`,
	`\u2028`, "\u2028",
	`\u2029`, "\u2029",
)

// ticdcEscapes writes in six characters what encoding/json writes in two and
// TiCDC does not. All else is as encoding/json has it: \ufffd for a bad byte,
// too.
var ticdcEscapes = strings.NewReplacer(
	`\\`, `\\`,
	`\b`, `\u0008`,
	`\f`, `\u000c`,
)

// json returns m as Canal prints it.
func (m *message) json() []byte {
	return []byte(canalEscapes.Replace(string(encode(m, false))))
}

// ticdcJSON returns a message of dialect ticdc as TiCDC prints it.
func ticdcJSON(msg *object) []byte {
	return []byte(ticdcEscapes.Replace(string(encode(msg, true))))
}
