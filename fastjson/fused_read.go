package fastjson

import (
	"bytes"
	"encoding/binary"
	"math/bits"

	"github.com/cdcodec/cdcodec/internal/mem"
)

// How the fused path reads. All functions here return a negative position for
// what the path does not take; then their other results mean nothing.

const rowDataEntry = 2 // EntryType ROWDATA

// lengthAt reads a length of up to four bytes at p and returns where the bytes
// behind it begin and end, in b both.
func lengthAt(b []byte, p int) (start, end int) {
	if p >= len(b) {
		return -1, -1
	}
	n := int(b[p])
	p++
	if n >= 0x80 {
		n &= 0x7f
		for shift := 7; ; shift += 7 {
			if p >= len(b) || shift > 21 {
				return -1, -1
			}
			c := b[p]
			p++
			n |= int(c&0x7f) << shift
			if c < 0x80 {
				break
			}
		}
	}
	if n > len(b)-p {
		return -1, -1
	}
	return p, p + n
}

// skipVarint returns the position behind a varint of up to eight bytes at p, of
// which there are as many in b.
func skipVarint(b mem.View, p int) (next int) {
	stop := ^b.U64(p) & highs
	if stop == 0 {
		return -1
	}
	return p + bits.TrailingZeros64(stop)/8 + 1
}

// readHead reads the header at p, up to end, in the order of its numbers. There
// are 16 bytes more behind it, and none of them is a tag of a header's.
func readHead(b []byte, p, end int) (h head, ok bool) {
	b = b[:end+16]
	w := mem.Of(b)
	var v int
	if b[p] == 1<<3 { // version
		if p = skipVarint(w, p+1); p < 0 {
			return h, false
		}
	}
	if p <= end && b[p] == 2<<3|2 { // logfileName
		if v, p = lengthAt(b[:end], p+1); v < 0 {
			return h, false
		}
	}
	if p <= end && b[p] == 3<<3 { // logfileOffset
		if p = skipVarint(w, p+1); p < 0 {
			return h, false
		}
	}
	if p <= end && b[p] == 4<<3 { // serverId
		if p = skipVarint(w, p+1); p < 0 {
			return h, false
		}
	}
	if p <= end && b[p] == 5<<3|2 { // serverenCode
		if v, p = lengthAt(b[:end], p+1); v < 0 {
			return h, false
		}
	}
	if p <= end && b[p] == 6<<3 { // executeTime
		var es uint64
		if es, p = w.Uvarint(p + 1); p == 0 {
			return h, false
		}
		h.es = int64(es)
	}
	if p <= end && b[p] == 7<<3 { // sourceType
		if p = skipVarint(w, p+1); p < 0 {
			return h, false
		}
	}
	key := p
	if p <= end && b[p] == 8<<3|2 { // schemaName
		if v, p = lengthAt(b[:end], p+1); v < 0 {
			return h, false
		}
		h.schema = b[v:p:p]
	}
	if p <= end && b[p] == 9<<3|2 { // tableName
		if v, p = lengthAt(b[:end], p+1); v < 0 {
			return h, false
		}
		h.table = b[v:p:p]
	}
	if p > end {
		return h, false
	}
	h.key = b[key:p:p]
	if b[p] == 10<<3 { // eventLength
		if p = skipVarint(w, p+1); p < 0 {
			return h, false
		}
	}
	if p <= end && b[p] == 11<<3 { // eventType
		if p = skipVarint(w, p+1); p < 0 {
			return h, false
		}
	}
	for p <= end && b[p] == 12<<3|2 { // props
		if v, p = lengthAt(b[:end], p+1); v < 0 || !isPair(b[:p], v) {
			return h, false
		}
	}
	if p <= end && b[p] == 13<<3|2 { // gtid
		if v, p = lengthAt(b[:end], p+1); v < 0 {
			return h, false
		}
		h.gtid, h.gtidEnd = v, p
	}
	return h, p == end
}

// isPair reports whether the bytes of b from p on are a key and a value, or
// less.
func isPair(b []byte, p int) bool {
	for tag := byte(1<<3 | 2); tag <= 2<<3|2; tag += 1 << 3 {
		if p < len(b) && b[p] == tag {
			if _, p = lengthAt(b, p+1); p < 0 {
				return false
			}
		}
	}
	return p == len(b)
}

const (
	flagUpdated = 1
	flagNull    = 2
	flagOdd     = 4 // its sqlType is not the layout's
)

