//go:build !(amd64 || arm64) || purego

package fastjson

import (
	"bytes"
	"encoding/json"
	"math"
)

// sonicFrom is a length no string has: without sonic, appendQuoted quotes all.
const sonicFrom, sonicTiCDCFrom = math.MaxInt, math.MaxInt

type longQuoter struct{}

func (*longQuoter) append(dst, _ []byte) ([]byte, bool) { return dst, false }
func (*longQuoter) quote(dst, _ []byte) ([]byte, bool)  { return dst, false }

func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

func unmarshal(b []byte, v any) error { return json.Unmarshal(b, v) }
