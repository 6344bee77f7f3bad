package bench

import (
	"fmt"

	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/internal/codec"
)

// A Stage is a part of the work.
type Stage string

// The stages.
const (
	Decode  Stage = "decode"
	Write   Stage = "write"
	Convert Stage = "convert"
	Read    Stage = "read"
)

// Stages is all of them, in the order of their listing.
func Stages() []Stage { return []Stage{Decode, Write, Convert, Read} }

// meta is what all messages tell about their conversion.
var meta = fastjson.Meta{ID: 3, TS: 1700000000000}

// A Run does the work of a stage on a record. It appends JSON to dst, or returns dst
// and a sum. One goroutine may use it at a time.
type Run func(dst []byte, r *Record) ([]byte, uint64, error)

// A Peer is one way to do the work of a stage.
type Peer struct {
	Name string

	// Loose says that its objects have their members in another order: it has to
	// agree with the others in what its JSON means, not in each byte.
	Loose bool

	// Floor says that it does not do the work, and that nobody can be faster.
	Floor bool

	// New makes the peer ready for such records; some like to see them first.
	New func(sample []Record) Run
}

// Ours is the name of this library's own peer, which is the first of each stage, and
// Copy that of copying the input, at convert.
const (
	Ours = codec.Ours
	Copy = "copying the input"
)

// Peers returns the peers of a stage. Those without native code on this CPU are
// left out.
func Peers(s Stage) []Peer {
	switch s {
	case Decode:
		return decodePeers()
	case Write:
		return writePeers()
	case Convert:
		return convertPeers()
	case Read:
		return readPeers()
	}
	return nil
}

func decodePeers() []Peer {
	list := []Peer{
		ofCodec(Decode, Ours, Ours),
		plainPeer("easyproto", easyDecode),
		plainPeer("molecule-stream", moleculeStream),
	}
	list = append(list, vtPeers()...)
	list = append(list, plainPeer("gogofaster-flat", gogoDecode))
	list = append(list, hyperPeers(Decode)...)
	list = append(list, ofCodecs(Decode, "protobuf-go-flat", "protobuf+sonic")...)
	return append(list,
		ofCodec(Decode, "protobuf-go", "protobuf+json"),
		plainPeer("dynamicpb-flat", dynamicDecode),
	)
}

func writePeers() []Peer {
	list := []Peer{
		plainPeer(Ours, oursWrite),
		plainPeer("jwriter", jwriterWrite),
		plainPeer("jwriter-onto", jwriterOnto),
	}
	list = append(list, sonicWriters()...)
	return append(list,
		plainPeer("segmentio", segmentioWrite),
		plainPeer("goccy", goccyWrite),
		Peer{Name: "goccy-maps", New: goccyMaps, Loose: true},
		plainPeer("json-v2", v2Write),
		plainPeer("encoding/json", v1Write),
		Peer{Name: "encoding/json-maps", New: v1Maps, Loose: true},
	)
}

func convertPeers() []Peer {
	list := []Peer{
		ofCodec(Convert, Ours, Ours),
		ofCodec(Convert, "cdcodec-general", "cdcodec-general"),
	}
	list = append(list, ofCodecs(Convert, "vtproto+sonic", "vtproto+sonic")...)
	list = append(list, sonicConverters()...)
	list = append(list,
		plainPeer("vtproto+jwriter", vtJwriter),
		plainPeer("vtproto+jwriter-onto", vtJwriterOnto),
		plainPeer("vtproto+goccy", vtGoccy),
		plainPeer("easyproto+jwriter-onto", easyJwriter),
		plainPeer("easyproto+segmentio", easySegmentio),
	)
	list = append(list, hyperPeers(Convert)...)
	list = append(list, ofCodecs(Convert, "protobuf-go+sonic", "protobuf+sonic")...)
	return append(list,
		ofCodec(Convert, "protobuf-go+json", "protobuf+json"),
		ofCodec(Convert, codec.Reference, codec.Reference),
		Peer{Name: Copy, Floor: true, New: func([]Record) Run {
			return func(dst []byte, r *Record) ([]byte, uint64, error) { return append(dst, r.Entry...), 0, nil }
		}},
	)
}

func readPeers() []Peer {
	list := []Peer{
		ofCodec(Read, Ours, Ours),
		plainPeer("jlexer", jlexerRead),
	}
	list = append(list, ofCodecs(Read, "sonic-reused", "sonic-reused")...)
	list = append(list, ofCodecs(Read, "sonic", "sonic")...)
	return append(list,
		plainPeer("segmentio-reused", segmentioReadReused),
		plainPeer("segmentio", segmentioRead),
		plainPeer("goccy-reused", goccyReadReused),
		plainPeer("goccy", goccyRead),
		plainPeer("json-v2", v2Read),
		ofCodec(Read, codec.JSON, codec.JSON),
	)
}

// plainPeer is a peer that need not see the records first.
func plainPeer(name string, make func() Run) Peer {
	return Peer{Name: name, New: func([]Record) Run { return make() }}
}

// ofCodecs is ofCodec where there is sonic's native code, nothing elsewhere.
func ofCodecs(s Stage, name, codecName string) []Peer {
	if !codec.SonicIsNative {
		return nil
	}
	return []Peer{ofCodec(s, name, codecName)}
}

// ofCodec is a peer that package codec has.
func ofCodec(s Stage, name, codecName string) Peer {
	return plainPeer(name, func() Run {
		c, err := codec.New(codecName, codec.Options{Meta: meta})
		if err != nil {
			panic(err) // the names above are right
		}
		switch s {
		case Decode:
			return func(dst []byte, r *Record) ([]byte, uint64, error) {
				n, err := c.Decode(r.Entry)
				return dst, n, err
			}
		case Convert:
			return func(dst []byte, r *Record) ([]byte, uint64, error) {
				dst, err := c.Convert(dst, r.Entry)
				return dst, 0, err
			}
		case Read:
			return func(dst []byte, r *Record) ([]byte, uint64, error) {
				n, err := c.Read(r.JSON)
				return dst, n, err
			}
		}
		panic(fmt.Sprintf("codecs have no stage %s", s))
	})
}
