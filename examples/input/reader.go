package input

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/batch"
	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/wire/frame"
)

// ParseSource returns the Source of that name: entry, packet, tidb-binlog, changedataset
// or canal-json.
func ParseSource(name string) (cdcodec.Source, error) {
	switch name {
	case "entry":
		return cdcodec.FromEntry, nil
	case "packet":
		return cdcodec.FromPacket, nil
	case "tidb-binlog":
		return cdcodec.FromTiDBBinlog, nil
	case "changedataset":
		return cdcodec.FromChangeDataSet, nil
	case "canal-json":
		return cdcodec.FromCanalJSON, nil
	}
	return 0, fmt.Errorf("no format is called %q; there are entry, packet, tidb-binlog, changedataset and canal-json", name)
}

// Reader gives the records of a stream.
type Reader struct {
	// Meta is what the messages of all records tell. Reader's ID is 1 and its TS the
	// clock, unless they are set.
	Meta fastjson.Meta

	frames *frame.Reader
	base   Position // of the frames' record 0 and byte 0
	done   bool
	block  []byte // where records are copied to
}

// NewReader returns a Reader of the records of r that stand behind at, which is a
// [Position] that a record was tagged with, or the zero one. If r cannot seek, what is
// before is read and thrown away.
func NewReader(r io.Reader, kind frame.Kind, at Position) (*Reader, error) {
	behind, offset, err := from(r, kind, at)
	if err != nil {
		return nil, err
	}
	return &Reader{
		Meta:   fastjson.Meta{ID: 1},
		frames: frame.NewReader(behind, kind, 0),
		base:   Position{Records: at.Records, Offset: offset},
		done:   kind == frame.Single && at.Records > 0,
	}, nil
}

// blockSize is the room of a block, if one record does not want more. The collector
// takes it when the last of its records is acknowledged.
const blockSize = 256 << 10

// Next returns the next record, which is the caller's own, and io.EOF behind the last
// one. Its Tag is the [Position] behind it. Errors are of package frame, and count from
// the beginning of the stream.
func (r *Reader) Next() (batch.Record, error) {
	if r.done {
		return batch.Record{}, io.EOF
	}
	value, err := r.frames.Next()
	if err != nil {
		var broken *frame.Error
		if errors.As(err, &broken) {
			err = &frame.Error{Offset: r.base.Offset + broken.Offset, Record: r.base.Records + broken.Record, Err: broken.Err}
		}
		return batch.Record{}, err
	}
	if cap(r.block)-len(r.block) < len(value) {
		r.block = make([]byte, 0, max(blockSize, len(value)))
	}
	n := len(r.block)
	r.block = append(r.block, value...)
	return batch.Record{
		Value: r.block[n:len(r.block):len(r.block)],
		Meta:  r.Meta,
		Tag: Position{
			Records: r.base.Records + r.frames.Record() + 1,
			Offset:  r.base.Offset + r.frames.Offset() + int64(len(value)),
		},
	}, nil
}

// Feed submits all records to p, and returns when the stream ends. An error is that of
// the stream, of ctx, or why p was given up; which it cannot see while a Read of the
// stream blocks.
func (r *Reader) Feed(ctx context.Context, p *batch.Pipeline) error {
	for {
		record, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if _, err := p.Submit(ctx, record); err != nil {
			return err
		}
	}
}

// Run is Feed and Close: it ends when the stream does, when ctx ends, or when p is given
// up. In the first two cases what was submitted is still delivered; after ctx's end for
// no longer than patience. A Read of the stream that blocks is left behind.
func (r *Reader) Run(ctx context.Context, p *batch.Pipeline, patience time.Duration) error {
	closing, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(patience, cancel) })()

	fed := make(chan error, 1)
	go func() { fed <- r.Feed(ctx, p) }()
	var err error
	select {
	case err = <-fed:
	case <-ctx.Done():
		err = ctx.Err()
	case <-p.Done(): // Feed may be in a Read that does not return
	}
	if closed := p.Close(closing); closed != nil {
		return closed
	}
	return err
}
