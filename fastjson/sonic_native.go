//go:build (amd64 || arm64) && !purego

package fastjson

import (
	"bytes"
	"unicode/utf8"
	"unsafe"

	"github.com/bytedance/sonic"
	"github.com/bytedance/sonic/encoder"
)

// sonicFrom is the length from which sonic quotes faster than appendQuoted, the
// check that it writes the same escapes included (BenchmarkQuote: equal at
// about 600 bytes, a quarter less at 64 KiB).
const sonicFrom = 1024

// sonicTiCDCFrom is the same for appendTiCDCQuoted, which has more to look for
// (BenchmarkQuoteTiCDC: faster from about 300 bytes on, a third of the time at 64 KiB).
const sonicTiCDCFrom = 512

// longQuoter quotes long strings with sonic's SIMD code. It holds what
// encoder.EncodeInto takes pointers to; sonic itself allocates 16 bytes a call.
type longQuoter struct {
	s   string
	buf []byte
}

// append appends s as a JSON string; ok is false, and dst as it was, where
// sonic's escapes are not those of dialect canal: \b, \f and invalid UTF-8.
func (q *longQuoter) append(dst, s []byte) (out []byte, ok bool) {
	if bytes.IndexByte(s, '\b') >= 0 || bytes.IndexByte(s, '\f') >= 0 || !utf8.Valid(s) {
		return dst, false
	}
	return q.quote(dst, s)
}

// quote is append for a string that is known to be safe.
func (q *longQuoter) quote(dst, s []byte) (out []byte, ok bool) {
	q.s, q.buf = unsafe.String(unsafe.SliceData(s), len(s)), dst
	err := encoder.EncodeInto(&q.buf, &q.s, 0)
	out = q.buf
	q.s, q.buf = "", nil
	if err != nil {
		return dst, false
	}
	return out, true
}

var native = sonic.Config{SortMapKeys: true, ValidateString: true, CopyString: true}.Froze()

// marshal and unmarshal are what Message is written and read with. They are
// native code where sonic knows the Go version: TestSonicIsNative checks it.
func marshal(v any) ([]byte, error)   { return native.Marshal(v) }
func unmarshal(b []byte, v any) error { return native.Unmarshal(b, v) }
