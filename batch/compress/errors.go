package compress

import "errors"

// The kinds of [Error].
var (
	ErrLimit   = errors.New("more bytes than the limit")
	ErrCorrupt = errors.New("not a compressed text, or a damaged one")
)

// Error says what is wrong with a compressed text. errors.Is finds the kind, and the cause
// where a library has told one.
type Error struct {
	Codec Codec
	Kind  error // ErrLimit or ErrCorrupt
	Cause error // or nil
}

// Error returns "compress: zstd: " and what is wrong.
func (e *Error) Error() string {
	text := "compress: " + e.Codec.String() + ": " + e.Kind.Error()
	if e.Cause != nil {
		text += ": " + e.Cause.Error()
	}
	return text
}

// Unwrap returns the kind and the cause.
func (e *Error) Unwrap() []error {
	if e.Cause == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Cause}
}

func corrupt(c Codec, cause error) error { return &Error{Codec: c, Kind: ErrCorrupt, Cause: cause} }
func tooLong(c Codec) error              { return &Error{Codec: c, Kind: ErrLimit} }
