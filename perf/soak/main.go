// Command soak runs millions of messages through a batch.Pipeline whose sink fails and
// stalls by chance, with other limits, workers and compression in each round, and holds
// what is delivered to a plain loop around a Transcoder:
//
//	go run ./perf/soak                     # ten million messages
//	go run ./perf/soak -messages 100000 -seed 7
//
// What it looks for:
//
//   - every message is delivered, byte for byte, in order, and none twice but after a
//     Send that has failed, which gets the same batch again;
//   - every record is acknowledged, once, in order, after its messages; a bad one is
//     handed over before;
//   - batches are within their limits, and their bytes are their messages in frames,
//     also after compression;
//   - the heap stays below what MaxInFlight and the documents allow (memory.go);
//   - goroutines and buffers of the pool are back after each round.
//
// It ends with exit code 1 and the round's settings when one of these is broken. The same
// flags draw the same rounds. perf/README.md has a result.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// options are the flags.
type options struct {
	messages int
	records  int // of a round, about
	seed     uint64
}

func main() {
	var o options
	flag.IntVar(&o.messages, "messages", 10_000_000, "messages in all, at least")
	flag.IntVar(&o.records, "records", 100_000, "records of a round, on average")
	flag.Uint64Var(&o.seed, "seed", 1, "what chance begins with")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	progress, finish := bar(o.messages)
	fmt.Printf("%s %s/%s, GOMAXPROCS %d, seed %d\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0), o.seed)
	began := time.Now()
	s, err := soak(ctx, o, progress)
	finish()
	s.print(os.Stdout, time.Since(began))
	if err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

// bar returns what draws how many messages more there are, if someone watches.
func bar(messages int) (progress func(int), finish func()) {
	if !term.IsTerminal(int(os.Stderr.Fd())) {
		return func(int) {}, func() {}
	}
	b := progressbar.NewOptions(messages,
		progressbar.OptionSetWriter(os.Stderr),
		progressbar.OptionShowCount(),
		progressbar.OptionThrottle(200*time.Millisecond),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionSetPredictTime(true),
	)
	// A bar that cannot be drawn stops nothing.
	return func(n int) { _ = b.Add(n) }, func() { _ = b.Exit(); _ = b.Clear() }
}

// summary is what all rounds came to.
type summary struct {
	rounds, records, messages, bad int
	byCorpus                       map[string]int // messages
	byCodec                        map[string]int // messages
	batches, failures, stalls      int
	bytes, sent                    int64
	delivered, expected            uint64  // hashes of all messages in order
	heap                           int64   // most over the start of its round, bytes
	share                          float64 // most of its bound
	gc                             int     // times the heap was looked at
}

// soak runs rounds until there were so many messages. An error tells what is broken, and
// in which round.
func soak(ctx context.Context, o options, progress func(int)) (summary, error) {
	s := summary{byCorpus: map[string]int{}, byCodec: map[string]int{}}
	traffic, err := newTraffic()
	if err != nil {
		return s, err
	}
	for s.messages < o.messages {
		before := s.messages
		r := draw(o, s.rounds)
		if err := r.run(ctx, traffic, &s); err != nil {
			return s, fmt.Errorf("round %d: %w\n%+v", s.rounds, err, r)
		}
		s.rounds++
		progress(s.messages - before)
	}
	if s.delivered != s.expected {
		return s, fmt.Errorf("hash of all messages %016x, want %016x", s.delivered, s.expected)
	}
	return s, nil
}

// print writes what there was.
func (s *summary) print(w io.Writer, took time.Duration) {
	fmt.Fprintf(w, "rounds      %d\n", s.rounds)
	fmt.Fprintf(w, "records     %d, of which %d bad\n", s.records, s.bad)
	fmt.Fprintf(w, "messages    %d %v\n", s.messages, s.byCorpus)
	fmt.Fprintf(w, "compressed  %v\n", s.byCodec)
	fmt.Fprintf(w, "batches     %d delivered, %d sends failed, %d stalled\n", s.batches, s.failures, s.stalls)
	fmt.Fprintf(w, "bytes       %d, %d sent\n", s.bytes, s.sent)
	fmt.Fprintf(w, "hash        %016x, of a plain loop %016x\n", s.delivered, s.expected)
	fmt.Fprintf(w, "heap        at most %.1f MiB above its start, and %.0f %% of its bound (%d looks)\n", float64(s.heap)/(1<<20), 100*s.share, s.gc)
	fmt.Fprintf(w, "time        %.1f s, %.0f messages a second, plain loop and checks included\n", took.Seconds(), float64(s.messages)/took.Seconds())
}
