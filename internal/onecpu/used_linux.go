package onecpu

import (
	"time"

	"golang.org/x/sys/unix"
)

// usedIs says what Used measures.
var usedIs = "CPU time"

// started is where the wall clock is counted from.
var started = time.Now()

// Some sandboxes count CPU time in ticks of milliseconds, so that two readings
// are either equal or far apart. The wall clock has to do there.
func init() {
	for range 100 {
		a, err := processTime()
		b, _ := processTime()
		if d := b - a; err == nil && 0 < d && d < 100*time.Microsecond {
			return
		}
	}
	usedIs = "wall clock"
}

// Used returns the CPU time that the process has used: what other processes
// take of the CPU is not in it, the work of the garbage collector is.
func Used() time.Duration {
	if usedIs == "CPU time" {
		if d, err := processTime(); err == nil {
			return d
		}
	}
	return time.Since(started)
}

func processTime() (time.Duration, error) {
	var t unix.Timespec
	err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t)
	return time.Duration(t.Nano()), err
}
