package compress

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"

	"github.com/klauspost/compress/s2"
)

// A stream of s2 (github.com/klauspost/compress/s2, and the framing format of Snappy, whose
// streams are read too) is chunks, the first of which is s2Magic or snappyMagic:
//
//	kind · length, 3 bytes ─ data
//	0  checksum of the text ─ block of s2        1  checksum ─ text
//
// They are read here, straight into dst, as s2.Reader has buffers of its own for the largest
// block there can be. All lengths are added up before the first block is decoded.
const (
	s2Magic     = "\xff\x06\x00\x00S2sTwO"
	snappyMagic = "\xff\x06\x00\x00sNaPpY"
	s2MaxBlock  = 4 << 20
)

var (
	errChunk    = errors.New("an unknown chunk, or a block that is too long")
	errChecksum = errors.New("the checksum is another")

	castagnoli = crc32.MakeTable(crc32.Castagnoli)
)

// s2Chunk is a chunk of text: size bytes, of data.
type s2Chunk struct {
	size     int
	data     []byte
	plain    bool
	checksum uint32
}

// nextS2Chunk returns the first chunk of text in src and what is behind it; nil data
// where there is none.
func nextS2Chunk(src []byte) (c s2Chunk, rest []byte, err error) {
	for len(src) > 0 {
		if len(src) < 4 {
			return c, nil, io.ErrUnexpectedEOF
		}
		kind, n := src[0], int(src[1])|int(src[2])<<8|int(src[3])<<16
		if n > len(src)-4 {
			return c, nil, io.ErrUnexpectedEOF
		}
		whole, data := src[:4+n], src[4:4+n]
		src = src[4+n:]
		switch {
		case kind <= 1:
			if n < 4 {
				return c, nil, io.ErrUnexpectedEOF
			}
			c = s2Chunk{size: n - 4, data: data[4:], plain: kind == 1, checksum: binary.LittleEndian.Uint32(data)}
			if !c.plain {
				if c.size, err = s2.DecodedLen(c.data); err != nil {
					return c, nil, err
				}
			}
			if c.size > s2MaxBlock {
				return c, nil, errChunk
			}
			return c, src, nil
		case kind == 0xff:
			if string(whole) != s2Magic && string(whole) != snappyMagic {
				return c, nil, errChunk
			}
		case kind < 0x80: // 0x80 to 0xfe are to be skipped: an index, padding, others' own
			return c, nil, errChunk
		}
	}
	return c, nil, nil
}

func decodeS2(dst, src []byte, limit int) ([]byte, error) {
	if src[0] != 0xff {
		return dst, corrupt(S2, errChunk)
	}
	total := 0
	for rest := src; ; {
		c, after, err := nextS2Chunk(rest)
		if err != nil {
			return dst, corrupt(S2, err)
		}
		if c.data == nil {
			break
		}
		if c.size > limit-total {
			return dst, tooLong(S2)
		}
		total += c.size
		rest = after
	}
	dst = reserve(dst, total)
	for {
		c, after, err := nextS2Chunk(src)
		if err != nil {
			return dst, corrupt(S2, err)
		}
		if c.data == nil {
			return dst, nil
		}
		text := dst[len(dst) : len(dst)+c.size : len(dst)+c.size]
		if c.plain {
			copy(text, c.data)
		} else if _, err := s2.Decode(text, c.data); err != nil {
			return dst, corrupt(S2, err)
		}
		if sum := crc32.Checksum(text, castagnoli); (sum>>15|sum<<17)+0xa282ead8 != c.checksum {
			return dst, corrupt(S2, errChecksum)
		}
		dst = dst[:len(dst)+c.size]
		src = after
	}
}
