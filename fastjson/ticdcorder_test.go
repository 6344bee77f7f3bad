package fastjson

import (
	"math/rand/v2"
	"testing"
)

// TestNameOrder fills one order again and again, and holds it to a slice.
func TestNameOrder(t *testing.T) {
	rnd := rand.New(rand.NewPCG(51, 52))
	var o nameOrder
	scattered := 0
	for round := range 300 {
		o.reset()
		var want []int
		k := rnd.IntN(5)
		most := 20
		if round%20 == 0 {
			most = 5000
		}
		for range rnd.IntN(most) {
			if rnd.IntN(most) == 0 {
				k = rnd.IntN(1 << 20)
			}
			o.add(k)
			want = append(want, k)
			k++
		}
		if o.n != len(want) {
			t.Fatalf("%d numbers, want %d", o.n, len(want))
		}
		for i, k := range want {
			if o.at(i) != k {
				t.Fatalf("number %d is %d, want %d", i, o.at(i), k)
			}
		}
		if o.scattered {
			scattered++
		}
	}
	if scattered < 50 || scattered > 250 {
		t.Errorf("%d of 300 are scattered: this tested little", scattered)
	}
	o.reset()
	for i := range keepEntries + 2 {
		o.add(2 * i)
	}
	if o.release(); o.pieces != nil {
		t.Error("a large list is kept")
	}
}
