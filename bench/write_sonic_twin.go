//go:build !(amd64 || arm64) || purego

package bench

// Without its native code sonic would be something else: there are no peers of it.

func sonicWriters() []Peer { return nil }

func sonicConverters() []Peer { return nil }
