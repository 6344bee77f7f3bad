package fuzz

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/change"
	"github.com/cdcodec/cdcodec/change/partition"
	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/internal/reference"
	"github.com/cdcodec/cdcodec/wire/changedataset"
)

// The laws, for every record and every set of options:
//
//   - Verdict and bytes are the reference's, where it knows the source and the
//     target, and else a fresh Transcoder's; whatever room dst has and whatever
//     the Transcoder has seen: nothing; the record itself, so that it knows the
//     table; one that may be of the same table and different; any others, such
//     as fail among them.
//   - Output is valid JSON in valid UTF-8, and does not change when the record
//     is overwritten afterwards.
//   - The record is not written to, nor is what dst and msgs held, nor anything
//     behind the capacity of dst; nothing behind the record is read.
//   - The Messages, with Options.JSON.Separator between them, tile what was appended
//     and tell what the JSON says.
//   - An error gives back dst and msgs as they were. It is a *wire.ParseError,
//     and its place is where protowire finds the same fault.
//   - MaxOutput bytes of output are fine, one more is ErrMaxOutput.
//   - Messages of several rows can be cut: see parts_test.go.

// What each source is asked beyond that, is in sources_test.go and chain_test.go.

// meta has numbers that no float64 holds.
var meta = fastjson.Meta{ID: math.MinInt64 + 1, TS: math.MaxInt64, CommitTS: math.MaxUint64 - 1}

// question is a record and what is to come of it.
type question struct {
	record    []byte
	list      []int           // if not nil, record is a list of Entries of these lengths
	options   cdcodec.Options // without BadEntry
	lenient   bool            // with BadEntry
	neighbour int             // which of its source's neighbours a Transcoder has had before
	relative  []byte          // another one

	want  [][]byte
	bad   []int // lenient: Entries that are left out
	fails bool
}

// optionsOf makes options of the low four bits.
func optionsOf(set uint8) fastjson.Options {
	return fastjson.Options{
		OmitGTID:          set&1 != 0,
		OldPerRow:         set&2 != 0,
		DropHeartbeats:    set&4 != 0,
		RejectInvalidUTF8: set&8 != 0,
	}
}

// laws holds what is reused from one input to the next.
type laws struct {
	edge     edge
	buf      []byte
	scratch  [4096]byte
	veterans map[subjectKey]*subject // the Transcoders that see many records
	divide   []*partition.Partitioner
}

func newLaws() *laws { return &laws{veterans: map[subjectKey]*subject{}} }

// subject is a Transcoder and the bad Entries it has told of.
type subject struct {
	*cdcodec.Transcoder
	index []int
	errs  []error
}

type subjectKey struct {
	json    fastjson.Options
	from    cdcodec.Source
	to      cdcodec.Target
	set     changedataset.Options
	fixedID bool
	lenient bool
}

func newSubject(t testing.TB, o cdcodec.Options, lenient bool) *subject {
	t.Helper()
	s := new(subject)
	if lenient {
		o.BadEntry = func(i int, err error) { s.index, s.errs = append(s.index, i), append(s.errs, err) }
	}
	var err error
	if s.Transcoder, err = cdcodec.New(o); err != nil {
		t.Fatal(err)
	}
	return s
}

// veteran returns the Transcoder that has had all records with q's options. (There are
// too many MaxMessages for each to have one.)
func (l *laws) veteran(t testing.TB, q *question) *subject {
	o := &q.options
	if o.JSON.MaxMessage > 0 {
		return newSubject(t, *o, q.lenient)
	}
	key := subjectKey{o.JSON, o.From, o.To, o.ChangeDataSet, o.IgnoreBatchID, q.lenient}
	if l.veterans[key] == nil {
		l.veterans[key] = newSubject(t, q.options, q.lenient)
	}
	return l.veterans[key]
}

