package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cdcodec/cdcodec/wire/frame"
)

func TestVerify(t *testing.T) {
	a := entry(t, "a")
	in := stream(t, frame.U32BE, a, begin(t), bad, twoRowUpdate(t))
	const equal = "4 records, 2 messages, 1 errors on both sides: equal\n"
	for _, args := range [][]string{
		nil, {"--old-per-row"}, {"--omit-gtid"}, {"--drop-heartbeats"}, {"--reject-invalid-utf8"},
		{"--id", "9"}, {"--ts", "5"}, {"--bad-entry", "skip"}, {"-i", file(t, in)},
	} {
		cdcbench(in, append([]string{"verify"}, args...)...).check(t, 0, equal, "")
	}

	in = stream(t, frame.Uvarint, packet(t, 7, a, bad, a), packet(t, -1, a))
	args := []string{"verify", "--from", "packet", "--frame", "uvarint"}
	cdcbench(in, args...).check(t, 0, "2 records, 1 messages, 1 errors on both sides: equal\n", "")
	cdcbench(in, append(args, "--id", "3")...).check(t, 0, "2 records, 1 messages, 1 errors on both sides: equal\n", "")
	cdcbench(in, append(args, "--bad-entry", "skip")...).check(t, 0, "2 records, 3 messages, 1 errors on both sides: equal\n", "")

	// The reference knows no limit of output, but verify does.
	cdcbench(in, append(args, "--max-output", "200")...).check(t, 0, "2 records, 1 messages, 1 errors on both sides: equal\n", "")
	cdcbench(in, append(args, "--max-output", "200", "--bad-entry", "skip")...).check(t, 0, "2 records, 2 messages, 2 errors on both sides: equal\n", "")
	cdcbench(in, append(args, "--max-output", "100")...).check(t, 0, "2 records, 0 messages, 2 errors on both sides: equal\n", "")
}

// The other sources, of which testdata has records; one more of each is cut.
func TestVerifySamples(t *testing.T) {
	for _, tt := range []struct{ from, file, want string }{
		{"tidb-binlog", "binlogs.bin", "5 records, 4 messages, 1 errors on both sides: equal\n"},
		{"tidb-binlog", "types.bin", "2 records, 5 messages, 1 errors on both sides: equal\n"},
		{"changedataset", "changedataset.bin", "2 records, 3 messages, 1 errors on both sides: equal\n"},
	} {
		in, err := os.ReadFile(filepath.Join("..", "..", "testdata", tt.file))
		if err != nil {
			t.Fatal(err)
		}
		in = append(in, 0, 0, 0, 2, 0x1a, 1)
		for _, dialect := range []string{"canal", "ticdc"} {
			args := []string{"verify", "--from", tt.from, "--dialect", dialect}
			if dialect == "ticdc" {
				args = append(args, "--tidb-extension")
			}
			cdcbench(in, args...).check(t, 0, tt.want, "")
		}
	}
	for _, args := range [][]string{{"--dialect", "entry"}, {"--dialect", "packet"}, {"--from", "canal-json"}} {
		if r := cdcbench(nil, append([]string{"verify"}, args...)...); r.code != 2 || r.out != "" || r.err == "" {
			t.Errorf("%v: %+v", args, r)
		}
	}
}

func TestVerifyBrokenFrame(t *testing.T) {
	in := append(stream(t, frame.U32BE, entry(t, "a")), 1)
	r := cdcbench(in, "verify")
	r.check(t, 2, "", fmt.Sprintf("cdcbench: frame of record 1 at byte %d: stream ends inside the frame\n", len(in)-1))
}

func TestDifference(t *testing.T) {
	msgs := func(texts ...string) (v verdict) {
		for _, text := range texts {
			v.msgs = append(v.msgs, []byte(text))
		}
		return v
	}
	failed := verdict{err: errors.New("bad\nrecord")}
	long := strings.Repeat("x", 50)
	for _, tt := range []struct {
		name         string
		ours, theirs verdict
		want         string
	}{
		{"same", msgs("a", "b"), msgs("a", "b"), ""},
		{"both bad", failed, verdict{err: errors.New("something else")}, ""},
		{"one bad", failed, msgs("a"), `verdicts differ
  ours:      error: bad\nrecord
  reference: 1 message
`},
		{"fewer", msgs("a"), msgs("a", "b"), `verdicts differ
  ours:      1 message
  reference: 2 messages
`},
		{"entries", verdict{bad: []int{1}}, verdict{bad: []int{1, 2}}, `bad entries differ
  ours:      [1]
  reference: [1 2]
`},
		{"short", msgs("a", "abc"), msgs("a", "ab"), `message 1 differs at byte 2
  ours:      abc(end)
  reference: ab(end)
               ^
`},
		{"long", msgs(long + "é\"" + long), msgs(long + "è\"" + long), `message 0 differs at byte 51
  ours:      …` + long[:31] + `\xc3\xa9"` + long[:30] + `…
  reference: …` + long[:31] + `\xc3\xa8"` + long[:30] + `…
             ` + strings.Repeat(" ", 1+31+4) + `^
`},
	} {
		if got := difference(tt.ours, tt.theirs); got != tt.want {
			t.Errorf("%s: got\n%swant\n%s", tt.name, got, tt.want)
		}
	}
}
