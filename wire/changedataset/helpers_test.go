package changedataset_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/wire"
	"github.com/cdcodec/cdcodec/wire/changedataset"
)

// The fields of the messages, by hand.

// sub returns the concatenation of parts as one field of wire type 2.
func sub(number wire.Number, parts ...[]byte) []byte {
	return wire.AppendBytes(wire.AppendTag(nil, number, wire.Bytes), slices.Concat(parts...))
}

// str is sub of a string.
func str(number wire.Number, s string) []byte { return sub(number, []byte(s)) }

// num returns a field of wire type 0.
func num(number wire.Number, v int64) []byte {
	return wire.AppendVarint(wire.AppendTag(nil, number, wire.Varint), uint64(v))
}

// f32 returns a float field.
func f32(number wire.Number, v float32) []byte {
	return wire.AppendFixed32(wire.AppendTag(nil, number, wire.Fixed32), math.Float32bits(v))
}

// join puts fields behind one another.
func join(parts ...[]byte) []byte { return slices.Concat(parts...) }

// schema, col, row, before and after make the messages of a set.
func schema(table string, columns ...[]byte) []byte {
	return sub(3, append([][]byte{str(1, table)}, columns...)...)
}
func col(name, typ string, more ...[]byte) []byte {
	return sub(2, append([][]byte{str(1, name), str(2, typ)}, more...)...)
}
func row(table string, data ...[]byte) []byte {
	return sub(4, append([][]byte{str(1, table)}, data...)...)
}
func before(fields ...[]byte) []byte { return sub(2, fields...) }
func after(fields ...[]byte) []byte  { return sub(3, fields...) }

// key, null and bits are fields of a ColumnMeta.
func key(flag string) []byte   { return str(5, flag) }
func notNull() []byte          { return str(4, "NO") }
func bitmap(bits int64) []byte { return num(9, bits) }

// cut is a field of wire type 2 that promises 99 bytes and has three of them.
// It is found again in what it is put into with place.
func cut(number wire.Number) []byte {
	return append(wire.AppendTag(nil, number, wire.Bytes), "\x63CUT"...)
}

// place returns where in b the one occurrence of part is.
func place(t *testing.T, b, part []byte) int {
	t.Helper()
	if n := bytes.Count(b, part); n != 1 {
		t.Fatalf("%q is %d times in the input", part, n)
	}
	return bytes.Index(b, part)
}

