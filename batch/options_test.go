package batch_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/batch"
	"github.com/cdcodec/cdcodec/batch/compress"
	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/fastjson"
)

func TestOptionsThatMakeNoSense(t *testing.T) {
	gzip := compress.Options{Codec: compress.Gzip}
	for what, o := range map[string]batch.PipelineOptions{
		"Sink":         {},
		"Workers":      {Sink: discard, Workers: -1},
		"Chunk":        {Sink: discard, Chunk: -1},
		"MaxInFlight":  {Sink: discard, MaxInFlight: -1},
		"BadEntry":     {Sink: discard, Convert: cdcodec.Options{BadEntry: func(int, error) {}}},
		"MaxBytes":     {Sink: discard, Batch: batch.Options{MaxBytes: -1}},
		"MaxCount":     {Sink: discard, Batch: batch.Options{MaxCount: -1}},
		"Barrier":      {Sink: discard, Batch: batch.Options{Barrier: 4}},
		"Packets":      {Sink: discard, Convert: cdcodec.Options{To: cdcodec.ToPacket}, Batch: batch.Options{Frame: batch.U32BE, Barrier: batch.BarrierDDL}},
		"Frame":        {Sink: discard, Batch: batch.Options{Frame: 5}},
		"PerMessage":   {Sink: discard, Batch: batch.Options{PerMessage: true}},
		"as lines":     {Sink: discard, Batch: batch.Options{PerMessage: true, Compress: gzip}},
		"as array":     {Sink: discard, Batch: batch.Options{PerMessage: true, Compress: gzip, Frame: batch.Array}},
		"protobuf":     {Sink: discard, Convert: cdcodec.Options{To: cdcodec.ToEntry}},
		"Separator":    {Sink: discard, Convert: cdcodec.Options{JSON: fastjson.Options{Separator: "\n"}}},
		"Codec":        {Sink: discard, Batch: batch.Options{Compress: compress.Options{Codec: 99}}},
		"Source":       {Sink: discard, Convert: cdcodec.Options{From: 99}},
		"MaxOutput is": {Sink: discard, Convert: cdcodec.Options{JSON: fastjson.Options{MaxOutput: -1}}},
	} {
		p, err := batch.NewPipeline(t.Context(), o)
		if err == nil || p != nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
		if o.Sink == nil || o.Workers|o.Chunk|o.MaxInFlight < 0 || o.Convert.BadEntry != nil {
			continue
		}
		if b, err := batch.NewBatcher(o.Convert, o.Batch); err == nil || b != nil || !strings.Contains(err.Error(), what) {
			t.Errorf("Batcher, %s: %v", what, err)
		}
	}
}

func TestNames(t *testing.T) {
	for f := batch.Lines; f <= batch.Uvarint; f++ {
		if got, err := batch.ParseFrame(f.String()); got != f || err != nil {
			t.Errorf("%v: %v, %v", f, got, err)
		}
	}
	if _, err := batch.ParseFrame("x"); err == nil || !strings.Contains(err.Error(), "uvarint") {
		t.Errorf("ParseFrame: %v", err)
	}
	if got := fmt.Sprint(batch.Frame(9), batch.Full, batch.Pressed, batch.Reason(9)); got != "Frame(9) full pressed Reason(9)" {
		t.Error(got)
	}
}

