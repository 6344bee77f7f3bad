package canal

import "github.com/cdcodec/cdcodec/wire"

// TransactionBegin is a view of what the storeValue of a TRANSACTIONBEGIN
// holds. It borrows the bytes it was parsed from.
type TransactionBegin struct {
	ExecuteTime   int64  // deprecated by Canal: the header has it
	TransactionID []byte // deprecated by Canal: not set
	ThreadID      int64

	msg wire.Reader
}

// ParseTransactionBegin reads a TransactionBegin.
func ParseTransactionBegin(b []byte) (TransactionBegin, error) {
	t, err := parseTransaction(wire.NewReader(b))
	return TransactionBegin(t), asError(err)
}

// Props returns an iterator over the props of t.
func (t *TransactionBegin) Props() Pairs {
	return Pairs{it: elements(t.msg, transactionNames, transactionProps)}
}

// TransactionEnd is a view of what the storeValue of a TRANSACTIONEND holds. It
// borrows the bytes it was parsed from.
type TransactionEnd struct {
	ExecuteTime   int64 // deprecated by Canal: the header has it
	TransactionID []byte

	msg wire.Reader
}

// ParseTransactionEnd reads a TransactionEnd.
func ParseTransactionEnd(b []byte) (TransactionEnd, error) {
	t, err := parseTransaction(wire.NewReader(b))
	return TransactionEnd{t.ExecuteTime, t.TransactionID, t.msg}, asError(err)
}

// Props returns an iterator over the props of t.
func (t *TransactionEnd) Props() Pairs {
	return Pairs{it: elements(t.msg, transactionNames, transactionProps)}
}

// transaction has the fields of both: TransactionEnd merely lacks threadId.
type transaction struct {
	ExecuteTime   int64
	TransactionID []byte
	ThreadID      int64
	msg           wire.Reader
}

func parseTransaction(r wire.Reader) (transaction, *wire.ParseError) {
	t := transaction{msg: r}
	for f, ok := r.Next(); ok; f, ok = r.Next() {
		switch f.Tag {
		case transactionExecuteTime:
			t.ExecuteTime = f.Int64()
		case transactionTransactionID:
			t.TransactionID = f.Bytes
		case transactionThreadID:
			t.ThreadID = f.Int64()
		}
	}
	if r.Err() != nil {
		return transaction{}, transactionNames.failed(r.Err(), t.msg)
	}
	return t, nil
}
