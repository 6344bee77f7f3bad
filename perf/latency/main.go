// Command latency measures how long one Entry takes, by its type, on the corpus
// oltp, with a small heap and with one of many small live objects that is
// collected all the while:
//
//	go run ./perf/latency            # 1 GiB, five runs each
//	go run ./perf/latency -heap 64   # MiB
//
// Of the runs it shows the one with the lowest p99.9 for each type: what the
// code does, not what else the machine was doing. perf/README.md has results.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"time"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/internal/corpus"
)

func main() {
	heap := flag.Int("heap", 1024, "live heap of the second part, MiB")
	runs := flag.Int("runs", 5, "runs of each part")
	rounds := flag.Int("rounds", 20, "times the corpus is gone through in a run")
	flag.Parse()
	made, err := corpus.Make("oltp", 0, 1)
	if err == nil {
		fmt.Printf("%s %s/%s, GOMAXPROCS %d\n\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0))
		fmt.Println("heap        type    samples     p50     p99   p99.9  p99.9/p50  collections")
		err = part(made, "small", *runs, *rounds)
	}
	if err == nil {
		live := ballast(*heap << 20)
		stop := churn()
		err = part(made, fmt.Sprintf("%d MiB", *heap), *runs, *rounds)
		stop.Store(true)
		runtime.KeepAlive(live)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "latency:", err)
		os.Exit(1)
	}
}

// node is a small live object with a pointer to follow.
type node struct {
	next *node
	_    [6]uint64
}

// ballast returns that many bytes of live nodes.
func ballast(bytes int) []*node {
	live := make([]*node, bytes/64)
	for i := range live {
		live[i] = &node{}
		if i > 0 {
			live[i].next = live[i*7919%i]
		}
	}
	return live
}

// churn makes garbage in the background, so that the collector never rests.
func churn() *atomic.Bool {
	stop := new(atomic.Bool)
	debug.SetGCPercent(10)
	go func() {
		var keep [64]*node
		for i := 0; !stop.Load(); i++ {
			keep[i%len(keep)] = &node{}
		}
	}()
	return stop
}

// part measures and prints one part.
func part(made corpus.Corpus, name string, runs, rounds int) error {
	best := map[change.Type][]time.Duration{}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range runs {
		samples, err := measure(made, rounds)
		if err != nil {
			return err
		}
		for typ, s := range samples {
			slices.Sort(s)
			if best[typ] == nil || at(s, 999) < at(best[typ], 999) {
				best[typ] = s
			}
		}
	}
	runtime.ReadMemStats(&after)
	for _, typ := range []change.Type{change.Insert, change.Update, change.Delete} {
		s := best[typ]
		fmt.Printf("%-10s %s %10d %7d %7d %7d %10.1f %12d\n", name, typ, len(s), at(s, 500), at(s, 990), at(s, 999),
			float64(at(s, 999))/float64(at(s, 500)), after.NumGC-before.NumGC)
	}
	return nil
}

// at returns the sample, in ns, that so many of a thousand do not exceed.
func at(sorted []time.Duration, perMille int) int64 {
	return int64(sorted[len(sorted)*perMille/1000])
}

// measure converts the corpus again and again, by a Transcoder that knows its
// tables, and times each Entry.
func measure(made corpus.Corpus, rounds int) (map[change.Type][]time.Duration, error) {
	tr, err := cdcodec.New(cdcodec.Options{})
	if err != nil {
		return nil, err
	}
	samples := map[change.Type][]time.Duration{}
	for _, t := range []change.Type{change.Insert, change.Update, change.Delete} {
		samples[t] = make([]time.Duration, 0, rounds*len(made.Entries))
	}
	var record, dst []byte
	var msgs []cdcodec.Message
	for round := -1; round < rounds; round++ {
		for _, e := range made.Entries {
			// A sink has just read the record from somewhere.
			record = append(record[:0], e...)
			began := time.Now()
			dst, msgs, err = tr.Append(dst[:0], msgs[:0], record, fastjson.Meta{ID: 1, TS: 1})
			took := time.Since(began)
			if err != nil {
				return nil, err
			}
			if typ := msgs[0].Type; round >= 0 {
				samples[typ] = append(samples[typ], took)
			}
		}
	}
	return samples, nil
}
