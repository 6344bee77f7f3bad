package bench

import "github.com/cdcodec/cdcodec/bench/gogopb"

// gogoDecode is gogo/protobuf's gogofaster, with messages as values (gogopb). What
// it reads it copies. The Entry is used again; the slices in it are new ones each
// time but for the first level, as the code it generates cannot do better.
func gogoDecode() Run {
	var e gogopb.Entry
	return func(dst []byte, r *Record) ([]byte, uint64, error) {
		if isMark(r.Entry) {
			return dst, 0, nil
		}
		rows := e.StoreValue.RowDatas[:0]
		e.Reset()
		e.StoreValue.RowDatas = rows
		if err := e.Unmarshal(r.Entry); err != nil {
			return dst, 0, err
		}
		var s sum
		for i := range e.StoreValue.RowDatas {
			row := &e.StoreValue.RowDatas[i]
			s.gogoColumns(row.BeforeColumns)
			s.gogoColumns(row.AfterColumns)
		}
		return dst, uint64(s), nil
	}
}

func (s *sum) gogoColumns(columns []gogopb.Column) {
	s.image()
	for i := range columns {
		c := &columns[i]
		column(s, c.Index, c.SqlType, c.Name, c.IsKey, c.Updated, c.IsNull, c.Value, c.MysqlType)
	}
}
