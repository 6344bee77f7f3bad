// Command cdcbench measures how fast change-data-capture records become
// Canal-JSON, by the library and by what else there is, converts streams of
// them, and holds the conversion to a slow and plain one. Without arguments it
// measures all of it, in half a minute.
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
