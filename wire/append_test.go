package wire_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/cdcodec/cdcodec/wire"
)

// An appended is one call of an append function, ours and protowire's.
type appended struct {
	name      string
	ours, std func(dst []byte) []byte
}

// appendsOf returns all append functions with values made of v and s.
func appendsOf(n wire.Number, typ wire.Type, v uint64, s []byte) []appended {
	return []appended{
		{"tag",
			func(b []byte) []byte { return wire.AppendTag(b, n, typ) },
			func(b []byte) []byte { return protowire.AppendTag(b, protowire.Number(n), protowire.Type(typ)) }},
		{"varint",
			func(b []byte) []byte { return wire.AppendVarint(b, v) },
			func(b []byte) []byte { return protowire.AppendVarint(b, v) }},
		{"fixed32",
			func(b []byte) []byte { return wire.AppendFixed32(b, uint32(v)) },
			func(b []byte) []byte { return protowire.AppendFixed32(b, uint32(v)) }},
		{"fixed64",
			func(b []byte) []byte { return wire.AppendFixed64(b, v) },
			func(b []byte) []byte { return protowire.AppendFixed64(b, v) }},
		{"bytes",
			func(b []byte) []byte { return wire.AppendBytes(b, s) },
			func(b []byte) []byte { return protowire.AppendBytes(b, s) }},
		{"string",
			func(b []byte) []byte { return wire.AppendString(b, string(s)) },
			func(b []byte) []byte { return protowire.AppendString(b, string(s)) }},
		{"zig-zag varint",
			func(b []byte) []byte { return wire.AppendVarint(b, wire.EncodeZigZag(int64(v))) },
			func(b []byte) []byte { return protowire.AppendVarint(b, protowire.EncodeZigZag(int64(v))) }},
	}
}

func TestAppendAgainstProtowire(t *testing.T) {
	const prefix = "what was there"
	check := func(n wire.Number, typ wire.Type, v uint64, s []byte) {
		for _, f := range appendsOf(n, typ, v, s) {
			want := f.std([]byte(prefix))
			if got := f.ours([]byte(prefix)); !bytes.Equal(got, want) {
				t.Fatalf("%s of number %d, type %d, %d, %d bytes: %x, want %x", f.name, n, typ, v, len(s), got, want)
			}
			roomy := slices.Grow([]byte(prefix), len(want))
			if got := f.ours(roomy); &got[0] != &roomy[0] || !bytes.Equal(got, want) {
				t.Fatalf("%s does not use the room that is there", f.name)
			}
		}
	}
	// The edges: each power of two, one less, and what their negatives are.
	for shift := range 64 {
		for _, v := range []uint64{1 << shift, 1<<shift - 1, -(1 << shift)} {
			check(min(max(1, wire.Number(v)), wire.MaxNumber), wire.Type(shift%6), v, make([]byte, shift*shift*4))
		}
	}
	for _, size := range []int{127, 128, 16_383, 16_384, 1<<21 - 1, 1 << 21} {
		check(1, wire.Bytes, 0, make([]byte, size))
	}
	rnd := rand.New(rand.NewPCG(7, 8))
	for range 20_000 {
		n := wire.Number(1 + rnd.IntN(int(wire.MaxNumber))>>rnd.IntN(29))
		check(n, wire.Type(rnd.IntN(6)), rnd.Uint64()>>rnd.IntN(64), make([]byte, rnd.IntN(300)))
	}
}

