package compress

import (
	"encoding/binary"
	"errors"
	"io"
	"math"

	"github.com/klauspost/compress/zstd"
)

// A frame of zstd (RFC 8878, 3.1.1), and how it is read here. What its blocks can become at
// most is found from their headers first, without decoding. With the size that the frame
// may tell, this says how much room it needs, before there is any:
//
//	magic ─ descriptor ─ [window] ─ [dictionary] ─ [size] ─ blocks … ─ [checksum]
//	                                                          │
//	                  3 bytes: last? · raw, repeated or compressed · size
//
// DecodeAll then writes into that room. It would otherwise trust the size, or grow its
// room without a bound over the frames of a text.
type zstdFrame struct {
	length  int    // bytes of src
	size    uint64 // that it tells, or unknownSize
	least   uint64 // that it becomes
	bound   uint64 // that it can become
	largest int    // of its blocks that are not compressed
	skipped bool   // it is for somebody else
}

const (
	unknownSize  = math.MaxUint64
	zstdMaxBlock = 128 << 10
)

var (
	errReserved = errors.New("what is reserved is used")
	errSize     = errors.New("a frame or block has not the size that it tells")
)

// parseZstdFrame finds the frame that src begins with.
func parseZstdFrame(src []byte) (f zstdFrame, err error) {
	if len(src) < 8 {
		return f, io.ErrUnexpectedEOF
	}
	magic := binary.LittleEndian.Uint32(src)
	if magic>>4 == 0x184d2a5 {
		n := uint64(binary.LittleEndian.Uint32(src[4:]))
		if n > uint64(len(src)-8) {
			return f, io.ErrUnexpectedEOF
		}
		return zstdFrame{length: 8 + int(n), skipped: true}, nil
	}
	if magic != 0xfd2fb528 {
		return f, zstd.ErrMagicMismatch
	}
	descriptor := src[4]
	single := descriptor&0x20 != 0
	pos := 5
	window := uint64(math.MaxUint64)
	if !single {
		exponent, mantissa := src[pos]>>3, src[pos]&7
		base := uint64(1) << (10 + exponent)
		window = base + base/8*uint64(mantissa)
		pos++
	}
	pos += [...]int{0, 1, 2, 4}[descriptor&3]
	n := [...]int{0, 2, 4, 8}[descriptor>>6]
	if n == 0 && single {
		n = 1
	}
	if len(src) < pos+n {
		return f, io.ErrUnexpectedEOF
	}
	var field [8]byte
	copy(field[:], src[pos:pos+n])
	f.size = binary.LittleEndian.Uint64(field[:])
	switch n {
	case 0:
		f.size = unknownSize
	case 2:
		f.size += 256
	}
	pos += n
	for last := false; !last; {
		if len(src)-pos < 3 {
			return f, io.ErrUnexpectedEOF
		}
		header := int(src[pos]) | int(src[pos+1])<<8 | int(src[pos+2])<<16
		pos += 3
		last = header&1 != 0
		size := header >> 3
		if size > zstdMaxBlock {
			return f, errSize
		}
		become, stored := size, size
		switch header >> 1 & 3 {
		case 0: // raw
			f.least += uint64(size)
			f.largest = max(f.largest, size)
		case 1: // repeated
			f.least += uint64(size)
			f.largest = max(f.largest, size)
			stored = 1
		case 2: // compressed
			become = int(min(zstdMaxBlock, window))
		case 3:
			return f, errReserved
		}
		f.bound += uint64(become)
		if len(src)-pos < stored {
			return f, io.ErrUnexpectedEOF
		}
		pos += stored
	}
	if descriptor&4 != 0 {
		if len(src)-pos < 4 {
			return f, io.ErrUnexpectedEOF
		}
		pos += 4
	}
	f.length = pos
	return f, nil
}

// room returns how much room DecodeAll wants for f, where left bytes are allowed. That is
// a block more than there will be, where one could come that is too many: it is noticed
// only when it is there.
func (f zstdFrame) room(left int) int {
	most := min(f.bound, uint64(left)+zstdMaxBlock)
	if f.size != unknownSize {
		most = min(most, f.size+uint64(f.largest))
	}
	return int(most)
}

type zstdDecoder struct{ *zstd.Decoder }

func newZstdDecoder() (decoder, error) {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true))
	return zstdDecoder{d}, err
}

func (d zstdDecoder) decode(dst, src []byte, limit int) ([]byte, error) {
	for left := limit; len(src) > 0; {
		f, err := parseZstdFrame(src)
		if err != nil {
			return dst, corrupt(Zstd, err)
		}
		if f.skipped {
			src = src[f.length:]
			continue
		}
		switch {
		case f.size != unknownSize && f.size > uint64(left), f.least > uint64(left):
			return dst, tooLong(Zstd)
		case f.size != unknownSize && (f.size > f.bound || f.size < f.least):
			return dst, corrupt(Zstd, errSize)
		}
		room := f.room(left)
		dst = reserve(dst, room)
		got, err := d.DecodeAll(src[:f.length], dst[len(dst):len(dst):len(dst)+room])
		if len(got) > left || errors.Is(err, zstd.ErrDecoderSizeExceeded) {
			return dst, tooLong(Zstd)
		}
		if err != nil {
			return dst, corrupt(Zstd, err)
		}
		if len(got) > room { // cannot be
			return dst, corrupt(Zstd, errSize)
		}
		dst = dst[:len(dst)+len(got)]
		left -= len(got)
		src = src[f.length:]
	}
	return dst, nil
}

func (d zstdDecoder) end() { d.Close() }