// entry asks all about a record as an Entry.
func (l *laws) entry(t *testing.T, relative, record []byte, o fastjson.Options, neighbour int) {
	t.Helper()
	q := &question{record: record, options: cdcodec.Options{JSON: o}, neighbour: neighbour, relative: relative}
	want, err := reference.Entry(bytes.Clone(record), o, meta)
	q.want, q.fails = want, err != nil
	l.ask(t, q)
}

// packet asks all about a record as a Packet, and about its Entries as a list.
func (l *laws) packet(t *testing.T, record []byte, json fastjson.Options, ignoreID bool, neighbour int) {
	t.Helper()
	o := cdcodec.Options{From: cdcodec.FromPacket, JSON: json, IgnoreBatchID: ignoreID}
	q := &question{record: record, options: o, neighbour: neighbour}
	want, err := reference.Packet(bytes.Clone(record), o.JSON, meta, o.IgnoreBatchID)
	q.want, q.fails = want, err != nil
	l.ask(t, q)

	q = &question{record: record, options: o, neighbour: neighbour, lenient: true}
	want, bad, err := reference.PacketLenient(bytes.Clone(record), o.JSON, meta, o.IgnoreBatchID)
	q.want, q.bad, q.fails = want, bad, err != nil
	l.ask(t, q)
	if err == nil {
		l.entries(t, part{bytes: record}.entries(), o.JSON, neighbour)
	}
}

// entries asks all about a list of Entries.
func (l *laws) entries(t *testing.T, entries [][]byte, o fastjson.Options, neighbour int) {
	t.Helper()
	q := &question{record: bytes.Join(entries, nil), list: []int{}, options: cdcodec.Options{JSON: o}, neighbour: neighbour}
	for _, e := range entries {
		q.list = append(q.list, len(e))
	}
	want, err := reference.Entries(entries, o, meta)
	q.want, q.fails = want, err != nil
	l.ask(t, q)
}

// convert has s convert in, which is q's record.
func (q *question) convert(s *subject, dst []byte, msgs []cdcodec.Message, in []byte) ([]byte, []cdcodec.Message, error) {
	if q.list == nil {
		return s.Append(dst, msgs, in, meta)
	}
	return s.AppendEntries(dst, msgs, q.cut(in), meta)
}

// cut returns the Entries of a list.
func (q *question) cut(in []byte) [][]byte {
	var entries [][]byte
	for _, n := range q.list {
		entries = append(entries, in[:n:n])
		in = in[n:]
	}
	return entries
}

// ask holds every law to one question.
func (l *laws) ask(t *testing.T, q *question) {
	t.Helper()
	all := bytes.Join(q.want, []byte(q.options.JSON.Separator))
	if q.options.To == cdcodec.ToJSON {
		for _, msg := range q.want {
			checkJSON(t, msg, q.options.JSON.Dialect)
		}
	}
	first := l.answer(t, newSubject(t, q.options, q.lenient), q, all, 0)

	again := func(s *subject, room int) {
		t.Helper()
		if err := l.answer(t, s, q, all, room); fmt.Sprint(err) != fmt.Sprint(first) {
			t.Fatalf("errors differ: %v, and in a Transcoder that has seen something %v", first, err)
		}
	}
	again(l.knows(t, q, q.options), len(all))
	if q.relative != nil {
		s := l.sees(t, newSubject(t, q.options, q.lenient), q.relative, q.relative)
		again(s, max(len(all)-1, 0))
		again(s, len(all)+100)
	}
	near := neighboursOf[q.options.From]
	again(l.sees(t, l.veteran(t, q), near[q.neighbour%len(near)]), len(all)/2)

	if len(all) < 32<<10 { // the rest would take long
		if q.options.JSON.Separator == "" && len(q.want) > 1 {
			apart := *q
			apart.options.JSON.Separator = ",\n"
			l.ask(t, &apart)
		}
		l.split(t, q)
	}
	if q.lenient || q.fails || len(all) == 0 || q.options.JSON.TiCDC.Large != fastjson.RejectLarge {
		return // what is replaced counts too
	}
	o := q.options
	o.JSON.MaxOutput = len(all)
	again(l.knows(t, q, o), 0)
	o.JSON.MaxOutput--
	s := l.knows(t, q, o)
	if out, msgs, err := q.convert(s, nil, nil, q.record); !errors.Is(err, fastjson.ErrMaxOutput) || out != nil || msgs != nil {
		t.Fatalf("%d bytes with MaxOutput %d: %v, %d bytes", len(all), o.JSON.MaxOutput, err, len(out))
	}
}

