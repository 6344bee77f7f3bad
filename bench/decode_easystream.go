package bench

import (
	"github.com/VictoriaMetrics/easyproto"

	"github.com/cdcodec/cdcodec/internal/pb/canalflatpb"
)

// easyStream is easyproto without a destination, as its README shows for those who
// need no struct: it sums up as it reads.
func easyStream() Run {
	return func(dst []byte, r *Record) ([]byte, uint64, error) {
		var s sum
		err := s.easyEntry(r.Entry)
		return dst, uint64(s), err
	}
}

func (s *sum) easyEntry(src []byte) (err error) {
	var fc easyproto.FieldContext
	var store []byte
	for len(src) > 0 {
		if src, err = fc.NextField(src); err != nil {
			return err
		}
		ok := true
		switch fc.FieldNum {
		case 2:
			var v int32
			if v, ok = fc.Int32(); ok && isMarkType(canalflatpb.EntryType(v)) {
				return nil
			}
		case 3:
			store, ok = fc.MessageData()
		}
		if !ok {
			return errEasy
		}
	}
	for src = store; len(src) > 0; {
		if src, err = fc.NextField(src); err != nil {
			return err
		}
		if fc.FieldNum != 12 {
			continue
		}
		data, ok := fc.MessageData()
		if !ok {
			return errEasy
		}
		if err := s.easyRow(data); err != nil {
			return err
		}
	}
	return nil
}

func (s *sum) easyRow(src []byte) (err error) {
	s.image()
	after := false
	var fc easyproto.FieldContext
	for len(src) > 0 {
		if src, err = fc.NextField(src); err != nil {
			return err
		}
		switch fc.FieldNum {
		case 1:
			if after {
				return errOrder
			}
		case 2:
			if !after {
				after = true
				s.image()
			}
		default:
			continue
		}
		data, ok := fc.MessageData()
		if !ok {
			return errEasy
		}
		if err := s.easyColumn(data); err != nil {
			return err
		}
	}
	if !after {
		s.image()
	}
	return nil
}

func (s *sum) easyColumn(src []byte) (err error) {
	var (
		fc                      easyproto.FieldContext
		index                   int32
		sqlType                 int64 // see easyReader
		isKey, updated, isNull  bool
		name, value, mysqlTypes string
	)
	for len(src) > 0 {
		if src, err = fc.NextField(src); err != nil {
			return err
		}
		ok := true
		switch fc.FieldNum {
		case 1:
			index, ok = fc.Int32()
		case 2:
			sqlType, ok = fc.Int64()
		case 3:
			name, ok = fc.String()
		case 4:
			isKey, ok = fc.Bool()
		case 5:
			updated, ok = fc.Bool()
		case 6:
			isNull, ok = fc.Bool()
		case 8:
			value, ok = fc.String()
		case 10:
			mysqlTypes, ok = fc.String()
		}
		if !ok {
			return errEasy
		}
	}
	column(s, index, int32(sqlType), name, isKey, updated, isNull, value, mysqlTypes)
	return nil
}
