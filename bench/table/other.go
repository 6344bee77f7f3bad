//go:build !linux

package main

import (
	"runtime"
	"time"
)

// timeIs says what clock measures.
const timeIs = "wall clock"

var started = time.Now()

func clock() time.Duration { return time.Since(started) }

// pin lets one goroutine run at a time. It can pin to a CPU on linux only.
func pin() string {
	runtime.GOMAXPROCS(1)
	return "not pinned, GOMAXPROCS 1"
}
