package tidbbinlog

import (
	"errors"
)

// What a well-formed record can have wrong: kinds of a [wire.ParseError], to be
// tested for with errors.Is. Each makes the whole record bad (spec:
// tidb-binlog.md, last rule).
var (
	ErrNoData       = errors.New("dml_data or ddl_data, which the Binlog's type asks for, is missing")
	ErrMissing      = errors.New("a required field is missing")
	ErrNoChangeRow  = errors.New("change_row is missing in an Update")
	ErrMutationType = errors.New("a mutation type that is not Insert, Update or Delete")
	ErrColumns      = errors.New("more or fewer values than column_info")
	ErrBit          = errors.New("a bit value of more than 64 bits")
	ErrTooLarge     = errors.New("a record of 4 GiB or more")
)
