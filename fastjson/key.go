package fastjson

import "github.com/cdcodec/cdcodec/change"

// AppendKey appends the key of a row to dst as a JSON object, for who sends each row's
// message with its key, to a topic that keeps the last message of each:
//
//	{"id":"1","region":null}
//
// It is the key columns of that image of the row at which rows stands, in their order, as
// "data" of dialect canal shows them: text is repaired and escaped, values are strings or null. (A name
// that two key columns have, which no table does, is there twice.) ok is false, and dst
// as it was, if the row has no key columns. The message of a row shows
// change.ImageOf its type, so that an UPDATE has the key that the row has become.
func AppendKey(dst []byte, rows change.Rows, image change.Image) (out []byte, ok bool) {
	n := 0
	rows.Select(image)
	for c := rows.Column(); c != nil; c = rows.Column() {
		if !c.Key {
			continue
		}
		dst, _ = appendQuoted(append(dst, separator('{', n)), c.Name)
		dst = append(dst, ':')
		if c.Null {
			dst = append(dst, "null"...)
		} else {
			dst, _ = appendQuoted(dst, c.Value)
		}
		n++
	}
	if n == 0 {
		return dst, false
	}
	return append(dst, '}'), true
}
