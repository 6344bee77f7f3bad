package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/cdcodec/cdcodec/internal/codec"
	"github.com/cdcodec/cdcodec/internal/corpus"
	"github.com/cdcodec/cdcodec/internal/pb/canalpb"
	"github.com/cdcodec/cdcodec/wire/frame"
)

// small is a file of some Entries of the corpus stream, marks among them.
func small(t *testing.T) string {
	t.Helper()
	c, err := corpus.Make("stream", 40, 1)
	if err != nil {
		t.Fatal(err)
	}
	return file(t, stream(t, frame.U32BE, c.Entries...))
}

// smallMessages returns how many messages that file gives: one for each Entry that is
// no mark.
func smallMessages(t *testing.T) (n int) {
	t.Helper()
	c, err := corpus.Make("stream", 40, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range c.Entries {
		var e canalpb.Entry
		if err := proto.Unmarshal(b, &e); err != nil {
			t.Fatal(err)
		}
		if e.GetEntryType() == canalpb.EntryType_ROWDATA {
			n++
		}
	}
	return n
}

// sonicIsIn says whether the peers with sonic are in this build.
func sonicIsIn() bool { return slices.Contains(codec.Names(), "vtproto+sonic") }

func TestRun(t *testing.T) {
	r := cdcbench(nil, "run", "--file", small(t), "--time", "1ms")
	if r.code != 0 || r.err != "" {
		t.Fatalf("%+v", r)
	}
	for _, name := range codec.Names() {
		want := 2
		switch name {
		case "cdcodec-general", "sonic", "sonic-reused", codec.JSON:
			want = 1 // convert, or read
		case codec.Ours:
			want = 3
		}
		row := regexp.MustCompile(`(?m)^.{17} +` + regexp.QuoteMeta(name) + ` +[\d.,]+ `)
		if got := len(row.FindAllString(r.out, -1)); got != want {
			t.Errorf("%d rows of %s, want %d, in\n%s", got, name, want, r.out)
		}
	}
	for _, want := range []string{
		`(?m)^corpus  stage     codec +ns/entry  MB/s in  MB/s out .* × reference +fused$`,
		`(?m)^ns/entry: (CPU time|wall clock), median of 3 or more turns`,
		`(?m)^.+, go1\.\d+.* \w+/\w+, (not )?pinned to .*GOMAXPROCS 1, sonic (not )?native$`,
		`\ncdcbench run --file .* --time 1ms\n$`,
	} {
		if !regexp.MustCompile(want).MatchString(r.out) {
			t.Errorf("no %s in\n%s", want, r.out)
		}
	}
	if strings.ContainsAny(r.out, "\r\x1b") {
		t.Errorf("control characters in %q", r.out)
	}
}

// TestRunIsTheDefault also takes a corpus and names of codecs.
func TestRunIsTheDefault(t *testing.T) {
	r := cdcbench(nil, "--corpus", "wide", "--codec", "copy,cdcodec", "--stage", "convert", "--time", "1ms")
	if r.code != 0 || r.err != "" {
		t.Fatalf("%+v", r)
	}
	rows := regexp.MustCompile(`(?m)^wide +convert +copy .*\n +cdcodec .* \d+\.\d%$`)
	if !rows.MatchString(r.out) {
		t.Errorf("got\n%s", r.out)
	}
	if strings.Contains(r.out, "reference") { // in no row, and so in no column
		t.Errorf("a codec that was not asked for, in\n%s", r.out)
	}
}

// TestRunJSON holds the JSON to its schema.
func TestRunJSON(t *testing.T) {
	name := filepath.Join(t.TempDir(), "run.json")
	in := small(t)
	if r := cdcbench(nil, "run", "--file", in, "--time", "1ms", "--stage", "convert,decode,read,pipeline", "--workers", "1,2", "--compress", "s2", "--json", name); r.code != 0 || !strings.Contains(r.out, "ns/entry") {
		t.Fatalf("%+v", r)
	}
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	checkSchema(t, b, "file")

	// On standard output there is nothing but the JSON.
	r := cdcbench(nil, "run", "--file", in, "--time", "1ms", "--json", "-", "--codec", "cdcodec,copy")
	var list []measurement
	if err := json.Unmarshal([]byte(r.out), &list); err != nil || len(list) != 5 || r.code != 0 || r.err != "" {
		t.Errorf("%v, %+v", err, r)
	}
}

func checkSchema(t *testing.T, b []byte, name string) {
	t.Helper()
	var list []map[string]any
	if err := json.Unmarshal(b, &list); err != nil {
		t.Fatalf("%v in %s", err, b)
	}
	keys := []string{
		"allocs_per_entry", "codec", "corpus", "entries", "fused_share", "in_bytes", "ns_per_entry", "out_bytes",
		"p50_ns", "p999_ns", "p99_ns", "stage", "times_reference", "turns_ns",
	}
	// All but sonic and encoding/json have two stages, ours three, and one of ours one;
	// stage pipeline has six rows of its own.
	want := 2*len(codec.Names()) + 6
	if want--; sonicIsIn() {
		want -= 2
	}
	if len(list) != want {
		t.Errorf("%d objects, want %d", len(list), want)
	}
	for _, m := range list {
		if got := slices.Sorted(maps.Keys(m)); !slices.Equal(got, keys) {
			t.Fatalf("keys %v, want %v", got, keys)
		}
		id := fmt.Sprint(m["stage"], " ", m["codec"])
		for _, key := range []string{"entries", "in_bytes", "ns_per_entry"} {
			if n, ok := m[key].(float64); !ok || n <= 0 {
				t.Errorf("%s: %s is %v", id, key, m[key])
			}
		}
		piped := m["stage"] == "pipeline" // no reference, and no single records
		entries := 40.0
		if m["stage"] == "read" {
			entries = float64(smallMessages(t))
		}
		if m["corpus"] != name || m["entries"] != entries {
			t.Errorf("%s: %v, %v entries", id, m["corpus"], m["entries"])
		}
		if n := m["out_bytes"].(float64); (n > 0) != (m["stage"] == "convert" || piped) {
			t.Errorf("%s: out_bytes is %v", id, n)
		}
		if n := m["allocs_per_entry"].(float64); n != 0 && strings.HasPrefix(id, "convert cdcodec") {
			t.Errorf("%s: allocs_per_entry is %v", id, n)
		}
		switch n := m["times_reference"]; m["codec"] {
		case "copy":
			if n != nil {
				t.Errorf("%s: times_reference is %v", id, n)
			}
		case "reference", codec.JSON:
			if n != 1.0 {
				t.Errorf("%s: times_reference is %v", id, n)
			}
		default:
			if x, ok := n.(float64); (!ok || x <= 0) != piped {
				t.Errorf("%s: times_reference is %v", id, n)
			}
		}
		share, ok := m["fused_share"].(float64)
		if want := strings.HasPrefix(id, "convert cdcodec"); ok != want || share < 0 || share > 1 {
			t.Errorf("%s: fused_share is %v", id, m["fused_share"])
		}
		if n := len(m["turns_ns"].([]any)); n < minTurns {
			t.Errorf("%s: %d turns", id, n)
		}
		if p, ok := m["p50_ns"].(float64); (!ok || p <= 0) != piped {
			t.Errorf("%s: p50_ns is %v, of at least 40 samples", id, m["p50_ns"])
		}
	}
}

// TestRunPackets measures what gen has written, in the other frame.
func TestRunPackets(t *testing.T) {
	name := filepath.Join(t.TempDir(), "packets")
	if r := cdcbench(nil, "gen", "--corpus", "stream", "--entries", "150", "--as", "packet", "--frame", "uvarint", "-o", name); r.code != 0 {
		t.Fatalf("%+v", r)
	}
	r := cdcbench(nil, "run", "--file", name, "--from", "packet", "--frame", "uvarint", "--time", "1ms", "--json", "-", "--codec", "cdcodec,reference")
	if r.code != 0 {
		t.Fatalf("%+v", r)
	}
	var list []measurement
	if err := json.Unmarshal([]byte(r.out), &list); err != nil {
		t.Fatal(err)
	}
	if len(list) != 5 || list[0].Entries != 150 || list[0].Corpus != "packets" {
		t.Errorf("%d objects, %+v", len(list), list[0])
	}
}

// TestRunLeavesPeersOut: a text that sonic escapes in its own way.
func TestRunLeavesPeersOut(t *testing.T) {
	odd := encode(t, &canalpb.Entry{StoreValue: encode(t, &canalpb.RowChange{Sql: proto.String("a\bb")})})
	name := file(t, stream(t, frame.U32BE, entry(t, "t"), odd))
	r := cdcbench(nil, "run", "--file", name, "--stage", "convert", "--time", "1ms")
	if r.code != 0 {
		t.Fatalf("%+v", r)
	}
	const remark = "vtproto+sonic is left out of file, convert: record 1: differs at byte "
	if got := strings.Contains(r.out, remark); got != sonicIsIn() {
		t.Errorf("no remark in\n%s", r.out)
	}
	for line := range strings.Lines(r.out) {
		if strings.HasPrefix(strings.TrimSpace(line), "vtproto+sonic  ") {
			t.Errorf("it is in the table:\n%s", r.out)
		}
	}
	if !strings.Contains(r.out, " reference ") || !strings.Contains(r.out, " cdcodec ") {
		t.Errorf("got\n%s", r.out)
	}
}

func TestRunErrors(t *testing.T) {
	good := small(t)
	cases := []struct {
		name string
		args []string
		code int
		err  string
	}{
		{"bad record", []string{"--file", file(t, stream(t, frame.U32BE, entry(t, "t"), bad))}, 1, `^record 1 at byte \d+: ` + badText + "\n$"},
		{"broken frame", []string{"--file", file(t, []byte{0, 0})}, 2, "stream ends inside the frame"},
		{"nothing", []string{"--file", file(t, nil)}, 2, "there is nothing to measure in"},
		{"no file", []string{"--file", filepath.Join(t.TempDir(), "none")}, 2, "none"},
		{"corpus", []string{"--corpus", "nonsense"}, 2, `no corpus is named "nonsense"; there are oltp, `},
		{"codec", []string{"--codec", "nonsense"}, 2, `no codec is named "nonsense"; there are cdcodec, `},
		{"stage", []string{"--stage", "nonsense"}, 2, `no stage is named "nonsense"; there are convert, decode, read`},
		{"both", []string{"--corpus", "oltp", "--file", good}, 2, "exclude each other"},
		{"json", []string{"--file", good, "--time", "1ms", "--json", t.TempDir()}, 2, "directory"},
		{"argument", []string{"nonsense"}, 2, "nonsense"},
		{"no time", []string{"--time", "0s"}, 2, "--time: 0s is no time"},
		{"less", []string{"--time=-1s"}, 2, "--time: -1s is no time"},
		{"workers", []string{"--stage", "convert", "--workers", "2"}, 2, "--workers and --compress are for stage pipeline"},
		{"file", []string{"run.bin"}, 2, `unexpected argument run.bin \(files are given with --file\)\nTry "cdcbench run --help".\n$`},
	}
	for _, c := range cases {
		r := cdcbench(nil, append([]string{"run"}, c.args...)...)
		if r.code != c.code || !regexp.MustCompile(c.err).MatchString(r.err) {
			t.Errorf("%s: exit code %d, %s", c.name, r.code, r.err)
		}
	}
}

// TestRunStandardInput reads the file from there.
func TestRunStandardInput(t *testing.T) {
	r := cdcbench(stream(t, frame.Uvarint, entry(t, "t")), "run", "--file", "-", "--frame", "uvarint", "--time", "1ms", "--codec", "cdcodec")
	if r.code != 0 || !strings.Contains(r.out, "cdcodec") {
		t.Errorf("%+v", r)
	}
}
