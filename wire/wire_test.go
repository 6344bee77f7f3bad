package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// fields reads all of in and returns what was found as text, and the error.
func fields(in []byte) (string, *ParseError) {
	var b strings.Builder
	r := NewReader(in)
	for r.Next() {
		f := r.Field
		if f.Tag.Type() != Bytes {
			f.Bytes = nil
		}
		if f.Tag.Type() == Bytes || f.Tag.Type() == StartGroup {
			f.Uint = 0
		}
		fmt.Fprintf(&b, "%d:%d@%d=%d/%x ", f.Tag.Number(), f.Tag.Type(), f.Offset, f.Uint, f.Bytes)
	}
	return strings.TrimSpace(b.String()), r.Err()
}

func TestReader(t *testing.T) {
	neg5 := "\x10\xfb\xff\xff\xff\xff\xff\xff\xff\xff\x01"
	deep := func(n int) string { return strings.Repeat("\x0b", n) + strings.Repeat("\x0c", n) }
	for _, c := range []struct {
		name, in, want string
		err            error
		offset         int
		number         Number
	}{
		{name: "empty", in: ""},
		{name: "varint", in: "\x08\x05", want: "1:0@0=5/"},
		{name: "varint of two bytes", in: "\x08\x96\x01", want: "1:0@0=150/"},
		{name: "sqlType -5", in: neg5, want: "2:0@0=18446744073709551611/"},
		{name: "sqlType -5, bytes behind it", in: neg5 + "\x08\x01", want: "2:0@0=18446744073709551611/ 1:0@11=1/"},
		{name: "minimum of int32", in: "\x08\x80\x80\x80\x80\xf8\xff\xff\xff\xff\x01", want: "1:0@0=18446744071562067968/"},
		{name: "padded to ten bytes", in: "\x08\x85\x80\x80\x80\x80\x80\x80\x80\x80\x00", want: "1:0@0=5/"},
		{name: "highest varint", in: "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", want: "1:0@0=18446744073709551615/"},
		{name: "fixed64", in: "\x09\x01\x00\x00\x00\x00\x00\x00\x80", want: "1:1@0=9223372036854775809/"},
		{name: "fixed32", in: "\x0d\x01\x00\x00\x80", want: "1:5@0=2147483649/"},
		{name: "bytes", in: "\x1a\x02id", want: "3:2@0=0/6964"},
		{name: "no bytes", in: "\x1a\x00", want: "3:2@0=0/"},
		{name: "length of two bytes", in: "\x1a\x82\x00id", want: "3:2@0=0/6964"},
		{name: "tag of two bytes", in: "\x90\x80\x00\x01", want: "2:0@0=1/"},
		{name: "highest number", in: "\xf8\xff\xff\xff\x0f\x01", want: "536870911:0@0=1/"},
		{name: "empty group", in: "\x0b\x0c\x08\x01", want: "1:3@0=0/ 1:0@2=1/"},
		{name: "group of fields and a group", in: "\x0b\x08\x01\x13\x1a\x01x\x14\x0c", want: "1:3@0=0/"},
		{name: "group ended by a long tag", in: "\x0b\x8c\x00", want: "1:3@0=0/"},
		{name: "100 levels", in: deep(100), want: "1:3@0=0/"},

		{name: "only a tag", in: "\x08", err: ErrTruncated, number: 1},
		{name: "tag cut", in: "\x08\x01\x90", want: "1:0@0=1/", err: ErrTruncated, offset: 2},
		{name: "varint cut", in: "\x08\x80", err: ErrTruncated, number: 1},
		{name: "varint of eleven bytes", in: "\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", err: ErrVarint, number: 1},
		{name: "tenth byte of a varint 2", in: "\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x02", err: ErrVarint, number: 1},
		{name: "tenth byte of a varint 2, at -5", in: "\x10\xfb\xff\xff\xff\xff\xff\xff\xff\xff\x02", err: ErrVarint, number: 2},
		{name: "tag of eleven bytes", in: "\x88\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", err: ErrVarint},
		{name: "number 0", in: "\x00\x01", err: ErrNumber},
		{name: "number 0, bytes", in: "\x02\x00", err: ErrNumber},
		{name: "number 2^29", in: "\x80\x80\x80\x80\x10\x01", err: ErrNumber},
		{name: "tag with bit 32", in: "\x90\x80\x80\x80\x10\x01", err: ErrNumber},
		{name: "wire type 6", in: "\x08\x01\x0e", want: "1:0@0=1/", err: ErrType, offset: 2, number: 1},
		{name: "wire type 7", in: "\x0f", err: ErrType, number: 1},
		{name: "fixed64 cut", in: "\x09\x01\x02\x03\x04\x05\x06\x07", err: ErrTruncated, number: 1},
		{name: "fixed32 cut", in: "\x0d\x01\x02\x03", err: ErrTruncated, number: 1},
		{name: "length past the end", in: "\x1a\x03id", err: ErrTruncated, number: 3},
		{name: "length -1", in: "\x1a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", err: ErrTruncated, number: 3},
		{name: "length 2^63-1", in: "\x1a\xff\xff\xff\xff\xff\xff\xff\xff\x7f", err: ErrTruncated, number: 3},
		{name: "length 2^32+1", in: "\x1a\x81\x80\x80\x80\x10x", err: ErrTruncated, number: 3},
		{name: "stray end of a group", in: "\x08\x01\x0c", want: "1:0@0=1/", err: ErrGroup, offset: 2, number: 1},
		{name: "group not ended", in: "\x08\x01\x0b\x08\x01", want: "1:0@0=1/", err: ErrTruncated, offset: 2, number: 1},
		{name: "group ended by another", in: "\x0b\x14", err: ErrGroup, offset: 1, number: 1},
		{name: "inner group ended by the outer", in: "\x0b\x13\x0c\x14", err: ErrGroup, offset: 2, number: 1},
		{name: "damage in a group", in: "\x0b\x08\x01\x1a\x05x\x0c", err: ErrTruncated, offset: 3, number: 1},
		{name: "101 levels", in: deep(101), err: ErrDepth, offset: 100, number: 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := fields([]byte(c.in))
			if got != c.want {
				t.Errorf("fields %s, want %s", got, c.want)
			}
			if c.err == nil {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			if err == nil || err.Err != c.err || err.Offset != c.offset || err.Number != c.number {
				t.Errorf("error %#v, want %v of number %d at byte %d", err, c.err, c.number, c.offset)
			}
		})
	}
}

