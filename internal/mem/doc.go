// Package mem is all of the library's unsafe memory access: loads, stores and
// slices without bounds checks, for callers who have seen that the bytes are
// there. safe.go has the same with checks, for other CPUs and for the build tag
// purego, where a fault of a caller's is a panic and not a wild read.
package mem
