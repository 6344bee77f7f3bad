package main

import (
	"bytes"
	"context"
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/batch"
	"github.com/cdcodec/cdcodec/change/partition"
	"github.com/cdcodec/cdcodec/fastjson"
)

// byKey spreads rows over all partitions of the output.
var byKey = &partition.Options{Partitions: partitionsOut, By: partition.ByKey}

// TestEndToEnd: what comes out is what the Transcoder makes of each record, in order, and
// once; all is committed, and the member has left the group.
func TestEndToEnd(t *testing.T) {
	for _, c := range []struct {
		corpus  string
		n       int
		packets bool
		convert cdcodec.Options
	}{
		{"stream", 400, true, cdcodec.Options{From: cdcodec.FromPacket, Partition: byKey}},
		{"oltp", 300, false, cdcodec.Options{Partition: byKey}},
		{"bulk", 2, false, cdcodec.Options{JSON: fastjson.Options{MaxMessage: 40 << 10, Split: true}}},
		{"tidb", 50, false, cdcodec.Options{From: cdcodec.FromTiDBBinlog, Partition: byKey, JSON: fastjson.Options{Dialect: fastjson.TiCDC}}},
		{"baidu", 50, false, cdcodec.Options{From: cdcodec.FromChangeDataSet}},
	} {
		t.Run(c.corpus, func(t *testing.T) { endToEnd(t, c.corpus, c.n, c.packets, c.convert) })
	}
}

func endToEnd(t *testing.T, corpus string, n int, packets bool, convert cdcodec.Options) {
	b := newBench(t, convert)
	for p := range partitionsIn {
		b.produce(p, traffic(t, corpus, n, packets, p, 0))
	}
	stop := b.run(b.config())
	b.wait("commits", b.allCommitted)
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	if twice := b.check([partitionsIn]int64{}); twice > 0 {
		t.Errorf("%d messages are there twice", twice)
	}
	if members := b.cluster.GroupInfo(group).Members; len(members) > 0 {
		t.Errorf("%d members are in the group", len(members))
	}
}

// TestKeys: the key of a Kafka record is that of the row.
func TestKeys(t *testing.T) {
	t.Run("oltp", func(t *testing.T) {
		endToEnd(t, "oltp", 200, false, cdcodec.Options{Partition: byKey, Keys: true, JSON: fastjson.Options{OneRow: true}})
	})
	t.Run("tidb", func(t *testing.T) {
		endToEnd(t, "tidb", 30, false, cdcodec.Options{From: cdcodec.FromTiDBBinlog, Partition: byKey, Keys: true, JSON: fastjson.Options{Dialect: fastjson.TiCDC}})
	})
}

// slow makes each produce request for topicOut take a while.
func (b *bench) slow(pause time.Duration) {
	b.cluster.ControlKey(int16(kmsg.Produce), func(r kmsg.Request) (kmsg.Response, error, bool) {
		b.cluster.KeepControl()
		for _, topic := range r.(*kmsg.ProduceRequest).Topics {
			if topic.Topic != topicIn {
				time.Sleep(pause)
			}
		}
		return nil, nil, false
	})
}

// TestRestart: a Bridge that ends in the middle, and does not drain and does not commit at
// its end, loses nothing: the next one begins with what was committed before, and only
// what was not comes twice.
func TestRestart(t *testing.T) {
	b := newBench(t, cdcodec.Options{Partition: byKey})
	b.slow(4 * time.Millisecond)
	b.produceAll(400, 0)
	c := b.config()
	c.Drain = 1 // gives up
	kill := b.run(c)
	b.wait("the middle", func() bool { return b.count(topicOut) > len(b.want)/3 })
	if err := kill(); err == nil {
		t.Error("what was given up was not told")
	}
	committed, there := b.committed(), b.count(topicOut)
	if b.allCommitted() || there >= len(b.want) {
		t.Fatalf("it came to the end: %d messages of %d", there, len(b.want))
	}
	stop := b.run(b.config())
	b.wait("commits", b.allCommitted)
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d messages before, %d came twice; committed were %v", there, b.check(committed), committed)
}

