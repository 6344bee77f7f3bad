package fastjson

import (
	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/internal/mem"
	"github.com/cdcodec/cdcodec/wire"
)

// The fused path: Entry → JSON in one walk over the wire, for the Entries that
// Canal writes all day: rows of an INSERT, UPDATE or DELETE, fields in the order
// of their numbers, columns as the table's layout has them (tablecache.go). It
// never makes an error and never finds one: whatever is unusual, damage
// included, is "not me", and that Entry takes the general path.
//
// How it walks: p is always a position in the Entry, and a field is read where
// the order of numbers says it must come. Nothing is written that a later byte
// could take back but by giving up on the whole Entry. An UPDATE's before images
// are only checked on the first walk; oldRows reads of them what the after
// images have marked as updated.

// The tags that are expected, each one byte on the wire.
const (
	tagHeader     = 1<<3 | wire.Tag(wire.Bytes)
	tagEntryType  = 2<<3 | wire.Tag(wire.Varint)
	tagStoreValue = 3<<3 | wire.Tag(wire.Bytes)

	tagTableID   = 1<<3 | wire.Tag(wire.Varint)
	tagEventType = 2<<3 | wire.Tag(wire.Varint)
	tagIsDDL     = 10<<3 | wire.Tag(wire.Varint)
	tagRowDatas  = 12<<3 | wire.Tag(wire.Bytes)

	tagBefore = 1<<3 | wire.Tag(wire.Bytes)
	tagAfter  = 2<<3 | wire.Tag(wire.Bytes)

	tagIndex     = 1<<3 | wire.Tag(wire.Varint)
	tagSQLType   = 2<<3 | wire.Tag(wire.Varint)
	tagName      = 3<<3 | wire.Tag(wire.Bytes)
	tagIsKey     = 4<<3 | wire.Tag(wire.Varint)
	tagUpdated   = 5<<3 | wire.Tag(wire.Varint)
	tagIsNull    = 6<<3 | wire.Tag(wire.Varint)
	tagValue     = 8<<3 | wire.Tag(wire.Bytes)
	tagLength    = 9<<3 | wire.Tag(wire.Varint)
	tagMySQLType = 10<<3 | wire.Tag(wire.Bytes)
)

// fused is the state of the fused path in a Writer, and of one Entry on it.
type fused struct {
	cache tableCache
	since []uint32 // by column of an UPDATE: the first row that marks it, as in nameEntry
	olds  []uint32 // where its before columns are, row by row; 0 for all of a row that has none

	cut     *cutter    // of the Writer
	numbers *numbers   // of the Writer
	names   *nameTable // scratch for learning
	odd     []oddType  // the columns of the row written last whose sqlType is not the layout's

	b       []byte   // the Entry
	v       mem.View // of b
	out     []byte   // dst, to its capacity
	n       int      // how much of out is written
	reject  bool     // Options.RejectInvalidUTF8
	marking bool     // lengths of rows are wanted in cut
}

// keepOlds is how many places of before columns a Writer keeps memory for: 256 KiB.
const keepOlds = 64 << 10

// oddType is a column, by its number, with an sqlType of its own.
type oddType struct {
	column  int
	sqlType int32
}

// head is what the fused path reads of a header.
type head struct {
	key, schema, table []byte // key is the fields schemaName and tableName, tags and all
	gtid, gtidEnd      int    // where it is in the Entry
	es                 int64
}

// AppendFromEntry appends the message of an encoded Canal Entry, or its parts, to dst, as decoding it
// (wire/canal's Decoder) and AppendEvent would, byte for byte, in one walk. ok is false,
// and dst as it was, where the Entry is not of the kind that can be had this way: then
// the general way must be taken. It is false for all that is rare or damaged, for what
// would pass MaxOutput or MaxMessage, for dialect ticdc and OldComplete, for several rows with
// OneRow, and for strangers where there are more tables than the Writer remembers. So it
// has no error of its own.
//
// When ok it sets what ev tells of the Entry but Rows, as views that are good until
// entry is written to; else ev's fields are of no meaning. What is behind len(dst), up to
// its capacity, may be written to in either case; entry must not lie there.
func (w *Writer) AppendFromEntry(dst, entry []byte, m Meta, ev *change.Event) (out []byte, ok bool) {
	w.begin()
	f := &w.fused
	limit := w.limit
	if limit == 0 {
		limit = DefaultMaxOutput
	}
	// With eight times the Entry allowed, only names could pass the limit: see
	// the end.
	if len(entry) > limit/8 || w.opts.NoFused || w.opts.Dialect != Canal || w.opts.OldComplete {
		return dst, false
	}
	f.b, f.v, f.out, f.n, f.reject = entry, mem.Of(entry), dst[:cap(dst)], len(dst), w.opts.RejectInvalidUTF8
	f.names, f.numbers, f.cut = &w.names, &w.numbers, &w.cut
	// What an Entry becomes is seldom longer than itself. If it is, it goes the other way.
	f.marking = w.cut.telling || w.opts.Split && len(entry) > w.opts.MaxMessage/2
	f.cache.read = min(f.cache.read+len(entry), 4*maxArena)
	ok = f.entry(&w.opts, m, ev) && f.n-len(dst) <= limit
	if out = dst; ok {
		if most := w.opts.MaxMessage; w.cut.telling || most > 0 && f.n-len(dst) > most {
			out, ok = w.cutFused(dst, limit, ev)
		} else {
			out = f.out[:f.n]
			w.ends = append(w.ends, f.n)
		}
	}
	if !ok {
		w.wasted = f.n - len(dst)
	}
	f.b, f.v, f.out = nil, mem.View{}, nil
	if cap(f.olds) > keepOlds {
		f.olds = nil
	}
	if f.marking {
		w.cut.release()
	}
	return out, ok
}

