package batch

import (
	"errors"
	"math"
	"time"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/batch/compress"
	"github.com/cdcodec/cdcodec/pool"
)

// What zero Options mean.
const (
	DefaultMaxBytes = 1 << 20
	DefaultLinger   = 10 * time.Millisecond
)

// Options say how messages become batches. The zero value makes batches of JSON lines
// of up to 1 MiB.
type Options struct {
	// A batch ends before it would have more than MaxBytes bytes (0:
	// DefaultMaxBytes), frames included, before it is compressed (with PerMessage: of
	// compressed messages), or more than MaxCount messages (0: no limit). A message
	// that is longer is a batch of its own; fastjson.Options.MaxMessage bounds messages.
	MaxBytes int
	MaxCount int

	// Linger is how long the first message of a batch waits for others (0:
	// DefaultLinger, negative: as long as it takes).
	Linger time.Duration

	// Barrier says which messages stand alone. It cannot be used with
	// cdcodec.ToPacket, whose Packets do not tell what is in them.
	Barrier Barrier

	// Frame tells messages apart.
	Frame Frame

	// Compress compresses each batch as a whole, or with PerMessage each message.
	// What is compressed one by one needs a frame that can hold any byte: U32BE,
	// Uvarint, or Concatenated.
	Compress   compress.Options
	PerMessage bool

	// Pool is where chunks come from; nil: from one of its own. It can be shared.
	Pool *pool.Pool
}

func (o *Options) maxBytes() int {
	if o.MaxBytes == 0 {
		return DefaultMaxBytes
	}
	return o.MaxBytes
}

func (o *Options) linger() time.Duration {
	if o.Linger == 0 {
		return DefaultLinger
	}
	return o.Linger
}

// check returns an error that names the option that makes no sense, if one does.
func (o *Options) check(convert *cdcodec.Options) error {
	isJSON := convert.To == cdcodec.ToJSON
	switch {
	case o.MaxBytes < 0:
		return errors.New("batch: MaxBytes is negative")
	case o.MaxCount < 0:
		return errors.New("batch: MaxCount is negative")
	case o.Barrier > allBarriers:
		return errors.New("batch: unknown Barrier")
	case o.Barrier != 0 && convert.To == cdcodec.ToPacket:
		return errors.New("batch: Barrier with Packets, which do not tell what is in them")
	case o.Frame > lastFrame:
		return errors.New("batch: unknown Frame")
	case o.PerMessage && o.Compress.Codec == compress.None:
		return errors.New("batch: PerMessage without compression")
	case o.PerMessage && (o.Frame == Lines || o.Frame == Array):
		return errors.New("batch: messages that are compressed one by one cannot be framed as " + o.Frame.String())
	case !isJSON && (o.Frame == Lines || o.Frame == Array):
		return errors.New("batch: protobuf cannot be framed as " + o.Frame.String())
	case convert.JSON.Separator != "":
		return errors.New("batch: Separator is the batch's own, see Options.Frame")
	case o.Frame == U32BE && uint64(convert.JSON.MaxOutput) > math.MaxUint32:
		return errors.New("batch: MaxOutput is more than a frame of u32be can hold")
	}
	return nil
}
