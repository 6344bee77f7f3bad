//go:build race

package compress

const raceEnabled = true // memory is another then
