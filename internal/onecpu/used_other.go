//go:build !linux

package onecpu

import "time"

// usedIs says what Used measures.
const usedIs = "wall clock"

var started = time.Now()

// Used returns the time since the process began.
func Used() time.Duration { return time.Since(started) }
