//go:build !(amd64 || arm64) || purego

package bench

// sonicWriters is empty: without its native code sonic would be something else.
func sonicWriters() []Peer { return nil }
