// Package claimcheck keeps messages that are too large to be sent, for the large
// message mode claim check of dialect ticdc (spec: ticdc.md 12): what is sent instead
// tells where the message is.
package claimcheck

import (
	"crypto/rand"
	"encoding/hex"
	"os"
	"path/filepath"
)

// Dir is a directory that keeps each message in a file of its own; it is a
// fastjson.ClaimStore. The directory must be there. A Dir deletes nothing: who runs
// it decides how long a message may be asked for.
//
// Any number of goroutines, and of processes, may use a Dir at the same time.
type Dir string

// Put writes message to a new file of d and returns the file's path: d itself, and a
// name of 32 random hexadecimal digits, which nobody can guess, and ".json". A file of
// that name is either not there or whole, and safe on disk, when Put returns.
//
// Errors are those of package os; no file is left then.
func (d Dir) Put(message []byte) (location string, err error) {
	var id [16]byte
	rand.Read(id[:]) // never fails
	location = filepath.Join(string(d), hex.EncodeToString(id[:])+".json")
	// In the same directory, as a file cannot be renamed across file systems.
	unfinished := location + ".tmp"
	f, err := os.OpenFile(unfinished, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o640)
	if err != nil {
		return "", err
	}
	if _, err = f.Write(message); err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(unfinished, location)
	}
	if err == nil {
		err = syncDir(string(d))
	}
	if err != nil {
		os.Remove(unfinished)
		return "", err
	}
	return location, nil
}
