package fastjson

import (
	"math"

	"github.com/cdcodec/cdcodec/change"
)

// messageHead is what a message says besides its columns, and where those are.
type messageHead struct {
	isCanal  bool // the first key is data
	hasTiDB  bool // there is a key _tidb
	isDDL    bool
	typeName textRef
	typeKey  textRef
	typeAt   int        // where the value of type begins
	texts    [4]textRef // by change.Text: database, table, gtid, sql
	es       int64
	id       int64
	ts       int64

	commitTS, watermarkTS uint64

	data, old, mysqlType, sqlType, pkNames section
}

// section is one of the values that rows are made of.
type section struct {
	at    int // its first element or member, or where it is closed; 0: it is null or missing
	end   int // behind it
	count int // elements or members
	most  int // members of the element that has most
	names nameLengths
}

// nameLengths counts names by their length in the message: there are few
// different short ones.
type nameLengths struct{ one, two, longer int }

func (n *nameLengths) add(t textRef) {
	switch t.n &^ escapedText {
	case 0:
	case 1:
		n.one++
	case 2:
		n.two++
	default:
		n.longer++
	}
}

// most returns how many different names there can be, one without bytes too.
func (n *nameLengths) most() int { return 1 + min(n.one, 1<<8) + min(n.two, 1<<16) + n.longer }

// scan checks the message that begins at p, fills r.head and r.layout, and returns
// the position behind it.
func (r *Reader) scan(p int) int {
	if c := r.peek(p); c != '{' {
		return r.wrong(p)
	}
	p = space(r.b, p+1)
	if r.peek(p) == '}' {
		return p + 1
	}
	for more, first := true, true; more; first = false {
		r.place = place{elem: -1}
		var key textRef
		if key, p = r.name(p); p < 0 {
			return -1
		}
		r.place.key, r.place.inKey = key, true
		if p = r.keyValue(key, p, first); p < 0 {
			return -1
		}
		r.place.inKey = false
		if p, more = r.more(p, '}'); p < 0 {
			return -1
		}
	}
	return p
}

// keyValue checks the value at p, which is that of a key of the message, and
// notes it.
func (r *Reader) keyValue(key textRef, p int, first bool) int {
	h := &r.head
	name := r.b[key.at:key.end()]
	if key.isEscaped() {
		name = r.textNow(key)
	}
	switch string(name) {
	case "data":
		h.isCanal = h.isCanal || first
		r.layout.names, r.layout.isUneven = r.layout.names[:0], false
		return r.elements(&h.data, p, r.dataRow)
	case "old":
		return r.elements(&h.old, p, r.oldRow)
	case "mysqlType":
		r.layout.types = r.layout.types[:0]
		return r.members(&h.mysqlType, p, r.mysqlTypeOf)
	case "sqlType":
		r.layout.numbers = r.layout.numbers[:0]
		return r.members(&h.sqlType, p, r.sqlTypeOf)
	case "pkNames":
		r.layout.keys = r.layout.keys[:0]
		return r.elements(&h.pkNames, p, r.pkName)
	case "_tidb":
		h.hasTiDB = true
		h.commitTS, h.watermarkTS = 0, 0
		return r.members(&section{}, p, r.tidbMember)
	case "database":
		return r.textOrNull(&h.texts[change.TextDatabase], p)
	case "table":
		return r.textOrNull(&h.texts[change.TextTable], p)
	case "gtid":
		return r.textOrNull(&h.texts[change.TextGTID], p)
	case "sql":
		return r.textOrNull(&h.texts[change.TextSQL], p)
	case "type":
		h.typeKey, h.typeAt = key, p
		return r.textOrNull(&h.typeName, p)
	case "es":
		return r.int64(&h.es, p)
	case "id":
		return r.int64(&h.id, p)
	case "ts":
		return r.int64(&h.ts, p)
	case "isDdl":
		h.isDDL = r.peek(p) == 't'
		if c := r.peek(p); c == 't' || c == 'f' || c == 'n' {
			return r.value(p, 1)
		}
		return r.wrong(p)
	}
	return r.value(p, 1)
}

// textOrNull checks a string or null and sets t to it.
func (r *Reader) textOrNull(t *textRef, p int) int {
	switch r.peek(p) {
	case '"':
		*t, p = r.str(p + 1)
		return p
	case 'n':
		*t = textRef{}
		return r.literal(p, "null")
	}
	return r.wrong(p)
}

// int64 checks an integer or null and sets v to it.
func (r *Reader) int64(v *int64, p int) int {
	u, p := r.integer(p, math.MinInt64, math.MaxInt64)
	*v = int64(u)
	return p
}

