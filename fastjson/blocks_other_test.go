//go:build !amd64 || purego

package fastjson

// setBlocks does nothing: there are no blocks to turn on.
func setBlocks(bool) (was bool) { return false }
