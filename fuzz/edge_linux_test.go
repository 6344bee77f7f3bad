package fuzz

import (
	"syscall"
	"testing"
)

// edge keeps input where its last byte is the last one of mapped memory: a read
// of the byte behind it, by Go or by machine code, ends the process.
type edge struct{ mem []byte } // the last page of it may not be touched

const page = 4096

// put returns a copy of in at the edge, good until the next put.
func (e *edge) put(t testing.TB, in []byte) []byte {
	t.Helper()
	if len(in) > len(e.mem)-page {
		if e.mem != nil {
			if err := syscall.Munmap(e.mem); err != nil {
				t.Fatal(err)
			}
		}
		size := (2*len(in)/page + 17) * page
		mem, err := syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
		if err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mprotect(mem[size-page:], syscall.PROT_NONE); err != nil {
			t.Fatal(err)
		}
		e.mem = mem
	}
	end := len(e.mem) - page
	b := e.mem[end-len(in) : end : end]
	copy(b, in)
	return b
}
