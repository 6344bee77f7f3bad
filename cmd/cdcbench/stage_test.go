package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cdcodec/cdcodec"
	"github.com/cdcodec/cdcodec/internal/codec"
	"github.com/cdcodec/cdcodec/wire/frame"
)

// generated is a file of so many records that gen writes.
func generated(t *testing.T, corpus, entries string, more ...string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), corpus)
	r := cdcbench(nil, append([]string{"gen", "--corpus", corpus, "--entries", entries, "-o", name}, more...)...)
	r.check(t, 0, "", "")
	return name
}

// measured runs run and returns what it has measured, as "corpus stage codec", with
// how many entries.
func measured(t *testing.T, args ...string) (names []string, entries []int) {
	t.Helper()
	args = append([]string{"run", "--time", "1ms", "--json", "-"}, args...)
	if slices.ContainsFunc(args, func(a string) bool { return strings.Contains(a, string(stagePipeline)) }) {
		args = append(args, "--workers", "1,2", "--compress", "s2")
	}
	r := cdcbench(nil, args...)
	var list []measurement
	if err := json.Unmarshal([]byte(r.out), &list); err != nil || r.code != 0 || r.err != "" {
		t.Fatalf("%v: %v, %+v", args, err, r)
	}
	for _, m := range list {
		names = append(names, fmt.Sprint(m.Corpus, " ", m.Stage, " ", m.Codec))
		entries = append(entries, m.Entries)
		if m.InBytes == 0 || m.NsPerEntry <= 0 || (m.OutBytes > 0) != (m.Stage == stageConvert || m.Stage == stagePipeline) {
			t.Errorf("%+v", m)
		}
	}
	return names, entries
}

// TestRunSources measures records of each source, in files: those who read them, where
// that makes sense.
func TestRunSources(t *testing.T) {
	readers := []string{"read cdcodec", "read sonic", "read sonic-reused", "read encoding/json"}
	if !sonicIsIn() {
		readers = slices.Delete(readers, 1, 3)
	}
	converters := []string{"convert cdcodec", "convert reference", "convert copy"}
	pipes := []string{"pipeline copy=1", "pipeline copy=2", "pipeline loop", "pipeline workers=1", "pipeline workers=2", "pipeline workers=2/s2"}
	all := []string{"--stage", "convert,read,pipeline"}
	for _, c := range []struct {
		corpus, from string
		more         []string
		want         []string
	}{
		{"tidb", "tidb-binlog", all, slices.Concat(converters, readers, pipes)},
		{"baidu", "changedataset", all, slices.Concat(converters, readers, pipes)},
		{"oltp", "entry", []string{"--stage", "pipeline"}, pipes},
		{"baidu", "changedataset", []string{"--stage", "convert"}, converters},
		{"oltp", "canal-json", []string{"--frame", "lines"}, readers},
		{"tidb", "canal-json", []string{"--frame", "lines", "--stage", "read"}, readers},
	} {
		gen := []string{}
		if c.from == "canal-json" {
			gen = []string{"--as", "json"}
		}
		name := generated(t, c.corpus, "12", gen...)
		names, entries := measured(t, append([]string{"--file", name, "--from", c.from}, c.more...)...)
		for i := range names {
			names[i] = strings.TrimPrefix(names[i], c.corpus+" ")
			if strings.HasPrefix(names[i], "convert") && entries[i] != 12 {
				t.Errorf("%s: %d entries", names[i], entries[i])
			}
		}
		if !slices.Equal(names, c.want) {
			t.Errorf("%s from %s: measured %q, want %q", c.corpus, c.from, names, c.want)
		}
	}
}

