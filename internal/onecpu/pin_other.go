//go:build !linux

package onecpu

import "runtime"

// Pin lets one goroutine run at a time, and says so; undo ends that. It can pin
// to a CPU on linux only.
func Pin() (text string, undo func()) {
	procs := runtime.GOMAXPROCS(1)
	return "not pinned to a CPU (only on linux), GOMAXPROCS 1", func() { runtime.GOMAXPROCS(procs) }
}
