package cdcodec

import (
	"errors"
	"strconv"

	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/change/partition"
	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/wire/canal"
	"github.com/cdcodec/cdcodec/wire/changedataset"
	"github.com/cdcodec/cdcodec/wire/tidbbinlog"
)

// Source names a format of records.
type Source uint8

// The sources.
const (
	FromEntry         Source = iota // one Canal Entry (spec: canal.md 1)
	FromPacket                      // what Canal puts on Kafka with flatMessage=false: a Packet of Messages
	FromTiDBBinlog                  // what TiDB Binlog's drainer puts on Kafka: a transaction (tidb-binlog.md)
	FromChangeDataSet               // Baidu's ChangeDataSet (baidu-changedataset.md)
	FromCanalJSON                   // messages of Canal-JSON, one or more, of any dialect (consumers.md)
	lastSource        = FromCanalJSON
)

// Target names what records become.
type Target uint8

// The targets.
const (
	ToJSON   Target = iota // messages of Canal-JSON, in Options.JSON.Dialect
	ToEntry                // Canal Entries: one for each change
	ToPacket               // one Packet for each record, of all its Entries; none where there are none
)

// DefaultMaxRecord is the limit that a zero Options.MaxRecord means.
const DefaultMaxRecord = 256 << 20

// ErrMaxRecord is the Err of a *wire.ParseError for a record of more than Options.MaxRecord bytes.
var ErrMaxRecord = errors.New("record is longer than MaxRecord")

// Options say what a [Transcoder] reads and how it writes. The zero value reads
// Entries and writes what Canal writes.
type Options struct {
	// From is the format of the records.
	From Source

	// To is the format of what they become.
	To Target

	// JSON says how messages are written. Where To is no JSON its OneRow, Separator and
	// the options that drop something hold all the same. Its MaxOutput bounds what one
	// record may become, all its messages together.
	JSON fastjson.Options

	// Partition, when set, gives each message of Canal-JSON the number of a partition. In
	// dialect canal a message whose rows go to several is divided into one for each, in
	// the order in which they first appear, with its rows in their order (canal.md 3).
	// RoundRobin counts the messages that the Transcoder makes. Nil is off.
	Partition *partition.Options

	// Keys gives each message of Canal-JSON the key of its row (fastjson.AppendKey). In
	// dialect canal it needs JSON.OneRow: several rows have no key together. In dialect
	// ticdc JSON.TiCDC.MaxMessage counts the key too.
	Keys bool

	// ChangeDataSet says how records FromChangeDataSet are read.
	ChangeDataSet changedataset.Options

	// IgnoreBatchID gives the messages of a Packet the ID of Meta. Otherwise
	// they have the Packet's batch id.
	IgnoreBatchID bool

	// MaxRecord bounds the length of a record; zero means DefaultMaxRecord.
	MaxRecord int

	// BadEntry, when set, keeps the good Entries of a Packet or a list that
	// has bad ones. It is called for each bad one, in order, with its number
	// from 0 and the error that the record would have failed with otherwise.
	// A record that is bad itself still fails as a whole. Records of other sources
	// have no Entries; for them it changes nothing.
	BadEntry func(index int, err error)
}

// oneRow reports whether each row has a message of its own.
func (o *Options) oneRow() bool { return o.JSON.OneRow || o.JSON.Dialect == fastjson.TiCDC }

// Message tells what one message is and where it stands, so that a sink can
// route it without reading JSON. Of a Packet that is written (ToPacket), which is
// many changes, it has no more than Start and End.
//
// Row is 0 where a message has all rows of its change. Where each row has a message of
// its own, it is the number among these: rows without columns have none. Where a message
// has been cut or divided, it is the number of the part's first row among all rows of the
// change.
type Message struct {
	Start, End int    // the message is dst[Start:End] of the dst that Append returned
	Entry      int    // number of its Entry, change or message in the record, from 0
	Row        int    // number of its row or first row, as told above
	Part       int    // where a message has been cut (JSON.Split) or divided (Partition), number of this part of it, from 0
	Partition  int32  // where it goes to, with Options.Partition; else 0
	Key        []byte // of its row, with Options.Keys, if it has one; borrowed: good until the next Append
	Database   []byte // raw and borrowed: good until the record's bytes are written to; of sources but FromEntry and FromPacket, or the next Append
	Table      []byte // as Database
	Kind       change.Kind
	Type       change.Type
	IsDDL      bool
	ES         int64  // time of the change, milliseconds since 1970
	CommitTS   uint64 // as in change.Event
}

// Transcoder turns records into messages. The zero Transcoder has
// the zero Options. It keeps scratch memory and what it has learned of tables, in
// copies, and no view of a record; one goroutine may use it at a time.
type Transcoder struct {
	opts   Options
	writer fastjson.Writer
	event  change.Event
	whole  change.Whole  // a partial Before, completed
	single change.Single // a row of event
	names  []byte        // of messages whose source does not keep them, and keys, see kept

	partitioner *partition.Partitioner // nil: off
	parts       []int32                // of the rows of event
	key         []byte                 // of a message: scratch
	entry       canal.Entry            // scratch for keys

	canal  canal.Decoder
	binlog tidbbinlog.Decoder
	set    changedataset.Decoder
	json   fastjson.Reader
	stats  Stats
}

