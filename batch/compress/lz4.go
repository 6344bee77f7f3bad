package compress

import (
	"encoding/binary"
	"errors"
	"io"

	"github.com/pierrec/lz4/v4"
)

// A frame of LZ4 (lz4_Frame_format.md 1.6):
//
//	magic ─ flags · block size ─ [content size] ─ check byte ─ blocks … ─ 0 ─ [checksum]
//	                                                             │
//	               4 bytes: size, and whether it is plain ─ data ─ [checksum]
//
// It is read here and its blocks are decoded straight into dst, as lz4.Reader takes two
// buffers of the block size that the frame claims, up to 4 MiB each.
type lz4Frame struct {
	length   int // bytes of src
	blocks   int // offset of the first block
	maxBlock int
	bound    uint64 // that it can become
	size     uint64 // that it tells, if sized
	skipped  bool
	sized    bool
	linked   bool // blocks refer to those before
	sums     bool // of blocks
	sum      bool // of all
}

const (
	lz4Plain   = 1 << 31
	lz4Ratio   = 255
	lz4History = 64 << 10
)

// parseLZ4Frame finds the frame that src begins with, and what it can become.
func parseLZ4Frame(src []byte) (f lz4Frame, err error) {
	if len(src) < 7 {
		return f, io.ErrUnexpectedEOF
	}
	magic := binary.LittleEndian.Uint32(src)
	if magic>>4 == 0x184d2a5 {
		if len(src) < 8 || uint64(binary.LittleEndian.Uint32(src[4:])) > uint64(len(src)-8) {
			return f, io.ErrUnexpectedEOF
		}
		return lz4Frame{length: 8 + int(binary.LittleEndian.Uint32(src[4:])), skipped: true}, nil
	}
	if magic != 0x184d2204 {
		return f, lz4.ErrInvalidFrame // a legacy frame as well
	}
	flags, size := src[4], src[5]
	pos := 6
	f.linked, f.sums = flags&0x20 == 0, flags&0x10 != 0
	f.sized, f.sum = flags&0x08 != 0, flags&0x04 != 0
	switch {
	case flags>>6 != 1 || flags&0x02 != 0 || size&0x8f != 0 || size>>4 < 4:
		return f, errReserved
	case flags&0x01 != 0:
		return f, errors.New("a dictionary is needed")
	}
	f.maxBlock = 1 << (8 + 2*int(size>>4))
	if f.sized {
		if len(src) < pos+8 {
			return f, io.ErrUnexpectedEOF
		}
		f.size = binary.LittleEndian.Uint64(src[pos:])
		pos += 8
	}
	if len(src) < pos+1 {
		return f, io.ErrUnexpectedEOF
	}
	if src[pos] != byte(xxh32(src[4:pos])>>8) {
		return f, errChecksum
	}
	pos++
	f.blocks = pos
	for {
		if len(src)-pos < 4 {
			return f, io.ErrUnexpectedEOF
		}
		header := binary.LittleEndian.Uint32(src[pos:])
		pos += 4
		if header == 0 {
			break
		}
		n := int(header &^ lz4Plain)
		if n > f.maxBlock {
			return f, errSize
		}
		if header&lz4Plain != 0 {
			f.bound += uint64(n)
		} else {
			f.bound += min(uint64(f.maxBlock), uint64(n)*lz4Ratio)
		}
		if f.sums {
			n += 4
		}
		if len(src)-pos < n {
			return f, io.ErrUnexpectedEOF
		}
		pos += n
	}
	if f.sum {
		if len(src)-pos < 4 {
			return f, io.ErrUnexpectedEOF
		}
		pos += 4
	}
	f.length = pos
	return f, nil
}

func decodeLZ4(dst, src []byte, limit int) ([]byte, error) {
	for left := limit; len(src) > 0; {
		f, err := parseLZ4Frame(src)
		if err != nil {
			return dst, corrupt(LZ4, err)
		}
		if !f.skipped {
			switch {
			case f.sized && f.size > uint64(left):
				return dst, tooLong(LZ4)
			case f.sized && f.size > f.bound:
				return dst, corrupt(LZ4, errSize)
			}
			start := len(dst)
			if dst, err = f.decode(dst, src[:f.length], left); err != nil {
				return dst, err
			}
			left -= len(dst) - start
		}
		src = src[f.length:]
	}
	return dst, nil
}

// decode appends the text of frame, which parseLZ4Frame has found whole.
func (f *lz4Frame) decode(dst, frame []byte, left int) ([]byte, error) {
	start := len(dst)
	limit := left
	if f.sized {
		limit = int(f.size)
	}
	over := func() error {
		if f.sized {
			return corrupt(LZ4, errSize)
		}
		return tooLong(LZ4)
	}
	dst = reserve(dst, int(min(f.bound, uint64(limit))))
	for pos := f.blocks; ; {
		header := binary.LittleEndian.Uint32(frame[pos:])
		pos += 4
		if header == 0 {
			break
		}
		n := int(header &^ lz4Plain)
		data := frame[pos : pos+n]
		pos += n
		if f.sums {
			if binary.LittleEndian.Uint32(frame[pos:]) != xxh32(data) {
				return dst, corrupt(LZ4, errChecksum)
			}
			pos += 4
		}
		room := limit - (len(dst) - start)
		if header&lz4Plain != 0 {
			if n > room {
				return dst, over()
			}
			dst = append(dst, data...)
			continue
		}
		space := min(f.maxBlock, room, cap(dst)-len(dst))
		var history []byte
		if f.linked {
			history = dst[max(start, len(dst)-lz4History):]
		}
		end := len(dst) + space
		got, err := lz4.UncompressBlockWithDict(data, dst[len(dst):end:end], history)
		if err != nil && lz4BlockLen(data) > uint64(room) { // the library does not tell what is wrong
			return dst, over()
		}
		if err != nil {
			return dst, corrupt(LZ4, err)
		}
		dst = dst[:len(dst)+got]
	}
	if f.sized && uint64(len(dst)-start) != f.size {
		return dst, corrupt(LZ4, errSize)
	}
	if f.sum && binary.LittleEndian.Uint32(frame[len(frame)-4:]) != xxh32(dst[start:]) {
		return dst, corrupt(LZ4, errChecksum)
	}
	return dst, nil
}

// lz4BlockLen adds up how long the text of a block is, as far as its lengths can be read:
//
//	token: 4 bits literals, 4 bits match ─ [more of the first] ─ literals ─ offset ─ [more of the second]
func lz4BlockLen(b []byte) (n uint64) {
	length := func(nibble byte) uint64 {
		v := uint64(nibble)
		for more := nibble == 15; more && len(b) > 0; b = b[1:] {
			v += uint64(b[0])
			more = b[0] == 255
		}
		return v
	}
	for len(b) > 0 {
		token := b[0]
		b = b[1:]
		literals := length(token >> 4)
		n += literals
		if literals+2 > uint64(len(b)) {
			return n
		}
		b = b[literals+2:]
		n += 4 + length(token&15)
	}
	return n
}
