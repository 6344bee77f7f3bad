package reference

import (
	"bytes"
	"slices"
	"testing"

	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/internal/pb/canalpb"
)

// inColumn returns an Entry with a Column that holds these bytes.
func inColumn(b []byte) []byte {
	return entryHolding(sub(nil, 12, sub(nil, 2, b)))
}

// TestVerdict tells good bytes from bad ones in the places that an entry has
// for them.
func TestVerdict(t *testing.T) {
	cut := []byte{0x0A, 0x05, 'a'} // a length past the end
	pair := sub(nil, 1, []byte("k"))
	badPair := []byte{0x0A, 0x02, 'k'}
	begin := slices.Clip(num(nil, 2, 1)) // an append to it copies

	for _, c := range []struct {
		name  string
		entry []byte
		good  bool
	}{
		{"nothing", nil, true},

		// Nesting. A storeValue begins at 0 again, a Column is at depth 2.
		{"100 groups", groups(100), true},
		{"101 groups", groups(101), false},
		{"99 groups in the header", sub(nil, 1, groups(99)), true},
		{"100 groups in the header", sub(nil, 1, groups(100)), false},
		{"98 groups in a pair of the header", sub(nil, 1, sub(nil, 12, groups(98))), true},
		{"99 groups in a pair of the header", sub(nil, 1, sub(nil, 12, groups(99))), false},
		{"100 groups in storeValue", entryHolding(groups(100)), true},
		{"101 groups in storeValue", entryHolding(groups(101)), false},
		{"98 groups in a column", inColumn(groups(98)), true},
		{"99 groups in a column", inColumn(groups(99)), false},
		{"97 groups in a pair of a column", inColumn(sub(nil, 7, groups(97))), true},
		{"98 groups in a pair of a column", inColumn(sub(nil, 7, groups(98))), false},
		{"100 groups side by side", bytes.Repeat(groups(1), 101), true},

		// Field numbers.
		{"number 2^29-1", num(nil, 1<<29-1, 1), true},
		{"number 2^29", []byte{0x80, 0x80, 0x80, 0x80, 0x10, 0x01}, false},
		{"number 2^31-1", []byte{0xF8, 0xFF, 0xFF, 0xFF, 0x3F, 0x01}, false},
		{"number 2^32", []byte{0x80, 0x80, 0x80, 0x80, 0x80, 0x01, 0x01}, false},
		{"number 0", []byte{0x00, 0x01}, false},
		{"number 2^29 in a group", []byte{0x0B, 0x80, 0x80, 0x80, 0x80, 0x10, 0x01, 0x0C}, false},
		{"number 0 in a group", []byte{0x0B, 0x00, 0x01, 0x0C}, false},
		{"number 2^29 in a column", inColumn([]byte{0x80, 0x80, 0x80, 0x80, 0x10, 0x01}), false},

		// Varints.
		{"ten bytes, the last 1", []byte{0x10, 0x82, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01}, true},
		{"ten bytes, the last 2", []byte{0x10, 0x82, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x02}, false},
		{"eleven bytes", []byte{0x10, 0x82, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00}, false},
		{"cut", []byte{0x10, 0x82}, false},
		{"unknown and cut", []byte{0x60, 0x82}, false},

		// Wire types: a known number with another one is an unknown field.
		{"header as varint", num(nil, 1, 5), true},
		{"header as fixed64", append([]byte{0x09}, make([]byte, 8)...), true},
		{"header as fixed32", append([]byte{0x0D}, make([]byte, 4)...), true},
		{"header as group", []byte{0x0B, 0x0C}, true},
		{"entryType as bytes, which are not read", sub(nil, 2, cut), true},
		{"rowDatas as varint", entryHolding(num(nil, 12, 1)), true},
		{"wire type 6", []byte{0x0E}, false},
		{"wire type 7", []byte{0x0F}, false},
		{"wire type 6, unknown", []byte{0x66}, false},

		// Groups.
		{"not closed", []byte{0x0B}, false},
		{"not closed, but a field in it", []byte{0x0B, 0x08, 0x01}, false},
		{"closed by another number", []byte{0x0B, 0x14}, false},
		{"end only", []byte{0x0C}, false},
		{"end only, in a column", inColumn([]byte{0x0C}), false},
		{"begun in a header and closed outside", append(sub(nil, 1, []byte{0x0B}), 0x0C), false},
		{"bad bytes that a group does not know", append(append([]byte{0x63}, sub(nil, 1, cut)...), 0x64), true},

		// What is not shown is checked all the same.
		{"cut field in the header", sub(nil, 1, cut), false},
		{"the same, in an unknown field", sub(nil, 99, cut), true},
		{"bad pair of the header", sub(nil, 1, sub(nil, 12, badPair)), false},
		{"good pair of the header", sub(nil, 1, sub(nil, 12, pair)), true},
		{"bad pair of the row change", entryHolding(sub(nil, 13, badPair)), false},
		{"bad pair of a row", entryHolding(sub(nil, 12, sub(nil, 3, badPair))), false},
		{"bad pair of a column", inColumn(sub(nil, 7, badPair)), false},
		{"bad before column of an insert", entryHolding(num(sub(nil, 12, sub(nil, 1, cut)), 2, 1)), false},
		{"bad after column of a delete", entryHolding(num(sub(nil, 12, sub(nil, 2, cut)), 2, 3)), false},
		{"bad column of a DDL", entryHolding(num(sub(nil, 12, sub(nil, 2, cut)), 10, 1)), false},
		{"bad first header, good second", sub(sub(nil, 1, cut), 1, nil), false},

		// Only the last storeValue is read, and none of a skipped entry.
		{"bad storeValue", sub(nil, 3, cut), false},
		{"bad storeValue, then a good one", sub(sub(nil, 3, cut), 3, nil), true},
		{"good storeValue, then a bad one", sub(sub(nil, 3, nil), 3, cut), false},
		{"bad storeValue of a BEGIN", sub(begin, 3, cut), true},
		{"bad storeValue of an END", num(sub(nil, 3, cut), 2, 3), true},
		{"bad storeValue, BEGIN, then ROWDATA", num(sub(begin, 3, cut), 2, 2), false},
		{"bad header of a BEGIN", sub(begin, 1, cut), false},
		{"storeValue of a BEGIN cut", append(begin, 0x1A, 0x01), false},
	} {
		messages, err := Entry(c.entry, fastjson.Options{}, meta)
		if (err == nil) != c.good {
			t.Errorf("%s: error %v, want good = %v", c.name, err, c.good)
		}
		if err != nil && messages != nil {
			t.Errorf("%s: messages beside an error", c.name)
		}
	}
}

