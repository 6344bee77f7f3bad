package bench

import (
	"github.com/mailru/easyjson/jwriter"

	"github.com/cdcodec/cdcodec/internal/pb/canalflatpb"
)

// jwriterWrite is easyjson's jwriter, called as the code is that easyjson generates,
// straight from the Entry. It collects chunks of its pool, and copies them into dst
// in the end, as BuildBytes is documented.
func jwriterWrite() Run {
	var s shape
	return func(dst []byte, r *Record) ([]byte, uint64, error) {
		w := jwriter.Writer{NoEscapeHTML: true}
		s.of(r.Flat)
		s.jwriter(&w, r.Flat)
		n := len(dst)
		out, err := w.BuildBytes(dst[n:])
		if len(out) <= cap(dst)-n && len(out) > 0 && &out[0] == &dst[:n+1][n] {
			return dst[:n+len(out)], 0, err // it is there already
		}
		return append(dst, out...), 0, err
	}
}

// jwriterOnto is the same but for its buffer, which begins as dst: where that has
// room, nothing is copied. Its documentation does not tell so; its fields are public.
func jwriterOnto() Run {
	var (
		s shape
		w jwriter.Writer
	)
	return func(dst []byte, r *Record) ([]byte, uint64, error) {
		w = jwriter.Writer{NoEscapeHTML: true}
		w.Buffer.Buf = dst
		s.of(r.Flat)
		s.jwriter(&w, r.Flat)
		out, err := w.BuildBytes()
		return out, 0, err
	}
}

func (s *shape) jwriter(w *jwriter.Writer, e *canalflatpb.Entry) {
	h, c := e.GetHeader(), e.GetStoreValue()
	w.RawString(`{"data":`)
	s.jwriterData(w)
	w.RawString(`,"database":`)
	w.String(h.GetSchemaName())
	w.RawString(`,"es":`)
	w.Int64(h.GetExecuteTime())
	w.RawString(`,"gtid":`)
	w.String(h.GetGtid())
	w.RawString(`,"id":`)
	w.Int64(meta.ID)
	w.RawString(`,"isDdl":`)
	w.Bool(c.GetIsDdl())
	w.RawString(`,"mysqlType":`)
	s.jwriterTypes(w, func(c *shapeColumn) { w.String(c.mysqlType) })
	w.RawString(`,"old":`)
	s.jwriterOld(w)
	w.RawString(`,"pkNames":`)
	s.jwriterKeys(w)
	w.RawString(`,"sql":`)
	w.String(c.GetSql())
	w.RawString(`,"sqlType":`)
	s.jwriterTypes(w, func(c *shapeColumn) { w.Int32(c.sqlType) })
	w.RawString(`,"table":`)
	w.String(h.GetTableName())
	w.RawString(`,"ts":`)
	w.Int64(meta.TS)
	w.RawString(`,"type":`)
	w.String(s.name)
	w.RawByte('}')
}

func (s *shape) jwriterData(w *jwriter.Writer) {
	next := byte('[')
	for _, row := range s.rows {
		columns := s.data(row)
		if len(columns) == 0 {
			continue
		}
		w.RawByte(next)
		next = ','
		for j, c := range columns {
			w.RawByte("{,"[min(j, 1)])
			jwriterColumn(w, c)
		}
		w.RawByte('}')
	}
	jwriterEnd(w, next)
}

func (s *shape) jwriterOld(w *jwriter.Writer) {
	next := byte('[')
	if s.typ == canalflatpb.EventType_UPDATE {
		for i, row := range s.rows {
			w.RawByte(next)
			next = ','
			w.RawByte('{')
			shown := false
			for j, c := range row.BeforeColumns {
				if !s.changed(i, j, c) {
					continue
				}
				if shown {
					w.RawByte(',')
				}
				shown = true
				jwriterColumn(w, c)
			}
			w.RawByte('}')
		}
	}
	jwriterEnd(w, next)
}

// jwriterEnd ends an array, which is null if it has not begun.
func jwriterEnd(w *jwriter.Writer, next byte) {
	if next == '[' {
		w.RawString("null")
	} else {
		w.RawByte(']')
	}
}

func jwriterColumn(w *jwriter.Writer, c *canalflatpb.Column) {
	w.String(c.Name)
	w.RawByte(':')
	if c.IsNull {
		w.RawString("null")
	} else {
		w.String(c.Value)
	}
}

func (s *shape) jwriterTypes(w *jwriter.Writer, value func(*shapeColumn)) {
	if len(s.all) == 0 {
		w.RawString("null")
		return
	}
	for j := range s.all {
		w.RawByte("{,"[min(j, 1)])
		w.String(s.all[j].name)
		w.RawByte(':')
		value(&s.all[j])
	}
	w.RawByte('}')
}

func (s *shape) jwriterKeys(w *jwriter.Writer) {
	next := byte('[')
	for _, k := range s.keys {
		w.RawByte(next)
		next = ','
		w.String(k)
	}
	jwriterEnd(w, next)
}

// vtJwriter and vtJwriterOnto are vtprotobuf at its best and jwriter.
func vtJwriter() Run { return convertRun(vtKept(), jwriterWrite()) }

func vtJwriterOnto() Run { return convertRun(vtKept(), jwriterOnto()) }
