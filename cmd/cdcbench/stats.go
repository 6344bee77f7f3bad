package main

import (
	"math"
	"slices"
)

// An estimate is how many times faster one thing was than another, and between
// which bounds that lies in 95 of 100 cases. Without enough turns to say, the
// bounds are NaN.
type estimate struct {
	ratio, low, high float64
}

// Both estimates below are made of order statistics: a few turns in which the
// machine did something else move them little, and nothing is assumed about
// how times are distributed.

// paired estimates how many times faster a was than b, of turns that were taken
// in pairs: the median of b[i]/a[i].
func paired(a, b []float64) estimate {
	ratios := make([]float64, min(len(a), len(b)))
	for i := range ratios {
		ratios[i] = b[i] / a[i]
	}
	return middle(ratios)
}

// middle estimates the median of what ratios are a sample of. How many of them
// are below it is a matter of tossing coins, which gives the bounds.
func middle(ratios []float64) estimate {
	ratios = slices.Sorted(slices.Values(ratios))
	e := estimate{median(ratios), math.NaN(), math.NaN()}
	if n := len(ratios); n > 0 {
		if k := coins(n); k > 0 {
			e.low, e.high = ratios[k-1], ratios[n-k]
		}
	}
	return e
}

// coins returns the greatest k such that fewer than k heads in n tosses come
// with a chance of at most 1 in 40, or 0: below 6 tosses nothing is that rare.
func coins(n int) int {
	log2, _ := math.Lgamma(float64(n + 1))
	sum := 0.0
	for k := 0; ; k++ {
		heads, _ := math.Lgamma(float64(k + 1))
		tails, _ := math.Lgamma(float64(n - k + 1))
		sum += math.Exp(log2 - heads - tails - float64(n)*math.Ln2)
		if sum > 0.025 {
			return k
		}
	}
}

// unpaired estimates how many times faster a was than b, of turns that have
// nothing to do with each other: the median of all b[i]/a[j] (Hodges and
// Lehmann), with the bounds that belong to the test of Mann and Whitney.
func unpaired(a, b []float64) estimate {
	var ratios []float64
	for _, x := range a {
		for _, y := range b {
			ratios = append(ratios, y/x)
		}
	}
	slices.Sort(ratios)
	e := estimate{median(ratios), math.NaN(), math.NaN()}
	n, m := float64(len(a)), float64(len(b))
	k := int(n*m/2 - 1.96*math.Sqrt(n*m*(n+m+1)/12))
	if k > 0 {
		e.low, e.high = ratios[k-1], ratios[len(ratios)-k]
	}
	return e
}

// geomean returns the geometric mean.
func geomean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += math.Log(v)
	}
	return math.Exp(sum / float64(len(x)))
}

// median returns the middle of x, which may be in any order.
func median(x []float64) float64 {
	if len(x) == 0 {
		return math.NaN()
	}
	x = slices.Sorted(slices.Values(x))
	if n := len(x); n%2 == 0 {
		return (x[n/2-1] + x[n/2]) / 2
	}
	return x[len(x)/2]
}
