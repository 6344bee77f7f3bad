package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/cdcodec/cdcodec/internal/corpus"
	"github.com/cdcodec/cdcodec/internal/onecpu"
)

// Comparing two revisions: each is built, runs as a process of its own, makes
// and checks the traffic, and from then on takes a turn whenever it is told to.
// So the turns of the two are as near to each other as those of two codecs in
// one process. But where a process has its memory makes it faster or slower for
// all of its life, by some percent. So there are several launches, and each
// counts as one sample.
//
//	we write   it writes
//	           ready
//	\n         912.5        ns per Entry of a turn
//	\n         908.1
//	end of input: it ends

// turnsCmd is "cdcbench turns", the other end of that.
type turnsCmd struct {
	Corpus string `required:""`
	Stage  string `required:""`
	Codec  string `required:""`
	Trust  bool   `help:"Leave the check out: it has been made before."`
}

// revisionTurn is how long a turn lasts at least. The other process has used
// the caches in between, so it is longer than minTurn.
const revisionTurn = 5 * time.Millisecond

// launches is how many samples there are: with six an interval can be told.
const launches = 6

const ready = "ready"

// Run takes turns.
func (c *turnsCmd) Run(s *streams) error {
	flags := trafficFlags{Corpus: []string{c.Corpus}, Stage: []string{c.Stage}}
	sources, err := flags.sources(s, nil)
	if err != nil {
		return err
	}
	at := sources[0].stages[0]
	if err := checkCodecs([]string{c.Codec}); err != nil {
		return err
	}
	_, unpin := onecpu.Pin()
	defer unpin()
	t, err := sources[0].load()
	if err != nil {
		return err
	}
	if t, err = t.at(at); err != nil {
		return err
	}
	lanes, err := newLanes(t, at, []string{c.Codec})
	if err != nil {
		return err
	}
	if len(lanes) == 0 {
		return usageError(c.Codec + " has no stage " + c.Stage)
	}
	l := lanes[0]
	if c.Trust {
		err = l.trust(t, revisionTurn)
	} else {
		_, _, err = check(t, lanes, revisionTurn)
	}
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(s.out, ready); err != nil {
		return err
	}
	for told := bufio.NewScanner(s.in); told.Scan(); {
		if err := l.turn(t); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(s.out, l.turns[len(l.turns)-1]); err != nil {
			return err
		}
	}
	return nil
}

// revisions compares two revisions.
func (c *compareCmd) revisions(s *streams) (list []comparison, note string, err error) {
	if c.File != "" {
		return nil, "", usageError("--rev works on the corpora only")
	}
	sources, err := c.sources(s, corpus.Names(), stageConvert, stageDecode)
	if err != nil {
		return nil, "", err
	}
	bar := newSteps(s.err, 1+pairsOf(sources))
	defer bar.finish()
	bar.step(0, "building")
	dir, err := os.MkdirTemp("", "cdcbench")
	if err != nil {
		return nil, "", err
	}
	defer os.RemoveAll(dir)
	var programs [2]string
	for i, rev := range c.Rev {
		if programs[i], err = build(rev, filepath.Join(dir, strconv.Itoa(i))); err != nil {
			return nil, "", fmt.Errorf("revision %s: %w", rev, err)
		}
	}
	bar.step(1, "")
	for _, source := range sources {
		for _, stage := range source.stages {
			bar.step(0, source.name+" "+string(stage))
			x, err := c.launch(programs, source.name, stage)
			if err != nil {
				return nil, "", err
			}
			list = append(list, *x)
			bar.step(1, source.name)
		}
	}
	return list, machine("each revision pinned if it can be") + "\n", nil
}

// launch compares two programs at one stage of one corpus.
func (c *compareCmd) launch(programs [2]string, corpus string, stage stage) (*comparison, error) {
	x := &comparison{corpus: corpus, stage: stage, codec: c.subject()}
	args := []string{"turns", "--corpus", corpus, "--stage", string(stage), "--codec", x.codec}
	var ratios []float64
	for range launches {
		a, b, err := duel(programs, c.Time/launches, args...)
		if err != nil {
			return nil, err
		}
		x.a, x.b = append(x.a, a...), append(x.b, b...)
		ratios = append(ratios, paired(a, b).ratio)
		if args[len(args)-1] != "--trust" {
			args = append(args, "--trust")
		}
	}
	x.estimate = middle(ratios)
	return x, nil
}

// build builds the command of a revision, in a work tree that is gone
// afterwards, and returns the program's name. The revision "." is the files
// as they are.
func build(rev, dir string) (program string, err error) {
	top, err := command("", "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return "", err
	}
	program = dir + ".exe" // as Windows wants it
	if rev == "." {
		_, err = command(top, "go", "build", "-o", program, "./cmd/cdcbench")
		return program, err
	}
	if _, err := command(top, "git", "worktree", "add", "--quiet", "--detach", dir, rev); err != nil {
		return "", err
	}
	defer func() {
		if _, rerr := command(top, "git", "worktree", "remove", "--force", dir); err == nil {
			err = rerr
		}
	}()
	_, err = command(dir, "go", "build", "-o", program, "./cmd/cdcbench")
	return program, err
}

// command runs a program in a folder and returns the line it prints. Its error
// holds what it complained of.
func command(dir string, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, bytes.TrimSpace(stderr.Bytes()))
	}
	return strings.TrimSuffix(string(out), "\n"), err
}

// duel has two programs take turns in pairs for about that long, and returns
// what each has measured.
func duel(programs [2]string, long time.Duration, args ...string) (a, b []float64, err error) {
	var of [2]*remote
	for i, program := range programs {
		if of[i], err = startRemote(program, args...); err != nil {
			return nil, nil, err
		}
		defer of[i].end()
	}
	for _, r := range of {
		if line, err := r.line(); err != nil || line != ready {
			return nil, nil, r.failed(line, err)
		}
	}
	if err := inPairs(long, 1, of[0].turn, of[1].turn); err != nil {
		return nil, nil, err
	}
	return of[0].turns, of[1].turns, nil
}

// A remote is a process that takes turns.
type remote struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr bytes.Buffer
	turns  []float64
}

func startRemote(program string, args ...string) (*remote, error) {
	r := &remote{cmd: exec.Command(program, args...)}
	r.cmd.Stderr = &r.stderr
	var err error
	if r.in, err = r.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := r.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	r.out = bufio.NewReader(out)
	return r, r.cmd.Start()
}

func (r *remote) line() (string, error) {
	line, err := r.out.ReadString('\n')
	return strings.TrimSuffix(line, "\n"), err
}

// turn has the process take one.
func (r *remote) turn() error {
	if _, err := io.WriteString(r.in, "\n"); err != nil {
		return r.failed("", err)
	}
	line, err := r.line()
	if err != nil {
		return r.failed(line, err)
	}
	ns, err := strconv.ParseFloat(line, 64)
	if err != nil || ns <= 0 {
		return r.failed(line, errors.New("no time"))
	}
	r.turns = append(r.turns, ns)
	return nil
}

// failed returns an error that says what came instead. The process is over.
func (r *remote) failed(line string, err error) error {
	r.end()
	if text := strings.TrimSpace(r.stderr.String()); text != "" {
		return fmt.Errorf("%s: %s", strings.Join(r.cmd.Args, " "), text)
	}
	return fmt.Errorf("%s: got %q: %w", strings.Join(r.cmd.Args, " "), line, err)
}

// end ends the process and waits for that.
func (r *remote) end() {
	r.in.Close()
	_, _ = io.Copy(io.Discard, r.out)
	_ = r.cmd.Wait() // how it ended does not matter any more
}
