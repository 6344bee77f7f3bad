package fuzz

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/cdcodec/cdcodec/internal/corpus/golden"
	"github.com/cdcodec/cdcodec/wire"
)

// FuzzWire holds wire.Reader to protowire: the same fields at the same offsets
// and the same verdict, but for the two errors that protowire does not know.
// Fields of type Bytes are read as messages in turn, both ways there are. What
// the appenders make of the fields is what protowire makes of them.
func FuzzWire(f *testing.F) {
	addEntries(func(entry []byte) { f.Add(entry) })
	for _, c := range golden.Packets() {
		f.Add(c.Records[0])
	}
	for _, in := range []string{
		"\x10\xfb\xff\xff\xff\xff\xff\xff\xff\xff\x01",
		"\x10\xfb\xff\xff\xff\xff\xff\xff\xff\xff\x02",
		"\x10\xfb\xff\xff\xff\xff\x8f\xff\xff\xff\x01",
		"\x10\xfb\xff\xff\xff\xff\xff\xff\xff\x8f\x01",
		"\x10\xfb\xff\xff\xff\xff\xff\xff\xff\x7f\x01",
		"\x10\xfb\x7f\xff\xff\xff\xff\xff\xff\xff\x01\x01",
		"\xf8\xff\xff\xff\x0f\x01\x80\x80\x80\x80\x10\x01",
		"\x09\x01\x00\x00\x00\x00\x00\x00\x80\x0d\x01\x00\x00\x80",
		"\x0b\x08\x01\x13\x1a\x01x\x14\x0c\x0b\x13\x0c\x14",
	} {
		f.Add([]byte(in))
	}
	for _, levels := range []int{99, 100, 101} {
		f.Add(append(bytes.Repeat([]byte{0x0b}, levels), bytes.Repeat([]byte{0x0c}, levels)...))
		in := []byte{}
		for range levels {
			in = sub(nil, 1, in)
		}
		f.Add(in)
		f.Add(bytes.Repeat([]byte{0x0b}, levels))
	}
	var e edge
	f.Fuzz(func(t *testing.T, in []byte) {
		record := e.put(t, in)
		readAs(t, wire.NewMessage(record), part{bytes: record}, 0, true)
		if !bytes.Equal(record, in) {
			t.Fatal("the record was written to")
		}
		r, m := wire.NewReader(record), wire.NewMessage(record).Reader()
		for r.Next() {
			if !m.Next() || r.Tag != m.Tag || r.Offset != m.Offset {
				t.Fatalf("NewReader and NewMessage differ at %d", r.Offset)
			}
		}
		if m.Next() || (r.Err() == nil) != (m.Err() == nil) {
			t.Fatal("NewReader and NewMessage differ at the end")
		}
	})
}

// readAs reads m, which holds p and is that many levels down; top says that no
// message is around it.
func readAs(t *testing.T, m wire.Message, p part, depth int, top bool) {
	t.Helper()
	r := m.Reader()
	if depth > wire.MaxDepth {
		if r.Next() || r.Err() == nil || r.Err().Err != wire.ErrDepth || r.Err().Offset >= p.at {
			t.Fatalf("%d levels down, at %d: %v", depth, p.at, r.Err())
		}
		return
	}
	if m.Offset() != p.at || !bytes.Equal(m.Bytes(), p.bytes) {
		t.Fatalf("message %x at %d, want %x at %d", m.Bytes(), m.Offset(), p.bytes, p.at)
	}
	for at := 0; ; {
		if at == len(p.bytes) {
			if r.Next() || r.Err() != nil || r.Next() {
				t.Fatalf("%x: a field behind the end, or %v", p.bytes, r.Err())
			}
			if w := r.Whole(); !bytes.Equal(w.Bytes(), p.bytes) || w.Offset() != p.at {
				t.Fatalf("Whole is %x at %d, want %x at %d", w.Bytes(), w.Offset(), p.bytes, p.at)
			}
			return
		}
		next, bad := field(p.bytes, at, depth)
		if bad >= 0 {
			for range 2 { // after false comes only false
				if r.Next() {
					t.Fatalf("%x: a field at %d that is bad", p.bytes, p.at+at)
				}
			}
			wantError(t, p, at, bad, r.Err())
			if w := r.Whole(); !bytes.Equal(w.Bytes(), p.bytes[:at]) {
				t.Fatalf("the good part is %x, want %x", w.Bytes(), p.bytes[:at])
			}
			return
		}
		if !r.Next() {
			t.Fatalf("%x: no field at %d: %v", p.bytes, p.at+at, r.Err())
		}
		num, typ, n := protowire.ConsumeTag(p.bytes[at:])
		if r.Offset != p.at+at || r.Tag.Number() != wire.Number(num) || r.Tag.Type() != wire.Type(typ) || r.Tag != wire.MakeTag(wire.Number(num), wire.Type(typ)) {
			t.Fatalf("field %d of type %d at %d, want %d of type %d at %d", r.Tag.Number(), r.Tag.Type(), r.Offset, num, typ, p.at+at)
		}
		value(t, &r, p, at, n, depth, top)
		at = next
	}
}

