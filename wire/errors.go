package wire

import (
	"errors"
	"strconv"
)

// The kinds of a [ParseError]; test for them with errors.Is.
var (
	ErrTruncated = errors.New("input ends inside a field")
	ErrVarint    = errors.New("varint of more than 64 bits")
	ErrNumber    = errors.New("field number is 0 or above 2^29-1")
	ErrType      = errors.New("wire type 6 or 7")
	ErrGroup     = errors.New("end of a group that was not begun")
	ErrDepth     = errors.New("nested more than 100 levels deep")
)

// ParseError says where a record stopped making sense.
type ParseError struct {
	Offset int    // of the first byte of the bad field's tag, from the start of the record
	Path   string // "storeValue.rowDatas[0].afterColumns[3].name"; empty where the record itself is meant
	Table  string // "schema.table" of the change, empty where it is not known
	Number Number // of the bad field, or of the group it is in; 0 where the tag cannot be read
	Err    error  // one of the kinds above, or of the package that read the record
}

// Error prints as "storeValue.rowDatas[0].afterColumns[3] at byte 87: input ends
// inside a field".
func (e *ParseError) Error() string {
	at := "at byte " + strconv.Itoa(e.Offset) + ": " + e.Err.Error()
	if e.Path == "" {
		return at
	}
	return e.Path + " " + at
}

// Unwrap returns e.Err.
func (e *ParseError) Unwrap() error { return e.Err }

// Within puts the name of an enclosing field before the path of e and returns
// e. Paths are built this way while returning from a failure, so that good
// input never pays for them.
func (e *ParseError) Within(name string) *ParseError {
	switch {
	case e.Path == "":
		e.Path = name
	case name != "":
		e.Path = name + "." + e.Path
	}
	return e
}

// Element returns name[i], the path of one element of a repeated field.
func Element(name string, i int) string { return name + "[" + strconv.Itoa(i) + "]" }
