package bench

import (
	"errors"

	"github.com/richardartoul/molecule"
	"github.com/richardartoul/molecule/src/codec"

	"github.com/cdcodec/cdcodec/internal/pb/canalflatpb"
)

// errOrder is the error of streams whose rows are not as Canal writes them.
var errOrder = errors.New("a column before stands behind one after")

// moleculeStream is molecule by its Next, which is what it has that is fastest. It
// makes no values; its buffers are used again.
func moleculeStream() Run {
	m := new(moleculeReader)
	return func(dst []byte, r *Record) ([]byte, uint64, error) {
		m.s = 0
		err := m.readEntry(r.Entry)
		return dst, uint64(m.s), err
	}
}

type moleculeReader struct {
	entry, change, row, column codec.Buffer
	s                          sum
}

func (m *moleculeReader) readEntry(b []byte) error {
	m.entry.Reset(b)
	var v molecule.Value
	var store []byte
	for !m.entry.EOF() {
		field, err := molecule.Next(&m.entry, &v)
		if err != nil {
			return err
		}
		switch field {
		case 2:
			if isMarkType(canalflatpb.EntryType(v.Number)) {
				return nil
			}
		case 3:
			store = v.Bytes
		}
	}
	m.change.Reset(store)
	for !m.change.EOF() {
		field, err := molecule.Next(&m.change, &v)
		if err != nil {
			return err
		}
		if field == 12 {
			if err := m.readRow(v.Bytes); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *moleculeReader) readRow(b []byte) error {
	m.row.Reset(b)
	m.s.image()
	after := false
	var v molecule.Value
	for !m.row.EOF() {
		field, err := molecule.Next(&m.row, &v)
		if err != nil {
			return err
		}
		switch field {
		case 1:
			if after {
				return errOrder
			}
		case 2:
			if !after {
				after = true
				m.s.image()
			}
		default:
			continue
		}
		if err := m.readColumn(v.Bytes); err != nil {
			return err
		}
	}
	if !after {
		m.s.image()
	}
	return nil
}

func (m *moleculeReader) readColumn(b []byte) error {
	m.column.Reset(b)
	var (
		v                       molecule.Value
		index, sqlType          int32
		isKey, updated, isNull  bool
		name, value, mysqlTypes []byte
	)
	for !m.column.EOF() {
		field, err := molecule.Next(&m.column, &v)
		if err != nil {
			return err
		}
		switch field {
		case 1:
			index = int32(v.Number)
		case 2:
			sqlType = int32(v.Number)
		case 3:
			name = v.Bytes
		case 4:
			isKey = v.Number != 0
		case 5:
			updated = v.Number != 0
		case 6:
			isNull = v.Number != 0
		case 8:
			value = v.Bytes
		case 10:
			mysqlTypes = v.Bytes
		}
	}
	column(&m.s, index, sqlType, name, isKey, updated, isNull, value, mysqlTypes)
	return nil
}
