package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cdcodec/cdcodec/wire/frame"
)

func TestMessagePerLine(t *testing.T) {
	a, b := entry(t, "a"), entry(t, "b")
	in := stream(t, frame.U32BE, a, begin(t), b)
	want := message(t, a, 1) + "\n" + message(t, b, 1) + "\n"
	convert(in).check(t, 0, want, "")
	convert(nil).check(t, 0, "", "")
}

func TestPerRecord(t *testing.T) {
	a, b := entry(t, "a"), entry(t, "b")
	ma, mb := message(t, a, 1), message(t, b, 1)
	in := stream(t, frame.U32BE, a, begin(t), b)
	convert(in, "--per-record").check(t, 0, "["+ma+"]\n[]\n["+mb+"]\n", "")

	in = stream(t, frame.U32BE, packet(t, 1, a, begin(t), b), packet(t, 1))
	convert(in, "--from", "packet", "--per-record").check(t, 0, "["+ma+","+mb+"]\n[]\n", "")
}

func TestFramesIn(t *testing.T) {
	a, b := entry(t, "a"), entry(t, "b")
	ma, mb := message(t, a, 1)+"\n", message(t, b, 1)+"\n"
	empty := message(t, nil, 1) + "\n" // the Entry of no bytes is a good one
	for _, tt := range []struct {
		frame string
		in    []byte
		want  string
	}{
		{"u32be", stream(t, frame.U32BE, a, nil, b), ma + empty + mb},
		{"uvarint", stream(t, frame.Uvarint, a, nil, b), ma + empty + mb},
		{"single", a, ma},
		{"single", nil, empty},
		{"lines", nil, ""},
		{"lines", []byte("\x10\x01\r\n\x10\x03\n\x1a\x00"), empty}, // BEGIN, END, an empty storeValue
	} {
		convert(tt.in, "--frame", tt.frame).check(t, 0, tt.want, "")
	}
}

func TestFramesOut(t *testing.T) {
	a, b := entry(t, "a"), entry(t, "b")
	ma, mb := []byte(message(t, a, 1)), []byte(message(t, b, 1))
	in := stream(t, frame.U32BE, a, begin(t), b)
	for name, kind := range map[string]frame.Kind{"u32be": frame.U32BE, "uvarint": frame.Uvarint, "lines": frame.Lines} {
		convert(in, "--frame-out", name).check(t, 0, string(stream(t, kind, ma, mb)), "")
		want := stream(t, kind, []byte("["+string(ma)+"]"), []byte("[]"), []byte("["+string(mb)+"]"))
		convert(in, "--frame-out", name, "--per-record").check(t, 0, string(want), "")
	}
}

// The flag wins, then the batch id of a packet (0 if it has none), then 1.
func TestID(t *testing.T) {
	e := entry(t, "a")
	for _, tt := range []struct {
		in   []byte
		args []string
		want int64
	}{
		{e, nil, 1},
		{e, []string{"--id", "7"}, 7},
		{e, []string{"--id", "0"}, 0},
		{e, []string{"--id", "-5"}, -5},
		{e, []string{"--id=-5"}, -5},
		{packet(t, 42, e), []string{"--from", "packet"}, 42},
		{packet(t, -1, e), []string{"--from", "packet"}, 0},
		{packet(t, 42, e), []string{"--from", "packet", "--id", "7"}, 7},
		{packet(t, 42, e), []string{"--from", "packet", "--id", "0"}, 0},
		{packet(t, -1, e), []string{"--from", "packet", "--id", "9223372036854775807"}, 1<<63 - 1},
	} {
		convert(tt.in, append(tt.args, "--frame", "single")...).check(t, 0, message(t, e, tt.want)+"\n", "")
	}
}

func TestClock(t *testing.T) {
	before := time.Now().UnixMilli()
	r := cdcbench(entry(t, "a"), "convert", "--frame", "single")
	var m struct{ TS int64 }
	if err := json.Unmarshal([]byte(r.out), &m); err != nil || m.TS < before || m.TS > time.Now().UnixMilli() {
		t.Errorf("ts is %d, %v", m.TS, err)
	}
}

