package input

import (
	"errors"
	"flag"
	"io"
	"log"
	"os"

	"github.com/cdcodec/cdcodec/batch"
	"github.com/cdcodec/cdcodec/batch/compress"
	"github.com/cdcodec/cdcodec/wire/frame"
)

// Flags are those that the examples have in common.
type Flags struct {
	File     string // empty: standard input
	Frame    frame.Kind
	Pipeline batch.PipelineOptions
	Skip     bool // bad records
}

// Register adds the flags to set, which puts their values into f. What is set before, is
// their default.
func (f *Flags) Register(set *flag.FlagSet) {
	set.StringVar(&f.File, "i", f.File, "read from this `file` instead of standard input")
	set.Func("from", "what a record is: entry, packet, tidb-binlog, changedataset or canal-json (default entry)", func(s string) (err error) {
		f.Pipeline.Convert.From, err = ParseSource(s)
		return err
	})
	set.Func("frame", "how records lie in the input: u32be, uvarint, single or lines (default u32be)", func(s string) (err error) {
		f.Frame, err = frame.ParseKind(s)
		return err
	})
	b := &f.Pipeline.Batch
	set.Func("compress", "compress each batch: gzip or zstd, or with a level zstd:fastest (default none)", func(s string) (err error) {
		b.Compress, err = compress.Parse(s)
		return err
	})
	set.IntVar(&b.MaxBytes, "batch-bytes", batch.DefaultMaxBytes, "longest batch, before compression")
	set.IntVar(&b.MaxCount, "batch-count", 0, "most messages of a batch (0: any number)")
	set.DurationVar(&b.Linger, "linger", batch.DefaultLinger, "how long a message waits for others")
	set.IntVar(&f.Pipeline.Retry.Tries, "tries", -1, "how often a batch is tried (-1: as often as it takes)")
	set.BoolVar(&f.Skip, "skip-bad", false, "go on after a record that cannot be converted")
}

// Open opens the input.
func (f *Flags) Open(stdin io.Reader) (io.Reader, io.Closer, error) {
	if f.File == "" || f.File == "-" {
		return stdin, io.NopCloser(nil), nil
	}
	file, err := os.Open(f.File)
	return file, file, err
}

// ReportTo makes bad records be told to l, where the flags say to go on after them. first
// is where the records begin.
func (f *Flags) ReportTo(l *log.Logger, first Position) {
	if !f.Skip {
		return
	}
	f.Pipeline.DeadLetter = func(number int64, r batch.Record, err error) error {
		var bad *batch.RecordError
		if errors.As(err, &bad) {
			err = bad.Err
		}
		l.Printf("record %d at byte %d: %v", first.Records+number, r.Tag.(Position).Offset-int64(len(r.Value)), err)
		return nil
	}
}

// Name returns what the input is called.
func (f *Flags) Name() string {
	if f.File == "" {
		return "-"
	}
	return f.File
}
