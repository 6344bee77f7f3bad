// Package codec is the ways to do the library's work that are measured against
// each other: its own, the ones a careful user would build of other libraries,
// the plain one, and copying, which is the floor.
//
//	cdcodec          the library as it is
//	cdcodec-general  the same without its fused path
//	vtproto+sonic    vtprotobuf reads, sonic writes
//	protobuf+sonic   protobuf-go reads, sonic writes
//	protobuf+json    protobuf-go and encoding/json, written plainly
//	reference        package reference: the same, and every check and repair by hand
//	sonic            sonic into a new struct with maps
//	sonic-reused     the same without copies, into a struct that is used again
//	encoding/json    encoding/json into the same
//	copy             copies the record and does nothing
//
// There are three stages. Convert makes Canal-JSON of a record. Decode reads the
// eight scalars of every column of every row, of the image before and the one
// after, and sums them up (sum.go), so that none is skipped; the sums of all
// codecs are the same. Read does so with a message of Canal-JSON (read.go): its
// head, and the name and the value of each column.
//
// A codec has the stages that make sense for it: sonic and encoding/json by
// themselves only read, and the peers convert records of Canal only. Records of
// other sources are converted by cdcodec, reference and copy.
//
// The peers are written to be fast, each as its documentation advises:
//
//   - Both read into the flat schema of canalflatpb, whose storeValue is the
//     RowChange itself, so that one call reads all of an Entry and no scalar
//     is behind a pointer.
//   - vtprotobuf reads with UnmarshalVTUnsafe, into messages that are kept and
//     reset, not returned to a sync.Pool, which the collector empties.
//   - sonic writes with encoder.EncodeInto, onto the caller's buffer, from one
//     struct (builder.go); that it checks neither UTF-8 nor what a
//     json.Marshaler gives is its fastest setting.
//   - They take for granted what holds for rows of MySQL: the names of a row's
//     columns differ, and the rows of an Entry mostly have the same ones.
//
// So they do less than the library: bad UTF-8 stays bad, and \b and \f are
// written as \u0008 and \u000c. On the corpora none of that occurs, and their
// output is the same to the byte; on other traffic it may not be.
package codec

import (
	"fmt"
	"strings"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/fastjson"
)

// Options say what all codecs read and write.
type Options struct {
	From cdcodec.Source // of the records of Convert and Decode
	Meta fastjson.Meta  // of all messages; those of a Packet have its batch id
}

// canal reports whether the records are Canal's, which all codecs know.
func (o Options) canal() bool { return o.From == cdcodec.FromEntry || o.packets() }

func (o Options) packets() bool { return o.From == cdcodec.FromPacket }

// A Codec is one of the ways. It keeps scratch memory: one goroutine uses it at
// a time.
type Codec struct {
	Name string

	// Convert appends the messages of a record to dst, one behind the other.
	// It is nil if the codec does not convert records of that source.
	Convert func(dst, record []byte) ([]byte, error)

	// Decode returns the sum of a record. It is nil if the codec has no reading
	// of its own, and for records that are not Canal's.
	Decode func(record []byte) (uint64, error)

	// Read returns the sum of a message of Canal-JSON. It is nil if the codec
	// does not read JSON.
	Read func(message []byte) (uint64, error)

	// Stats is nil, or counts what Convert has done.
	Stats func() cdcodec.Stats

	// Floor says that the work is not done: there is nothing to compare.
	Floor bool
}

// The codecs that others are compared with.
const (
	Ours      = "cdcodec"
	Reference = "reference"
	JSON      = "encoding/json" // at the stage read
)

type recipe struct {
	name string
	make func(Options) *Codec
}

// onlyCanal returns a maker of codecs that do nothing with records of another
// source.
func onlyCanal(make func(Options) *Codec) func(Options) *Codec {
	return func(o Options) *Codec {
		if !o.canal() {
			return new(Codec)
		}
		return make(o)
	}
}

// recipes is all codecs there are, in the order of their listing. Where sonic
// has no native code its peers are left out (sonic_twin.go): they would be
// something else.
func recipes() []recipe {
	all := []recipe{
		{Ours, newOurs},
		{"cdcodec-general", onlyCanal(newGeneral)},
	}
	all = append(all, sonicPeers...)
	all = append(all,
		recipe{"protobuf+json", onlyCanal(newPlain)},
		recipe{Reference, newReference},
	)
	all = append(all, sonicReaders...)
	return append(all,
		recipe{JSON, newJSON},
		recipe{"copy", newCopy},
	)
}

// Names returns the names that New knows.
func Names() []string {
	var names []string
	for _, r := range recipes() {
		names = append(names, r.name)
	}
	return names
}

// New returns a codec.
func New(name string, o Options) (*Codec, error) {
	for _, r := range recipes() {
		if r.name == name {
			c := r.make(o)
			c.Name = name
			return c, nil
		}
	}
	return nil, fmt.Errorf("no codec is named %q; there are %s", name, strings.Join(Names(), ", "))
}

// newCopy returns the floor: whatever reads a record and writes as much cannot
// be faster.
func newCopy(o Options) *Codec {
	c := &Codec{
		Floor:   true,
		Convert: func(dst, record []byte) ([]byte, error) { return append(dst, record...), nil },
	}
	if o.canal() {
		var out []byte
		c.Decode = func(record []byte) (uint64, error) {
			out = append(out[:0], record...)
			return 0, nil
		}
	}
	return c
}
