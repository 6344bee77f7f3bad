package fuzz

import (
	"bytes"
	"hash/fnv"
	"strconv"
	"testing"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/internal/corpus"
	"github.com/cdcodec/cdcodec/internal/reference"
	"github.com/cdcodec/cdcodec/wire/tidbbinlog"
)

// locations is a ClaimStore that says of each message what it is.
type locations struct{}

func (locations) Put(message []byte) (string, error) {
	h := fnv.New64a()
	h.Write(message)
	return "file://\"" + strconv.FormatUint(h.Sum64(), 16), nil
}

// tiCDCSets are options of dialect ticdc; what is large is half of the messages.
var tiCDCSets = []fastjson.TiCDCOptions{
	{},
	{Extension: true},
	{OnlyUpdated: true},
	{ContentCompatible: true, Extension: true},
	{DataFirst: true, DeleteOnlyHandleKey: true},
	{MaxMessage: 400},
	{MaxMessage: 400, Large: fastjson.HandleKeyOnly, Extension: true},
	{MaxMessage: 500, Large: fastjson.ClaimCheck, Extension: true, Claims: locations{}},
}

// tiCDCOf makes options of dialect ticdc of the low five bits.
func tiCDCOf(set uint8) fastjson.Options {
	return fastjson.Options{
		Dialect:           fastjson.TiCDC,
		TiCDC:             tiCDCSets[set&7],
		RejectInvalidUTF8: set&8 != 0,
		DropDDL:           set&16 != 0,
		DropQueries:       set&16 != 0,
	}
}

// eitherOf makes options of either dialect: ticdc's with bit 5, else those of the
// low bits.
func eitherOf(set uint8) fastjson.Options {
	if set&32 != 0 {
		return tiCDCOf(set)
	}
	o := optionsOf(set)
	o.OneRow = set&16 != 0
	o.DropDDL = set&4 != 0
	return o
}

// FuzzTiCDC takes any bytes as an Entry and as a Packet, to dialect ticdc.
func FuzzTiCDC(f *testing.F) {
	i := 0
	add := func(record []byte) {
		if i++; len(record) < 3000 {
			f.Add(record, uint8(i))
		}
	}
	addEntries(add)
	addPackets(add)
	l := newLaws()
	f.Fuzz(func(t *testing.T, record []byte, set uint8) {
		o := tiCDCOf(set)
		l.entry(t, nil, record, o, int(set>>5))
		l.packet(t, record, o, set&32 != 0, int(set>>5))
	})
}

// FuzzBinlog takes any bytes as a Binlog of TiDB.
func FuzzBinlog(f *testing.F) {
	i := 0
	addBinlogs(func(record []byte) {
		f.Add(record, uint8(i))
		f.Add(record, uint8(32+i))
		i++
	})
	l := newLaws()
	f.Fuzz(func(t *testing.T, record []byte, set uint8) {
		q := &question{record: record, options: cdcodec.Options{From: cdcodec.FromTiDBBinlog, JSON: eitherOf(set)}, neighbour: int(set >> 5)}
		want, err := reference.TiDBBinlog(bytes.Clone(record), q.options.JSON, meta)
		if err == nil && unreadable(record) {
			t.Skip("the type of what is no statement is the reader's guess and the reference's")
		}
		q.want, q.fails = want, err != nil
		l.ask(t, q)
		l.chain(t, q)
	})
}

// unreadable reports whether a good record has a DDL that is called QUERY, as all
// are that cannot be read. (TestDDL in the root has those that can be.)
func unreadable(record []byte) bool {
	b, err := tidbbinlog.ParseBinlog(record)
	return err == nil && b.Type == tidbbinlog.DDL && tidbbinlog.StatementType(b.DDL.Query) == change.Query
}

// FuzzChangeDataSet takes any bytes as a ChangeDataSet. Bits 6 and 7 of set are
// its options.
func FuzzChangeDataSet(f *testing.F) {
	i := 0
	addSets(func(record []byte) {
		f.Add(record, uint8(i)<<6|uint8(i)&31)
		f.Add(record, uint8(i)<<6|32|uint8(i)&31)
		i++
	})
	l := newLaws()
	f.Fuzz(func(t *testing.T, record []byte, set uint8) {
		q := &question{record: record, options: cdcodec.Options{From: cdcodec.FromChangeDataSet, JSON: eitherOf(set)}, neighbour: int(set)}
		o := &q.options.ChangeDataSet
		if o.PassSQLType = set&64 != 0; set&128 != 0 {
			o.Database = "given"
		}
		want, err := reference.ChangeDataSet(bytes.Clone(record), q.options.JSON, meta, o.Database, o.PassSQLType)
		q.want, q.fails = want, err != nil
		l.ask(t, q)
		l.chain(t, q)
	})
}

// corpusOf returns the short records of a corpus.
func corpusOf(name string, n int) (records [][]byte) {
	c, err := corpus.Make(name, n, 1)
	if err != nil {
		panic(err)
	}
	for _, r := range c.Entries {
		if len(r) < 6000 {
			records = append(records, r)
		}
	}
	return records
}