// column reads a column with that tag at p, in an image that ends at end, and
// holds it to its layout. It returns where its value begins, how long that is (0
// where there is none), its flags, and where the column ends.
//
// It is the straight line through what nearly all columns are: prefix and suffix
// as in the layout, and between them both flags, and a value of less than 16 KiB
// where there is one. All else, which a negative end tells, is for columnSlow; to
// call that here would cost a stack frame in every call (BenchmarkConvert: bulk -3 %).
func (f *fused) column(p, end int, tag byte, c *columnLayout) (v, n, flags, next int) {
	b := f.v
	if end-p < 10 || b.U8(p) != tag || c.long {
		return 0, 0, 0, -1
	}
	size := int(b.U8(p + 1))
	p += 2
	if size >= 0x80 {
		if b.U8(p) >= 0x80 {
			return 0, 0, 0, -1
		}
		size += int(b.U8(p))<<7 - 0x80
		p++
	}
	next = p + size
	stop := next - int(c.suffix.n)
	w := p + int(c.prefix.n) // where updated is
	if next > end || stop-w < 4 ||
		(b.U64(p)^c.begin[0])|(b.U64(p+int(c.at[0]))^c.begin[1])|
			(b.U64(p+int(c.at[1]))^c.begin[2])|(b.U64(p+int(c.at[2]))^c.begin[3])|
			((b.U64(next-8)^c.end[0])|(b.U64(next-int(c.endFrom))^c.end[1]))>>(c.endShift&63) != 0 {
		return 0, 0, 0, -1
	}
	const (
		both  = uint64(tagUpdated) | uint64(tagIsNull)<<16
		value = both | uint64(tagValue)<<32
	)
	if stop-w < 8 {
		// updated isNull, and a short value or none: what is behind them is not
		// read as a word of eight, which may end behind the Entry.
		word := b.U32(w)
		flags = int(word>>8)&flagUpdated | int(word>>23)&flagNull
		if uint64(word)&^0x01000100 == both {
			if stop-w == 4 {
				return 0, 0, flags, next
			}
			if n = int(b.U8(w + 5)); b.U8(w+4) == byte(tagValue) && w+6+n == stop && stop-w >= 6 {
				return w + 6, n, flags, next
			}
		}
		return 0, 0, 0, -1
	}
	word := b.U64(w)
	if word&0xff_fe_ff_fe_ff != value {
		return 0, 0, 0, -1
	}
	flags = int(word>>8)&flagUpdated | int(word>>23)&flagNull
	v, n = w+6, int(word>>40&0xff)
	if n >= 0x80 {
		v, n = w+7, n&0x7f|int(word>>48&0xff)<<7
		if n >= 0x80<<7 {
			return 0, 0, 0, -1
		}
	}
	if v+n != stop {
		return 0, 0, 0, -1
	}
	return v, n, flags, next
}

// columnSlow is column for what is not as usual.
func (f *fused) columnSlow(p, end int, tag byte, c *columnLayout) (v, n, flags, next int) {
	b := f.b
	if end-p < 2 || b[p] != tag {
		return 0, 0, 0, -1
	}
	if p, next = lengthAt(b[:end], p+1); p < 0 {
		return 0, 0, 0, -1
	}
	prefix, stop := int(c.prefix.n), next-int(c.suffix.n)
	if stop < p || string(b[stop:next]) != string(f.cache.bytes(c.suffix)) {
		return 0, 0, 0, -1
	}
	if text := f.cache.bytes(c.prefix); !bytes.HasPrefix(b[p:stop], text) {
		prefix, flags = oddPrefix(b[p:stop], text, c), flagOdd
	}
	if p += prefix; prefix < 0 || p > stop {
		return 0, 0, 0, -1
	}
	if stop-p >= 2 && b[p] == byte(tagUpdated) && b[p+1] <= 1 {
		flags |= int(b[p+1])
		p += 2
	}
	if stop-p >= 2 && b[p] == byte(tagIsNull) && b[p+1] <= 1 {
		flags |= int(b[p+1]) << 1
		p += 2
	}
	if stop-p >= 2 && b[p] == byte(tagValue) {
		if v, p = lengthAt(b[:stop], p+1); v < 0 {
			return 0, 0, 0, -1
		}
		n = p - v
	}
	if p < stop && b[p] == byte(tagLength) && len(b)-p > 8 {
		p = skipVarint(f.v, p+1)
	}
	if p != stop {
		return 0, 0, 0, -1
	}
	return v, n, flags, next
}

// oddPrefix returns the length of the prefix of the column b, which is that of
// the layout but for the value of sqlType; negative if it differs in more.
func oddPrefix(b, prefix []byte, c *columnLayout) int {
	at, end := int(c.typeAt), int(c.typeEnd)
	if at == 0 || len(b) < at || string(b[:at]) != string(prefix[:at]) {
		return -1
	}
	_, n := binary.Uvarint(b[at:])
	if n <= 0 || !bytes.HasPrefix(b[at+n:], prefix[end:]) {
		return -1
	}
	return at + n + len(prefix) - end
}

// sqlTypeAt returns the sqlType of the column at p, of which oddPrefix is known.
func sqlTypeAt(b []byte, p int, c *columnLayout) int32 {
	p, _ = lengthAt(b, p+1)
	v, _ := binary.Uvarint(b[p+int(c.typeAt):])
	return int32(v)
}
