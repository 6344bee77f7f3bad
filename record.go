package cdcodec

import (
	"errors"
	"math"
	"time"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/wire"
	"github.com/cdcodec/cdcodec/wire/canal"
)

// record is one call of Append: what it has appended so far. Its source
// (canal.go, events.go) gives it Events one after the other, and each becomes what
// Options.To names (output.go).
type record struct {
	t      *Transcoder
	dst    []byte
	msgs   []Message
	first  int // how many msgs there were before
	end    int // dst may not become longer
	meta   fastjson.Meta
	stats  Stats // before the record
	packet int   // where the Packet that is being written begins; -1 if there is none
	index  int   // of the Entry, change or message at hand
	at     int   // where its tag is in the record
	wasted int   // bytes that the Entry at hand was written to in vain

	division division // of the Entry or Event at hand
	visit    visitor  // takes Events instead of what writes them; nil is none
}

// A visitor is what Transcoder.Events has been given.
type visitor func(index int, ev *change.Event) error

// begin starts a record of that size.
func (t *Transcoder) begin(dst []byte, msgs []Message, size int, m fastjson.Meta) (record, error) {
	maxRecord, maxOutput := t.opts.MaxRecord, t.opts.JSON.MaxOutput
	if maxRecord == 0 {
		maxRecord = DefaultMaxRecord
	}
	if maxOutput == 0 {
		maxOutput = fastjson.DefaultMaxOutput
	}
	if size > maxRecord {
		return record{}, &wire.ParseError{Err: ErrMaxRecord}
	}
	if m.TS == 0 {
		m.TS = time.Now().UnixMilli()
	}
	if t.names = t.names[:0]; cap(t.names) > keepNames {
		t.names = nil
	}
	if cap(t.key) > keepKey {
		t.key = nil
	}
	if cap(t.parts) > keepPartitions {
		t.parts = nil
	}
	end := len(dst) + min(maxOutput, math.MaxInt-len(dst))
	return record{t: t, dst: dst, msgs: msgs, first: len(msgs), end: end, meta: m, stats: t.stats, packet: -1}, nil
}

// result ends the record: all of it with a nil err, else nothing. What the
// Transcoder borrowed is let go.
func (r *record) result(dst []byte, msgs []Message, err error) ([]byte, []Message, error) {
	if err == nil && r.packet >= 0 {
		err = r.endPacket()
	}
	r.t.event.Reset()
	r.t.canal = canal.Decoder{}
	if err != nil {
		r.t.stats = r.stats
		return dst, msgs, err
	}
	return r.dst, r.msgs, nil
}

// event appends what one Event makes, or nothing and an error: see placed.
func (r *record) event(ev *change.Event) error {
	dst, msgs, packet, stats := len(r.dst), len(r.msgs), r.packet, r.t.stats
	err := r.write(ev)
	if err != nil {
		r.wasted = max(r.wasted, r.t.writer.Wasted())
		r.dst, r.msgs, r.packet, r.t.stats = r.dst[:dst], r.msgs[:msgs], packet, stats
	}
	return err
}

// separate appends what stands before the next message of the record.
func (r *record) separate() {
	if len(r.msgs) > r.first {
		r.dst = append(r.dst, r.t.opts.JSON.Separator...)
	}
}

// badValue returns what a writer has to say of an Event as the string that it could
// not show, or as no string. Who read the Event knows where it is.
func badValue(err error) *change.ValueError {
	var v *change.ValueError
	if errors.As(err, &v) {
		return v
	}
	return &change.ValueError{Text: change.TextNone, Err: err}
}

// placed makes any other error of a writer one with a place.
func (r *record) placed(err error, ev *change.Event) error {
	return &wire.ParseError{Offset: r.at, Table: ev.Name(), Err: err}
}

// listedAll notes the messages of ev that the Writer has appended from start on.
func (r *record) listedAll(start int, ev *change.Event) {
	parts := r.t.writer.Parts()
	cut := len(parts) > 1 && !r.t.opts.oneRow()
	for i, end := range r.t.writer.Ends() {
		m := r.listed(start, end, ev)
		if m.Row = i; cut {
			m.Row, m.Part = parts[i].Row, i
		}
		m.Partition = r.partitionOf(i, ev)
		start = end + len(r.t.opts.JSON.Separator)
	}
}

// listed notes a message of ev, which is dst[start:end].
func (r *record) listed(start, end int, ev *change.Event) *Message {
	r.t.stats.Messages++
	database, table := ev.Database, ev.Table
	if r.t.opts.From == FromCanalJSON {
		database, table = r.t.kept(database), r.t.kept(table)
	}
	r.msgs = append(r.msgs, Message{
		Start: start, End: end, Entry: r.index,
		Database: database, Table: table, Kind: ev.Kind, Type: ev.Type, IsDDL: ev.IsDDL, ES: ev.ES, CommitTS: ev.CommitTS,
	})
	return &r.msgs[len(r.msgs)-1]
}

// keepNames is how many bytes of names and keys a Transcoder has room for from record to
// record.
const keepNames = 64 << 10

// kept returns a copy of a key, or of a name, that is good until the next record: the name
// of a message of Canal-JSON may be in memory of the Reader, which the next message of the
// record takes. What is full makes room in new memory and is not copied again.
func (t *Transcoder) kept(name []byte) []byte {
	if len(name) == 0 {
		return nil
	}
	if len(name) > cap(t.names)-len(t.names) {
		t.names = make([]byte, 0, max(len(name), 512, min(2*cap(t.names), keepNames)))
	}
	n := len(t.names)
	t.names = append(t.names, name...)
	return t.names[n:len(t.names):len(t.names)]
}
