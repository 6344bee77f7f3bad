// Package compress makes and reads compressed texts, of batches and single messages: a
// [Compressor] for one codec and level, with encoders that are kept and bounded, and a
// decompressing side that a hostile text cannot make large.
//
//	codec    what a text is                                       made by
//	none     the bytes as they are
//	gzip     a member of gzip (RFC 1952), without name and time   klauspost/compress/gzip
//	zstd     a frame of Zstandard (RFC 8878) with its size, a     klauspost/compress/zstd
//	         window of 1 MiB and a checksum
//	s2       a stream of s2, as the commands s2c and s2d use      klauspost/compress/s2
//	snappy   a block of Snappy, raw                               klauspost/compress/s2
//	lz4      a frame of LZ4 with a checksum, its blocks of        pierrec/lz4
//	         256 KiB independent, as Kafka takes it
//
// A raw block of Snappy is what Kafka's clients in Go and C and TiCDC put into a message.
// Kafka's own client in Java puts the chunks of xerial/snappy-java around it, and the
// command line tools those of Snappy's framing format: neither is written, and only the
// latter is read, as s2.
//
//	level     gzip  zstd               s2        snappy    lz4
//	fastest   1     fastest (1)        fast      fast      fast
//	default   5     default (3)        fast      fast      fast
//	better    7     better (7 to 8)    better    better    5 (HC)
//	best      9     best (11)          best      best      9 (HC)
//
// The numbers of zstd are those of its own command that its library compares them with.
//
// # The same bytes
//
// A text depends on the bytes and the options alone: not on the spans they come in, nor
// on what the encoder did before. Another version of a library may make another one; all
// versions read all.
//
// # Memory and goroutines
//
// Options.Encoders bounds how many encoders there are, and no goroutine is started. What an
// encoder keeps, measured on amd64 after a text of a MiB, is in MiB, from fastest to best
//
//	gzip 0.8 1.1 1.0 1.4    zstd 2.7 3.8 6.6 37    s2 1.0    snappy, lz4 nothing
//
// and beside that s2, snappy and lz4 have buffers and tables of about as much in pools of
// their own, which the collector empties. So zstd:best is for few encoders.
//
// In the steady state nothing is allocated where dst has room ([Options.MaxEncodedLen]), but
// for what the libraries do: zstd 20 bytes for a text, and s2 24 bytes for each MiB of it.
//
// # Hostile texts
//
// [Compressor.AppendDecompressed] has a limit. What a text claims to hold is compared with
// it and with what so many bytes can hold at most, before room is made: lengths and blocks'
// headers are read first, and dst grows once, to what is needed or to limit and 256 KiB.
// There are two exceptions. A text of gzip that is of several members, or lies about
// its length, makes dst grow by doubling, up to limit, so that for a moment there are the old
// one and the new. A frame of zstd that does not tell its size and goes beyond limit with a
// block that is not compressed can make the library copy all once before it is refused.
// Of the decoders gzip keeps some 40 KiB, zstd some 180 KiB and more after hostile blocks, and
// the others nothing, whatever window or block size is claimed. LZ4's legacy frames and dictionaries are not read.
package compress
