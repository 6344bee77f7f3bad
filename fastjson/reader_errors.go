package fastjson

import (
	"errors"
	"math"
	"strconv"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/wire"
)

// The kinds of a [wire.ParseError] of a [Reader]. Those that say that a message
// is no JSON have the offset of the first byte that is wrong, the others that of
// the value.
var (
	ErrEnd      = errors.New("message ends before its JSON does")
	ErrSyntax   = errors.New("not JSON")
	ErrControl  = errors.New("control character in a string")
	ErrEscape   = errors.New("escape that JSON does not have")
	ErrDepth    = errors.New("nested more than 1000 levels deep")
	ErrTrailing = errors.New("something behind the message")
	ErrValue    = errors.New("value is not what its key must have") // null, a string, an integer, an array, …
	ErrRange    = errors.New("number out of range")
	ErrObject   = errors.New("message is not a JSON object")
	// ErrStub is the kind for a message of TiCDC that was too large to be sent and
	// has but the handle key of its row (ticdc.md 12): taken for a change it would
	// be a wrong one. Its place is that of onlyHandleKey or claimCheckLocation.
	ErrStub     = errors.New("message shows only the handle key of its row")
	ErrTypeName = errors.New("no type of change, or an unknown one")
	ErrTooLong  = errors.New("message of 1 GiB or more")
)

// fault is the first error met in a message, and where.
type fault struct {
	at  int
	err error
}

// place is how far a Reader has got in a message: a value is of a key, of an
// element of an array there, of a member of an object there.
type place struct {
	key    textRef
	name   textRef // of a member of data[elem], or of the key's own object
	elem   int     // -1: none
	inKey  bool
	inName bool
}

// maxPathName is how much of a name a Path shows.
const maxPathName = 200

// fail notes the fault of the message and returns -1, which stands for no
// position.
func (r *Reader) fail(at int, err error) int {
	r.fault = fault{at, err}
	return -1
}

// unexpected fails for the byte at p, or for the end.
func (r *Reader) unexpected(p int) int {
	if p >= len(r.b) {
		return r.fail(len(r.b), ErrEnd)
	}
	return r.fail(p, ErrSyntax)
}

// parseError makes the error of r.fault, where start is the first byte of the
// message.
func (r *Reader) parseError(start int) *wire.ParseError {
	e := &wire.ParseError{Offset: r.fault.at, Err: r.fault.err, Path: r.path()}
	if r.truncated && e.Err == ErrEnd {
		*e = wire.ParseError{Offset: start, Err: ErrTooLong}
	}
	_, e.Table = r.survey(start)
	return e
}

// path returns the place as "data[0].name".
func (r *Reader) path() string {
	at := &r.place
	if !at.inKey {
		return ""
	}
	path := r.pathName(at.key)
	if at.elem >= 0 {
		path = wire.Element(path, at.elem)
	}
	if at.inName {
		path += "." + r.pathName(at.name)
	}
	return path
}

// pathName returns a name as a Path shows it.
func (r *Reader) pathName(ref textRef) string {
	raw := r.b[ref.at:ref.end()]
	cut := len(raw) > maxPathName
	if cut {
		raw = raw[:maxPathName]
	}
	name := string(raw)
	if ref.isEscaped() && !cut {
		name = string(r.textNow(ref))
	}
	if cut {
		name += "…"
	}
	return name
}

// survey walks a message that has a fault. It returns the position behind it, -1
// where it is no JSON object, and its table, as far as it can be told.
func (r *Reader) survey(start int) (end int, table string) {
	kept := r.fault
	defer func() { r.fault = kept }()
	var names [2][]byte
	b := r.b
	p := start
	if p >= len(b) || b[p] != '{' {
		return -1, ""
	}
	p = space(b, p+1)
	end = p + 1
	for p >= len(b) || b[p] != '}' {
		key, value := r.name(p)
		if p = value; p < 0 {
			break
		}
		var ref textRef
		if p < len(b) && b[p] == '"' {
			ref, p = r.str(p + 1)
		} else {
			p = r.value(p, 1)
		}
		if p < 0 {
			break
		}
		switch text := r.textNow(ref); string(r.textNow(key)) {
		case "database":
			names[0] = text
		case "table":
			names[1] = text
		}
		next, more := r.more(p, '}')
		if p, end = next, next; p < 0 || !more {
			break
		}
	}
	if len(names[0])+len(names[1]) > 0 {
		table = string(names[0]) + "." + string(names[1])
	}
	if p < 0 {
		end = -1
	}
	return end, table
}

// textNow returns the text of a string while the store may lack it.
func (r *Reader) textNow(ref textRef) []byte {
	if !ref.isEscaped() {
		return r.b[ref.at:ref.end()]
	}
	text, _ := appendUnescaped(nil, r.b, int(ref.at), textEnd(r.b, int(ref.at)), math.MaxInt)
	return text
}

// shortText returns the text of a string, in buf if it has escapes; nothing where
// it does not fit, and then it is none of those that are looked for.
func (r *Reader) shortText(buf []byte, ref textRef) []byte {
	if !ref.isEscaped() {
		return r.b[ref.at:ref.end()]
	}
	text, end := appendUnescaped(buf, r.b, int(ref.at), textEnd(r.b, int(ref.at)), cap(buf))
	if end < 0 {
		return nil
	}
	return text
}

// Locate returns where in the message the string is that a [change.ValueError]
// of the Event read last speaks of: a ParseError with its offset, path and table,
// and the cause of v.
func (r *Reader) Locate(v *change.ValueError) *wire.ParseError {
	found := &wire.ParseError{Err: v.Err, Offset: r.start}
	if database, table := r.text(r.head.texts[change.TextDatabase]), r.text(r.head.texts[change.TextTable]); len(database)+len(table) > 0 {
		found.Table = string(database) + "." + string(table)
	}
	switch v.Text {
	case change.TextDatabase, change.TextTable, change.TextGTID, change.TextSQL:
		if ref := r.head.texts[v.Text]; ref.at > 0 {
			found.Offset, found.Path = int(ref.at)-1, v.Text.String()
		}
	case change.TextName, change.TextValue, change.TextMySQLType:
		r.locateColumn(found, v)
	}
	return found
}

func (r *Reader) locateColumn(found *wire.ParseError, v *change.ValueError) {
	at := int(v.Ref >> refFlags)
	name, next := r.nameAt(at)
	if v.Text == change.TextMySQLType {
		if value := r.typeOf(name); value > 0 {
			found.Offset, found.Path = value, "mysqlType."+shownName(name)
		}
		return
	}
	found.Offset = at
	if v.Text == change.TextValue {
		found.Offset = behindColon(r.b, next)
	}
	for _, s := range [...]struct {
		key string
		section
	}{{"data", r.head.data}, {"old", r.head.old}} {
		if s.at == 0 || at < s.at || at >= s.end {
			continue
		}
		row := -1
		for p := s.at; p > 0 && p <= at; p = r.behindElement(p) {
			row++
		}
		found.Path = s.key + "[" + strconv.Itoa(row) + "]." + shownName(name)
	}
}

// shownName returns a name as a Path shows it.
func shownName(name []byte) string {
	if len(name) > maxPathName {
		return string(name[:maxPathName]) + "…"
	}
	return string(name)
}
