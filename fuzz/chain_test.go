package fuzz

import (
	"bytes"
	"testing"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/fastjson"
)

// FuzzJSON takes any bytes as messages of Canal-JSON. What they become has no
// reference, so that the laws hold it to a fresh Transcoder's; and it is read
// again:
//
//	JSON ─┬─ canal ── canal         the same
//	      ├─ Entry ── canal         the same
//	      ├─ Packet ─ canal         the same
//	      └─ ticdc ── ticdc         the same number of messages
func FuzzJSON(f *testing.F) {
	i := 0
	addJSON(func(record []byte) {
		if i++; len(record) < 4000 {
			f.Add(record, uint8(i))
			f.Add(record, uint8(i)|32)
		}
	})
	l := newLaws()
	f.Fuzz(func(t *testing.T, record []byte, set uint8) {
		q := &question{record: record, options: cdcodec.Options{From: cdcodec.FromCanalJSON, JSON: eitherOf(set)}, neighbour: int(set >> 5)}
		l.self(t, q)
		l.chain(t, q)
	})
}

// self asks all about a record of which nothing is known beforehand: what is
// wanted is what a fresh Transcoder makes of it.
func (l *laws) self(t *testing.T, q *question) {
	t.Helper()
	out, msgs, err := newSubject(t, q.options, false).Append(nil, nil, bytes.Clone(q.record), meta)
	q.want, q.fails = nil, err != nil
	for _, m := range msgs {
		q.want = append(q.want, out[m.Start:m.End])
	}
	l.ask(t, q)
}

// chain takes q's record through Entries and through a Packet, and what these
// become, and what q's messages do if they are read again, is q's messages.
// It has been asked about already.
func (l *laws) chain(t *testing.T, q *question) {
	t.Helper()
	o := q.options.JSON
	if q.fails && !o.RejectInvalidUTF8 && o.TiCDC.MaxMessage == 0 && !o.TiCDC.DeleteOnlyHandleKey {
		for _, to := range []cdcodec.Target{cdcodec.ToEntry, cdcodec.ToPacket} {
			l.ask(t, q.to(to, true))
		}
		return
	}
	all := bytes.Join(q.want, nil)
	for _, target := range []struct {
		to   cdcodec.Target
		from cdcodec.Source
	}{{cdcodec.ToEntry, cdcodec.FromEntry}, {cdcodec.ToPacket, cdcodec.FromPacket}} {
		made := q.to(target.to, false)
		l.self(t, made)
		if q.fails || o.OneRow || o.Dialect != fastjson.Canal {
			continue
		}
		again := newSubject(t, cdcodec.Options{From: target.from, JSON: o, IgnoreBatchID: true}, false)
		var got []byte
		for _, record := range made.want {
			var err error
			if got, _, err = again.Append(got, nil, record, meta); err != nil {
				t.Fatalf("what it became cannot be read: %v", err)
			}
		}
		if !bytes.Equal(got, all) {
			t.Fatalf("record %x\nis %s\nand by way of target %d %s", q.record, all, target.to, got)
		}
	}
	if q.fails || len(all) == 0 || o.OneRow {
		return
	}
	again := newSubject(t, cdcodec.Options{From: cdcodec.FromCanalJSON, JSON: o}, false)
	got, msgs, err := again.Append(nil, nil, all, meta)
	switch {
	case o.Dialect == fastjson.Canal:
		odd := o.OldPerRow && bytes.Count(all, []byte("null")) > 62 // fastjson.Reader says what it does not do
		if (err != nil || !bytes.Equal(got, all)) && !odd {
			t.Fatalf("record %x\nis    %s\nagain %s (%v)", q.record, all, got, err)
		}
	case o.TiCDC.MaxMessage == 0 && !o.TiCDC.DeleteOnlyHandleKey:
		if err != nil || len(msgs) != len(q.want) {
			t.Fatalf("record %x\nis    %s\nagain %s (%v)", q.record, all, got, err)
		}
	}
}

// to returns a question about the same record, with another target.
func (q *question) to(to cdcodec.Target, fails bool) *question {
	other := *q
	other.options.To, other.want, other.fails = to, nil, fails
	return &other
}