func TestFiles(t *testing.T) {
	a := entry(t, "a")
	in := file(t, stream(t, frame.U32BE, a))
	out := filepath.Join(t.TempDir(), "out")
	convert(nil, "-i", in, "-o", out).check(t, 0, "", "")
	if got, err := os.ReadFile(out); err != nil || string(got) != message(t, a, 1)+"\n" {
		t.Errorf("%s holds %q, %v", out, got, err)
	}
	convert(stream(t, frame.U32BE, a), "-i", "-", "-o", "-").check(t, 0, message(t, a, 1)+"\n", "")

	// The input is no output, and is not touched.
	r := convert(nil, "-i", in, "-o", in)
	if got, _ := os.ReadFile(in); r.code != 2 || !strings.Contains(r.err, "is the input as well") || len(got) == 0 {
		t.Errorf("onto itself: %+v, %d bytes left", r, len(got))
	}
	// An input that is not there makes no output.
	r = convert(nil, "-i", in+".none", "-o", out+".none")
	if _, err := os.Stat(out + ".none"); r.code != 2 || err == nil || !strings.HasPrefix(r.err, "cdcbench: open ") {
		t.Errorf("no input: %+v, %v", r, err)
	}
	r = convert(nil, "-i", in, "-o", filepath.Join(out, "below a file"))
	if r.code != 2 || r.err == "" {
		t.Errorf("no output: %+v", r)
	}
}

func TestJSONFlags(t *testing.T) {
	plain := message(t, nil, 1)
	convert(nil, "--frame", "single", "--omit-gtid").check(t, 0, strings.Replace(plain, `"gtid":"",`, "", 1)+"\n", "")

	heartbeat := []byte{0x10, 0x04}
	convert(heartbeat, "--frame", "single").check(t, 0, plain+"\n", "")
	convert(heartbeat, "--frame", "single", "--drop-heartbeats").check(t, 0, "", "")

	broken := entry(t, "a\x7f") // one byte that is made invalid
	for i, c := range broken {
		if c == 0x7f {
			broken[i] = 0xff
		}
	}
	if r := convert(broken, "--frame", "single"); r.code != 0 || !strings.Contains(r.out, `"table":"a`+"\ufffd"+`"`) {
		t.Errorf("repair: %+v", r)
	}
	if r := convert(broken, "--frame", "single", "--reject-invalid-utf8"); r.code != 1 || r.out != "" {
		t.Errorf("reject: %+v", r)
	}
	if r := convert(nil, "--frame", "single", "--max-output", "100"); r.code != 1 || r.out != "" || !strings.HasPrefix(r.err, "record 0 at byte 0: ") {
		t.Errorf("--max-output: %+v", r)
	}
}

// Each row shows what it changed, or that and what rows before it did.
func TestOldPerRow(t *testing.T) {
	in := twoRowUpdate(t)
	if r := convert(in, "--frame", "single"); !strings.Contains(r.out, `"old":[{"x":"1"},{"x":"5","y":"b"}]`) {
		t.Errorf("Canal's way: %s", r.out)
	}
	if r := convert(in, "--frame", "single", "--old-per-row"); !strings.Contains(r.out, `"old":[{"x":"1"},{"y":"b"}]`) {
		t.Errorf("per row: %s", r.out)
	}
}

