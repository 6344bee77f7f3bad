package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"

	"github.com/alecthomas/kong"

	"github.com/cdcodec/cdcodec/wire/frame"
)

// inputFlags say what is read. All commands that read records have them.
type inputFlags struct {
	In        string `name:"in" short:"i" placeholder:"FILE" help:"Read from FILE instead of standard input."`
	From      string `enum:"entry,packet,tidb-binlog,changedataset,canal-json" default:"entry" help:"What a record is: ${enum}."`
	Frame     string `enum:"u32be,uvarint,single,lines" default:"u32be" help:"How records lie in the input: u32be, a 4-byte big-endian length before each; uvarint, the length as a varint, as protobuf delimits messages; single, all of it is one record; lines, for JSON."`
	MaxRecord number `placeholder:"BYTES" help:"Longest record to accept (default 256 MiB)."`
}

// number is an integer in plain decimal. Kong's own take hexadecimal too, read
// 010 as eight, and want a negative one written --id=-5.
type number int64

// Decode implements kong.MapperValue.
func (n *number) Decode(ctx *kong.DecodeContext) error {
	token := ctx.Scan.Pop()
	if token.IsEOL() {
		return errors.New("expected a number")
	}
	v, err := strconv.ParseInt(token.String(), 10, 64)
	if err != nil {
		return fmt.Errorf("expected a number, got %q", token.String())
	}
	*n = number(v)
	return nil
}

// limit returns n as an int, for the flag of that name.
func (n number) limit(flag string) (int, error) {
	if n < 0 || n > math.MaxInt {
		return 0, usageError(fmt.Sprintf("--%s: %d is no size in bytes", flag, n))
	}
	return int(n), nil
}

// input is an open stream of records.
type input struct {
	*frame.Reader
	kind frame.Kind
	file *os.File // what to close; nil for standard input
	idle func()   // called before each read, which may block; nil is nothing
	stat os.FileInfo
	bar  *progress
}

// open opens what the flags name. Close it after use. A zero maxRecord means
// the usual limit.
func (f *inputFlags) open(s *streams, maxRecord int) (*input, error) {
	kind, err := frame.ParseKind(f.Frame)
	if err != nil {
		return nil, usageError(err.Error())
	}
	in := &input{kind: kind}
	r := s.in
	if f.In != "" && f.In != "-" {
		if in.file, err = os.Open(f.In); err != nil {
			return nil, err
		}
		r = in.file
	}
	if file, ok := r.(*os.File); ok {
		in.stat, _ = file.Stat() // without it there is no bar, that is all
		in.bar = newProgress(s.err, remaining(file, in.stat))
	}
	if in.bar != nil {
		r = io.TeeReader(r, in.bar)
	}
	in.Reader = frame.NewReader(&beforeRead{r, in}, kind, maxRecord)
	return in, nil
}

// beforeRead calls in.idle before it reads, so that what is ready does not wait for
// input that is slow to come.
type beforeRead struct {
	r  io.Reader
	in *input
}

func (b *beforeRead) Read(p []byte) (int, error) {
	if b.in.idle != nil {
		b.in.idle()
	}
	return b.r.Read(p)
}

// Close ends the reading.
func (in *input) Close() {
	in.bar.finish()
	if in.file != nil {
		in.file.Close() // it was only read: an error would mean nothing
	}
}

// remaining returns how many bytes a regular file still holds, else 0.
func remaining(file *os.File, stat os.FileInfo) int64 {
	if stat == nil || !stat.Mode().IsRegular() {
		return 0
	}
	at, err := file.Seek(0, io.SeekCurrent)
	if err != nil {
		return 0
	}
	return stat.Size() - at
}

// Next is that of the Reader, with a question where the first record is no record.
func (in *input) Next() ([]byte, error) {
	record, err := in.Reader.Next()
	if e := new(frame.Error); errors.Is(err, frame.ErrTooLarge) && errors.As(err, &e) && e.Record == 0 {
		return nil, fmt.Errorf("%w: is --frame %v right?", err, in.kind)
	}
	return record, err
}

// report prints what is wrong in the record that was read last.
func (in *input) report(w io.Writer, err error) {
	in.reportAt(w, in.Record(), in.Offset(), err)
}

// reportAt prints what is wrong in the record with that number, which begins at offset.
func (in *input) reportAt(w io.Writer, number, offset int64, err error) {
	in.bar.clear()
	fmt.Fprintf(w, "record %d at byte %d: %s\n", number, offset, oneLine(err.Error()))
}
