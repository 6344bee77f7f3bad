package bench

import (
	"github.com/goccy/go-json"
	"github.com/goccy/go-json/jsontext"

	"github.com/cdcodec/cdcodec/fastjson"
)

// This file is goccy/go-json. Objects write themselves as tokens, which spares them
// the second look that it takes at what a json.Marshaler gives.

type goccyView view[struct{}]

// MarshalJSONTo implements json.MarshalerTo.
func (o *goccyView) MarshalJSONTo(enc *jsontext.Encoder) error {
	return writeTokens((*view[struct{}])(o), enc.WriteToken, jsontext.BeginObject, jsontext.EndObject, jsontext.Null, jsontext.String, jsontext.Int)
}

func goccyWrite() Run {
	var b viewer[goccyView, struct{}]
	encode := goccyEncode()
	return func(dst []byte, r *Record) ([]byte, uint64, error) { return encode(dst, b.of(r.Flat)) }
}

// vtGoccy is vtprotobuf and goccy/go-json at stage convert.
func vtGoccy() Run { return convertRun(vtKept(), goccyWrite()) }

// goccyMaps is goccy/go-json with maps, in no order.
func goccyMaps([]Record) Run {
	var b mapper
	encode := goccyEncode(json.UnorderedMap())
	return func(dst []byte, r *Record) ([]byte, uint64, error) { return encode(dst, b.of(r.Flat)) }
}

// goccyEncode returns what appends JSON to dst.
func goccyEncode(more ...json.EncodeOptionFunc) func(dst []byte, v any) ([]byte, uint64, error) {
	var out appender
	enc := json.NewEncoder(&out)
	options := append(more, json.DisableHTMLEscape(), json.DisableNormalizeUTF8())
	return func(dst []byte, v any) ([]byte, uint64, error) {
		out = dst
		if err := enc.EncodeWithOption(v, options...); err != nil {
			return dst, 0, err
		}
		return out[:len(out)-1], 0, nil // without the line feed
	}
}

// goccyRead borrows what is not escaped.
func goccyRead() Run {
	return func(dst []byte, r *Record) ([]byte, uint64, error) {
		var m fastjson.Message
		if err := json.UnmarshalWithOption(r.JSON, &m, json.DecodeNoCopyString()); err != nil {
			return dst, 0, err
		}
		var s sum
		s.message(&m)
		return dst, uint64(s), nil
	}
}

// goccyReadReused is the same into a struct and maps that are used again.
func goccyReadReused() Run {
	var k keptMessage
	return func(dst []byte, r *Record) ([]byte, uint64, error) {
		m := k.next()
		if err := json.UnmarshalWithOption(r.JSON, m, json.DecodeNoCopyString()); err != nil {
			return dst, 0, err
		}
		k.keep()
		var s sum
		s.message(m)
		return dst, uint64(s), nil
	}
}
