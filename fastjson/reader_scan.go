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

func (n *nameLengths) addAll(m *nameLengths) {
	n.one += m.one
	n.two += m.two
	n.longer += m.longer
}

// most returns how many different names there can be, one without bytes too.
func (n *nameLengths) most() int { return 1 + min(n.one, 1<<8) + min(n.two, 1<<16) + n.longer }

// scan checks the message that begins at p, fills r.head and r.layout, and returns
// the position behind it.
func (r *Reader) scan(p int) int {
	if c := r.peek(p); c != '{' {
		if r.wrong(p); r.fault.err == ErrValue {
			r.fault.err = ErrObject
		}
		return -1
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
	var short [32]byte
	switch string(r.shortText(short[:0], key)) {
	case "data":
		h.isCanal = h.isCanal || first
		r.layout.names, r.layout.lengths, r.layout.isUneven = r.layout.names[:0], nameLengths{}, false
		r.layout.sameTypes, r.layout.sameNumbers = 0, 0
		return r.elements(&h.data, p, r.dataRow)
	case "old":
		return r.elements(&h.old, p, r.oldRow)
	case "mysqlType":
		r.layout.types, r.layout.sameTypes = r.layout.types[:0], 0
		return r.types(&h.mysqlType, p, false)
	case "sqlType":
		r.layout.numbers, r.layout.sameNumbers = r.layout.numbers[:0], 0
		return r.types(&h.sqlType, p, true)
	case "pkNames":
		r.layout.keys = r.layout.keys[:0]
		return r.elements(&h.pkNames, p, r.pkName)
	case "_tidb":
		return r.tidb(p)
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

// open checks the beginning of an object or null, and returns the position of the
// first member; done tells that there is none, and next is behind it all.
func (r *Reader) open(p int) (next int, done bool) {
	switch r.peek(p) {
	case 'n':
		return r.literal(p, "null"), true
	case '{':
	default:
		return r.wrong(p), true
	}
	if p = space(r.b, p+1); r.peek(p) == '}' {
		return p + 1, true
	}
	return p, false
}

// types checks sqlType, where isNumber is set, or mysqlType, and takes its first
// members into the layout.
func (r *Reader) types(s *section, p int, isNumber bool) int {
	*s = section{}
	first, done := r.open(p)
	if done {
		return first
	}
	b, l := r.b, &r.layout
	p, s.at = first, first
	same := 0 // so many names are those of the layout's columns
	for i, more := 0, true; more; i++ {
		if r.peek(p) != '"' {
			return r.unexpected(p)
		}
		p++
		var name textRef
		if same == i && i < len(l.names) && l.isNext(b, i, p) {
			same++
			name = textRef{uint32(p), l.names[i].n}
			p = name.end() + 1
		} else if name, p = r.str(p); p < 0 {
			return -1
		}
		if p+1 < len(b) && b[p] == ':' && b[p+1] > ' ' {
			p++
		} else if p = r.colon(p); p < 0 {
			return -1
		}
		if isNumber {
			var v uint64
			if v, p = r.integer(p, math.MinInt32, math.MaxInt32); i < maxLayout {
				l.numbers = append(l.numbers, numberMember{name, int32(v)})
			}
		} else {
			var t textRef
			if p = r.textOrNull(&t, p); i < maxLayout {
				l.types = append(l.types, typeMember{name, t})
			}
		}
		if p < 0 {
			return r.inMember(name)
		}
		s.count++
		if p+1 < len(b) && b[p] == ',' && b[p+1] == '"' {
			p++
		} else if p, more = r.more(p, '}'); p < 0 {
			return -1
		}
	}
	if isNumber {
		l.sameNumbers = same
	} else {
		l.sameTypes = same
	}
	s.end = p
	return p
}

// tidb checks _tidb for its timestamps, and for what makes a message a stub; all
// else it may hold does not matter here.
func (r *Reader) tidb(p int) int {
	h := &r.head
	h.hasTiDB, h.commitTS, h.watermarkTS = true, 0, 0
	p, done := r.open(p)
	for more := !done; more; {
		name, value := r.name(p)
		if value < 0 {
			return -1
		}
		var short [32]byte
		switch string(r.shortText(short[:0], name)) {
		case "commitTs":
			h.commitTS, p = r.integer(value, 0, math.MaxUint64)
		case "watermarkTs":
			h.watermarkTS, p = r.integer(value, 0, math.MaxUint64)
		case "onlyHandleKey", "claimCheckLocation":
			if p = r.value(value, 2); p >= 0 && r.peek(value) != 'n' && r.peek(value) != 'f' {
				p = r.fail(value, ErrStub)
			}
		default:
			p = r.value(value, 2)
		}
		if p < 0 {
			return r.inMember(name)
		}
		if p, more = r.more(p, '}'); p < 0 {
			return -1
		}
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
	if p = space(b, p+1); r.peek(p) == '}' {
		l.isUneven = l.isUneven || len(l.names) > 0
		return p + 1
	}
	n, same := 0, 0
	for more := true; more; n++ {
		if p >= len(b) || b[p] != '"' {
			return r.unexpected(p)
		}
		p++
		var name textRef
		if same == n && i > 0 && n < len(l.names) && l.isNext(b, n, p) {
			name = textRef{uint32(p), l.names[n].n}
			p = name.end() + 1
			same++
		} else if name, p = r.str(p); p < 0 {
			return -1
		} else {
			s.names.add(name)
			if i > 0 || n == maxLayout || name.isEscaped() {
				l.isUneven = true
			} else if !l.isUneven {
				l.names = append(l.names, name)
				l.lengths.add(name)
			}
		}
		if p, more = r.rowValue(p); p < 0 {
			return r.inMember(name)
		}
	}
	if same != len(l.names) {
		l.isUneven = l.isUneven || i > 0
		for _, name := range l.names[:same] {
			s.names.add(name)
		}
	} else if same > 0 {
		s.names.addAll(&l.lengths)
	}
	s.most = max(s.most, n)
	return p
}

// rowValue checks a value of a row, and what is around it, from the colon before it
// to what follows it, as more does.
func (r *Reader) rowValue(p int) (next int, more bool) {
	b := r.b
	if p+2 < len(b) && b[p] == ':' && b[p+1] == '"' {
		p += 2
		if i := textEnd(b, p); i < len(b) && b[i] == '"' {
			p = i + 1
		} else if _, p = r.strSlow(p, i); p < 0 {
			return -1, false
		}
		if p+1 < len(b) && b[p] == ',' && b[p+1] == '"' {
			return p + 1, true
		}
	} else if p = r.colon(p); p < 0 {
		return -1, false
	} else if p = r.value(p, 3); p < 0 {
		return -1, false
	}
	return r.more(p, '}')
}

// inMember says that what has failed is a member of the current element.
func (r *Reader) inMember(name textRef) int {
	r.place.name, r.place.inName = name, true
	return -1
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
		if r.peek(p) != '"' {
			return r.unexpected(p)
		}
		var name textRef
		if name, p = r.str(p + 1); p < 0 {
			return -1
		}
		s.names.add(name)
		if p, more = r.rowValue(p); p < 0 {
			return r.inMember(name)
		}
	}
	s.most = max(s.most, n)
	return p
}
