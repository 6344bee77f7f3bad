package main

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestCoins compares with the tables in textbooks of the sign test, at 2.5% on
// each side.
func TestCoins(t *testing.T) {
	for n, want := range map[int]int{1: 0, 5: 0, 6: 1, 8: 1, 9: 2, 12: 3, 15: 4, 17: 5, 20: 6, 25: 8, 30: 10, 50: 18, 100: 40} {
		if got := coins(n); got != want {
			t.Errorf("%d tosses: %d, want %d", n, got, want)
		}
	}
}

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		x    []float64
		want float64
	}{
		{[]float64{3}, 3},
		{[]float64{9, 1, 2}, 2},
		{[]float64{4, 1, 3, 100}, 3.5},
	} {
		before := slices.Clone(c.x)
		if got := median(c.x); got != c.want || !slices.Equal(c.x, before) {
			t.Errorf("%v: %v, want %v", c.x, got, c.want)
		}
	}
	if !math.IsNaN(median(nil)) {
		t.Error("a median of nothing")
	}
	if got := geomean([]float64{2, 8}); math.Abs(got-4) > 1e-9 {
		t.Errorf("geometric mean %v, want 4", got)
	}
}

func TestPaired(t *testing.T) {
	// b takes twice as long, but for a turn in which a was disturbed, and the
	// machine gets slower all the time.
	a := []float64{100, 110, 120, 900, 140, 150, 160, 170, 180}
	b := []float64{200, 221, 238, 270, 282, 299, 322, 341, 359}
	e := paired(a, b)
	if math.Abs(e.ratio-2) > 0.02 || e.low < 1.9 || e.low > 2 || e.high > 2.1 || e.high < 2 {
		t.Errorf("got %+v", e)
	}
	// Too few for bounds, and nothing at all.
	if e := paired(a[:5], b); e.ratio < 1.9 || !math.IsNaN(e.low) || !math.IsNaN(e.high) {
		t.Errorf("got %+v", e)
	}
	if e := paired(nil, b); !math.IsNaN(e.ratio) || !math.IsNaN(e.low) {
		t.Errorf("got %+v", e)
	}
	// Six: from the least to the greatest.
	if e := middle([]float64{6, 1, 5, 2, 4, 3}); e != (estimate{3.5, 1, 6}) {
		t.Errorf("got %+v", e)
	}
}

func TestUnpaired(t *testing.T) {
	a := []float64{10, 11, 10, 12, 10, 11, 10, 90}
	b := []float64{30, 33, 30, 31, 36, 30}
	e := unpaired(a, b)
	if e.ratio < 2.8 || e.ratio > 3.1 || e.low >= e.ratio || e.high <= e.ratio || e.low < 2 || e.high > 4 {
		t.Errorf("got %+v", e)
	}
	if e := unpaired([]float64{10}, []float64{25}); e.ratio != 2.5 || !math.IsNaN(e.low) {
		t.Errorf("got %+v", e)
	}
	if e := unpaired(nil, b); !math.IsNaN(e.ratio) || !math.IsNaN(e.high) {
		t.Errorf("got %+v", e)
	}
}

// TestBounds: the truth lies between the bounds in 95 of 100 cases or a few
// more, whatever the noise looks like, and outside often enough that they are
// not just wide.
func TestBounds(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	// Most turns are about alike, some take much longer.
	turn := func(ns float64) float64 {
		ns *= 1 + rnd.NormFloat64()*0.03
		if rnd.IntN(8) == 0 {
			ns *= 1 + rnd.Float64()*3
		}
		return ns
	}
	const cases = 4000
	for name, f := range map[string]func(a, b []float64) estimate{"paired": paired, "unpaired": unpaired} {
		inside := 0
		for range cases {
			a, b := make([]float64, 15), make([]float64, 15)
			for i := range a {
				a[i], b[i] = turn(100), turn(150)
			}
			if e := f(a, b); e.low <= 1.5 && 1.5 <= e.high {
				inside++
			}
		}
		if share := float64(inside) / cases; share < 0.94 || share > 0.985 {
			t.Errorf("%s: the truth is inside in %v of the cases", name, share)
		}
	}
}
