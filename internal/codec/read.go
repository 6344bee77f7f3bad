package codec

import (
	"encoding/json"
	"math/bits"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/fastjson"
)

// This file is the stage read: Canal-JSON read back. Structs with maps do not keep
// the order of columns, so a row's sum here is that of its columns in any order:
//
//	message  database, table, type, es, id, ts, then each row
//	row      its image before, its image after; none is 0
//	image    what its columns come to, added up
//	column   its name, and its value or null

// readColumn returns what a column comes to.
func readColumn[T string | []byte](name, value T, null bool) uint64 {
	if null {
		return readPair(text(name), 1<<63)
	}
	return readPair(text(name), text(value))
}

func readPair(name, value uint64) uint64 {
	h := (name ^ bits.RotateLeft64(value, 32) ^ 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9
	return h ^ h>>32
}

func readHead[T string | []byte](s *sum, database, table T, typ string, es, id, ts int64) {
	s.mix(text(database))
	s.mix(text(table) ^ bits.RotateLeft64(text(typ), 32))
	s.mix(uint64(es))
	s.mix(uint64(id))
	s.mix(uint64(ts))
}

func (s *sum) readRow(before, after uint64) {
	s.image()
	s.mix(before)
	s.mix(after)
}

// newReader returns the Read of the library: a Reader, and each column of both
// images of what it reads.
func newReader() func([]byte) (uint64, error) {
	var (
		r    fastjson.Reader
		ev   change.Event
		meta fastjson.Meta
	)
	return func(record []byte) (uint64, error) {
		if err := r.Read(&ev, &meta, record); err != nil {
			return 0, err
		}
		var s sum
		readHead(&s, ev.Database, ev.Table, ev.Type.String(), ev.ES, meta.ID, meta.TS)
		if ev.Rows == nil {
			return uint64(s), nil
		}
		for ev.Rows.Rewind(); ev.Rows.Next(); {
			before := readImage(ev.Rows, change.Before)
			s.readRow(before, readImage(ev.Rows, change.After))
		}
		return uint64(s), nil
	}
}

func readImage(rows change.Rows, image change.Image) (n uint64) {
	rows.Select(image)
	for c := rows.Column(); c != nil; c = rows.Column() {
		n += readColumn(c.Name, c.Value, c.Null)
	}
	return n
}

// message adds a message that was read into a struct.
func (s *sum) message(m *fastjson.Message) {
	readHead(s, m.Database, m.Table, m.Type, m.ES, m.ID, m.TS)
	if m.IsDDL {
		return
	}
	for i, row := range m.Data {
		data := readMap(row)
		switch m.Type {
		case "INSERT":
			s.readRow(0, data)
		case "UPDATE":
			old := uint64(0)
			if i < len(m.Old) {
				old = readMap(m.Old[i])
			}
			s.readRow(old, data)
		case "DELETE":
			s.readRow(data, 0)
		}
	}
}

func readMap(row map[string]*string) (n uint64) {
	for name, value := range row {
		if value == nil {
			n += readColumn(name, "", true)
		} else {
			n += readColumn(name, *value, false)
		}
	}
	return n
}

// newJSON returns the plain way to read: encoding/json into a new struct.
func newJSON(Options) *Codec {
	return &Codec{Read: func(record []byte) (uint64, error) {
		var m fastjson.Message
		if err := json.Unmarshal(record, &m); err != nil {
			return 0, err
		}
		var s sum
		s.message(&m)
		return uint64(s), nil
	}}
}
