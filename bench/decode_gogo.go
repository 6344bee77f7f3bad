package bench

import "github.com/cdcodec/cdcodec/bench/gogopb"

// gogoDecode is gogo/protobuf's gogofaster. What it reads it copies, and the code that
// it generates has no way to use messages again.
func gogoDecode() Run {
	return func(dst []byte, r *Record) ([]byte, uint64, error) {
		if isMark(r.Entry) {
			return dst, 0, nil
		}
		var e gogopb.Entry
		if err := e.Unmarshal(r.Entry); err != nil {
			return dst, 0, err
		}
		var s sum
		for _, row := range e.GetStoreValue().GetRowDatas() {
			s.gogoColumns(row.BeforeColumns)
			s.gogoColumns(row.AfterColumns)
		}
		return dst, uint64(s), nil
	}
}

func (s *sum) gogoColumns(columns []*gogopb.Column) {
	s.image()
	for _, c := range columns {
		column(s, c.Index, c.SqlType, c.Name, c.IsKey, c.Updated, c.IsNull, c.Value, c.MysqlType)
	}
}
