package input

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/cdcodec/cdcodec/wire/frame"
)

// Position is a place in a stream of records, behind one and before the next.
type Position struct {
	Records int64 `json:"records"` // before it
	Offset  int64 `json:"offset"`  // bytes before it; where records are lines, without the last one's line end
}

// ErrShort is the error for an input that ends before the place it was to be read from:
// it is not the one that was read before.
var ErrShort = errors.New("the input ends before the place where to go on")

// from returns what stands behind a Position, and where that begins, in bytes. It seeks
// if r can, and reads what is before otherwise.
func from(r io.Reader, kind frame.Kind, at Position) (io.Reader, int64, error) {
	if at == (Position{}) {
		return r, 0, nil
	}
	if err := skip(r, at.Offset); err != nil {
		return nil, 0, err
	}
	if kind != frame.Lines {
		return r, at.Offset, nil
	}
	b := bufio.NewReader(r)
	end, err := b.Peek(2)
	if err != nil && err != io.EOF {
		return nil, 0, err
	}
	n := 0
	switch {
	case len(end) > 0 && end[0] == '\n':
		n = 1
	case string(end) == "\r\n":
		n = 2
	case len(end) > 0:
		return nil, 0, fmt.Errorf("no line ends at byte %d, where to go on", at.Offset)
	}
	_, err = b.Discard(n)
	return b, at.Offset + int64(n), err
}

func skip(r io.Reader, n int64) error {
	if s, ok := r.(io.Seeker); ok {
		if size, err := s.Seek(0, io.SeekEnd); err == nil { // a pipe's fails
			if size < n {
				return ErrShort
			}
			_, err = s.Seek(n, io.SeekStart)
			return err
		}
	}
	_, err := io.CopyN(io.Discard, r, n)
	if err == io.EOF {
		return ErrShort
	}
	return err
}