// elements checks an array or null, with a function for its elements, which is
// told their numbers.
func (r *Reader) elements(s *section, p int, element func(i, p int) int) int {
	*s = section{}
	switch r.peek(p) {
	case 'n':
		return r.literal(p, "null")
	case '[':
	default:
		return r.wrong(p)
	}
	p = space(r.b, p+1)
	s.at = p
	if r.peek(p) == ']' {
		s.end = p + 1
		return p + 1
	}
	for i, more := 0, true; more; i++ {
		r.place.elem = i
		if p = element(i, p); p < 0 {
			return -1
		}
		s.count++
		r.place.elem = -1
		if p, more = r.more(p, ']'); p < 0 {
			return -1
		}
	}
	s.end = p
	return p
}

// members checks an object or null, with a function for the values of its
// members, which is told their names and numbers.
func (r *Reader) members(s *section, p int, member func(name textRef, i, p int) int) int {
	*s = section{}
	switch r.peek(p) {
	case 'n':
		return r.literal(p, "null")
	case '{':
	default:
		return r.wrong(p)
	}
	p = space(r.b, p+1)
	s.at = p
	if r.peek(p) == '}' {
		s.end = p + 1
		return p + 1
	}
	for i, more := 0, true; more; i++ {
		name, value := r.name(p)
		if p = value; p < 0 {
			return -1
		}
		r.place.name, r.place.inName = name, true
		if p = member(name, i, p); p < 0 {
			return -1
		}
		s.count++
		r.place.inName = false
		if p, more = r.more(p, '}'); p < 0 {
			return -1
		}
	}
	s.end = p
	return p
}

// mysqlTypeOf checks a member of mysqlType.
func (r *Reader) mysqlTypeOf(name textRef, i, p int) int {
	var t textRef
	p = r.textOrNull(&t, p)
	if i < maxLayout {
		r.layout.types = append(r.layout.types, typeMember{name, t})
	}
	return p
}

// sqlTypeOf checks a member of sqlType.
func (r *Reader) sqlTypeOf(name textRef, i, p int) int {
	v, p := r.integer(p, math.MinInt32, math.MaxInt32)
	if i < maxLayout {
		r.layout.numbers = append(r.layout.numbers, numberMember{name, int32(v)})
	}
	return p
}

// pkName checks an element of pkNames.
func (r *Reader) pkName(i, p int) int {
	if r.peek(p) != '"' {
		return r.wrong(p)
	}
	name, p := r.str(p + 1)
	if i < maxKeys {
		r.layout.keys = append(r.layout.keys, name)
	}
	return p
}

// tidbMember checks a member of _tidb: its timestamps; all else it may hold does
// not matter here.
func (r *Reader) tidbMember(name textRef, _, p int) int {
	switch string(r.textNow(name)) {
	case "commitTs":
		r.head.commitTS, p = r.integer(p, 0, math.MaxUint64)
	case "watermarkTs":
		r.head.watermarkTS, p = r.integer(p, 0, math.MaxUint64)
	default:
		p = r.value(p, 2)
	}
	return p
}

// dataRow checks an element of data. The names of the first one are the layout's,
// and those of all others are compared with them.
func (r *Reader) dataRow(i, p int) int {
	if r.peek(p) != '{' {
		if r.layout.isUneven = true; r.peek(p) == 'n' {
			return r.literal(p, "null")
		}
		return r.wrong(p)
	}
	b, l, s := r.b, &r.layout, &r.head.data
	p = space(b, p+1)
	n := 0
	if r.peek(p) == '}' {
		p++
	} else {
		for more := true; more; n++ {
			if p >= len(b) || b[p] != '"' {
				return r.unexpected(p)
			}
			p++
			var name textRef
			if i > 0 && !l.isUneven && n < len(l.names) && l.isNext(b, n, p) {
				name = textRef{uint32(p), l.names[n].n}
				p = name.end() + 1
			} else if name, p = r.str(p); p < 0 {
				return -1
			} else if i > 0 || n == maxLayout || name.isEscaped() {
				l.isUneven = true
			} else if !l.isUneven {
				l.names = append(l.names, name)
			}
			s.names.add(name)
			r.place.name, r.place.inName = name, true
			if p = r.colon(p); p < 0 {
				return -1
			}
			if p = r.value(p, 3); p < 0 {
				return -1
			}
			r.place.inName = false
			if p, more = r.more(p, '}'); p < 0 {
				return -1
			}
		}
	}
	if n != len(l.names) {
		l.isUneven = true
	}
	s.most = max(s.most, n)
	return p
}

// oldRow checks an element of old.
func (r *Reader) oldRow(_, p int) int {
	switch r.peek(p) {
	case 'n':
		return r.literal(p, "null")
	case '{':
	default:
		return r.wrong(p)
	}
	s := &r.head.old
	p = space(r.b, p+1)
	if r.peek(p) == '}' {
		return p + 1
	}
	n := 0
	for more := true; more; n++ {
		name, value := r.name(p)
		if value < 0 {
			return -1
		}
		s.names.add(name)
		r.place.name, r.place.inName = name, true
		if p = r.value(value, 3); p < 0 {
			return -1
		}
		r.place.inName = false
		if p, more = r.more(p, '}'); p < 0 {
			return -1
		}
	}
	s.most = max(s.most, n)
	return p
}