// knows returns a Transcoder that has converted q's record twice.
func (l *laws) knows(t *testing.T, q *question, o cdcodec.Options) *subject {
	t.Helper()
	s := newSubject(t, o, q.lenient)
	for range 2 {
		q.convert(s, l.scratch[:0], nil, l.edge.put(t, q.record))
	}
	return s
}

// sees shows s some records, whose answers do not matter here.
func (l *laws) sees(t *testing.T, s *subject, records ...[]byte) *subject {
	t.Helper()
	for _, r := range records {
		s.Append(l.scratch[:0], nil, l.edge.put(t, r), meta)
	}
	return s
}

const (
	prefix = "what was in dst"
	guard  = "~ behind the capacity, nobody's to write ~"
)

// answer converts q's record once, into a dst with room for so many bytes more
// than it holds, and holds the answer to all, q's messages together.
func (l *laws) answer(t *testing.T, s *subject, q *question, all []byte, room int) error {
	t.Helper()
	in := l.edge.put(t, q.record)
	end := len(prefix) + room
	l.buf = append(slices.Grow(l.buf[:0], end+len(guard))[:end], guard...)
	copy(l.buf, prefix)
	dst := l.buf[:len(prefix):end]
	before := cdcodec.Message{Start: -1, End: -2, Entry: -3}
	msgs := append(make([]cdcodec.Message, 0, 2), before)
	s.index, s.errs = nil, nil

	out, told, err := q.convert(s, dst, msgs, in)

	if !bytes.Equal(in, q.record) {
		t.Fatalf("the record was written to: %x, was %x", in, q.record)
	}
	if string(l.buf[end:]) != guard {
		t.Fatalf("written behind the capacity of dst: %q", l.buf[end:])
	}
	if string(dst) != prefix || string(out[:len(prefix)]) != prefix {
		t.Fatalf("what dst held was written to: %q, %q", dst, out)
	}
	if msgs[0].Start != -1 || len(told) == 0 || told[0].End != -2 || told[0].Entry != -3 {
		t.Fatalf("what msgs held was written to: %v", told)
	}
	if (err != nil) != q.fails {
		t.Fatalf("options %+v: error %v, but the reference has %d messages, failed %v", q.options, err, len(q.want), q.fails)
	}
	if !slices.Equal(s.index, q.bad) {
		t.Fatalf("bad Entries %v %v, want %v", s.index, s.errs, q.bad)
	}
	for i, e := range s.errs {
		l.badEntry(t, q, s.index[i], e)
	}
	if err != nil {
		if len(out) != len(dst) || cap(out) != cap(dst) || &out[0] != &dst[0] || len(told) != 1 || cap(told) != 2 || &told[0] != &msgs[0] {
			t.Fatalf("after an error dst or msgs are not what they were: %d bytes, %d messages", len(out), len(told))
		}
		checkError(t, q, err)
		l.checkPlace(t, q, err)
		return err
	}
	if !bytes.Equal(out[len(prefix):], all) {
		t.Fatalf("options %+v\nrecord %x\n got %s\nwant %s", q.options, q.record, out[len(prefix):], all)
	}
	checkMessages(t, q, out, told[1:])
	for i := range in {
		in[i] = '#'
	}
	if !bytes.Equal(out[len(prefix):], all) {
		t.Fatal("the output borrows the record")
	}
	return nil
}

