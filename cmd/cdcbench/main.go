// Command cdcbench converts streams of change-data-capture records to
// Canal-JSON, holds the conversion to a slow and plain one, and shows how fast
// it is. Without arguments it gives a short demonstration.
package main

import (
	"os"
	"os/signal"
	"syscall"
)

func main() {
	// A reader that goes away is an error of the write, not the end of us.
	signal.Ignore(syscall.SIGPIPE)
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
