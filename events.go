package cdcodec

import (
	"errors"
	"io"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/wire"
)

// Records of several Events: a transaction of TiDB Binlog, a ChangeDataSet,
// messages of Canal-JSON.

// A decoder reads records of several Events. Open checks all of one; then the
// Events can be had.
type decoder interface {
	Locate(*change.ValueError) *wire.ParseError
	Open(record []byte) error
	Next(ev *change.Event) bool
	Index() int // of the Event that Next gave
	Reset()     // lets go of the record
}

// events appends what the Events of one record make.
func (r *record) events(d decoder, b []byte) error {
	defer d.Reset()
	if err := d.Open(b); err != nil {
		return err
	}
	for ev := &r.t.event; d.Next(ev); {
		r.index = d.Index()
		if err := r.event(ev); err != nil {
			return d.Locate(badValue(err))
		}
	}
	return nil
}

// messages appends what the messages of Canal-JSON in one record make. There may
// be none: a blank line is no error.
func (r *record) messages(b []byte) error {
	defer r.t.json.Reset()
	ev := &r.t.event
	for rest := b; ; r.index++ {
		r.at = len(b) - len(rest)
		var own fastjson.Meta // id and ts are of the conversion that made the message
		var err error
		if rest, err = r.t.json.Next(ev, &own, rest); err == io.EOF {
			return nil
		}
		if err == nil {
			if err = r.event(ev); err == nil {
				continue
			}
			err = r.t.json.Locate(badValue(err))
		}
		if p := new(wire.ParseError); errors.As(err, &p) {
			p.Offset += r.at
		}
		return err
	}
}