// checkMessages holds the Messages to what q's messages say.
func checkMessages(t *testing.T, q *question, out []byte, told []cdcodec.Message) {
	t.Helper()
	if len(told) != len(q.want) {
		t.Fatalf("%d Messages, want %d", len(told), len(q.want))
	}
	at, last := len(prefix), cdcodec.Message{Entry: -1}
	for i, m := range told {
		if m.Start != at || m.End != at+len(q.want[i]) {
			t.Fatalf("message %d is at %d to %d, want %d to %d", i, m.Start, m.End, at, at+len(q.want[i]))
		}
		if at = m.End; i < len(told)-1 {
			at += len(q.options.JSON.Separator)
		}
		if q.options.To == cdcodec.ToPacket {
			continue
		}
		if m.Entry < last.Entry || m.Entry == last.Entry && m.Row <= last.Row || m.Entry > last.Entry && m.Row != 0 && !q.options.JSON.Split ||
			slices.Contains(q.bad, m.Entry) || q.options.From == cdcodec.FromEntry && q.list == nil && m.Entry != 0 {
			t.Fatalf("message %d is of row %d of Entry %d, after row %d of %d, bad %v", i, m.Row, m.Entry, last.Row, last.Entry, q.bad)
		}
		last = m
		if cap(m.Database) != len(m.Database) || cap(m.Table) != len(m.Table) {
			t.Fatalf("an append to database or table of message %d writes on the record", i)
		}
		if q.options.To == cdcodec.ToJSON {
			checkTold(t, q, i, &m)
		}
	}
	if at != len(out) {
		t.Fatalf("the messages end at %d of %d bytes", at, len(out))
	}
}

// checkTold holds what is told of message i to its JSON.
func checkTold(t *testing.T, q *question, i int, m *cdcodec.Message) {
	t.Helper()
	var says struct {
		Database, Table, Type string
		ES                    int64
		IsDDL                 bool `json:"isDdl"`
		TiDB                  *struct {
			CommitTS *uint64 `json:"commitTs"`
		} `json:"_tidb"`
	}
	if err := json.Unmarshal(q.want[i], &says); err != nil {
		t.Fatal(err)
	}
	mend, typ, commitTS := repair, m.Type.String(), m.CommitTS
	if q.options.JSON.Dialect == fastjson.TiCDC {
		mend = func(s []byte) string { return string([]rune(string(s))) } // ticdc.md 3: byte by byte
	}
	if m.Kind == change.KindWatermark {
		typ = "TIDB_WATERMARK"
	}
	if commitTS == 0 {
		commitTS = meta.CommitTS
	}
	if says.Database != mend(m.Database) || says.Table != mend(m.Table) || says.Type != typ || says.ES != m.ES || says.IsDDL != m.IsDDL ||
		says.TiDB != nil && says.TiDB.CommitTS != nil && *says.TiDB.CommitTS != commitTS {
		t.Fatalf("message %d is %+v, but its JSON says %+v", i, m, says)
	}
}

// checkJSON is what holds of a message by itself.
func checkJSON(t *testing.T, msg []byte, d fastjson.Dialect) {
	t.Helper()
	if !utf8.Valid(msg) || !json.Valid(msg) {
		t.Fatalf("not valid JSON in UTF-8: %q", msg)
	}
	if len(msg) > 4096 || d != fastjson.Canal {
		return // the rest takes long, and a fastjson.Message is Canal's
	}
	var m, again fastjson.Message
	if err := m.Unmarshal(msg); err != nil {
		t.Fatalf("%v: %s", err, msg)
	}
	marshalled, err := m.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Unmarshal(marshalled); err != nil {
		t.Fatalf("%v: %s", err, marshalled)
	}
	var a, b any
	for _, x := range []struct {
		text []byte
		to   *any
	}{{msg, &a}, {marshalled, &b}} {
		d := json.NewDecoder(bytes.NewReader(x.text))
		d.UseNumber()
		if err := d.Decode(x.to); err != nil {
			t.Fatalf("%v: %s", err, x.text)
		}
	}
	if fmt.Sprint(a) != fmt.Sprint(b) { // maps print sorted
		t.Fatalf("Message makes of\n%s\n%s", msg, marshalled)
	}
}
