package main

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/internal/pb/packetpb"
	"github.com/cdcodec/cdcodec/internal/reference"
)

// verifyCmd is "cdcbench verify".
type verifyCmd struct {
	inputFlags `embed:""`
	shapeFlags `embed:""`
}

// Help is printed below the flags.
func (c *verifyCmd) Help() string {
	return `Every record is converted by the library and by a slow, plain conversion that
shares no code with it. They must agree on which records are bad and, byte for
byte, on what the others become. Exit status: 0, they do; 1, they do not, and
the first difference has been printed; 2, wrong usage, I/O, or a broken frame.

The plain one reads entries, packets, Binlogs and ChangeDataSets, and writes JSON:
canal-json, and the dialects entry and packet, cannot be verified. With --large
claim-check nothing is stored, and --claim-dir has no effect.`
}

// verdict is what one way of converting makes of one record.
type verdict struct {
	msgs [][]byte
	bad  []int // entries left out, under --bad-entry skip
	err  error
}

// Run compares.
func (c *verifyCmd) Run(s *streams) error {
	v, err := c.verifier()
	if err != nil {
		return err
	}
	in, err := c.open(s, v.options.MaxRecord)
	if err != nil {
		return err
	}
	defer in.Close()

	records, messages, errors := 0, 0, 0
	for {
		record, err := in.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		ours, theirs := v.ours(record), v.theirs(record)
		if text := difference(ours, theirs); text != "" {
			in.bar.clear()
			fmt.Fprintf(s.out, "record %d at byte %d: %s", in.Record(), in.Offset(), text)
			return errBad
		}
		records++
		messages += len(ours.msgs)
		errors += len(ours.bad)
		if ours.err != nil {
			errors++
		}
	}
	in.bar.finish()
	_, err = fmt.Fprintf(s.out, "%d records, %d messages, %d errors on both sides: equal\n", records, messages, errors)
	return err
}

// verifier makes the two verdicts.
type verifier struct {
	t       *cdcodec.Transcoder
	options cdcodec.Options
	meta    fastjson.Meta
	lenient bool

	js   []byte
	list []cdcodec.Message
	msgs [][]byte
	bad  []int
}

func (c *verifyCmd) verifier() (*verifier, error) {
	switch {
	case c.From == "canal-json":
		return nil, usageError("--from canal-json cannot be verified, there is no second reader of it; entry, packet, tidb-binlog and changedataset can")
	case !c.isJSON():
		return nil, usageError("--dialect " + c.Dialect + " cannot be verified, there is no second writer of it; canal and ticdc can")
	}
	if c.Dialect == "ticdc" && c.Large != "reject" && c.MaxOutput != 0 {
		return nil, usageError("--large and --max-output together cannot be verified: the limit holds for a message before it is cut down, too")
	}
	o, err := c.optionsWith(&c.inputFlags, sameClaims{})
	if err != nil {
		return nil, err
	}
	v := &verifier{options: o, meta: c.meta(), lenient: c.BadEntry == "skip" && o.From == cdcodec.FromPacket}
	if v.meta.TS == 0 {
		v.meta.TS = time.Now().UnixMilli() // one time for both
	}
	if v.lenient {
		v.options.BadEntry = func(index int, _ error) { v.bad = append(v.bad, index) }
	}
	if v.t, err = cdcodec.New(v.options); err != nil {
		return nil, usageError(err.Error())
	}
	return v, nil
}

// ours returns the library's verdict. It is good until the next call.
func (v *verifier) ours(record []byte) verdict {
	v.js, v.list, v.msgs, v.bad = trim(v.js)[:0], trim(v.list)[:0], trim(v.msgs)[:0], v.bad[:0]
	var err error
	v.js, v.list, err = v.t.Append(v.js, v.list, record, v.meta)
	if err != nil {
		return verdict{err: err}
	}
	for _, m := range v.list {
		v.msgs = append(v.msgs, v.js[m.Start:m.End])
	}
	return verdict{msgs: v.msgs, bad: v.bad}
}