// entry walks the Entry.
func (f *fused) entry(o *Options, m Meta, ev *change.Event) bool {
	b := f.b
	if len(b) < 16 || b[0] != byte(tagHeader) {
		return false
	}
	p, end := lengthAt(b, 1)
	if p < 0 || len(b)-end < 16 {
		return false
	}
	h, ok := readHead(b, p, end)
	if !ok || len(h.key) > maxFixed {
		return false
	}
	p = end
	if b[p] == byte(tagEntryType) && b[p+1] == rowDataEntry {
		p += 2
	}
	if b[p] != byte(tagStoreValue) {
		return false
	}
	if p, end = lengthAt(b, p+1); p < 0 || end != len(b) {
		return false
	}

	// RowChange.
	typ := change.Update
	if end-p > 9 && b[p] == byte(tagTableID) {
		if p = skipVarint(f.v, p+1); p < 0 {
			return false
		}
	}
	if end-p >= 8 && b[p] == byte(tagEventType) {
		typ = change.Type(b[p+1])
		p += 2
	}
	if end-p >= 8 && b[p] == byte(tagIsDDL) && b[p+1] == 0 {
		p += 2
	}
	if !typ.HasRows() || end-p < 8 || b[p] != byte(tagRowDatas) {
		return false
	}

	if o.OneRow { // the message of one row is that of the Entry
		if _, rowEnd := lengthAt(b, p+1); rowEnd != end {
			return false
		}
	}

	l, hash := f.cache.find(h.key)
	if l == nil {
		if f.cache.stranger(hash) {
			return false
		}
		if l = f.learn(nil, hash, &h, p, typ); l == nil {
			return false
		}
	}
	start := f.n
	if !f.message(l, o, m, &h, typ, p) {
		// The rows are not as learned. If that goes on, learn what they are.
		if l.misses++; int(l.misses) < l.patience() {
			return false
		}
		l.misses, f.n = 0, start
		if l = f.learn(l, hash, &h, p, typ); l == nil || !f.message(l, o, m, &h, typ, p) {
			return false
		}
	}
	l.misses = 0
	*ev = change.Event{Kind: change.KindRows, Type: typ, Database: h.schema, Table: h.table, ES: h.es}
	if h.gtid > 0 {
		ev.GTID = b[h.gtid:h.gtidEnd:h.gtidEnd]
	}
	return true
}

// learn makes the layout of the table after the first row, which is at p.
func (f *fused) learn(old *layout, hash uint32, h *head, p int, typ change.Type) *layout {
	r := wire.NewReader(f.b[p:])
	if !r.Next() {
		return nil
	}
	tag := tagAfter
	row := r.Bytes
	if typ == change.Delete {
		tag = tagBefore
	}
	for in := wire.NewReader(row); in.Next(); {
		if in.Tag == tag {
			l := f.cache.learn(old, &lesson{hash, h.key, h.schema, h.table, row[in.Offset:], tag}, f.names)
			f.names.release()
			return l
		}
	}
	return nil
}

