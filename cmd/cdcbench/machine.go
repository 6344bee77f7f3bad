package main

import (
	"bufio"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/cdcodec/cdcodec/internal/codec"
)

// machine says in a line where something was measured.
func machine(pinned string) string {
	sonic := ", sonic native"
	if !codec.SonicIsNative {
		sonic = ", sonic not native"
	}
	return cpuModel() + ", " + runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH + ", " + pinned + sonic
}

// cpuModel returns what the system calls its CPU.
func cpuModel() string {
	model := ""
	switch runtime.GOOS {
	case "linux":
		model = linuxCPUModel()
	case "darwin":
		out, _ := exec.Command("sysctl", "-n", "machdep.cpu.brand_string").Output()
		model = strings.TrimSpace(string(out))
	case "windows":
		model = os.Getenv("PROCESSOR_IDENTIFIER")
	}
	if model == "" {
		return "unknown CPU"
	}
	return oneLine(model)
}

func linuxCPUModel() string {
	file, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if key, value, ok := strings.Cut(lines.Text(), ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// clockCost returns how long it takes to time something: about what an empty
// record would seem to take.
func clockCost() time.Duration {
	const n = 1000
	var sum time.Duration
	for range n {
		start := time.Now()
		sum += time.Since(start)
	}
	return sum / n
}
