package onecpu_test

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/cdcodec/cdcodec/internal/onecpu"
)

func TestPin(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	text, undo := onecpu.Pin()
	if got := runtime.GOMAXPROCS(0); got != 1 || !strings.Contains(text, "pinned to") {
		t.Errorf("GOMAXPROCS %d, %s", got, text)
	}
	undo()
	if got := runtime.GOMAXPROCS(0); got != before {
		t.Errorf("GOMAXPROCS %d, was %d", got, before)
	}
}

// TestUsed: time that is slept does not count, or all of it does.
func TestUsed(t *testing.T) {
	start, cpu := time.Now(), onecpu.Used()
	time.Sleep(20 * time.Millisecond)
	slept := onecpu.Used() - cpu
	if onecpu.UsedIs() == "wall clock" && slept < 20*time.Millisecond {
		t.Errorf("%v went by in %v", slept, time.Since(start))
	}
	cpu = onecpu.Used()
	x := 0
	for start := time.Now(); time.Since(start) < 5*time.Millisecond; {
		x++
	}
	if used := onecpu.Used() - cpu; used <= 0 || x == 0 {
		t.Errorf("no time went by: %v", used)
	}
}
