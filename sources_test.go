package cdcodec_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/internal/corpus"
	"github.com/cdcodec/cdcodec/internal/reference"
)

// expected is what package reference makes of a record.
func expected(o cdcodec.Options, record []byte, m fastjson.Meta) ([][]byte, error) {
	switch o.From {
	case cdcodec.FromEntry:
		return reference.Entry(record, o.JSON, m)
	case cdcodec.FromPacket:
		return reference.Packet(record, o.JSON, m, o.IgnoreBatchID)
	case cdcodec.FromTiDBBinlog:
		return reference.TiDBBinlog(record, o.JSON, m)
	case cdcodec.FromChangeDataSet:
		return reference.ChangeDataSet(record, o.JSON, m, o.ChangeDataSet.Database, o.ChangeDataSet.PassSQLType)
	}
	panic("the reference does not read that")
}

// shapes is the ways to write that there are, by name.
var shapes = []fastjson.Options{
	{},
	{OneRow: true},
	{OneRow: true, OldPerRow: true, OmitGTID: true},
	{RejectInvalidUTF8: true, DropHeartbeats: true},
	{OldComplete: true},
	{OldComplete: true, OneRow: true, RejectInvalidUTF8: true},
	{DropDDL: true},
	{DropQueries: true},
	{Dialect: fastjson.TiCDC},
	{Dialect: fastjson.TiCDC, RejectInvalidUTF8: true, DropDDL: true, DropQueries: true},
	{Dialect: fastjson.TiCDC, TiCDC: fastjson.TiCDCOptions{Extension: true, OnlyUpdated: true}},
	{Dialect: fastjson.TiCDC, TiCDC: fastjson.TiCDCOptions{Extension: true, ContentCompatible: true, DataFirst: true, DeleteOnlyHandleKey: true}},
	{Dialect: fastjson.TiCDC, TiCDC: fastjson.TiCDCOptions{Extension: true, MaxMessage: 600}},
	{Dialect: fastjson.TiCDC, TiCDC: fastjson.TiCDCOptions{Extension: true, MaxMessage: 600, Large: fastjson.HandleKeyOnly}},
}

// holdToReference converts a record with a Transcoder and compares.
func holdToReference(t *testing.T, tr *cdcodec.Transcoder, o cdcodec.Options, record []byte, what string) (bad bool) {
	t.Helper()
	m := fastjson.Meta{ID: 1, TS: 1700000000000, CommitTS: 77}
	before := bytes.Clone(record)
	want, wantErr := expected(o, record, m)
	out, msgs, err := tr.Append([]byte("x"), nil, record, m)
	if !bytes.Equal(before, record) {
		t.Fatalf("%s: the record was written to", what)
	}
	if (err != nil) != (wantErr != nil) {
		t.Fatalf("%s: %v, the reference says %v\nrecord %x", what, err, wantErr, record)
	}
	if err != nil {
		if len(out) != 1 || len(msgs) != 0 {
			t.Fatalf("%s: an error, and %d bytes, %d messages", what, len(out), len(msgs))
		}
		return true
	}
	if len(msgs) != len(want) {
		t.Fatalf("%s: %d messages, want %d\nrecord %x", what, len(msgs), len(want), record)
	}
	for i, m := range msgs {
		if !bytes.Equal(out[m.Start:m.End], want[i]) {
			t.Fatalf("%s, message %d\n got %s\nwant %s\nrecord %x", what, i, out[m.Start:m.End], want[i], record)
		}
	}
	return false
}

// sourceCorpora names a corpus of each source.
var sourceCorpora = []struct {
	name string
	from cdcodec.Source
}{
	{"oltp", cdcodec.FromEntry}, {"stream", cdcodec.FromEntry}, {"wide", cdcodec.FromEntry},
	{"tidb", cdcodec.FromTiDBBinlog}, {"baidu", cdcodec.FromChangeDataSet},
}

// TestSources holds every source in every shape to the reference, on whole
// records and on broken ones, by one Transcoder that goes on.
func TestSources(t *testing.T) {
	for _, c := range sourceCorpora {
		made, err := corpus.Make(c.name, 120, 3)
		if err != nil {
			t.Fatal(err)
		}
		for i, shape := range shapes {
			t.Run(fmt.Sprintf("%s/%d", c.name, i), func(t *testing.T) {
				o := cdcodec.Options{From: c.from, JSON: shape}
				tr := newTranscoder(t, o)
				rnd := rand.New(rand.NewPCG(uint64(i), 7))
				broken := 0
				for n, record := range made.Entries {
					holdToReference(t, tr, o, record, fmt.Sprint("record ", n))
					for range 4 {
						if holdToReference(t, tr, o, mutate(rnd, record), fmt.Sprint("mutation of record ", n)) {
							broken++
						}
					}
				}
				if broken == 0 {
					t.Error("no mutation was an error: this tested little")
				}
			})
		}
	}
}

// mutate returns a copy of a record with some of its bytes changed, cut out or
// doubled.
func mutate(rnd *rand.Rand, record []byte) []byte {
	b := bytes.Clone(record)
	for range 1 + rnd.IntN(3) {
		if len(b) < 2 {
			return b
		}
		i := rnd.IntN(len(b))
		j := min(len(b), i+1+rnd.IntN(8))
		switch rnd.IntN(5) {
		case 0:
			b[i] ^= 1 << rnd.IntN(8)
		case 1:
			b[i] = byte(rnd.Uint32())
		case 2:
			b = append(b[:i:i], b[j:]...)
		case 3:
			b = append(b[:j:j], b[i:]...)
		default:
			b = b[:i]
		}
	}
	return b
}
