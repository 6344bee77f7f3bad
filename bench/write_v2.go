package bench

import (
	"bytes"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/cdcodec/cdcodec/fastjson"
)

// This file is encoding/json/v2, from its own module, as Go has it behind
// GOEXPERIMENT=jsonv2 only. Objects write themselves as tokens. Names are not looked
// at for being there twice, which its documentation calls the costly check.

type v2View view[struct{}]

// MarshalJSONTo implements json.MarshalerTo.
func (o *v2View) MarshalJSONTo(enc *jsontext.Encoder) error {
	return writeTokens((*view[struct{}])(o), enc.WriteToken, jsontext.BeginObject, jsontext.EndObject, jsontext.Null, jsontext.String, jsontext.Int)
}

// writeTokens writes an object as tokens of type T.
func writeTokens[T any](v *view[struct{}], write func(T) error, begin, end, null T, text func(string) T, number func(int64) T) error {
	if err := write(begin); err != nil {
		return err
	}
	for j := range v.len() {
		m := v.at(j)
		if m.kind == memberHidden {
			continue
		}
		if err := write(text(m.name)); err != nil {
			return err
		}
		value := null
		switch m.kind {
		case memberText:
			value = text(m.text)
		case memberNumber:
			value = number(m.number)
		}
		if err := write(value); err != nil {
			return err
		}
	}
	return write(end)
}

func v2Write() Run {
	var (
		b   viewer[v2View, struct{}]
		out bytes.Buffer
		enc jsontext.Encoder
	)
	opts := []jsontext.Options{jsontext.AllowDuplicateNames(true), json.FormatNilSliceAsNull(true)}
	return func(dst []byte, r *Record) ([]byte, uint64, error) {
		out = *bytes.NewBuffer(dst)
		enc.Reset(&out, opts...)
		if err := json.MarshalEncode(&enc, b.of(r.Flat)); err != nil {
			return dst, 0, err
		}
		return out.Bytes()[:out.Len()-1], 0, nil // without the line feed
	}
}

func v2Read() Run {
	return func(dst []byte, r *Record) ([]byte, uint64, error) {
		var m fastjson.Message
		if err := json.Unmarshal(r.JSON, &m, jsontext.AllowDuplicateNames(true)); err != nil {
			return dst, 0, err
		}
		var s sum
		s.message(&m)
		return dst, uint64(s), nil
	}
}
