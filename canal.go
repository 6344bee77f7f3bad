package cdcodec

import (
	"errors"
	"slices"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/wire"
	"github.com/cdcodec/cdcodec/wire/canal"
)

// Records of Canal: an Entry, a Packet of them, or a list.

// parse appends what one encoded Entry makes: in one walk if that can be, else by
// reading it first.
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

// fused appends the message of one encoded Entry, or its parts, if the Writer's fused path
// takes it.
func (r *record) fused(b []byte) bool {
	if r.t.opts.To != ToJSON || r.visit != nil {
		return false
	}
	if r.divideEntry(b); r.t.byRows() && !r.division.known {
		return false
	}
	before := len(r.dst)
	r.separate()
	start, ev := len(r.dst), &r.t.event
	room, ok := r.end-start, false
	if room > 0 {
		r.t.writer.SetMaxOutput(room)
		switch {
		case r.division.several:
			r.dst, ok = r.t.writer.AppendPartsFromEntry(r.dst, b, r.meta, ev, r.t.parts)
		case r.t.opts.Keys: // each message is to tell its row
			r.dst, ok = r.t.writer.AppendPartsFromEntry(r.dst, b, r.meta, ev, nil)
		default:
			r.dst, ok = r.t.writer.AppendFromEntry(r.dst, b, r.meta, ev)
		}
	}
	if !ok {
		r.dst = r.dst[:before]
	} else {
		first := len(r.msgs)
		r.listedAll(start, ev)
		r.keyedEntry(first, b, ev)
		r.t.stats.Fused += uint64(len(r.t.writer.Ends()))
	}
	r.wasted = r.t.writer.Wasted()
	return ok
}

// entries appends what the Entries of a list make.
func (r *record) entries(list [][]byte) error {
	for i, e := range list {
		r.index = i
		if err := r.keep(within(r.parse(e), i)); err != nil {
			return err
		}
	}
	return nil
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

// canalPacket appends what all Entries of a Packet make.
func (r *record) canalPacket(b []byte) error {
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

// entry appends what one Entry makes, if anything.
func (r *record) entry(e *canal.Entry) error {
	if e.IsTransactionMark() || r.t.drops(e.Type) {
		return nil
	}
	ev := &r.t.event
	if err := r.t.canal.Decode(ev, e); err != nil {
		return err
	}
	err := r.event(ev)
	if err == nil {
		return nil
	}
	if v := badValue(err); v.Text != change.TextNone {
		return e.Locate(v)
	}
	return r.placed(err, ev)
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
