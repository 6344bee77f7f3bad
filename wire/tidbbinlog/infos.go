package tidbbinlog

import (
	"sort"

	"github.com/cdcodec/cdcodec/internal/fields"
	"github.com/cdcodec/cdcodec/internal/mysqltype"
	"github.com/cdcodec/cdcodec/wire"
)

// table is what is known of a Table while its mutations are read: what its columns
// are. The first maxNear of them are in memory, as info; those behind them are
// read from the wire again for each row, in the order of the values, by an
// infoWalk. So that this takes no longer than it should, whatever stands between them,
// there are marks where a walk would take many steps; and those that take long to
// read, of which there cannot be many, are in memory too.
type table struct {
	buf          []byte // the Table
	schema, name []byte
	columns      int
	distinct     int // names, that have a byte
	primary      int // columns with is_primary_key
	keys         int // unique_keys

	near  []info
	marks marks // of column_info behind those; p is the tag
	heavy []heavyInfo
	flags farFlags

	byName nameSet // columns, the last of each name; see names.go
	inKey  nameSet // names in unique_keys
	folded []byte  // buf with types in lower case, where one needed it
	types  typeCache
	tmp    info
}

const (
	maxNear    = 128
	heavySteps = 16 // that make a ColumnInfo a heavy one
	longType   = 64 // bytes that do so too
)

// info is what is known of a column.
type info struct {
	name      []byte
	mysqlType []byte // as it is shown, if nothing says that it is unsigned
	typ       mysqltype.Type
	want      Fields // the field that its values are in
	flags     flags
	primary   bool // is_primary_key
	sqlType   int32
}

type heavyInfo struct {
	at uint32 // its tag
	info
}

// scanned is a ColumnInfo as scanInfo reads it.
type scanned struct {
	name, mysqlType []byte
	typeEnd         int // where mysqlType ends
	primary         bool
}

// scanInfo reads a ColumnInfo whose fields are in the order of their numbers and in
// their usual form, up to is_primary_key.
func scanInfo(b []byte) (in scanned, ok bool) {
	p := 0
	if p+1 < len(b) && b[p] == byte(infoName) {
		start, stop := fields.Length(b, p+1)
		if start == 0 || stop > len(b) {
			return in, false
		}
		in.name, p = b[start:stop:stop], stop
	}
	if p+1 < len(b) && b[p] == byte(infoMySQLType) {
		start, stop := fields.Length(b, p+1)
		if start == 0 || stop > len(b) {
			return in, false
		}
		in.mysqlType, in.typeEnd, p = b[start:stop:stop], stop, stop
	}
	if p+1 < len(b) && b[p] == byte(infoIsPrimaryKey) && b[p+1] < 0x80 {
		in.primary, p = b[p+1] != 0, p+2
	}
	return in, p == len(b)
}

// read reads the ColumnInfo buf[start:stop] and returns how many steps it took.
func (t *table) read(in *info, start, stop int) (steps int) {
	b := t.buf[start:stop:stop]
	s, ok := scanInfo(b)
	if !ok {
		s = scanned{}
		for r := wire.NewReader(b); r.Next(); {
			switch r.Tag {
			case infoName:
				s.name = r.Bytes
			case infoMySQLType:
				s.mysqlType, s.typeEnd = r.Bytes, len(b)-len(r.Rest())
			case infoIsPrimaryKey:
				s.primary = r.Bool()
			}
			steps++
			if r.Tag.Type() == wire.StartGroup {
				steps += len(b)
			}
		}
	}
	if len(s.mysqlType) > longType {
		steps += heavySteps // to understand it takes as many bytes
	}
	in.name, in.primary, in.flags = s.name, s.primary, 0
	k := t.types.of(s.mysqlType)
	in.typ, in.want, in.sqlType, in.mysqlType = k.typ, k.want, k.sqlType, k.name
	if k.typ.Base == mysqltype.Unknown {
		in.mysqlType = t.lower(s.mysqlType, start+s.typeEnd-len(s.mysqlType))
	}
	return steps
}

// lower returns the name of a type that no one knows, which stands at p in buf: its
// first word in lower case. Where that is not what is there, folded has it, which
// lives as long as buf is read.
func (t *table) lower(mysqlType []byte, p int) []byte {
	word, rest := mysqltype.Word(mysqlType)
	start := p + len(mysqlType) - len(rest) - len(word)
	for i, c := range word {
		if c-'A' > 'Z'-'A' {
			continue
		}
		if len(t.folded) == 0 {
			t.folded = append(t.folded, t.buf...)
		}
		for ; i < len(word); i++ {
			if word[i]-'A' <= 'Z'-'A' {
				t.folded[start+i] = word[i] | 0x20
			}
		}
		return t.folded[start : start+len(word) : start+len(word)]
	}
	return word
}

