package cdcodec

import (
	"errors"
	"slices"
	"time"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/wire"
	"github.com/cdcodec/cdcodec/wire/canal"
)

// record is one call of Append: what it has appended so far.
type record struct {
	t      *Transcoder
	dst    []byte
	msgs   []Message
	end    int // dst may not become longer
	meta   fastjson.Meta
	stats  Stats // before the record
	index  int   // of the Entry at hand
	wasted int   // bytes that the Entry at hand was written to in vain
	at     int   // where its tag is in the record
}

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
	return record{t: t, dst: dst, msgs: msgs, end: len(dst) + maxOutput, meta: m, stats: t.stats}, nil
}

// result ends the record: all of it with a nil err, else nothing. What the
// Transcoder borrowed is let go.
func (r *record) result(dst []byte, msgs []Message, err error) ([]byte, []Message, error) {
	r.t.event.Reset()
	r.t.dec = canal.Decoder{}
	if err != nil {
		r.t.stats = r.stats
		return dst, msgs, err
	}
	return r.dst, r.msgs, nil
}

// parse appends the message of one encoded Entry: in one walk if that can be,
// else by reading it first.
func (r *record) parse(b []byte) error {
	if r.fused(b) {
		return nil
	}
	e, err := canal.ParseEntry(b)
	if err != nil {
		return err
	}
	return r.entry(&e)
}

// fused appends the message of one encoded Entry if the Writer's fused path
// takes it.
func (r *record) fused(b []byte) bool {
	room := r.end - len(r.dst)
	if room <= 0 {
		return false
	}
	start, ev := len(r.dst), &r.t.event
	r.t.writer.SetMaxOutput(room)
	var ok bool
	if r.dst, ok = r.t.writer.AppendFromEntry(r.dst, b, r.meta, ev); ok {
		r.listed(start, ev)
		r.t.stats.Fused++
	}
	r.wasted = r.t.writer.Wasted()
	return ok
}

// within puts the number of an Entry in a list before the path of its error.
func within(err error, i int) error {
	if err == nil {
		return nil
	}
	var p *wire.ParseError
	if errors.As(err, &p) {
		return p.Within(wire.Element("entries", i))
	}
	return err
}

// packet appends the messages of all Entries of a Packet.
func (r *record) packet(b []byte) error {
	p, err := canal.ParsePacket(b)
	if err != nil {
		return err
	}
	entries, err := p.Messages()
	if err != nil {
		return err
	}
	if !r.t.opts.IgnoreBatchID {
		r.meta.ID = entries.BatchID
	}
	for entries.Next() {
		r.index, r.at = entries.Index(), entries.Offset()
		if r.fused(entries.Bytes()) {
			continue
		}
		e, err := entries.Entry()
		if err == nil {
			if err = r.entry(&e); err != nil {
				err = entries.Within(err)
			}
		}
		if err = r.keep(err); err != nil {
			return err
		}
	}
	return nil
}

// keep decides what becomes of the error of one Entry of several: it is the
// record's, or, with Options.BadEntry, that Entry's alone.
func (r *record) keep(err error) error {
	if err == nil || r.t.opts.BadEntry == nil {
		return err
	}
	r.t.opts.BadEntry(r.index, err)
	// What the bad Entry was written to before that was seen, in a larger dst, is
	// lost. With room for as much the next one costs no copy of dst.
	r.dst = slices.Grow(r.dst, r.wasted)
	r.wasted = 0
	return nil
}

// entry appends the message of one Entry, if it makes one.
func (r *record) entry(e *canal.Entry) error {
	if e.IsTransactionMark() || r.t.drops(e.Type) {
		return nil
	}
	ev := &r.t.event
	if err := r.t.dec.Decode(ev, e); err != nil {
		return err
	}
	start := len(r.dst)
	var err error
	if r.dst, err = r.append(ev); err != nil {
		r.wasted = max(r.wasted, r.t.writer.Wasted())
		return r.place(err, e)
	}
	r.listed(start, ev)
	return nil
}

// listed notes the messages of ev, the first of which begins at start.
func (r *record) listed(start int, ev *change.Event) {
	for i, end := range r.t.writer.Ends() {
		if i == 0 {
			r.t.stats.Messages++
		}
		r.msgs = append(r.msgs, Message{
			Start: start, End: end, Entry: r.index,
			Database: ev.Database, Table: ev.Table, Kind: ev.Kind, Type: ev.Type, IsDDL: ev.IsDDL, ES: ev.ES,
		})
		start = end
	}
}

// append writes one Event into what the record may still append.
func (r *record) append(ev *change.Event) ([]byte, error) {
	room := r.end - len(r.dst)
	if room <= 0 {
		return r.dst, fastjson.ErrMaxOutput
	}
	r.t.writer.SetMaxOutput(room)
	return r.t.writer.AppendEvent(r.dst, ev, r.meta)
}

// drops reports whether the options leave out entries of type t, which then are
// not read.
func (t *Transcoder) drops(e canal.EntryType) bool {
	switch e {
	case canal.HeartbeatEntry:
		return t.writer.Drops(change.KindHeartbeat)
	case canal.GTIDLogEntry:
		return t.writer.Drops(change.KindGTIDLog)
	}
	return false
}

// place makes an error of the writer one that says where in the Entry it is.
func (r *record) place(err error, e *canal.Entry) error {
	var v *change.ValueError
	if errors.As(err, &v) {
		return e.Locate(v)
	}
	return &wire.ParseError{Offset: r.at, Table: e.Header.Name(), Err: err}
}