func fatal(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// event is an Event with its columns in memory. The Refs are left out.
type event struct {
	change.Event
	before, after []change.Column
}

// open has d read a record, whole: all Events with their columns, each of which is
// asked for by its Ref too.
func open(t *testing.T, d *changedataset.Decoder, record []byte) (events []event, err error) {
	t.Helper()
	if err := d.Open(record); err != nil {
		return nil, err
	}
	var ev change.Event
	for d.Next(&ev) {
		if d.Index() != len(events) {
			t.Errorf("event %d has index %d", len(events), d.Index())
		}
		if !ev.Rows.Next() {
			t.Fatalf("event %d has no row", len(events))
		}
		// The other image comes in between: it must not get into this one's way.
		b := image(t, ev.Rows, change.Before)
		a := image(t, ev.Rows, change.After)
		if again := image(t, ev.Rows, change.Before); !slices.EqualFunc(again, b, sameColumn) {
			t.Errorf("event %d has other columns when it is walked again:\n%+v\n%+v", len(events), b, again)
		}
		if ev.Rows.Next() {
			t.Errorf("event %d has two rows", len(events))
		}
		e := event{*ev.Clone(), b, a}
		e.Rows = nil
		events = append(events, e)
	}
	return events, nil
}

// image walks one image of the current row.
func image(t *testing.T, rows change.Rows, im change.Image) (out []change.Column) {
	t.Helper()
	rows.Select(im)
	names := map[string]bool{}
	named := 0
	for c := rows.Column(); c != nil; c = rows.Column() {
		was := *c
		got := *c
		got.Name, got.Value, got.MySQLType = slices.Clone(c.Name), slices.Clone(c.Value), slices.Clone(c.MySQLType)
		if at := rows.At(was.Ref); !sameColumn(*at, got) || at.Ref != got.Ref {
			t.Errorf("At(%d) is %+v, want %+v", was.Ref, at, got)
		}
		if !sameColumn(*c, got) {
			t.Errorf("At has made %+v of %+v", c, got)
		}
		names[string(got.Name)] = true
		named += min(len(got.Name), 1)
		got.Ref = 0
		out = append(out, got)
	}
	if rows.Column() != nil {
		t.Error("a column after the last one")
	}
	if n := rows.MaxNames(im); n < len(names) || n > named+1 {
		t.Errorf("MaxNames is %d, of %d columns with %d names", n, named, len(names))
	}
	return out
}

// sameColumn compares all but the Ref.
func sameColumn(a, b change.Column) bool {
	return bytes.Equal(a.Name, b.Name) && bytes.Equal(a.Value, b.Value) && bytes.Equal(a.MySQLType, b.MySQLType) && a.SQLType == b.SQLType &&
		a.Key == b.Key && a.Handle == b.Handle && a.Updated == b.Updated && a.Null == b.Null && a.Heavy == b.Heavy
}

// bytesOf encodes a generated message.
func bytesOf(m proto.Message) []byte {
	b, err := proto.Marshal(m)
	if err != nil {
		panic(err)
	}
	return b
}

// scramble writes the fields of an encoded message, and of those in it, in another
// order, without moving the elements of a repeated field past each other, and puts
// between them fields that nobody knows and known numbers with another wire type.
func scramble(rnd *rand.Rand, b []byte, d protoreflect.MessageDescriptor) []byte {
	byNumber := map[protowire.Number][][]byte{}
	var order []protowire.Number
	for len(b) > 0 {
		number, typ, size := protowire.ConsumeField(b)
		part := b[:size]
		if fd := d.Fields().ByNumber(number); fd != nil && fd.Message() != nil && typ == protowire.BytesType {
			_, _, tag := protowire.ConsumeTag(part)
			in, _ := protowire.ConsumeBytes(part[tag:])
			part = protowire.AppendBytes(protowire.AppendTag(nil, number, typ), scramble(rnd, in, fd.Message()))
		}
		byNumber[number] = append(byNumber[number], part)
		order = append(order, number)
		b = b[size:]
	}
	for range rnd.IntN(3) {
		number := protowire.Number(100 + rnd.IntN(1000))
		byNumber[number] = append(byNumber[number], strange(rnd, number))
		order = append(order, number)
	}
	if rnd.IntN(2) == 0 && d.Fields().Len() > 1 { // another type than the field's
		number := protowire.Number(1 + rnd.IntN(7))
		order = append(order, -number)
		byNumber[-number] = append(byNumber[-number], protowire.AppendFixed64(protowire.AppendTag(nil, number, protowire.Fixed64Type), rnd.Uint64()))
	}
	rnd.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	var out []byte
	for _, n := range order {
		out = append(out, byNumber[n][0]...)
		byNumber[n] = byNumber[n][1:]
		if len(byNumber[n]) == 0 {
			delete(byNumber, n)
		}
	}
	return out
}

// strange returns a field of that number, of any type.
func strange(rnd *rand.Rand, number protowire.Number) []byte {
	switch rnd.IntN(4) {
	case 0:
		return protowire.AppendVarint(protowire.AppendTag(nil, number, protowire.VarintType), rnd.Uint64()>>rnd.IntN(64))
	case 1:
		return protowire.AppendFixed32(protowire.AppendTag(nil, number, protowire.Fixed32Type), rnd.Uint32())
	case 2:
		b := protowire.AppendTag(nil, number, protowire.StartGroupType)
		b = protowire.AppendVarint(protowire.AppendTag(b, 1, protowire.VarintType), 7)
		return protowire.AppendTag(b, number, protowire.EndGroupType)
	}
	return protowire.AppendString(protowire.AppendTag(nil, number, protowire.BytesType), "strange")
}

func newRand() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }
