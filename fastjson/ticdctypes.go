package fastjson

import (
	"encoding/binary"
	"math/bits"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/internal/mysqltype"
)

// What dialect ticdc makes of mysqlType and sqlType (spec: ticdc.md 5 and 6).

// typeCache remembers the types that were read last. A stream has few different
// ones, and to read one takes six times as long as to find it here
// (BenchmarkTypeCache).
type typeCache [64]struct {
	text [23]byte
	size uint8 // of text; 0 is a free slot
	typ  mysqltype.Type
}

// parse is mysqltype.Parse.
func (t *typeCache) parse(s []byte) mysqltype.Type {
	if len(s) == 0 || len(s) > len(t[0].text) {
		return mysqltype.Parse(s)
	}
	hash := uint64(len(s))
	if len(s) >= 8 {
		hash += binary.LittleEndian.Uint64(s) ^ bits.RotateLeft64(binary.LittleEndian.Uint64(s[len(s)-8:]), 31)
	} else {
		for _, c := range s {
			hash = hash<<8 | uint64(c)
		}
	}
	slot := &t[hash*0x9e3779b97f4a7c15>>58]
	if string(slot.text[:slot.size]) != string(s) {
		slot.size = uint8(copy(slot.text[:], s))
		slot.typ = mysqltype.Parse(s)
	}
	return slot.typ
}

// sqlType is rule 6: what c's sqlType is by its type and value, or, where its type
// is not known, what c says.
func (w *Writer) sqlType(c *change.Column) int32 {
	if w.ticdc.promoted {
		return c.SQLType
	}
	typ := w.ticdc.types.parse(c.MySQLType)
	switch {
	case typ.Base == mysqltype.Unknown:
		return c.SQLType
	case c.Null:
		return typ.SQLType(nil)
	}
	return typ.SQLType(c.Value)
}

// mysqlType appends the name of a type: rule 5.
func (w *Writer) mysqlType(dst, mysqlType []byte, ref uint32) []byte {
	if w.opts.TiCDC.ContentCompatible {
		return w.text(dst, mysqlType, change.TextMySQLType, ref)
	}
	if name := w.ticdc.types.parse(mysqlType).Name(); name != "" {
		dst = append(append(dst, '"'), name...)
		return append(dst, '"')
	}
	// Not one of MySQL's: its first word as it is, in lower case. No escape has a
	// capital letter.
	word, _ := mysqltype.Word(mysqlType)
	start := len(dst)
	dst = w.text(dst, word, change.TextMySQLType, ref)
	for i, c := range dst[start:] {
		if c >= 'A' && c <= 'Z' {
			dst[start+i] = c | 0x20
		}
	}
	return dst
}
