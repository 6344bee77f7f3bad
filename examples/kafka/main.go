// Command kafka moves change records from one Kafka topic to another and makes
// Canal-JSON of them on the way:
//
//	go run . --brokers localhost:9092 --in canal-raw --out canal-json   # flatMessage=false to true
//	go run . demo                                                        # needs no broker
//
// It is an example of how to use package batch: what an input partition is, who retries,
// when an offset may be committed, and what a rebalance does. README.md tells why it is
// as it is.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/batch"
	"github.com/cdcodec/cdcodec/change/partition"
	"github.com/cdcodec/cdcodec/fastjson"
)

// commands is the command line.
type commands struct {
	Run  runCmd  `cmd:"" default:"withargs" help:"Move records until interrupted (what no command at all does)."`
	Demo demoCmd `cmd:"" help:"Move built-in traffic through a broker in this process, and print how fast."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends it at once
	var cli commands
	parsed := kong.Parse(&cli,
		kong.Name("kafka"),
		kong.Description("Change records of a Kafka topic as Canal-JSON on another."),
		kong.BindTo(ctx, (*context.Context)(nil)))
	parsed.FatalIfErrorf(parsed.Run())
}

// runCmd is "kafka run".
type runCmd struct {
	Brokers    []string `default:"localhost:9092" help:"Brokers to begin with."`
	Group      string   `default:"cdcodec" help:"Consumer group."`
	In         string   `required:"" help:"Topic to read."`
	Out        string   `required:"" help:"Topic to write."`
	DeadLetter string   `help:"Topic of records that cannot be converted; without it the first one ends the run."`
	shape      `embed:""`
	Drain      time.Duration `default:"10s" help:"Time to deliver what is in flight when a partition is revoked, and at the end."`
}

// shape is the flags that say what becomes of a record.
type shape struct {
	From        string `enum:"packet,entry,tidb-binlog,changedataset,canal-json" default:"packet" help:"What the records are: ${enum}."`
	Dialect     string `enum:"canal,ticdc" default:"canal" help:"Dialect of what they become: ${enum}."`
	Rules       string `help:"Where messages go, as in canal.mq.partitionHash: schema.table:key^key, or $$pk$$ for the primary key; --partitions needs it."`
	Partitions  int    `default:"1" help:"Partitions of the output that rules spread messages over."`
	Keys        bool   `help:"Give each message the key of its row; dialect canal then has a message for each row."`
	MaxMessage  int    `default:"900000" help:"Bytes of a message. What is longer is split by rows (canal), or is a record that cannot be converted."`
	Workers     int    `default:"1" help:"Goroutines that convert, for each input partition."`
	MaxInFlight int    `default:"8388608" help:"Bytes in flight, for each input partition."`
}

// config returns what the flags say.
func (s *shape) config() Config {
	convert := cdcodec.Options{From: sources[s.From], JSON: s.json(), Keys: s.Keys}
	if s.Partitions > 1 || s.Rules != "" {
		convert.Partition = &partition.Options{Partitions: s.Partitions, Rules: s.Rules}
	}
	return Config{
		Convert:     convert,
		Workers:     s.Workers,
		MaxInFlight: s.MaxInFlight,
		Retry:       batch.Retry{Tries: -1},
	}
}

var sources = map[string]cdcodec.Source{
	"packet":        cdcodec.FromPacket,
	"entry":         cdcodec.FromEntry,
	"tidb-binlog":   cdcodec.FromTiDBBinlog,
	"changedataset": cdcodec.FromChangeDataSet,
	"canal-json":    cdcodec.FromCanalJSON,
}

func (s *shape) json() fastjson.Options {
	if s.Dialect == "ticdc" {
		return fastjson.Options{Dialect: fastjson.TiCDC, TiCDC: fastjson.TiCDCOptions{MaxMessage: s.MaxMessage}}
	}
	return fastjson.Options{MaxMessage: s.MaxMessage, Split: true, OneRow: s.Keys}
}

// Run moves records until ctx ends.
func (c *runCmd) Run(ctx context.Context) error {
	config := c.config()
	config.Brokers, config.Group = c.Brokers, c.Group
	config.In, config.Out, config.DeadLetter = c.In, c.Out, c.DeadLetter
	config.Drain = c.Drain
	config.Logf = log.Printf
	b, err := NewBridge(ctx, config)
	if err != nil {
		return err
	}
	if err := b.Run(ctx); err != nil {
		return err
	}
	_, err = fmt.Fprintln(os.Stderr, "drained, committed, left the group")
	return err
}