// TestDrain: a Bridge that is stopped in the middle delivers what it has taken, and the next
// one goes on behind it: nothing comes twice.
func TestDrain(t *testing.T) {
	b := newBench(t, cdcodec.Options{Partition: byKey})
	b.slow(4 * time.Millisecond)
	b.produceAll(400, 0)
	stop := b.run(b.config())
	b.wait("the middle", func() bool { return b.count(topicOut) > len(b.want)/4 })
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	stop = b.run(b.config())
	b.wait("commits", b.allCommitted)
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	if twice := b.check([partitionsIn]int64{}); twice > 0 {
		t.Errorf("%d messages are there twice", twice)
	}
}

// TestProduceFails: what the client gives up is tried again by the Pipeline, and only
// that.
func TestProduceFails(t *testing.T) {
	b := newBench(t, cdcodec.Options{Partition: byKey})
	b.produceAll(500, 0)
	fault := b.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Topic: topicOut, Err: kerr.NotEnoughReplicas, Count: 20})
	c := b.config()
	c.Client = append(c.Client, kgo.RecordRetries(1)) // the Pipeline is to do it
	bridge, err := NewBridge(b.ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(b.ctx)
	done := make(chan error, 1)
	go func() { done <- bridge.Run(ctx) }()
	b.wait("commits", b.allCommitted)
	cancel()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if twice := b.check([partitionsIn]int64{}); twice > 0 {
		t.Errorf("%d messages are there twice", twice)
	}
	if bridge.closed.Retries == 0 || fault.Hits() != 20 {
		t.Errorf("%d retries, %d requests failed", bridge.closed.Retries, fault.Hits())
	}
}

// TestProducePermanent: what cannot be produced at all ends the Bridge with the cause, and
// is not committed.
func TestProducePermanent(t *testing.T) {
	b := newBench(t, cdcodec.Options{Partition: byKey})
	b.produce(0, traffic(t, "oltp", 10, false, 0, 0))
	b.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Topic: topicOut, Err: kerr.MessageTooLarge, Count: -1})
	bridge, err := NewBridge(b.ctx, b.config())
	if err != nil {
		t.Fatal(err)
	}
	err = bridge.Run(b.ctx)
	var send *batch.SendError
	if !errors.Is(err, kerr.MessageTooLarge) || !errors.As(err, &send) || send.First != 0 {
		t.Errorf("%v", err)
	}
	if b.committed()[0] > 0 {
		t.Error("it is committed")
	}
}

// TestRebalance: partitions that go from one member to another, and back, while both are at
// work: nothing is lost, and as both drain before they let go, nothing comes twice.
func TestRebalance(t *testing.T) {
	b := newBench(t, cdcodec.Options{Partition: byKey})
	b.slow(time.Millisecond)
	b.produceAll(700, 0)
	first := b.run(b.config())
	b.wait("the middle", func() bool { return b.count(topicOut) > len(b.want)/4 })
	second := b.run(b.config())
	for _, member := range b.stable(2).Members {
		if member.NumAssigned() != partitionsIn/2 {
			t.Errorf("a member has %d partitions", member.NumAssigned())
		}
	}
	b.produceAll(300, 1)
	b.wait("more", func() bool { return b.count(topicOut) > len(b.want)*2/3 })
	if err := first(); err != nil {
		t.Fatal(err)
	}
	b.produceAll(100, 2)
	b.wait("commits", b.allCommitted)
	if err := second(); err != nil {
		t.Fatal(err)
	}
	if twice := b.check([partitionsIn]int64{}); twice > 0 {
		t.Errorf("%d messages are there twice", twice)
	}
}

// stable waits until the group has so many members, and all partitions are theirs.
func (b *bench) stable(members int) *kfake.GroupInfo {
	b.t.Helper()
	info, err := b.cluster.WaitGroupInfo(b.ctx, group, func(g *kfake.GroupInfo) bool {
		if g == nil || g.State != "Stable" || len(g.Members) != members || g.NumAssigned() != partitionsIn {
			return false
		}
		for _, m := range g.Members {
			if m.NumAssigned() == 0 {
				return false
			}
		}
		return true
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return info
}

// TestRebalanceStuck: a member that cannot write does not hold up a rebalance: what it
// has is given up, and delivered by who gets the partition.
func TestRebalanceStuck(t *testing.T) {
	b := newBench(t, cdcodec.Options{Partition: byKey})
	b.produceAll(300, 0)
	fault := b.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Topic: topicOut, Err: kerr.NotLeaderForPartition, Count: -1})
	c := b.config()
	c.MaxInFlight = 16 << 10 // so that feeding waits
	c.Drain = 50 * time.Millisecond
	first := b.run(c)
	b.wait("tries", func() bool { return fault.Hits() > 3 })
	c.Drain = 5 * time.Second
	second := b.run(c)
	b.stable(2)
	committed := b.committed()
	fault.Remove()
	b.wait("commits", b.allCommitted)
	for _, stop := range []func() error{first, second} {
		if err := stop(); err != nil {
			t.Error(err)
		}
	}
	b.check(committed)
}