// value checks the value of r's current field, which is at position at of p and
// has a tag of n bytes.
func value(t *testing.T, r *wire.Reader, p part, at, n, depth int, top bool) {
	t.Helper()
	b := p.bytes[at+n:]
	num := protowire.Number(r.Tag.Number())
	ours, theirs := wire.AppendTag(nil, r.Tag.Number(), r.Tag.Type()), protowire.AppendTag(nil, num, protowire.Type(r.Tag.Type()))
	var want uint64
	switch r.Tag.Type() {
	case wire.Varint:
		want, _ = protowire.ConsumeVarint(b)
		ours, theirs = wire.AppendVarint(ours, r.Uint), protowire.AppendVarint(theirs, want)
		if r.Int64() != int64(want) || r.Int32() != int32(want) || r.Bool() != (want != 0) ||
			r.ZigZag() != protowire.DecodeZigZag(want) || wire.EncodeZigZag(int64(want)) != protowire.EncodeZigZag(int64(want)) {
			t.Fatalf("a form of varint %x", want)
		}
	case wire.Fixed32:
		v, _ := protowire.ConsumeFixed32(b)
		want = uint64(v)
		ours, theirs = wire.AppendFixed32(ours, uint32(r.Uint)), protowire.AppendFixed32(theirs, v)
	case wire.Fixed64:
		want, _ = protowire.ConsumeFixed64(b)
		ours, theirs = wire.AppendFixed64(ours, r.Uint), protowire.AppendFixed64(theirs, want)
	case wire.Bytes:
		v, all := protowire.ConsumeBytes(b)
		if !bytes.Equal(r.Bytes, v) || cap(r.Bytes) != len(v) {
			t.Fatalf("bytes %x with capacity %d, want %x", r.Bytes, cap(r.Bytes), v)
		}
		text := wire.AppendString(bytes.Clone(ours), string(v))
		ours, theirs = wire.AppendBytes(ours, r.Bytes), protowire.AppendBytes(theirs, v)
		if !bytes.Equal(ours, theirs) || !bytes.Equal(text, theirs) {
			t.Fatalf("appended %x and %x, want %x", ours, text, theirs)
		}
		in := part{v, p.at + at + n + all - len(v)}
		readAs(t, r.Message(), in, depth+1, false)
		if top { // only there: each level would double the work
			readAs(t, r.Embedded(), in, 0, false)
		}
		return
	default:
		return
	}
	if r.Uint != want {
		t.Fatalf("value %x, want %x", r.Uint, want)
	}
	if !bytes.Equal(ours, theirs) {
		t.Fatalf("appended %x, want %x", ours, theirs)
	}
}

// wantError checks the error for the field at position at of p, whose tag, or
// one of a group in it, is bad.
func wantError(t *testing.T, p part, at, bad int, err *wire.ParseError) {
	t.Helper()
	if err == nil || err.Offset != p.at+bad || err.Path != "" || err.Table != "" {
		t.Fatalf("%x: error %#v, want one at byte %d", p.bytes, err, p.at+bad)
	}
	if num, _, n := protowire.ConsumeTag(p.bytes[at:]); n > 0 && num <= protowire.MaxValidNumber && err.Number != wire.Number(num) {
		t.Fatalf("%x: error %#v, want one of number %d", p.bytes, err, num)
	}
	kind := wire.ErrGroup
	num, typ, n := protowire.ConsumeTag(p.bytes[bad:])
	switch {
	case n > 0 && num > protowire.MaxValidNumber:
		kind = wire.ErrNumber
	case n < 0:
		kind = kindOf(n)
	case typ == protowire.StartGroupType:
		// Its inside is good, or it would be to blame: it has no end, or it is
		// one level too many.
		if err.Err == wire.ErrDepth {
			return
		}
		kind = wire.ErrTruncated
	case typ == protowire.EndGroupType:
	case typ > protowire.Fixed32Type:
		kind = wire.ErrType
	default:
		kind = kindOf(protowire.ConsumeFieldValue(num, typ, p.bytes[bad+n:]))
	}
	if err.Err != kind {
		t.Fatalf("%x: error %v, want %v", p.bytes, err, kind)
	}
}

// kindOf is our name for an error of protowire.
func kindOf(n int) error {
	err := protowire.ParseError(n)
	switch {
	case err == io.ErrUnexpectedEOF:
		return wire.ErrTruncated
	case strings.Contains(err.Error(), "overflow"):
		return wire.ErrVarint
	}
	return wire.ErrNumber
}
