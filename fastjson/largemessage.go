package fastjson

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/cdcodec/cdcodec/change"
)

// Messages that are too large to be sent (spec: ticdc.md 12).

// recordOverhead is what a record of Kafka takes beyond its key and value, as TiCDC
// counts.
const recordOverhead = 36

// ErrNoHandleKey is returned where a message is to show nothing but the handle key
// of a row that has none: no primary key, and no unique key in its place, or one that is
// NULL in one of the row's images.
var ErrNoHandleKey = errors.New("row has no handle key")

// TooLargeError is returned for a message of more bytes than Options.MaxMessage or
// TiCDCOptions.MaxMessage allows, with all that may be left out of it left out, and of
// no more than one row where Options.Split is set.
type TooLargeError struct {
	Table string // "database.table", empty where the Event names neither
	Size  int    // of the message; in dialect ticdc of the record: key, message as a Sizer sees it, and 36 bytes
	Limit int    // MaxMessage
}

// Error prints as "message of shop.orders takes 1048612 bytes, 1000000 are allowed".
func (e *TooLargeError) Error() string {
	of := ""
	if e.Table != "" {
		of = " of " + e.Table
	}
	return "message" + of + " takes " + strconv.Itoa(e.Size) + " bytes, " + strconv.Itoa(e.Limit) + " are allowed"
}

// recordSize returns how many bytes a message takes when it is sent.
func (w *Writer) recordSize(message []byte, m Meta) int {
	size := len(message)
	if w.opts.TiCDC.Sizer != nil {
		size = w.opts.TiCDC.Sizer.SizeOf(message)
	}
	return m.KeySize + size + recordOverhead
}

// fits reports whether a message may be sent.
func (w *Writer) fits(message []byte, m Meta) bool {
	return w.opts.TiCDC.MaxMessage == 0 || w.recordSize(message, m) <= w.opts.TiCDC.MaxMessage
}

// checkSize sets w.err if a message may not be sent.
func (w *Writer) checkSize(message []byte, ev *change.Event, m Meta) {
	if limit := w.opts.TiCDC.MaxMessage; limit > 0 {
		if size := w.recordSize(message, m); size > limit {
			w.err = &TooLargeError{Table: ev.Name(), Size: size, Limit: limit}
		}
	}
}

// ticdcStub puts in the place of the current row's message, dst[start:], which is too
// large, what is to become of it.
func (w *Writer) ticdcStub(dst []byte, start int, ev *change.Event, m Meta) []byte {
	s := stub{shown: w.handleKey(), large: w.opts.TiCDC.Large}
	switch {
	case s.large == RejectLarge:
		w.checkSize(dst[start:], ev, m)
		return dst
	case s.shown == 0:
		w.err = ErrNoHandleKey
		return dst
	case s.large == ClaimCheck:
		var err error
		if s.location, err = w.opts.TiCDC.Claims.Put(dst[start:len(dst):len(dst)]); err != nil {
			w.err = fmt.Errorf("claim check: %w", err)
			return dst
		}
	}
	dst = w.ticdcMessage(dst[:start], ev, m, s)
	if w.err == nil {
		w.checkSize(dst[start:], ev, m)
	}
	return dst
}
