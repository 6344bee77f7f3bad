package canal_test

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cdcodec/cdcodec/wire"
)

// TestScannerEdges puts together columns of fields whose lengths and numbers are where the
// forms of a varint change, and cuts and bends them.
func TestScannerEdges(t *testing.T) {
	rnd := rand.New(rand.NewPCG(17, 18))
	numbers := []int64{0, 1, 12, 127, 128, 2005, 1<<14 - 1, 1 << 14, 1<<31 - 1, -1, -5, -127, -128, -129, -1 << 28, -1 << 31}
	lengths := []int{0, 1, 2, 7, 8, 126, 127, 128, 129, 1<<14 - 1, 1 << 14}
	usual := func(n int) bool { return rnd.IntN(n) > 0 }
	integer := func(tag byte) []byte {
		n := int64(rnd.IntN(128))
		if !usual(3) {
			n = numbers[rnd.IntN(len(numbers))]
		}
		if !usual(30) {
			return nil
		}
		return append([]byte{tag << 3}, num(1, n)[1:]...)
	}
	text := func(tag byte, odd int) []byte {
		n := rnd.IntN(40)
		if !usual(odd) {
			n = lengths[rnd.IntN(len(lengths))]
		}
		if !usual(20) {
			return nil
		}
		return append([]byte{tag<<3 | 2}, str(1, strings.Repeat("x", n))[1:]...)
	}
	flag := func(tag byte) []byte {
		if !usual(30) {
			return nil
		}
		v := byte(rnd.IntN(2))
		if !usual(50) {
			v = byte(rnd.Uint32())
		}
		return []byte{tag << 3, v}
	}
	columns := 0
	for range 1500 {
		var rows []byte
		if rnd.IntN(2) == 0 {
			rows = join(num(1, rnd.Int64N(1<<40)), num(2, 1), num(10, 0))
		}
		for range 1 + rnd.IntN(3) {
			var row []byte
			for range rnd.IntN(5) {
				col := join(integer(1), integer(2), text(3, 8), flag(4), flag(5), flag(6), text(8, 4))
				if !usual(10) {
					col = append(col, integer(9)...)
				}
				col = append(col, text(10, 8)...)
				if !usual(30) {
					col = append(col, integer(byte(1+rnd.IntN(15)))...)
				}
				row = append(row, sub(wire.Number(1+rnd.IntN(4)/2%2), col)...)
			}
			rows = append(rows, sub(12, row)...)
		}
		entry := join(sub(1, num(1, 1)), num(2, 2), sub(3, rows))
		columns += sameScan(t, entry)
		for range 5 {
			bad := bytes.Clone(entry)
			at := rnd.IntN(len(bad))
			if rnd.IntN(2) == 0 {
				bad[at] = byte(rnd.Uint32())
			} else {
				bad = append(bad[:at], bad[min(at+1+rnd.IntN(3), len(bad)):]...)
			}
			sameScan(t, bad)
		}
	}
	// Rows, columns and values of three and four bytes of length.
	for _, n := range []int{1 << 14, 1<<21 - 30, 1<<21 - 1, 1 << 21} {
		col := join(num(1, 3), num(2, 12), str(3, "v"), num(4, 0), num(5, 1), num(6, 0), str(8, strings.Repeat("y", n)), str(10, "text"))
		for _, cut := range []int{0, 1, 5} {
			columns += sameScan(t, join(sub(1, num(1, 1)), num(2, 2), sub(3, sub(12, sub(2, col), sub(2, col[:len(col)-cut])))))
		}
	}
	if columns < 5000 {
		t.Errorf("only %d columns: this tested little", columns)
	}
}
