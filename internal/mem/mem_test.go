package mem

import (
	"bytes"
	"encoding/binary"
	"runtime"
	"testing"
)

func TestBoth(t *testing.T) {
	b := []byte("0123456789abcdefghijklmnop")
	v := Of(b)
	if v.U64(1) != 0x3837363534333231 || v.U32(2) != 0x35343332 || v.U8(3) != '3' {
		t.Errorf("loads %#x %#x %#x", v.U64(1), v.U32(2), v.U8(3))
	}
	if s := v.Slice(4, 7); string(s) != "456" || cap(s) != 3 {
		t.Errorf("slice %q of capacity %d", s, cap(s))
	}
	if s := v.Slice(26, 26); len(s) != 0 || s == nil {
		t.Errorf("empty slice %v", s)
	}
	var s []byte
	if v.Set(&s, 4, 7); string(s) != "456" || cap(s) != 3 {
		t.Errorf("set to %q of capacity %d", s, cap(s))
	}
	if v.Set(&s, 25, 25); len(s) != 0 || cap(s) != 0 || s == nil {
		t.Errorf("set to no bytes %v", s)
	}
	d := bytes.Repeat([]byte{'-'}, 26)
	Copy16(d, 2, b, 5)
	Store64(d, 18, 0x4847464544434241)
	if string(d) != "--56789abcdefghijkABCDEFGH" {
		t.Errorf("stores give %q", d)
	}
}

// TestNoBytesAtTheEnd keeps slices of no bytes at the end of objects of a size
// class while the collector runs: their addresses must not be those of others.
func TestNoBytesAtTheEnd(t *testing.T) {
	var kept [][]byte
	for range 200_000 {
		b := make([]byte, 384)
		kept = append(kept, Of(b).Slice(len(b), len(b)))
	}
	runtime.GC()
	for _, k := range kept {
		if len(k) != 0 || k == nil || cap(k) != 0 {
			t.Fatal("not an empty slice")
		}
	}
	runtime.GC()
}

func TestUvarint(t *testing.T) {
	for shift := range 64 {
		for _, x := range []uint64{1 << shift, 1<<shift - 1, 1<<shift | 1} {
			b := binary.AppendUvarint([]byte{0xff}, x)
			n := len(b)
			got, next := Of(append(b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff)).Uvarint(1)
			if long := n-1 > 8; long && next != 0 || !long && (got != x || next != n) {
				t.Errorf("%#x of %d bytes: %#x, %d", x, n-1, got, next)
			}
		}
	}
}
