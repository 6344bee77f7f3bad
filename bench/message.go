package bench

import (
	"github.com/cdcodec/cdcodec/internal/pb/canalflatpb"
)

// A message is what libraries get that take a struct: its tags are Canal's keys in
// Canal's order. O is a JSON object that keeps the order of its members.
type message[O any] struct {
	Data      []O      `json:"data"`
	Database  string   `json:"database"`
	ES        int64    `json:"es"`
	GTID      string   `json:"gtid"`
	ID        int64    `json:"id"`
	IsDDL     bool     `json:"isDdl"`
	MySQLType O        `json:"mysqlType"`
	Old       []O      `json:"old"`
	PKNames   []string `json:"pkNames"`
	SQL       string   `json:"sql"`
	SQLType   O        `json:"sqlType"`
	Table     string   `json:"table"`
	TS        int64    `json:"ts"`
	Type      string   `json:"type"`
}

// head sets all but the objects and the keys.
func (m *message[O]) head(e *canalflatpb.Entry, s *shape) {
	h, c := e.GetHeader(), e.GetStoreValue()
	m.Database, m.Table, m.GTID, m.ES = h.GetSchemaName(), h.GetTableName(), h.GetGtid(), h.GetExecuteTime()
	m.IsDDL, m.SQL, m.Type = c.GetIsDdl(), c.GetSql(), s.name
	m.ID, m.TS = meta.ID, meta.TS
	m.PKNames = orNil(s.keys)
}

func orNil[T any](s []T) []T {
	if len(s) == 0 {
		return nil
	}
	return s
}

// A view is one object of a message: it shows columns, and holds none. Q is what
// the library at hand needs to write strings.
type view[Q any] struct {
	shape   *shape
	quoter  Q
	shows   shows
	row     int
	columns []*canalflatpb.Column // of the image, where it shows values
}

// shows is what a view shows.
type shows uint8

const (
	showData shows = iota
	showOld
	showMySQLTypes
	showSQLTypes
)

// A member is a name and a value: a number, a text, or null.
type member struct {
	name, text string
	number     int64
	kind       memberKind
}

type memberKind uint8

const (
	memberText memberKind = iota
	memberNull
	memberNumber
	memberHidden // nothing
)

// len returns how many members at has, hidden ones too.
func (v *view[Q]) len() int {
	if v.shows >= showMySQLTypes {
		return len(v.shape.all)
	}
	return len(v.columns)
}

// at returns a member.
func (v *view[Q]) at(j int) member {
	switch v.shows {
	case showMySQLTypes:
		return member{name: v.shape.all[j].name, text: v.shape.all[j].mysqlType}
	case showSQLTypes:
		return member{name: v.shape.all[j].name, number: int64(v.shape.all[j].sqlType), kind: memberNumber}
	}
	c := v.columns[j]
	if v.shows == showOld && !v.shape.changed(v.row, j, c) {
		return member{kind: memberHidden}
	}
	if c.IsNull {
		return member{name: c.Name, kind: memberNull}
	}
	return member{name: c.Name, text: c.Value}
}

// A viewer makes messages of views, one after another, in memory that it keeps. V is
// a view with the methods that the library at hand calls.
type viewer[V ~struct {
	shape   *shape
	quoter  Q
	shows   shows
	row     int
	columns []*canalflatpb.Column
}, Q any] struct {
	quoter    Q
	shape     shape
	message   message[*V]
	views     []*V // all there are; the first so many are in use
	used      int
	data, old []*V
}

// view returns a view that no one uses yet.
func (b *viewer[V, Q]) view(to view[Q]) *V {
	if b.used == len(b.views) {
		b.views = append(b.views, new(V))
	}
	v := b.views[b.used]
	b.used++
	to.shape, to.quoter = &b.shape, b.quoter
	*v = V(to)
	return v
}

// of returns the message of an Entry. It is good until the next.
func (b *viewer[V, Q]) of(e *canalflatpb.Entry) *message[*V] {
	b.shape.of(e)
	b.used, b.data, b.old = 0, b.data[:0], b.old[:0]
	m := &b.message
	*m = message[*V]{}
	m.head(e, &b.shape)
	for i, row := range b.shape.rows {
		if columns := b.shape.data(row); len(columns) > 0 {
			b.data = append(b.data, b.view(view[Q]{columns: columns}))
		}
		if b.shape.typ == canalflatpb.EventType_UPDATE {
			b.old = append(b.old, b.view(view[Q]{shows: showOld, row: i, columns: row.BeforeColumns}))
		}
	}
	if len(b.shape.all) > 0 {
		m.SQLType, m.MySQLType = b.view(view[Q]{shows: showSQLTypes}), b.view(view[Q]{shows: showMySQLTypes})
	}
	m.Data, m.Old = orNil(b.data), orNil(b.old)
	return m
}
