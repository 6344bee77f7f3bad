package fastjson

import (
	"unicode/utf8"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/internal/repair"
)

// What both dialects write messages with: texts within MaxOutput, and columns.

// text appends a string of the Event, quoted. It sets w.err where the string
// may not be shown or dst has become too long.
func (w *Writer) text(dst, s []byte, what change.Text, ref uint32) []byte {
	if w.err != nil {
		return dst
	}
	if len(s) <= shortText && len(s)+2 <= w.end-len(dst) {
		if out, ok := appendShort(dst, s, w.opts.Dialect == TiCDC); ok {
			return out
		}
	}
	if room := w.end - len(dst); room < 2 || uint64(room) < 6*uint64(len(s))+2 && room < w.quotedLen(s) {
		w.err = ErrMaxOutput
		return dst
	}
	var valid bool
	if w.opts.Dialect == TiCDC {
		dst, valid = w.ticdcText(dst, s)
	} else {
		if !haveBlocks && len(s) >= sonicFrom {
			if out, ok := w.long.append(dst, s); ok {
				return out
			}
		}
		dst, valid = appendQuoted(dst, s)
	}
	if !valid && w.opts.RejectInvalidUTF8 {
		w.err = &change.ValueError{Text: what, Ref: ref, Err: ErrInvalidUTF8}
	}
	return dst
}

// quotedLen returns how many bytes s takes, quoted.
func (w *Writer) quotedLen(s []byte) int {
	if w.opts.Dialect == TiCDC {
		return ticdcQuotedLen(s)
	}
	return quotedLen(s)
}

// quotedLen returns how many bytes appendQuoted makes of s.
func quotedLen(s []byte) int {
	n := 2
	for len(s) > 0 {
		k, valid := repair.Sequence(s)
		switch c := s[0]; {
		case !valid:
			n += len(repair.Replacement)
		case c == '"' || c == '\\' || c >= '\b' && c <= '\r' && c != '\v':
			n += 2
		case c < 0x20:
			n += 6
		default:
			n += k
		}
		s = s[k:]
	}
	return n
}

// column appends the name and value of c as a member of an object: rule 5.
func (w *Writer) column(dst []byte, c *change.Column) []byte {
	return w.value(append(w.text(dst, c.Name, change.TextName, c.Ref), ':'), c)
}

// firstColumn is column for the name of entry n, of which it notes where it is.
func (w *Writer) firstColumn(dst []byte, c *change.Column, n int) []byte {
	at := len(dst)
	dst = append(w.text(dst, c.Name, change.TextName, c.Ref), ':')
	w.names.wrote(n, at, len(dst))
	return w.value(dst, c)
}

// value appends the value of c.
func (w *Writer) value(dst []byte, c *change.Column) []byte {
	if c.Null {
		return append(dst, "null"...)
	}
	return w.text(dst, c.Value, change.TextValue, c.Ref)
}

// name appends `"name":` of entry n, by copying where that has been written before
// (BenchmarkSource: tidb -7 %).
func (w *Writer) name(dst []byte, n int) []byte {
	if n < len(w.names.last) {
		if l := &w.names.last[n]; l.size > 0 && l.size <= w.end-len(dst) {
			return append(dst, dst[l.at:l.at+l.size]...)
		}
	}
	return append(w.text(dst, w.names.column(n).name, change.TextName, w.names.entries[n].ref), ':')
}

// checkName rejects a name that is shown only through another one like it.
func (w *Writer) checkName(c *change.Column) {
	if w.err == nil && w.opts.RejectInvalidUTF8 && !utf8.Valid(c.Name) {
		w.err = &change.ValueError{Text: change.TextName, Ref: c.Ref, Err: ErrInvalidUTF8}
	}
}

// separator returns what stands before member n of an object or array.
func separator(open byte, n int) byte {
	if n == 0 {
		return open
	}
	return ','
}
