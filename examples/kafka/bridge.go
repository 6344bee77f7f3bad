package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/cdcodec/cdcodec/batch"
	"github.com/cdcodec/cdcodec/pool"
)

// Bridge moves records from one topic to another, converted. Each input partition that
// the group has assigned to it has a [lane]; one goroutine, that of Run, polls for all of
// them:
//
//	poll ─► lane.feed ─► Pipeline ─► sink ─► produced ─► acknowledge ─► marked ─► committed
//	  │     lane.feed ─► Pipeline ─► sink …
//	  ╰ between two turns: partitions are assigned and revoked
//
// An offset is committed when all that became of the records before it is produced, so
// that nothing is lost; what was produced and not committed comes again after a crash.
type Bridge struct {
	config Config
	client *kgo.Client

	mu      sync.Mutex // of Run and the client's callbacks, which take turns anyway
	lanes   map[source]*lane
	failed  error // in a callback
	ended   bool
	closed  batch.Stats // sums, of lanes that are closed
	told    time.Time   // when Logf was last told how it goes
	waiting bool        // a lane has a rest; Run's alone

	hurry atomic.Pointer[context.CancelFunc] // ends the feeding of this turn
}

// source is a partition of the input.
type source struct {
	topic  string
	number int32
}

// NewBridge connects to the brokers, and joins the group. What it returns must be Run.
func NewBridge(ctx context.Context, c Config) (*Bridge, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if c.Batch.Pool == nil {
		c.Batch.Pool = new(pool.Pool) // of all lanes
	}
	b := &Bridge{config: c, lanes: map[source]*lane{}, told: time.Now()}
	client, err := kgo.NewClient(append(c.options(),
		kgo.OnPartitionsAssigned(b.assigned),
		kgo.OnPartitionsRevoked(b.revoked),
		kgo.OnPartitionsLost(b.lost),
		kgo.OnPartitionsCallbackBlocked(b.blocked),
	)...)
	if err != nil {
		return nil, err
	}
	b.client = client
	err = b.checkTopic(ctx, c.Out, c.partitions())
	if err == nil && c.DeadLetter != "" {
		err = b.checkTopic(ctx, c.DeadLetter, 1)
	}
	if err != nil {
		client.CloseAllowingRebalance()
		return nil, err
	}
	return b, nil
}

// checkTopic returns an error if topic has not so many partitions: to learn of it by
// messages that cannot be sent would be late.
func (b *Bridge) checkTopic(ctx context.Context, topic string, partitions int) error {
	request := kmsg.NewPtrMetadataRequest()
	request.Topics = append(request.Topics, kmsg.NewMetadataRequestTopic())
	request.Topics[0].Topic = &topic
	response, err := request.RequestWith(ctx, b.client)
	switch {
	case err != nil:
		return err
	case len(response.Topics) != 1:
		return fmt.Errorf("topic %s: nothing was told of it", topic)
	}
	if err := kerr.ErrorForCode(response.Topics[0].ErrorCode); err != nil {
		return fmt.Errorf("topic %s: %w", topic, err)
	}
	if n := len(response.Topics[0].Partitions); n < partitions {
		return fmt.Errorf("topic %s has %d partitions, %d are wanted", topic, n, partitions)
	}
	return nil
}

// Run moves records until ctx ends, which is no error, or something fails that cannot
// be mended. Then it delivers what is in flight, within Config.Drain, commits, and leaves
// the group.
func (b *Bridge) Run(ctx context.Context) error {
	err := b.poll(ctx)
	b.mu.Lock()
	drained := b.drain(context.WithoutCancel(ctx), b.client, b.all())
	b.ended = true
	b.mu.Unlock()
	b.client.CloseAllowingRebalance()
	if errors.Is(drained, err) { // a lane has told it again, and which it is
		return drained
	}
	return errors.Join(err, drained)
}

// How much and how long a turn polls. A lane that fails while nothing is polled is noticed
// after as long.
const (
	pollRecords = 1000
	pollTime    = 250 * time.Millisecond
	tellTime    = 10 * time.Second
)

// poll is Run until the end begins.
//
// Where a lane has no room, feeding waits, and with it all other lanes: they write to
// the same brokers, and what keeps one from writing keeps the others. But a rebalance does
// not wait: it ends the turn, and what is not submitted then is in the next one, for
// those partitions that are still ours.
func (b *Bridge) poll(ctx context.Context) error {
	for {
		err := b.turn(ctx)
		if err != nil || ctx.Err() != nil {
			return err
		}
		b.client.AllowRebalance()
	}
}

