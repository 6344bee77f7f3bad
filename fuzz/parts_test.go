package fuzz

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/fastjson"
)

// The laws of parts: put together again they are the whole message; each is within the
// limit and has as many rows as fit; the fused path and the general one make the same.

// spread is a message taken apart with encoding/json.
type spread struct {
	head, middle, tail []byte // around the values of data and old
	data, old          []json.RawMessage
	values             int // bytes of data and old
}

func takeApart(t *testing.T, msg []byte) *spread {
	t.Helper()
	var values struct{ Data, Old json.RawMessage }
	var s struct{ Data, Old []json.RawMessage }
	if err := errors.Join(json.Unmarshal(msg, &values), json.Unmarshal(msg, &s)); err != nil {
		t.Fatalf("%v: %s", err, msg)
	}
	rest := bytes.TrimPrefix(msg, append([]byte(`{"data":`), values.Data...))
	middle, tail, ok := bytes.Cut(rest, append(append([]byte(`,"old":`), values.Old...), `,"pkNames":`...))
	if !ok {
		t.Fatalf("not as Canal writes it: %s", msg)
	}
	return &spread{[]byte(`{"data":`), middle, tail, s.Data, s.Old, len(values.Data) + len(values.Old)}
}

// add puts the rows of a part behind those of s, and holds what is the same in all to
// what s says.
func (s *spread) add(t *testing.T, part []byte) {
	t.Helper()
	p := takeApart(t, part)
	if !bytes.Equal(p.middle, s.middle) || !bytes.Equal(p.tail, s.tail) {
		t.Fatalf("a part says other than the whole: %s", part)
	}
	s.data, s.old = append(s.data, p.data...), append(s.old, p.old...)
}

// is reports whether s has the rows of another.
func (s *spread) is(other *spread) bool {
	same := func(a, b json.RawMessage) bool { return bytes.Equal(a, b) }
	return slices.EqualFunc(s.data, other.data, same) && slices.EqualFunc(s.old, other.old, same) &&
		(s.data == nil) == (other.data == nil) && (s.old == nil) == (other.old == nil)
}

// split asks for q's messages, some of which have several rows, with a limit that cuts
// the longest of these.
func (l *laws) split(t *testing.T, q *question) {
	t.Helper()
	o := q.options
	if o.To != cdcodec.ToJSON || o.JSON.Dialect != fastjson.Canal || o.JSON.OneRow || o.JSON.MaxMessage > 0 || o.JSON.Separator != "" || q.fails || q.lenient {
		return
	}
	var wholes []*spread
	longest, most := 0, 0
	for i, msg := range q.want {
		s := takeApart(t, msg)
		wholes = append(wholes, s)
		if max(len(s.data), len(s.old)) > 1 && len(msg) > most {
			longest, most = i, len(msg)
		}
	}
	if most == 0 {
		return
	}
	sum := 0
	for _, b := range q.record {
		sum += int(b)
	}
	values := wholes[longest].values
	o.JSON.MaxMessage, o.JSON.Split = most-values+values*(1+sum%8)/8, true
	limit := o.JSON.MaxMessage

	cut := *q
	cut.options = o
	out, msgs, err := newSubject(t, o, false).Append(nil, nil, bytes.Clone(q.record), meta)
	if q.list != nil {
		out, msgs, err = newSubject(t, o, false).AppendEntries(nil, nil, cut.cut(bytes.Clone(q.record)), meta)
	}
	if cut.want, cut.fails = nil, err != nil; err != nil {
		var large *fastjson.TooLargeError
		if !errors.As(err, &large) || large.Size <= limit || large.Limit != limit {
			t.Fatalf("limit %d: %v", limit, err)
		}
	}
	whole := -1
	var got *spread
	for i, m := range msgs {
		part := out[m.Start:m.End]
		if cut.want = append(cut.want, part); len(part) > limit {
			t.Fatalf("a part of %d bytes, limit %d: %s", len(part), limit, part)
		}
		if m.Part == 0 {
			if whole >= 0 && !got.is(wholes[whole]) {
				t.Fatalf("record %x\nthe parts of message %d are %s", q.record, whole, out)
			}
			if whole++; whole == len(wholes) {
				t.Fatalf("more messages than %d: %s", len(wholes), out)
			}
			got = &spread{middle: wholes[whole].middle, tail: wholes[whole].tail}
		} else if before := msgs[i-1]; m.Part != before.Part+1 || m.Row <= before.Row || m.Entry != before.Entry {
			t.Fatalf("message %d is %+v, behind %+v", i, m, before)
		}
		got.add(t, part)
	}
	if err == nil && (whole != len(wholes)-1 || whole >= 0 && !got.is(wholes[whole])) {
		t.Fatalf("record %x\nthe parts of message %d are %s", q.record, whole, out)
	}
	l.ask(t, &cut)

	o.JSON.NoFused = true
	cut.options = o
	general, more, err2 := newSubject(t, o, false).Append(nil, nil, q.record, meta)
	if q.list != nil {
		general, more, err2 = newSubject(t, o, false).AppendEntries(nil, nil, cut.cut(q.record), meta)
	}
	known := l.knows(t, q, cut.options)
	if known.Stats().Fused > 0 || (err == nil) != (err2 == nil) || !bytes.Equal(general, out) || len(more) != len(msgs) {
		t.Fatalf("the general way: %v, %v\n got %s\nwant %s", err2, err, general, out)
	}
}

