package reference

import (
	"bytes"
	"slices"
	"testing"

	"github.com/cdcodec/cdcodec/fastjson"
	. "github.com/cdcodec/cdcodec/internal/canaltest"
	"github.com/cdcodec/cdcodec/internal/pb/canalpb"
)

// inColumn returns an Entry with a Column that holds these bytes.
func inColumn(b []byte) []byte {
	return EntryHolding(Sub(nil, 12, Sub(nil, 2, b)))
}

// TestVerdict tells good bytes from bad ones in the places that an entry has
// for them.
func TestVerdict(t *testing.T) {
	cut := []byte{0x0A, 0x05, 'a'} // a length past the end
	pair := Sub(nil, 1, []byte("k"))
	badPair := []byte{0x0A, 0x02, 'k'}
	begin := slices.Clip(Num(nil, 2, 1)) // an append to it copies

	for _, c := range []struct {
		name  string
		entry []byte
		good  bool
	}{
		{"nothing", nil, true},

		// Nesting. A storeValue begins at 0 again, a Column is at depth 2.
		{"100 groups", Groups(100), true},
		{"101 groups", Groups(101), false},
		{"99 groups in the header", Sub(nil, 1, Groups(99)), true},
		{"100 groups in the header", Sub(nil, 1, Groups(100)), false},
		{"98 groups in a pair of the header", Sub(nil, 1, Sub(nil, 12, Groups(98))), true},
		{"99 groups in a pair of the header", Sub(nil, 1, Sub(nil, 12, Groups(99))), false},
		{"100 groups in storeValue", EntryHolding(Groups(100)), true},
		{"101 groups in storeValue", EntryHolding(Groups(101)), false},
		{"98 groups in a column", inColumn(Groups(98)), true},
		{"99 groups in a column", inColumn(Groups(99)), false},
		{"97 groups in a pair of a column", inColumn(Sub(nil, 7, Groups(97))), true},
		{"98 groups in a pair of a column", inColumn(Sub(nil, 7, Groups(98))), false},
		{"100 groups side by side", bytes.Repeat(Groups(1), 101), true},

		// Field numbers.
		{"number 2^29-1", Num(nil, 1<<29-1, 1), true},
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
		{"header as varint", Num(nil, 1, 5), true},
		{"header as fixed64", append([]byte{0x09}, make([]byte, 8)...), true},
		{"header as fixed32", append([]byte{0x0D}, make([]byte, 4)...), true},
		{"header as group", []byte{0x0B, 0x0C}, true},
		{"entryType as bytes, which are not read", Sub(nil, 2, cut), true},
		{"rowDatas as varint", EntryHolding(Num(nil, 12, 1)), true},
		{"wire type 6", []byte{0x0E}, false},
		{"wire type 7", []byte{0x0F}, false},
		{"wire type 6, unknown", []byte{0x66}, false},

		// Groups.
		{"not closed", []byte{0x0B}, false},
		{"not closed, but a field in it", []byte{0x0B, 0x08, 0x01}, false},
		{"closed by another number", []byte{0x0B, 0x14}, false},
		{"end only", []byte{0x0C}, false},
		{"end only, in a column", inColumn([]byte{0x0C}), false},
		{"begun in a header and closed outside", append(Sub(nil, 1, []byte{0x0B}), 0x0C), false},
		{"bad bytes that a group does not know", append(append([]byte{0x63}, Sub(nil, 1, cut)...), 0x64), true},

		// What is not shown is checked all the same.
		{"cut field in the header", Sub(nil, 1, cut), false},
		{"the same, in an unknown field", Sub(nil, 99, cut), true},
		{"bad pair of the header", Sub(nil, 1, Sub(nil, 12, badPair)), false},
		{"good pair of the header", Sub(nil, 1, Sub(nil, 12, pair)), true},
		{"bad pair of the row change", EntryHolding(Sub(nil, 13, badPair)), false},
		{"bad pair of a row", EntryHolding(Sub(nil, 12, Sub(nil, 3, badPair))), false},
		{"bad pair of a column", inColumn(Sub(nil, 7, badPair)), false},
		{"bad before column of an insert", EntryHolding(Num(Sub(nil, 12, Sub(nil, 1, cut)), 2, 1)), false},
		{"bad after column of a delete", EntryHolding(Num(Sub(nil, 12, Sub(nil, 2, cut)), 2, 3)), false},
		{"bad column of a DDL", EntryHolding(Num(Sub(nil, 12, Sub(nil, 2, cut)), 10, 1)), false},
		{"bad first header, good second", Sub(Sub(nil, 1, cut), 1, nil), false},

		// Only the last storeValue is read, and none of a skipped entry.
		{"bad storeValue", Sub(nil, 3, cut), false},
		{"bad storeValue, then a good one", Sub(Sub(nil, 3, cut), 3, nil), true},
		{"good storeValue, then a bad one", Sub(Sub(nil, 3, nil), 3, cut), false},
		{"bad storeValue of a BEGIN", Sub(begin, 3, cut), true},
		{"bad storeValue of an END", Num(Sub(nil, 3, cut), 2, 3), true},
		{"bad storeValue, BEGIN, then ROWDATA", Num(Sub(begin, 3, cut), 2, 2), false},
		{"bad header of a BEGIN", Sub(begin, 1, cut), false},
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
			b = Num(b, 2, v)
		}
		b = Sub(b, 2, []byte{1}) // another wire type: not this field
		got := lastKnownEnum(b, 2, rowChangeDesc, absent)
		if got != c.want.Number() {
			t.Errorf("%s: got %d, want %d", c.name, got, c.want)
		}
	}
}
