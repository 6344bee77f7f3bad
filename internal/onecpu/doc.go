// Package onecpu keeps a program that measures on one CPU, and tells how much of it the
// program has used.
package onecpu

// UsedIs returns what [Used] measures: "CPU time", or "wall clock" where there is nothing
// better.
func UsedIs() string { return usedIs }