func TestUsage(t *testing.T) {
	for _, tt := range []struct {
		args []string
		say  string
	}{
		{[]string{"convert", "--from", "avro"}, `"canal-json"`},
		{[]string{"convert", "--dialect", "debezium"}, `"ticdc"`},
		{[]string{"convert", "--dialect", "packet", "--per-record"}, "--per-record"},
		{[]string{"convert", "--dialect", "entry", "--frame-out", "lines"}, "--frame-out"},
		{[]string{"convert", "--dialect", "ticdc", "--large", "claim-check", "--tidb-extension"}, "needs --claim-dir"},
		{[]string{"convert", "--dialect", "ticdc", "--large", "handle-key-only"}, "needs --tidb-extension"},
		{[]string{"convert", "--claim-dir", "."}, "--claim-dir is for"},
		{[]string{"convert", "--dialect", "ticdc", "--large", "claim-check", "--tidb-extension", "--claim-dir", "none such"}, "none such"},
		{[]string{"convert", "--dialect", "ticdc", "--max-message-bytes", "-1"}, "--max-message-bytes"},
		{[]string{"verify", "--from", "canal-json"}, "tidb-binlog and changedataset can"},
		{[]string{"verify", "--dialect", "packet"}, "canal and ticdc can"},
		{[]string{"convert", "--commit-ts", "-1"}, "timestamp"},
		{[]string{"convert", "--frame", "u16"}, `"u32be","uvarint","single","lines"`},
		{[]string{"convert", "--frame-out", "single"}, `"lines","u32be","uvarint"`},
		{[]string{"convert", "--on-error", "panic"}, `"stop","skip","inline"`},
		{[]string{"convert", "--bad-entry", "stop"}, `"fail","skip"`},
		{[]string{"convert", "--on-error", "inline"}, "--per-record"},
		{[]string{"convert", "--id", "x"}, `got "x"`},
		{[]string{"convert", "--id"}, "expected a number"},
		{[]string{"convert", "--ts", "0x10"}, `got "0x10"`},
		{[]string{"convert", "--max-record", "-1"}, "--max-record"},
		{[]string{"convert", "--max-output", "-1"}, "--max-output"},
		{[]string{"convert", "file"}, "unexpected argument file (files are given with -i)\nTry \"cdcbench convert --help\".\n"},
		{[]string{"convert", "--split"}, "--split needs --max-message-bytes"},
		{[]string{"convert", "--omit-gtid", "--dialect", "ticdc"}, "--omit-gtid is for --dialect canal"},
		{[]string{"convert", "--old-per-row", "--dialect", "ticdc"}, "--old-per-row is for --dialect canal"},
		{[]string{"convert", "--old-complete", "--dialect", "entry"}, "--old-complete is for --dialect canal"},
		{[]string{"convert", "--split", "--max-message-bytes", "9", "--dialect", "ticdc"}, "--split is for --dialect canal"},
		{[]string{"convert", "--tidb-extension"}, "--tidb-extension is for --dialect ticdc"},
		{[]string{"convert", "--commit-ts", "7"}, "--commit-ts is for --dialect ticdc"},
		{[]string{"verify", "--only-updated"}, "--only-updated is for --dialect ticdc"},
		{[]string{"convert", "--content-compatible"}, "--content-compatible is for --dialect ticdc"},
		{[]string{"convert", "--data-first"}, "--data-first is for --dialect ticdc"},
		{[]string{"convert", "--delete-only-handle-key", "--dialect", "packet"}, "--delete-only-handle-key is for --dialect ticdc"},
		{[]string{"convert", "--large", "handle-key-only"}, "--large is for --dialect ticdc"},
		{[]string{"convert", "--max-message-bytes", "9", "--dialect", "entry"}, "--max-message-bytes is for the dialects canal and ticdc"},
		{[]string{"convert", "--reject-invalid-utf8", "--dialect", "entry"}, "--reject-invalid-utf8 is for the dialects canal and ticdc"},
		{[]string{"convert", "--database", "d"}, "--database is for --from changedataset"},
		{[]string{"verify", "--pass-sql-type"}, "--pass-sql-type is for --from changedataset"},
		{[]string{"convert", "--frame-out", "u32be", "--max-output", "4294967296"}, "--max-output"},
		{[]string{"convert", "--nope"}, "--nope"},
		{[]string{"verify", "--from", "x"}, `"entry","packet"`},
		{[]string{"verify", "-i", "no such file"}, "no such file"},
		{[]string{"nope"}, "nope"},
	} {
		r := cdcbench(nil, tt.args...)
		if r.code != 2 || r.out != "" || !strings.HasPrefix(r.err, "cdcbench: ") || !strings.Contains(r.err, tt.say) {
			t.Errorf("%q: %+v", tt.args, r)
		}
	}
}

func TestHelpAndVersion(t *testing.T) {
	for _, args := range [][]string{{"--help"}, {"convert", "--help"}, {"verify", "-h"}, {"version"}} {
		if r := cdcbench(nil, args...); r.code != 0 || r.out == "" || r.err != "" {
			t.Errorf("%q: %+v", args, r)
		}
	}
}

// TestNoMessage: records of which nothing has come are asked about once, if no flag
// explains it.
func TestNoMessage(t *testing.T) {
	marks := stream(t, frame.U32BE, begin(t), begin(t), nil)
	good := stream(t, frame.U32BE, begin(t), entry(t, "a"))
	oltp := []byte(cdcbench(nil, "gen", "--corpus", "oltp", "--entries", "30").out)
	const asks = "2 records gave no message: is --from entry right?\n"
	for _, workers := range [][]string{nil, {"--workers", "2"}} {
		with := func(more ...string) []string { return append(workers[:len(workers):len(workers)], more...) }
		convert(stream(t, frame.U32BE, begin(t), begin(t)), with()...).check(t, 0, "", asks)
		convert(stream(t, frame.U32BE, begin(t)), with()...).check(t, 0, "", "1 record gave no message: is --from entry right?\n")
		convert(oltp, with("--from", "tidb-binlog")...).check(t, 0, "", "30 records gave no message: is --from tidb-binlog right?\n")
		convert(good, with()...).check(t, 0, message(t, entry(t, "a"), 1)+"\n", "")
		convert(nil, with()...).check(t, 0, "", "")
		convert(marks[:len(marks)-4], with("--per-record")...).check(t, 0, "[]\n[]\n", "")
		convert(marks[:len(marks)-4], with("--drop-ddl")...).check(t, 0, "", "")
		convert([]byte("\n\n"), with("--from", "canal-json", "--frame", "lines")...).check(t, 0, "", "")
	}
}
