package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"

	"golang.org/x/sys/unix"
)

// pin keeps the process on one CPU, the last of those that it may use, with one
// goroutine running at a time, and says which.
func pin() string {
	runtime.GOMAXPROCS(1)
	var all, one unix.CPUSet
	if err := unix.SchedGetaffinity(0, &all); err != nil {
		return "not pinned, GOMAXPROCS 1"
	}
	cpu := -1
	for i := range len(all) * strconv.IntSize {
		if all.IsSet(i) {
			cpu = i
		}
	}
	one.Set(cpu)
	// A thread has the CPUs of the one that made it: so every thread there is is set,
	// until no new one has come.
	done := map[int]bool{}
	for fresh := true; fresh; {
		fresh = false
		tasks, err := os.ReadDir("/proc/self/task")
		if err != nil {
			return "not pinned, GOMAXPROCS 1"
		}
		for _, task := range tasks {
			id, err := strconv.Atoi(task.Name())
			if err != nil || done[id] {
				continue
			}
			if err := unix.SchedSetaffinity(id, &one); err != nil && err != unix.ESRCH {
				return "not pinned, GOMAXPROCS 1"
			}
			done[id], fresh = true, true
		}
	}
	return fmt.Sprintf("pinned to CPU %d, GOMAXPROCS 1", cpu)
}
