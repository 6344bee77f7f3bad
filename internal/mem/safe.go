//go:build !(amd64 || arm64) || purego

package mem

import "encoding/binary"

// View is the bytes of a slice.
type View struct{ b []byte }

// Of returns the View of b.
func Of(b []byte) View { return View{b} }

// U64 returns the 8 bytes at i as a little-endian word.
//
// As in all of these, the condition is there for the compiler: behind it, with a slice
// whose length is its capacity, b[i:] is one comparison and no masks.
func (v View) U64(i int) uint64 {
	b := v.b[:len(v.b):len(v.b)]
	if len(b)-i < 8 {
		outside()
	}
	return binary.LittleEndian.Uint64(b[i:])
}

// U32 returns the 4 bytes at i as a little-endian word.
func (v View) U32(i int) uint32 {
	b := v.b[:len(v.b):len(v.b)]
	if len(b)-i < 4 {
		outside()
	}
	return binary.LittleEndian.Uint32(b[i:])
}

// U8 returns the byte at i.
func (v View) U8(i int) byte { return v.b[i] }

// Slice returns the bytes from i to j; its capacity ends there too.
func (v View) Slice(i, j int) []byte { return v.b[i:j:j] }

// Set makes dst the bytes from i to j.
func (v View) Set(dst *[]byte, i, j int) { *dst = v.b[i:j:j] }

// String returns b as a string, which is good as long as b is not written to.
func String(b []byte) string { return string(b) }

// Store64 makes b[i:i+8] the little-endian word v.
func Store64(b []byte, i int, v uint64) {
	b = b[:len(b):len(b)]
	if len(b)-i < 8 {
		outside()
	}
	binary.LittleEndian.PutUint64(b[i:], v)
}

// Store8 makes b[i] v.
func Store8(b []byte, i int, v byte) { b[i] = v }

// Copy16 copies src[j:j+16] to dst[i:i+16].
func Copy16(dst []byte, i int, src []byte, j int) {
	dst, src = dst[:len(dst):len(dst)], src[:len(src):len(src)]
	if len(dst)-i < 16 || len(src)-j < 16 {
		outside()
	}
	*(*[16]byte)(dst[i:]) = *(*[16]byte)(src[j:])
}

// outside is the panic of a slice out of range.
func outside() { panic("mem: out of range") }
