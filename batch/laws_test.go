package batch_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/batch"
	"github.com/cdcodec/cdcodec/batch/compress"
	"github.com/cdcodec/cdcodec/change/partition"
	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/internal/corpus"
	"github.com/cdcodec/cdcodec/pool"
	"github.com/cdcodec/cdcodec/wire/frame"
)

// rounds is how often a law is tried: n times, or with -short and in builds that check,
// which are slow, a few.
func rounds(n uint64) uint64 {
	if testing.Short() || pool.Debug {
		return n / 6
	}
	return n
}

// meta is the same for all, so that what is converted twice is the same.
var meta = fastjson.Meta{ID: 1, TS: 1700000000000}

// traffic returns n Entries of Canal one behind the other, or so many in Packets. Other
// seeds have others.
func traffic(t testing.TB, n int, seed uint64, packets bool) [][]byte {
	t.Helper()
	c := stream()
	at := int(seed*7919) % (len(c.Entries) - n)
	c.Entries = slices.Clone(c.Entries[at : at+n])
	if packets {
		return c.Packets()
	}
	return c.Entries
}

// stream is made once: it takes longer than most tests.
var stream = sync.OnceValue(func() corpus.Corpus {
	c, err := corpus.Make("stream", 6000, 1)
	if err != nil {
		panic(err)
	}
	return c
})

// want is a message as the Transcoder gives it, by itself.
type want struct {
	body            []byte
	record          int64
	database, table string
	cdcodec.Message
}

// convert returns the messages of records, one by one, and which records are bad.
func convert(t testing.TB, o cdcodec.Options, records [][]byte) (all []want, bad []int64) {
	t.Helper()
	tr, err := cdcodec.New(o)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range records {
		dst, msgs, err := tr.Append(nil, nil, r, meta)
		if err != nil {
			bad = append(bad, int64(i))
		}
		for _, m := range msgs {
			m.Key = bytes.Clone(m.Key) // which is good until the next Append
			all = append(all, want{dst[m.Start:m.End], int64(i), string(m.Database), string(m.Table), m})
		}
	}
	return all, bad
}

// unframe takes the bytes of a batch apart.
func unframe(t testing.TB, f batch.Frame, b []byte) (bodies [][]byte) {
	t.Helper()
	read := func(kind frame.Kind) {
		r := frame.NewReader(bytes.NewReader(b), kind, 0)
		for {
			record, err := r.Next()
			if err != nil {
				if err.Error() != "EOF" {
					t.Fatalf("%v: %v", f, err)
				}
				return
			}
			bodies = append(bodies, bytes.Clone(record))
		}
	}
	switch f {
	case batch.Lines:
		read(frame.Lines)
	case batch.U32BE:
		read(frame.U32BE)
	case batch.Uvarint:
		read(frame.Uvarint)
		if err := minimal(b); err != nil {
			t.Fatal(err)
		}
	case batch.Array:
		var raw []json.RawMessage
		if err := json.Unmarshal(b, &raw); err != nil {
			t.Fatalf("array: %v in %.200q", err, b)
		}
		for _, m := range raw {
			bodies = append(bodies, m)
		}
	case batch.Concatenated:
		for d := json.NewDecoder(bytes.NewReader(b)); d.More(); {
			var raw json.RawMessage
			if err := d.Decode(&raw); err != nil {
				t.Fatal(err)
			}
			bodies = append(bodies, raw)
		}
	}
	return bodies
}

// minimal reports a length that takes more bytes than it must.
func minimal(b []byte) error {
	for len(b) > 0 {
		n, used := binary.Uvarint(b)
		if used != len(binary.AppendUvarint(nil, n)) {
			return fmt.Errorf("length %d takes %d bytes", n, used)
		}
		b = b[used+int(n):]
	}
	return nil
}

