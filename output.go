package cdcodec

import (
	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/wire/canal"
)

// write appends what ev makes, of the kind that Options.To names, into what the
// record may still append.
func (r *record) write(ev *change.Event) error {
	room := r.end - len(r.dst)
	if room <= 0 {
		return fastjson.ErrMaxOutput
	}
	if r.t.opts.To == ToJSON {
		return r.json(ev, room)
	}
	if ev.Kind == change.KindWatermark || r.t.writer.Drops(ev.Kind) {
		return nil
	}
	if !r.t.opts.JSON.OneRow || !ev.HasRows() || ev.Rows == nil {
		return r.encoded(ev, 0)
	}
	all, rows := ev.Rows, change.Single{Rows: ev.Rows}
	ev.Rows = &rows
	defer func() { ev.Rows = all }()
	n := 0
	for all.Rewind(); all.Next(); n++ {
		if err := r.encoded(ev, n); err != nil {
			return err
		}
	}
	if n == 0 { // a change without rows is one all the same
		ev.Rows = all
		return r.encoded(ev, 0)
	}
	return nil
}

// json appends the messages of ev.
func (r *record) json(ev *change.Event, room int) error {
	start := len(r.dst)
	r.t.writer.SetMaxOutput(room)
	out, err := r.t.writer.AppendEvent(r.dst, ev, r.meta)
	if err != nil {
		return err
	}
	r.dst = out
	for row, end := range r.t.writer.Ends() {
		r.listed(start, end, row, ev)
		start = end
	}
	return nil
}

// encoded appends ev as an Entry: by itself, or to the Packet of the record, which
// it begins if there is none yet.
func (r *record) encoded(ev *change.Event, row int) error {
	start, room := len(r.dst), r.end-len(r.dst)
	if room <= 0 {
		return fastjson.ErrMaxOutput
	}
	var out []byte
	var err error
	if r.t.opts.To == ToEntry {
		out, err = canal.AppendEntry(r.dst, ev, room)
	} else {
		begun := r.dst
		if r.packet < 0 {
			begun = canal.BeginPacket(r.dst, r.meta.ID)
		}
		out, err = canal.AppendPacketEvent(begun, ev, room)
	}
	switch {
	case err != nil && err != canal.ErrTooLarge:
		return err
	case err != nil || len(out) > r.end:
		return fastjson.ErrMaxOutput
	case r.t.opts.To == ToEntry:
		r.dst = out
		r.listed(start, len(out), row, ev)
	default:
		if r.packet < 0 {
			r.packet = start
		}
		r.dst = out
	}
	return nil
}

// endPacket ends the Packet of the record, which is one message.
func (r *record) endPacket() error {
	out, err := canal.EndPacket(r.dst, r.packet)
	if err == nil && len(out) > r.end {
		err = fastjson.ErrMaxOutput
	}
	if err != nil {
		return err
	}
	r.dst = out
	r.t.stats.Messages++
	r.msgs = append(r.msgs, Message{Start: r.packet, End: len(out)})
	return nil
}
