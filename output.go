package cdcodec

import (
	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/wire"
	"github.com/cdcodec/cdcodec/wire/canal"
)

// write appends what ev makes, of the kind that Options.To names, into what the
// record may still append.
func (r *record) write(ev *change.Event) error {
	if r.visit != nil {
		return r.visit(r.index, ev)
	}
	if r.t.opts.To == ToJSON {
		return r.json(ev)
	}
	if ev.Kind == change.KindWatermark || r.t.writer.Drops(ev.Kind) {
		return nil
	}
	rows := ev.Rows
	if !ev.HasRows() || rows == nil {
		return r.encoded(ev, 0)
	}
	oneRow := r.t.opts.JSON.OneRow
	if ev.Partial && (oneRow || !severalRows(rows)) {
		// Readers of an Entry expect all of the row as it was. (Not where it has
		// several rows: dialect canal would show a column that one row has changed in
		// the old of those behind it.)
		r.t.whole.Rows = rows
		ev.Rows = &r.t.whole
		defer func() { r.t.whole.Rows, ev.Rows = nil, rows }()
	}
	if !oneRow {
		return r.encoded(ev, 0)
	}
	all, n := ev.Rows, 0
	r.t.single = change.Single{Rows: all}
	ev.Rows = &r.t.single
	var err error
	for all.Rewind(); all.Next() && err == nil; n++ {
		err = r.encoded(ev, n)
	}
	r.t.single.Rows, ev.Rows = nil, all
	if n == 0 { // a change without rows is one all the same
		return r.encoded(ev, 0)
	}
	return err
}

// severalRows reports whether there is more than one row.
func severalRows(rows change.Rows) bool {
	rows.Rewind()
	if !rows.Next() {
		return false
	}
	return rows.Next()
}

// json appends the messages of ev.
func (r *record) json(ev *change.Event) error {
	before := len(r.dst)
	r.separate()
	start := len(r.dst)
	// Where there is no room an Event may still have no message, and none is of one
	// byte. (0 would mean the default.)
	r.t.writer.SetMaxOutput(max(r.end-start, 1))
	var out []byte
	var err error
	r.divide(ev)
	switch {
	case r.division.several:
		out, err = r.t.writer.AppendParts(r.dst, ev, r.meta, r.t.parts)
	case r.t.opts.Keys: // each message is to tell its row
		out, err = r.t.writer.AppendParts(r.dst, ev, r.meta, nil)
	default:
		out, err = r.t.writer.AppendEvent(r.dst, ev, r.meta)
	}
	if err != nil {
		return err
	}
	if r.dst = out; len(out) == start { // no message
		r.dst = out[:before]
	}
	first := len(r.msgs)
	r.listedAll(start, ev)
	r.keyed(first, ev)
	r.division = division{}
	return nil
}

// encoded appends ev as an Entry: by itself, or to the Packet of the record.
func (r *record) encoded(ev *change.Event, row int) error {
	if r.t.opts.To == ToPacket {
		return r.packed(ev)
	}
	r.separate()
	start := len(r.dst)
	out, err := appendIn(canal.AppendEntry, r.dst, ev, r.end-start)
	if err != nil {
		return err
	}
	r.dst = out
	r.listed(start, len(out), ev).Row = row
	return nil
}

// packed appends ev as an Entry of the record's Packet, which it begins if there is
// none yet.
func (r *record) packed(ev *change.Event) error {
	begun, start := r.dst, r.packet
	if start < 0 {
		start = len(r.dst)
		begun = canal.BeginPacket(r.dst, r.meta.ID)
	}
	// An open Packet may be longer than it will be.
	out, err := appendIn(canal.AppendPacketEvent, begun, ev, r.end-start-canal.PacketLen(begun, start))
	if err != nil {
		return err
	}
	if canal.PacketLen(out, start) > r.end-start {
		return fastjson.ErrMaxOutput
	}
	r.dst, r.packet = out, start
	return nil
}

// appendIn has appendEvent append an Entry of so many bytes at most.
func appendIn(appendEvent func([]byte, *change.Event, int) ([]byte, error), dst []byte, ev *change.Event, room int) ([]byte, error) {
	if room <= 0 { // which would mean no limit
		return nil, fastjson.ErrMaxOutput
	}
	out, err := appendEvent(dst, ev, room)
	if err == canal.ErrTooLarge {
		err = fastjson.ErrMaxOutput
	}
	return out, err
}

// endPacket ends the Packet of the record, which is one message.
func (r *record) endPacket() error {
	out, err := canal.EndPacket(r.dst, r.packet)
	if err != nil {
		return &wire.ParseError{Err: fastjson.ErrMaxOutput} // 2 GiB
	}
	r.dst = out
	r.t.stats.Messages++
	r.msgs = append(r.msgs, Message{Start: r.packet, End: len(out)})
	return nil
}
