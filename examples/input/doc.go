// Package input is how the examples read: it gives a [batch.Pipeline] the records of a
// file or of standard input, each with the place behind it as its Tag, so that who
// acknowledges knows where to go on after a restart.
package input
