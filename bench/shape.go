package bench

import (
	"slices"

	"github.com/cdcodec/cdcodec/internal/pb/canalflatpb"
)

// This file is what lies between a decoded Entry and a library that writes JSON:
// which columns a message shows, and where. It makes no copies.

// A shape is what is known of an Entry before its JSON is written. It takes for
// granted what holds for rows of MySQL: the names of a row's columns differ.
type shape struct {
	rows []*canalflatpb.RowData
	typ  canalflatpb.EventType
	name string        // of typ
	all  []shapeColumn // the columns of all rows
	keys []string
}

type shapeColumn struct {
	name, mysqlType string
	sqlType         int32
	since           int // the first row that updates it
}

// of makes s the shape of e.
func (s *shape) of(e *canalflatpb.Entry) {
	change := e.GetStoreValue()
	s.rows, s.all, s.keys = nil, s.all[:0], s.keys[:0]
	s.typ = change.GetEventType()
	if s.typ == canalflatpb.EventType_EVENTTYPE_UNSET {
		s.typ = canalflatpb.EventType_UPDATE
	}
	s.name = canalflatpb.EventType_name[int32(s.typ)]
	if change.GetIsDdl() || s.typ > canalflatpb.EventType_DELETE {
		return
	}
	s.rows = change.GetRowDatas()
	for i, row := range s.rows {
		for j, c := range s.data(row) {
			at := s.find(j, c.Name, i > 0)
			if at < 0 {
				at = len(s.all)
				s.all = append(s.all, shapeColumn{name: c.Name, since: len(s.rows)})
			}
			k := &s.all[at]
			k.mysqlType, k.sqlType = c.MysqlType, c.SqlType
			if c.Updated && i < k.since {
				k.since = i
			}
			if c.IsKey && i == 0 {
				s.keys = append(s.keys, c.Name)
			}
		}
	}
}

// data returns the image of a row that "data" shows.
func (s *shape) data(row *canalflatpb.RowData) []*canalflatpb.Column {
	if s.typ == canalflatpb.EventType_DELETE {
		return row.BeforeColumns
	}
	return row.AfterColumns
}

// find returns which column has that name, or -1. It looks at j first, where it is
// if all rows are alike; elsewhere only if asked to.
func (s *shape) find(j int, name string, elsewhere bool) int {
	if j < len(s.all) && s.all[j].name == name {
		return j
	}
	if !elsewhere {
		return -1
	}
	return slices.IndexFunc(s.all, func(c shapeColumn) bool { return c.name == name })
}

// changed reports whether "old" of row i shows column c, the j-th of its image before.
// Canal does not forget within an Entry what some row has updated.
func (s *shape) changed(i, j int, c *canalflatpb.Column) bool {
	at := s.find(j, c.Name, true)
	return at >= 0 && s.all[at].since <= i
}