// TestReadBack has a Reader read what the append functions wrote, value by value
// in the forms that a Field offers.
func TestReadBack(t *testing.T) {
	rnd := rand.New(rand.NewPCG(9, 10))
	for range 20_000 {
		v := rnd.Uint64() >> rnd.IntN(64)
		if rnd.IntN(2) == 0 {
			v = -v
		}
		s := make([]byte, rnd.IntN(300))
		n := wire.Number(1 + rnd.IntN(int(wire.MaxNumber))>>rnd.IntN(29))

		b := wire.AppendVarint(wire.AppendTag(nil, n, wire.Varint), v)
		b = wire.AppendVarint(wire.AppendTag(b, n, wire.Varint), wire.EncodeZigZag(int64(v)))
		b = wire.AppendBytes(wire.AppendTag(b, n, wire.Bytes), s)
		b = wire.AppendFixed32(wire.AppendTag(b, n, wire.Fixed32), uint32(v))
		b = wire.AppendFixed64(wire.AppendTag(b, n, wire.Fixed64), v)

		r := wire.NewReader(b)
		next := func(typ wire.Type) wire.Field {
			t.Helper()
			if !r.Next() || r.Tag != wire.MakeTag(n, typ) || r.Tag.Number() != n || r.Tag.Type() != typ {
				t.Fatalf("field %d of type %d: %+v, %v", n, typ, r.Field, r.Err())
			}
			return r.Field
		}
		if f := next(wire.Varint); f.Uint != v || f.Int64() != int64(v) || f.Int32() != int32(uint32(v)) || f.Bool() != (v != 0) {
			t.Fatalf("varint %d: %+v", v, f)
		}
		if f := next(wire.Varint); f.ZigZag() != int64(v) {
			t.Fatalf("zig-zag %d: %d", int64(v), f.ZigZag())
		}
		if f := next(wire.Bytes); !bytes.Equal(f.Bytes, s) || cap(f.Bytes) != len(s) {
			t.Fatalf("%d bytes: %d, capacity %d", len(s), len(f.Bytes), cap(f.Bytes))
		}
		if f := next(wire.Fixed32); f.Uint != uint64(uint32(v)) {
			t.Fatalf("fixed32 %d: %d", uint32(v), f.Uint)
		}
		if f := next(wire.Fixed64); f.Uint != v {
			t.Fatalf("fixed64 %d: %d", v, f.Uint)
		}
		if r.Next() || r.Err() != nil {
			t.Fatalf("at the end: %+v, %v", r.Field, r.Err())
		}
	}
}

// TestFieldForms is what a schema makes of a varint.
func TestFieldForms(t *testing.T) {
	for _, c := range []struct {
		u      uint64
		i32    int32
		i64    int64
		zigzag int64
		b      bool
	}{
		{0, 0, 0, 0, false},
		{1, 1, 1, -1, true},
		{2, 2, 2, 1, true},
		{1<<32 - 1, -1, 1<<32 - 1, -1 << 31, true},
		{1 << 32, 0, 1 << 32, 1 << 31, true}, // true, though its low 32 bits are not set
		{1<<32 + 5, 5, 1<<32 + 5, -1<<31 - 3, true},
		{1 << 63, 0, -1 << 63, 1 << 62, true},
		{1<<64 - 5, -5, -5, -1<<63 + 2, true},
		{1<<64 - 1, -1, -1, -1 << 63, true},
	} {
		f := wire.Field{Uint: c.u}
		if f.Int32() != c.i32 || f.Int64() != c.i64 || f.ZigZag() != c.zigzag || f.Bool() != c.b {
			t.Errorf("%d reads as int32 %d, int64 %d, zig-zag %d, bool %v; want %+v", c.u, f.Int32(), f.Int64(), f.ZigZag(), f.Bool(), c)
		}
	}
}

// TestAppendToBytes shows that bytes come with no room behind them, so that to
// append to them writes on nothing of ours.
func TestAppendToBytes(t *testing.T) {
	in := []byte("\x0a\x02ab\x12\x03ccc")
	before := slices.Clone(in)
	for r := wire.NewReader(in); r.Next(); {
		_ = append(r.Bytes, "XXXX"...)
	}
	if !bytes.Equal(in, before) {
		t.Errorf("the input became %q", in)
	}
}

func TestAppendDoesNotAllocate(t *testing.T) {
	dst := make([]byte, 0, 1024)
	s := make([]byte, 200)
	if n := testing.AllocsPerRun(100, func() {
		b := wire.AppendTag(dst, 10, wire.Bytes)
		b = wire.AppendBytes(b, s)
		b = wire.AppendString(b, "id")
		b = wire.AppendVarint(b, ^uint64(4))
		b = wire.AppendFixed32(b, 1)
		_ = wire.AppendFixed64(b, 1)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