// slow walks in with protowire, counting levels, and returns what fields does.
func slow(in []byte) (string, error) {
	var b strings.Builder
	for at := 0; at < len(in); {
		n, size, err := slowField(in[at:], 0)
		if err != nil {
			return strings.TrimSpace(b.String()), err
		}
		num, typ, tag := protowire.ConsumeTag(in[at:])
		val := in[at+tag : at+size]
		var u uint64
		var s []byte
		switch typ {
		case protowire.VarintType:
			u, _ = protowire.ConsumeVarint(val)
		case protowire.Fixed32Type:
			v, _ := protowire.ConsumeFixed32(val)
			u = uint64(v)
		case protowire.Fixed64Type:
			u, _ = protowire.ConsumeFixed64(val)
		case protowire.BytesType:
			s, _ = protowire.ConsumeBytes(val)
		}
		fmt.Fprintf(&b, "%d:%d@%d=%d/%x ", num, typ, at, u, s)
		at += size
		_ = n
	}
	return strings.TrimSpace(b.String()), nil
}

func slowField(in []byte, depth int) (protowire.Number, int, error) {
	num, typ, tag := protowire.ConsumeTag(in)
	if tag < 0 {
		return 0, 0, protowire.ParseError(tag)
	}
	if num > protowire.MaxValidNumber {
		return 0, 0, ErrNumber
	}
	if typ != protowire.StartGroupType {
		n := protowire.ConsumeFieldValue(num, typ, in[tag:])
		if n < 0 {
			return 0, 0, protowire.ParseError(n)
		}
		return num, tag + n, nil
	}
	if depth+1 > MaxDepth {
		return 0, 0, ErrDepth
	}
	for at := tag; ; {
		n, t, size := protowire.ConsumeTag(in[at:])
		if size < 0 {
			return 0, 0, protowire.ParseError(size)
		}
		if n > protowire.MaxValidNumber {
			return 0, 0, ErrNumber
		}
		if t == protowire.EndGroupType {
			if n != num {
				return 0, 0, ErrGroup
			}
			return num, at + size, nil
		}
		_, size, err := slowField(in[at:], depth+1)
		if err != nil {
			return 0, 0, err
		}
		at += size
	}
}

