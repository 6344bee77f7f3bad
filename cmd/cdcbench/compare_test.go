package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cdcodec/cdcodec/internal/codec"
)

func TestCompareCodecs(t *testing.T) {
	in := small(t)
	args := []string{"compare", "--codec", "cdcodec,reference", "--file", in, "--time", "5ms"}
	r := cdcbench(nil, args...)
	if r.code != 0 || r.err != "" {
		t.Fatalf("%+v", r)
	}
	for _, want := range []string{
		`^A: cdcodec\nB: reference\n\ncorpus +stage +A ns/entry +B ns/entry +A is faster by +95% interval +turns\n`,
		`\nfile +convert +[\d.,]+ +[\d.,]+ +[\d.]+x +[\d.]+ to [\d.]+ +\d+\nfile +decode `,
		`\ngeometric mean +[\d.]+x\n`,
		`GOMAXPROCS 1.*\ncdcbench compare --codec cdcodec,reference --file .* --time 5ms\n$`,
	} {
		if !regexp.MustCompile(want).MatchString(r.out) {
			t.Errorf("no %s in\n%s", want, r.out)
		}
	}

	// cdcodec is more than 1.5 times faster on any machine, and not a million times.
	if r := cdcbench(nil, append(args, "--stage", "convert", "--min-ratio", "1.5")...); r.code != 0 {
		t.Errorf("%+v", r)
	}
	r = cdcbench(nil, append(args, "--stage", "convert", "--min-ratio", "1e6")...)
	if r.code != 1 || !regexp.MustCompile(`\nbelow 1e\+06: file convert [\d.]+\n$`).MatchString(r.out) {
		t.Errorf("%+v", r)
	}
}

// figures writes a file as run --json does.
func figures(t *testing.T, list ...measurement) string {
	t.Helper()
	b, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	return file(t, b)
}

func TestCompareFiles(t *testing.T) {
	row := func(corpus string, s stage, ns float64, turns ...float64) measurement {
		return measurement{Corpus: corpus, Stage: s, Codec: codec.Ours, Entries: 10, NsPerEntry: ns, Turns: turns}
	}
	a := figures(t,
		row("oltp", stageConvert, 500, 498, 499, 500, 501, 502, 503, 504, 505),
		row("wide", stageConvert, 900, 900, 900, 900),
		row("bulk", stageConvert, 100),
	)
	b := figures(t,
		row("oltp", stageConvert, 600, 598, 599, 600, 601, 602, 603, 604),
		row("oltp", stageDecode, 600, 600),
		row("bulk", stageConvert, 80),
	)
	r := cdcbench(nil, "compare", a, b)
	want := "A: " + a + "\nB: " + b + `

corpus          stage    codec    A ns/entry  B ns/entry  A is faster by  95% interval  turns
───────────────────────────────────────────────────────────────────────────────────────────────
oltp            convert  cdcodec         502         601           1.20x  1.19 to 1.20    8/7
bulk            convert  cdcodec         100        80.0           0.80x                    1
───────────────────────────────────────────────────────────────────────────────────────────────
geometric mean                                                     0.98x

cdcbench compare ` + a + " " + b + "\n"
	r.check(t, 0, want, "")

	r = cdcbench(nil, "compare", a, b, "--min-ratio", "0.95")
	if r.code != 1 || !strings.HasSuffix(r.out, "\nbelow 0.95: bulk convert cdcodec 0.80\n") {
		t.Errorf("%+v", r)
	}
	if r := cdcbench(nil, "compare", a, b, "--min-ratio", "0.95", "--corpus", "oltp"); r.code != 0 || strings.Contains(r.out, "bulk ") {
		t.Errorf("%+v", r)
	}
	if r := cdcbench(nil, "compare", a, b, "--stage", "decode"); r.code != 2 || !strings.Contains(r.err, "nothing that both have") {
		t.Errorf("%+v", r)
	}
}

func TestCompareErrors(t *testing.T) {
	good := figures(t)
	for _, args := range [][]string{
		{},
		{good},
		{good, good, good},
		{"--codec", "cdcodec"},
		{"--codec", "cdcodec,copy,reference"},
		{"--codec", "cdcodec,nonsense"},
		{"--codec", "cdcodec,copy", good, good},
		{"--codec", "cdcodec,copy", "--rev", ".,HEAD"},
		{"--rev", "."},
		{"--rev", ".,HEAD", "--file", good},
		{good, file(t, []byte("{}"))},
		{good, filepath.Join(t.TempDir(), "none")},
		{"--codec", "cdcodec,cdcodec-general", "--stage", "decode", "--corpus", "blob"}, // only one has it
	} {
		if r := cdcbench(nil, append([]string{"compare"}, args...)...); r.code != 2 || r.err == "" {
			t.Errorf("%v: %+v", args, r)
		}
	}
}

