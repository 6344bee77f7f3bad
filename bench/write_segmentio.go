package bench

import (
	"strconv"

	"github.com/segmentio/encoding/json"

	"github.com/cdcodec/cdcodec/fastjson"
)

// segmentioWrite is segmentio/encoding. It appends, and takes raw messages on trust:
// so objects are written with AppendEscape, and the message with Append.
func segmentioWrite() Run {
	var (
		b   viewer[rawView, struct{}]
		m   message[json.RawMessage]
		raw []byte
	)
	fill := func(to []json.RawMessage, from []*rawView) []json.RawMessage {
		to = to[:0]
		for _, v := range from {
			start := len(raw)
			raw = v.append(raw)
			to = append(to, raw[start:len(raw):len(raw)])
		}
		return to
	}
	var data, old []json.RawMessage
	return func(dst []byte, r *Record) ([]byte, uint64, error) {
		v := b.of(r.Flat)
		raw = raw[:0]
		data, old = fill(data, v.Data), fill(old, v.Old)
		m = message[json.RawMessage]{Data: orNil(data), Old: orNil(old), PKNames: v.PKNames}
		m.head(r.Flat, &b.shape)
		if v.SQLType != nil {
			start := len(raw)
			raw = v.SQLType.append(raw)
			m.SQLType = raw[start:]
			start = len(raw)
			raw = v.MySQLType.append(raw)
			m.MySQLType = raw[start:]
		}
		dst, err := json.Append(dst, &m, json.TrustRawMessage)
		return dst, 0, err
	}
}

type rawView view[struct{}]

func (o *rawView) append(b []byte) []byte {
	v := (*view[struct{}])(o)
	next := byte('{')
	for j := range v.len() {
		m := v.at(j)
		if m.kind == memberHidden {
			continue
		}
		b = append(b, next)
		next = ','
		b = append(json.AppendEscape(b, m.name, 0), ':')
		switch m.kind {
		case memberNull:
			b = append(b, "null"...)
		case memberNumber:
			b = strconv.AppendInt(b, m.number, 10)
		default:
			b = json.AppendEscape(b, m.text, 0)
		}
	}
	if next == '{' {
		b = append(b, next)
	}
	return append(b, '}')
}

// segmentioRead borrows what it can.
func segmentioRead() Run {
	return func(dst []byte, r *Record) ([]byte, uint64, error) {
		var m fastjson.Message
		if _, err := json.Parse(r.JSON, &m, json.ZeroCopy|json.DontMatchCaseInsensitiveStructFields); err != nil {
			return dst, 0, err
		}
		var s sum
		s.message(&m)
		return dst, uint64(s), nil
	}
}

// segmentioReadReused is the same into a struct and maps that are used again.
func segmentioReadReused() Run {
	var k keptMessage
	return func(dst []byte, r *Record) ([]byte, uint64, error) {
		m := k.next()
		if _, err := json.Parse(r.JSON, m, json.ZeroCopy|json.DontMatchCaseInsensitiveStructFields); err != nil {
			return dst, 0, err
		}
		k.keep()
		var s sum
		s.message(m)
		return dst, uint64(s), nil
	}
}
