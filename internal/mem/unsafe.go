//go:build (amd64 || arm64) && !purego

package mem

import "unsafe"

// View is the bytes of a slice: one word to pass on, where a slice is three.
type View struct{ p unsafe.Pointer }

// Of returns the View of b.
func Of(b []byte) View { return View{unsafe.Pointer(unsafe.SliceData(b))} }

// U64 returns the 8 bytes at i as a little-endian word.
func (v View) U64(i int) uint64 { return *(*uint64)(unsafe.Add(v.p, i)) }

// U32 returns the 4 bytes at i as a little-endian word.
func (v View) U32(i int) uint32 { return *(*uint32)(unsafe.Add(v.p, i)) }

// U8 returns the byte at i.
func (v View) U8(i int) byte { return *(*byte)(unsafe.Add(v.p, i)) }

// Slice returns the bytes from i to j; its capacity ends there too. No bytes are
// bytes of nowhere: at the end of an object their address would be that of the
// next one, which the collector takes for a reference to it.
func (v View) Slice(i, j int) []byte {
	if i == j {
		return []byte{}
	}
	return unsafe.Slice((*byte)(unsafe.Add(v.p, i)), j-i)
}

// Set makes dst the bytes from i to j, at least one byte before the end of what v is
// the bytes of. It is Slice without a check of i and j, and in place.
func (v View) Set(dst *[]byte, i, j int) {
	*(*slice)(unsafe.Pointer(dst)) = slice{unsafe.Add(v.p, i), j - i, j - i}
}

// slice is what a []byte is.
type slice struct {
	p        unsafe.Pointer
	len, cap int
}

// String returns b as a string, which is good as long as b is not written to.
func String(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// Store64 makes b[i:i+8] the little-endian word v.
func Store64(b []byte, i int, v uint64) {
	*(*uint64)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), i)) = v
}

// Store8 makes b[i] v.
func Store8(b []byte, i int, v byte) {
	*(*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), i)) = v
}

// Copy16 copies src[j:j+16] to dst[i:i+16].
func Copy16(dst []byte, i int, src []byte, j int) {
	*(*[16]byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(dst)), i)) =
		*(*[16]byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(src)), j))
}
