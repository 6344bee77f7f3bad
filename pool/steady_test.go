//go:build !cdcdebug && !race

package pool

import "testing"

// TestSteady: no allocation once buffers have their sizes, also over bytebufferpool's
// calibration, which comes with every 42,000th Put, and whatever length buffers are put back with.
func TestSteady(t *testing.T) {
	for _, limit := range []int{0, 200_000} {
		p := Pool{MaxKept: limit}
		use := func() {
			small, large, odd := p.GetSize(100), p.GetSize(150_000), p.GetSize(5000)
			small.B = append(small.B, "short"...)
			large.B = large.B[:cap(large.B)]
			odd.B = append(odd.B, "x"...)
			p.Put(large)
			p.Put(odd)
			p.Put(small)
			b := p.Get()
			b.B = append(b.B, "message"...)
			p.Put(b)
		}
		if n := testing.AllocsPerRun(100_000, use); n != 0 {
			t.Errorf("MaxKept %d: %v allocations", limit, n)
		}
		if s := p.Stats(); s.Dropped != 0 || s.Made > s.Gets/1000 {
			t.Errorf("MaxKept %d: %+v", limit, s)
		}
	}
}

// TestSteadyGrown: what Get lends has the size that its user made it grow to.
func TestSteadyGrown(t *testing.T) {
	var p Pool
	data := make([]byte, 77_777)
	if n := testing.AllocsPerRun(100_000, func() {
		b := p.Get()
		b.B = append(b.B, data...)
		p.Put(b)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if s := p.Stats(); s.Made > s.Gets/1000 {
		t.Errorf("%+v", s)
	}
}

// TestUnchecked: the ordinary build overwrites no more than a byte, and takes any buffer.
func TestUnchecked(t *testing.T) {
	var p Pool
	b := &Buffer{B: make([]byte, 600)}
	view := b.B
	p.Put(b)
	for _, c := range view[1:] {
		if c != 0 {
			t.Fatal("poison")
		}
	}
	if s := p.Stats(); s.InUse != 0 || s.Puts != 1 || s.Dropped != 0 {
		t.Errorf("%+v", s)
	}
}

func BenchmarkPool(b *testing.B) {
	var p Pool
	b.Run("get=any", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			p.Put(p.Get())
		}
	})
	b.Run("get=size", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			p.Put(p.GetSize(64 << 10))
		}
	})
}
