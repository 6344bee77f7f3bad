package frame

import (
	"errors"
	"fmt"
	"strings"
)

// Kind is a way to tell where one record of a stream ends and the next begins.
type Kind uint8

// The kinds.
const (
	// U32BE has the length of each record before it, in 4 bytes, the highest
	// first.
	U32BE Kind = iota

	// Uvarint has the length of each record before it, as a varint: the
	// delimited form of protobuf's libraries.
	Uvarint

	// Single is no framing: the whole input is one record. An empty input is
	// one empty record.
	Single

	// Lines has one record per line. A line ends with LF or CRLF, neither of
	// which belongs to the record; the last line may lack it. An empty line is
	// an empty record, so that the record's number is that of its line.
	Lines
)

var kindNames = [...]string{U32BE: "u32be", Uvarint: "uvarint", Single: "single", Lines: "lines"}

// String returns the name that [ParseKind] reads.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// ParseKind returns the Kind of that name: u32be, uvarint, single or lines.
func ParseKind(name string) (Kind, error) {
	for k, n := range kindNames {
		if n == name {
			return Kind(k), nil
		}
	}
	return 0, fmt.Errorf("no frame is called %q; there are %s", name, strings.Join(kindNames[:], ", "))
}

// What can be wrong with a frame. Test for these with [errors.Is].
var (
	// ErrTruncated: the stream ends inside a frame.
	ErrTruncated = errors.New("stream ends inside the frame")

	// ErrTooLarge: the record is longer than the limit or, in [Append], than
	// its length field can say.
	ErrTooLarge = errors.New("record too large")

	// ErrLength: the length before a record is a varint of more than 64 bits.
	ErrLength = errors.New("length is no 64-bit varint")

	// ErrLineBreak: a record that [Append] cannot write as one line, because it
	// holds a line feed or ends with a carriage return.
	ErrLineBreak = errors.New("record holds a line break")

	// ErrKind: not one of the kinds.
	ErrKind = errors.New("unknown kind of frame")
)

// Error says which frame could not be read, and why.
type Error struct {
	Offset int64 // of the frame's first byte (that of its length, if it has one) in the stream
	Record int64 // number of the record that the frame should hold, from 0
	Err    error // one of the Err values above, or what the underlying reader returned

	// With ErrTooLarge: how many bytes a record may have, and how many the length before
	// this one says; 0 where there is no length.
	Limit int64
	Size  uint64
}

// Error returns the place and the cause in one line.
func (e *Error) Error() string {
	text := fmt.Sprintf("frame of record %d at byte %d: %v", e.Record, e.Offset, e.Err)
	if e.Size > 0 {
		text += fmt.Sprintf(", %d bytes", e.Size)
	}
	if e.Limit > 0 {
		text += fmt.Sprintf(", %d are allowed", e.Limit)
	}
	return text
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }
