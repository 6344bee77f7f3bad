package bench

import (
	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/internal/pb/canalflatpb"
)

// This file is for libraries that get a struct with maps, as most people write it.
// The columns are then in no order, or in that of their names.

// A mapper makes such structs, one after another. Maps are used again.
type mapper struct {
	shape     shape
	gtid      string
	message   fastjson.Message
	data, old []map[string]*string
	mysqlType map[string]string
	sqlType   map[string]int32
}

// of returns the message of an Entry. It is good until the next.
func (b *mapper) of(e *canalflatpb.Entry) *fastjson.Message {
	s, m := &b.shape, &b.message
	s.of(e)
	b.gtid = e.GetHeader().GetGtid()
	h, c := e.GetHeader(), e.GetStoreValue()
	*m = fastjson.Message{
		Database: h.GetSchemaName(), Table: h.GetTableName(), GTID: &b.gtid, ES: h.GetExecuteTime(),
		IsDDL: c.GetIsDdl(), SQL: c.GetSql(), Type: s.name, ID: meta.ID, TS: meta.TS, PKNames: orNil(s.keys),
	}
	b.data, b.old = b.data[:0], b.old[:0]
	for i, row := range s.rows {
		if columns := s.data(row); len(columns) > 0 {
			b.data = anotherMap(b.data)
			for _, c := range columns {
				b.data[len(b.data)-1][c.Name] = textOf(c)
			}
		}
		if s.typ == canalflatpb.EventType_UPDATE {
			b.old = anotherMap(b.old)
			for j, c := range row.BeforeColumns {
				if s.changed(i, j, c) {
					b.old[len(b.old)-1][c.Name] = textOf(c)
				}
			}
		}
	}
	if len(s.all) > 0 {
		if b.mysqlType == nil {
			b.mysqlType, b.sqlType = map[string]string{}, map[string]int32{}
		}
		clear(b.mysqlType)
		clear(b.sqlType)
		for i := range s.all {
			b.mysqlType[s.all[i].name], b.sqlType[s.all[i].name] = s.all[i].mysqlType, s.all[i].sqlType
		}
		m.MySQLType, m.SQLType = b.mysqlType, b.sqlType
	}
	m.Data, m.Old = orNil(b.data), orNil(b.old)
	return m
}

// anotherMap returns s with one more map at its end, an empty one.
func anotherMap(s []map[string]*string) []map[string]*string {
	n := len(s)
	if n < cap(s) {
		s = s[:n+1]
	} else {
		s = append(s, nil)
	}
	if s[n] == nil {
		s[n] = map[string]*string{}
	}
	clear(s[n])
	return s
}

func textOf(c *canalflatpb.Column) *string {
	if c.IsNull {
		return nil
	}
	return &c.Value
}
