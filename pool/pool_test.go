package pool

import (
	"math/rand/v2"
	"sync"
	"testing"
)

func TestClasses(t *testing.T) {
	for _, c := range []struct{ n, above, below int }{
		{0, 0, -10}, {1, 0, -9}, {511, 0, -1}, {512, 0, 0}, {513, 1, 0}, {1023, 1, 0}, {1024, 1, 1}, {1025, 2, 1},
		{1 << 20, 11, 11}, {1<<20 + 1, 12, 11}, {LargestMaxKept, classes - 1, classes - 1},
	} {
		if above, below := classAbove(c.n), classBelow(c.n); above != c.above || below != c.below {
			t.Errorf("%d: above %d, below %d; want %d, %d", c.n, above, below, c.above, c.below)
		}
	}
	if classAbove(-1) != 0 {
		t.Error("a negative size")
	}
}

func TestGetSize(t *testing.T) {
	for _, limit := range []int{0, -1, 1, 100, 512, 1000, 3000, 1 << 20, LargestMaxKept, LargestMaxKept * 2} {
		p := Pool{MaxKept: limit}
		for _, n := range []int{-1, 0, 1, 100, 511, 512, 513, 999, 1000, 1001, 3000, 65536, 1<<20 + 1} {
			for range 3 {
				b := p.GetSize(n)
				if len(b.B) != 0 || cap(b.B) < n {
					t.Fatalf("MaxKept %d: GetSize(%d) is %d long with room for %d", limit, n, len(b.B), cap(b.B))
				}
				p.Put(b)
				if b = p.Get(); len(b.B) != 0 {
					t.Fatalf("MaxKept %d: Get is %d long", limit, len(b.B))
				}
				p.Put(b)
			}
		}
		s := p.Stats()
		if s.Gets != s.Puts || s.InUse != 0 {
			t.Errorf("MaxKept %d: %+v", limit, s)
		}
	}
}

// TestMaxKept: what is larger is dropped, what is as large is not.
func TestMaxKept(t *testing.T) {
	for _, limit := range []int{100, 512, 1000, 4096, 5000, 1 << 20} {
		for _, size := range []int{limit - 1, limit, limit + 1} {
			p := Pool{MaxKept: limit}
			b := p.Get()
			b.B = make([]byte, size)
			p.Put(b)
			want := uint64(0)
			if size > limit || size < smallest && size != limit {
				want = 1
			}
			if s := p.Stats(); s.Dropped != want {
				t.Errorf("MaxKept %d: %d dropped of a buffer of %d, want %d", limit, s.Dropped, size, want)
			}
		}
	}
	var p Pool
	b := p.GetSize(LargestMaxKept)
	p.Put(b)
	if s := p.Stats(); s.Dropped != 1 || s.Made != 1 || b.B != nil {
		t.Errorf("%+v; the zero Pool kept %d bytes", s, cap(b.B))
	}
}

// TestTakenOut: memory that the caller keeps is not lent again.
func TestTakenOut(t *testing.T) {
	var p Pool
	b := p.Get()
	kept := append(b.B, "kept"...)
	b.B = nil
	p.Put(b)
	for range 4 {
		o := p.Get()
		o.B = append(o.B, "over"...)
	}
	if string(kept) != "kept" || p.Stats().Dropped != 1 {
		t.Errorf("%q, %+v", kept, p.Stats())
	}
	p.Put(nil)
	if s := p.Stats(); s.Puts != 1 || s.InUse != 4 {
		t.Errorf("%+v", s)
	}
}

// TestConcurrent has many owners, each of whom must find its own bytes.
func TestConcurrent(t *testing.T) {
	p := Pool{MaxKept: 20_000}
	var group sync.WaitGroup
	for g := range 16 {
		group.Go(func() {
			random := rand.New(rand.NewPCG(1, uint64(g)))
			for range 150 {
				n := random.IntN(25_000)
				b := p.Get()
				if n%2 == 0 {
					p.Put(b)
					b = p.GetSize(n)
				}
				for i := range n {
					b.B = append(b.B, byte(i+g))
				}
				for i, c := range b.B {
					if c != byte(i+g) {
						t.Errorf("byte %d of %d is another's", i, n)
						return
					}
				}
				p.Put(b)
			}
		})
	}
	group.Wait()
	if s := p.Stats(); s.InUse != 0 || s.Gets < 16*150 {
		t.Errorf("%+v", s)
	}
}
