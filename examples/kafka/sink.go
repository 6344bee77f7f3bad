package main

import (
	"context"
	"errors"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/cdcodec/cdcodec/batch"
)

// sink produces the messages of one lane's batches.
type sink struct {
	client  *kgo.Client
	topic   string
	records []kgo.Record
	pending []*kgo.Record // of records: what is to be produced
	again   bool          // the batch has failed: what has no Value in records is there
}

// Send implements [batch.Sink]. Bodies and keys are lent to the client until each is
// produced or has failed, which is when ProduceSync returns.
//
// Where only some have failed the next try sends those alone. Order is kept, since the
// client fails with a record all that is behind it in its partition.
func (s *sink) Send(ctx context.Context, b *batch.Batch) error {
	if !s.again {
		if cap(s.records) < b.Len() {
			s.records = make([]kgo.Record, b.Len())
		}
		s.records = s.records[:b.Len()]
	}
	s.pending = s.pending[:0]
	i := 0
	for m := range b.Messages() {
		if r := &s.records[i]; !s.again || r.Value != nil {
			*r = kgo.Record{Topic: s.topic, Partition: m.Partition, Key: m.Key, Value: m.Body}
			s.pending = append(s.pending, r)
		}
		i++
	}
	err := produce(ctx, s.client, s.pending)
	if s.again = err != nil; !s.again {
		clear(s.records) // which would hold on to the batch
	}
	return err
}

// produce returns when all records are produced or have failed. Of those that are
// produced it takes the Value away. A failure that another try cannot mend is a
// [batch.Permanent] one.
func produce(ctx context.Context, client *kgo.Client, records []*kgo.Record) error {
	var err error
	for _, r := range client.ProduceSync(ctx, records...) {
		switch {
		case r.Err == nil:
			r.Record.Value = nil
		case permanent(r.Err):
			err = batch.Permanent(r.Err)
		case err == nil:
			err = r.Err
		}
	}
	return err
}

// permanent tells whether another try cannot mend err: the message is too large, the
// topic may not be written to.
func permanent(err error) bool {
	var broker *kerr.Error
	if errors.As(err, &broker) {
		return !broker.Retriable
	}
	return errors.Is(err, kgo.ErrClientClosed)
}
