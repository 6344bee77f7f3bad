//go:build !windows

package claimcheck

import "os"

// syncDir makes the names in a directory last.
func syncDir(name string) error {
	if name == "" {
		name = "."
	}
	d, err := os.Open(name)
	if err != nil {
		return err
	}
	err = d.Sync()
	if e := d.Close(); err == nil {
		err = e
	}
	return err
}