// TestUvarint: messages of every length around those that take one more byte, alone and
// several of a record, keep their bytes.
func TestUvarint(t *testing.T) {
	b, err := batch.NewBatcher(cdcodec.Options{}, batch.Options{Frame: batch.Uvarint, MaxBytes: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	var all []want
	for _, at := range []int{0, 1 << 7, 1 << 14, 1 << 21} {
		for n := max(0, at-3); n < at+3; n++ {
			body := bytes.Repeat([]byte{byte('a' + n%26)}, n)
			m := batch.Message{Body: body, Database: []byte("d"), Table: []byte("t"), Key: []byte("k"), Partition: 3, Kind: change.KindQuery, Type: change.Query, ES: 5, CommitTS: 6, Entry: 7, Row: 8, Part: 9}
			if err := b.Add(m); err != nil {
				t.Fatal(err)
			}
			w := want{body: body, record: int64(len(all)), database: "d", table: "t"}
			w.Key, w.Partition, w.Kind, w.Type, w.ES, w.CommitTS, w.Entry, w.Row, w.Part = m.Key, 3, m.Kind, m.Type, 5, 6, 7, 8, 9
			all = append(all, w)
		}
	}
	b.Flush()
	got, err := b.Next(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if rest := same(t, &batch.Options{Frame: batch.Uvarint}, got, all); len(rest) > 0 {
		t.Fatalf("%d are missing", len(rest))
	}
}

// TestUvarintPackets: the messages of one record, some short and some long, are moved
// together.
func TestUvarintPackets(t *testing.T) {
	for _, extra := range []int{0, 100, 16 << 10, 2 << 20} {
		var list [][]byte
		for i := range 40 {
			list = append(list, insert(t, strings.Repeat("x", (i*7919)%(extra+200))))
		}
		for _, o := range []cdcodec.Options{{From: cdcodec.FromPacket}, {From: cdcodec.FromPacket, To: cdcodec.ToEntry}} {
			records := [][]byte{packet(t, list...)}
			all, _ := convert(t, o, records)
			b, err := batch.NewBatcher(o, batch.Options{Frame: batch.Uvarint, MaxBytes: 1 << 30})
			if err != nil {
				t.Fatal(err)
			}
			if err := b.Append(records[0], meta); err != nil {
				t.Fatal(err)
			}
			b.Flush()
			got, err := b.Next(time.Now())
			if err != nil {
				t.Fatal(err)
			}
			if rest := same(t, &batch.Options{Frame: batch.Uvarint}, got, all); len(rest) > 0 {
				t.Fatalf("%d are missing", len(rest))
			}
		}
	}
}

// TestLinger: what waits long enough is sent, by a Batcher when it is asked, by a Pipeline
// by itself.
func TestLinger(t *testing.T) {
	leaks(t)
	entry := insert(t, "x")
	b, err := batch.NewBatcher(cdcodec.Options{}, batch.Options{Linger: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Unix(1000, 0)
	next := func() *batch.Batch {
		t.Helper()
		got, err := b.Next(now)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if _, ok := b.Deadline(); ok || next() != nil {
		t.Fatal("something lingers before there is anything")
	}
	if err := b.Append(entry, meta); err != nil {
		t.Fatal(err)
	}
	if next() != nil {
		t.Fatal("it is sent at once")
	}
	now = now.Add(time.Second / 2)
	if err := b.Append(entry, meta); err != nil || next() != nil {
		t.Fatal("it is sent too early")
	}
	at, ok := b.Deadline()
	if !ok || !at.Equal(time.Unix(1001, 0)) {
		t.Fatalf("deadline %v, %v", at, ok)
	}
	now = at
	if got := next(); got == nil || got.Len() != 2 || got.Reason != batch.Lingered {
		t.Fatalf("%+v", got)
	}
	if _, ok := b.Deadline(); ok {
		t.Fatal("something lingers when all is gone")
	}

	sent := make(chan batch.Reason, 10)
	p, err := batch.NewPipeline(t.Context(), batch.PipelineOptions{Workers: 1, Sink: batch.SinkFunc(func(_ context.Context, b *batch.Batch) error {
		sent <- b.Reason
		return nil
	})})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := p.Submit(t.Context(), batch.Record{Value: entry}); err != nil {
			t.Fatal(err)
		}
		if r := <-sent; r != batch.Lingered {
			t.Fatalf("%v", r)
		}
	}
	if err := p.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// TestRetry: how often and how long a Send is tried, and what is told of it.
func TestRetry(t *testing.T) {
	leaks(t)
	errOther := errors.New("other")
	for _, tt := range []struct {
		retry    batch.Retry
		fails    int // times before it works
		with     error
		tries    int
		want     error
		retries  uint64
		failures uint64
	}{
		{batch.Retry{}, 0, nil, 1, nil, 0, 0},
		{batch.Retry{}, 1, errOther, 1, errOther, 0, 1},
		{batch.Retry{Tries: 1}, 1, batch.Permanent(errOther), 1, errOther, 0, 1},
		{batch.Retry{Tries: 3}, 2, errOther, 3, nil, 2, 0},
		{batch.Retry{Tries: 3}, 3, errOther, 3, errOther, 2, 1},
		{batch.Retry{Tries: 9}, 3, batch.Permanent(errOther), 1, errOther, 0, 1},
		{batch.Retry{Tries: 9}, 3, fmt.Errorf("wrapped: %w", batch.Permanent(errOther)), 1, errOther, 0, 1},
		{batch.Retry{Tries: -1}, 20, errOther, 21, nil, 20, 0},
	} {
		tt.retry.Initial, tt.retry.Max = time.Microsecond, time.Microsecond
		tries := 0
		p, err := batch.NewPipeline(t.Context(), batch.PipelineOptions{Workers: 1, Retry: tt.retry, Sink: batch.SinkFunc(func(context.Context, *batch.Batch) error {
			if tries++; tries <= tt.fails {
				return tt.with
			}
			return nil
		})})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Submit(t.Context(), batch.Record{Value: insert(t, "x")}); err != nil {
			t.Fatal(err)
		}
		err = p.Close(t.Context())
		if !errors.Is(err, tt.want) || (err == nil) != (tt.want == nil) || tries != tt.tries {
			t.Errorf("%+v: %v after %d tries", tt, err, tries)
		}
		var se *batch.SendError
		if tt.want != nil && (!errors.As(err, &se) || se.Tries != tt.tries || se.First != 0 || se.Last != 0 || se.Err.Error() != tt.with.Error() || !strings.Contains(err.Error(), "records 0 to 0")) {
			t.Errorf("%+v: %v", tt, err)
		}
		if s := p.Stats(); s.Retries != tt.retries || s.Failed != tt.failures {
			t.Errorf("%+v: %d retries, %d failed", tt, s.Retries, s.Failed)
		}
	}
}

// TestAfter: a pause that the sink asks for is made, and told, and the error is still what
// it was.
func TestAfter(t *testing.T) {
	leaks(t)
	errBusy := errors.New("busy")
	if err := batch.After(errBusy, time.Hour); !errors.Is(err, errBusy) || err.Error() != "busy" {
		t.Fatal(err)
	}
	var told []time.Duration
	tries := 0
	p, err := batch.NewPipeline(t.Context(), batch.PipelineOptions{
		Retry: batch.Retry{Tries: 3, Initial: time.Hour, Failed: func(err error, pause time.Duration) {
			if !errors.Is(err, errBusy) {
				t.Error(err)
			}
			told = append(told, pause)
		}},
		Sink: batch.SinkFunc(func(context.Context, *batch.Batch) error {
			tries++
			return batch.After(errBusy, time.Duration(tries)*time.Millisecond)
		}),
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Submit(t.Context(), batch.Record{Value: insert(t, "x")}); err != nil {
		t.Fatal(err)
	}
	select {
	case <-p.Done():
	case <-time.After(5 * time.Second):
		t.Fatal("it is not done")
	}
	var se *batch.SendError
	if err := p.Close(t.Context()); !errors.As(err, &se) || se.Tries != 3 || !errors.Is(err, errBusy) {
		t.Error(err)
	}
	if len(told) != 2 || told[0] != time.Millisecond || told[1] != 2*time.Millisecond {
		t.Errorf("told %v", told)
	}
}

// insert returns an Entry of one row with that text.
func insert(t testing.TB, text string) []byte {
	t.Helper()
	return appendEntry(t, nil, text)
}
