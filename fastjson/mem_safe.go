//go:build !(amd64 || arm64) || purego

package fastjson

import "encoding/binary"

// The twins of mem_unsafe.go.

type view struct{ b []byte }

func viewOf(b []byte) view { return view{b} }

func (v view) u64(i int) uint64 { return binary.LittleEndian.Uint64(v.b[i:]) }
func (v view) u32(i int) uint32 { return binary.LittleEndian.Uint32(v.b[i:]) }
func (v view) u8(i int) byte    { return v.b[i] }

func store64(b []byte, i int, v uint64) { binary.LittleEndian.PutUint64(b[i:], v) }

func copy16(dst []byte, i int, src []byte, j int) {
	*(*[16]byte)(dst[i:]) = *(*[16]byte)(src[j:])
}
