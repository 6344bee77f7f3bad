package main

import (
	"hash/maphash"
	"math/rand/v2"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/batch"
	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/internal/corpus"
)

// traffic is records to choose from, by the name of their corpus.
type traffic struct {
	entries, packets map[string][][]byte
}

var corpora = []string{"oltp", "stream"}

func newTraffic() (*traffic, error) {
	t := &traffic{entries: map[string][][]byte{}, packets: map[string][][]byte{}}
	for _, name := range corpora {
		c, err := corpus.Make(name, 0, 1)
		if err != nil {
			return nil, err
		}
		t.entries[name], t.packets[name] = c.Entries, c.Packets()
	}
	return t, nil
}

// input is the records of a round, and what they should become.
type input struct {
	records []batch.Record // their Offset is their number, their Tag where they are
	want    []want
	bad     []int64 // numbers of records that cannot be converted
	in, out int     // bytes
	longest int     // bytes of the record with most, and what it becomes
}

// want is a message that should be delivered.
type want struct {
	hash, key uint64
	record    int32
	partition int32
	ddl       bool
}

// newInput draws so many messages, about, and converts them one after the other.
func (t *traffic) newInput(r *round, chance *rand.Rand) (*input, error) {
	source := t.entries[r.Corpus]
	if r.Packets {
		source = t.packets[r.Corpus]
	}
	tr, err := cdcodec.New(r.convert())
	if err != nil {
		return nil, err
	}
	in := &input{records: make([]batch.Record, r.Records), want: make([]want, 0, r.Records)}
	var dst []byte
	var msgs []cdcodec.Message
	for i, from := 0, chance.IntN(len(source)); i < r.Records; i++ {
		value := source[(from+i)%len(source)]
		if chance.Float64() < r.Spoil {
			value = value[:len(value)-1-chance.IntN(min(40, len(value)-1))]
		}
		rec := &in.records[i]
		*rec = batch.Record{Value: value, Meta: fastjson.Meta{ID: int64(i), TS: 1700000000000}, Offset: int64(i), Tag: rec}
		if dst, msgs, err = tr.Append(dst[:0], msgs[:0], value, rec.Meta); err != nil {
			in.bad = append(in.bad, int64(i))
		}
		for _, m := range msgs {
			in.want = append(in.want, want{maphash.Bytes(seed, dst[m.Start:m.End]), maphash.Bytes(seed, m.Key), int32(i), m.Partition, m.IsDDL})
		}
		in.in += len(value)
		in.out += len(dst)
		in.longest = max(in.longest, len(value)+len(dst))
	}
	return in, nil
}

// seed is of all hashes.
var seed = maphash.MakeSeed()

// mix takes the hash of one more message into that of those before.
func mix(sum, hash uint64) uint64 { return (sum^hash)*0x9e3779b97f4a7c15 + 1 }
