package batch

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/cdcodec/cdcodec"
)

// Frame is a way to tell where one message of a batch ends and the next begins.
type Frame uint8

// The frames. Lines, U32BE and Uvarint can be read back with wire/frame, message by message.
const (
	Lines        Frame = iota // a line feed behind each message
	Array                     // one JSON array of all
	Concatenated              // nothing; JSON and compressed members can do without
	U32BE                     // the length before each, in 4 bytes, the highest first
	Uvarint                   // the length before each, as a varint
	lastFrame    = Uvarint
)

var frameNames = [...]string{Lines: "lines", Array: "array", Concatenated: "concatenated", U32BE: "u32be", Uvarint: "uvarint"}

// String returns the name that [ParseFrame] reads.
func (f Frame) String() string {
	if f <= lastFrame {
		return frameNames[f]
	}
	return fmt.Sprintf("Frame(%d)", uint8(f))
}

// ParseFrame returns the Frame of that name: lines, array, concatenated, u32be or
// uvarint.
func ParseFrame(name string) (Frame, error) {
	for f, n := range frameNames {
		if n == name {
			return Frame(f), nil
		}
	}
	return 0, fmt.Errorf("batch: no frame is called %q; there are %s", name, strings.Join(frameNames[:], ", "))
}

// uvarintLead is how many bytes are left free before a message for the varint of its
// length: those of 128 to 16,383 bytes, nearly all, need so many. The others are
// moved.
const uvarintLead = 2

const zeros = "\x00\x00\x00\x00"

// lead is what stands before a message until seal puts its length there.
func (f Frame) lead() string {
	switch f {
	case U32BE:
		return zeros[:4]
	case Uvarint:
		return zeros[:uvarintLead]
	}
	return ""
}

// trail is what stands behind a message.
func (f Frame) trail() string {
	switch f {
	case Lines:
		return "\n"
	case Array:
		return ","
	}
	return ""
}

// brackets are what stands around a batch. Where there is a pair, the last message's
// trail is not part of it.
func (f Frame) brackets() (open, end string) {
	if f == Array {
		return "[", "]"
	}
	return "", ""
}

// seal puts the lengths before the messages msgs, which end dst and begin at from with
// a lead before each. It moves messages whose length takes another number of bytes.
func (f Frame) seal(dst []byte, msgs []cdcodec.Message, from int) []byte {
	switch f {
	case U32BE:
		for i := range msgs {
			m := &msgs[i]
			binary.BigEndian.PutUint32(dst[m.Start-4:], uint32(m.End-m.Start))
		}
	case Uvarint:
		for i := range msgs {
			m := &msgs[i]
			n := m.End - m.Start
			if n < 1<<7 || n >= 1<<14 {
				return sealUneven(dst, msgs, from)
			}
			dst[m.Start-2] = byte(n) | 0x80
			dst[m.Start-1] = byte(n >> 7)
		}
	}
	return dst
}

// sealUneven is seal for Uvarint where some length does not take uvarintLead bytes.
func sealUneven(dst []byte, msgs []cdcodec.Message, from int) []byte {
	// Bytes that all lengths take beyond what was left free for them.
	more := 0
	for i := range msgs {
		more += max(0, uvarintLen(msgs[i].End-msgs[i].Start)-uvarintLead)
	}
	// Make room first, then write from the front: what is written never overtakes
	// what is still to be read.
	dst = append(dst, make([]byte, more)...)
	copy(dst[from+more:], dst[from:len(dst)-more])
	at := from
	for i := range msgs {
		m := &msgs[i]
		body := dst[m.Start+more : m.End+more]
		head := binary.PutUvarint(dst[at:at+uvarintLen(len(body))], uint64(len(body)))
		m.Start = at + head
		m.End = m.Start + copy(dst[m.Start:], body)
		at = m.End
	}
	return dst[:at]
}

func uvarintLen(n int) int {
	size := 1
	for ; n >= 0x80; n >>= 7 {
		size++
	}
	return size
}
