// Package gogopb is the flat schema of internal/pb/canalflatpb as gogo/protobuf's
// gogofaster makes it: no XXX_ fields, and messages in messages as values.
package gogopb

//go:generate go run ./gen
