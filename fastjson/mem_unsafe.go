//go:build (amd64 || arm64) && !purego

package fastjson

import "unsafe"

// The loads and stores of the fused path, without bounds checks: the caller has
// seen that the bytes are there. Their twins in mem_safe.go do the same with
// checks.

// view is the bytes of a slice: one word to pass on, where a slice is three.
type view struct{ p unsafe.Pointer }

func viewOf(b []byte) view { return view{unsafe.Pointer(unsafe.SliceData(b))} }

// u64 returns the 8 bytes at i as a little-endian word; u32 and u8 fewer.
func (v view) u64(i int) uint64 { return *(*uint64)(unsafe.Add(v.p, i)) }
func (v view) u32(i int) uint32 { return *(*uint32)(unsafe.Add(v.p, i)) }
func (v view) u8(i int) byte    { return *(*byte)(unsafe.Add(v.p, i)) }

// store64 makes b[i:i+8] the little-endian word v.
func store64(b []byte, i int, v uint64) {
	*(*uint64)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), i)) = v
}

// copy16 copies src[j:j+16] to dst[i:i+16].
func copy16(dst []byte, i int, src []byte, j int) {
	*(*[16]byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(dst)), i)) =
		*(*[16]byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(src)), j))
}
