package changedataset

import "errors"

// The kinds of a [wire.ParseError] that this package has besides those of wire.
// Each makes the whole record bad.
var (
	// ErrTooLarge is a record of 512 MiB or more.
	ErrTooLarge = errors.New("ChangeDataSet of 512 MiB or more")
	// ErrNoTable is a tableChange whose tableName is absent or empty.
	ErrNoTable = errors.New("no tableName")
	// ErrNoData is a tableChange that is no row, neither before nor after.
	ErrNoData = errors.New("neither beforeData nor afterData")
	// ErrNoSchema is a tableChange of a table that no tableSchema of the set
	// describes.
	ErrNoSchema = errors.New("no tableSchema with that tableName")
	// ErrColumns is an image of a row with more or fewer data than its
	// tableSchema has columns.
	ErrColumns = errors.New("not as many data as the tableSchema has columns")
	// ErrBit is a value of type bit that is no number of 64 bits.
	ErrBit = errors.New("bit value of more than 64 significant bits")
)
