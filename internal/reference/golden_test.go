package reference

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/internal/corpus/golden"
)

// TestGolden holds the reference to what Canal itself made of the same bytes.
func TestGolden(t *testing.T) {
	entry := func(records [][]byte) ([][]byte, error) {
		return Entry(records[0], fastjson.Options{}, meta)
	}
	packet := func(records [][]byte) ([][]byte, error) {
		return Packet(records[0], fastjson.Options{}, meta, false)
	}
	message := func(records [][]byte) ([][]byte, error) {
		return Entries(records, fastjson.Options{}, meta)
	}
	for _, set := range []struct {
		name    string
		cases   []golden.Case
		convert func(records [][]byte) ([][]byte, error)
	}{
		{"entry", golden.Entries(), entry},
		{"packet", golden.Packets(), packet},
		{"message", golden.Messages(), message},
		{"random", golden.Random(), entry},
	} {
		if len(set.cases) == 0 {
			t.Errorf("%s: no cases", set.name)
		}
		for _, c := range set.cases {
			if got := answer(set.convert(c.Records)); got != string(c.Want) {
				t.Errorf("%s %s: %s\n got: %.500s\nwant: %.500s", set.name, c.Name, c.Shows, got, c.Want)
			}
		}
	}
}

// answer writes a result as the golden cases have it.
func answer(messages [][]byte, err error) string {
	if err != nil {
		return `{"error":true}`
	}
	return "[" + string(bytes.Join(messages, []byte(","))) + "]"
}

// TestLaws breaks golden inputs and looks at what must hold for any bytes.
func TestLaws(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, c := range slices.Concat(golden.Entries(), golden.Packets(), golden.Messages(), golden.Random()) {
		for _, record := range c.Records {
			for range 5 {
				checkLaws(t, record)
				record = mutate(rnd, record)
			}
		}
	}
}

// checkLaws converts one input as Entry and as Packet. Where the walk lets
// something pass that proto.Unmarshal refuses, that panics.
func checkLaws(t *testing.T, in []byte) {
	t.Helper()
	before := slices.Clone(in)

	packet, bad, err := PacketLenient(in, fastjson.Options{}, meta, false)
	checkMessages(t, in, packet)
	all, strictErr := Packet(in, fastjson.Options{}, meta, false)
	if (strictErr == nil) != (err == nil && bad == nil) {
		t.Errorf("%x: strict says %v, lenient %v with %d bad", in, strictErr, err, len(bad))
	}
	if strictErr == nil && !slices.EqualFunc(all, packet, bytes.Equal) {
		t.Errorf("%x: strict and lenient differ", in)
	}

	entry, err := Entry(in, fastjson.Options{}, meta)
	checkMessages(t, in, entry)
	strict, strictErr := Entry(in, fastjson.Options{RejectInvalidUTF8: true}, meta)
	switch {
	case err != nil:
		if strictErr == nil {
			t.Errorf("%x: an error only where invalid UTF-8 is no error: %v", in, err)
		}
	case strictErr != nil:
		if !bytes.Contains(entry[0], []byte("\uFFFD")) {
			t.Errorf("%x: %v, but nothing was repaired in %s", in, strictErr, entry[0])
		}
	default:
		if !slices.EqualFunc(strict, entry, bytes.Equal) {
			t.Errorf("%x: valid UTF-8 comes out in two ways", in)
		}
	}

	if !bytes.Equal(in, before) {
		t.Errorf("%x: the input was written to", before)
	}
}

func checkMessages(t *testing.T, in []byte, messages [][]byte) {
	t.Helper()
	for _, msg := range messages {
		if !json.Valid(msg) || repair(string(msg)) != string(msg) {
			t.Errorf("%x: not valid JSON in valid UTF-8: %q", in, msg)
		}
	}
}

// mutate returns a copy of b with a byte changed, dropped or put in.
func mutate(rnd *rand.Rand, b []byte) []byte {
	b = slices.Clone(b)
	if len(b) == 0 {
		return append(b, byte(rnd.Uint32()))
	}
	i := rnd.IntN(len(b))
	switch rnd.IntN(4) {
	case 0:
		b[i] ^= 1 << rnd.IntN(8)
	case 1:
		b[i] = byte(rnd.Uint32())
	case 2:
		b = slices.Delete(b, i, i+1)
	default:
		b = slices.Insert(b, i, byte(rnd.Uint32()))
	}
	return b
}
