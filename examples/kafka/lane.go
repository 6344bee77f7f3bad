package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/cdcodec/cdcodec/batch"
	"github.com/cdcodec/cdcodec/fastjson"
)

// lane is the way of one input partition: a Pipeline of its own, so that its order is
// kept, and that it can be drained or given up when the partition is revoked while the
// others go on. Workers beyond one are for topics of few partitions.
type lane struct {
	b         *Bridge
	client    *kgo.Client
	topic     string
	partition int32
	pipeline  *batch.Pipeline
	giveUp    context.CancelFunc
	ctx       context.Context // ends with giveUp

	rest    []*kgo.Record  // polled and not submitted yet
	records []batch.Record // scratch
}

// newLane starts a lane. ctx has to outlive what is to be drained.
func (b *Bridge) newLane(ctx context.Context, client *kgo.Client, topic string, partition int32) (*lane, error) {
	l := &lane{b: b, client: client, topic: topic, partition: partition}
	l.ctx, l.giveUp = context.WithCancel(ctx)
	c := &b.config
	o := batch.PipelineOptions{
		Convert:     c.Convert,
		Batch:       c.Batch,
		Sink:        &sink{client: client, topic: c.Out},
		Retry:       c.Retry,
		Workers:     c.Workers,
		MaxInFlight: c.MaxInFlight,
		Acknowledge: l.acknowledge,
	}
	if c.DeadLetter != "" {
		o.DeadLetter = l.deadLetter
	}
	var err error
	if l.pipeline, err = batch.NewPipeline(l.ctx, o); err != nil {
		l.giveUp()
		return nil, err
	}
	return l, nil
}

// feed submits what was polled, in order, until all is submitted or ctx ends. An error is
// the Pipeline's.
//
// The client's fetch buffers are lent to the Pipeline as they are: they are the
// collector's, and live as long as a record points into them.
func (l *lane) feed(ctx context.Context) error {
	if err := l.pipeline.Err(); err != nil || len(l.rest) == 0 {
		return err
	}
	for _, r := range l.rest {
		// Not the clock but when the record was put on Kafka, so that a record that
		// is converted twice gives the same bytes twice.
		meta := fastjson.Meta{ID: 1, TS: r.Timestamp.UnixMilli()}
		l.records = append(l.records, batch.Record{Value: r.Value, Meta: meta, Offset: r.Offset, Tag: r})
	}
	n, err := l.pipeline.Submit(ctx, l.records...)
	clear(l.records)
	l.records, l.rest = l.records[:0], l.rest[n:]
	if err != nil && l.pipeline.Err() == nil {
		return nil // it is ctx that has ended
	}
	return err
}

// acknowledge marks what is delivered. The client commits marks once a second, and the
// Bridge when partitions go away.
func (l *lane) acknowledge(_ int64, delivered []batch.Record) {
	l.client.MarkCommitRecords(delivered[len(delivered)-1].Tag.(*kgo.Record))
}

// deadLetter puts a record that cannot be converted on the topic for these, with where
// it is from and why, and returns when it is there.
func (l *lane) deadLetter(number int64, r batch.Record, cause error) error {
	in := r.Tag.(*kgo.Record)
	l.b.config.Logf("%s/%d offset %d: %v", in.Topic, in.Partition, in.Offset, cause)
	var bad *batch.RecordError
	if errors.As(cause, &bad) {
		cause = bad.Err
	}
	header := func(key, value string) kgo.RecordHeader {
		return kgo.RecordHeader{Key: "cdcodec." + key, Value: []byte(value)}
	}
	out := kgo.Record{
		Topic: l.b.config.DeadLetter, Key: in.Key, Value: in.Value, // no Timestamp: the delivery timeout counts from it
		Headers: append(in.Headers[:len(in.Headers):len(in.Headers)],
			header("topic", in.Topic),
			header("partition", strconv.Itoa(int(in.Partition))),
			header("offset", strconv.FormatInt(in.Offset, 10)),
			header("timestamp", strconv.FormatInt(in.Timestamp.UnixMilli(), 10)),
			header("record", strconv.FormatInt(number, 10)), // since the partition was assigned
			header("error", cause.Error()),
		),
	}
	for {
		again := out
		err := produce(l.ctx, l.client, []*kgo.Record{&again})
		if err == nil || permanent(err) || l.ctx.Err() != nil {
			return err
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-l.ctx.Done():
			return l.ctx.Err()
		}
	}
}

// close delivers all that was submitted, or gives it up when ctx ends. Nothing of the lane
// runs when it returns, and nothing more is marked.
func (l *lane) close(ctx context.Context) error {
	stop := context.AfterFunc(ctx, l.giveUp) // deadLetter has no other way to learn of it
	err := l.pipeline.Close(ctx)
	stop()
	l.giveUp()
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("%s/%d: given up, %d records to be delivered again: %w", l.topic, l.partition, l.left(), ctx.Err())
	}
	return fmt.Errorf("%s/%d: %w", l.topic, l.partition, err)
}

// left returns how many of the records that were polled are not delivered.
func (l *lane) left() int {
	s := l.pipeline.Stats()
	return int(s.Submitted-s.Acknowledged) + len(l.rest)
}
