package main

import (
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/batch/compress"
	"github.com/cdcodec/cdcodec/wire/frame"
)

// convertCmd is "cdcbench convert".
type convertCmd struct {
	inputFlags `embed:""`
	shapeFlags `embed:""`

	Out       string `name:"out" short:"o" placeholder:"FILE" help:"Write to FILE instead of standard output."`
	FrameOut  string `placeholder:"KIND" help:"How messages lie in the output: lines (the default for JSON, and only for that), u32be (the default for the others), uvarint."`
	Workers   number `placeholder:"N" help:"Convert on N cores, in batches; the output is the same."`
	Compress  string `placeholder:"CODEC" help:"Compress the output: gzip, zstd, s2, lz4, and if wanted a level, as zstd:fastest, zstd:default, zstd:better, zstd:best. (Not snappy, whose blocks do not tell where they end; s2 is its stream.)"`
	PerRecord bool   `help:"Write one item per record: the JSON array of its messages."`
	OnError   string `enum:"stop,skip,inline" default:"stop" help:"What a bad record does: ${enum}. With skip the run goes on (and with --per-record the record gives []); inline, which needs --per-record, writes {\"error\":\"…\"} in its place."`
}

// maxWorkers is the most that make sense anywhere.
const maxWorkers = 1024

// Help is printed below the flags.
func (c *convertCmd) Help() string {
	return `Exit status: 0, all good, or --on-error inline; 1, a bad record or a bad
entry; 2, wrong usage, I/O, or a broken frame (what came before it is written).
Each bad record gives one line on standard error, in every mode:

  record 12 at byte 3456: storeValue.rowDatas[0] at byte 87: …

Records count from 0; byte 3456 of the input is the record's first, byte 87 is
counted from there. A --claim-dir that cannot be written to is I/O. A bad entry
under --bad-entry skip gives such a line too, but never ends the run, and no
place in the output shows it, inline or not.

Protobuf does not tell what type it is of: with a wrong --from records may be
bad, or give wrong messages, or none. If all give none, and no flag leaves
messages out, a line on standard error asks.`
}

// Run converts.
func (c *convertCmd) Run(s *streams) (err error) {
	if c.OnError == "inline" && !c.PerRecord {
		return usageError("--on-error inline needs --per-record")
	}
	o, claims, err := c.options(&c.inputFlags)
	if err != nil {
		return err
	}
	kind, err := c.frameOut()
	if err != nil {
		return err
	}
	pack, err := c.compression()
	if err != nil {
		return err
	}
	if c.Workers < 0 || c.Workers > maxWorkers {
		return usageError(fmt.Sprintf("--workers: %d is no number from 0 to %d", c.Workers, maxWorkers))
	}
	in, err := c.open(s, o.MaxRecord)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := openOutput(s, c.Out, kind, in.stat)
	if err != nil {
		return err
	}
	defer func() {
		// What could not be written counts for more than a bad record.
		if cerr := out.Close(); cerr != nil && (err == nil || errors.Is(err, errBad)) {
			err = cerr
		}
	}()
	if c.Workers > 0 || pack.Codec != compress.None {
		return c.pipeline(o, pack, claims, in, out, s.err)
	}
	in.idle = func() { _ = out.w.Flush() } // bufio keeps its error, and the next write returns it
	return c.stream(o, claims, in, out, s.err)
}

// frameOut returns how messages lie in the output.
func (c *convertCmd) frameOut() (frame.Kind, error) {
	name := c.FrameOut
	switch {
	case !c.isJSON() && c.PerRecord:
		return 0, usageError("--per-record writes JSON, and --dialect " + c.Dialect + " is none")
	case !c.isJSON() && name == "lines":
		return 0, usageError("--frame-out lines is for JSON, and --dialect " + c.Dialect + " is none")
	case name == "" && c.isJSON():
		name = "lines"
	case name == "":
		name = "u32be"
	}
	kind, err := frame.ParseKind(name)
	if err != nil || kind == frame.Single {
		return 0, usageError(`--frame-out must be one of "lines","u32be","uvarint" but got "` + name + `"`)
	}
	if kind == frame.U32BE && uint64(c.MaxOutput) > math.MaxUint32 {
		return 0, usageError("--max-output: a frame of u32be holds no more than 4294967295 bytes")
	}
	return kind, nil
}

// stream converts record after record. Its memory is that of the largest
// record and of what that one becomes.
func (c *convertCmd) stream(o cdcodec.Options, claims *claimDir, in *input, out *output, stderr io.Writer) error {
	bad := false
	var n tally
	if c.BadEntry == "skip" {
		o.BadEntry = func(_ int, err error) {
			bad = true
			in.report(stderr, err)
		}
	}
	t, err := cdcodec.New(o)
	if err != nil {
		return usageError(err.Error())
	}
	var js []byte
	var msgs []cdcodec.Message
	meta := c.meta()
	for {
		record, err := in.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		n.record(record)
		var failed error
		js, msgs, failed = t.Append(trim(js)[:0], trim(msgs)[:0], record, meta)
		if err := claims.failed(); err != nil {
			return err
		}
		if failed != nil {
			bad = true
			msgs = msgs[:0]
			in.report(stderr, failed)
			if c.OnError == "stop" {
				return errBad
			}
		}
		n.messages += int64(len(msgs))
		if err := c.write(out, js, msgs, failed); err != nil {
			return err
		}
	}
	if bad && c.OnError != "inline" {
		return errBad
	}
	if !bad {
		c.ask(n, in, stderr)
	}
	return nil
}

// tally counts records that are not empty, and what they gave.
type tally struct{ records, messages int64 }

func (n *tally) record(b []byte) {
	if len(b) > 0 {
		n.records++
	}
}

// ask asks whether --from is right where nothing has come of records of protobuf.
func (c *convertCmd) ask(n tally, in *input, stderr io.Writer) {
	if n.records == 0 || n.messages > 0 || c.PerRecord || c.From == "canal-json" || c.drops() {
		return
	}
	in.bar.clear()
	what := "records"
	if n.records == 1 {
		what = "record"
	}
	fmt.Fprintf(stderr, "%d %s gave no message: is --from %s right?\n", n.records, what, c.From)
}

// write writes what one record became.
func (c *convertCmd) write(out *output, js []byte, msgs []cdcodec.Message, failed error) error {
	switch {
	case failed != nil && c.OnError == "inline":
		return out.failed(failed)
	case c.PerRecord:
		return out.record(js, msgs) // there are none if the record failed
	default:
		return out.messages(js, msgs)
	}
}
