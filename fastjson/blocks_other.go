//go:build !amd64 || purego

package fastjson

// haveBlocks is false where there is no escapeBlocks: appendQuoted and sonic do
// without.
const haveBlocks = false

func escapeBlocks(_ *byte, _ int, _ *byte, _, _ int, _ uint64) (d, s int) { return 0, 0 }
