package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"

	"github.com/alecthomas/kong"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/wire/frame"
)

// inputFlags say what is read. All commands that read records have them.
type inputFlags struct {
	In        string `name:"in" short:"i" placeholder:"FILE" help:"Read from FILE instead of standard input."`
	From      string `enum:"entry,packet" default:"entry" help:"What a record is: ${enum}."`
	Frame     string `enum:"u32be,uvarint,single,lines" default:"u32be" help:"How records lie in the input: ${enum}."`
	MaxRecord number `placeholder:"BYTES" help:"Longest record to accept (default 256 MiB)."`
}

// jsonFlags say how messages are made.
type jsonFlags struct {
	Dialect  string  `enum:"canal" default:"canal" help:"Which JSON to write: ${enum}."`
	BadEntry string  `enum:"fail,skip" default:"fail" help:"What a bad entry does to its packet: ${enum}. With skip the good entries are kept and each bad one is reported."`
	ID       *number `name:"id" placeholder:"N" help:"The id of every message. Otherwise that of the packet, else 1."`
	TS       number  `name:"ts" placeholder:"MS" help:"The ts of every message. Otherwise, and with 0, the clock, read once per record."`

	OmitGTID          bool   `name:"omit-gtid" help:"Leave the key gtid out, as Canal before 1.1.7."`
	OldPerRow         bool   `help:"Show in old of each row what that row changed, not what rows before it did as well."`
	DropHeartbeats    bool   `help:"Leave out entries of type HEARTBEAT and GTIDLOG."`
	RejectInvalidUTF8 bool   `name:"reject-invalid-utf8" help:"Make invalid UTF-8 an error instead of repairing it."`
	MaxOutput         number `placeholder:"BYTES" help:"Most JSON that one record may become (default 256 MiB)."`
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

// options returns what the flags mean to the library.
func (f *jsonFlags) options(in *inputFlags) (o cdcodec.Options, err error) {
	o = cdcodec.Options{
		JSON: fastjson.Options{
			OmitGTID:          f.OmitGTID,
			OldPerRow:         f.OldPerRow,
			DropHeartbeats:    f.DropHeartbeats,
			RejectInvalidUTF8: f.RejectInvalidUTF8,
		},
		IgnoreBatchID: f.ID != nil,
	}
	if in.From == "packet" {
		o.From = cdcodec.FromPacket
	}
	if o.MaxRecord, err = in.MaxRecord.limit("max-record"); err != nil {
		return o, err
	}
	o.JSON.MaxOutput, err = f.MaxOutput.limit("max-output")
	return o, err
}

// meta returns the id and ts of a message that brings none.
func (f *jsonFlags) meta() fastjson.Meta {
	m := fastjson.Meta{ID: 1, TS: int64(f.TS)}
	if f.ID != nil {
		m.ID = int64(*f.ID)
	}
	return m
}

// input is an open stream of records.
type input struct {
	*frame.Reader
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
	in := &input{}
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

// report prints what is wrong in the record that was read last.
func (in *input) report(w io.Writer, err error) {
	in.bar.clear()
	fmt.Fprintf(w, "record %d at byte %d: %s\n", in.Record(), in.Offset(), oneLine(err.Error()))
}