// turn polls and feeds the lanes.
func (b *Bridge) turn(ctx context.Context) error {
	feeding, hurry := context.WithCancel(ctx)
	defer hurry()
	b.hurry.Store(&hurry)

	polling, enough := context.WithTimeout(ctx, pollTime)
	defer enough()
	if b.waiting {
		enough() // this poll only lets a rebalance pass
	}
	fetches := b.client.PollRecords(polling, pollRecords)

	b.mu.Lock()
	defer b.mu.Unlock()
	if b.failed != nil {
		return b.failed
	}
	for _, e := range fetches.Errors() {
		if err := b.fetchError(e); err != nil {
			return err
		}
	}
	fetches.EachPartition(func(p kgo.FetchTopicPartition) {
		if l := b.lanes[source{p.Topic, p.Partition}]; l != nil {
			l.rest = append(l.rest, p.Records...)
		}
	})
	b.waiting = false
	for _, l := range b.lanes {
		if err := l.feed(feeding); err != nil {
			return err
		}
		b.waiting = b.waiting || len(l.rest) > 0
	}
	if time.Since(b.told) >= tellTime {
		b.told = time.Now()
		s := b.stats()
		b.config.Logf("%d partitions, %d records, %d messages, %d bytes, %d bad records, %d retries",
			len(b.lanes), s.Acknowledged, s.Messages, s.SentBytes, s.Bad, s.Retries)
	}
	return nil
}

// stats returns the sums of all lanes there were.
func (b *Bridge) stats() batch.Stats {
	sum := b.closed
	for _, l := range b.lanes {
		add(&sum, l.pipeline.Stats())
	}
	return sum
}

func add(sum *batch.Stats, s batch.Stats) {
	sum.Acknowledged += s.Acknowledged
	sum.Messages += s.Messages
	sum.SentBytes += s.SentBytes
	sum.Bad += s.Bad
	sum.Retries += s.Retries
}

// fetchError returns what ends the Bridge.
func (b *Bridge) fetchError(e kgo.FetchError) error {
	var group *kgo.ErrGroupSession
	var lost *kgo.ErrDataLoss
	switch {
	case errors.Is(e.Err, context.DeadlineExceeded), errors.Is(e.Err, context.Canceled):
		return nil // there was nothing
	case errors.As(e.Err, &group), errors.As(e.Err, &lost):
		b.config.Logf("%v", e.Err) // the client goes on by itself
		return nil
	}
	return fmt.Errorf("%s/%d: %w", e.Topic, e.Partition, e.Err)
}

// blocked is called when a rebalance waits for the turn to end.
func (b *Bridge) blocked(context.Context, *kgo.Client) {
	if hurry := b.hurry.Load(); hurry != nil {
		(*hurry)()
	}
}

// assigned starts the lanes of partitions. Its ctx is the client's.
func (b *Bridge) assigned(ctx context.Context, client *kgo.Client, partitions map[string][]int32) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for topic, numbers := range partitions {
		for _, n := range numbers {
			l, err := b.newLane(ctx, client, topic, n)
			if err != nil {
				b.failed = err
				return
			}
			b.lanes[source{topic, n}] = l
		}
	}
}

// revoked delivers what is in flight of partitions that go to another member, and commits:
// that one begins behind it. What is not delivered in time is given up, and not
// committed: the other one delivers it.
func (b *Bridge) revoked(ctx context.Context, client *kgo.Client, partitions map[string][]int32) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended {
		return
	}
	if len(partitions) > 0 {
		b.config.Logf("revoked: %v", partitions)
	}
	if err := b.drain(ctx, client, partitions); err != nil {
		b.config.Logf("revoked: %v", err)
	}
}

// lost gives up what is in flight of partitions that are another's already.
func (b *Bridge) lost(ctx context.Context, _ *kgo.Client, partitions map[string][]int32) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.config.Logf("lost: %v", partitions)
	ctx, cancel := context.WithCancel(ctx)
	cancel()
	_ = b.close(ctx, partitions) // that they are given up
}

// all returns the partitions there are.
func (b *Bridge) all() map[string][]int32 {
	all := map[string][]int32{}
	for p := range b.lanes {
		all[p.topic] = append(all[p.topic], p.number)
	}
	return all
}

// drain closes the lanes of partitions, and commits what all lanes have delivered.
func (b *Bridge) drain(ctx context.Context, client *kgo.Client, partitions map[string][]int32) error {
	draining, cancel := context.WithTimeout(ctx, b.config.Drain)
	defer cancel()
	err := b.close(draining, partitions)
	committing, cancel := context.WithTimeout(ctx, b.config.Drain)
	defer cancel()
	if failed := client.CommitMarkedOffsets(committing); failed != nil {
		err = errors.Join(err, fmt.Errorf("commit: %w", failed))
	}
	return err
}

// close closes the lanes of partitions, all at once.
func (b *Bridge) close(ctx context.Context, partitions map[string][]int32) error {
	var lanes []*lane
	for topic, numbers := range partitions {
		for _, n := range numbers {
			if l := b.lanes[source{topic, n}]; l != nil {
				lanes = append(lanes, l)
				delete(b.lanes, source{topic, n})
			}
		}
	}
	errs := make([]error, len(lanes))
	var wait sync.WaitGroup
	for i, l := range lanes {
		wait.Go(func() { errs[i] = l.close(ctx) })
	}
	wait.Wait()
	for _, l := range lanes {
		add(&b.closed, l.pipeline.Stats())
	}
	return errors.Join(errs...)
}
