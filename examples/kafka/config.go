package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/batch"
	"github.com/cdcodec/cdcodec/batch/compress"
)

// Config says what a [Bridge] reads, what becomes of it, and where that goes.
type Config struct {
	Brokers []string
	Group   string // consumer group
	In, Out string // topics

	// DeadLetter is the topic of records that cannot be converted; the partition is
	// always 0. Without one such a record ends the Bridge.
	DeadLetter string

	// Convert says what the records are and what they become. Its Partition says to
	// which partition of Out a message goes (without it: to 0, as with Canal), its Keys
	// that the Kafka record has a key.
	Convert cdcodec.Options

	// Workers and MaxInFlight are those of each input partition; 0: one worker, and
	// 8 MiB.
	Workers     int
	MaxInFlight int

	// Batch says what one produce call takes. Linger is what latency costs.
	Batch batch.Options

	// Retry is for batches that the client could not produce with its own retries.
	Retry batch.Retry

	// Drain is how long what is in flight has when a partition is revoked, and at the
	// end; 0: 10 s. It should be well below the group's rebalance timeout.
	Drain time.Duration

	// Client is more options of the Kafka client.
	Client []kgo.Opt

	// Logf, if set, is told what an operator may want to know.
	Logf func(format string, args ...any)
}

// check fills in what is left out, and returns what makes no sense.
func (c *Config) check() error {
	switch {
	case len(c.Brokers) == 0:
		return errors.New("no brokers")
	case c.In == "" || c.Out == "" || c.Group == "":
		return errors.New("a topic to read, one to write and a group are needed")
	case c.In == c.Out || c.In == c.DeadLetter:
		return fmt.Errorf("topic %s would be read and written", c.In)
	case c.Batch.Frame != batch.Lines || c.Batch.Compress.Codec != compress.None:
		return errors.New("a Kafka record is one message, and the client compresses: Frame and Compress are not for here")
	}
	c.Batch.Frame = batch.Concatenated // the bytes between messages would be made for nothing
	if c.Workers == 0 {
		c.Workers = 1
	}
	if c.MaxInFlight == 0 {
		c.MaxInFlight = 8 << 20
	}
	if c.Drain == 0 {
		c.Drain = 10 * time.Second
	}
	if c.Logf == nil {
		c.Logf = func(string, ...any) {}
	}
	_, err := cdcodec.New(c.Convert)
	return err
}

// partitions is how many partitions Out must have.
func (c *Config) partitions() int {
	if c.Convert.Partition == nil {
		return 1
	}
	return max(c.Convert.Partition.Partitions, 1)
}

// options are those of the Kafka client. It reads and writes: one client has one set of
// connections.
func (c *Config) options() []kgo.Opt {
	return append([]kgo.Opt{
		kgo.SeedBrokers(c.Brokers...),

		kgo.ConsumerGroup(c.Group),
		kgo.ConsumeTopics(c.In),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
		kgo.AutoCommitMarks(), // what is delivered is marked, and nothing else
		kgo.AutoCommitInterval(time.Second),
		kgo.BlockRebalanceOnPoll(), // partitions come and go between turns only

		// The producer is idempotent, which is the client's default: what it tries again
		// by itself is there once. What it gives up after that is ours to retry.
		kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.RecordDeliveryTimeout(10 * time.Second),
		// A partition that is revoked does not wait for a broker that does not answer.
		// What was on its way then may come twice, as the whole may.
		kgo.AllowIdempotentProduceCancellation(),
		kgo.ProducerLinger(0), // a Batch has lingered
	}, c.Client...)
}
