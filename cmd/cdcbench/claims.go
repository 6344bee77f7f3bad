package main

import (
	"crypto/sha256"
	"encoding/hex"
	"sync"

	"github.com/cdcodec/cdcodec/fastjson/claimcheck"
)

// claimDir keeps messages that are too large in a directory, and remembers if it could
// not: that is no fault of a record, and ends a run.
type claimDir struct {
	dir claimcheck.Dir
	mu  sync.Mutex
	err error
}

// Put implements fastjson.ClaimStore.
func (d *claimDir) Put(message []byte) (location string, err error) {
	if location, err = d.dir.Put(message); err != nil {
		d.mu.Lock()
		d.err = err
		d.mu.Unlock()
	}
	return location, err
}

// failed returns why a message could not be kept.
func (d *claimDir) failed() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.err
}

// sameClaims stores nothing and has one location for one message, so that two ways to
// convert can be compared.
type sameClaims struct{}

// Put implements fastjson.ClaimStore.
func (sameClaims) Put(message []byte) (location string, err error) {
	sum := sha256.Sum256(message)
	return hex.EncodeToString(sum[:16]) + ".json", nil
}
