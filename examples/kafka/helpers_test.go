package main

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/batch"
	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/internal/corpus"
)

const (
	topicIn, topicOut, topicDead = "in", "out", "dead"
	partitionsIn, partitionsOut  = 4, 3
	group                        = "bridges"
)

// place tells what a message of the output was.
type place struct {
	out       int32 // partition of the output
	key       string
	partition int32 // of the input
	record    int64 // its offset there
	message   int   // number among the messages of the partition
}

// bench is a broker with a topic of records, and what should become of them.
type bench struct {
	t       *testing.T
	ctx     context.Context
	cluster *kfake.Cluster
	client  *kgo.Client
	convert cdcodec.Options
	records [partitionsIn][][]byte // produced
	want    map[string]place       // by body
	n       [partitionsIn]int      // messages
}

func newBench(t *testing.T, convert cdcodec.Options) *bench {
	t.Helper()
	leaks(t)
	cluster, err := kfake.NewCluster(kfake.NumBrokers(2),
		kfake.SeedTopics(partitionsIn, topicIn), kfake.SeedTopics(partitionsOut, topicOut), kfake.SeedTopics(1, topicDead))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	client, err := kgo.NewClient(kgo.SeedBrokers(cluster.ListenAddrs()...), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	t.Cleanup(cancel)
	return &bench{t: t, ctx: ctx, cluster: cluster, client: client, convert: convert, want: map[string]place{}}
}

// leaks fails the test if goroutines are left at its end that were not there before.
func leaks(t *testing.T) {
	t.Helper()
	before := runtime.NumGoroutine()
	t.Cleanup(func() {
		for end := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before; {
			if time.Now().After(end) {
				stacks := make([]byte, 1<<20)
				t.Fatalf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
			}
			time.Sleep(5 * time.Millisecond)
		}
	})
}

// traffic returns records, others for each partition and turn.
func traffic(t *testing.T, name string, n int, packets bool, partition, turn int) [][]byte {
	t.Helper()
	c, err := corpus.Make(name, n, uint64(1+partition+100*turn))
	if err != nil {
		t.Fatal(err)
	}
	if packets {
		return c.Packets()
	}
	return c.Entries
}

// produce puts records on a partition of the input, each with a time of its own, so that
// no two messages are the same.
func (b *bench) produce(partition int, records [][]byte) {
	b.t.Helper()
	tr, err := cdcodec.New(b.convert)
	if err != nil {
		b.t.Fatal(err)
	}
	var out []*kgo.Record
	for _, r := range records {
		offset := len(b.records[partition])
		b.records[partition] = append(b.records[partition], r)
		at := time.UnixMilli(1700000000000 + int64(partition)*1_000_000 + int64(offset))
		out = append(out, &kgo.Record{Topic: topicIn, Partition: int32(partition), Value: r, Timestamp: at})
		dst, msgs, _ := tr.Append(nil, nil, r, fastjson.Meta{ID: 1, TS: at.UnixMilli()})
		for _, m := range msgs {
			body := string(dst[m.Start:m.End])
			if _, twice := b.want[body]; twice {
				b.t.Fatalf("two messages are the same: %s", body)
			}
			b.want[body] = place{m.Partition, string(m.Key), int32(partition), int64(offset), b.n[partition]}
			b.n[partition]++
		}
	}
	if err := b.client.ProduceSync(b.ctx, out...).FirstErr(); err != nil {
		b.t.Fatal(err)
	}
}

// produceAll puts n records of Entries on each partition.
func (b *bench) produceAll(n, turn int) {
	b.t.Helper()
	for p := range partitionsIn {
		b.produce(p, traffic(b.t, "stream", n, false, p, turn))
	}
}

// config is what a Bridge of the tests is to do.
func (b *bench) config() Config {
	return Config{
		Brokers: b.cluster.ListenAddrs(), Group: group, In: topicIn, Out: topicOut,
		Convert: b.convert,
		Batch:   batch.Options{MaxBytes: 32 << 10, Linger: time.Millisecond},
		Retry:   batch.Retry{Tries: -1, Initial: time.Millisecond, Max: 10 * time.Millisecond},
		Logf:    b.t.Logf,
		Client: []kgo.Opt{
			kgo.HeartbeatInterval(50 * time.Millisecond), kgo.AutoCommitInterval(100 * time.Millisecond),
			kgo.FetchMaxWait(50 * time.Millisecond), kgo.RetryBackoffFn(func(int) time.Duration { return time.Millisecond }),
			kgo.MetadataMinAge(10 * time.Millisecond),
		},
	}
}

// run starts a Bridge. stop ends it and returns what Run did.
func (b *bench) run(c Config) (stop func() error) {
	b.t.Helper()
	bridge, err := NewBridge(b.ctx, c)
	if err != nil {
		b.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(b.ctx)
	done := make(chan error, 1)
	go func() { done <- bridge.Run(ctx) }()
	var result error
	ended := false
	stop = func() error {
		if !ended {
			cancel()
			result = <-done
			ended = true
		}
		return result
	}
	b.t.Cleanup(func() { _ = stop() }) // where a test has failed before
	return stop
}

// wait waits until what holds.
func (b *bench) wait(for_ string, what func() bool) {
	b.t.Helper()
	for !what() {
		select {
		case <-b.ctx.Done():
			b.t.Fatalf("waited in vain for %s", for_)
		case <-time.After(2 * time.Millisecond):
		}
	}
}

// count returns how many records a topic has.
func (b *bench) count(topic string) int {
	n := 0
	for _, p := range b.cluster.PartitionInfos(topic) {
		n += int(p.HighWatermark)
	}
	return n
}

// committed returns the group's offsets.
func (b *bench) committed() (offsets [partitionsIn]int64) {
	if info := b.cluster.GroupInfo(group); info != nil {
		for p, c := range info.Commits[topicIn] {
			offsets[p] = c.Offset
		}
	}
	return offsets
}

// allCommitted tells whether all that was produced is committed.
func (b *bench) allCommitted() bool {
	for p, offset := range b.committed() {
		if offset < int64(len(b.records[p])) {
			return false
		}
	}
	return true
}

// read returns the records of a topic, by partition.
func (b *bench) read(topic string) [][]*kgo.Record {
	b.t.Helper()
	n := b.count(topic)
	infos := b.cluster.PartitionInfos(topic)
	all := make([][]*kgo.Record, len(infos))
	if n == 0 {
		return all
	}
	from := map[int32]kgo.Offset{}
	for _, p := range infos {
		from[p.Partition] = kgo.NewOffset().AtStart()
	}
	client, err := kgo.NewClient(kgo.SeedBrokers(b.cluster.ListenAddrs()...), kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{topic: from}),
		kgo.FetchMaxWait(50*time.Millisecond))
	if err != nil {
		b.t.Fatal(err)
	}
	defer client.Close()
	for n > 0 {
		fetches := client.PollFetches(b.ctx)
		if err := fetches.Err(); err != nil {
			b.t.Fatal(err)
		}
		fetches.EachRecord(func(r *kgo.Record) {
			all[r.Partition] = append(all[r.Partition], r)
			n--
		})
	}
	return all
}

// check holds the output to what it should be: nothing is lost, and of each partition
// of the input it is in order. What is there twice is of a record that was not
// committed, and begins anew from there. It returns how many messages that is.
func (b *bench) check(committed [partitionsIn]int64) (twice int) {
	b.t.Helper()
	seen := map[string]bool{}
	for _, records := range b.read(topicOut) {
		var next [partitionsIn]int // the number after that of the last message
		for _, r := range records {
			p, known := b.want[string(r.Value)]
			switch {
			case !known:
				b.t.Fatalf("nothing becomes %s", r.Value)
			case r.Partition != p.out || string(r.Key) != p.key:
				b.t.Fatalf("in partition %d, its key %q, want %d, %q: %s", r.Partition, r.Key, p.out, p.key, r.Value)
			}
			if seen[string(r.Value)] {
				twice++
				if p.record < committed[p.partition] {
					b.t.Fatalf("record %d of partition %d was committed (%d) and is there again", p.record, p.partition, committed[p.partition])
				}
			} else if p.message < next[p.partition] {
				b.t.Fatalf("message %d of partition %d comes first behind %d", p.message, p.partition, next[p.partition])
			}
			seen[string(r.Value)] = true
			next[p.partition] = p.message + 1
		}
	}
	if len(seen) != len(b.want) {
		b.t.Fatalf("%d messages, want %d", len(seen), len(b.want))
	}
	return twice
}