// theirs returns the reference's verdict.
func (v *verifier) theirs(record []byte) (r verdict) {
	o, fixedID := v.options.JSON, v.options.IgnoreBatchID
	switch {
	case v.options.From == cdcodec.FromEntry:
		r.msgs, r.err = reference.Entry(record, o, v.meta)
	case v.options.From == cdcodec.FromTiDBBinlog:
		r.msgs, r.err = reference.TiDBBinlog(record, o, v.meta)
	case v.options.From == cdcodec.FromChangeDataSet:
		set := v.options.ChangeDataSet
		r.msgs, r.err = reference.ChangeDataSet(record, o, v.meta, set.Database, set.PassSQLType)
	case v.lenient:
		r.msgs, r.bad, r.err = reference.PacketLenient(record, o, v.meta, fixedID)
	default:
		r.msgs, r.err = reference.Packet(record, o, v.meta, fixedID)
	}
	// The reference knows no limit on what a record becomes.
	limit := o.MaxOutput
	if limit == 0 {
		limit = fastjson.DefaultMaxOutput
	}
	if r.err == nil && size(r.msgs) > limit {
		if v.lenient {
			return v.within(record, limit)
		}
		return verdict{err: fmt.Errorf("%d bytes of JSON, more than the limit", size(r.msgs))}
	}
	return r
}

// within returns what a good packet becomes if an entry whose message does not
// fit any more is a bad one.
func (v *verifier) within(packet []byte, limit int) (r verdict) {
	var p packetpb.Packet
	var batch packetpb.Messages
	if r.err = proto.Unmarshal(packet, &p); r.err != nil {
		return r
	}
	if r.err = proto.Unmarshal(p.GetBody(), &batch); r.err != nil {
		return r
	}
	meta := v.meta
	if !v.options.IgnoreBatchID {
		meta.ID = batch.GetBatchId()
	}
	for i, entry := range batch.GetMessages() {
		msgs, err := reference.Entry(entry, v.options.JSON, meta)
		if err != nil || size(r.msgs)+size(msgs) > limit {
			r.bad = append(r.bad, i)
		} else {
			r.msgs = append(r.msgs, msgs...)
		}
	}
	return r
}

func size(msgs [][]byte) (n int) {
	for _, m := range msgs {
		n += len(m)
	}
	return n
}

// difference returns "" if the two agree, else lines that show where they do
// not first.
func difference(ours, theirs verdict) string {
	switch {
	case (ours.err == nil) != (theirs.err == nil):
		return fmt.Sprintf("verdicts differ\n  ours:      %v\n  reference: %v\n", ours, theirs)
	case !slices.Equal(ours.bad, theirs.bad):
		return fmt.Sprintf("bad entries differ\n  ours:      %v\n  reference: %v\n", ours.bad, theirs.bad)
	}
	for i := range min(len(ours.msgs), len(theirs.msgs)) {
		if !bytes.Equal(ours.msgs[i], theirs.msgs[i]) {
			return fmt.Sprintf("message %d differs ", i) + around(ours.msgs[i], theirs.msgs[i])
		}
	}
	if len(ours.msgs) != len(theirs.msgs) {
		return fmt.Sprintf("verdicts differ\n  ours:      %v\n  reference: %v\n", ours, theirs)
	}
	return ""
}

// String says in one line what became of the record.
func (v verdict) String() string {
	switch {
	case v.err != nil:
		return "error: " + oneLine(v.err.Error())
	case len(v.msgs) == 1:
		return "1 message"
	}
	return strconv.Itoa(len(v.msgs)) + " messages"
}

// around shows two texts near the first byte in which they differ:
//
//	at byte 20
//	  ours:      …"database":"a","es":1…
//	  reference: …"database":"b","es":1…
//	                          ^
func around(a, b []byte) string {
	const before, after = 32, 32
	at := 0
	for at < len(a) && at < len(b) && a[at] == b[at] {
		at++
	}
	from := max(0, at-before)
	lead := ""
	if from > 0 {
		lead = "…"
	}
	same := visible(a[from:at]) // of one width in both
	rest := func(s []byte) string {
		end := min(len(s), at+after)
		if end < len(s) {
			return visible(s[at:end]) + "…"
		}
		return visible(s[at:]) + "(end)"
	}
	mark := bytes.Repeat([]byte(" "), len(lead)/len("…")+len(same))
	return fmt.Sprintf("at byte %d\n  ours:      %s%s%s\n  reference: %s%s%s\n             %s^\n",
		at, lead, same, rest(a), lead, same, rest(b), mark)
}

// visible returns b in printable ASCII; quotation marks stay as they are.
func visible(b []byte) string {
	out := make([]byte, 0, len(b))
	for _, c := range b {
		if c < ' ' || c >= 0x7f {
			out = fmt.Appendf(out, `\x%02x`, c)
		} else {
			out = append(out, c)
		}
	}
	return string(out)
}
