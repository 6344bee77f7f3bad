package canal

import (
	"github.com/cdcodec/cdcodec/internal/fields"
	"github.com/cdcodec/cdcodec/wire"
)

// TransactionBegin is a view of what the storeValue of a TRANSACTIONBEGIN
// holds. It borrows the bytes it was parsed from.
type TransactionBegin struct {
	ExecuteTime   int64  // milliseconds since 1970; deprecated by Canal: the header has it
	TransactionID []byte // deprecated by Canal: not set
	ThreadID      int64  // of the client's connection to the server

	msg wire.Message
}

// ParseTransactionBegin reads a TransactionBegin.
func ParseTransactionBegin(b []byte) (TransactionBegin, error) {
	t, err := parseTransaction(wire.NewMessage(b))
	return TransactionBegin(t), fields.Error(err)
}

// Props returns an iterator over the props of t.
func (t *TransactionBegin) Props() Pairs {
	return Pairs{it: elements(t.msg, transactionNames, transactionProps)}
}

// TransactionEnd is a view of what the storeValue of a TRANSACTIONEND holds. It
// borrows the bytes it was parsed from.
type TransactionEnd struct {
	ExecuteTime   int64  // milliseconds since 1970; deprecated by Canal: the header has it
	TransactionID []byte // raw, not always UTF-8

	msg wire.Message
}

// ParseTransactionEnd reads a TransactionEnd.
func ParseTransactionEnd(b []byte) (TransactionEnd, error) {
	t, err := parseTransaction(wire.NewMessage(b))
	return TransactionEnd{t.ExecuteTime, t.TransactionID, t.msg}, fields.Error(err)
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
	msg           wire.Message
}

func parseTransaction(m wire.Message) (transaction, *wire.ParseError) {
	t := transaction{msg: m}
	r := m.Reader()
	for r.Next() {
		switch r.Tag {
		case transactionExecuteTime:
			t.ExecuteTime = r.Int64()
		case transactionTransactionID:
			t.TransactionID = r.Bytes
		case transactionThreadID:
			t.ThreadID = r.Int64()
		}
	}
	if err := transactionNames.failed(&r); err != nil {
		return transaction{}, err
	}
	return t, nil
}
