package wire_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/cdcodec/cdcodec/wire"
)

// TestMessage shows that a Message can be read again, and from anywhere.
func TestMessage(t *testing.T) {
	in := []byte("\x62\x04\x08\x01\x10\x02\x18\x03") // 12 holds 1 and 2; then 3
	m := wire.NewMessage(in)
	if m.Offset() != 0 || &m.Bytes()[0] != &in[0] || len(m.Bytes()) != len(in) {
		t.Errorf("the whole record is %q at %d", m.Bytes(), m.Offset())
	}
	r := m.Reader()
	r.Next()
	inner := r.Message()
	if inner.Offset() != 2 || string(inner.Bytes()) != "\x08\x01\x10\x02" || cap(inner.Bytes()) != 4 {
		t.Errorf("the message is %q at %d, capacity %d", inner.Bytes(), inner.Offset(), cap(inner.Bytes()))
	}
	for range 2 {
		var numbers []wire.Number
		var offsets []int
		for r := inner.Reader(); r.Next(); {
			numbers, offsets = append(numbers, r.Tag.Number()), append(offsets, r.Offset)
		}
		if len(numbers) != 2 || numbers[0] != 1 || numbers[1] != 2 || offsets[0] != 2 || offsets[1] != 4 {
			t.Errorf("numbers %v at %v", numbers, offsets)
		}
	}
	if !r.Next() || r.Offset != 6 || r.Uint != 3 {
		t.Errorf("behind the message: %+v", r.Field)
	}
	if got := r.Whole(); got.Offset() != 0 || !bytes.Equal(got.Bytes(), in) {
		t.Errorf("the whole of it is %q at %d", got.Bytes(), got.Offset())
	}
}

// TestPartAndRest cuts a message into what has been read and what has not.
func TestPartAndRest(t *testing.T) {
	in := []byte("\x62\x06\x08\x01\x0b\x0c\x10\x02\x18\x03") // 12 holds 1, a group, and 2; then 3
	r := wire.NewReader(in)
	if string(r.Rest()) != string(in) {
		t.Errorf("before the first field the rest is %x", r.Rest())
	}
	r.Next()
	if string(r.Rest()) != "\x18\x03" {
		t.Errorf("behind the message the rest is %x", r.Rest())
	}
	m := r.Message()
	sub := m.Reader()
	for _, rest := range []string{"\x0b\x0c\x10\x02", "\x10\x02", ""} {
		if !sub.Next() || string(sub.Rest()) != rest {
			t.Errorf("behind the field at %d the rest is %x, want %x", sub.Offset, sub.Rest(), rest)
		}
	}

	part := m.Part(2, 4, 0) // the group
	if part.Offset() != 4 || string(part.Bytes()) != "\x0b\x0c" || cap(part.Bytes()) != 2 {
		t.Errorf("the part is %x at %d, capacity %d", part.Bytes(), part.Offset(), cap(part.Bytes()))
	}
	for levels, ok := range map[int]bool{0: true, wire.MaxDepth - 2: true, wire.MaxDepth - 1: false, wire.MaxDepth: false} {
		sub := m.Part(2, 4, levels).Reader() // m is a level down, the group one more
		if sub.Next() != ok || (sub.Err() == nil) != ok {
			t.Errorf("%d levels below: %v", levels, sub.Err())
		}
		if err := sub.Err(); err != nil && (!errors.Is(err, wire.ErrDepth) || err.Offset != 4) {
			t.Errorf("%d levels below: %v", levels, err)
		}
	}
}

// TestZero has a zero Reader and a zero Message be the empty message.
func TestZero(t *testing.T) {
	var r wire.Reader
	var m wire.Message
	ofM := m.Reader()
	for _, r := range []*wire.Reader{&r, &ofM} {
		if r.Next() || r.Err() != nil || len(r.Whole().Bytes()) != 0 {
			t.Errorf("%+v, %v", r.Field, r.Err())
		}
	}
	if m.Bytes() != nil || m.Offset() != 0 {
		t.Errorf("%q at %d", m.Bytes(), m.Offset())
	}
}

// TestOnlyFalse shows that after false comes only false, with the error kept.
func TestOnlyFalse(t *testing.T) {
	for _, in := range []string{"\x08\x01", "\x08\x01\x0e\x08\x02", "\x08\x01\x0b\x08", "\x08\x01\x0c\x08\x01", "\x08\x01\x00"} {
		r := wire.NewReader([]byte(in))
		for r.Next() {
		}
		err := r.Err()
		for range 3 {
			if r.Next() || r.Err() != err {
				t.Errorf("%x: goes on behind %v: %+v, %v", in, err, r.Field, r.Err())
			}
		}
		if got := string(r.Whole().Bytes()); got != "\x08\x01" {
			t.Errorf("%x: the good part is %x", in, got)
		}
	}
}

// messages returns n messages, one in the other, all in field 12.
func messages(n int, innermost string) string {
	b := []byte(innermost)
	for range n {
		b = wire.AppendBytes([]byte{0x62}, b)
	}
	return string(b)
}

// TestDepth walks down through messages and groups together: 100 levels are
// fine, one more is an error where it begins.
func TestDepth(t *testing.T) {
	groups := func(n int) string { return strings.Repeat("\x0b", n) + strings.Repeat("\x0c", n) }
	for _, c := range []struct {
		name   string
		in     string
		levels int // that can be walked down
		bad    bool
	}{
		{"100 messages", messages(100, "\x08\x01"), 100, false},
		{"101 messages", messages(101, "\x08\x01"), 100, true},
		{"60 messages and 40 groups", messages(60, groups(40)), 60, false},
		{"60 messages and 41 groups", messages(60, groups(41)), 60, true},
		{"100 messages and a group", messages(100, groups(1)), 100, true},
	} {
		r := wire.NewReader([]byte(c.in))
		levels := 0
		for r.Next() && r.Tag == wire.MakeTag(12, wire.Bytes) {
			r = r.Message().Reader()
			levels++
		}
		if err := r.Err(); c.bad != (err != nil && errors.Is(err, wire.ErrDepth)) {
			t.Errorf("%s: %v", c.name, err)
		}
		if c.bad && levels > c.levels { // the Reader of the message below the last level
			levels--
		}
		if levels != c.levels {
			t.Errorf("%s: %d levels down", c.name, levels)
		}
	}
}

// TestEmbeddedDepth counts the levels of an embedded message from 0 again.
func TestEmbeddedDepth(t *testing.T) {
	r := wire.NewReader([]byte(messages(100, "\x6a\x02\x0b\x0c"))) // 13: a group
	for r.Next() && r.Tag.Number() == 12 {
		r = r.Message().Reader()
	}
	if r.Tag.Number() != 13 {
		t.Fatalf("%+v, %v", r.Field, r.Err())
	}
	e := r.Embedded()
	in := e.Reader()
	if !in.Next() || in.Offset != e.Offset() || in.Err() != nil {
		t.Errorf("embedded at level 100: %+v, %v", in.Field, in.Err())
	}
	in = r.Message().Reader()
	if in.Next() || !errors.Is(in.Err(), wire.ErrDepth) || in.Err().Offset != r.Offset {
		t.Errorf("a message at level 100: %+v, %v", in.Field, in.Err())
	}
}