// Stats counts what a [Transcoder] has done since it was made.
type Stats struct {
	Messages uint64 // messages
	Fused    uint64 // of these, the ones of Entries that took the fused path
}

// Stats returns the counts so far.
func (t *Transcoder) Stats() Stats { return t.stats }

// New returns a Transcoder with those options, or an error that names the one
// that makes no sense.
func New(o Options) (*Transcoder, error) {
	switch {
	case o.From > lastSource:
		return nil, errors.New("cdcodec: unknown Source " + strconv.Itoa(int(o.From)))
	case o.To > ToPacket:
		return nil, errors.New("cdcodec: unknown Target " + strconv.Itoa(int(o.To)))
	case o.MaxRecord < 0:
		return nil, errors.New("cdcodec: MaxRecord is negative")
	case o.To != ToJSON && (o.Partition != nil || o.Keys):
		return nil, errors.New("cdcodec: Partition and Keys are for messages of Canal-JSON")
	case o.Partition != nil && o.Partition.Partitions > fastjson.MaxPartition+1:
		return nil, errors.New("cdcodec: more than " + strconv.Itoa(fastjson.MaxPartition+1) + " Partitions")
	case o.Keys && !o.oneRow():
		return nil, errors.New("cdcodec: Keys in dialect canal needs JSON.OneRow")
	}
	json := o.JSON
	json.TiCDC.CountKey = json.TiCDC.CountKey || o.Keys
	w, err := fastjson.NewWriter(json)
	if err != nil {
		return nil, err
	}
	t := &Transcoder{opts: o, writer: *w}
	t.set.Options = o.ChangeDataSet
	if o.Partition != nil {
		own := *o.Partition
		t.opts.Partition = &own
		if t.partitioner, err = partition.New(own); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// Append appends the messages of one record to dst, one behind the other with nothing
// but Options.JSON.Separator between them, and what they are to msgs; it returns both.
// msgs may be nil. A record can have no message (a transaction mark), one or
// many; in Meta a TS of 0 means the clock, read once.
//
// A record is atomic: with an error dst and msgs are returned as they were, and
// the Transcoder is ready for the next record (but see Options.BadEntry). What
// is appended does not borrow the record.
//
// What is behind len(dst), up to its capacity, may be written to also where there is an
// error; record must not lie there.
//
// Errors: always a *[wire.ParseError]. Its Err is of package wire or of the one that
// reads the source (wire/canal, wire/tidbbinlog, wire/changedataset, fastjson for
// Canal-JSON); or [ErrMaxRecord], [fastjson.ErrMaxOutput], [fastjson.ErrInvalidUTF8]; or,
// of messages that are too large, a *[fastjson.TooLargeError], in dialect ticdc
// [fastjson.ErrNoHandleKey] or what a ClaimStore said.
func (t *Transcoder) Append(dst []byte, msgs []Message, record []byte, m fastjson.Meta) ([]byte, []Message, error) {
	return t.append(dst, msgs, record, m, nil)
}

func (t *Transcoder) append(dst []byte, msgs []Message, record []byte, m fastjson.Meta, visit visitor) ([]byte, []Message, error) {
	r, err := t.begin(dst, msgs, len(record), m)
	if err != nil {
		return dst, msgs, err
	}
	r.visit = visit
	switch t.opts.From {
	case FromEntry:
		err = r.parse(record)
	case FromPacket:
		err = r.canalPacket(record)
	case FromTiDBBinlog:
		err = r.events(&t.binlog, record)
	case FromChangeDataSet:
		err = r.events(&t.set, record)
	case FromCanalJSON:
		err = r.messages(record)
	}
	return r.result(dst, msgs, err)
}

// Events calls f with each change in a record, in order, instead of writing it: what
// Append would make messages of, and what its options leave out. index is as
// Message.Entry. ev and its rows are good until f returns. An error of f ends it, and is
// the Err of the one that is returned; that and all others are as those of Append. A
// record may turn out to be bad when f has seen changes of it.
func (t *Transcoder) Events(record []byte, f func(index int, ev *change.Event) error) error {
	_, _, err := t.append(nil, nil, record, fastjson.Meta{}, f)
	return err
}

// AppendEntries is Append for one record that is a list of Entries: a Message
// of Canal's client. Paths of errors begin at "entries[2]", offsets count from
// the start of that Entry. Options.From does not matter.
func (t *Transcoder) AppendEntries(dst []byte, msgs []Message, entries [][]byte, m fastjson.Meta) ([]byte, []Message, error) {
	size := 0
	for _, e := range entries {
		size += len(e)
	}
	r, err := t.begin(dst, msgs, size, m)
	if err != nil {
		return dst, msgs, err
	}
	return r.result(dst, msgs, r.entries(entries))
}
