package main

import (
	"strconv"
	"strings"
)

func megabytes(n int) string {
	if n < 1e5 {
		return decimal(float64(n)/1e3, 1) + " kB"
	}
	return decimal(float64(n)/1e6, 2) + " MB"
}

// duration returns nanoseconds with about three digits, and their unit.
func duration(ns float64) (number, unit string) {
	units := []string{"ns", "µs", "ms", "s"}
	i := 0
	for ns >= 999.5 && i < len(units)-1 {
		ns /= 1000
		i++
	}
	digits := 0
	if i > 0 && ns < 99.95 || ns < 9.95 {
		digits = 1
	}
	if i > 0 && ns < 9.995 {
		digits = 2
	}
	return decimal(ns, digits), units[i]
}

func durationText(ns float64) string {
	number, unit := duration(ns)
	return number + " " + unit
}

// durationTick is the same for round numbers.
func durationTick(ns float64) string {
	number, unit := duration(ns)
	if strings.Contains(number, ".") {
		number = strings.TrimRight(strings.TrimRight(number, "0"), ".")
	}
	return number + " " + unit
}

// plain returns a round number: 0.6, though three times 0.2 is a little more.
func plain(v float64) string {
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 6, 64), 64) // it has just been a number
	return thousands(strconv.FormatFloat(v, 'f', -1, 64))
}

// allocations returns n without the digits that nobody needs.
func allocations(n float64) string {
	if n >= 1000 {
		return decimal(n, 0)
	}
	return decimal(n, 1)
}
