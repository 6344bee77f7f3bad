// Command files writes what CDC records become into files of JSON lines, see package
// jsonfiles for what it promises:
//
//	go run ./examples/files -dir out -from tidb-binlog -compress zstd -i binlogs.bin
//
// Started again it goes on where it was. A file given with -i may have grown
// meanwhile. Standard input is taken for the same stream from its beginning, of
// which it skips what is delivered; for another stream use another directory.
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
	"os"
	"os/signal"
	"syscall"

	"github.com/cdcodec/cdcodec/examples/files/jsonfiles"
	"github.com/cdcodec/cdcodec/examples/input"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stderr))
}

func run(ctx context.Context, args []string, stdin io.Reader, stderr io.Writer) int {
	var in input.Flags
	var o jsonfiles.Options
	set := flag.NewFlagSet("files", flag.ContinueOnError)
	set.SetOutput(stderr)
	in.Register(set)
	path := set.String("dir", "", "the `directory`; it is made if it is not there")
	set.StringVar(&o.Prefix, "prefix", jsonfiles.DefaultPrefix, "how names of files begin")
	set.Int64Var(&o.MaxSize, "max-size", jsonfiles.DefaultMaxSize, "a file ends before it has more bytes")
	set.DurationVar(&o.MaxAge, "max-age", jsonfiles.DefaultMaxAge, "and when it is so old")
	if err := set.Parse(args); err != nil {
		return 2
	}
	if *path == "" || set.NArg() > 0 {
		fmt.Fprintln(stderr, "files: -dir is needed, and nothing but flags")
		return 2
	}
	l := log.New(stderr, "files: ", log.LstdFlags|log.Lmsgprefix)
	if err := write(ctx, *path, &in, o, stdin, l); err != nil {
		l.Print(err)
		return 1
	}
	return 0
}

func write(ctx context.Context, path string, in *input.Flags, o jsonfiles.Options, stdin io.Reader, l *log.Logger) error {
	if err := os.MkdirAll(path, 0o755); err != nil {
		return err
	}
	o.Suffix = jsonfiles.Suffix(in.Pipeline.Batch.Compress.Codec)
	o.Failed = func(err error) { l.Print(err) }
	o.Input = in.Name() + " " + in.Frame.String()
	dir, err := jsonfiles.Open(jsonfiles.OS(path), o)
	if err != nil {
		return err
	}
	stream, closer, err := in.Open(stdin)
	if err != nil {
		return err
	}
	defer closer.Close()
	r, err := input.NewReader(stream, in.Frame, dir.Position())
	if err != nil {
		return err
	}
	in.ReportTo(l, dir.Position())
	err = jsonfiles.Run(ctx, r, dir, in.Pipeline)
	l.Printf("delivered up to record %d", dir.Position().Records)
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		return nil // as it was asked to; what is not delivered comes next time
	}
	return err
}
