package fuzz

import (
	"bytes"
	"testing"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/wire/canal"
)

// FuzzRows runs its input as programs that build two Entries, see program, and
// asks all about the second one, after the first.
func FuzzRows(f *testing.F) {
	for i, code := range [][]byte{
		{},
		{0x33, 0, 3, 0x0a}, // the usual table, two rows
		{0x13, 2, 0, 0x33, 1, 3, 1, 2, 0x13, 4, 0x0a, 0x09, 0x13, 2, 9, 0x33, 0, 7, 8, 1, 0x13, 4},    // keys, values, nulls
		{0x1d, 0x37, 8, 200, 1, 0x2e, 3, 0x4e, 1, 0x0a},                                               // INSERT
		{0x3d, 0x36, 64, 1, 2, 3, 4},                                                                  // DELETE
		{0x10, 2, 0, 0x11, 3, 1, 0x10, 2, 2, 0x09, 0x10, 2, 0, 0x11, 2, 1, 0x21, 1, 0x20, 0},          // updated, then not
		{0x60, 2, 0, 0x70, 2, 1, 0x81, 1, 0xb1, 1, 0x60, 2, 2, 0x0a},                                  // names equal after repair
		{0xf7, 4, 0xf7, 4, 0xf6, 4, 0x08, 0xf6, 4, 0x04, 0xf4, 0x0a, 0xfa},                            // hundreds of names
		{0xf7, 4, 0xf7, 4, 0xf7, 4, 0x11, 1, 0x25, 0xf4, 0x0a, 0x09, 0x10, 0, 0x0a, 0x1a},             // updated ones behind them
		{0x1d, 0xf7, 4, 0xf7, 4, 0x0a, 0x08, 0x0b, 1, 0x1b, 0x2b, 0x3b, 2, 0x4b, 1, 0x5b, 0x6b, 0x7b}, // odd columns
		{0x9e, 0, 1, 0x8e, 3, 0x10, 0, 0x5d},                                                          // DDL
		{0xce, 0, 4, 0x0e, 7, 0x2e, 8, 0x4e, 9, 0x1f, 3, 0x5f, 9},                                     // HEARTBEAT, header in parts
		{0x81, 1, 0x60, 0, 0x80, 0, 0x60, 0, 0x80, 0},                                                 // old has a name twice, once to repair
		{0x81, 1, 0x80, 2, 6, 0x80, 2, 0},                                                             // a value to repair that is not shown
		{0x11, 0x63, 4, 130, 3, 0x0c, 0x1c, 0x2c, 0x3c, 0x4c, 0x5c},                                   // unknown fields
	} {
		for _, set := range sets {
			f.Add(code, code, set|uint8(i%16)<<4)
		}
	}
	l := newLaws()
	f.Fuzz(func(t *testing.T, first, code []byte, set uint8) {
		record := run(code)
		l.entry(t, run(first), record, optionsOf(set), int(set>>4))
		checkClone(t, record, optionsOf(set))
	})
}

// checkClone holds what is written of an Event's copy in memory to what is
// written of the Event.
func checkClone(t *testing.T, record []byte, o fastjson.Options) {
	t.Helper()
	e, err := canal.ParseEntry(record)
	if err != nil || e.IsTransactionMark() {
		return
	}
	var d canal.Decoder
	var ev change.Event
	if d.Decode(&ev, &e) != nil {
		return
	}
	w, err := fastjson.NewWriter(o)
	if err != nil {
		t.Fatal(err)
	}
	fused, err := fastjson.NewWriter(o)
	if err != nil {
		t.Fatal(err)
	}
	checkParts(t, record, &ev, o, fused)
	want, werr := w.AppendEvent(nil, &ev, meta)
	got, err := w.AppendEvent(nil, ev.Clone(), meta)
	if (err == nil) != (werr == nil) || !bytes.Equal(got, want) {
		t.Fatalf("record %x\n its event: %s %v\nits clone: %s %v", record, want, werr, got, err)
	}
}
