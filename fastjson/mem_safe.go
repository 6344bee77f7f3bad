//go:build !(amd64 || arm64) || purego

package fastjson

import "encoding/binary"

// The twins of mem_unsafe.go.

func load64(b []byte, i int) uint64     { return binary.LittleEndian.Uint64(b[i:]) }
func load32(b []byte, i int) uint32     { return binary.LittleEndian.Uint32(b[i:]) }
func load8(b []byte, i int) byte        { return b[i] }
func store64(b []byte, i int, v uint64) { binary.LittleEndian.PutUint64(b[i:], v) }

func copy16(dst []byte, i int, src []byte, j int) {
	*(*[16]byte)(dst[i:]) = *(*[16]byte)(src[j:])
}