// load makes t what is known of m. With full, that is also which columns are the
// last ones of their name, and which are keys.
func (t *table) load(m wire.Message, full bool) {
	t.release()
	t.buf = m.Bytes()
	if t.near == nil {
		t.near = make([]info, 0, maxNear)
	}
	steps, last := 0, -markSteps
	at := 0
	for r := m.Reader(); r.Next(); {
		stop := len(t.buf) - len(r.Rest())
		steps += stepsOf(r.Tag, stop-at)
		switch r.Tag {
		case tableSchemaName:
			t.schema = r.Bytes
		case tableTableName:
			t.name = r.Bytes
		case tableUniqueKeys:
			t.keys++
		case tableColumnInfo:
			t.add(at, stop-len(r.Bytes), stop)
			if t.columns > maxNear && steps-last >= markSteps {
				t.marks = append(t.marks, mark{number: uint32(t.columns - 1), p: uint32(at)})
				last = steps
			}
		}
		at = stop
	}
	if full {
		t.index()
	}
}

// add takes the next column, the field buf[at:stop].
func (t *table) add(at, start, stop int) {
	far := len(t.near) == maxNear
	in := &t.tmp
	if !far {
		t.near = t.near[:len(t.near)+1]
		in = &t.near[len(t.near)-1]
	}
	steps := t.read(in, start, stop)
	if in.primary {
		t.primary++
	}
	if far {
		if t.columns == maxNear {
			t.flags.base = at
		}
		t.flags.end = at
		if steps >= heavySteps {
			t.heavy = append(t.heavy, heavyInfo{uint32(at), *in})
		}
	}
	t.columns++
}

// release drops what t borrows, and its memory where that has become large.
func (t *table) release() {
	clear(t.near)
	clear(t.heavy)
	t.buf, t.schema, t.name, t.tmp = nil, nil, nil, info{}
	t.columns, t.distinct, t.primary, t.keys = 0, 0, 0, 0
	t.near, t.heavy, t.marks, t.folded = t.near[:0], t.heavy[:0], t.marks[:0], t.folded[:0]
	if cap(t.marks) > keepMarks {
		t.marks = nil
	}
	if cap(t.heavy) > maxNear {
		t.heavy = nil
	}
	if cap(t.folded) > keepLong {
		t.folded = nil
	}
	t.flags.release()
	t.byName.release()
	t.inKey.release()
}

// far reads the column whose tag is at p, behind the near ones, and returns where
// it ends. It is good until the next call with the same scratch.
func (t *table) far(p int, scratch *info) (in *info, stop int) {
	start, stop := fields.Length(t.buf, p+1)
	if wire.Tag(t.buf[p]) != tableColumnInfo || start == 0 || stop > len(t.buf) {
		r := wire.NewReader(t.buf[p:])
		r.Next()
		stop = len(t.buf) - len(r.Rest())
		start = stop - len(r.Bytes)
	}
	in = scratch
	if i := t.isHeavy(p); i >= 0 {
		in = &t.heavy[i].info
	} else {
		t.read(in, start, stop)
	}
	in.flags = t.flags.of(p)
	return in, stop
}

// isHeavy returns the number of the heavy column whose tag is at p, -1 for one that
// is none.
func (t *table) isHeavy(p int) int {
	if len(t.heavy) == 0 {
		return -1
	}
	i := sort.Search(len(t.heavy), func(i int) bool { return int(t.heavy[i].at) >= p })
	if i == len(t.heavy) || int(t.heavy[i].at) != p {
		return -1
	}
	return i
}

// infoWalk steps through the columns of a table.
type infoWalk struct {
	t       *table
	number  int // of the next column
	mark    int // the next one
	p       int // the next field, once columns are far
	at      int // the place of the column that next returned, see table.place
	scratch info
}

// start goes before the first column.
func (w *infoWalk) start(t *table) { w.t, w.number, w.mark, w.p, w.at = t, 0, 0, 0, 0 }

// next returns the next column, nil behind the last one. It is good until the next
// call.
func (w *infoWalk) next() *info {
	n := w.number
	if n >= w.t.columns {
		return nil
	}
	w.number++
	if n < len(w.t.near) {
		w.at = n
		return &w.t.near[n]
	}
	if w.mark < len(w.t.marks) && int(w.t.marks[w.mark].number) == n {
		w.p = int(w.t.marks[w.mark].p)
		w.mark++
	}
	return w.step()
}

// find returns the column of that number, nil where there is none.
func (w *infoWalk) find(number int) *info {
	if number >= len(w.t.near) {
		m := w.t.marks.before(uint32(number))
		w.number, w.p = int(m.number), int(m.p)
		w.mark = len(w.t.marks)
		for w.number < number {
			w.number++
			w.step()
		}
	} else {
		w.number = number
	}
	return w.next()
}

// step reads the next far column.
func (w *infoWalk) step() (in *info) {
	buf := w.t.buf
	for w.p < len(buf) {
		if wire.Tag(buf[w.p]) != tableColumnInfo {
			r := wire.NewReader(buf[w.p:])
			if !r.Next() {
				break
			}
			if r.Tag != tableColumnInfo { // with a padded tag it is one
				w.p = len(buf) - len(r.Rest())
				continue
			}
		}
		w.at = w.p
		in, w.p = w.t.far(w.p, &w.scratch)
		return in
	}
	w.p = len(buf)
	return nil
}