// unpack takes compression off.
func unpack(t testing.TB, o compress.Options, b []byte) []byte {
	t.Helper()
	if o.Codec == compress.None {
		return b
	}
	c := unpackers[o.Codec]()
	out, err := c.AppendDecompressed(nil, b, 64<<20)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// unpackers has a Compressor for each codec.
var unpackers = func() map[compress.Codec]func() *compress.Compressor {
	all := map[compress.Codec]func() *compress.Compressor{}
	for _, codec := range codecs {
		all[codec] = sync.OnceValue(func() *compress.Compressor {
			c, err := compress.New(compress.Options{Codec: codec})
			if err != nil {
				panic(err)
			}
			return c
		})
	}
	return all
}()

var codecs = []compress.Codec{compress.Gzip, compress.Zstd, compress.S2, compress.Snappy, compress.LZ4}

// same holds messages of a batch to what they should be, and returns the rest of that.
func same(t testing.TB, o *batch.Options, b *batch.Batch, all []want) []want {
	t.Helper()
	f := o.Frame
	if b.Len() == 0 || b.Len() > len(all) {
		t.Fatalf("a batch of %d messages where %d are left", b.Len(), len(all))
	}
	sent := b.AppendTo(nil)
	var bodies [][]byte
	if o.PerMessage {
		if f == batch.Concatenated { // whose codec tells where a message ends
			for m := range b.Messages() {
				bodies = append(bodies, m.Body)
			}
			if whole := bytes.Join(bodies, nil); !bytes.Equal(whole, sent) {
				t.Fatal("the bytes of a batch are not its messages")
			}
		} else {
			bodies = unframe(t, f, sent)
		}
		for i := range bodies {
			bodies[i] = unpack(t, o.Compress, bodies[i])
		}
	} else {
		plain := unpack(t, o.Compress, sent)
		if int64(len(plain)) != b.RawSize() {
			t.Fatalf("RawSize is %d of %d bytes", b.RawSize(), len(plain))
		}
		bodies = unframe(t, f, plain)
	}
	if len(bodies) != b.Len() {
		t.Fatalf("%d messages in the bytes of a batch of %d", len(bodies), b.Len())
	}
	i := 0
	for m := range b.Messages() {
		w := all[i]
		if o.PerMessage {
			m.Body = unpack(t, o.Compress, m.Body)
		}
		if !bytes.Equal(m.Body, w.body) || !bytes.Equal(bodies[i], w.body) {
			t.Fatalf("message of record %d: got\n%s\nframed\n%s\nwant\n%s", w.record, m.Body, bodies[i], w.body)
		}
		if m.Record != w.record || string(m.Database) != w.database || string(m.Table) != w.table ||
			m.Kind != w.Kind || m.Type != w.Type || m.IsDDL != w.IsDDL || m.ES != w.ES || m.CommitTS != w.CommitTS ||
			m.Entry != w.Entry || m.Row != w.Row || m.Part != w.Part || m.Partition != w.Partition || !bytes.Equal(m.Key, w.Key) {
			t.Fatalf("message %+v, want that of record %d: %+v", m, w.record, w.Message)
		}
		i++
	}
	if i != b.Len() {
		t.Fatalf("Messages gives %d, Len is %d", i, b.Len())
	}
	if b.First != all[0].record || b.Last != all[i-1].record {
		t.Fatalf("records %d to %d, want %d to %d", b.First, b.Last, all[0].record, all[i-1].record)
	}
	through := int64(math.MaxInt64 - 1)
	if i < len(all) {
		through = all[i].record - 1
	}
	if b.Through > through || b.Through < b.Last-1 || i < len(all) && all[i].record > b.Last && b.Through < b.Last {
		t.Fatalf("through record %d, where the next message is of %d, and the last of %d", b.Through, through+1, b.Last)
	}
	var w bytes.Buffer
	for range 2 {
		w.Reset()
		if n, err := b.WriteTo(&w); err != nil || n != b.Size() || !bytes.Equal(w.Bytes(), sent) {
			t.Fatalf("WriteTo wrote %d bytes of %d: %v", n, b.Size(), err)
		}
		w.Reset()
		if n, err := w.ReadFrom(b.Reader()); err != nil || n != b.Size() || !bytes.Equal(w.Bytes(), sent) {
			t.Fatalf("Reader gave %d bytes of %d: %v", n, b.Size(), err)
		}
	}
	return all[i:]
}

// limits draws limits of batches.
func limits(r *rand.Rand) batch.Options {
	o := batch.Options{Frame: batch.Frame(r.IntN(5)), Linger: -1}
	if r.IntN(2) == 0 {
		o.MaxBytes = 1 + r.IntN(1<<r.IntN(20))
	}
	if r.IntN(2) == 0 {
		o.MaxCount = 1 + r.IntN(1<<r.IntN(10))
	}
	if r.IntN(2) == 0 {
		o.Barrier = batch.BarrierDDL
	}
	if r.IntN(4) == 0 {
		o.Compress.Codec = codecs[r.IntN(len(codecs))]
		o.PerMessage = o.Frame > batch.Array && r.IntN(2) == 0
	}
	return o
}

// conversion draws what records become.
func conversion(r *rand.Rand) cdcodec.Options {
	var o cdcodec.Options
	switch r.IntN(4) {
	case 0:
		return o
	case 1:
		o.JSON.Dialect = fastjson.TiCDC
	default:
		if r.IntN(2) == 0 {
			o.JSON.MaxMessage, o.JSON.Split = 300+r.IntN(3000), r.IntN(4) > 0
		}
	}
	if r.IntN(2) == 0 {
		o.Partition = &partition.Options{Partitions: 1 + r.IntN(5), By: partition.By(r.IntN(int(partition.RoundRobin)))}
		if o.Partition.By == partition.ByRules {
			o.Partition.Rules = ".*:$pk$"
		}
	}
	if r.IntN(2) == 0 {
		o.JSON.OneRow, o.Keys = true, r.IntN(2) == 0
	}
	return o
}

// within holds a batch to the limits.
func within(t testing.TB, o *batch.Options, b *batch.Batch) {
	t.Helper()
	if o.MaxCount > 0 && b.Len() > o.MaxCount {
		t.Fatalf("%d messages, at most %d", b.Len(), o.MaxCount)
	}
	most := int64(o.MaxBytes)
	if most == 0 {
		most = batch.DefaultMaxBytes
	}
	if b.RawSize() > most && b.Len() > 1 {
		t.Fatalf("%d bytes in %d messages, at most %d", b.RawSize(), b.Len(), most)
	}
	if o.Barrier != 0 && b.Len() > 1 {
		for m := range b.Messages() {
			if m.IsDDL {
				t.Fatalf("a DDL among %d messages", b.Len())
			}
		}
	}
}
