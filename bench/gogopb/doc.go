// Package gogopb is the flat schema of internal/pb/canalflatpb as gogo/protobuf's
// gogofaster makes it. Messages in messages stay pointers: as values, which gogo can
// do too, they took longer on oltp and bulk, as slices of them are copied to grow.
package gogopb

//go:generate go run ./gen