// TestTurns is the protocol that compare --rev speaks.
func TestTurns(t *testing.T) {
	for _, trust := range []bool{false, true} {
		args := []string{"turns", "--corpus", "wide", "--stage", "decode", "--codec", "cdcodec"}
		if trust {
			args = append(args, "--trust")
		}
		r := cdcbench([]byte("\n\n\n"), args...)
		lines := strings.Split(r.out, "\n")
		if r.code != 0 || r.err != "" || len(lines) != 5 || lines[0] != ready || lines[4] != "" {
			t.Fatalf("%+v", r)
		}
		for _, line := range lines[1:4] {
			if ns, err := strconv.ParseFloat(line, 64); err != nil || ns <= 0 {
				t.Errorf("%q is no time", line)
			}
		}
	}
	for _, args := range [][]string{
		{"--corpus", "wide", "--stage", "decode", "--codec", "cdcodec-general"},
		{"--corpus", "nonsense", "--stage", "decode", "--codec", "cdcodec"},
		{"--corpus", "wide", "--stage", "nonsense", "--codec", "cdcodec"},
		{"--corpus", "wide", "--stage", "decode", "--codec", "nonsense"},
	} {
		if r := cdcbench(nil, append([]string{"turns"}, args...)...); r.code != 2 {
			t.Errorf("%v: %+v", args, r)
		}
	}
}

// turner is the source of a program that speaks the protocol and claims to take
// that long.
const turner = `package main

import (
	"bufio"
	"fmt"
	"os"
)

func main() {
	if os.Args[1] != "turns" {
		panic(os.Args)
	}
	fmt.Println("ready")
	for s := bufio.NewScanner(os.Stdin); s.Scan(); {
		fmt.Println(@)
	}
}
`

// TestCompareRevisions compares two revisions, and the files as they are, of a
// repository made for that.
func TestCompareRevisions(t *testing.T) {
	for _, program := range []string{"git", "go"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(err)
		}
	}
	top := t.TempDir()
	t.Chdir(top)
	t.Setenv("GOWORK", "off")
	git := func(args ...string) {
		t.Helper()
		args = append([]string{"-c", "user.name=n", "-c", "user.email=e", "-c", "init.defaultBranch=main"}, args...)
		if _, err := command(top, "git", args...); err != nil {
			t.Fatal(err)
		}
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	main := filepath.Join("cmd", "cdcbench", "main.go")
	write("go.mod", "module m\n\ngo 1.26\n")
	git("init", "-q")
	for _, text := range []string{strings.ReplaceAll(turner, "@", "300"), strings.ReplaceAll(turner, "@", "150"), "package main\n\nfunc main() {}\n"} {
		write(main, text)
		git("add", ".")
		git("commit", "-q", "-m", "x")
	}
	write(main, strings.ReplaceAll(turner, "@", "100"))

	args := []string{"compare", "--corpus", "oltp", "--stage", "convert", "--time", "1ms"}
	r := cdcbench(nil, append(args, "--rev", ".,HEAD~2")...)
	if r.code != 0 || !regexp.MustCompile(`\noltp +convert +cdcodec +100 +300 +3\.00x +3\.00 to 3\.00 +\d+\n`).MatchString(r.out) {
		t.Errorf("%+v", r)
	}
	r = cdcbench(nil, append(args, "--rev", "HEAD~2,HEAD~1", "--codec", "copy", "--min-ratio", "0.9")...)
	if r.code != 1 || !regexp.MustCompile(`\noltp +convert +copy +300 +150 +0\.50x `).MatchString(r.out) {
		t.Errorf("%+v", r)
	}
	r = cdcbench(nil, append(args, "--rev", ".,HEAD")...) // which says nothing
	if r.code != 2 || !strings.Contains(r.err, "turns --corpus oltp") {
		t.Errorf("%+v", r)
	}
	r = cdcbench(nil, append(args, "--rev", ".,nonsense")...)
	if r.code != 2 || !strings.Contains(r.err, "revision nonsense: ") {
		t.Errorf("%+v", r)
	}
	if left, err := command(top, "git", "worktree", "list"); err != nil || strings.Contains(left, "\n") {
		t.Errorf("work trees left: %s, %v", left, err)
	}
}

func TestInPairs(t *testing.T) {
	got := ""
	turn := func(s string) func() error { return func() error { got += s; return nil } }
	if err := inPairs(0, 3, turn("a"), turn("b")); err != nil || got != "abbaab" {
		t.Errorf("got %s, %v", got, err)
	}
	got = ""
	if err := inPairs(time.Hour, 1, turn("a"), turn("b")); err != nil || len(got) != 2*maxPairs {
		t.Errorf("%d turns, %v", len(got), err)
	}
}
