// Command http POSTs what CDC records become to a URL, in batches; see package httpsink
// for what a request is and what counts as delivered:
//
//	go run ./examples/http -url http://localhost:8080/cdc -compress gzip -i entries.bin
//
// With -state it keeps the place up to which all is delivered in a file, and goes on
// there when it is started again; standard input is then taken for the same stream from
// its beginning.
//
// It ends with the input, or with SIGINT or SIGTERM: then it delivers what it has read,
// for ten seconds at most. Exit status: 0, all is delivered; 1, not; 2, wrong usage.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/cdcodec/cdcodec/batch"
	"github.com/cdcodec/cdcodec/examples/http/httpsink"
	"github.com/cdcodec/cdcodec/examples/input"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stderr))
}

// patience is how long is still delivered after a signal.
const patience = 10 * time.Second

func run(ctx context.Context, args []string, stdin io.Reader, stderr io.Writer) int {
	var in input.Flags
	o := httpsink.Options{Header: http.Header{}}
	set := flag.NewFlagSet("http", flag.ContinueOnError)
	set.SetOutput(stderr)
	in.Register(set)
	set.StringVar(&o.URL, "url", "", "where to")
	set.StringVar(&o.Stream, "stream", "cdc", "what idempotency keys begin with")
	set.DurationVar(&o.Timeout, "timeout", httpsink.DefaultTimeout, "how long one try may take")
	set.Func("header", "`NAME: VALUE` to send; may be given several times", func(s string) error {
		name, value, ok := strings.Cut(s, ":")
		if !ok {
			return errors.New("no colon in it")
		}
		o.Header.Add(strings.TrimSpace(name), strings.TrimSpace(value))
		return nil
	})
	array := set.Bool("array", false, "send a batch as one JSON array, not as lines")
	state := set.String("state", "", "keep the place in this `file`")
	if err := set.Parse(args); err != nil {
		return 2
	}
	if *array {
		in.Pipeline.Batch.Frame = batch.Array
	}
	o.Batch = in.Pipeline.Batch
	if _, err := httpsink.New(o); err != nil || set.NArg() > 0 {
		fmt.Fprintln(stderr, "http: -url is needed, and nothing but flags:", err)
		return 2
	}
	l := log.New(stderr, "http: ", log.LstdFlags|log.Lmsgprefix)
	if err := post(ctx, &in, o, *state, stdin, l); err != nil {
		l.Print(err)
		return 1
	}
	return 0
}

func post(ctx context.Context, in *input.Flags, o httpsink.Options, state string, stdin io.Reader, l *log.Logger) error {
	store, err := input.OpenStore(state)
	if err != nil {
		return err
	}
	stream, closer, err := in.Open(stdin)
	if err != nil {
		return err
	}
	defer closer.Close()
	r, err := input.NewReader(stream, in.Frame, store.Position())
	if err != nil {
		return err
	}
	o.First = store.Position().Records
	o.Failed = func(err error) { l.Print(err) }
	sink, err := httpsink.New(o)
	if err != nil {
		return err
	}
	defer sink.Close()
	in.Pipeline.Sink, in.Pipeline.Acknowledge = sink, store.Acknowledge
	in.ReportTo(l, store.Position())
	p, err := batch.NewPipeline(context.WithoutCancel(ctx), in.Pipeline)
	if err != nil {
		return err
	}
	err = r.Run(ctx, p, patience)
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		err = nil // as it was asked to; what is not delivered comes next time
	}
	err = errors.Join(err, store.Close())
	l.Printf("delivered up to record %d", store.Position().Records)
	return err
}