// message writes the message of a table with layout l, whose first row is at p.
func (f *fused) message(l *layout, o *Options, m Meta, h *head, typ change.Type, p int) bool {
	cols := f.cache.columns[l.columns.off : l.columns.off+l.columns.n]
	if len(cols) == 0 {
		return false
	}
	f.text(`{"data":[`)
	f.since, f.olds = f.since[:0], f.olds[:0]
	f.cut.data, f.cut.old = f.cut.data[:0], f.cut.old[:0]
	if typ == change.Update {
		for range cols {
			f.since = append(f.since, never)
		}
	}
	b := f.b
	row := uint32(0)
	for p < len(b) {
		if b[p] != byte(tagRowDatas) {
			return false
		}
		var end int
		if p, end = lengthAt(b, p+1); p < 0 {
			return false
		}
		row++
		if row > 1 {
			if o.OldPerRow && typ == change.Update {
				return false // needs flags that since does not keep
			}
			f.byte(',')
		}
		object := f.n
		switch typ {
		case change.Insert:
			p = f.data(p, end, byte(tagAfter), cols, row)
		case change.Delete:
			p = f.data(p, end, byte(tagBefore), cols, row)
		default:
			if p < end && b[p] == byte(tagBefore) {
				p = f.check(p, end, cols)
			} else {
				for range cols {
					f.olds = append(f.olds, 0)
				}
			}
			if p >= 0 {
				p = f.data(p, end, byte(tagAfter), cols, row)
			}
		}
		if p != end {
			return false
		}
		if f.marking {
			f.cut.data = appendMark(f.cut.data, f.n-object)
		}
	}
	f.text("]")
	f.cut.middleAt = f.n
	f.copy(l.head)
	f.decimal(&f.numbers.es, h.es)
	if !o.OmitGTID {
		f.text(`,"gtid":`)
		f.room(h.gtidEnd - h.gtid + 10)
		to := f.quote(h.gtid, h.gtidEnd-h.gtid, f.n)
		if to < 0 {
			return false
		}
		f.n = to
	}
	f.text(`,"id":`)
	f.decimal(&f.numbers.id, m.ID)
	f.copy(l.types)
	f.cut.oldAt = f.n
	if typ == change.Update {
		if !f.oldRows(cols) {
			return false
		}
	} else {
		f.text("null")
	}
	f.cut.tailAt = f.n
	f.tail(l.tail, cols)
	f.decimal(&f.numbers.ts, m.TS)
	switch typ {
	case change.Insert:
		f.text(`,"type":"INSERT"}`)
	case change.Delete:
		f.text(`,"type":"DELETE"}`)
	default:
		f.text(`,"type":"UPDATE"}`)
	}
	return true
}

// data writes the object of an image whose columns are at p, up to end, and
// returns end; -1 if they are not as in the layout.
func (f *fused) data(p, end int, tag byte, cols []columnLayout, row uint32) int {
	at := f.n
	f.odd = f.odd[:0]
	watch := flagOdd
	if len(f.since) > 0 { // of as many columns, as this is an UPDATE
		watch |= flagUpdated
	}
	for j := range cols {
		c := &cols[j]
		v, n, flags, next := f.column(p, end, tag, c)
		if next < 0 {
			if v, n, flags, next = f.columnSlow(p, end, tag, c); next < 0 {
				return -1
			}
		}
		if flags&watch != 0 {
			if flags&flagOdd != 0 {
				f.odd = append(f.odd, oddType{j, sqlTypeAt(f.b, p, c)})
			}
			if flags&watch&flagUpdated != 0 && row < f.since[j] {
				f.since[j] = row
			}
		}
		p = next
		to := f.shortMember(c, v, n, flags, at)
		if to < 0 {
			if to = f.member(c, v, n, flags, at); to < 0 {
				return -1
			}
		}
		at = to
	}
	f.out[f.n] = '{' // for the comma of the first name
	f.n = at
	f.byte('}')
	return p
}

// check is data without writing. It notes where the columns are.
func (f *fused) check(p, end int, cols []columnLayout) int {
	olds := f.olds
	for j := range cols {
		olds = append(olds, uint32(p))
		_, _, _, next := f.column(p, end, byte(tagBefore), &cols[j])
		if next < 0 {
			if _, _, _, next = f.columnSlow(p, end, byte(tagBefore), &cols[j]); next < 0 {
				p = next
				break
			}
		}
		p = next
	}
	f.olds = olds
	return p
}

// oldRows writes the value of "old", of rows that have been found good: of each
// the before columns that it or a row before it has marked as updated.
func (f *fused) oldRows(cols []columnLayout) bool {
	open := byte('[')
	row := uint32(0)
	for olds := f.olds; len(olds) > 0; olds = olds[len(cols):] {
		row++
		f.byte(open)
		open = ','
		object := f.n
		at := object
		if olds[0] != 0 {
			for j, since := range f.since {
				if since > row {
					continue
				}
				v, n, flags, next := f.column(int(olds[j]), len(f.b), byte(tagBefore), &cols[j])
				if next < 0 {
					v, n, flags, _ = f.columnSlow(int(olds[j]), len(f.b), byte(tagBefore), &cols[j])
				}
				if at = f.member(&cols[j], v, n, flags, at); at < 0 {
					return false
				}
			}
		}
		if at == f.n {
			f.room(1)
			at++
		}
		f.out[f.n] = '{' // for the comma of the first name
		f.n = at
		f.byte('}')
		if f.marking {
			f.cut.old = appendMark(f.cut.old, f.n-object)
		}
	}
	f.byte(']')
	return true
}
