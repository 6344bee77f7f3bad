package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cdcodec/cdcodec/internal/corpus"
	"github.com/cdcodec/cdcodec/wire/frame"
)

func TestGen(t *testing.T) {
	c, err := corpus.Make("oltp", 250, 7)
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []frame.Kind{frame.U32BE, frame.Uvarint} {
		for as, records := range map[string][][]byte{"entry": c.Entries, "packet": c.Packets()} {
			args := []string{"gen", "--corpus", "oltp", "--entries", "250", "--seed", "7", "--frame", kind.String(), "--as", as}
			want := string(stream(t, kind, records...))
			r := cdcbench(nil, args...)
			if r.code != 0 || r.err != "" || r.out != want {
				t.Errorf("%v: exit code %d, %d bytes, want %d, %s", args, r.code, len(r.out), len(want), r.err)
			}
			name := filepath.Join(t.TempDir(), "out")
			r = cdcbench(nil, append(args, "-o", name)...)
			b, err := os.ReadFile(name)
			if err != nil || string(b) != want {
				t.Errorf("%v: %+v, %v", args, r, err)
			}
			r.check(t, 0, "", "")

			// It is what the other commands read.
			v := cdcbench(b, "verify", "--frame", kind.String(), "--from", as)
			if v.code != 0 || !strings.Contains(v.out, " 250 messages, 0 errors on both sides: equal") {
				t.Errorf("%v: verify: %+v", args, v)
			}
		}
	}
	usual := cdcbench(nil, "gen", "--corpus", "wide")
	if c, err := makeTraffic("wide", 0); err != nil || len(usual.out) != c.bytes+4*c.entries {
		t.Errorf("%d bytes, %v", len(usual.out), err)
	}
}

// TestGenOthers writes what is not Canal's, and messages.
func TestGenOthers(t *testing.T) {
	for name, from := range map[string]string{"tidb": "tidb-binlog", "baidu": "changedataset", "oltp": "entry"} {
		c, err := corpus.Make(name, 20, 7)
		if err != nil {
			t.Fatal(err)
		}
		args := []string{"gen", "--corpus", name, "--entries", "20", "--seed", "7"}
		records := cdcbench(nil, args...)
		records.check(t, 0, string(stream(t, frame.U32BE, c.Entries...)), "")

		// --as json is what convert makes of them.
		converted := cdcbench([]byte(records.out), "convert", "--from", from, "--ts", fixedTS)
		cdcbench(nil, append(args, "--as", "json")...).check(t, 0, converted.out, "")
		framed := cdcbench([]byte(records.out), "convert", "--from", from, "--ts", fixedTS, "--frame-out", "uvarint")
		cdcbench(nil, append(args, "--as", "json", "--frame", "uvarint")...).check(t, 0, framed.out, "")
	}
}

func TestGenErrors(t *testing.T) {
	for _, args := range [][]string{
		{},
		{"--corpus", "nonsense"},
		{"--corpus", "oltp", "--entries", "-1"},
		{"--corpus", "tidb", "--entries", "1", "--as", "packet"},
		{"--corpus", "tidb", "--entries", "1", "--as", "entry"},
		{"--corpus", "oltp", "--frame", "lines"},
		{"--corpus", "oltp", "--frame", "lines", "--as", "packet"},
		{"--corpus", "oltp", "-o", filepath.Join(t.TempDir(), "no", "folder")},
	} {
		if r := cdcbench(nil, append([]string{"gen"}, args...)...); r.code != 2 || r.err == "" || r.out != "" {
			t.Errorf("%v: %+v", args, r)
		}
	}
}
