package corpus_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/cdcodec/cdcodec/fastjson"
	"github.com/cdcodec/cdcodec/internal/corpus"
	"github.com/cdcodec/cdcodec/internal/pb/packetpb"
	"github.com/cdcodec/cdcodec/internal/reference"
)

var meta = fastjson.Meta{ID: 1, TS: 1_700_000_000_000}

// TestConverts has the reference convert a part of each corpus, and holds the
// size of what it gives to the table in the package comment.
func TestConverts(t *testing.T) {
	for _, c := range []struct {
		name  string
		every int // which Entries are converted
		about int // bytes a message
	}{
		{"oltp", 10, 982},
		{"bulk", 4, 197_941},
		{"wide", 2, 17_000},
		{"blob", 4, 68_900},
		{"prose", 4, 66_200},
		{"stream", 10, 1128},
	} {
		made, err := corpus.Make(c.name, 0, 1)
		if err != nil {
			t.Fatal(err)
		}
		messages, size := 0, 0
		for i := 0; i < len(made.Entries); i += c.every {
			out, err := reference.Entry(made.Entries[i], fastjson.Options{}, meta)
			if err != nil {
				t.Fatalf("%s, entry %d: %v", c.name, i, err)
			}
			for _, m := range out {
				messages++
				size += len(m)
			}
		}
		if mean := size / messages; mean < c.about*95/100 || mean > c.about*105/100 {
			t.Errorf("%s: %d bytes a message, want about %d", c.name, mean, c.about)
		}
	}
}

// TestPackets takes Packets apart again.
func TestPackets(t *testing.T) {
	made, err := corpus.Make("stream", 2000, 1)
	if err != nil {
		t.Fatal(err)
	}
	var entries, messages [][]byte
	packets := made.Packets()
	for i, wire := range packets {
		if len(wire) != cap(wire) {
			t.Errorf("packet %d has room behind it", i)
		}
		var p packetpb.Packet
		var m packetpb.Messages
		if err := proto.Unmarshal(wire, &p); err != nil {
			t.Fatal(err)
		}
		if err := proto.Unmarshal(p.Body, &m); err != nil {
			t.Fatal(err)
		}
		if n := len(m.Messages); n < 1 || n > 100 {
			t.Errorf("packet %d has %d entries", i, n)
		}
		entries = append(entries, m.Messages...)
		out, err := reference.Packet(wire, fastjson.Options{}, meta, true)
		if err != nil {
			t.Fatalf("packet %d: %v", i, err)
		}
		messages = append(messages, out...)
	}
	if !slices.EqualFunc(entries, made.Entries, bytes.Equal) {
		t.Error("the packets do not hold the entries")
	}
	want, err := reference.Entries(made.Entries, fastjson.Options{}, meta)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.EqualFunc(messages, want, bytes.Equal) {
		t.Error("the packets give other messages than the entries")
	}
	if (corpus.Corpus{}).Packets() != nil {
		t.Error("no entries gave packets")
	}
}

func ExampleCorpus_Packets() {
	c, err := corpus.Make("stream", 1000, 1)
	if err != nil {
		panic(err)
	}
	fmt.Println(len(c.Entries), "entries with", c.Rows, "rows in", len(c.Packets()), "packets")
	// Output:
	// 1000 entries with 1197 rows in 26 packets
}
