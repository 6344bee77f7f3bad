package main

import (
	"time"

	"golang.org/x/sys/unix"
)

// timeIs says what clock measures.
var timeIs = "CPU time"

var started = time.Now()

// Some sandboxes count CPU time in ticks of milliseconds, so that two readings are
// either equal or far apart. The wall clock has to do there.
func init() {
	for range 100 {
		a, err := processTime()
		b, _ := processTime()
		if d := b - a; err == nil && 0 < d && d < 100*time.Microsecond {
			return
		}
	}
	timeIs = "wall clock"
}

// clock returns the CPU time of the process, with the collector's, without that of
// other processes.
func clock() time.Duration {
	if timeIs == "CPU time" {
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