// checkParts divides the rows of an Event among partitions, and puts them together again.
func checkParts(t *testing.T, entry []byte, ev *change.Event, o fastjson.Options, fused *fastjson.Writer) {
	t.Helper()
	w, err := fastjson.NewWriter(o)
	if err != nil {
		t.Fatal(err)
	}
	msg, werr := w.AppendEvent(nil, ev, meta)
	var part []int32
	shown := map[int]bool{} // rows in data
	if ev.Rows != nil && ev.HasRows() {
		for ev.Rows.Rewind(); ev.Rows.Next(); {
			ev.Rows.Select(change.ImageOf(ev.Type))
			shown[len(part)] = ev.Rows.Column() != nil
			i := len(part)
			part = append(part, int32(entry[i%len(entry)]+entry[(i*7+3)%len(entry)])%5)
		}
	}
	out, err := w.AppendParts(nil, ev, meta, part)
	if (err == nil) != (werr == nil) {
		t.Fatalf("in parts: %v, whole: %v", err, werr)
	}
	if err != nil || len(msg) == 0 {
		return
	}
	whole := takeApart(t, msg)
	all := &spread{}
	of := map[int32]*spread{}
	start := 0
	for i, end := range w.Ends() {
		p := w.Parts()[i]
		if of[p.Partition] != nil || len(part) > 0 && len(w.Ends()) > 1 && part[p.Row] != p.Partition {
			t.Fatalf("parts are %v of %v", w.Parts(), part)
		}
		of[p.Partition] = &spread{middle: whole.middle, tail: whole.tail}
		of[p.Partition].add(t, out[start:end])
		start = end
	}
	if len(w.Ends()) == 1 {
		if !bytes.Equal(out, msg) {
			t.Fatalf("one part, but not the whole: %s", out)
		}
	} else {
		for i, n := range part {
			s := of[n]
			if shown[i] {
				all.data, s.data = append(all.data, s.data[0]), s.data[1:]
			}
			if ev.Type == change.Update {
				all.old, s.old = append(all.old, s.old[0]), s.old[1:]
			}
		}
		if !all.is(whole) || start != len(out) {
			t.Fatalf("entry %x\nin parts %v %s\nwhole %s", entry, part, out, msg)
		}
	}
	var told change.Event
	for range 3 {
		if got, ok := fused.AppendPartsFromEntry(nil, entry, meta, &told, part); ok && (!bytes.Equal(got, out) || !slices.Equal(fused.Parts(), w.Parts()) || !slices.Equal(fused.Ends(), w.Ends())) {
			t.Fatalf("entry %x\nfused in parts %s\ngeneral %s", entry, got, out)
		}
	}
}
