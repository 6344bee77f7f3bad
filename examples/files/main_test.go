package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestMain is the command itself if a test has started it as such.
func TestMain(m *testing.M) {
	if os.Getenv("BE_THE_COMMAND") != "" {
		os.Exit(run(context.Background(), os.Args[1:], os.Stdin, os.Stderr))
	}
	os.Exit(m.Run())
}

const binlogs = "../../testdata/binlogs.bin"

func lines(t *testing.T, dir string) int {
	t.Helper()
	names, _ := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	n := 0
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		n += strings.Count(string(text), "\n")
	}
	return n
}

func TestRun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "out")
	var stderr strings.Builder
	for range 2 { // the second time there is nothing left to do
		if code := run(t.Context(), []string{"-dir", dir, "-from", "tidb-binlog", "-i", binlogs}, nil, &stderr); code != 0 {
			t.Fatal(stderr.String())
		}
		if n := lines(t, dir); n == 0 || !strings.HasSuffix(stderr.String(), "delivered up to record 4\n") {
			t.Errorf("%d lines, %q", n, stderr.String())
		}
	}
	for _, c := range []struct {
		code int
		says string
		args []string
	}{
		{2, "-dir is needed", nil},
		{2, "no format is called", []string{"-dir", dir, "-from", "xml"}},
		{2, "nothing but flags", []string{"-dir", dir, "file"}},
		{1, "is for the input", []string{"-dir", dir, "-from", "tidb-binlog"}},
		{1, "record 0", []string{"-dir", dir + "2", "-from", "packet", "-i", binlogs}},
		{0, "record 0 at byte 4: ", []string{"-dir", dir + "3", "-from", "packet", "-i", binlogs, "-skip-bad"}},
	} {
		stderr.Reset()
		if code := run(t.Context(), c.args, strings.NewReader(""), &stderr); code != c.code || !strings.Contains(stderr.String(), c.says) {
			t.Errorf("%q: %d, %s", c.args, code, stderr.String())
		}
	}
}

// TestKilled kills the command again and again, as the system does it: nothing is lost and
// nothing comes twice.
func TestKilled(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("os.Process.Kill leaves files open for a moment")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	one, err := os.ReadFile(binlogs) // a message a record
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	in := filepath.Join(dir, "in")
	if err := os.WriteFile(in, []byte(strings.Repeat(string(one), 3000)), 0o644); err != nil {
		t.Fatal(err)
	}
	args := func(out string) []string {
		return []string{"-dir", filepath.Join(dir, out), "-i", in, "-from", "tidb-binlog", "-batch-bytes", "20000", "-max-size", "100000"}
	}
	var stderr strings.Builder
	if code := run(t.Context(), args("whole"), nil, &stderr); code != 0 {
		t.Fatal(stderr.String())
	}
	finished := func() int {
		names, _ := filepath.Glob(filepath.Join(dir, "killed", "*.jsonl"))
		return len(names)
	}
	kills := 0
	for {
		c := exec.Command(self, args("killed")...)
		c.Env = append(os.Environ(), "BE_THE_COMMAND=1")
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- c.Wait() }()
		var err error
		for before, running := finished(), true; running; {
			select {
			case err = <-ended:
				running = false
			case <-time.After(time.Millisecond):
				if kills < 8 && finished() > before { // it is at work
					time.Sleep(time.Duration(kills) * time.Millisecond)
					_ = c.Process.Kill()
				}
			}
		}
		if err == nil {
			break
		}
		kills++
	}
	if kills == 0 {
		t.Error("it was never killed")
	}
	if got, want := lines(t, filepath.Join(dir, "killed")), lines(t, filepath.Join(dir, "whole")); got != want {
		t.Errorf("%d lines after %d kills, want %d", got, kills, want)
	}
	t.Logf("%d kills", kills)
}