// TestDeadLetter: what cannot be converted is on the topic for these, as it was, with where
// it is from and why; all else is converted.
func TestDeadLetter(t *testing.T) {
	b := newBench(t, cdcodec.Options{From: cdcodec.FromPacket, Partition: byKey})
	records := traffic(t, "oltp", 300, true, 0, 0)
	const bad = 3
	records[bad] = records[bad][:len(records[bad])-5]
	b.produce(2, records)
	c := b.config()
	c.DeadLetter = topicDead
	b.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Topic: topicDead, Err: kerr.NotEnoughReplicas, Count: 5})
	c.Client = append(c.Client, kgo.RecordRetries(1))
	stop := b.run(c)
	b.wait("commits", b.allCommitted)
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	if twice := b.check([partitionsIn]int64{}); twice > 0 {
		t.Errorf("%d messages are there twice", twice)
	}
	dead := b.read(topicDead)[0]
	if len(dead) != 1 || !bytes.Equal(dead[0].Value, records[bad]) {
		t.Fatalf("%d dead letters", len(dead))
	}
	tr, _ := cdcodec.New(b.convert)
	_, _, cause := tr.Append(nil, nil, records[bad], fastjson.Meta{})
	want := []kgo.RecordHeader{
		{Key: "cdcodec.topic", Value: []byte(topicIn)},
		{Key: "cdcodec.partition", Value: []byte("2")},
		{Key: "cdcodec.offset", Value: []byte(strconv.Itoa(bad))},
		{Key: "cdcodec.timestamp", Value: []byte(strconv.FormatInt(1700000000000+2*1_000_000+bad, 10))},
		{Key: "cdcodec.record", Value: []byte(strconv.Itoa(bad))},
		{Key: "cdcodec.error", Value: []byte(cause.Error())},
	}
	for i, h := range dead[0].Headers {
		if i >= len(want) || h.Key != want[i].Key || string(h.Value) != string(want[i].Value) {
			t.Errorf("header %s: %s", h.Key, h.Value)
		}
	}
	if len(dead[0].Headers) != len(want) {
		t.Errorf("%d headers", len(dead[0].Headers))
	}
}

// TestBadRecord: without a topic for dead letters a bad record ends the Bridge; what is
// before it is delivered and committed, and it comes again.
func TestBadRecord(t *testing.T) {
	b := newBench(t, cdcodec.Options{Partition: byKey})
	records := traffic(t, "oltp", 20, false, 0, 0)
	records[7] = []byte{0xff}
	b.produce(1, records)
	bridge, err := NewBridge(b.ctx, b.config())
	if err != nil {
		t.Fatal(err)
	}
	err = bridge.Run(b.ctx)
	var bad *batch.RecordError
	if !errors.As(err, &bad) || bad.Record != 7 {
		t.Errorf("%v", err)
	}
	if at := b.committed()[1]; at != 7 || b.count(topicOut) != 7 {
		t.Errorf("%d are committed, %d are there", at, b.count(topicOut))
	}
}

// TestConfig: what makes no sense is told before anything is moved.
func TestConfig(t *testing.T) {
	b := newBench(t, cdcodec.Options{Partition: byKey})
	for name, change := range map[string]func(*Config){
		"brokers":    func(c *Config) { c.Brokers = nil },
		"group":      func(c *Config) { c.Group = "" },
		"loop":       func(c *Config) { c.Out = c.In },
		"frame":      func(c *Config) { c.Batch.Frame = batch.U32BE },
		"convert":    func(c *Config) { c.Convert.From = 99 },
		"no topic":   func(c *Config) { c.Out = "nowhere" },
		"partitions": func(c *Config) { c.Convert.Partition = &partition.Options{Partitions: partitionsOut + 1} },
		"no dead":    func(c *Config) { c.DeadLetter = "nowhere" },
	} {
		c := b.config()
		change(&c)
		if _, err := NewBridge(b.ctx, c); err == nil {
			t.Errorf("%s: no error", name)
		} else {
			t.Logf("%s: %v", name, err)
		}
	}
}
