package onecpu

import (
	"fmt"
	"os"
	"runtime"
	"strconv"

	"golang.org/x/sys/unix"
)

// Pin keeps the process on one CPU, with one goroutine running at a time, and
// says which; undo ends that. The CPU is the last one that may be used, as the
// first has the most interrupts.
func Pin() (text string, undo func()) {
	procs := runtime.GOMAXPROCS(1)
	unpinned := func() { runtime.GOMAXPROCS(procs) }
	const without = "not pinned to a CPU (%v), GOMAXPROCS 1"
	var before, one unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		return fmt.Sprintf(without, err), unpinned
	}
	cpu := -1
	for i := range len(before) * strconv.IntSize {
		if before.IsSet(i) {
			cpu = i
		}
	}
	one.Set(cpu)
	if err := setAffinity(&one); err != nil {
		_ = setAffinity(&before)
		return fmt.Sprintf(without, err), unpinned
	}
	return fmt.Sprintf("pinned to CPU %d, GOMAXPROCS 1", cpu), func() {
		_ = setAffinity(&before) // it could be set once
		unpinned()
	}
}

// setAffinity sets the CPUs of every thread there is. A thread has those of the
// one that made it, so the threads that come while this looks are in the list
// of the next look.
func setAffinity(cpus *unix.CPUSet) error {
	done := map[int]bool{}
	for {
		tasks, err := os.ReadDir("/proc/self/task")
		if err != nil {
			return err
		}
		fresh := false
		for _, task := range tasks {
			id, err := strconv.Atoi(task.Name())
			if err != nil || done[id] {
				continue
			}
			if err := unix.SchedSetaffinity(id, cpus); err != nil && err != unix.ESRCH {
				return err
			}
			done[id], fresh = true, true
		}
		if !fresh {
			return nil
		}
	}
}
