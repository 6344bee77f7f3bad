package bench

import (
	"errors"

	"github.com/VictoriaMetrics/easyproto"

	"github.com/cdcodec/cdcodec/internal/pb/canalflatpb"
)

// errEasy is the error of a field that has another type than the schema says.
var errEasy = errors.New("easyproto cannot read a field")

// easyDecode is easyproto as its README has it: a loop over the fields of each
// message, structs of one's own with strings that borrow the input, slices that are
// used again. (To sum up as it reads, without structs, took as long or longer.)
func easyDecode() Run {
	var rows []easyRow
	return func(dst []byte, r *Record) (_ []byte, _ uint64, err error) {
		if rows, err = readEasyEntry(rows[:0], r.Entry); err != nil {
			return dst, 0, err
		}
		var s sum
		for i := range rows {
			s.easyColumns(rows[i].before)
			s.easyColumns(rows[i].after)
		}
		return dst, uint64(s), nil
	}
}

type easyRow struct{ before, after []easyColumn }

type easyColumn struct {
	name, value, mysqlType string
	index, sqlType         int32
	isKey, updated, isNull bool
}

func (s *sum) easyColumns(columns []easyColumn) {
	s.image()
	for i := range columns {
		c := &columns[i]
		column(s, c.index, c.sqlType, c.name, c.isKey, c.updated, c.isNull, c.value, c.mysqlType)
	}
}

// readEasyEntry appends the rows of an Entry; a mark has none.
func readEasyEntry(rows []easyRow, src []byte) (_ []easyRow, err error) {
	var fc easyproto.FieldContext
	var store []byte
	for len(src) > 0 {
		if src, err = fc.NextField(src); err != nil {
			return rows, err
		}
		ok := true
		switch fc.FieldNum {
		case 2:
			var v int32
			if v, ok = fc.Int32(); ok && isMarkType(canalflatpb.EntryType(v)) {
				return rows, nil
			}
		case 3:
			store, ok = fc.MessageData()
		}
		if !ok {
			return rows, errEasy
		}
	}
	for src = store; len(src) > 0; {
		if src, err = fc.NextField(src); err != nil {
			return rows, err
		}
		if fc.FieldNum != 12 {
			continue
		}
		data, ok := fc.MessageData()
		if !ok {
			return rows, errEasy
		}
		var row *easyRow
		rows, row = anotherValue(rows)
		if err := row.read(data); err != nil {
			return rows, err
		}
	}
	return rows, nil
}

func (r *easyRow) read(src []byte) (err error) {
	r.before, r.after = r.before[:0], r.after[:0]
	var fc easyproto.FieldContext
	for len(src) > 0 {
		if src, err = fc.NextField(src); err != nil {
			return err
		}
		var c *easyColumn
		switch fc.FieldNum {
		case 1:
			r.before, c = anotherValue(r.before)
		case 2:
			r.after, c = anotherValue(r.after)
		default:
			continue
		}
		data, ok := fc.MessageData()
		if !ok {
			return errEasy
		}
		if err := c.read(data); err != nil {
			return err
		}
	}
	return nil
}

// read reads a column. An int32 that is negative has ten bytes, which easyproto's
// Int32 refuses: so Int64.
func (c *easyColumn) read(src []byte) (err error) {
	*c = easyColumn{}
	var fc easyproto.FieldContext
	for len(src) > 0 {
		if src, err = fc.NextField(src); err != nil {
			return err
		}
		ok := true
		switch fc.FieldNum {
		case 1:
			c.index, ok = fc.Int32()
		case 2:
			var v int64
			v, ok = fc.Int64()
			c.sqlType = int32(v)
		case 3:
			c.name, ok = fc.String()
		case 4:
			c.isKey, ok = fc.Bool()
		case 5:
			c.updated, ok = fc.Bool()
		case 6:
			c.isNull, ok = fc.Bool()
		case 8:
			c.value, ok = fc.String()
		case 10:
			c.mysqlType, ok = fc.String()
		}
		if !ok {
			return errEasy
		}
	}
	return nil
}

// anotherValue returns s with one more element at its end, which may be full of what
// it held before.
func anotherValue[T any](s []T) ([]T, *T) {
	n := len(s)
	if n < cap(s) {
		s = s[:n+1]
	} else {
		var zero T
		s = append(s, zero)
	}
	return s, &s[n]
}