// TestReadsLinesOfMany: a record of Canal-JSON may hold several messages, or none.
func TestReadsLinesOfMany(t *testing.T) {
	b, err := os.ReadFile(generated(t, "oltp", "5", "--as", "json"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(strings.TrimSuffix(string(b), "\n"), "\n")
	joined := strings.TrimSpace(lines[0]) + " " + lines[1] + "\n" + strings.Join(lines[2:], "")
	name := file(t, []byte(joined))
	names, entries := measured(t, "--file", name, "--from", "canal-json", "--frame", "lines", "--codec", "cdcodec")
	if len(names) != 1 || entries[0] != 5 {
		t.Errorf("measured %q, %v entries", names, entries)
	}
	names, entries = measured(t, "--file", name, "--from", "canal-json", "--frame", "single", "--codec", "cdcodec")
	if len(names) != 1 || entries[0] != 5 {
		t.Errorf("as one record: measured %q, %v entries", names, entries)
	}
}

// TestReadLeavesPeersOut: a message that a struct cannot hold is read all the same.
func TestReadLeavesPeersOut(t *testing.T) {
	name := file(t, []byte(`{"data":[{"id":1}],"database":"d","table":"t","type":"INSERT"}`))
	r := cdcbench(nil, "run", "--file", name, "--from", "canal-json", "--frame", "single", "--time", "1ms")
	const remark = "encoding/json is left out of file, read: record 0: json: cannot unmarshal number"
	if r.code != 0 || r.err != "" || !strings.Contains(r.out, remark) || !strings.Contains(r.out, "file    read   cdcodec ") {
		t.Errorf("%+v", r)
	}
}

// TestSources is which stages of which corpora are measured.
func TestSources(t *testing.T) {
	for _, c := range []struct{ corpora, stages, want string }{
		{"", "", "oltp convert decode read; bulk convert decode read; wide convert decode read; blob convert decode; " +
			"prose convert decode; stream convert decode; tidb convert; baidu convert"},
		{"", "convert", "oltp convert; bulk convert; wide convert; blob convert; prose convert; stream convert; tidb convert; baidu convert"},
		{"", "decode", "oltp decode; bulk decode; wide decode; blob decode; prose decode; stream decode"},
		{"", "read", "oltp read; bulk read; wide read"},
		{"blob,oltp", "", "blob convert decode; oltp convert decode read"},
		{"blob,tidb", "read", "blob read; tidb read"},
		{"baidu", "", "baidu convert"},
		{"tidb,oltp", "read,convert", "tidb read convert; oltp read convert"},
		{"tidb", "decode", "error"},
		{"", "pipeline", "oltp pipeline"},
		{"tidb,wide", "pipeline", "tidb pipeline; wide pipeline"},
	} {
		f := &trafficFlags{piped: c.stages == "pipeline"}
		if c.corpora != "" {
			f.Corpus = strings.Split(c.corpora, ",")
		}
		if c.stages != "" {
			f.Stage = strings.Split(c.stages, ",")
		}
		list, err := f.sources(nil, allCorpora(), allStages...)
		var parts []string
		for _, s := range list {
			parts = append(parts, s.name+" "+strings.ReplaceAll(stageNames(s.stages), ",", ""))
		}
		got := strings.Join(parts, "; ")
		if err != nil {
			got = "error"
		}
		if got != c.want {
			t.Errorf("--corpus %s --stage %s: %s, %v, want %s", c.corpora, c.stages, got, err, c.want)
		}
	}
}

// TestStageErrors: what makes no sense is said to be so.
func TestStageErrors(t *testing.T) {
	lines := generated(t, "oltp", "2", "--as", "json")
	for _, c := range []struct {
		args string
		say  string
	}{
		{"run --corpus tidb --stage decode", "--stage decode: tidb has no stages but convert, read"},
		{"run --file x --from tidb-binlog --stage decode", "--from tidb-binlog: there are no stages but convert, read"},
		{"run --file x --from canal-json --stage convert,read", "--from canal-json: there are no stages but read"},
		{"run --file x --from avro", `"canal-json"`},
		{"run --corpus wide --stage read --codec reference", "none of these codecs has a stage"},
		{"run --corpus tidb --codec sonic", "none of these codecs has a stage"},
		{"compare --codec cdcodec,reference --corpus wide --stage read", "nothing that both have"},
		{"profile --corpus tidb --stage decode", "tidb has no stages but"},
		{"profile --corpus baidu --codec protobuf+json", "not all of these codecs have the stage convert"},
		{"run --stage read --file " + file(t, stream(t, frame.U32BE, begin(t))), "there is no message in"},
		{"run --from canal-json --file " + lines, "frame of record 0"}, // its frames are lines
	} {
		if !sonicIsIn() && strings.Contains(c.args, "sonic") {
			continue
		}
		r := cdcbench(nil, strings.Fields(c.args)...)
		if r.code != 2 || !strings.HasPrefix(r.err, "cdcbench: ") || !strings.Contains(r.err, c.say) {
			t.Errorf("%s: %+v", c.args, r)
		}
	}
	bad := file(t, []byte("{\"type\":\"INSERT\"}\n{\n"))
	r := cdcbench(nil, "run", "--from", "canal-json", "--frame", "lines", "--file", bad)
	r.check(t, 1, "", "record 1 at byte 18: at byte 1: message ends before its JSON does\n")
}

// TestCompareAndProfileOthers: they work on the other corpora and the stage read.
func TestCompareAndProfileOthers(t *testing.T) {
	t.Chdir(t.TempDir())
	tidb, lines := generated(t, "tidb", "5"), generated(t, "oltp", "5", "--as", "json")
	for _, c := range []struct{ args, say string }{
		{"compare --codec cdcodec,reference --from tidb-binlog --file " + tidb, "\ntidb            convert "},
		{"compare --codec cdcodec,encoding/json --from canal-json --frame lines --file " + lines, "\noltp            read "},
		{"profile --kind alloc --against reference --from tidb-binlog --file " + tidb, "alloc of tidb, convert:\n\ncdcodec: 0 bytes/entry"},
		{"profile --kind alloc --against encoding/json --from canal-json --frame lines -o p --file " + lines, "alloc of oltp, read:\n\ncdcodec: 0 bytes/entry"},
	} {
		r := cdcbench(nil, append(strings.Fields(c.args), "--time", "1ms")...)
		if r.code != 0 || r.err != "" || !strings.Contains(r.out, c.say) {
			t.Errorf("%s: %+v", c.args, r)
		}
	}
	for _, args := range []string{"--corpus tidb --stage convert", "--corpus wide --stage read"} {
		r := cdcbench([]byte("\n\n"), append([]string{"turns", "--codec", "cdcodec", "--trust"}, strings.Fields(args)...)...)
		if r.code != 0 || strings.Count(r.out, "\n") != 3 {
			t.Errorf("turns %s: %+v", args, r)
		}
	}
}

// TestReadLanes checks and measures reading, of a corpus, as run does.
func TestReadLanes(t *testing.T) {
	tr, err := someTraffic(t, 30).at(stageRead)
	if err != nil || tr.from != cdcodec.FromCanalJSON || tr.entries != 30 {
		t.Fatal(tr, err)
	}
	for _, l := range lanesOf(t, tr, stageRead, codec.Ours, codec.JSON) {
		if err := throughput(tr, []*lane{l}, time.Millisecond); err != nil {
			t.Fatal(err)
		}
		if ours := l.codec.Name == codec.Ours; ours != (l.allocs == 0) {
			t.Errorf("%s: %v allocations", l.codec.Name, l.allocs)
		}
	}
}
