package compress

import (
	"fmt"
	"math"
	"strings"

	"github.com/klauspost/compress/s2"
)

// Codec names a format of compressed texts.
type Codec uint8

// The codecs. What each is to the byte, the package comment says.
const (
	None   Codec = iota // the bytes as they are
	Gzip                // RFC 1952
	Zstd                // RFC 8878
	S2                  // the stream format of s2
	Snappy              // the block format of Snappy, raw
	LZ4                 // the frame format of LZ4
)

// Level says how much work a codec does for a smaller text. The table in the package comment maps it.
type Level uint8

// The levels.
const (
	Default Level = iota // what most people use
	Fastest
	Better
	Best
)

var (
	codecNames = []string{None: "none", Gzip: "gzip", Zstd: "zstd", S2: "s2", Snappy: "snappy", LZ4: "lz4"}
	levelNames = []string{Default: "default", Fastest: "fastest", Better: "better", Best: "best"}
)

// String returns the name that Parse knows.
func (c Codec) String() string { return name(codecNames, int(c), "Codec") }

// String returns the name that Parse knows.
func (l Level) String() string { return name(levelNames, int(l), "Level") }

func name(names []string, i int, kind string) string {
	if i < len(names) {
		return names[i]
	}
	return fmt.Sprintf("%s(%d)", kind, i)
}

// Options say what a [Compressor] makes. The zero value makes copies.
type Options struct {
	// Codec is the format of the texts; zero is None.
	Codec Codec

	// Level says how much work is done for a smaller text; who reads it need not know.
	Level Level

	// Encoders bounds the encoders, and the decoders, that a Compressor keeps and that work
	// at a time; whoever comes then waits. Zero means GOMAXPROCS.
	Encoders int
}

// String returns the text that Parse reads: "zstd", or "zstd:best" with a Level.
func (o Options) String() string {
	if o.Level == Default {
		return o.Codec.String()
	}
	return o.Codec.String() + ":" + o.Level.String()
}

// Parse reads a codec and perhaps a level, as "zstd" or "zstd:fastest". The error says
// which ones there are.
func Parse(text string) (Options, error) {
	codec, level, hasLevel := strings.Cut(text, ":")
	c, l := find(codecNames, codec), 0
	if hasLevel {
		l = find(levelNames, level)
	}
	if c < 0 || l < 0 {
		return Options{}, fmt.Errorf("compress: unknown %q: a codec is one of %s, and may be followed by a colon and one of %s",
			text, strings.Join(codecNames, ", "), strings.Join(levelNames, ", "))
	}
	return Options{Codec: Codec(c), Level: Level(l)}, nil
}

func find(names []string, wanted string) int {
	for i, n := range names {
		if n == wanted {
			return i
		}
	}
	return -1
}

// MaxEncodedLen returns how many bytes n bytes become at most, so that a dst with that much
// room does not grow; -1 where the codec cannot take so many (4 GiB with Snappy).
func (o Options) MaxEncodedLen(n int) int {
	overhead := 0
	switch o.Codec {
	case Gzip: // stored blocks, with 5 bytes before each, of at least 8 KiB
		overhead = 18 + 5*(n>>13+2)
	case Zstd: // raw blocks of 64 KiB or more
		overhead = 18 + 4 + 3*(n>>16+2)
	case S2: // chunks of s2Block bytes as they are
		overhead = len(s2Magic) + 8*(n/s2Block+1)
	case Snappy:
		return s2.MaxEncodedLen(n)
	case LZ4: // blocks of lz4Block bytes as they are; frame header, end mark and checksum
		overhead = 7 + 8 + 4*(n/lz4Block+1)
	}
	if n > math.MaxInt-overhead {
		return -1
	}
	return n + overhead
}
