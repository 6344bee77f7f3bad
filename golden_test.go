package cdcodec_test

import (
	"bytes"
	"testing"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/internal/corpus/golden"
)

// golden meta: what every golden answer was made with.
var goldenMeta = fastjson.Meta{ID: 1, TS: 1700000000000}

// array makes of the messages of one record what a golden answer holds.
func array(dst []byte, msgs []cdcodec.Message, err error) string {
	if err != nil {
		return `{"error":true}`
	}
	var b bytes.Buffer
	b.WriteByte('[')
	for i, m := range msgs {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(dst[m.Start:m.End])
	}
	b.WriteByte(']')
	return b.String()
}

func newTranscoder(t testing.TB, o cdcodec.Options) *cdcodec.Transcoder {
	t.Helper()
	tr, err := cdcodec.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// TestGolden holds every golden case to Canal's own answer, all of a kind
// through one Transcoder, into one buffer whose first bytes must stay.
func TestGolden(t *testing.T) {
	entry := newTranscoder(t, cdcodec.Options{})
	packet := newTranscoder(t, cdcodec.Options{From: cdcodec.FromPacket})
	one := func(tr *cdcodec.Transcoder) func([]byte, [][]byte) ([]byte, []cdcodec.Message, error) {
		return func(dst []byte, records [][]byte) ([]byte, []cdcodec.Message, error) {
			return tr.Append(dst, nil, records[0], goldenMeta)
		}
	}
	list := func(dst []byte, records [][]byte) ([]byte, []cdcodec.Message, error) {
		return entry.AppendEntries(dst, nil, records, goldenMeta)
	}
	const prefix = "what was there"
	dst := []byte(prefix)
	for _, set := range []struct {
		name  string
		cases []golden.Case
		run   func([]byte, [][]byte) ([]byte, []cdcodec.Message, error)
	}{
		{"entry", golden.Entries(), one(entry)},
		{"random", golden.Random(), one(entry)},
		{"message", golden.Messages(), list},
		{"packet", golden.Packets(), one(packet)},
	} {
		if len(set.cases) == 0 {
			t.Errorf("no cases of %s", set.name)
		}
		for _, c := range set.cases {
			records := make([][]byte, len(c.Records))
			for i := range records {
				records[i] = bytes.Clone(c.Records[i])
			}
			out, msgs, err := set.run(dst[:len(prefix)], records)
			for i := range records {
				if !bytes.Equal(records[i], c.Records[i]) {
					t.Errorf("%s/%s: the input was written to", set.name, c.Name)
				}
				for j := range records[i] {
					records[i][j] = '#' // the output must not depend on it any more
				}
			}
			if got := array(out, msgs, err); got != string(c.Want) {
				t.Errorf("%s/%s (%s): %v\n got %s\nwant %s", set.name, c.Name, c.Shows, err, got, c.Want)
			}
			if string(out[:len(prefix)]) != prefix {
				t.Errorf("%s/%s: what was in dst was written to", set.name, c.Name)
			}
			if err != nil && len(out) != len(prefix) {
				t.Errorf("%s/%s: dst grew with an error", set.name, c.Name)
			}
			dst = out
		}
	}
}
