package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/internal/pb/canalpb"
	"github.com/cdcodec/cdcodec/internal/pb/packetpb"
	"github.com/cdcodec/cdcodec/wire/frame"
)

// fixedTS is the ts of all messages in these tests, and of the golden ones.
const fixedTS = "1700000000000"

// result is what one run of the command gives back.
type result struct {
	code     int
	out, err string
}

// cdcbench runs the command in this process.
func cdcbench(stdin []byte, args ...string) result {
	var out, err bytes.Buffer
	code := run(args, bytes.NewReader(stdin), &out, &err)
	return result{code, out.String(), err.String()}
}

// convert runs "cdcbench convert" at a fixed time.
func convert(stdin []byte, args ...string) result {
	return cdcbench(stdin, append([]string{"convert", "--ts", fixedTS}, args...)...)
}

// check compares all that a run gives back.
func (r result) check(t *testing.T, code int, out, err string) {
	t.Helper()
	if r.code != code {
		t.Errorf("exit code %d, want %d", r.code, code)
	}
	if r.out != out {
		t.Errorf("standard output:\n%s\nwant:\n%s", r.out, out)
	}
	if r.err != err {
		t.Errorf("standard error:\n%s\nwant:\n%s", r.err, err)
	}
}

func encode(t *testing.T, m proto.Message) []byte {
	t.Helper()
	b, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// entry returns an Entry that gives one message, about that table.
func entry(t *testing.T, table string) []byte {
	t.Helper()
	return encode(t, &canalpb.Entry{
		Header: &canalpb.Header{SchemaName: proto.String("s"), TableName: proto.String(table)},
	})
}

// begin returns an Entry that gives no message.
func begin(t *testing.T) []byte {
	t.Helper()
	return encode(t, &canalpb.Entry{EntryType: canalpb.EntryType_TRANSACTIONBEGIN.Enum()})
}

// bad is an Entry whose storeValue, at byte 4, goes past the end. badText is
// what is said of it.
var bad = []byte{
	0x10, 0x02, // entryType = ROWDATA
	0x50, 0x01, // an unknown field
	0x1a, 0x05, 0x01, // storeValue, 5 bytes long, of which there is one
}

const badText = "storeValue at byte 4: input ends inside a field"

// packet returns a Packet of type MESSAGES. A batch of -1 is none.
func packet(t *testing.T, batch int64, entries ...[]byte) []byte {
	t.Helper()
	m := &packetpb.Messages{Messages: entries}
	if batch != -1 {
		m.BatchId = batch
	}
	return encode(t, &packetpb.Packet{Type: packetpb.PacketType_MESSAGES, Body: encode(t, m)})
}

// stream puts records into frames.
func stream(t *testing.T, kind frame.Kind, records ...[]byte) (b []byte) {
	t.Helper()
	for _, r := range records {
		var err error
		if b, err = frame.Append(b, kind, r); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

// message returns the JSON of the one message that an Entry gives.
func message(t *testing.T, entry []byte, id int64) string {
	t.Helper()
	tr, err := cdcodec.New(cdcodec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	js, msgs, err := tr.Append(nil, nil, entry, fastjson.Meta{ID: id, TS: 1700000000000})
	if err != nil || len(msgs) != 1 {
		t.Fatal(len(msgs), err)
	}
	return string(js[msgs[0].Start:msgs[0].End])
}

// file writes a file that goes away after the test.
func file(t *testing.T, content []byte) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// twoRowUpdate is an UPDATE of two rows: the first changes x, the second y.
func twoRowUpdate(t *testing.T) []byte {
	t.Helper()
	col := func(name, value string, updated bool) *canalpb.Column {
		return &canalpb.Column{Name: proto.String(name), Value: proto.String(value), Updated: proto.Bool(updated)}
	}
	type columns = []*canalpb.Column
	return encode(t, &canalpb.Entry{StoreValue: encode(t, &canalpb.RowChange{RowDatas: []*canalpb.RowData{
		{BeforeColumns: columns{col("x", "1", false), col("y", "a", false)}, AfterColumns: columns{col("x", "2", true), col("y", "a", false)}},
		{BeforeColumns: columns{col("x", "5", false), col("y", "b", false)}, AfterColumns: columns{col("x", "5", false), col("y", "c", true)}},
	}})})
}
