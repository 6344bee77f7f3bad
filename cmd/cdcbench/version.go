package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// versionCmd is "cdcbench version".
type versionCmd struct{}

// Run prints the version of the module, the commit if it is known, and Go's.
func (versionCmd) Run(s *streams) error {
	version, commit := "(unknown)", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		version = info.Main.Version
		for _, setting := range info.Settings {
			if setting.Key == "vcs.revision" {
				commit = " " + setting.Value
			}
		}
	}
	_, err := fmt.Fprintf(s.out, "cdcbench %s%s %s %s/%s\n", version, commit, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}
