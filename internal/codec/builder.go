//go:build (amd64 || arm64) && !purego

package codec

import (
	"slices"

	"github.com/cdcodec/cdcodec/internal/pb/canalflatpb"
)

// This file is what the peers with sonic do between reading and writing.

// object is the O of the peers. It borrows what it shows; how it becomes JSON is
// in sonic_native.go.
type object struct {
	members []member
	numbers bool // the values are numbers
	json    *quoter
}

type member struct {
	name   string
	text   *string // nil is null
	number int32
}

// builder makes messages, one after another, in memory that it keeps.
type builder struct {
	message message[*object]
	quoter  quoter
	objects []*object // all there are; the first so many are in use
	used    int

	data, old []*object
	keys      []string
	updated   []bool // by column: it was updated, in a row so far
}

func (b *builder) object(numbers bool) *object {
	if b.used == len(b.objects) {
		b.objects = append(b.objects, &object{json: &b.quoter})
	}
	o := b.objects[b.used]
	b.used++
	o.members, o.numbers = o.members[:0], numbers
	return o
}

// build returns the message of an Entry. It is good until the next.
func (b *builder) build(e *canalflatpb.Entry, id, ts int64) *message[*object] {
	b.used, b.data, b.old, b.keys, b.updated = 0, b.data[:0], b.old[:0], b.keys[:0], b.updated[:0]
	h, change := e.GetHeader(), e.GetStoreValue()
	typ := change.GetEventType()
	if typ == canalflatpb.EventType_EVENTTYPE_UNSET {
		typ = canalflatpb.EventType_UPDATE
	}
	m := &b.message
	*m = message[*object]{
		Database: h.GetSchemaName(),
		ES:       h.GetExecuteTime(),
		GTID:     h.GetGtid(),
		ID:       id,
		IsDDL:    change.GetIsDdl(),
		SQL:      change.GetSql(),
		Table:    h.GetTableName(),
		TS:       ts,
		Type:     canalflatpb.EventType_name[int32(typ)],
	}
	if m.IsDDL || typ > canalflatpb.EventType_DELETE {
		return m
	}
	b.rows(m, change.GetRowDatas(), typ)
	return m
}

func (b *builder) rows(m *message[*object], rows []*canalflatpb.RowData, typ canalflatpb.EventType) {
	sqlType, mysqlType := b.object(true), b.object(false)
	for i, row := range rows {
		columns := row.AfterColumns
		if typ == canalflatpb.EventType_DELETE {
			columns = row.BeforeColumns
		}
		data := b.object(false)
		for j, c := range columns {
			data.members = append(data.members, member{name: c.Name, text: textOf(c)})
			at := find(sqlType, j, c.Name, i > 0)
			if at < 0 {
				at = len(b.updated)
				sqlType.members = append(sqlType.members, member{name: c.Name})
				mysqlType.members = append(mysqlType.members, member{name: c.Name})
				b.updated = append(b.updated, false)
			}
			sqlType.members[at].number = c.SqlType
			mysqlType.members[at].text = &c.MysqlType
			b.updated[at] = b.updated[at] || c.Updated
			if c.IsKey && i == 0 {
				b.keys = append(b.keys, c.Name)
			}
		}
		if len(columns) > 0 {
			b.data = append(b.data, data)
		}
		if typ == canalflatpb.EventType_UPDATE {
			b.old = append(b.old, b.before(row.BeforeColumns, sqlType))
		}
	}
	if len(sqlType.members) > 0 {
		m.SQLType, m.MySQLType = sqlType, mysqlType
	}
	m.Data, m.Old, m.PKNames = orNil(b.data), orNil(b.old), orNil(b.keys)
}

// before returns what the updated columns were.
func (b *builder) before(columns []*canalflatpb.Column, known *object) *object {
	old := b.object(false)
	for j, c := range columns {
		if at := find(known, j, c.Name, true); at >= 0 && b.updated[at] {
			old.members = append(old.members, member{name: c.Name, text: textOf(c)})
		}
	}
	return old
}

// find returns which member of o has that name, or -1. It looks at j first,
// where it is if all rows are alike; elsewhere only if asked to.
func find(o *object, j int, name string, elsewhere bool) int {
	if j < len(o.members) && o.members[j].name == name {
		return j
	}
	if !elsewhere {
		return -1
	}
	return slices.IndexFunc(o.members, func(m member) bool { return m.name == name })
}

func textOf(c *canalflatpb.Column) *string {
	if c.IsNull {
		return nil
	}
	return &c.Value
}

func orNil[T any](s []T) []T {
	if len(s) == 0 {
		return nil
	}
	return s
}
