package bench

import (
	"github.com/cdcodec/cdcodec/internal/pb/canalflatpb"
	"github.com/cdcodec/cdcodec/internal/pb/canalpb"
)

// vtPeers is vtprotobuf in all its settings. "kept" is a message that is reset and
// used again without the detour of a pool.
func vtPeers() []Peer {
	list := ofCodecs(Decode, "vtproto-flat-unsafe-kept", "vtproto+sonic")
	return append(list,
		plainPeer("vtproto-flat-unsafe-pooled", vtFlatPooled),
		plainPeer("vtproto-flat-unsafe", func() Run {
			return flatRun(func(b []byte) (*canalflatpb.Entry, error) {
				e := new(canalflatpb.Entry)
				return e, e.UnmarshalVTUnsafe(b)
			})
		}),
		plainPeer("vtproto-pooled", vtPooled),
		plainPeer("vtproto-unsafe", func() Run {
			return vtNew((*canalpb.Entry).UnmarshalVTUnsafe, (*canalpb.RowChange).UnmarshalVTUnsafe)
		}),
		plainPeer("vtproto", func() Run {
			return vtNew((*canalpb.Entry).UnmarshalVT, (*canalpb.RowChange).UnmarshalVT)
		}),
	)
}

// vtNew reads into new messages of Canal's own schema.
func vtNew(entry func(*canalpb.Entry, []byte) error, change func(*canalpb.RowChange, []byte) error) Run {
	return func(dst []byte, r *Record) ([]byte, uint64, error) {
		var e canalpb.Entry
		if err := entry(&e, r.Entry); err != nil || isOwnMark(&e) {
			return dst, 0, err
		}
		var c canalpb.RowChange
		if err := change(&c, e.StoreValue); err != nil {
			return dst, 0, err
		}
		var s sum
		s.own(&c)
		return dst, uint64(s), nil
	}
}

// vtPooled reads into messages of a pool. They must not borrow: the pool keeps the
// bytes of storeValue to write into.
func vtPooled() Run {
	return func(dst []byte, r *Record) ([]byte, uint64, error) {
		e, c := canalpb.EntryFromVTPool(), canalpb.RowChangeFromVTPool()
		defer e.ReturnToVTPool()
		defer c.ReturnToVTPool()
		if err := e.UnmarshalVT(r.Entry); err != nil || isOwnMark(e) {
			return dst, 0, err
		}
		if err := c.UnmarshalVT(e.StoreValue); err != nil {
			return dst, 0, err
		}
		var s sum
		s.own(c)
		return dst, uint64(s), nil
	}
}

func vtFlatPooled() Run {
	return func(dst []byte, r *Record) ([]byte, uint64, error) {
		if isMark(r.Entry) {
			return dst, 0, nil
		}
		e := canalflatpb.EntryFromVTPool()
		defer e.ReturnToVTPool()
		if err := e.UnmarshalVTUnsafe(r.Entry); err != nil {
			return dst, 0, err
		}
		var s sum
		s.flat(e)
		return dst, uint64(s), nil
	}
}

// vtKept is the reader of stage convert.
func vtKept() flatReader {
	var e canalflatpb.Entry
	return func(b []byte) (*canalflatpb.Entry, error) {
		header, store := e.Header, e.StoreValue
		header.ResetVT()
		store.ResetVT()
		e.Header, e.StoreValue = nil, nil // or ResetVT would give them to a pool
		e.ResetVT()
		e.Header, e.StoreValue = header, store
		err := e.UnmarshalVTUnsafe(b)
		return &e, err
	}
}

func isOwnMark(e *canalpb.Entry) bool {
	t := e.GetEntryType()
	return t == canalpb.EntryType_TRANSACTIONBEGIN || t == canalpb.EntryType_TRANSACTIONEND
}

// own adds all columns of a RowChange of Canal's own schema.
func (s *sum) own(c *canalpb.RowChange) {
	for _, row := range c.RowDatas {
		s.ownColumns(row.BeforeColumns)
		s.ownColumns(row.AfterColumns)
	}
}

func (s *sum) ownColumns(columns []*canalpb.Column) {
	s.image()
	for _, c := range columns {
		column(s, c.GetIndex(), c.GetSqlType(), c.GetName(), c.GetIsKey(), c.GetUpdated(), c.GetIsNull(), c.GetValue(), c.GetMysqlType())
	}
}