// TestErrorPath looks at one error: it names the way to the bad bytes.
func TestErrorPath(t *testing.T) {
	_, err := Entry(inColumn([]byte{0x0F}), fastjson.Options{}, meta)
	const want = "storeValue: rowDatas: afterColumns: wire type 6 or 7"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestLastKnownEnum(t *testing.T) {
	const absent = 2
	for _, c := range []struct {
		name   string
		values []uint64
		want   canalpb.EventType
	}{
		{"absent", nil, absent},
		{"one", []uint64{3}, 3},
		{"the last", []uint64{3, 1}, 1},
		{"0", []uint64{0}, absent},
		{"0 keeps", []uint64{3, 0}, 3},
		{"the enum's end", []uint64{15}, 15},
		{"past the enum's end", []uint64{16}, absent},
		{"unknown keeps", []uint64{3, 99, 1 << 31}, 3},
		{"negative keeps", []uint64{1, 1<<64 - 1}, 1},
		{"low 32 bits", []uint64{1<<32 + 3}, 3},
		{"low 32 bits are 0", []uint64{1, 1 << 32}, 1},
		{"known after unknown", []uint64{99, 1}, 1},
	} {
		var b []byte
		for _, v := range c.values {
			b = num(b, 2, v)
		}
		b = sub(b, 2, []byte{1}) // another wire type: not this field
		got := lastKnownEnum(b, 2, rowChangeDesc, absent)
		if got != c.want.Number() {
			t.Errorf("%s: got %d, want %d", c.name, got, c.want)
		}
	}
}
