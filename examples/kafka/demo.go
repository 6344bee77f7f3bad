package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/cdcodec/cdcodec/internal/corpus"
)

// demoCmd is "kafka demo".
type demoCmd struct {
	Messages int    `default:"100000" help:"Messages to move, about."`
	Corpus   string `default:"oltp" enum:"oltp,stream" help:"Traffic: ${enum}."`
	Dialect  string `enum:"canal,ticdc" default:"canal" help:"Dialect of what comes out: ${enum}."`
	Workers  int    `default:"1" help:"Goroutines that convert, for each of the three input partitions."`
}

// Run moves built-in traffic through a broker in this process.
func (c *demoCmd) Run(ctx context.Context) error { return c.run(ctx, os.Stdout) }

const demoPartitions = 3

func (c *demoCmd) run(ctx context.Context, w io.Writer) error {
	const in, out, dead = "canal-raw", "canal-json", "canal-bad"
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(demoPartitions, in, out), kfake.SeedTopics(1, dead))
	if err != nil {
		return err
	}
	defer cluster.Close()
	fmt.Fprintf(w, "a broker in this process (%s, %s/%s, %d CPUs)\n\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0))

	flags := shape{From: "packet", Dialect: c.Dialect, Rules: `.*\..*:$pk$`, Partitions: demoPartitions, MaxMessage: 900_000, Workers: c.Workers}
	config := flags.config()
	config.Brokers, config.Group = cluster.ListenAddrs(), "demo"
	config.In, config.Out, config.DeadLetter = in, out, dead

	began := time.Now()
	records, size, err := c.fill(ctx, config)
	if err != nil {
		return err
	}
	tell := func(what string, n int, bytes int64, noun string, end time.Time) {
		took := end.Sub(began)
		fmt.Fprintf(w, "%-10s %8d %-8s  %7.1f MB  %6.2f s  %9.0f a second  %6.1f MB/s\n",
			what, n, noun, float64(bytes)/1e6, took.Seconds(), float64(n)/took.Seconds(), float64(bytes)/1e6/took.Seconds())
	}
	tell("produced", records, size, "packets", time.Now())

	began = time.Now()
	bridge, err := NewBridge(ctx, config)
	if err != nil {
		return err
	}
	running, stop := context.WithCancel(ctx)
	defer stop()
	done := make(chan error, 1)
	go func() { done <- bridge.Run(running) }()
	first, last, messages, size, err := consume(running, cluster, config, int64(records), done)
	if err != nil {
		return err
	}
	tell("converted", messages, size, "messages", last)
	stop()
	if err := <-done; err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "\nthe first: %.300s…\n", first)
	return err
}

// fill produces the traffic, and returns how many Packets it is and of how many bytes.
func (c *demoCmd) fill(ctx context.Context, config Config) (records int, size int64, err error) {
	made, err := corpus.Make(c.Corpus, 0, 1)
	if err != nil {
		return 0, 0, err
	}
	client, err := kgo.NewClient(kgo.SeedBrokers(config.Brokers...), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		return 0, 0, err
	}
	defer client.Close()
	packets := made.Packets()
	for left := c.Messages; left > 0; left -= len(made.Entries) {
		var some []*kgo.Record
		for _, p := range packets {
			some = append(some, &kgo.Record{Topic: config.In, Partition: int32(records % demoPartitions), Value: p})
			records++
			size += int64(len(p))
		}
		if err := client.ProduceSync(ctx, some...).FirstErr(); err != nil {
			return 0, 0, err
		}
	}
	return records, size, nil
}

// consume reads the output until all of the input is committed and what is there was
// read. It returns the first message, when the last one came, and how many there were.
func consume(ctx context.Context, cluster *kfake.Cluster, config Config, records int64, done chan error) (first []byte, last time.Time, n int, size int64, err error) {
	from := map[int32]kgo.Offset{}
	for p := range int32(demoPartitions) {
		from[p] = kgo.NewOffset().AtStart()
	}
	client, err := kgo.NewClient(kgo.SeedBrokers(config.Brokers...), kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{config.Out: from}))
	if err != nil {
		return nil, last, 0, 0, err
	}
	defer client.Close()
	for {
		select {
		case err := <-done: // the Bridge has ended before its time
			return nil, last, 0, 0, fmt.Errorf("the bridge has ended: %w", err)
		default:
		}
		finished := committed(cluster, config) == records // before it is looked how much there is
		there := 0
		for _, p := range cluster.PartitionInfos(config.Out) {
			there += int(p.HighWatermark)
		}
		if finished && n == there {
			return first, last, n, size, nil
		}
		polling, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
		fetches := client.PollFetches(polling)
		cancel()
		if ctx.Err() != nil {
			return nil, last, 0, 0, ctx.Err()
		}
		fetches.EachRecord(func(r *kgo.Record) {
			if n == 0 {
				first = r.Value
			}
			n++
			last = time.Now()
			size += int64(len(r.Value))
		})
	}
}

// committed returns how many records of the input the group has committed.
func committed(cluster *kfake.Cluster, config Config) (n int64) {
	if info := cluster.GroupInfo(config.Group); info != nil {
		for _, c := range info.Commits[config.In] {
			n += c.Offset
		}
	}
	return n
}
