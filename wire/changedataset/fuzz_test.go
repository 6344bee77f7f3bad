package changedataset_test

import (
	"bytes"
	"errors"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/cdcodec/cdcodec/change"
	pb "github.com/cdcodec/cdcodec/internal/pb/changedatasetpb"
	"github.com/cdcodec/cdcodec/wire"
	"github.com/cdcodec/cdcodec/wire/changedataset"
)

// FuzzDecoder takes any bytes as a ChangeDataSet, by a Decoder that has read all
// kinds of others:
//
//   - it gives Events or a ParseError with a place in the record, and after an
//     error no Event
//   - what is no protobuf for proto.Unmarshal is none here; of what is, the
//     Events are those of the page said once more, see reference_test.go
//   - walking twice gives the same, and so does a fresh Decoder
//   - the input stays as it is, and what the Events borrow is in it
//   - Locate finds a place in the record for each text
func FuzzDecoder(f *testing.F) {
	rnd := newRand()
	for range 60 {
		set := randomSet(rnd)
		f.Add(bytesOf(set), uint8(rnd.IntN(4)))
		f.Add(scramble(rnd, bytesOf(set), set.ProtoReflect().Descriptor()), uint8(rnd.IntN(4)))
	}
	for _, s := range shapes() {
		f.Add(s.set(20), uint8(0))
	}
	f.Add(usual(rnd, 1, 3)[0], uint8(1))
	f.Add(join(row("d.t", after(str(5, "\x01\x00\x00\x00\x00\x00\x00\x00\x00"))), schema("d.t", col("b", "BIT(64)"))), uint8(0))
	used := map[changedataset.Options]*changedataset.Decoder{}
	f.Fuzz(func(t *testing.T, in []byte, set uint8) {
		o := changedataset.Options{PassSQLType: set&1 != 0}
		if set&2 != 0 {
			o.Database = "opt"
		}
		if used[o] == nil {
			used[o] = &changedataset.Decoder{Options: o}
		}
		d := used[o]
		was := bytes.Clone(in)
		got, err := open(t, d, in)
		fresh, freshErr := open(t, &changedataset.Decoder{Options: o}, in)
		if !bytes.Equal(in, was) {
			t.Fatal("the input was written to")
		}
		compareEvents(t, got, fresh)
		if (err == nil) != (freshErr == nil) || err != nil && err.Error() != freshErr.Error() {
			t.Fatalf("error %v, by a fresh Decoder %v", err, freshErr)
		}
		if err != nil {
			checkError(t, d, in, err)
		}
		checkUnmarshal(t, in, o, got, err)
		checkLocate(t, d, in)
	})
}

func checkError(t *testing.T, d *changedataset.Decoder, in []byte, err error) {
	var p *wire.ParseError
	if !errors.As(err, &p) || p.Err == nil || p.Offset < 0 || p.Offset >= len(in) {
		t.Fatalf("%x: error %#v", in, err)
	}
	if d.Next(new(change.Event)) {
		t.Fatal("an Event after an error")
	}
}

// checkUnmarshal compares with the generated message, except where protobuf-go is
// less strict: it lets messages and groups nest deeper, and numbers be higher.
func checkUnmarshal(t *testing.T, in []byte, o changedataset.Options, got []event, err error) {
	set := new(pb.ChangeDataSet)
	if proto.Unmarshal(in, set) != nil {
		if err == nil {
			t.Fatalf("%x: no error", in)
		}
		return
	}
	if errors.Is(err, wire.ErrDepth) || errors.Is(err, wire.ErrNumber) {
		return
	}
	want, ok := slow(set, o)
	if (err == nil) != ok {
		t.Fatalf("%x\nerror %v, want one: %v", in, err, !ok)
	}
	compareEvents(t, got, want)
	if typ := set.GetSyncPoint().GetSyncType(); typ < 1 || typ > 3 {
		return // protobuf-go keeps it, the views keep the one before
	}
	if err == nil && describe(t, in) != describePB(set) {
		t.Fatalf("%x: views say\n%s\nwant:\n%s", in, describe(t, in), describePB(set))
	}
}

func checkLocate(t *testing.T, d *changedataset.Decoder, in []byte) {
	if d.Open(in) != nil {
		return
	}
	var ev change.Event
	for d.Next(&ev) && d.Index() < 10 {
		refs := []uint32{}
		for ev.Rows.Next() {
			for _, im := range []change.Image{change.Before, change.After} {
				ev.Rows.Select(im)
				for c := ev.Rows.Column(); c != nil && len(refs) < 10; c = ev.Rows.Column() {
					refs = append(refs, c.Ref)
					if bytes.Contains(in, c.Name) && bytes.Contains(in, c.MySQLType) {
						continue
					}
					t.Fatalf("%x: %q or %q is not in it", in, c.Name, c.MySQLType)
				}
			}
		}
		for text := change.TextDatabase; text <= change.TextMySQLType; text++ {
			for _, ref := range refs {
				p := d.Locate(&change.ValueError{Text: text, Ref: ref, Err: errBad})
				if p.Err != errBad || p.Offset < 0 || p.Offset >= len(in) || p.Path == "" || p.Number == 0 {
					t.Fatalf("%x: %v %d is at %+v", in, text, ref, p)
				}
				if r := wire.NewReader(in[p.Offset:]); !r.Next() || r.Tag.Number() != p.Number {
					t.Fatalf("%x: %v %d is at %+v, where there is no such field", in, text, ref, p)
				}
			}
		}
	}
}