func TestReaderAgainstProtowire(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	bytes := []byte{0x00, 0x01, 0x02, 0x05, 0x08, 0x0a, 0x0b, 0x0c, 0x0d, 0x09, 0x12, 0x13, 0x14, 0x7f, 0x80, 0x81, 0xff, 0xfb}
	good, bad := 0, 0
	for i := 0; i < 300_000; i++ {
		in := make([]byte, rnd.IntN(24))
		for j := range in {
			in[j] = bytes[rnd.IntN(len(bytes))]
		}
		if i%2 == 0 {
			in = randomFields(rnd, nil, 3)
			if len(in) > 0 && i%4 == 0 { // one byte damaged
				in[rnd.IntN(len(in))] = byte(rnd.Uint32())
			}
		}
		want, werr := slow(in)
		got, err := fields(in)
		if (err == nil) != (werr == nil) || got != want {
			t.Fatalf("%x\n got %s %v\nwant %s %v", in, got, err, want, werr)
		}
		if err == nil {
			good++
		} else {
			bad++
		}
		if errors.Is(werr, io.ErrUnexpectedEOF) && !errors.Is(err, ErrTruncated) {
			t.Fatalf("%x: %v, protowire says %v", in, err, werr)
		}
	}
	if good < 10_000 || bad < 10_000 {
		t.Errorf("only %d good and %d bad inputs: this tested little", good, bad)
	}
}

// randomFields appends good fields of every kind, written by protowire.
func randomFields(rnd *rand.Rand, b []byte, levels int) []byte {
	for n := rnd.IntN(5); n > 0; n-- {
		num := protowire.Number(1 + rnd.IntN(1<<rnd.IntN(29)))
		switch typ := protowire.Type(rnd.IntN(6)); typ {
		case protowire.VarintType:
			b = protowire.AppendTag(b, num, typ)
			b = protowire.AppendVarint(b, rnd.Uint64()>>rnd.IntN(64))
		case protowire.EndGroupType: // a negative int32 instead
			b = protowire.AppendTag(b, num, protowire.VarintType)
			b = protowire.AppendVarint(b, uint64(int64(-1-rnd.Int32()>>rnd.IntN(31))))
		case protowire.Fixed32Type:
			b = protowire.AppendTag(b, num, typ)
			b = protowire.AppendFixed32(b, rnd.Uint32())
		case protowire.Fixed64Type:
			b = protowire.AppendTag(b, num, typ)
			b = protowire.AppendFixed64(b, rnd.Uint64())
		case protowire.BytesType:
			b = protowire.AppendTag(b, num, typ)
			b = protowire.AppendBytes(b, make([]byte, rnd.IntN(200)))
		case protowire.StartGroupType:
			if levels > 0 {
				b = protowire.AppendTag(b, num, typ)
				b = randomFields(rnd, b, levels-1)
				b = protowire.AppendTag(b, num, protowire.EndGroupType)
			}
		}
	}
	return b
}

func TestVarintsAgainstProtowire(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for i := 0; i < 200_000; i++ {
		v := rnd.Uint64() >> rnd.IntN(64)
		if i%3 == 0 {
			v = uint64(int64(int32(v)))
		}
		in := protowire.AppendVarint([]byte{0x08}, v)
		if !bytes.Equal(AppendVarint(AppendTag(nil, 1, Varint), v), in) {
			t.Fatalf("%d is written as %x", v, AppendVarint(nil, v))
		}
		for _, tail := range []int{0, 1, 9, 20} {
			r := NewReader(append(in[:len(in):len(in)], make([]byte, tail)...))
			if !r.Next() || r.Uint != v || r.pos != len(in) {
				t.Fatalf("%x reads as %d, %v", in, r.Uint, r.Err())
			}
		}
		if z := EncodeZigZag(int64(v)); z != protowire.EncodeZigZag(int64(v)) || DecodeZigZag(z) != int64(v) {
			t.Fatalf("zig-zag of %d is %d", int64(v), z)
		}
	}
}

func TestMessageAndEmbedded(t *testing.T) {
	//            0   2           4   6
	in := []byte("\x08\x01\x12\x05\x1a\x02ab\x08")
	r := NewReader(in)
	r.Next()
	r.Next()
	for _, c := range []struct {
		name  string
		msg   Message
		depth int
	}{{"message", r.Message(), 1}, {"embedded", r.Embedded(), 0}} {
		sub := c.msg.Reader()
		if !sub.Next() || sub.Offset != 4 || string(sub.Bytes) != "ab" || cap(sub.Bytes) != 2 || sub.depth != c.depth {
			t.Errorf("%s: %+v depth %d", c.name, sub.Field, sub.depth)
		}
		if sub.Next() || sub.Err() == nil || sub.Err().Offset != 8 {
			t.Errorf("%s: ends with %v", c.name, sub.Err())
		}
		if sub.Next() {
			t.Errorf("%s: reads on after an error", c.name)
		}
		if got := string(sub.Whole().Bytes()); got != "\x1a\x02ab" {
			t.Errorf("%s: the good part is %q", c.name, got)
		}
	}
	deep := Reader{buf: in, depth: MaxDepth}
	deep.Next()
	deep.Next()
	sub := deep.Message().Reader()
	if sub.Next() || !errors.Is(sub.Err(), ErrDepth) || sub.Err().Offset != 2 {
		t.Errorf("below the last level: %v", sub.Err())
	}
}

func TestParseErrorPath(t *testing.T) {
	e := &ParseError{Offset: 87, Err: ErrTruncated}
	for _, c := range []struct{ within, want string }{
		{"", "at byte 87: input ends inside a field"},
		{Element("afterColumns", 3), "afterColumns[3] at byte 87: input ends inside a field"},
		{"", "afterColumns[3] at byte 87: input ends inside a field"},
		{"storeValue", "storeValue.afterColumns[3] at byte 87: input ends inside a field"},
	} {
		if got := e.Within(c.within).Error(); got != c.want {
			t.Errorf("prints %q, want %q", got, c.want)
		}
	}
	if !errors.Is(e, ErrTruncated) {
		t.Error("errors.Is does not find the kind")
	}
}

func TestNoAllocations(t *testing.T) {
	in := randomFields(rand.New(rand.NewPCG(5, 6)), nil, 3)
	in = append(in, "\x0b\x0b\x0c\x0c"...)
	if n := testing.AllocsPerRun(100, func() {
		r := NewReader(in)
		for r.Next() {
		}
		if r.Err() != nil {
			t.Fatal(r.Err())
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkReader(b *testing.B) {
	for _, c := range []struct {
		name string
		in   []byte
	}{
		{"varint=4", []byte("\x10\x04")},
		{"varint=300", []byte("\x10\xac\x02")},
		{"varint=-5", AppendVarint([]byte{0x10}, ^uint64(4))},
		{"bytes=8", AppendBytes([]byte{0x1a}, make([]byte, 8))},
		{"bytes=200", AppendBytes([]byte{0x1a}, make([]byte, 200))},
		{"group", []byte("\x0b\x08\x01\x0c")},
	} {
		in := bytes.Repeat(c.in, 100)
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r := NewReader(in)
				for r.Next() {
				}
				if r.Err() != nil {
					b.Fatal(r.Err())
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/100, "ns/field")
		})
	}
}
