//go:build !linux

package main

import "time"

// timeIs says what cpuTime measures.
const timeIs = "wall clock"

var started = time.Now()

// cpuTime returns the time since the process began.
func cpuTime() time.Duration { return time.Since(started) }
