package fastjson

import (
	"bytes"
	"fmt"

	"github.com/cdcodec/cdcodec/internal/repair"
)

// Message is a message of Canal-JSON as a struct, the convenient form: what is
// null in JSON is nil. It keeps no order of columns (Marshal sorts them by
// name) and holds UTF-8 (what is not becomes U+FFFD, byte by byte). For streams
// use [Writer].
type Message struct {
	Data      []map[string]*string `json:"data"`
	Database  string               `json:"database"`
	ES        int64                `json:"es"`             // time of the change, milliseconds since 1970
	GTID      *string              `json:"gtid,omitempty"` // nil before Canal 1.1.7
	ID        int64                `json:"id"`
	IsDDL     bool                 `json:"isDdl"`
	MySQLType map[string]string    `json:"mysqlType"`
	Old       []map[string]*string `json:"old"`
	PKNames   []string             `json:"pkNames"`
	SQL       string               `json:"sql"`
	SQLType   map[string]int32     `json:"sqlType"`
	Table     string               `json:"table"`
	TS        int64                `json:"ts"` // time of the conversion, milliseconds since 1970
	Type      string               `json:"type"`
}

// Marshal returns m as JSON in the keys' order and with the escapes of dialect
// canal (spec: canal.md 2, rules 1 and 10).
func (m *Message) Marshal() ([]byte, error) {
	b, err := marshal(m)
	if err != nil {
		return nil, fmt.Errorf("fastjson: %w", err)
	}
	return canalEscapes(b), nil
}

// Unmarshal makes m the message that b holds, of either dialect; what a field of m is
// lacking for, as "_tidb", is left out. What is not in b becomes zero. It copies: m keeps
// nothing of b.
//
// A column's value must be a string or null, as Canal and TiCDC have it; a [Reader]
// takes others too. The error wraps that of sonic or encoding/json, and tells no more of
// the place than they do; m is of no use then. (JSON that is nested some thousand levels
// deep, in keys that m does not know, is an error; the two differ in how many.)
func (m *Message) Unmarshal(b []byte) error {
	*m = Message{}
	if err := unmarshal(b, m); err != nil {
		return fmt.Errorf("fastjson: %w", err)
	}
	return nil
}

// canalEscapes makes the escapes in JSON that sonic or encoding/json wrote the
// ones of dialect canal, in place: none of them becomes longer.
func canalEscapes(b []byte) []byte {
	at := bytes.IndexByte(b, '\\')
	if at < 0 {
		return b
	}
	out := b[:at]
	for i := at; i < len(b); {
		switch {
		case b[i] != '\\':
			out = append(out, b[i])
			i++
		case b[i+1] != 'u':
			out = append(out, b[i], b[i+1])
			i += 2
		default:
			switch string(b[i+2 : i+6]) {
			case "0008":
				out = append(out, `\b`...)
			case "000c":
				out = append(out, `\f`...)
			case "2028":
				out = append(out, "\u2028"...)
			case "2029":
				out = append(out, "\u2029"...)
			case "fffd":
				out = append(out, repair.Replacement...)
			default:
				out = append(out, b[i:i+6]...)
			}
			i += 6
		}
	}
	return out
}
